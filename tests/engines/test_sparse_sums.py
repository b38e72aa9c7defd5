"""Sums of cosine and correlation distances between sparse rows come from centroids: those of the definition."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from joblib import parallel_config

import adjudge
from adjudge.engines.pairs import mean_distances, sparse_sums
from adjudge.engines.points import reduce_points
from adjudge.errors import InputError
from adjudge.statistics.pair_distances import Diameters, PairSums, Silhouettes

SUMS = (PairSums, Silhouettes)
METRICS = ("cosine", "correlation")


def rows_in_clusters(metric: str) -> tuple[Any, np.ndarray]:
    """Sparse rows in eight clusters: three loose ones, and some whose distances have few digits left of one."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(8), [90, 70, 40, 30, 20, 15, 12, 1])
    X = scipy.sparse.random(codes.size, 60, density=0.2, random_state=rng, format="lil")
    X[np.arange(codes.size), rng.integers(0, 60, codes.size)] = 1.5
    X = X.toarray()
    X[codes == 3] = X[0] * rng.uniform(1, 2, (30, 1)) + 1e-3 * (
        rng.random((30, 60)) < 0.1
    )  # nearly one direction
    X[codes == 4] = X[1]  # one direction
    X[codes == 5] = X[2] + 1e-2 * (rng.random((15, 60)) < 0.2)
    X[codes == 6] = X[2] + 1e-2 * (rng.random((12, 60)) < 0.2)  # two clusters in nearly one place
    if metric == "correlation":
        X[codes == 2] += 3.0  # no zero
    order = rng.permutation(codes.size)
    return scipy.sparse.csr_matrix(X[order]), codes[order]


def by_definition(X: Any, metric: str) -> np.ndarray:
    """Half the squared differences of rows of length one, in extended precision."""
    rows = X.toarray().astype(np.longdouble)
    if metric == "correlation":
        rows = rows - rows.mean(axis=1, keepdims=True)
    rows = rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray([((rows - row) ** 2).sum(axis=1) / 2 for row in rows])


@pytest.mark.parametrize("metric", METRICS)
def test_sums_are_those_of_the_definition(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = rows_in_clusters(metric)
    distances = by_definition(X, metric)
    member = np.eye(8)[codes]
    sums = member.T @ distances @ member
    monkeypatch.setattr(sparse_sums, "_BLOCK", 8 * 50)
    monkeypatch.setattr(sparse_sums, "_ROWS", 7)
    monkeypatch.setattr(mean_distances, "_BLOCK", 8 * 3)
    left: list[int] = []
    found = reduce_points(
        X, codes, SUMS, metric=metric, progress=lambda some, total: left.append(total - some)
    )
    assert (left[0], left[-1]) == (X.nnz + codes.size * 8, 0)
    pairs = found[PairSums]
    np.testing.assert_allclose(pairs.within, sums.diagonal() / 2, rtol=1e-11, atol=1e-26)
    assert pairs.within[4] == pairs.within[7] == 0
    assert pairs.matrix is not None
    between = ~np.eye(8, dtype=bool)
    np.testing.assert_allclose(pairs.matrix[between], sums[between], rtol=1e-11)
    assert pairs.between == pytest.approx(float(sums[between].sum() / 2), rel=1e-12)
    sizes = np.bincount(codes)
    means = sums / np.multiply.outer(sizes, sizes)
    assert pairs.smallest_mean == pytest.approx(float(means[between].min()), rel=1e-11)
    of_points = distances @ member
    everyone = np.arange(codes.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = of_points[everyone, codes] / (sizes[codes] - 1)
    of_points = of_points / sizes
    of_points[everyone, codes] = np.inf
    nearest = of_points.min(axis=1)
    widths = np.where(sizes[codes] > 1, (nearest - own) / np.fmax(nearest, own), 0).astype(float)
    np.testing.assert_allclose(found[Silhouettes].values, widths, atol=1e-11)


@pytest.mark.parametrize("metric", METRICS)
def test_no_distance_of_a_pair_is_computed(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = rows_in_clusters(metric)

    def fail(*_: Any) -> None:
        pytest.fail("distances of pairs are computed")

    with monkeypatch.context() as patch:
        patch.setattr("adjudge.engines.pairs.sources.SparseCosines.of", fail)
        reduce_points(X, codes, SUMS, metric=metric)
        with pytest.raises(pytest.fail.Exception):
            reduce_points(X, codes, (Diameters,), metric=metric)


@pytest.mark.parametrize("metric", METRICS)
def test_who_computes_changes_no_digit(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_sums, "_BLOCK", 1 << 9)
    monkeypatch.setattr(sparse_sums, "_ROWS", 5)
    X, codes = rows_in_clusters(metric)

    def values(**options: Any) -> tuple[bytes, bytes]:
        found = reduce_points(X, codes, SUMS, metric=metric, **options)
        return found[Silhouettes].values.tobytes(), found[PairSums].matrix.tobytes()

    runs = [values(n_jobs=n) for n in (1, 2, 5)] + [values(memory_limit=1 << 16)]
    with parallel_config("loky", n_jobs=2):
        runs.append(values())
    assert len(set(runs)) == 1


@pytest.mark.full
def test_a_hundred_thousand_texts_take_seconds() -> None:
    n, entries, p = 100_000, 30, 50_000
    rng = np.random.default_rng(0)
    columns = rng.zipf(1.3, n * entries) % p
    X = scipy.sparse.csr_matrix(
        (np.ones(n * entries), columns, np.arange(0, n * entries + 1, entries)), (n, p)
    )
    begun = time.process_time()
    reduce_points(X, np.arange(n) % 20, SUMS, metric="cosine", n_jobs=1)
    # 5 * 10^9 pairs take minutes.
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(("metric", "what"), [("cosine", "zeros"), ("correlation", "equal values")])
def test_a_row_without_a_direction_is_named(metric: str, what: str) -> None:
    X, codes = rows_in_clusters(metric)
    X = X.tolil()
    X[17] = 0
    with pytest.raises(
        InputError, match=f"X has only {what} in row 17: its {metric} distances are undefined"
    ):
        adjudge.silhouette(X.tocsr(), codes, metric=metric)
