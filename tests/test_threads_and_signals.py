"""The same digits for any number of threads, calls from several threads and after fork, and Ctrl-C at any time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import adjudge

rng = np.random.default_rng(5)
POINTS = rng.normal(size=(700, 3))
CODES = rng.integers(0, 5, 700)
PRED = np.where(rng.random(700) < 0.3, rng.integers(0, 5, 700), CODES)


def internal(n_threads: int | None = None) -> dict[str, float]:
    return adjudge.evaluate(X=POINTS, labels=CODES, n_threads=n_threads).values


def chance(n_threads: int | None = None) -> tuple[float, ...]:
    null = adjudge.null_distribution(
        "purity", CODES, PRED, n_tables=300, random_state=3, n_threads=n_threads, method="simulate"
    )
    pairs = adjudge.null_distribution(
        "rand", CODES, PRED, n_tables=3000, random_state=3, n_threads=n_threads, method="simulate"
    )
    return (null.mean, null.std, *null.values, pairs.mean, pairs.std, *pairs.values)


def everything() -> tuple[object, ...]:
    external = adjudge.evaluate(CODES, PRED).values
    compared = adjudge.compare(CODES, {"p": PRED, "q": CODES[::-1]}, kind="clustering", confidence=0.9)
    chosen = adjudge.choose_k(POINTS[:80], k=[2, 3], indices=["silhouette", "ch"], n_init=2, random_state=0)
    return internal(), chance(), external, compared.to_dict(), chosen.values


@pytest.fixture(scope="module")
def alone() -> tuple[object, ...]:
    return everything()


def same(a: object, b: object) -> bool:
    """Compare to the last digit; nan equals nan."""
    return repr(a) == repr(b)


@pytest.mark.parametrize("n_threads", [2, 7])
def test_same_digits_for_any_number_of_threads(n_threads: int) -> None:
    assert same(internal(n_threads), internal(1))
    assert same(chance(n_threads), chance(1))


def test_calls_from_several_threads(alone: tuple[object, ...]) -> None:
    with ThreadPoolExecutor(4) as pool:
        for found in [pool.submit(everything) for _ in range(6)]:
            assert same(found.result(timeout=120), alone)


def _child(queue: object) -> None:
    queue.put(repr(everything()))  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_calls_after_fork(alone: tuple[object, ...]) -> None:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=120) == repr(alone)
        child.join(30)
        assert child.exitcode == 0
    finally:
        child.kill()


# Each says when the long part has begun; after Ctrl-C no thread of ours may be alive, and the process ends.
PROGRAM = """
import threading, sys, time
import numpy as np
import adjudge

rng = np.random.default_rng(0)
begun = False

def tell(*_):
    global begun
    if not begun:
        begun = True
        print("begun", flush=True)

try:
    {work}
except KeyboardInterrupt:
    late = time.monotonic() + 10
    while threading.active_count() > 1 and time.monotonic() < late:
        time.sleep(0.05)
    print("interrupted", threading.active_count(), flush=True)
else:
    print("finished", flush=True)
"""
LABELS = "g, p = rng.integers(0, 40, 200_000), rng.integers(0, 40, 200_000)"
LONG = {
    "distances": "adjudge.evaluate(X=rng.normal(size=(400_000, 4)), labels=rng.integers(0, 9, 400_000), "
    "indices='silhouette', progress=tell)",
    "ranks": "adjudge.evaluate(X=rng.normal(size=(300_000, 4)), labels=rng.integers(0, 9, 300_000), "
    "indices='gamma', progress=tell)",
    "random tables": f"{LABELS}; adjudge.null_distribution('purity', g, p, n_tables=10**7, method='simulate', "
    "random_state=0, progress=tell)",
    "random pair sums": f"{LABELS}; adjudge.null_distribution('rand', g, p, n_tables=10**7, method='simulate', "
    "random_state=0, progress=tell)",
    "choose_k": "adjudge.choose_k(rng.normal(size=(1000, 3)), k=[2, 3], n_init=2, random_state=0, indices='ch', "
    "stability=100_000, progress=tell)",
}


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process here")
@pytest.mark.parametrize("work", LONG)
def test_ctrl_c(work: str) -> None:
    program = PROGRAM.format(work=LONG[work])
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n", process.stderr and process.stderr.read()
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out == "interrupted 1\n", err
    assert process.returncode == 0, err


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process here")
@pytest.mark.parametrize("wait", [0.0, 0.4, 1.2])
def test_ctrl_c_of_a_command_leaves_no_file(tmp_path: Path, wait: float) -> None:
    """A command that is interrupted, wherever it is, says so in one line and leaves the folder as it was."""
    table = tmp_path / "labels.csv"
    truth, p, q = (rng.integers(0, 300, 100_000) for _ in range(3))
    table.write_text("truth,p,q\n" + "\n".join(f"{a},{b},{c}" for a, b, c in zip(truth, p, q, strict=True)))
    command = [
        *(
            sys.executable,
            "-m",
            "adjudge",
            "compare",
            str(table),
            "--truth=truth",
            "--models=p,q",
            "--kind=clustering",
        ),
        *("--adjust", "--scores=purity,van_dongen", "--output", str(tmp_path / "out.json")),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait_until_kernels_are_loaded(process)
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode in (130, -signal.SIGINT), (out, err)
    assert out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["labels.csv"]
    if process.returncode == 130:
        assert err == "adjudge: interrupted\n"


def _wait_until_kernels_are_loaded(process: subprocess.Popen[str]) -> None:
    """Wait until an interrupt meets the command's own handler."""
    maps = Path(f"/proc/{process.pid}/maps")
    late = time.monotonic() + 60
    while maps.exists() and "llvmlite" not in maps.read_text():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < late
        time.sleep(0.05)
    if not maps.exists():
        time.sleep(3)
