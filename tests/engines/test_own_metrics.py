"""Manhattan, Chebyshev, Canberra, Hamming and Jaccard distances by loops of our own: SciPy's values, to 1e-12."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from scipy.spatial.distance import cdist

import adjudge
from adjudge.engines.pairs import sources, tasks
from adjudge.engines.points import reduce_points
from adjudge.statistics.pair_distances import (
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    Silhouettes,
    SingleLinkage,
)
from pair_statistics import RANKED, SWEPT

rng = np.random.default_rng(0)


def points(what: str, n: int, p: int) -> Any:
    if what == "binary":
        X = (rng.random((n, p)) < 0.3).astype(float)
        X[:3] = 0.0  # nothing is set in either of two points
        return X
    X = rng.integers(-2, 3, (n, p)).astype(float) if what == "lattice" else rng.normal(size=(n, p))
    X[3:6] = X[6]
    X[:3] = 0.0
    return X


CASES = [
    *((m, w) for m in ("cityblock", "chebyshev", "canberra", "hamming") for w in ("lattice", "real")),
    ("hamming", "binary"),
    ("jaccard", "binary"),
]


@pytest.mark.parametrize(("metric", "what"), CASES)
@pytest.mark.parametrize("p", [1, 2, 63, 64, 65, 130])
def test_gives_scipys_values(metric: str, what: str, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "task_size", lambda n_pairs: 5000)
    n = 300
    X, codes = points(what, n, p), np.minimum(np.arange(n) % 5, 2)
    D = cdist(X, X, metric)
    np.fill_diagonal(D, 0.0)
    seen: list[Any] = []
    find = sources.own_metric
    monkeypatch.setattr(sources, "own_metric", lambda *given: seen.append(find(*given)) or seen[-1])
    # Sums of the same terms in another order may tell equal distances apart.
    keeps_ties = what != "real" and metric != "canberra"
    for types in (SWEPT, (*SWEPT, *RANKED), (SingleLinkage, Diameters)):
        found = reduce_points(X, codes, types, metric=metric)
        expected = reduce_points(D, codes, types, metric="precomputed")
        for type_ in types:
            if type_ not in (PairRanks, DistanceTies):
                check_alike(found[type_], expected[type_])
            elif keeps_ties:
                assert vars(found[type_]) == vars(expected[type_])
    assert [own is not None for own in seen] == [True, False] * 3


def check_alike(found: Any, expected: Any) -> None:
    for name, value in vars(expected).items():
        own, value = np.asarray(getattr(found, name), float), np.asarray(value, float)
        np.testing.assert_allclose(
            own, value, rtol=1e-12, atol=1e-12, err_msg=f"{type(expected).__name__}.{name}"
        )


@pytest.mark.parametrize(("metric", "what"), [("cityblock", "real"), ("jaccard", "binary")])
def test_who_computes_changes_no_digit(
    metric: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "task_size", lambda n_pairs: 50_000)
    monkeypatch.setattr(tasks, "_WORTH_THREADS", 1000)
    monkeypatch.setattr(tasks, "_WORTH_SENDING", 100_000)
    X, codes = points(what, 1500, 70), np.arange(1500) % 4

    def run(X: Any, **options: Any) -> bytes:
        found = reduce_points(X, codes, (Silhouettes, Hausdorff, PairRanks), metric=metric, **options)
        return found[Silhouettes].values.tobytes() + repr(found[PairRanks]).encode()

    runs = [run(X, n_jobs=n) for n in (1, 2, 5)]
    with parallel_config("loky", n_jobs=2):
        runs.append(run(X))
    np.save(tmp_path / "X.npy", X)
    runs.append(run(np.load(tmp_path / "X.npy", mmap_mode="r")))
    runs.append(run(X, memory_limit=1 << 20, exact=True))
    assert len(set(runs)) == 1
    if what == "binary":
        assert run(X.astype(np.float32)) == runs[0]


def test_other_points_are_left_to_scipy() -> None:
    X, codes = points("lattice", 100, 8), np.arange(100) % 3
    for other in ("jaccard", "braycurtis"):
        given = np.abs(X) + (other == "braycurtis")
        expected = adjudge.silhouette(cdist(given, given, other), codes, metric="precomputed")
        assert adjudge.silhouette(given, codes, metric=other) == pytest.approx(expected, rel=1e-12)
