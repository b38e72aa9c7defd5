"""Differences of groups of instances, and limits of the agreement of raters, beside their formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjudge import find_index
from adjudge.given.ratings import read_ratings
from adjudge.inference.classes import rater_intervals as raters
from adjudge.inference.classes.rater_intervals import rater_intervals, standard_error
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.differences.groups import compare_independent, compare_shares, newcombe, pooled_z
from adjudge.inference.interval import Interval
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
    values = np.array([record.of(paired.without(unit)) for unit in range(paired.n)])
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
