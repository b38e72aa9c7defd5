"""Areas under ROC curves, their errors and their differences, beside sums over pairs of instances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import interval_twin as twin
from adjudge import find_index
from adjudge.errors import InputError
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts.auc import Placements, auc_interval, compare_areas, placements
from adjudge.inference.forecasts.forecast_influence import ScoredForecasts
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.forecasts import read_forecasts

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, 40)
#: Two models, whose scores tie.
SCORES = [np.round(TRUTH * shift + RNG.normal(size=40), 1) for shift in (0.6, 1.2)]


def wins(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether each instance of the class has a larger score than each other; half if they tie."""
    one, other = scores[truth == 1][:, None], scores[truth == 0][None, :]
    return np.asarray((one > other) + (one == other) / 2)


def covariance(first: np.ndarray, second: np.ndarray) -> float:
    """DeLong's: of the mean wins of each instance, class by class."""
    found = 0.0
    for axis in (0, 1):
        one, other = first.mean(axis=axis), second.mean(axis=axis)
        found += float(np.cov(one, other)[0, 1]) / one.size
    return found


def placed(scores: np.ndarray, truth: np.ndarray = TRUTH) -> Placements:
    return placements(read_forecasts(truth, scores=scores))


def test_areas_and_covariances() -> None:
    first, second = map(placed, SCORES)
    one, other = (wins(scores, TRUTH) for scores in SCORES)
    assert (first.area, second.area) == pytest.approx((one.mean(), other.mean()))
    assert first.variance == pytest.approx(covariance(one, one))
    apart = covariance(one, one) + covariance(other, other) - 2 * covariance(one, other)
    assert variance_of(first.influence - second.influence) == pytest.approx(apart)


def influences(table: np.ndarray) -> np.ndarray:
    """Of the instances of the class, then of the others, so that their variance is DeLong's."""
    n = sum(table.shape)
    parts = [table.mean(axis=1) - table.mean(), table.mean(axis=0) - table.mean()]
    return np.concatenate([part * math.sqrt(n * (n - 1) / (part.size * (part.size - 1))) for part in parts])


def newcombe(area: float, m: int, n: int, confidence: float) -> tuple[float, float]:
    """His method 5, by trying areas: Hanley and McNeil's variance, with both sides as large as their mean."""
    tried = np.linspace(0, 1, 400_001)[1:-1]
    first, second, one_less = tried / (2 - tried), 2 * tried**2 / (1 + tried), (m + n) / 2 - 1
    spread = one_less * (first - tried**2 + second - tried**2)
    error = np.sqrt((tried * (1 - tried) + spread) / (m * n))
    kept = tried[np.abs(tried - area) <= stats.norm.ppf((1 + confidence) / 2) * error]
    return float(kept.min()), float(kept.max())


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("skill", [0.3, 1.5, 3.0])
def test_each_end_is_the_farther_one_of_two_intervals(skill: float, confidence: float) -> None:
    scores = TRUTH * skill + np.random.default_rng(2).normal(size=TRUTH.size) * (1 + TRUTH)
    own, table = placed(scores), wins(scores, TRUTH)
    ends = twin.ends(table.mean(), influences(table), confidence=confidence)
    other = newcombe(table.mean(), *table.shape, confidence)
    found = auc_interval(own, confidence=confidence)
    assert tuple(found) == pytest.approx((min(ends[0], other[0]), max(ends[1], other[1])), abs=1e-5)
    assert (found.confidence, found.method, found.reason) == (confidence, "mid-p gamma", None)
    turned = auc_interval(placed(-scores), confidence=confidence)
    assert (1 - turned.high, 1 - turned.low) == pytest.approx(tuple(found))


