"""What intervals of clusterings' indices are made of, against numerical derivatives of plain formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linear_sum_assignment

import adjudge
from adjudge import PairCounts
from adjudge.given.labels import Labels
from adjudge.inference.common import score_intervals
from adjudge.inference.common.samples import three_way
from adjudge.inference.common.score_intervals import ScoreBasis
from adjudge.inference.partitions import share_influence
from adjudge.inference.partitions.filled_cells import FilledCells
from adjudge.inference.partitions.overlap_influence import OVERLAPS, overlap_score
from adjudge.inference.partitions.pair_influence import of_two_instances_in_a_difference
from adjudge.inference.partitions.share_influence import SHARES, _least_share, shares_score
from adjudge.inference.refusals import RefusedError
from adjudge.statistics.contingency import Contingency

# No row or column is even, so that each best match is clear.
TABLES = {
    "square": [[180, 12, 3], [9, 260, 14], [6, 5, 130]],
    "wide": [[180, 12, 3, 40], [9, 260, 14, 0], [6, 5, 130, 11]],
    "tall": [[380, 2], [3, 460], [60, 45]],
}
AT_ONE = [[120, 0, 0], [0, 70, 0], [0, 0, 45]]


def matched(weights: np.ndarray) -> float:
    return float(weights[linear_sum_assignment(weights, maximize=True)].sum())


def rescaled(value: float, shape: tuple[int, ...]) -> float:
    return (max(shape) * value - 1) / (max(shape) - 1)


#: Of tables whose counts need not be whole.
PLAIN: dict[str, Callable[[np.ndarray], float]] = {
    "pivoted_accuracy": lambda t: matched(t) / t.sum(),
    "classification_error": lambda t: 1 - matched(t) / t.sum(),
    "normalized_accuracy": lambda t: rescaled(matched(t) / t.sum(), t.shape),
    "adjusted_asymmetric_accuracy": lambda t: (
        (matched(t / t.sum(axis=1, keepdims=True)) - 1) / (max(t.shape) - 1)
    ),
    "purity": lambda t: t.max(axis=0).sum() / t.sum(),
    "inverse_purity": lambda t: t.max(axis=1).sum() / t.sum(),
    "van_dongen": lambda t: 2 * t.sum() - t.max(axis=0).sum() - t.max(axis=1).sum(),
    "larsen_aone": lambda t: float(
        np.mean((2 * t / (t.sum(axis=1)[:, None] + t.sum(axis=0)[None, :])).max(axis=1))
    ),
}


def slopes(index: Callable[[np.ndarray], float], table: list[list[int]]) -> np.ndarray:
    """What an instance of each cell does, against the mean instance."""
    counts = np.array(table, float)
    found = np.zeros(counts.shape)
    for cell in np.ndindex(*counts.shape):
        more = counts.copy()
        more[cell] += 1e-4
        found[cell] = (index(more) - index(counts)) / 1e-4
    return found - (found * counts).sum() / counts.sum()


def overlap(name: str, table: list[list[int]], **parameters: Any) -> ScoreBasis:
    given = Contingency.from_matrix(np.array(table))
    record = adjudge.find_index(name)
    limits = (float(record.range[0]), float(record.range[1]))
    return overlap_score(OVERLAPS[name], given, record(table, **parameters), limits, parameters)


def test_every_index_of_overlaps_is_compared() -> None:
    assert OVERLAPS.keys() == PLAIN.keys()


@pytest.mark.parametrize("shape", TABLES)
@pytest.mark.parametrize("name", PLAIN)
def test_variance_of_overlaps(name: str, shape: str) -> None:
    table = TABLES[shape]
    counts = np.array(table, float)
    found = overlap(name, table)
    n = counts.sum()
    expected = n / (n - 1) * float((counts * slopes(PLAIN[name], table) ** 2).sum())
    assert found.estimate == pytest.approx(PLAIN[name](counts))
    assert found.variance == pytest.approx(expected, rel=1e-3)
    assert math.isnan(found.event)


@pytest.mark.parametrize("name", PLAIN)
def test_what_the_first_misplaced_instance_does_to_overlaps(name: str) -> None:
    """Its labels are drawn apart from each other, and are not those of a cell that has instances."""
    counts = np.array(AT_ONE, float)
    found = overlap(name, AT_ONE)
    apart = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum() ** 2 * (counts == 0)
    steps = slopes(PLAIN[name], AT_ONE)
    assert found.variance == 0
    assert found.event == pytest.approx(
        float((apart * steps**2).sum() / abs((apart * steps).sum())), rel=1e-3
    )


def test_limits_of_overlaps() -> None:
    assert overlap("van_dongen", TABLES["square"]).limits == (0.0, 2.0 * 619)
    assert overlap("van_dongen", TABLES["square"], normalized=True).limits == (0.0, 1.0)
    assert overlap("purity", TABLES["square"]).limits == (0.0, 1.0)


def test_moves_are_shares_of_twice_the_instances_if_asked() -> None:
    moves, share = (overlap("van_dongen", TABLES["square"], normalized=asked) for asked in (False, True))
    twice = 2 * 619
    whole, part = (
        adjudge.confidence_intervals(
            ["van_dongen"], labels_true=TABLES["square"], method="score", normalized=asked
        )["van_dongen"]
        for asked in (False, True)
    )
    assert [part.low, part.high] == pytest.approx([whole.low / twice, whole.high / twice])
    assert share.estimate == pytest.approx(moves.estimate / twice)
    assert share.variance == pytest.approx(moves.variance / twice**2)


@pytest.mark.parametrize("name", ["larsen_aone", "adjusted_asymmetric_accuracy"])
def test_means_over_clusters_know_how_skewed_they_are(name: str) -> None:
    """Under laws with a small cluster of few errors they held in 0.90 of the samples, and missed on one side alone."""
    table = np.array([[60, 3, 1], [2, 40, 0], [0, 5, 12]])
    found = overlap(name, table.tolist())
    influence = slopes(PLAIN[name], table.tolist())
    skewness = stats.skew(np.repeat(influence.ravel(), table.ravel()))
    assert found.slopes == pytest.approx((skewness / math.sqrt(table.sum()),) * 2, rel=1e-3)
    assert abs(skewness) > 1
    assert np.isnan(overlap("purity", table.tolist()).slopes).all()


@pytest.mark.parametrize("name", ["larsen_aone", "adjusted_asymmetric_accuracy"])
def test_means_over_clusters_need_ten_instances_of_each(name: str) -> None:
    assert overlap(name, [[90, 0, 0], [0, 80, 0], [0, 0, 10]]).variance == 0
    with pytest.raises(RefusedError, match=r"one has fewer than 10 instances; about 270 instances"):
        overlap(name, [[90, 0, 0], [0, 80, 0], [0, 0, 9]])


def test_overlaps_of_uncertain_matchings_are_refused() -> None:
    with pytest.raises(RefusedError, match="too uncertain which clusters match"):
        overlap("pivoted_accuracy", [[10, 11, 9], [9, 10, 11], [11, 9, 10]])


@pytest.mark.parametrize("name", ["pair_sets_index", "simplified_pair_sets_index"])
@pytest.mark.parametrize("table", [TABLES["square"], AT_ONE])
def test_pair_sets_have_no_interval(name: str, table: list[list[int]]) -> None:
    found = adjudge.confidence_intervals([name], labels_true=table)[name]
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert "the larger of two cluster sizes has a bend" in found.reason


def other_shares(name: str, beta: float = 1.0) -> Callable[[np.ndarray], float]:
    """Mean share of others that are joined, over instances with others, of counts that need not be whole."""

    def mean(t: np.ndarray, sizes: np.ndarray) -> float:
        others = np.maximum(sizes - 1, 1e-300)
        there = (sizes > 1) & (t > 0)
        return float((t * (t - 1) / others)[there].sum() / t[there].sum())

    def index(t: np.ndarray) -> float:
        rows = np.broadcast_to(t.sum(axis=1)[:, None], t.shape)
        cols = np.broadcast_to(t.sum(axis=0)[None, :], t.shape)
        if name == "element_centric":
            return mean(t, np.maximum(rows, cols))
        precision, recall = mean(t, cols), mean(t, rows)
        if name == "bcubed_f":
            return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        return precision if name == "bcubed_precision" else recall

    return index


def left_out(index: Callable[[np.ndarray], float], table: list[list[int]]) -> float:
    """Jackknife variance: instances of a cell are alike."""
    counts = np.array(table, float)
    n = counts.sum()
    values = np.zeros(counts.shape)
    for cell in zip(*np.nonzero(counts), strict=True):
        fewer = counts.copy()
        fewer[cell] -= 1
        values[cell] = index(fewer)
    mean = (values * counts).sum() / n
    return float((n - 1) / n * (counts * (values - mean) ** 2).sum())


def of_two(table: list[list[int]], axis: int) -> float:
    """Variance of a mean share of others if pairs of instances were independent of each other, by loops."""
    counts = np.array(table, float)
    n = counts.sum()
    total = 0.0
    for group in counts if axis == 1 else counts.T:
        size = group.sum()
        alike = sum(c * (c - 1) for c in group) / (size * (size - 1))
        total += sum(2 * c * (c - 1) / (n * (size - 1)) ** 2 * (1 - alike) for c in group)
    return total


@pytest.mark.parametrize(("name", "axis"), [("bcubed_precision", 0), ("bcubed_recall", 1)])
@pytest.mark.parametrize("shape", TABLES)
def test_variance_of_shares(name: str, axis: int, shape: str) -> None:
    table = TABLES[shape]
    found = shares_score(name, Contingency.from_matrix(np.array(table)), math.nan, (0.0, 1.0), {})
    jackknife = left_out(other_shares(name), table)
    assert found.estimate == pytest.approx(other_shares(name)(np.array(table, float)))
    common = of_two(table, axis)
    assert found.variance == pytest.approx(max(jackknife - common, common), rel=1e-9)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_variance_of_bcubed_f(beta: float) -> None:
    table = TABLES["wide"]
    given = Contingency.from_matrix(np.array(table))
    found = shares_score("bcubed_f", given, math.nan, (0.0, 1.0), {"beta": beta})
    counts = np.array(table, float)
    precision, recall = (other_shares(f"bcubed_{part}")(counts) for part in ("precision", "recall"))
    below = (beta**2 * precision + recall) ** 2
    common = ((1 + beta**2) * recall**2 / below) ** 2 * of_two(table, 0) + (
        (1 + beta**2) * beta**2 * precision**2 / below
    ) ** 2 * of_two(table, 1)
    jackknife = left_out(other_shares("bcubed_f", beta), table)
    assert found.estimate == pytest.approx(other_shares("bcubed_f", beta)(counts))
    assert found.variance == pytest.approx(jackknife - common, rel=1e-9)


def test_every_index_of_shares_is_known() -> None:
    assert set(SHARES) == {"bcubed_precision", "bcubed_recall", "bcubed_f", "element_centric"}


def test_shares_of_instances_that_are_alone_are_refused() -> None:
    """From 36 % on, whatever the rest looks like."""
    for alone, refused in ((7, False), (8, True)):
        table = np.diag([13] + [1] * alone)
        given = Contingency.from_matrix(table)
        if refused:
            with pytest.raises(RefusedError, match="too many instances are alone"):
                shares_score("bcubed_f", given, 1.0, (0.0, 1.0), {})
        else:
            assert shares_score("bcubed_f", given, 1.0, (0.0, 1.0), {}).variance == 0


@pytest.mark.parametrize(
    ("name", "table", "reason"),
    [
        (
            "element_centric",
            [[9, 0, 1, 2], [0, 7, 6, 6]],
            "31 instances in 4 clusters do not tell which of two clusters is the larger one; about 32 instances",
        ),
        (
            "bcubed_f",
            np.diag([13] + [1] * 8).tolist(),
            "too many instances are alone in their clusters, which says nothing about the rest of those clusters; "
            "about 84 instances",
        ),
        (
            "bcubed_f",
            [[40, 0, 1, 0, 0, 0], [0, 39, 0, 0, 0, 0], *[[0] * j + [1] + [0] * (5 - j) for j in (3, 4, 5)]],
            "4 instances are alone in their clusters, and what is not known about them matters more than chance; "
            "about 170 instances",
        ),
    ],
)
def test_how_many_instances_shares_would_need(name: str, table: list[list[int]], reason: str) -> None:
    with pytest.raises(RefusedError) as refused:
        shares_score(name, Contingency.from_matrix(np.array(table)), 0.9, (0.0, 1.0), {})
    assert str(refused.value) == f"no interval: {reason} would be enough"


def test_eight_instances_a_cluster_tell_which_is_larger() -> None:
    table = [[10, 0, 1, 2], [0, 7, 6, 6]]
    found = shares_score("element_centric", Contingency.from_matrix(np.array(table)), 0.5, (0.0, 1.0), {})
    assert found.variance > 0


def test_what_one_strayed_instance_does_to_shares() -> None:
    found = shares_score("bcubed_f", Contingency.from_matrix(np.array(AT_ONE)), 1.0, (0.0, 1.0), {})
    assert (found.estimate, found.variance, found.event) == (1.0, 0.0, 4 / 235)


# --- pairs of instances --------------------------------------------------------------------------------------------


def rand_of(p: PairCounts) -> float:
    return (p.yy + p.nn) / (p.yy + p.yn + p.ny + p.nn)


def jaccard_of(p: PairCounts) -> float:
    return p.yy / (p.yy + p.yn + p.ny)


@pytest.mark.parametrize("formula", [rand_of, jaccard_of, lambda p: p.yy * p.nn, lambda p: p.yn - 2 * p.ny])
@pytest.mark.parametrize("seed", range(3))
def test_variance_of_a_difference_over_independent_pairs(
    formula: Callable[[PairCounts], float], seed: int
) -> None:
    """Each pair of instances has the slope of its kind for one model less that for the other."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (3, 25))
    joined = np.array([[a == b for a, b in combinations(row, 2)] for row in labels.tolist()])

    def slopes_for(model: int) -> np.ndarray:
        kind = 2 * (~joined[0]).astype(int) + ~joined[model]
        counts = np.bincount(kind, minlength=4).astype(float)

        def index(moved: np.ndarray) -> float:
            return formula(SimpleNamespace(**dict(zip(("yy", "yn", "ny", "nn"), moved, strict=True))))

        steps = 1e-4 * np.eye(4)
        slope = [(index(counts + step) - index(counts - step)) / 2e-4 for step in steps]
        return np.array(slope)[kind]

    kernel = slopes_for(1) - slopes_for(2)
    codes = [Labels(row.astype(np.int64), 0, 3, range(3)) for row in labels]
    found = of_two_instances_in_a_difference(three_way(*codes), formula)
    assert found == pytest.approx(((kernel - kernel.mean()) ** 2).sum(), rel=1e-6)


