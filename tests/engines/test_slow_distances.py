"""Distances that take long are called for a few pairs at a time, so that Ctrl-C and checkpoints come soon."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

import adjudge
from adjudge.engines.running import checkpoint
from adjudge.errors import InputError, InputTypeError

NAMES = ["silhouette", "dunn", "gdi62", "gamma", "c_index", "mcclain_rao"]


def cityblock(a: Any, b: Any) -> float:
    return float(np.abs(a - b).sum())


def cloud(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.r_[np.zeros(n // 2, int), rng.integers(1, 9, n - n // 2)]
    return rng.normal(size=(n, 3)), labels


@pytest.mark.full
@pytest.mark.parametrize("options", [{}, {"memory_limit": 1 << 16}, {"memory_limit": 1 << 19, "exact": True}])
def test_digits_do_not_depend_on_the_threads(options: dict[str, Any]) -> None:
    X, labels = cloud()
    named = adjudge.evaluate(X=X, labels=labels, indices=NAMES, metric="cityblock", **options)
    found = []
    for n_threads in (1, 3):
        told: list[tuple[int, int]] = []
        called = adjudge.evaluate(
            X=X,
            labels=labels,
            indices=NAMES,
            metric=cityblock,
            n_jobs=n_threads,
            progress=lambda what, done, total, into=told: into.append((done, total)),
            **options,
        )
        found.append(called.values)
        # Their strips have other points, so that sums are added up in another order.
        assert called.values == pytest.approx(named.values, rel=1e-13)
        assert called.error_bounds == pytest.approx(named.error_bounds, rel=1e-13)
        assert told[-1][0] == told[-1][1]
        assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert found[0] == found[1]


def test_each_pair_is_called_once() -> None:
    X, labels = cloud(100)
    calls = 0

    def counted(a: Any, b: Any) -> float:
        nonlocal calls
        calls += 1
        return cityblock(a, b)

    adjudge.evaluate(X=X, labels=labels, indices="silhouette", metric=counted, n_jobs=1)
    # A few pairs are called both ways first, a few to tell functions of one name apart.
    assert 100 * 99 / 2 <= calls < 100 * 99 / 2 + 300


@pytest.mark.full
def test_progress_is_told_before_all_is_done() -> None:
    X, labels = cloud(60)
    told: set[int] = set()

    def slow(a: Any, b: Any) -> float:
        time.sleep(0.001)
        return cityblock(a, b)

    adjudge.evaluate(
        X=X,
        labels=labels,
        indices=["silhouette"],
        metric=slow,
        n_jobs=1,
        progress=lambda what, done, total: told.add(done),
    )
    # All distances take more than a second, and a task less than a tenth of one.
    assert len(told) > 10


class Killed(BaseException):
    """Ends a run wherever it is, as nothing that catches errors would."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("names", "options"), [(["silhouette", "dunn", "gdi62"], {}), (NAMES, {"memory_limit": 1 << 16})]
)
def test_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], options: dict[str, Any]
) -> None:
    monkeypatch.setattr(checkpoint, "INTERVAL", 0.0)
    X, labels = cloud(240)
    calls = 0

    def counted(a: Any, b: Any) -> float:
        nonlocal calls
        calls += 1
        return cityblock(a, b)

    def run(progress: Any) -> dict[str, float]:
        return adjudge.evaluate(
            X=X,
            labels=labels,
            indices=names,
            metric=counted,
            n_jobs=1,
            checkpoint=tmp_path / "pass.npz",
            progress=progress,
            **options,
        ).values

    whole = run(False)
    needed, calls = calls, 0
    runs, before = 0, -1

    def killed_soon(what: str, done: int, total: int) -> None:
        nonlocal before, left
        left -= done > before
        before = max(done, before)
        if left < 0:
            raise Killed

    while True:
        runs, left = runs + 1, 12
        try:
            found = run(killed_soon)
        except Killed:
            continue
        break
    assert found == whole
    assert runs > 3
    # What was computed is not computed again, but for what came after the last save, and what each run tries first.
    assert calls < needed + 5000 * runs
    assert list(tmp_path.iterdir()) == []