@pytest.mark.parametrize("scores", [TRUTH, -TRUTH, 0 * TRUTH])
def test_areas_that_no_instance_changes_have_newcombes_interval(scores: np.ndarray) -> None:
    found, area = auc_interval(placed(scores)), wins(scores, TRUTH).mean()
    low, high = newcombe(area, TRUTH.sum(), (1 - TRUTH).sum(), 0.95)
    assert tuple(found) == pytest.approx((0 if area == 0 else low, 1 if area == 1 else high), abs=1e-5)
    assert (found.method, found.one_sided) == ("newcombe", area in (0, 1))
    assert "supposes exponential scores" in str(found.reason)


#: Spread and mean of the positive scores, those of the others being 1 and 0; instances of both sides.
NEARLY_PERFECT = {
    "as wide, a rare class": (1.0, 3.0, 20, 180),
    "twice as wide": (2.0, 6.0, 100, 900),
    "as wide": (1.0, 3.8, 100, 100),
}


@pytest.mark.full
@pytest.mark.parametrize("law", NEARLY_PERFECT)
def test_intervals_of_nearly_perfect_areas_hold(law: str) -> None:
    """DeLong's error on the scale of log(A / (1 - A)) holds 0.69 of the second law."""
    wide, far, m, n = NEARLY_PERFECT[law]
    area = stats.norm.cdf(far / math.sqrt(wide**2 + 1))
    rng = np.random.default_rng(4)
    truth = np.repeat([1, 0], [m, n])
    held = []
    for _ in range(300):
        scores = np.r_[rng.normal(far, wide, m), rng.normal(0.0, 1.0, n)]
        found = auc_interval(placements(read_forecasts(truth, scores=scores)))
        held.append(found.low <= area <= found.high)
    assert np.mean(held) >= 0.85


@pytest.mark.parametrize("confidence", [0.6, 0.95])
def test_differences_of_areas(confidence: float) -> None:
    """DeLong's z, and its own interval."""
    found = compare_areas(*map(placed, SCORES), confidence=confidence)
    one, other = (wins(scores, TRUTH) for scores in SCORES)
    difference, error = one.mean() - other.mean(), math.sqrt(covariance(one - other, one - other))
    assert (found.first, found.second, found.difference) == pytest.approx(
        (one.mean(), other.mean(), difference)
    )
    assert tuple(found.interval) == pytest.approx(stats.norm.interval(confidence, difference, error))
    assert found.test.statistic == pytest.approx(difference / error)
    assert found.test.p_value == pytest.approx(2 * stats.norm.sf(abs(difference / error)))
    assert (found.interval.method, found.test.method) == ("delong", "delong")


@pytest.mark.parametrize("confidence", [0.6, 0.95])
def test_differences_of_few_from_the_limits_of_both(confidence: float) -> None:
    """Distances add up in squares, less twice their product times the correlation of the areas, which is shrunk."""
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1], [20, 7])
    both = rng.normal(size=27) + 2.0 * truth, rng.normal(size=27) + truth
    tables = [wins(scores, truth) for scores in both]
    variances = [covariance(table, table) for table in tables]
    correlation = 6 / 7 * covariance(*tables) / math.sqrt(variances[0] * variances[1])
    models = [placed(scores, truth) for scores in both]
    areas = [own.area for own in models]
    (low, high), (other_low, other_high) = (auc_interval(own, confidence=confidence) for own in models)
    down = np.array([areas[0] - low, other_high - areas[1]])
    up = np.array([high - areas[0], areas[1] - other_low])
    shared = np.array([[1, -correlation], [-correlation, 1]])
    found = compare_areas(*models, confidence=confidence)
    difference = areas[0] - areas[1]
    assert list(found.interval) == pytest.approx(
        [difference - math.sqrt(down @ shared @ down), difference + math.sqrt(up @ shared @ up)]
    )
    assert (found.interval.method, found.test.method) == ("mover", "from the interval")


#: Distances of the means of both models' scores, and instances of both classes.
UNEQUAL = {"five of a hundred": (3.0, 1.2, 5, 95), "two of a hundred": (2.0, 1.0, 2, 98)}


