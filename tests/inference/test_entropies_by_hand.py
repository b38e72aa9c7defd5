"""Estimates of entropies and what their intervals are made of, against plain formulas."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import binom

import adjudge
from adjudge.inference.common.score_intervals import ScoreBasis
from adjudge.inference.partitions.entropy_estimate import EntropyEstimate
from adjudge.inference.partitions.entropy_influence import Entropies, _all_but_largest
from adjudge.inference.refusals import RefusedError
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies

COUNTS = [[9, 5, 3, 3, 2, 2, 2, 1, 1, 1, 1], [6, 4, 2], [5, 3, 1, 1], [7, 3, 1], [20], [3, 3, 2, 1]]
TABLE = [[60, 5, 2, 3], [4, 81, 1, 2], [2, 3, 40, 1]]


def chao_wang_jost(counts: list[int]) -> float:
    """Estimate as Chao, Wang & Jost (2013) print it, with the whole series."""
    n = sum(counts)
    once, twice = counts.count(1), counts.count(2)
    seen = sum(x / n * float(digamma(n) - digamma(x)) for x in counts if x > 0)
    if once == 0:
        return seen
    rate = 2 * twice / ((n - 1) * once + 2 * twice) if twice else 2 / ((n - 1) * (once - 1) + 2)
    if rate >= 1:
        return seen
    series = -math.log(rate) - sum((1 - rate) ** r / r for r in range(1, n))
    return seen + once / n * (1 - rate) ** (1 - n) * series


def without_one(counts: list[int], i: int) -> list[int]:
    return [x - (j == i) for j, x in enumerate(counts)]


@pytest.mark.parametrize("counts", COUNTS)
def test_estimates_and_those_without_an_instance(counts: list[int]) -> None:
    found = EntropyEstimate.of(np.array(counts))
    assert found.value == pytest.approx(chao_wang_jost(counts), abs=1e-8)
    fewer = [chao_wang_jost(without_one(counts, i)) for i in range(len(counts))]
    assert found.without_one == pytest.approx(fewer, abs=1e-8)
    assert (found.once, found.twice) == (counts.count(1), counts.count(2))


@pytest.mark.parametrize("counts", COUNTS)
def test_jackknife_deviations_of_entropies(counts: list[int]) -> None:
    each = np.repeat([chao_wang_jost(without_one(counts, i)) for i in range(len(counts))], counts)
    n = sum(counts)
    expected = math.sqrt((n - 1) * np.mean((each - each.mean()) ** 2))
    assert EntropyEstimate.of(np.array(counts)).deviation(np.array(counts)) == pytest.approx(
        expected, abs=1e-7
    )


def test_what_the_jackknife_has_too_much() -> None:
    """Of the part that is not seen: instances of pairs and of cells with three, less the cells' own spread."""
    counts = COUNTS[0]

    def unseen(once: int, twice: int) -> float:
        n = sum(counts) - 1
        cells = [1] * once + [2] * twice
        seen = sum(x / n * float(digamma(n) - digamma(x)) for x in cells)
        rest = n - sum(cells)
        return chao_wang_jost([*cells, rest]) - seen - rest / n * float(digamma(n) - digamma(rest))

    pairs, threes = unseen(4, 3) - unseen(5, 2), unseen(4, 3) - unseen(4, 4)
    expected = 2 * 3 * pairs**2 + (3 * 2 - 3) * threes**2
    assert EntropyEstimate.of(np.array(counts)).excess == pytest.approx(expected, rel=1e-6)
    assert EntropyEstimate.of(np.array([6, 4])).excess == 0


def score(name: str, table: list[list[int]] = TABLE) -> ScoreBasis:
    given = Contingency.from_matrix(np.array(table))
    record = adjudge.find_index(name)
    limits = (float(record.range[0]), float(record.range[1]))

    def formula(entropies: PartitionEntropies) -> float:
        return float(record.assess(entropies)[0])

    return Entropies.of(given).score(name, formula, limits, float(record(table)), record.best)


