"""Differences of groups of instances, limits of the agreement of raters, and groups of models that are alike."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom

import adjudge
from adjudge import find_index
from adjudge.errors import InputError
from adjudge.given.labels import Labels
from adjudge.given.ratings import read_ratings
from adjudge.given.score_table import ScoreTable
from adjudge.inference.classes import rater_intervals as raters
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.classes.rater_intervals import rater_intervals, standard_error
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.common.samples import three_way
from adjudge.inference.data_sets.rank_comparison import alike_groups, pairwise_tests
from adjudge.inference.differences import head_to_head
from adjudge.inference.differences.groups import (
    compare_independent,
    compare_shares,
    newcombe,
    pooled_z,
    summed_p_value,
)
from adjudge.inference.differences.head_to_head import assess_classifiers, assess_clusterings, takes_long
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.intervals import clustering_intervals
from adjudge.statistics import Agreement
from adjudge.statistics.ratings import RatingCounts

# --- groups --------------------------------------------------------------------------------------------------------

GROUPS = [((56, 70), (48, 80)), ((9, 10), (3, 10)), ((0, 4), (5, 5)), ((5, 5), (0, 4)), ((3, 7), (3, 7))]


@pytest.mark.parametrize(("one", "other"), GROUPS)
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_differences_of_shares(one: tuple[int, int], other: tuple[int, int], confidence: float) -> None:
    z = normal_quantile(confidence)
    p, q = one[0] / one[1], other[0] / other[1]
    (low1, high1), (low2, high2) = wilson(p, one[1], z), wilson(q, other[1], z)
    low = max(-1.0, p - q - math.hypot(p - low1, high2 - q))
    high = min(1.0, p - q + math.hypot(high1 - p, q - low2))
    assert newcombe(*one, *other, confidence) == pytest.approx((low, high))
    found = compare_shares(one, other, confidence)
    assert found.interval == Interval(*newcombe(*one, *other, confidence), confidence, "newcombe")
    assert found.test is not None
    assert found.test.method == "pooled z"
    assert (found.test.reason or "z is not normal").startswith("z is not normal")
    assert found.test.hypothesis == "the expected scores of both groups are the same"
    assert math.isnan(found.test.statistic)
    # The z test is the chi-square test without correction.
    table = [[one[0], one[1] - one[0]], [other[0], other[1] - other[0]]]
    chi2 = stats.chi2_contingency(table, correction=False)
    assert found.test.p_value == pytest.approx(chi2.pvalue)
    assert pooled_z(*one, *other)[0] == pytest.approx(math.copysign(math.sqrt(chi2.statistic), p - q))


@pytest.mark.parametrize(("one", "other"), [((0, 4), (0, 9)), ((4, 4), (9, 9))])
def test_no_test_where_all_are_right_or_none(one: tuple[int, int], other: tuple[int, int]) -> None:
    found = compare_shares(one, other, 0.95)
    assert found.test is not None
    assert math.isnan(found.test.p_value)
    assert found.test.reason == "all are right, or none"
    assert found.interval.low == pytest.approx(-found.interval.high, abs=0.3)


def test_scores_of_groups_are_compared_by_their_intervals() -> None:
    found = compare_independent(0.8, (0.7, 0.85), 0.5, (0.4, 0.65), 0.9)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (0.3 - math.hypot(0.1, 0.15), 0.3 + math.hypot(0.05, 0.1))
    )
    assert (found.interval.confidence, found.interval.method) == (0.9, "mover")
    assert found.test is not None
    assert found.test.hypothesis == "the expected scores of both groups are the same"
    # It ends at 0 at the confidence of 1 less the p-value.
    z = normal_quantile(0.9) * 0.3 / math.hypot(0.1, 0.15)
    assert found.test.p_value == pytest.approx(2 * stats.norm.sf(z))


# --- raters --------------------------------------------------------------------------------------------------------

NAMES = ("raters_agreement", "fleiss_kappa", "raters_ac1", "krippendorff_alpha")


def counted(ratings: list[list[Any]]) -> RatingCounts:
    return RatingCounts.make(read_ratings(ratings))


def drawn(n: int, missing: float, *, alike: float = 0.5, seed: int = 0) -> list[list[Any]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    said = np.where(rng.random((n, 3)) < alike, truth[:, None], rng.integers(0, 3, (n, 3)))
    return np.where(rng.random((n, 3)) < missing, None, said).tolist()


def error_of(name: str, counts: RatingCounts, *, jackknife: bool) -> float:
    record = find_index(name)
    if not jackknife:
        return standard_error(record, counts)
    paired = counts.paired
    values = np.array([record.of(paired.take(np.arange(paired.n) != unit)) for unit in range(paired.n)])
    return math.sqrt((paired.n - 1) / paired.n * ((values - values.mean()) ** 2).sum())


@pytest.mark.parametrize("n", [2, 3, 20, 200, 201])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_limits_of_the_agreement_of_raters(n: int, missing: float) -> None:
    """Of the logarithm of 1 - value; by the jackknife for Krippendorff's alpha of up to 200 units."""
    ratings = [["a", "a", "b"], ["b", "b", "b"]] if n == 2 else drawn(n, missing, seed=n)
    # The last unit is rated once if any is.
    counts = counted(ratings + ([[0 if n > 2 else "a", None, None]] if missing else []))
    units = int(counts.several.sum())
    for name, own in rater_intervals(map(find_index, NAMES), counts, 0.9).items():
        jackknife = name == "krippendorff_alpha" and units <= 200
        record = find_index(name)
        value, error = record.of(counts), error_of(name, counts, jackknife=jackknife)
        assert own.method == ("jackknife" if jackknife else "linearised")
        if math.isnan(error):
            assert own.reason is not None
            continue
        half = stats.t.ppf(0.95, units - 1) * error
        least = max(float(record.range[0]), -1.0 if counts.several.all() else -math.inf)
        low, high = (1 - (1 - value) * math.exp(sign * half / (1 - value)) for sign in (1, -1))
        assert (own.low, own.high) == pytest.approx((max(least, low), high)), name


