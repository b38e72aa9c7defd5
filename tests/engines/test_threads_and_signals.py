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
import scipy.sparse

import adjudge

rng = np.random.default_rng(5)
POINTS = rng.normal(size=(700, 3))
CODES = rng.integers(0, 5, 700)
PRED = np.where(rng.random(700) < 0.3, rng.integers(0, 5, 700), CODES)


def internal(n_threads: int | None = None) -> dict[str, float]:
    return adjudge.evaluate(X=POINTS, labels=CODES, n_jobs=n_threads, indices="all").values


def chance(n_threads: int | None = None) -> tuple[float, ...]:
    null = adjudge.inference.null_distribution(
        "purity", CODES, PRED, n_tables=300, random_state=3, n_jobs=n_threads, method="simulate"
    )
    pairs = adjudge.inference.null_distribution(
        "rand", CODES, PRED, n_tables=3000, random_state=3, n_jobs=n_threads, method="simulate"
    )
    return (null.mean, null.std, *null.values, pairs.mean, pairs.std, *pairs.values)


def everything() -> tuple[object, ...]:
    external = adjudge.evaluate(CODES, PRED, indices="all").values
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


def in_other_ways(n: int) -> tuple[object, ...]:
    """Other distances, little memory, samples, sparse points, and the workers of choose_k."""
    of_points = {"X": POINTS, "labels": CODES, "n_jobs": n}
    sparse = scipy.sparse.csr_array(np.where(POINTS > 0, POINTS, 0.0))
    return (
        adjudge.evaluate(**of_points, metric="cityblock", indices=["silhouette", "gamma"]).values,
        adjudge.evaluate(**of_points, memory_limit=1 << 16, indices=["gamma", "c_index"]).values,
        adjudge.evaluate(**of_points, sample_size=100, random_state=0, indices=["silhouette", "dunn"]).values,
        adjudge.evaluate(**{**of_points, "X": sparse}, indices=["silhouette", "dunn"]).values,
        adjudge.choose_k(
            POINTS[:120],
            k=[2, 3],
            n_jobs=n,
            indices=["silhouette", "gap"],
            stability=3,
            n_references=3,
            n_init=2,
            random_state=0,
        ).to_dict(),
    )


@pytest.mark.full
@pytest.mark.parametrize("n_threads", [2, 7])
def test_same_digits_for_any_number_of_threads_in_other_ways(n_threads: int) -> None:
    assert same(in_other_ways(n_threads), in_other_ways(1))


@pytest.mark.full
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
    "random tables": f"{LABELS}; adjudge.inference.null_distribution('purity', g, p, n_tables=10**7, "
    "method='simulate', random_state=0, progress=tell)",
    "random pair sums": f"{LABELS}; adjudge.inference.null_distribution('rand', g, p, n_tables=10**7, "
    "method='simulate', random_state=0, progress=tell)",
    "choose_k": "adjudge.choose_k(rng.normal(size=(1000, 3)), k=[2, 3], n_init=2, random_state=0, indices='ch', "
    # Clusterings and what they import come first, and are over soon.
    "stability=100_000, progress=lambda what, *_: tell() if what == 'bootstrap samples' else None)",
}


@pytest.mark.full
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