@pytest.mark.parametrize("shape", [(2, 5), (4, 3), (3, 3)])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("bcubed_precision", {}), ("bcubed_recall", {}), *(("bcubed_f", {"beta": b}) for b in (0.5, 1.0, 3.0))],
)
def test_the_least_share_is_that_of_even_cells(
    name: str, parameters: dict[str, float], shape: tuple[int, int]
) -> None:
    even = np.full(shape, 7)
    found = _least_share(name, FilledCells.of(Contingency.from_matrix(even)), parameters)
    assert found == pytest.approx(adjudge.find_index(name)(even, **parameters))
    assert _least_share("element_centric", FilledCells.of(Contingency.from_matrix(even)), {}) == 0.0


@pytest.mark.parametrize("name", ["bcubed_precision", "bcubed_recall", "bcubed_f"])
def test_clusters_within_those_of_the_other_partition_may_have_lost_instances(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stray of n instances does 2 / n, and as many as are unseen add its square to the variance."""
    nested = Contingency.from_matrix(np.array([[10, 8, 0], [0, 0, 12]]))
    found = shares_score(name, nested, math.nan, (0.0, 1.0), {})
    crossing = Contingency.from_matrix(np.array([[10, 8, 0], [0, 1, 12]]))
    other = shares_score(name, crossing, math.nan, (0.0, 1.0), {})
    monkeypatch.setattr(share_influence, "UNSEEN_EVENTS", 0.0)
    without = shares_score(name, nested, math.nan, (0.0, 1.0), {})
    assert shares_score(name, crossing, math.nan, (0.0, 1.0), {}).variance == other.variance > 0
    if name == "bcubed_precision":  # every cluster that was found is pure
        assert (found.variance, found.event) == (0.0, 4 / 30)
        return
    assert found.variance - without.variance == pytest.approx(score_intervals.UNSEEN_EVENTS * (2 / 30) ** 2)
    assert without.variance > 0
    assert math.isnan(found.event)


def test_sizes_of_rows_and_columns_without_cells_are_0() -> None:
    cells = FilledCells(np.array([0, 0]), np.array([1, 0]), np.array([2.0, 3.0]), (3, 4))
    assert cells.row_sums.tolist() == [5.0, 0.0, 0.0]
    assert cells.col_sums.tolist() == [3.0, 2.0, 0.0, 0.0]
    assert (cells.a.tolist(), cells.b.tolist(), cells.total) == ([5.0, 5.0], [2.0, 3.0], 5.0)
    whole = FilledCells.of(Contingency.from_matrix(np.array([[0, 4], [1, 2]])))
    assert (whole.shape, whole.n.tolist(), whole.n.dtype) == ((2, 2), [4.0, 1.0, 2.0], np.float64)


def test_two_instances_tell_nothing_of_shares() -> None:
    """Without one of them the other has nobody beside it."""
    with pytest.raises(RefusedError, match="too many instances are alone"):
        shares_score("bcubed_precision", Contingency.from_matrix(np.array([[2]])), 1.0, (0.0, 1.0), {})
    with pytest.raises(RefusedError, match="too many instances are alone"):
        shares_score("bcubed_recall", Contingency.from_matrix(np.eye(3, dtype=int)), 1.0, (0.0, 1.0), {})


@pytest.mark.parametrize("name", SHARES)
def test_tables_of_four_are_summed_but_for_the_larger_of_two_sizes(name: str) -> None:
    """Near chance. That one has a bend."""
    table = Contingency.from_matrix(np.array([[8, 7], [7, 10]]))
    found = shares_score(name, table, math.nan, (0.0, 1.0), {})
    assert (found.inverted is None) == (name == "element_centric")
    larger = Contingency.from_matrix(np.array([[8, 7, 6], [7, 10, 8]]))
    assert shares_score(name, larger, math.nan, (0.0, 1.0), {}).inverted is None