@pytest.mark.full
@pytest.mark.parametrize("law", UNEQUAL)
def test_differences_of_unequal_areas_hold(law: str) -> None:
    """DeLong's interval holds in 0.78 and 0.71 of the samples."""
    one, other, m, n = UNEQUAL[law]
    truth = np.repeat([1, 0], [m, n])
    difference = stats.norm.cdf(one / math.sqrt(2)) - stats.norm.cdf(other / math.sqrt(2))
    rng = np.random.default_rng(6)
    held = []
    for _ in range(300):
        scores = (rng.normal(far * truth, 1.0) for far in (one, other))
        found = compare_areas(*(placements(read_forecasts(truth, scores=own)) for own in scores)).interval
        if not math.isnan(found.low):
            held.append(found.low <= difference <= found.high)
    assert len(held) > 250
    assert np.mean(held) >= 0.9


@pytest.mark.full
@pytest.mark.parametrize(("n", "m", "shift"), [(80, 10, 4.5), (98, 2, 2.5), (200, 5, 2.5)])
def test_the_test_and_the_interval_agree(n: int, m: int, shift: float) -> None:
    """Of two positives among a hundred DeLong's z rejects 20 % of equal areas at 5 %."""
    rng, truth, rejected = np.random.default_rng(3), np.repeat([0, 1], [n, m]), []
    for _ in range(200):
        common = rng.normal(size=n + m)
        both = [placed(truth * far + common + rng.normal(size=n + m), truth) for far in (2.5, shift)]
        found = compare_areas(*both)
        if math.isnan(found.interval.low):  # both are perfect
            continue
        assert found.interval.low <= found.difference <= found.interval.high
        rejected.append(found.test.p_value < 0.05)
        assert rejected[-1] == (not found.interval.low <= 0 <= found.interval.high)
    assert np.mean(rejected) > 0.2 if shift == 4.5 else np.mean(rejected) <= 0.06


def test_the_same_score_of_all_instances_has_no_error() -> None:
    """A model that does not look at the instances has the area 1/2, whatever the sample."""
    truth = np.repeat([0, 1], [20, 7])
    own, constant = placed(np.random.default_rng(1).normal(truth), truth), placed(np.zeros(27), truth)
    found = compare_areas(own, constant)
    assert list(found.interval) == pytest.approx([end - 0.5 for end in auc_interval(own)])


NOTHING = "the truth has no instance of the class, or no other"


@pytest.mark.parametrize(
    ("n", "m", "reason"), [(0, 5, NOTHING), (5, 0, NOTHING), (1, 5, "one"), (5, 1, "one")]
)
def test_no_area_and_no_error(n: int, m: int, reason: str) -> None:
    truth = np.repeat([1, 0], [n, m])
    own = placements(read_forecasts(truth, scores=np.arange(n + m), classes=[0, 1]))
    assert math.isnan(own.area) == (n * m == 0)
    assert math.isnan(own.variance)
    found = auc_interval(own, confidence=0.8)
    assert (math.isnan(found.low), math.isnan(found.high)) == (True, True)
    assert (found.confidence, found.method) == (0.8, "mid-p gamma")
    compared = compare_areas(own, own, confidence=0.8)
    assert found.reason == compared.interval.reason == compared.test.reason
    assert found.reason is not None
    assert (found.reason == NOTHING) == (reason == NOTHING)
    assert math.isnan(compared.test.p_value)


def test_models_with_one_order_do_not_differ() -> None:
    own = placed(SCORES[0])
    for other in (own, placed(SCORES[0] * 3)):
        found = compare_areas(own, other)
        assert math.isnan(found.test.statistic)
        assert math.isnan(found.test.p_value)
        assert math.isnan(found.interval.low)
        assert found.test.reason == "the difference of the areas has no variance"


