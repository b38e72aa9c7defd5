"""A long choice: finished work is kept in a folder, and its cost is planned."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs

import adjudge
from adjudge import choose, choose_k, plan
from adjudge.choosing.candidates import Candidate
from adjudge.choosing.kept_statistics import KeptStatistics
from adjudge.choosing.refitting import held, n_refits
from adjudge.choosing.resampling import Repeats
from adjudge.choosing.work_folder import WorkFolder
from adjudge.cli import main
from adjudge.engines import labellings
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import select_indices

X, TRUTH = make_blobs(90, centers=3, cluster_std=0.7, random_state=5)
COUNTED: list[tuple[float, int]] = []


class Counting(ClusterMixin, BaseEstimator):
    """DBSCAN that says when it is fitted, and may be interrupted."""

    stop_at: float | None = None

    def __init__(self, eps: float = 0.5) -> None:
        self.eps = eps

    def fit(self, X: Any, y: Any = None) -> Counting:
        if Counting.stop_at == self.eps:
            raise KeyboardInterrupt
        COUNTED.append((self.eps, len(X)))
        self.labels_ = DBSCAN(self.eps).fit_predict(X)
        return self


@pytest.fixture(autouse=True)
def _forget() -> None:
    COUNTED.clear()
    Counting.stop_at = None


GRID = {"eps": [0.3, 0.6, 0.9, 1.2]}


def chosen(folder: Path | None, **options: Any) -> adjudge.Choice:
    options = {"random_state": 0, "indices": "silhouette", "by": "silhouette", "n_jobs": 1, **options}
    return choose(X, Counting(), grid=GRID, work=folder, **options)


def same(a: adjudge.Choice, b: adjudge.Choice) -> bool:
    return json.dumps(a.to_dict(), sort_keys=True) == json.dumps(b.to_dict(), sort_keys=True)


def pickled(value: Any) -> Any:
    """All fields of a statistic, arrays as their bytes, functions by what they are of."""
    if dataclasses.is_dataclass(value):
        return {f.name: pickled(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, partial):
        return value.func, *map(pickled, value.args)
    return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def test_an_interrupted_choice_goes_on(tmp_path: Path) -> None:
    whole = chosen(None, stability=3)
    Counting.stop_at = 0.9
    with pytest.raises(KeyboardInterrupt):
        chosen(tmp_path / "work", stability=3)
    assert len(list((tmp_path / "work").glob("*.npz"))) == 2
    COUNTED.clear()
    Counting.stop_at = None
    again = chosen(tmp_path / "work", stability=3)
    assert [eps for eps, n in COUNTED if n == 90][:2] == [0.9, 1.2]
    assert same(whole, again)
    assert set(again.estimators) == {"eps=0.9", "eps=1.2"}
    COUNTED.clear()
    assert same(whole, chosen(tmp_path / "work", stability=3))
    assert COUNTED == []
    assert not list((tmp_path / "work").glob(".*"))


@pytest.mark.parametrize(
    "changed", [{"random_state": 1}, {"metric": "cityblock", "indices": "silhouette"}], ids=str
)
def test_other_options_are_other_work(tmp_path: Path, changed: dict[str, Any]) -> None:
    chosen(tmp_path)
    COUNTED.clear()
    chosen(tmp_path, **changed)
    assert len(COUNTED) == 4


def test_other_points_are_other_work(tmp_path: Path) -> None:
    chosen(tmp_path)
    COUNTED.clear()
    moved = X.copy()
    moved[3, 0] += 1e-9
    choose(moved, Counting(), grid=GRID, work=tmp_path, random_state=0, indices="silhouette")
    assert len(COUNTED) == 4


def test_other_settings_and_functions_are_other_work(tmp_path: Path) -> None:
    options = {"work": tmp_path, "random_state": 0, "indices": "silhouette", "by": "silhouette"}

    def cut(k: int) -> Any:
        return lambda X: KMeans(k, n_init=1, random_state=0).fit_predict(X)

    for k in (2, 3):
        found = choose(X, {"model": KMeans(k, n_init=1), "function": cut(k)}, **options)
        assert found.n_clusters == {"model": k, "function": k}


def test_a_damaged_file_is_done_again(tmp_path: Path) -> None:
    first = chosen(tmp_path)
    path = next(iter(sorted(tmp_path.glob("*.npz"))))
    path.write_bytes(path.read_bytes()[:40])
    COUNTED.clear()
    assert same(first, chosen(tmp_path))
    assert len(COUNTED) == 1


def test_labels_may_be_text(tmp_path: Path) -> None:
    options = {"random_state": 0, "work": tmp_path, "indices": "silhouette", "by": "silhouette"}
    candidates = {"text": lambda X: np.where(X[:, 0] > 0, "right", "left"), "ready": TRUTH}
    first, again = (choose(X, candidates, **options) for _ in range(2))
    assert again.labels["text"].tolist() == first.labels["text"].tolist()
    assert len(list(tmp_path.glob("text*.npz"))) == 1


def test_what_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(adjudge.InputError, match="needs a whole number as random_state="):
        chosen(tmp_path, random_state=None)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(adjudge.InputError, match="is a file: name a folder"):
        chosen(file)
    with pytest.raises(adjudge.InputError, match="cannot be made"):
        chosen(file / "below")


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in X.tolist()))
    work, out = tmp_path / "work", tmp_path / "out.json"
    command = ["choose", str(tmp_path / "points.csv"), "--estimator", "kmeans", "--grid", "n_clusters=2,3"]
    assert main([*command, "--work", str(work), "--output", str(out)]) == 0
    assert len(list(work.glob("n_clusters*.npz"))) == 2
    # Of both, and of the nearest neighbours, which are theirs together.
    assert len(list(work.glob("statistics*.npz"))) == 3
    assert json.loads(out.read_text())["n_clusters"] == {"n_clusters=2": 2, "n_clusters=3": 3}


@pytest.fixture
def reduced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of clusters of the partitions whose distances are reduced; the first number says when to stop."""
    calls = [0]
    reduce = labellings.reduce_coded_points

    def counted(points: Any, codes: Any, *others: Any) -> Any:
        calls.append(int(codes.max()) + 1)
        if len(calls) == calls[0]:
            raise KeyboardInterrupt
        return reduce(points, codes, *others)

    monkeypatch.setattr(labellings, "reduce_coded_points", counted)
    return calls