def test_the_least_agreement_of_units_that_several_have_rated_is_minus_one() -> None:
    """Units that one rater has rated change the shares by chance: then there is no such bound."""
    ratings: list[list[Any]] = [["a", "b"], ["b", "a"], ["a", "b"], ["a", "a"], ["b", "b"]]
    record = find_index("fleiss_kappa")
    found = rater_intervals([record], counted(ratings), 0.999)["fleiss_kappa"]
    assert found.low == -1.0
    beside = rater_intervals([record], counted([*ratings, ["a", None]]), 0.999)["fleiss_kappa"]
    assert beside.low < -1.0


@pytest.mark.parametrize("name", ["raters_agreement", "fleiss_kappa", "raters_ac1", "krippendorff_alpha"])
def test_slopes_of_agreement_add_up_to_nothing(name: str) -> None:
    """Weights that grow together change no mean and no share; but alpha is 1 - (N - 1) / N times a ratio of means."""
    for missing in (0.0, 0.3):
        counts = counted(drawn(40, missing))
        record = find_index(name)
        expected = 0.0
        if name == "krippendorff_alpha":
            expected = -(1 - record.of(counts)) / (float(counts.paired.count.sum()) - 1)
        assert float(raters._slopes(record, counts).sum()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("others", "alike", "refused"), [(29, 200, True), (30, 200, False), (29, 40, False)])
def test_a_rare_category_needs_thirty_units(others: int, alike: int, refused: bool) -> None:
    """Refused if one category has more than 80 % of the ratings: but agreement and AC1 do not hang on it."""
    counts = counted([["a", "a"]] * alike + [["a", "b"]] * (others - 5) + [["b", "b"]] * 5)
    assert (counts.shares.max() > 0.8) == (alike == 200)
    for name, own in rater_intervals(map(find_index, NAMES), counts).items():
        assert math.isnan(own.low) == (refused and name in ("fleiss_kappa", "krippendorff_alpha")), name
        if math.isnan(own.low):
            assert own.reason is not None
            assert own.reason.startswith("one category has more than 80 % of the ratings, and fewer than 30")


def test_an_undefined_index_says_nothing_of_its_interval() -> None:
    found = rater_intervals([find_index("fleiss_kappa")], counted([["a", "a"], ["a", "a"]]))["fleiss_kappa"]
    assert math.isnan(found.low)
    assert found.reason is None


