"""Cosine and correlation distances between sparse rows, and their sums, without a dense copy."""

from __future__ import annotations

import time
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from mpmath import mp

import adjudge
from adjudge.engines.pairs import mean_distances, meetings, sparse_sums
from adjudge.engines.pairs import strips as layouts
from adjudge.engines.pairs.distances import Portioned
from adjudge.engines.pairs.sparse import SparseCosines, SparseRows
from adjudge.engines.pairs.strips import Strips
from adjudge.engines.points import reduce_points
from adjudge.errors import InputError
from adjudge.statistics.pair_distances import (
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from digits import check_alike, digits, digits_of_all
from naive_distances import distances, silhouette_widths
from pair_statistics import RANKED, SWEPT

Matrix = Any


def sparse_points(n: int, p: int, density: float, seed: int = 0) -> Matrix:
    """Rows of which some are equal, multiples of each other, or nearly so; none is empty."""
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random(n, p, density=density, random_state=rng, format="lil")
    X[np.arange(n), rng.integers(0, p, n)] = 1.5
    X[1] = X[0]
    X[2] = 2 * X[0]
    X[3] = X[0] * 1.0
    X[3, X.rows[0][0]] *= 1 + 1e-7
    X[5] = -X[4]
    return X.tocsr()


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("metric", ["cosine", "correlation"])
@pytest.mark.parametrize("p", [7, 90, 4000])
@pytest.mark.parametrize("types", [SWEPT, (*SWEPT, *RANKED), (SingleLinkage, Diameters)])
def test_gives_what_dense_rows_give(p: int, types: Any, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "strip_points", lambda n: 70)
    X, codes = sparse_points(400, p, 0.02 if p > 1000 else 0.3), np.minimum(np.arange(400) % 5, 2)
    found, expected = (reduce_points(rows, codes, types, metric=metric) for rows in (X, X.toarray()))
    others = [t for t in types if t not in (PairRanks, DistanceTies)]
    atol = 1e-14 if metric == "cosine" else 1e-13
    check_alike({t: found[t] for t in others}, {t: expected[t] for t in others}, 1e-12, atol)
    if PairRanks in types:
        # Rows without a common entry are at a distance of 1 here; among dense ones rounding tells them apart.
        off = abs(found[PairRanks].s_plus - expected[PairRanks].s_plus)
        assert off <= found[DistanceTies].tied


def test_near_rows_keep_their_digits() -> None:
    X = sparse_points(50, 200, 0.2)
    everyone = np.arange(50)
    found = SparseRows.of(X, "cosine").between(everyone, everyone)
    unit = X.toarray() / np.sqrt((X.toarray() ** 2).sum(axis=1, keepdims=True))
    exact = ((unit[:, None] - unit[None]) ** 2).sum(axis=2) / 2
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-16)
    assert np.array_equal(found, found.T)
    assert not found[:3, :3].any()
    assert 0 < found[0, 3] < 1e-14
    assert found[4, 5] == pytest.approx(2.0, rel=1e-15)


def test_rows_without_a_common_entry_are_equally_far() -> None:
    X = scipy.sparse.block_diag([sparse_points(20, 30, 0.3, seed) for seed in range(5)], format="csr")
    found = SparseRows.of(X, "cosine").between(np.arange(20), np.arange(20, 100))
    assert (found == 1.0).all()