def test_processes_give_the_same_digits() -> None:
    X, labels = cloud(200)
    alone = adjudge.evaluate(X=X, labels=labels, indices=NAMES, metric=cityblock).values
    with parallel_config("loky", n_jobs=2):
        assert adjudge.evaluate(X=X, labels=labels, indices=NAMES, metric=cityblock).values == alone


PROGRAM = """
import threading, time
import numpy as np
import adjudge

rng = np.random.default_rng(0)

def slow(a, b):
    time.sleep(1e-4)
    return abs(a - b).sum()

def tell(what, done, total):
    if done > 5000:
        print("begun", flush=True)

try:
    adjudge.evaluate(X=rng.normal(size=(4000, 8)), labels=rng.integers(0, 5, 4000), metric=slow, n_jobs=2,
                     indices="silhouette", progress=tell)
except KeyboardInterrupt:
    print("interrupted", threading.active_count(), flush=True)
"""


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process here")
def test_ctrl_c_stops_a_function_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out.endswith("interrupted 1\n")
    # All distances take half an hour.
    assert time.monotonic() - sent < 5


def test_functions_are_named_without_their_address() -> None:
    X, labels = cloud(40)

    def asked(metric: Any, **options: Any) -> Any:
        return adjudge.evaluate(X=X, labels=labels, metric=metric, **{"indices": "silhouette", **options})

    with pytest.raises(InputError, match=r"^metric=<lambda> gives nan for the points \d+ and \d+"):
        asked(lambda a, b: np.nan)
    with pytest.raises(InputTypeError, match=r"^metric=<lambda> gives 'near' for two points: a number"):
        asked(lambda a, b: "near")
    with pytest.raises(InputTypeError, match=r"^metric=<lambda> gives None for two points"):
        asked(lambda a, b: None)
    with pytest.raises(InputError, match="metric=cityblock gives only distances"):
        asked(functools.partial(cityblock), indices="calinski_harabasz")
    for kind in (np.float32, np.int64, int, np.asarray):
        assert asked(lambda a, b, as_=kind: as_(cityblock(a, b) // 1))["silhouette"] == pytest.approx(
            asked(lambda a, b: cityblock(a, b) // 1)["silhouette"]
        )


def test_functions_must_be_symmetric() -> None:
    X, labels = cloud(40)

    def steps_up(a: Any, b: Any) -> float:
        return float(np.maximum(a - b, 0).sum())

    with pytest.raises(
        InputError, match=r"^metric=steps_up is not symmetric: .* from the point \d+ to \d+, "
    ):
        adjudge.evaluate(X=X, labels=labels, metric=steps_up, indices="silhouette")
    with pytest.raises(InputError, match="not symmetric"):
        adjudge.evaluate(X=X, labels=labels, metric=steps_up, indices="silhouette", sample_size=32)


def test_a_distance_has_one_name() -> None:
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(200, 4)) + 1e8, rng.integers(0, 3, 200)
    names = ["silhouette", "dunn", "calinski_harabasz"]
    plain = adjudge.evaluate(X=X, labels=labels, indices=names).values
    for metric in ("l2", "L2", "nan_euclidean", "minkowski", "Euclidean", " euclidean"):
        assert adjudge.evaluate(X=X, labels=labels, indices=names, metric=metric).values == plain
    blocks = adjudge.evaluate(X=X, labels=labels, indices=names[:2], metric="cityblock").values
    from scipy.spatial import distance

    for metric in ("l1", "manhattan", distance.cityblock):
        assert adjudge.evaluate(X=X, labels=labels, indices=names[:2], metric=metric).values == blocks
    with pytest.raises(InputError, match=r"^metric='foo' is not known.*such as 'euclidean'"):
        adjudge.evaluate(X=X, labels=labels, metric="foo", indices="dunn")