def every_z(n: int, m: int) -> np.ndarray:
    z = np.array([[pooled_z(x, n, y, m)[0] for y in range(m + 1)] for x in range(n + 1)])
    return np.abs(np.nan_to_num(z))


def chances(n: int, m: int, share: float) -> np.ndarray:
    return np.outer(binom.pmf(np.arange(n + 1), n, share), binom.pmf(np.arange(m + 1), m, share))


@pytest.mark.parametrize(("n", "m"), [(3, 40), (40, 3), (9, 9), (17, 25)])
def test_summed_p_values_are_those_of_all_pairs_of_counts(n: int, m: int) -> None:
    z = every_z(n, m)
    generator = np.random.default_rng(n)
    for x, y in zip(
        generator.integers(0, n + 1, 20).tolist(), generator.integers(0, m + 1, 20).tolist(), strict=True
    ):
        if 0 < x + y < n + m and z[x, y] > 0:
            expected = chances(n, m, (x + y) / (n + m))[z >= z[x, y] - 1e-9].sum()
            assert summed_p_value(x, n, y, m) == pytest.approx(expected, rel=1e-9)


def test_of_many_instances_both_p_values_are_the_same() -> None:
    counts = 51_000, 100_000, 250_900, 500_000
    assert summed_p_value(*counts) == pytest.approx(pooled_z(*counts)[1], rel=0.01)
    assert math.isnan(summed_p_value(5, 5, 7, 7))


@pytest.mark.full
@pytest.mark.parametrize(("n", "m"), [(3, 30), (5, 50), (8, 8), (10, 200)])
def test_what_is_noted_of_small_groups_holds_its_level(n: int, m: int) -> None:
    """The normal p-value rejects in up to 8 % of the samples of equally good groups."""
    sizes, of_normal = [], []
    for share in (0.5, 0.7, 0.9, 0.97):
        likely = chances(n, m, share)
        rejected = [(x, y) for x, y in np.ndindex(likely.shape) if pooled_z(x, n, y, m)[1] < 0.05]
        of_normal.append(sum(likely[pair] for pair in rejected))
        sizes.append(sum(likely[x, y] for x, y in rejected if summed_p_value(x, n, y, m) < 0.05))
    assert max(sizes) < 0.056
    assert max(of_normal) > 0.056 or n == 10


def test_a_small_group_has_a_note() -> None:
    found = compare_shares((3, 5), (47, 50), 0.95).test
    assert found is not None
    assert found.p_value == pooled_z(3, 5, 47, 50)[1] < 0.013
    assert "few instances: p = 0.029 if all counts are summed" in str(found.reason)
    plain = compare_shares((300, 500), (330, 500), 0.95).test
    assert plain is not None
    assert plain.reason is None


@pytest.mark.parametrize("seed", range(12))
def test_groups_of_models_that_are_alike_by_trying_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in rng.permutation(6)]
    alike = {frozenset(pair) for pair in combinations(names, 2) if rng.random() < 0.15 * (seed % 6 + 1)}

    def fits(group: tuple[str, ...]) -> bool:
        return all(frozenset(pair) in alike for pair in combinations(group, 2))

    found = [list(g) for size in range(2, 7) for g in combinations(names, size) if fits(g)]
    largest = [g for g in found if not any(set(g) < set(other) for other in found)]
    expected = sorted(largest, key=lambda g: [names.index(name) for name in g])
    assert alike_groups(names, alike) == expected


def labels(codes: list[int]) -> Labels:
    size = max(codes) + 1
    return Labels(np.array(codes), 0, size, range(size))


def test_classifiers_are_tested_once_a_pair() -> None:
    """Both orders have the same test, with its p-value corrected for all pairs."""
    cells = {("a", "b"): (50, 12, 5, 5), ("b", "c"): (52, 3, 9, 8), ("a", "c"): (55, 9, 2, 6)}
    agreements = {}
    for (p, q), (br, rw, wr, bw) in cells.items():
        agreements[p, q], agreements[q, p] = Agreement(br, rw, wr, bw), Agreement(br, wr, rw, bw)
    found = assess_classifiers(agreements, 0.9)
    assert found.keys() == agreements.keys()
    raw = [adjudge.inference.mcnemar_test(agreements[pair]).p_value for pair in cells]
    adjusted = adjudge.inference.adjust_p_values(raw)
    for pair, p, corrected in zip(cells, raw, adjusted, strict=True):
        for order in (pair, pair[::-1]):
            told = found[order].tested
            assert told["p_value"] == p
            assert told["adjusted_p_value"] == corrected
            assert (told["name"], told["method"], told["reason"]) == ("McNemar's test", "mid-p", None)
            assert told["hypothesis"] == adjudge.inference.mcnemar_test(agreements[pair]).hypothesis
            assert {interval.confidence for interval in found[order].intervals.values()} == {0.9}
        one, other = (found[order].intervals["comparative_deviation"] for order in (pair, pair[::-1]))
        assert [one.low, one.high] == pytest.approx([-other.high, -other.low])


