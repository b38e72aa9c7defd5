"""Long runs, killed at random moments: nothing is left behind, and what is resumed has the same digits.

They take long, and run in `make test-kills`, which says in ADJUDGE_TEST_KILLS how many there are.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

KILLS = int(os.environ.get("ADJUDGE_TEST_KILLS", "0"))
pytestmark = pytest.mark.skipif(
    not KILLS or not Path("/proc").is_dir(), reason="`make test-kills` runs them, on systems with /proc"
)

SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM]
# Ctrl-C is to be answered in about a second; a busy machine needs longer.
ANSWER = 20.0


def patience(seconds: float) -> float:
    """Seconds, on a machine on which others compute as well."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


# What is saved every tenth of a second, and where its workers are.
RUN = """
import contextlib, json, sys
import joblib, numpy
from adjudge.engines.running import checkpoint
from adjudge.engines.pairs import strips
import adjudge
checkpoint.INTERVAL = 0.1
strips._LEAST_POINTS = 1024
kind, folder = sys.argv[1:]
rng = numpy.random.default_rng(0)
n = {"workers": 8_000, "threads": 12_000, "exact": 4_000, "slow": 500}[kind]
X, labels = rng.normal(size=(n, 8)), rng.integers(0, 7, n)
backend = joblib.parallel_config("loky", n_jobs=2) if kind == "workers" else contextlib.nullcontext()
options = {
    "exact": {"indices": ["tau", "gamma"], "exact": True, "memory_limit": 1 << 27},
    "slow": {"indices": ["silhouette", "dunn"], "metric": lambda a, b: float(abs(a - b).sum())},
}.get(kind, {"indices": ["silhouette", "dunn", "c_index"], "memory_limit": 1 << 20, "metric": "canberra"})
if __name__ == "__main__":
    print("begun", flush=True)
    with backend:
        found = adjudge.evaluate(X=X, labels=labels, checkpoint=folder + "/saved", progress=False, **options)
    print(json.dumps({name: value.hex() for name, value in found.values.items()}))
"""


def start(kind: str, folder: Path) -> subprocess.Popen[str]:
    program = folder.parent / "program.py"
    program.write_text(RUN)
    return subprocess.Popen(
        [sys.executable, str(program), kind, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TMPDIR": str(folder), "JOBLIB_TEMP_FOLDER": str(folder)},
        # A shell ignores Ctrl-C for what it starts in the background, and so would the program.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def values_of(process: subprocess.Popen[str]) -> Any:
    """Return what a run finds, as soon as it has ended."""
    output, _ = process.communicate(timeout=patience(300))
    assert process.returncode == 0
    return json.loads(output.splitlines()[-1])


def processes_of(folder: Path) -> list[int]:
    """Processes that have the folder among their arguments or their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            known = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(folder).encode() in known and state != "Z":
            found.append(int(path.name))
    return found


def until(happens: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not (found := happens()) and time.monotonic() < end:
        time.sleep(0.1)
    return bool(found)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, float]]:
    known: dict[str, tuple[Any, float]] = {}
    for kind in {kind_of(i) for i in range(KILLS)}:
        folder = tmp_path_factory.mktemp(kind) / "work"
        folder.mkdir()
        process = start(kind, folder)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        begun = time.monotonic()
        values = values_of(process)
        known[kind] = values, time.monotonic() - begun
    return known


def kind_of(i: int) -> str:
    return ["workers", "threads", "exact", "slow"][i % 4]


@pytest.mark.parametrize("i", range(max(1, KILLS)))
def test_killed_at_random(i: int, tmp_path: Path, uninterrupted: dict[str, tuple[Any, float]]) -> None:
    kind, number = kind_of(i), SIGNALS[(i // 4 + i) % 3]
    values, whole = uninterrupted[kind]
    folder = tmp_path / "work"
    folder.mkdir()
    process = start(kind, folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(float(np.random.default_rng(i).uniform(0, whole)) * 0.7)
    process.send_signal(number)
    sent = time.monotonic()
    process.communicate(timeout=patience(60))
    assert time.monotonic() - sent < patience(ANSWER)
    # A worker notices within a second that its parent is gone, and others remove what is left after that.
    assert until(lambda: not processes_of(folder), patience(30)), processes_of(folder)
    saved = {"saved"} if process.returncode else set()
    assert until(
        lambda: {p.name for p in folder.iterdir() if not p.name.startswith(".saved")} <= saved, patience(10)
    ), [*folder.iterdir()]
    # A file that was being saved is removed by the next run.
    assert values_of(start(kind, folder)) == values
    assert not [*folder.iterdir()]