def test_criteria_that_were_computed_are_kept(tmp_path: Path, reduced: list[int]) -> None:
    candidates = {str(k): KMeans(k, n_init=1, random_state=0).fit_predict(X) for k in (2, 3, 4, 5)}
    candidates["3 and noise"] = np.where(X[:, 0] > np.quantile(X[:, 0], 0.9), -1, candidates["3"])
    options = {"indices": "all", "random_state": 0, "dimension": 2}
    whole = choose(X, candidates, **options)
    reduced[:] = [4]
    with pytest.raises(KeyboardInterrupt):
        choose(X, candidates, work=tmp_path, **options)
    assert reduced[1:] == [2, 3, 4]
    reduced[:] = [0]
    assert same(whole, choose(X, candidates, work=tmp_path, **options))
    assert reduced[1:] == [4, 5, 3]
    reduced[:] = [0]
    assert same(whole, choose(X, candidates, work=tmp_path, **options))
    assert reduced == [0]
    # What the criteria are computed from depends on their options.
    choose(X, candidates, work=tmp_path, **{**options, "dimension": 3})
    assert len(reduced) == 6


KILLED = """
import os, signal, sys
import numpy as np
from adjudge import choose_k
from adjudge.engines import labellings
reduce, calls = labellings.reduce_coded_points, []
def dying(*given):
    calls.append(1)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return reduce(*given)
labellings.reduce_coded_points = dying
choose_k(np.load(sys.argv[1]), k=range(2, 7), n_init=1, random_state=0, work=sys.argv[2], progress=False)
"""


@pytest.mark.full
def test_a_killed_sweep_goes_on(tmp_path: Path, reduced: list[int]) -> None:
    np.save(tmp_path / "X.npy", X)
    command = [sys.executable, "-c", KILLED, str(tmp_path / "X.npy"), str(tmp_path / "work")]
    assert subprocess.run(command, timeout=600).returncode == -signal.SIGKILL
    assert len(list((tmp_path / "work").glob("*.npz"))) == 2
    options = {"k": range(2, 7), "n_init": 1, "random_state": 0, "progress": False}
    again = choose_k(X, work=tmp_path / "work", **options)
    # Criteria also read the numbers of clusters beside those that are compared.
    assert reduced[1:] == [4, 5, 6, 1, 7]
    reduced[:] = [0]
    found = choose_k(X, **options)
    assert len(reduced) == 8
    assert json.dumps(found.to_dict()) == json.dumps(again.to_dict())
    assert not list((tmp_path / "work").glob(".*"))


def test_every_statistic_of_partitions_is_kept(tmp_path: Path) -> None:
    types = {t for index in select_indices("all", ("internal",)) for t in index.requires}
    codes = np.array(TRUTH, np.int64)
    options = PointOptions(n_neighbors=5)
    keep = KeptStatistics.of(WorkFolder.at(tmp_path, X), options)
    first, again = (
        labellings.reduce_labellings(X, {3: codes, 2: codes // 2}, types, options=options, keep=keep)
        for _ in range(2)
    )
    for k, own in first.items():
        assert own.keys() == again[k].keys() == types
        for kind, statistic in own.items():
            assert pickled(again[k][kind]) == pickled(statistic), kind


@pytest.mark.parametrize("dense", [True, False])
def test_as_many_refits_as_planned(dense: bool) -> None:
    points = X if dense else np.linalg.norm(X[:, None] - X[None], axis=2)
    calls = []

    def refit(own: Any, seed: int) -> np.ndarray:
        calls.append(seed)
        return np.arange(len(own)) % 2

    held(
        points,
        Candidate("a", np.arange(90) % 2, np.arange(90) % 2, refit=refit),
        n_samples=4,
        noise_label=-1,
        precomputed=not dense,
        seed=np.random.SeedSequence(0),
        repeats=Repeats(1, False),
    )
    assert len(calls) == n_refits(4, dense=dense)


@pytest.mark.full
def test_the_plan_of_a_choice() -> None:
    one, twelve = (plan(20_000, 5, 8, candidates=m, indices=["silhouette", "dbcv"]) for m in (1, 12))
    assert (one.fits, twelve.fits) == (1, 12)
    assert one.seconds < twelve.seconds < 12 * one.seconds
    assert twelve.memory == one.memory
    named = {name for group in twelve.groups for name in group.indices}
    assert named == {"silhouette", "dbcv", "cvnn", "gdi22"}
    assert plan(20_000, 5, 8, candidates=3, stability=10).fits == 3 * 51
    assert "3 candidates, 153 fits of unknown duration" in repr(
        plan(20_000, 5, 8, candidates=3, stability=10)
    )
    with pytest.raises(adjudge.InputError, match="stability=True belongs to a choice: give candidates="):
        plan(100, 2, 2, stability=True)


def test_a_choice_of_many_points_is_planned_as_it_is_made() -> None:
    """Criteria read a sample of many points, so their time does not grow."""
    many, few = (adjudge.plan(n, 5, 10, candidates=4) for n in (10_000_000, 5_000))
    assert many.seconds == few.seconds
    assert (many.n, few.n) == (10_000_000, 5_000)