def linear_jackknife(weights: tuple[int, int, int], table: list[list[int]]) -> tuple[float, float]:
    """Jackknife variance of a sum of the three entropies, and what it has too much."""
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) if n]
    counts = np.array([table[i][j] for i, j in cells])

    def parts(t: np.ndarray) -> list[list[int]]:
        return [t.sum(axis=1).tolist(), t.sum(axis=0).tolist(), t[t > 0].tolist()]

    def value(t: np.ndarray) -> float:
        return sum(w * chao_wang_jost(part) for w, part in zip(weights, parts(t), strict=True))

    values = []
    for cell in cells:
        fewer = np.array(table)
        fewer[cell] -= 1
        values.append(value(fewer))
    n = counts.sum()
    spread = np.array(values) - counts @ np.array(values) / n
    excess = sum(
        w**2 * EntropyEstimate.of(np.array(part)).excess
        for w, part in zip(weights, parts(np.array(table)), strict=True)
    )
    return (n - 1) / n * float(counts @ spread**2), excess


@pytest.mark.parametrize(
    ("name", "weights"), [("variation_of_information", (-1, -1, 2)), ("mutual_information", (1, 1, -1))]
)
def test_variance_of_sums_of_entropies(name: str, weights: tuple[int, int, int]) -> None:
    found = score(name)
    jackknife, excess = linear_jackknife(weights, TABLE)
    assert 0 < excess < jackknife / 2
    parts = (np.sum(TABLE, axis=1), np.sum(TABLE, axis=0), np.ravel(TABLE))
    estimate = sum(w * chao_wang_jost(part.tolist()) for w, part in zip(weights, parts, strict=True))
    assert found.estimate == pytest.approx(estimate, abs=1e-7)
    assert found.variance == pytest.approx(jackknife - excess, rel=1e-5)


def test_variance_of_a_ratio_of_entropies() -> None:
    """NMI's slopes are those of 2 (H + G - J) / (H + G)."""
    true, pred, joint = (
        chao_wang_jost(np.ravel(part).tolist())
        for part in (np.sum(TABLE, axis=1), np.sum(TABLE, axis=0), np.ravel(TABLE))
    )
    slopes = (2 * joint / (true + pred) ** 2,) * 2 + (-2 / (true + pred),)
    found = score("nmi")
    jackknife, excess = linear_jackknife(slopes, TABLE)  # type: ignore[arg-type]
    assert found.estimate == pytest.approx(2 * (true + pred - joint) / (true + pred), abs=1e-7)
    assert found.variance == pytest.approx(jackknife - excess, rel=1e-4)


@pytest.mark.parametrize(
    "name", ["entropy_true", "entropy_pred", "joint_entropy", "mutual_information", "nmi"]
)
def test_intervals_of_transposed_tables(name: str) -> None:
    turned = {"entropy_true": "entropy_pred", "entropy_pred": "entropy_true"}.get(name, name)
    one, other = score(name), score(turned, np.transpose(TABLE).tolist())
    for fact in ("estimate", "variance", "event"):
        assert getattr(one, fact) == pytest.approx(getattr(other, fact), rel=1e-6, nan_ok=True)
    assert one.ends == pytest.approx(other.ends)
    assert one.limits == pytest.approx(other.limits)


def test_ends_of_entropies() -> None:
    """As many clusters as there may be have at most the logarithm of their number, and one may be overlooked."""
    n, r, c = int(np.sum(TABLE)), 3, 4
    share = 5.3 / n
    room = -share * math.log(share * c) - (1 - share) * math.log1p(-share)
    largest = {
        "entropy_true": math.log(r),
        "entropy_pred": math.log(c),
        "joint_entropy": math.log(r * c),
        "mutual_information": math.log(r),
        "variation_of_information": math.log(r * c),
    }
    for name, end in largest.items():
        assert score(name).ends == pytest.approx((0.0, end + room))
    assert score("nmi").ends == (0.0, 1.0)


def test_entropy_of_one_partition_needs_ten_instances_a_cluster() -> None:
    enough = np.diag([10, 10, 10, 10]).tolist()
    assert score("entropy_true", enough).variance > 0
    few = np.diag([10, 10, 10, 9]).tolist()
    with pytest.raises(RefusedError, match=r"too few instances for 4 clusters.* about 40 instances"):
        score("entropy_true", few)