# What takes long, one after the other; each is tried small first, so that all is loaded.
MANY = """
import os, signal, sys, threading, time
import numpy as np
import adjudge

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
y = rng.integers(0, 4, 300)
g, p, q = rng.integers(0, 60, (3, 20_000))
apart = lambda a, b: float(np.abs(a - b).sum())
resampled = dict(random_state=0)
works = {
    "internal intervals": lambda n: adjudge.inference.confidence_intervals(
        ["silhouette"], X=np.tile(X, (min(n, 200), 1)), labels=np.tile(y, min(n, 200)), **resampled),
    "external interval": lambda n: adjudge.inference.confidence_interval(
        "van_dongen", g, p, method="percentile", n_resamples=n, **resampled),
    "intervals of two": lambda n: adjudge.inference.comparison_intervals(
        g, p, q, kind="clustering", method="percentile", n_resamples=n, **resampled),
    "test of two": lambda n: adjudge.inference.equal_goodness_test(
        g, p, q, method="bootstrap", n_resamples=n, **resampled),
    "calibration": lambda n: adjudge.choose_k(X, k=[2, 3], indices="ch", n_init=1, calibration=n, **resampled),
    "references": lambda n: adjudge.choose_k(X, k=[2, 3], indices="gap", n_init=1, n_references=n, **resampled),
    "confidence": lambda n: adjudge.choose_k(X, k=[2, 3], indices="ch", n_init=1, n_resamples=n, **resampled),
    "any estimator": lambda n: adjudge.choose_k(
        X, "gaussian_mixture", k=[2, 3], indices="ch", stability=n, n_jobs=2, **resampled),
    "a metric of one's own": lambda n: adjudge.evaluate(
        X=np.tile(X, (min(n, 100), 1)), labels=np.tile(y, min(n, 100)), indices="silhouette", metric=apart),
    "report": lambda n: adjudge.report(
        g, {"p": p, "q": q}, kind="clustering", indices=["purity"], n_tables=n, output=sys.argv[1]),
}
for name, work in works.items():
    work(2)
    if os.path.exists(sys.argv[1]):
        os.unlink(sys.argv[1])
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        work(10**7)
    except KeyboardInterrupt:
        late = time.monotonic() + 10
        while threading.active_count() > 1 and time.monotonic() < late:
            time.sleep(0.02)
        print(name, threading.active_count(), os.listdir(os.path.dirname(sys.argv[1])), flush=True)
    else:
        print(name, "finished", flush=True)
print(*works, sep="\\n", file=sys.stderr)
"""


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process here")
def test_ctrl_c_in_all_that_takes_long(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path / "report.html")],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    works = done.stderr.splitlines()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{work} 1 []" for work in works]
    assert len(works) == 10


@pytest.mark.full
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
        *("--adjust", "--indices=purity,van_dongen", "--output", str(tmp_path / "out.json")),
    ]
    with _started(command) as process:
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


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process here")
def test_ctrl_c_in_a_callback_from_c_ends_a_command(tmp_path: Path) -> None:
    """Python drops what a callback from C raises, as when LLVM loads kernels: the command ends all the same."""
    (tmp_path / "slow.py").write_text(
        "import ctypes, os, signal, time\n"
        "@ctypes.CFUNCTYPE(None)\n"
        "def callback():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(10)\n"
        "callback()\n"
        "time.sleep(60)\n"
        "print('went on')\n"
    )
    command = [sys.executable, "-m", "adjudge", "--load", str(tmp_path / "slow.py"), "indices"]
    with _started(command) as process:
        try:
            out, err = process.communicate(timeout=50)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, "", "adjudge: interrupted\n")


def _started(command: list[str]) -> subprocess.Popen[str]:
    """Start a command that Ctrl-C reaches, even if the tests run in the background of a shell, which ignores it."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def _wait_until_kernels_are_loaded(process: subprocess.Popen[str]) -> None:
    """Wait until an interrupt meets the command's own handler."""
    maps = Path(f"/proc/{process.pid}/maps")
    late = time.monotonic() + 60
    while maps.exists() and "adjudge/kernels/_v" not in maps.read_text():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < late
        time.sleep(0.05)
    if not maps.exists():
        time.sleep(3)


QUERY = """
import os, signal, sys, threading, time
import duckdb
import adjudge

connection = duckdb.connect() if sys.argv[1] == "own" else duckdb.default_connection()
rows = "select (hash(range) % 3000)::int t, (hash(range * 7) % 3000)::int a, 0.5 p from range(1000000000)"
table, sent = connection.sql(rows), []

def interrupt():
    time.sleep(1.5)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
asked = {"labels": {"truth": "t", "pred": "a"}, "points": {"labels": "t", "features": ["a", "p"]}}[sys.argv[2]]
try:
    adjudge.evaluate(table, **asked)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("connection", ["own", "default"])
@pytest.mark.parametrize("asked", ["labels", "points"])
def test_ctrl_c_stops_a_query(connection: str, asked: str) -> None:
    pytest.importorskip("duckdb")
    command = [sys.executable, "-c", QUERY, connection, asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.stdout, done.stderr[-500:]
    assert float(done.stdout) < 1.0