def test_two_instances_of_a_class_have_an_error() -> None:
    scores, truth = np.array([0.1, 0.6, 0.4, 0.8]), np.array([0, 0, 1, 1])
    table = wins(scores, truth)
    assert placed(scores, truth).variance == pytest.approx(covariance(table, table))


def test_the_class_must_be_known() -> None:
    chances = np.full((4, 3), 1 / 3)
    several = read_forecasts([0, 1, 2, 0], probabilities=chances)
    with pytest.raises(InputError, match=r"^no class is the positive one: name it with positive="):
        placements(several)
    assert placements(several, 2).area == 0.5


# Units


def obuchowski(truth: np.ndarray, scores: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Covariances of areas of clustered rows by sums over clusters of placements, each class with its own factor.

    Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53, 567-578, equations 4 to 7.
    """
    positive, negative, clusters = truth == 1, truth == 0, np.unique(units)
    m, n = positive.sum(), negative.sum()
    found = np.zeros((len(scores), len(scores)))
    tables = [wins(own, truth) for own in scores]

    def off(table: np.ndarray, cluster: int) -> tuple[float, float]:
        """How far the placements of a cluster are from their expectation, added up class by class."""
        ours = table[units[positive] == cluster], table[:, units[negative] == cluster]
        one, other = (own.mean(axis=1 - i) - table.mean() for i, own in enumerate(ours))
        return float(one.sum()), float(other.sum())

    with_positive, with_negative = (np.unique(units[own]).size for own in (positive, negative))
    factors = [k / (k - 1) for k in (with_positive, with_negative, clusters.size)]
    for cluster in clusters:
        for i, one in enumerate(tables):
            for j, other in enumerate(tables):
                (a, b), (c, d) = off(one, cluster), off(other, cluster)
                found[i, j] += factors[0] * a * c / m**2 + factors[1] * b * d / n**2
                found[i, j] += factors[2] * (a * d + b * c) / (m * n)
    return found


def clustered(rng: np.random.Generator, g: int, law: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw rows of both classes in each unit, in some units, or of one class alone."""
    sizes = rng.integers(2, 9, g)
    units = np.repeat(np.arange(g), sizes)
    truth = (rng.random(units.size) < 0.4).astype(int)
    if law == "both classes in each":
        first = np.cumsum(sizes) - sizes
        truth[first], truth[first + 1] = 1, 0
    elif law == "one class in each":
        truth = (rng.random(g) < 0.4).astype(int)[units]
    shared = 0.7 * rng.normal(size=g)[units]
    scores = [shift * truth + shared + rng.normal(size=units.size) for shift in (1.0, 1.3)]
    return truth, np.round(scores, 1), units


@pytest.mark.full
@pytest.mark.parametrize(
    ("law", "least", "most"),
    [
        ("both classes in each", 1 - 1e-9, 1 + 1e-9),
        ("some of each", 0.99, 1.0),
        ("one class in each", 0.96, 1.0),
    ],
)
def test_errors_of_clustered_areas_are_obuchowskis(law: str, least: float, most: float) -> None:
    """Here one factor G / (G - 1) is of all units, there one of the units with each class: the only difference."""
    record = find_index("roc_auc", "classification")
    for seed in range(12):
        truth, scores, units = clustered(np.random.default_rng(seed), 50, law)
        cov = obuchowski(truth, scores, units)
        assert isinstance(record, ForecastIndex)
        drawn = Drawn(units, 50)
        scored = ScoredForecasts(drawn)
        models = [
            scored.scored([record], read_forecasts(truth, scores=own))["roc_auc"] for own in scores[::-1]
        ]
        assert models[1].influence is not None
        single = math.sqrt(variance_of(models[1].influence, drawn) / cov[0, 0])
        assert least <= single <= most
        change = models[0].less(models[1])
        gap = cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]
        assert least <= math.sqrt(variance_of(change, drawn) / gap) <= most
        assert change.value == pytest.approx(wins(scores[1], truth).mean() - wins(scores[0], truth).mean())
