"""A process that is terminated or killed while its workers compute leaves no files and no workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="the children are looked up in /proc")

PROGRAM = """
import joblib, numpy, adjudge
if __name__ == "__main__":
    rng = numpy.random.default_rng(0)
    X, labels = rng.normal(size=(60_000, 20)), rng.integers(0, 9, 60_000)
    with joblib.parallel_config("loky", n_jobs=2):
        adjudge.evaluate(X=X, labels=labels, indices=["silhouette", "dunn"], metric="cityblock")
"""


def children(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def at_work(pid: int, folder: Path) -> int:
    """How many children have mapped the points."""
    return sum(str(folder) in Path(f"/proc/{child}/maps").read_text() for child in children(pid))


def until(happens, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not (found := happens()) and time.monotonic() < end:
        time.sleep(0.2)
    return bool(found)


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind(number: signal.Signals, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stderr=subprocess.DEVNULL)
    try:
        # A worker that has no task yet would wait some minutes for one.
        assert until(lambda: at_work(process.pid, tmp_path) == 2)
        workers = children(process.pid)
        process.send_signal(number)
        assert process.wait(60) == (143 if number == signal.SIGTERM else -number)
    finally:
        process.kill()
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert until(lambda: not list(tmp_path.iterdir()))


def test_a_handler_of_ones_own_stays() -> None:
    from adjudge.engines.running.workers import terminated_in_order

    def own(*_: object) -> None: ...

    before = signal.signal(signal.SIGTERM, own)
    try:
        with terminated_in_order():
            assert signal.getsignal(signal.SIGTERM) is own
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with terminated_in_order():
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
