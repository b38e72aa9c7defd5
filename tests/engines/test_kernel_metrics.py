"""Distances by loops of our own: the values of SciPy and scikit-learn, to 1e-12."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import haversine_distances

import adjudge
from adjudge.engines.pairs import meetings, sources, strips
from adjudge.engines.pairs.kernel_metrics import haversine_blocks
from adjudge.engines.points import reduce_points
from adjudge.statistics.pair_distances import (
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    Silhouettes,
    SingleLinkage,
)
from digits import check_alike, digits, digits_of_all
from pair_statistics import RANKED, SWEPT

rng = np.random.default_rng(0)


def points(what: str, n: int, p: int) -> Any:
    if what == "sphere":
        return positions(n)
    if what == "binary":
        X = (rng.random((n, p)) < 0.3).astype(float)
        X[:3] = 0.0  # nothing is set in either of two points
        return X
    X = rng.integers(-2, 3, (n, p)).astype(float) if what == "lattice" else rng.normal(size=(n, p))
    X[3:6] = X[6]
    X[:3] = 0.0
    return X


def positions(n: int) -> Any:
    """Latitudes and longitudes: among them equal and very near ones, a pole, and both sides of the date line."""
    rng = np.random.default_rng(5)
    X = np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])
    X[3:6] = X[6]
    X[7:10] = X[6] + [[1e-9, 0.0], [0.0, 1e-6], [3e-2, -6.4e-2]]
    X[10:12, 0] = np.pi / 2
    X[12:15] = [[0.3, np.pi], [0.3, -np.pi], [0.3, np.pi - 1e-4]]
    return X


CASES = [
    *((m, w) for m in ("cityblock", "chebyshev", "canberra", "hamming") for w in ("lattice", "real")),
    ("hamming", "binary"),
    ("jaccard", "binary"),
]


@pytest.mark.full(keep=13)
@pytest.mark.parametrize(("metric", "what"), CASES)
@pytest.mark.parametrize("p", [1, 2, 63, 64, 65, 130])
def test_gives_scipys_values(metric: str, what: str, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 70)
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
        judged = [t for t in types if keeps_ties or t not in (PairRanks, DistanceTies)]
        check_alike({t: found[t] for t in judged}, {t: expected[t] for t in judged}, 1e-12)
    assert [own is not None for own in seen] == [True, False] * 3


def test_haversine_distances_are_scikit_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 70)
    X, codes = positions(300), np.minimum(np.arange(300) % 5, 2)
    D = haversine_distances(X)
    np.fill_diagonal(D, 0.0)
    # Near a half circle the root of one less 1e-16 loses digits.
    assert D.max() < 3.14
    np.testing.assert_allclose(haversine_blocks(X)(np.arange(300), np.arange(300)), D, rtol=1e-12, atol=1e-15)
    for types in (SWEPT, (*SWEPT, *RANKED), (SingleLinkage, Diameters)):
        found = reduce_points(X, codes, types, metric="haversine")
        expected = reduce_points(D, codes, types, metric="precomputed")
        others = [t for t in types if t not in (PairRanks, DistanceTies)]
        check_alike({t: found[t] for t in others}, {t: expected[t] for t in others}, 1e-12)
        if PairRanks in types:
            assert found[PairRanks].s_plus == pytest.approx(expected[PairRanks].s_plus, rel=1e-5)


def test_haversine_distance_of_a_half_circle_and_of_whole_ones() -> None:
    X = np.array([[0.4, 1.0], [-0.4, 1.0 - np.pi], [0.4, 1.0 - 2 * np.pi]])
    D = haversine_blocks(X)(np.arange(3), np.arange(3))
    np.testing.assert_allclose(D, np.pi * np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), atol=1e-7)
    assert np.array_equal(D, D.T)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 3)), "needs two columns, latitude and longitude in radians: X has 3"),
        (
            np.array([[52.5, 13.4], [48.1, 11.6], [0.0, 0.0]]),
            r"X has 52.5, more than a full circle: pass np.radians",
        ),
        (
            np.array([[2.5, -13.4], [8.1, 11.6], [0.0, 0.0]]),
            r"X has -13.4, more than a full circle: pass np.radians",
        ),
    ],
)
@pytest.mark.parametrize("index", ["silhouette", "dbcv", "connectivity"])
def test_haversine_distances_need_radians(X: Any, message: str, index: str) -> None:
    with pytest.raises(adjudge.InputError, match=message):
        adjudge.evaluate(X=X, labels=np.arange(len(X)) % 2, indices=index, metric="haversine")


@pytest.mark.full
@pytest.mark.parametrize(
    ("metric", "what"), [("cityblock", "real"), ("jaccard", "binary"), ("haversine", "sphere")]
)
def test_who_computes_changes_no_digit(
    metric: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 220)
    monkeypatch.setattr(meetings, "_WORTH_THREADS", 1000)
    monkeypatch.setattr(meetings, "_WORTH_SENDING", 100_000)
    X, codes = points(what, 1500, 70), np.arange(1500) % 4
    types = (Silhouettes, Hausdorff, PairRanks)
    runs = digits_of_all(X, codes, types, tmp_path, metric=metric)
    runs.add(repr(digits(reduce_points(X, codes, types, metric=metric, memory_limit=1 << 24, exact=True))))
    if what == "binary":
        runs.add(repr(digits(reduce_points(X.astype(np.float32), codes, types, metric=metric))))
    assert len(runs) == 1


def test_other_points_are_left_to_scipy() -> None:
    X, codes = points("lattice", 100, 8), np.arange(100) % 3
    for other in ("jaccard", "braycurtis"):
        given = np.abs(X) + (other == "braycurtis")
        expected = adjudge.silhouette(cdist(given, given, other), codes, metric="precomputed")
        assert adjudge.silhouette(given, codes, metric=other) == pytest.approx(expected, rel=1e-12)
