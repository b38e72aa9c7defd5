"""Calibration: intercept and slope, expected events, and the smooth error, by definition and beside other programs."""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import adjudge
from adjudge import InputError
from adjudge.statistics import reliability
from adjudge.statistics.binned_scores import BinnedCalibratedScores
from cases import each
from conftest import case_name, read_reference, reference_cases

NAMES = ["calibration_intercept", "calibration_slope", "observed_expected_ratio"]
OF_TWO: dict[str, Any] = {"kind": "classification", "classes": [0, 1], "positive": 1, "indices": NAMES}


def drawn(seed: int, n: int = 120, slope: float = 0.7) -> tuple[Any, Any, Any]:
    """Draw outcomes, probabilities and weights; the true logit is 0.4 plus the slope times the one that is said."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1, 1.5, n)
    truth = (rng.random(n) < 1 / (1 + np.exp(-0.4 - slope * logits))).astype(int)
    return truth, 1 / (1 + np.exp(-logits)), rng.uniform(0.2, 3, n)


def root(falling: Any, low: float = -60.0, high: float = 60.0) -> float:
    """Find by bisection where a function falls to 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return low


def naive(truth: Any, p: Any, weights: Any) -> list[float]:
    """Solve the equations of the likelihood one inside the other, each by bisection."""
    rows = [
        (int(y), math.log(q / (1 - q)), float(w)) for y, q, w in zip(truth, p.tolist(), weights, strict=True)
    ]

    def missing(a: float, b: float, power: int) -> float:
        return math.fsum(w * (y - 1 / (1 + math.exp(-a - b * x))) * x**power for y, x, w in rows)

    def intercept(b: float) -> float:
        return root(lambda a: missing(a, b, 0), -12, 12)

    slope = root(lambda b: missing(intercept(b), b, 1), -5, 5)
    events = math.fsum(w * y for y, _, w in rows)
    return [intercept(1.0), slope, events / math.fsum(w * q for q, w in zip(p, weights, strict=True))]


def scores(truth: Any, p: Any, **options: Any) -> list[float]:
    return [getattr(adjudge, name)(truth, p, **options) for name in NAMES]


@each("weighted", [False, True])
def test_they_solve_the_equations_of_the_likelihood(weighted: bool) -> None:
    truth, p, weights = drawn(0, 25)
    own = {"sample_weight": weights} if weighted else {}
    wanted = naive(truth, p, weights if weighted else np.ones(25))
    assert scores(truth, p, **own) == pytest.approx(wanted, rel=1e-9)


def test_values_by_hand() -> None:
    # Of two probabilities the logits are -ln 4 and ln 4; the outcomes' are -ln 2 and ln 2.
    truth, p = [0, 0, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8]
    assert scores(truth, p) == pytest.approx([0.0, 0.5, 1.0], abs=1e-12)
    # A quarter occurs of what is said to be a half.
    assert scores([0, 0, 0, 1], [0.5] * 4)[::2] == pytest.approx([-math.log(3), 0.5])
    # The slope is 1 and the intercept is ln 2 if the odds are twice those that are said.
    truth, p = [0, 1, 0, 0, 1, 1, 1, 1], [0.2] * 3 + [2 / 3] * 5
    assert scores(truth, p)[:2] == pytest.approx([math.log(2), 1.0])


def test_those_of_statsmodels() -> None:
    # statsmodels 0.15.0: sm.GLM(y, ones, family=Binomial(), offset=logit), and sm.GLM(y, [ones, logit], ...), with
    # cov_type="HC0" for the standard errors.
    truth, p, _ = drawn(1, 4000)
    found = adjudge.evaluate(truth, probabilities=p, confidence=0.95, **OF_TWO)
    wanted = {
        "calibration_intercept": (0.5908642265027362, 0.0409201021),
        "calibration_slope": (0.7119967968388818, 0.0287687191),
    }
    for name, (value, error) in wanted.items():
        low, high = found.intervals[name]
        assert found[name] == pytest.approx(value, rel=1e-8)
        assert (high - low) / 3.92 == pytest.approx(error, rel=0.01)


def test_the_other_class_turns_the_intercept_and_keeps_the_slope() -> None:
    truth, p, _ = drawn(2)
    intercept, slope, _ = scores(truth, p)
    assert scores(1 - truth, 1 - p)[:2] == pytest.approx([-intercept, slope], rel=1e-9)
    assert scores(truth, np.column_stack([1 - p, p]), positive=0)[:2] == pytest.approx(
        [-intercept, slope], rel=1e-9
    )