def test_clusterings_are_tested_once_a_pair() -> None:
    g, p, q = np.random.default_rng(0).integers(0, 3, (3, 60)).tolist()
    samples = {("p", "q"): three_way(labels(g), labels(p), labels(q))}
    samples["q", "p"] = samples["p", "q"].swapped()
    found = assess_clusterings(samples, 0.8)
    told = [found[pair].tested for pair in samples]
    assert told[0] == told[1]
    assert told[0]["name"] == "Test of equal Rand indices"
    assert told[0]["p_value"] == pytest.approx(adjudge.inference.equal_goodness_test(g, p, q).p_value)
    one, other = (found[pair].intervals["comparative_deviation"] for pair in samples)
    assert [one.low, one.high] == pytest.approx([-other.high, -other.low])
    assert one.confidence == 0.8


def test_many_combinations_of_clusters_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the truth and two clusterings there are at most as many as clusters multiply, or instances."""
    truth = labels([0, 1, 2, 3] * 5)
    two, three, five = labels([0, 1] * 10), labels([0, 1, 2, 2] * 5), labels([0, 1, 2, 3, 4] * 4)
    for clusterings, n in (([two, three], 20), ([two, two], 16), ([two, three, five], 60), ([two], 0)):
        for most, long in ((n, False), (n - 1, True)):
            monkeypatch.setattr(head_to_head, "MOST_CELLS", most)
            assert takes_long(truth, clusterings) is long


def test_pairs_of_models_as_a_table() -> None:
    rows = np.random.default_rng(0).normal([0, 0, 2], 1, (12, 3))
    found = pairwise_tests(ScoreTable.of(range(12), "abc", rows, "higher"))
    assert len(found) == 3 == len(list(found))
    assert repr(found).startswith("Pairs of models: ranks, shaffer")
    assert "<table" in found._repr_html_()
    assert found.table().columns == ("first", "second", "data sets", "statistic", "p", "p (adjusted)")
    shown = [row[5] for row in found.table().rows]
    assert shown == sorted(shown)
    assert (
        {row[:2] for row in found.table().rows[:2]} == {("a", "c"), ("b", "c")} == set(found.different(0.05))
    )
    against = pairwise_tests(ScoreTable.of(range(12), "abc", rows, "higher"), control="c")
    assert repr(against).startswith("Pairs of models: ranks, holm, each against c")
    with pytest.raises(KeyError):
        against["a", "b"]
    assert math.isclose(against["a", "c"], against["c", "a"])


def test_intervals_of_comparisons_are_those_of_their_kind() -> None:
    g, p, q = np.random.default_rng(1).integers(0, 3, (3, 40))
    of_clusterings = adjudge.inference.comparison_intervals(g, p, q, kind="clustering", confidence=0.9)
    assert of_clusterings == clustering_intervals(g, p, q, confidence=0.9)
    drawn = {"method": "percentile", "n_resamples": 9, "random_state": 3}
    assert adjudge.inference.comparison_intervals(
        g, p, q, kind="clustering", **drawn
    ) == clustering_intervals(g, p, q, **drawn)
    right, other = p == g, q == g
    counts = [int(np.sum(cell)) for cell in (right & other, right & ~other, ~right & other, ~right & ~other)]
    of_classifiers = adjudge.inference.comparison_intervals(g, p, q, kind="classification", confidence=0.9)
    assert of_classifiers == classification_intervals(Agreement(*counts), confidence=0.9)
    with pytest.raises(InputError, match=r"^kind='nonsense'"):
        adjudge.inference.comparison_intervals(g, p, q, kind="nonsense")