def test_entropy_of_even_clusters_turns_back() -> None:
    """There it lacks a chi-square with K - 1 degrees of freedom over 2 n."""
    n, k = 200, 4
    found = score("entropy_true", np.diag([n // k] * k).tolist())
    assert found.turns is not None
    turn = found.turns[1]
    assert turn is not None
    assert turn.value == pytest.approx(math.log(k))
    assert turn.variance == pytest.approx(2 * (k - 1) / (2 * n) ** 2)
    assert found.variance == pytest.approx((k - 1) / (2 * n * n))


def test_information_of_independent_partitions_turns_back() -> None:
    """2 n times it is a chi-square with (R - 1)(C - 1) degrees of freedom."""
    table = [[20, 40, 60], [10, 20, 30]]
    n = 180
    for name in ("mutual_information", "nmi"):
        found = score(name, table)
        assert found.turns is not None
        turn = found.turns[0]
        assert turn is not None
        assert turn.value == pytest.approx(0, abs=1e-9)
        times = 1.0 if name == "mutual_information" else 2 / sum(
            -sum(p * math.log(p) for p in shares)
            for shares in ((120 / n, 60 / n), (30 / n, 60 / n, 90 / n))
        )  # fmt: skip
        assert turn.variance == pytest.approx(2 * 2 * (times / (2 * n)) ** 2, rel=1e-3)


def test_tables_of_single_instances_are_refused() -> None:
    with pytest.raises(RefusedError, match="too few instances for 6 x 6 clusters"):
        score("nmi", (np.eye(6, dtype=int) + np.roll(np.eye(6, dtype=int), 1, axis=1)).tolist())


def test_joint_entropy_of_even_cells_turns_back() -> None:
    """Theory tells the form with five instances a cell; with fewer, other laws are looked at."""
    for each, known in ((5, True), (4, False)):
        found = score("joint_entropy", np.full((3, 4), each).tolist())
        low, high = found.turns
        assert low is None
        assert high is not None
        assert high.value == pytest.approx(math.log(12))
        assert high.variance == pytest.approx(11 / (2 * (12 * each) ** 2))
        assert math.isnan(high.observed) is not known


@pytest.mark.parametrize(
    ("name", "sign", "end"), [("joint_entropy", 1, 2 * math.log(3)), ("mutual_information", -1, 0)]
)
def test_identical_partitions_have_the_entropy_of_one_and_may_change_by_an_instance(
    name: str, sign: int, end: float
) -> None:
    table = [[50, 0, 0], [0, 30, 0], [0, 0, 20]]
    found, of_one = score(name, table), score("entropy_true", table)
    one = (math.log(100) + math.log(6) + 1) / 100
    assert found.unseen is not None
    assert found.unseen.event == pytest.approx(sign * one)
    assert found.unseen.end == pytest.approx(end, abs=0.2)
    assert replace(found, unseen=None) == of_one
    assert of_one.unseen is None


def test_identical_partitions_of_small_clusters_may_have_any_entropy() -> None:
    """With fewer than ten instances a cluster the entropy of one partition has no interval to start from."""
    found = score("joint_entropy", [[4, 0], [0, 5]])
    one = (math.log(9) + math.log(2) + 1) / 9
    assert found.unseen is None
    assert found.variance == pytest.approx(one**2)


@pytest.mark.parametrize(
    ("name", "weights"), [("joint_entropy", (0, 0, 1)), ("mutual_information", (1, 1, -1))]
)
def test_misplaced_instances_tell_the_variance_themselves(name: str, weights: tuple[int, int, int]) -> None:
    """One more in a cell that was not drawn was taken for at least as much, however many there are."""
    table = [[9, 2, 0, 0], [0, 8, 0, 0], [0, 0, 7, 0], [2, 0, 0, 6]]
    jackknife, excess = linear_jackknife(weights, table)
    event = (math.log(34) + math.log(10) + 1) / 34
    assert event**2 > jackknife
    assert score(name, table).variance == pytest.approx(jackknife - excess)
    # Of fewer than 25 instances it still is.
    few = [[4, 1, 0], [1, 5, 1], [0, 1, 6]]
    assert score(name, few).variance >= ((math.log(19) + math.log(2) + 1) / 19) ** 2


@pytest.mark.parametrize("name", ["joint_entropy", "mutual_information", "russell_rao"])
@pytest.mark.parametrize("share", [0.25, 0.3])
def test_identical_partitions_are_not_covered_always(name: str, share: float) -> None:
    """No instance is misplaced: that some may be made both sides longer, and 0.99 of the samples were covered."""
    n = 120
    firsts = np.arange(3, n - 2)
    weights = binom.pmf(firsts, n, share)
    truth = -share * math.log(share) - (1 - share) * math.log(1 - share)
    if name == "russell_rao":
        truth = share**2 + (1 - share) ** 2
    held = [truth in adjudge.confidence_interval(name, [[k, 0], [0, n - k]]) for k in firsts.tolist()]
    assert 0.92 < weights @ held / weights.sum() < 0.98


@pytest.mark.parametrize(("k", "enough"), [(6, 14), (60, 180)])
def test_how_many_instances_would_be_enough(k: int, enough: int) -> None:
    """Twice as many, or one for every twenty combinations that were not drawn."""
    with pytest.raises(RefusedError, match=rf"about {enough} instances would be enough"):
        score("nmi", [*np.roll(np.eye(k, dtype=int), 1, axis=1).tolist()[:-1], [1] * 2 + [0] * (k - 2)])


@pytest.mark.parametrize("name", ["entropy_true", "entropy_pred"])
@pytest.mark.parametrize("n", [25, 30, 100])
def test_the_entropy_of_two_clusters_is_covered_whatever_their_shares(name: str, n: int) -> None:
    """All samples with their probabilities: with shares of 0.3 and 0.7 the intervals of 30 instances held in 0.885."""
    ends = []
    for first in range(1, n):
        table = np.array([[first // 2, first - first // 2], [(n - first) // 2, n - first - (n - first) // 2]])
        ends.append(adjudge.confidence_interval(name, table if name == "entropy_true" else table.T))
    for share in np.linspace(0.1, 0.5, 81):
        entropy = -(share * math.log(share) + (1 - share) * math.log(1 - share))
        weights = binom.pmf(np.arange(1, n), n, share)
        held = [low - 1e-12 <= entropy <= high + 1e-12 for low, high in ends]
        assert weights @ held / weights.sum() > 0.92, share


def of_shares(p: np.ndarray) -> tuple[float, float]:
    """Entropy, and variance of the logarithm of a share."""
    return float(-p @ np.log(p)), float(p @ np.log(p) ** 2 - (p @ np.log(p)) ** 2)


@pytest.mark.parametrize("sizes", [[60, 30, 10], [40, 30, 20, 10], [90, 15, 14]])
def test_the_variance_of_an_entropy_changes_as_along_powers_of_its_law(sizes: list[int]) -> None:
    table, n, k = np.diag(sizes).tolist(), sum(sizes), len(sizes)
    found = score("entropy_true", table)
    jackknife, excess = linear_jackknife((1, 0, 0), table)
    of_even = (k - 1) / (2 * n * n)
    assert found.variance == pytest.approx(max(jackknife - excess - of_even, of_even), rel=1e-5)
    tilted = [np.array(sizes) ** (1 + t) / sum(np.array(sizes) ** (1 + t)) for t in (1e-4, -1e-4)]
    (ahead, more), (behind, less) = (of_shares(p) for p in tilted)
    slope = (more - less) / n / (ahead - behind)
    assert found.slopes[0] == pytest.approx(slope / math.sqrt(found.variance), rel=1e-4)
    assert math.isnan(found.slopes[1])
    low, high = found.turns
    assert low is None
    assert high is not None
    assert high.value == pytest.approx(math.log(k))
    assert high.variance == pytest.approx(2 * (k - 1) / (2 * n) ** 2)
    assert found.estimate == pytest.approx(chao_wang_jost(sizes), abs=1e-7)


def test_the_entropy_of_two_clusters_is_that_of_a_share() -> None:
    found = score("entropy_true", [[30, 0], [0, 10]])
    assert (found.estimate, found.variance) == (0.25, 0.25 * 0.75 / 40)
    assert (found.limits, found.ends) == ((0.0, 1.0), (0.0, 0.5))
    assert math.isnan(found.event)
    assert found.back is not None
    assert found.back(0.25) == pytest.approx(-0.25 * math.log(0.25) - 0.75 * math.log(0.75), rel=1e-15)
    assert math.log(2) < found.back(0.5) < math.log(2) + 1e-11  # an interval that ends there holds log 2
    assert (found.back(0.0), found.back(1.0)) == (0.0, 0.0)


@pytest.mark.parametrize("turned", [False, True])
def test_with_one_cluster_the_information_is_its_entropy(turned: bool) -> None:
    """One of n instances may be in a cluster that was not drawn."""
    table = [[7], [5]] if turned else [[7, 5]]
    alone, other = ("entropy_pred", "entropy_true") if turned else ("entropy_true", "entropy_pred")
    found = score("mutual_information", table)
    assert found == score(alone, table)
    assert (found.estimate, found.variance, found.event) == (0.0, 0.0, 1 / 12)
    with pytest.raises(RefusedError, match="too few instances for 2 clusters"):
        score(other, table)
    with pytest.raises(RefusedError, match=r"^no interval: a partition has one cluster"):
        score("nmi", table)
    assert score(alone, [[3]]).event == 1 / 3


def test_neither_partition_has_more_entropy_than_both_or_less_than_their_information() -> None:
    """Three deviations of theirs are the limits; the others lie a quarter of the range beyond the ends."""
    sides = [np.sum(TABLE, axis=1), np.sum(TABLE, axis=0)]
    parts = [(own.value, own.deviation(sizes)) for own, sizes in ((EntropyEstimate.of(s), s) for s in sides)]
    for name in ("joint_entropy", "mutual_information", "variation_of_information", "nmi"):
        found = score(name)
        low, high = found.ends
        room = (high - low) / 4
        wanted = {
            "joint_entropy": (max(value - 3 * deviation for value, deviation in parts), high + room),
            "mutual_information": (low - room, min(value + 3 * deviation for value, deviation in parts)),
            "variation_of_information": (low, high + room),  # identical partitions lie at 0
            "nmi": (low - room, high),
        }
        assert found.limits == pytest.approx(wanted[name]), name


def test_the_distance_from_where_identical_partitions_lie() -> None:
    near = Entropies._near_best
    assert near("joint_entropy", 0.7, (0.5, 2.0), None) == pytest.approx(0.2)
    assert near("mutual_information", 0.7, (0.5, 2.0), None) == pytest.approx(1.3)
    assert near("nmi", 0.7, (-0.25, 1.0), 1.0) == pytest.approx(0.3)
    assert near("variation_of_information", 0.7, (0.0, 2.0), 0.0) == pytest.approx(0.7)
    assert near("entropy_true", 0.7, (0.0, 2.0), None) == math.inf


def test_all_cells_of_a_group_but_one_with_the_most_instances() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        groups, counts = rng.integers(0, 4, 12), rng.integers(1, 5, 12)
        found = _all_but_largest(groups, counts)
        for group in set(groups.tolist()):
            left = counts[(groups == group) & ~found]
            assert left.tolist() == [counts[groups == group].max()]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("table", "cell"),
    [
        ([[10, 8, 0], [0, 0, 12]], None),
        ([[10, 8, 0], [0, 1, 12]], (1, 1)),
        ([[10, 8, 1], [0, 0, 12]], (0, 2)),
        ([[10, 8, 0], [0, 2, 12]], "more"),
        ([[10, 8, 1], [0, 1, 12]], "more"),
    ],
)
def test_the_variance_of_a_stray(table: list[list[int]], cell: object, turned: bool) -> None:
    """Of one that was not seen, or of the one that was; two or more tell it themselves."""
    given = Contingency.from_matrix(np.transpose(table) if turned else np.array(table))
    rows, cols, _ = given.cells()
    influence = 1.0 + np.arange(rows.size)
    if isinstance(cell, tuple):
        row, col = cell[::-1] if turned else cell
        wanted = float(influence[(rows == row) & (cols == col)][0]) ** 2
    else:
        wanted = 0.3**2 if cell is None else 0.0
    assert Entropies.of(given)._of_few_strays(influence, 0.3) == pytest.approx(wanted)


def test_two_clusters_by_two_near_chance_are_judged_by_all_tables() -> None:
    """The estimates are brought into the range that entropies of such tables have."""
    table = [[8, 7], [7, 9]]
    found = score("mutual_information", table)
    parts = [
        chao_wang_jost(np.ravel(own).tolist())
        for own in (np.sum(table, axis=1), np.sum(table, axis=0), table)
    ]
    true, pred = (min(own, math.log(2)) for own in parts[:2])
    joint = min(max(parts[2], true, pred), true + pred)
    assert found.estimate == pytest.approx(true + pred - joint, abs=1e-7)
    assert found.inverted is not None
    tables = np.array([[8, 7, 7, 9], [1, 2, 3, 4], [5, 0, 2, 6]], float)
    informed = []
    for own in tables.reshape(-1, 2, 2) / tables.sum(axis=1)[:, None, None]:
        both = np.outer(own.sum(axis=1), own.sum(axis=0))
        informed.append(sum(p * math.log(p / q) for p, q in zip(own.ravel(), both.ravel(), strict=True) if p))
    assert found.inverted.index.of_tables(tables) == pytest.approx(informed)