@pytest.mark.full
def test_who_computes_changes_no_digit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(layouts, "strip_points", lambda n: 220)
    monkeypatch.setattr(meetings, "_WORTH_THREADS", 1000)
    monkeypatch.setattr(meetings, "_WORTH_SENDING", 100_000)
    X, codes = sparse_points(1500, 300, 0.05), np.arange(1500) % 4
    types = (Silhouettes, Hausdorff, PairRanks)
    runs = digits_of_all(X, codes, types, tmp_path, metric="cosine")
    runs.add(repr(digits(reduce_points(X, codes, types, metric="cosine", memory_limit=1 << 24, exact=True))))
    unsorted = scipy.sparse.csr_matrix((X.data, X.indices, X.indptr), shape=X.shape)
    for i in range(1500):
        run_of_row = slice(X.indptr[i], X.indptr[i + 1])
        unsorted.indices[run_of_row] = X.indices[run_of_row][::-1]
        unsorted.data[run_of_row] = X.data[run_of_row][::-1]
    unsorted.has_sorted_indices = False
    runs.add(repr(digits(reduce_points(unsorted.tocoo(), codes, types, metric="cosine"))))
    assert len(runs) == 1


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_what_is_sent_of_some_strips_is_all_that_their_pairs_need(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layouts, "strip_points", lambda n: 100)
    X = sparse_points(1200, 300, 0.05)
    codes = np.minimum(np.arange(1200) % 5, 2)
    whole = SparseCosines.of(X, Strips.of(codes, np.bincount(codes)), metric)
    assert isinstance(whole, Portioned)
    assert len(whole.strips.each) > 3
    for meeting in whole.strips.meetings(4000):
        portions = [(strip, whole.of_strip(strip)) for strip in meeting.strips]
        joined = whole.emptied().joining(portions)
        assert sum(rows.data.size for _, rows in joined.runs) < X.nnz
        assert np.array_equal(joined.operands(meeting)[-1], whole.operands(meeting)[-1])


def test_memory_is_bounded() -> None:
    n, p = 1500, 400_000
    X, codes = sparse_points(n, p, 1e-4), np.arange(n) % 3
    tracemalloc.start()
    reduce_points(X, codes, (Silhouettes, SingleLinkage), metric="cosine", n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Dense rows would take 4.8 GB.
    assert peak < 1e8


@pytest.mark.full
def test_correlations_of_sparse_rows_keep_their_digits() -> None:
    X = sparse_points(60, 40, 0.3).tolil()
    X[6] = np.arange(1.0, 41.0) + 1e7  # no zero, and far from it
    X[7] = X[6].toarray() + np.eye(40)[3]
    X[8, :39] = 5.0  # one zero
    X[9] = 2 * X[8]
    X[10] = X[8]
    X[10, 4] += 1e-9
    X = X.tocsr()
    everyone = np.arange(60)
    found = SparseRows.of(X, "correlation").between(everyone, everyone)
    exact = [[Fraction(x) for x in row] for row in X.toarray().tolist()]
    for a in range(12):
        for b in range(12):
            x, y = exact[a], exact[b]
            x, y = [v - sum(x) / 40 for v in x], [v - sum(y) / 40 for v in y]
            # Half the squared distance of rows of length one, which loses no digits of near rows.
            lengths = [mp.sqrt(to_mp(sum(v * v for v in z))) for z in (x, y)]
            near = sum(
                (to_mp(v) / lengths[0] - to_mp(w) / lengths[1]) ** 2 for v, w in zip(x, y, strict=True)
            )
            assert found[a, b] == pytest.approx(float(near / 2), rel=1e-9, abs=1e-15)
    assert np.array_equal(found, found.T)


def to_mp(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


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


@pytest.mark.parametrize("metric", METRICS)
def test_sums_are_those_of_the_definition(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = rows_in_clusters(metric)
    D = distances(X.toarray(), metric)
    member = np.eye(8)[codes]
    sums = member.T @ D @ member
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
    np.testing.assert_allclose(found[Silhouettes].values, silhouette_widths(D, codes), atol=1e-11)


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
def test_who_computes_changes_no_digit_of_sums(
    metric: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sparse_sums, "_BLOCK", 1 << 9)
    monkeypatch.setattr(sparse_sums, "_ROWS", 5)
    X, codes = rows_in_clusters(metric)
    runs = digits_of_all(X, codes, SUMS, tmp_path, metric=metric)
    assert runs == {repr(digits(reduce_points(X, codes, SUMS, metric=metric, memory_limit=1 << 16)))}


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