def test_weights_are_copies_and_the_order_of_rows_changes_nothing() -> None:
    truth, p, _ = drawn(3)
    times, order = np.arange(truth.size) % 3 + 1, np.random.default_rng(0).permutation(truth.size)
    copies = scores(np.repeat(truth, times), np.repeat(p, times))
    assert scores(truth, p, sample_weight=times) == pytest.approx(copies, rel=1e-12)
    assert scores(truth, p, sample_weight=times * 1e-9) == pytest.approx(copies, rel=1e-9)
    assert scores(truth[order], p[order]) == pytest.approx(scores(truth, p), rel=1e-12)


@pytest.mark.parametrize("far", [1e-300, 1e-12, 1e-5])
def test_probabilities_near_their_ends(far: float) -> None:
    truth, p, _ = drawn(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        intercept, slope, ratio = scores(np.r_[truth, 0, 1, 1], np.r_[p, far, 0.5, 0.9])
        # An event that was said to be impossible but for this.
        surprised = scores(np.r_[truth, 1], np.r_[p, far])
    assert abs(intercept) < 1
    assert 0 < slope < 1
    assert 0.5 < ratio < 2
    assert surprised[1] < slope
    # The fitted probabilities add up to the events, far from those that are said.
    said = np.array([far, 2 * far, 3 * far, far, far])
    odds = math.exp(adjudge.calibration_intercept([0, 1, 0, 1, 0], said)) * said / (1 - said)
    assert (odds / (1 + odds)).sum() == pytest.approx(2)


def test_what_the_other_class_has_is_not_rounded_away() -> None:
    truth, p, _ = drawn(10)
    shares = np.vstack([np.column_stack([1 - p, p]), [1e-30, 1.0]])
    assert shares[-1, 1] == 1
    intercept, slope, _ = scores(np.r_[truth, 1], shares)
    assert 0 < slope < scores(truth, p)[1]
    assert scores(np.r_[truth, 1], shares, positive=0)[:2] == pytest.approx([-intercept, slope])


def test_outcomes_that_the_probabilities_nearly_separate() -> None:
    p = np.r_[np.linspace(0.05, 0.45, 200), 0.5, 0.5 + 1e-6, np.linspace(0.55, 0.95, 200)]
    truth = np.r_[np.zeros(200, int), 1, 0, np.ones(200, int)]
    slope = adjudge.calibration_slope(truth, p)
    logits = np.log(p / (1 - p))
    fitted = 1 / (1 + np.exp(-root_of_intercept(slope, logits, truth) - slope * logits))
    assert 5 < slope < 1e4
    assert abs(((truth - fitted) * logits).sum()) < 1e-6


def root_of_intercept(slope: float, logits: Any, truth: Any) -> float:
    with np.errstate(over="ignore"):
        return root(lambda a: float((truth - 1 / (1 + np.exp(-a - slope * logits))).sum()), -1e4, 1e4)


@pytest.mark.parametrize(
    ("name", "truth", "p", "reason"),
    [
        (
            "calibration_intercept",
            [0, 0, 0],
            [0.1, 0.2, 0.3],
            "no instance of the positive class, or no other",
        ),
        ("calibration_slope", [1, 1, 1], [0.1, 0.2, 0.3], "no instance of the positive class, or no other"),
        (
            "calibration_intercept",
            [0, 1, 0],
            [0.0, 0.2, 0.3],
            "1 probability is exactly 0 or 1, which has no logit",
        ),
        (
            "calibration_slope",
            [0, 1, 0],
            [0.0, 1.0, 0.3],
            "2 probabilities are exactly 0 or 1, which have no logit",
        ),
        ("calibration_slope", [0, 1, 0], [0.2, 0.2, 0.2], "all probabilities are alike"),
        (
            "calibration_slope",
            [0, 1, 0],
            [0.2, 0.6, 0.2],
            "separate the outcomes, so that the slope is infinite",
        ),
        ("calibration_slope", [0, 1, 0, 1], [0.3, 0.2, 0.2, 0.1], "separate the outcomes"),
        (
            "observed_expected_ratio",
            [0, 0, 0],
            [0.0, 0.0, 0.0],
            "0/0: the probability of every instance is 0",
        ),
    ],
)
def test_why_there_is_no_value(name: str, truth: Any, p: Any, reason: str) -> None:
    found = adjudge.evaluate(truth, probabilities=p, confidence=0.95, **OF_TWO)
    assert math.isnan(found[name])
    assert reason in found.reasons[name]
    assert found.interval_reasons[name] == "the estimate is undefined"


@pytest.mark.parametrize("name", NAMES)
def test_of_several_classes_one_must_be_positive(name: str) -> None:
    shares = np.full((4, 3), 1 / 3)
    found = adjudge.evaluate([0, 1, 2, 2], probabilities=shares, kind="classification", indices=[name])
    assert found.reasons == {name: "no class is the positive one: name one as positive"}
    record = adjudge.find_index(name)
    assert math.isnan(record([0, 1, 2, 2], shares))


def test_of_several_classes_the_positive_one_is_judged_against_all_others() -> None:
    truth, p, _ = drawn(5)
    shares = np.column_stack([p, (1 - p) / 2, (1 - p) / 2])
    several = scores(np.where(truth == 1, 0, 1 + np.arange(truth.size) % 2), shares, positive=0)
    assert several == pytest.approx(scores(truth, p), rel=1e-9)


def test_events_where_none_or_too_few_are_expected() -> None:
    assert adjudge.observed_expected_ratio([0, 0, 0], [0.1, 0.2, 0.3], classes=[0, 1]) == 0
    assert adjudge.observed_expected_ratio([0, 1, 1], [0.0, 0.0, 0.0], classes=[0, 1]) == math.inf
    assert adjudge.observed_expected_ratio([0, 1, 1], [0.0, 1.0, 1.0]) == 1


@each("name", NAMES)
def test_the_standard_error_is_that_of_the_bootstrap(name: str) -> None:
    truth, p, _ = drawn(6, 800)
    low, high = adjudge.evaluate(truth, probabilities=p, confidence=0.95, **OF_TWO).intervals[name]
    rng, record = np.random.default_rng(0), adjudge.find_index(name)
    some = (rng.integers(0, 800, 800) for _ in range(300))
    assert (high - low) / 3.92 == pytest.approx(np.std([record(truth[i], p[i]) for i in some]), rel=0.15)


def test_units_groups_and_differences_have_intervals() -> None:
    truth, p, _ = drawn(7, 600)
    models = {"said": p, "halved": p / 2}
    asked = {**OF_TWO, "confidence": 0.95}
    units, groups = np.arange(600) // 5, np.arange(600) % 2
    compared = adjudge.compare(truth, probabilities=models, units=units, groups=groups, **asked)
    own = compared.pairs["said", "halved"].differences
    one, other = (scores(truth, models[name]) for name in ("said", "halved"))
    for name, here, there in zip(NAMES, one, other, strict=True):
        assert own[name].value == pytest.approx(here - there)
        assert own[name].interval[0] < own[name].value < own[name].interval[1]
    # Half the probabilities: twice the ratio.
    assert other[2] == pytest.approx(2 * one[2])
    assert own["observed_expected_ratio"].interval[1] < 0


def test_a_gate_cannot_check_what_has_no_better_end() -> None:
    truth, p, _ = drawn(8)
    with pytest.raises(InputError, match="calibration_slope is neither better high nor low"):
        adjudge.gate(
            truth, probabilities={"old": p, "new": p}, kind="classification", indices="calibration_slope"
        )


def test_few_events_tell_no_slope() -> None:
    rng = np.random.default_rng(9)
    p = rng.uniform(0.01, 0.2, 100)
    for events in (4, 5):
        truth = np.r_[np.ones(events, int), np.zeros(100 - events, int)]
        found = adjudge.evaluate(truth, probabilities=p, confidence=0.95, **OF_TWO)
        assert math.isfinite(found["calibration_slope"])
        assert {"calibration_intercept", "observed_expected_ratio"}.isdisjoint(found.interval_reasons)
        assert ("calibration_slope" in found.interval_reasons) == (events < 5)
        if events == 4:
            assert "a class has 4 of 100 instances" in found.interval_reasons["calibration_slope"]


@pytest.mark.parametrize("unit", [1, 5])
def test_where_no_event_occurred_the_ratio_has_a_bound(unit: int) -> None:
    # Of 3 rare events on average, none occurs in 5 % of the samples: half of these, by mid-p, are 2.5 %.
    p = np.full(500, 0.01)
    options = {} if unit == 1 else {"units": np.arange(500) // unit}
    found = adjudge.evaluate(np.zeros(500, int), probabilities=p, confidence=0.95, **OF_TWO, **options)
    low, high = found.intervals["observed_expected_ratio"]
    assert low == 0
    assert 2.9 < high * 5 < 4.2


def test_of_few_events_the_intercept_may_have_one_bound() -> None:
    truth = np.zeros(100, int)
    truth[[3, 4]] = 1
    options = {"probabilities": np.linspace(0.01, 0.1, 100), "confidence": 0.95, **OF_TWO}
    low, high = adjudge.evaluate(truth, **options).intervals["calibration_intercept"]
    assert -3.5 < low < high < 1
    low, high = adjudge.evaluate(truth, units=np.arange(100) // 5, **options).intervals[
        "calibration_intercept"
    ]
    assert low == -math.inf
    assert 0 < high < 2


error = adjudge.smooth_calibration_error
CASES = [p for p in reference_cases("classifiers/binary_scores") if "relplot 1.0.3" in read_reference(p)]


def size(forecasts: np.ndarray, outcomes: np.ndarray, width: float, weights: np.ndarray) -> float:
    """The integral of the definition: each instance has images at f + 2j and -f + 2j."""

    def deviation(t: float) -> float:
        total = 0.0
        for f, y, w in zip(forecasts.tolist(), outcomes.tolist(), weights.tolist(), strict=True):
            images = [sign * f + 2 * j for sign in (1, -1) for j in range(-4, 5)]
            density = sum(math.exp(-(((t - x) / width) ** 2) / 2) for x in images)
            total += w * (f - y) * density
        return abs(total / weights.sum() / width / math.sqrt(2 * math.pi))

    ends = np.linspace(0, 1, 41)
    return sum(quad(deviation, a, b, epsabs=1e-9)[0] for a, b in itertools.pairwise(ends))


@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_the_bandwidth_at_which_the_integral_has_its_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    forecasts = rng.random(9).round([1, 2, 9, 9][seed])
    outcomes = (rng.random(9) < forecasts ** rng.choice([0.3, 3])).astype(int)
    outcomes[:2] = 0, 1
    weights = rng.integers(1, 4, 9) if seed == 2 else np.ones(9, int)
    found = error(outcomes, forecasts, sample_weight=weights if seed == 2 else None)
    assert found > 0.02
    assert size(forecasts, outcomes, found, weights) == pytest.approx(found, rel=1e-5)
    if seed == 2:
        assert error(np.repeat(outcomes, weights), np.repeat(forecasts, weights)) == pytest.approx(
            found, rel=1e-9
        )


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_the_error_is_that_of_relplot_where_that_is_accurate(path: Path) -> None:
    case = read_reference(path)
    truth = np.array(case["labels_true"]) == case["pos_label"]
    theirs = case["relplot 1.0.3"]
    scores = np.array(case["score"], float)
    for values, wanted in (
        (scores, theirs["smECE"]),
        (np.clip(scores, 0.001, 0.999), theirs["smECE_of_scores_within_0.001_and_0.999"]),
    ):
        found = error(truth, values, classes=[False, True])
        # relplot cuts the kernel off at a distance of 0.5, and counts forecasts of exactly 0 or 1 half.
        differs = case_name(path).startswith("07") or (
            case_name(path).startswith(("03", "04")) and values is scores
        )
        assert (abs(found - wanted) > 0.003) is differs, (found, wanted)


def test_errors_at_the_ends() -> None:
    assert error([0, 1], [0.0, 1.0]) == error([0, 1], [0.5, 0.5]) == 0.0
    assert error([0, 0], [1.0, 1.0], classes=[0, 1]) == pytest.approx(1.0)
    assert error([0, 1, 0, 1], [1e-6, 1.0, 0.0, 1.0]) == pytest.approx(2.5e-7, rel=1e-6)
    three = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    assert error([0, 1, 0], three, classes=[0, 1, 2]) == pytest.approx(error([1, 1, 0], [0.6, 0.5, 0.7]))


def test_a_finer_grid_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    forecasts = rng.beta(2, 5, 30_000)
    outcomes = (rng.random(30_000) < forecasts).astype(int)
    found = error(outcomes, forecasts)
    assert found < 0.02
    order = rng.permutation(30_000)
    assert error(outcomes[order], forecasts[order]) == found
    monkeypatch.setattr(reliability, "_FINE", 4096)
    assert error(outcomes, forecasts) == pytest.approx(found, rel=1e-5)


def test_bins_of_an_engine_are_fine_enough_or_refused() -> None:
    rng = np.random.default_rng(6)
    forecasts = rng.random(3000)
    outcomes = rng.random(3000) < forecasts**2
    cells = np.minimum((forecasts * 50_400).astype(int) * 2 + outcomes, 100_799)
    known, places, counts = np.unique(cells, return_inverse=True, return_counts=True)
    means = np.bincount(places, forecasts) / counts
    binned = BinnedCalibratedScores(means, known % 2 == 1, counts.astype(float))
    value, reason = error.assess(binned)
    assert reason is None
    assert value == pytest.approx(error(outcomes, forecasts), rel=1e-6)
    right = BinnedCalibratedScores(np.array([0.001, 1.0]), np.array([False, True]), np.ones(2))
    value, reason = error.assess(right)
    assert math.isnan(value)
    assert "collect the table first" in reason
