"""Curves against their definitions and golden points; decision curves: net benefit at any probability."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import adjudge
from adjudge import evaluate
from adjudge.displays import DecisionCurveDisplay
from adjudge.errors import InputError
from adjudge.results import DecisionCurve
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.curves import (
    CURVES,
    DetCurve,
    GainsCurve,
    PrecisionRecallCurve,
    RocCurve,
    ThresholdCurve,
)
from adjudge.results.reliability import ReliabilityCurve

GOLDEN = sorted((Path(__file__).parents[1] / "reference/classifiers/binary_scores").glob("*.json"))
SCORED = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=14)


def divided(top: int, bottom: int) -> float:
    return float(Fraction(top, bottom)) if bottom else math.nan


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(wanted, float), rtol=1e-15, atol=0)


@given(SCORED)
def test_each_threshold_divides_the_instances(cases: list[tuple[int, int]]) -> None:
    truth, scores = (np.array(part) for part in zip(*cases, strict=True))
    options = {"scores": scores / 4, "classes": [0, 1]}
    thresholds = [math.inf, *sorted({s / 4 for s in scores.tolist()}, reverse=True)]
    counts = []
    for t in thresholds:
        said = scores / 4 >= t
        counts.append([int((said & (truth == 1)).sum()), int((said & (truth == 0)).sum())])
    p, n = int((truth == 1).sum()), int((truth == 0).sum())
    roc = RocCurve.from_predictions(truth, **options)
    same(roc.thresholds, thresholds)
    same(roc.true_positive_rate, [divided(tp, p) for tp, _ in counts])
    same(roc.false_positive_rate, [divided(fp, n) for _, fp in counts])
    same(
        PrecisionRecallCurve.from_predictions(truth, **options).precision,
        [divided(tp, tp + fp) for tp, fp in counts],
    )
    det = DetCurve.from_predictions(truth, **options)
    same(det.false_negative_rate, [divided(p - tp, p) for tp, _ in counts])
    gains = GainsCurve.from_predictions(truth, **options)
    same(gains.share, [divided(tp + fp, p + n) for tp, fp in counts])
    same(gains.lift, [divided(tp * (p + n), p * (tp + fp)) if p else math.nan for tp, fp in counts])
    f1 = ThresholdCurve.from_predictions(truth, **options).f1
    same(f1, [divided(2 * tp, tp + fp + p) for tp, fp in counts])
    if p and n:
        # The rate at which the straight pieces of both errors cross.
        errors = [(Fraction(fp, n), Fraction(p - tp, p)) for tp, fp in counts]
        for (f0, m0), (f1_, m1) in pairwise(errors):
            if f0 < m0 and f1_ >= m1:
                share = (m0 - f0) / ((f1_ - m1) + (m0 - f0))
                assert det.equal_error_rate == pytest.approx(float(f0 + share * (f1_ - f0)), rel=1e-14)


@given(SCORED, st.integers(1, 13))
def test_curves_of_parts_add_up(cases: list[tuple[int, int]], cut: int) -> None:
    def curves(part: list[tuple[int, int]]) -> list[Any]:
        truth, scores = (np.array(each) for each in zip(*part, strict=True))
        options = {"classes": [0, 1]}
        one = [kind.from_predictions(truth, scores / 4, **options) for kind in CURVES.values()]
        return [*one, ReliabilityCurve.from_predictions(truth, scores / 4, n_bins=3, **options)]

    if cut < len(cases):
        for whole, first, second in zip(curves(cases), curves(cases[:cut]), curves(cases[cut:]), strict=True):
            together = first + second
            assert type(together) is type(whole)
            # Text, because undefined values are equal here too.
            assert str(together.to_dict()) == str(whole.to_dict())


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_points_are_the_golden_ones(path: Path) -> None:
    case = json.loads(path.read_text())
    wanted = case["exact"]["roc_all_thresholds"]
    weights = case["sample_weight"]
    curve = RocCurve.from_predictions(
        case["labels_true"],
        scores=np.array(case["score"]),
        classes=[case["neg_label"], case["pos_label"]],
        sample_weight=weights,
    )
    numbers = {name: [float(str(v).lower()) for v in wanted[name]] for name in wanted}
    same(curve.thresholds, numbers["threshold"])
    np.testing.assert_allclose(curve.false_positive_rate, numbers["fpr"], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(curve.true_positive_rate, numbers["tpr"], rtol=1e-12, atol=1e-15)
    assert curve.area == pytest.approx(float(str(case["exact"]["auc"]).lower()), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(20))
def test_points_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.r_[0, 1, rng.integers(0, 2, 60)]
    scores = rng.integers(0, 12, 62) / 12
    weights = rng.random(62) + 0.1 if seed % 2 else None
    options = {"scores": scores, "sample_weight": weights}
    fpr, tpr, thresholds = metrics.roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
    roc = RocCurve.from_predictions(truth, **options)
    same(roc.thresholds, thresholds)
    np.testing.assert_allclose(roc.false_positive_rate, fpr, atol=1e-14)
    np.testing.assert_allclose(roc.true_positive_rate, tpr, atol=1e-14)
    precision, recall, _ = metrics.precision_recall_curve(truth, scores, sample_weight=weights)
    curve = PrecisionRecallCurve.from_predictions(truth, **options)
    np.testing.assert_allclose(curve.precision[:0:-1], precision[:-1], atol=1e-14)
    np.testing.assert_allclose(curve.recall[:0:-1], recall[:-1], atol=1e-14)


def test_gains_between_equal_scores_are_what_a_random_order_gives() -> None:
    curve = GainsCurve.from_predictions([1, 1, 0, 0], scores=[0.9, 0.5, 0.5, 0.1])
    # Half of the two that tie at 0.5 are taken: half of the one positive among them, on average.
    assert curve.gain_at(0.5) == 0.75
    assert curve.lift_at(0.5) == 1.5
    assert math.isnan(curve.lift_at(0))
    with pytest.raises(InputError, match="between 0 and 1"):
        curve.gain_at(1.2)


def test_curves_of_one_class_are_undefined() -> None:
    curve = RocCurve.from_predictions([1, 1], scores=[0.2, 0.4], classes=[0, 1])
    assert not curve.is_defined
    assert np.isnan(curve.false_positive_rate).all()
    assert math.isnan(curve.area)
    assert math.isnan(DetCurve(curve.ranked).equal_error_rate)


def test_a_class_of_several_has_to_be_named() -> None:
    P = np.eye(3)[[0, 1, 2, 1]]
    with pytest.raises(InputError, match="there are 3: name the class with positive="):
        RocCurve.from_predictions([0, 1, 2, 2], P)
    assert RocCurve.from_predictions([0, 1, 2, 2], P, positive=2).label == 2
    with pytest.raises(InputError, match="cannot be added"):
        RocCurve.from_predictions([0, 1, 2, 2], P, positive=2) + RocCurve.from_predictions(
            [0, 1, 2, 2], P, positive=1
        )


def test_evaluations_have_curves() -> None:
    truth, probabilities = [0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8])
    result = evaluate(truth, probabilities=probabilities, kind="classification", indices="all")
    assert isinstance(result, ClassifierEvaluation)
    for name, kind in CURVES.items():
        curve = result.curve(name)
        assert isinstance(curve, kind)
        assert curve.to_dict() == kind.from_predictions(truth, probabilities).to_dict()
        assert len(curve.table().rows) == 5
    assert result.curve("roc").to_frame("pandas").shape == (5, 3)  # type: ignore[attr-defined]
    assert result.curve("roc", positive=0).label == 0
    assert pickle.loads(pickle.dumps(result)).curve("roc").area == 0.75
    assert result.reliability(n_bins=2).binned.counts.tolist() == [3, 1]
    with pytest.raises(InputError, match="choose one of 'roc'"):
        result.curve("rock")
    with pytest.raises(InputError, match="which were not given"):
        evaluate(truth, truth, kind="classification").curve("roc")  # type: ignore[attr-defined]


def test_reliability_has_wilson_intervals_and_a_histogram() -> None:
    curve = ReliabilityCurve.from_predictions([0, 1, 1, 1], [0.1, 0.1, 0.3, 1.0], n_bins=5)
    assert curve.binned.observed.tolist() == [0.5, 1, 1]
    # Wilson's interval of 1 of 2, as R's prop.test(1, 2, correct = FALSE) prints it.
    np.testing.assert_allclose(curve.intervals()[0], [0.09453121, 0.90546879], atol=1e-8)
    counts, edges = curve.histogram(10)
    assert counts.tolist() == np.histogram([0.1 - 1e-9, 0.1 - 1e-9, 0.3 - 1e-9, 1.0], edges)[0].tolist()
    weighted = ReliabilityCurve.from_predictions([0, 1], [0.1, 0.9], sample_weight=[1.0, 2.0])
    with pytest.raises(InputError, match="weights do not say"):
        weighted.intervals()
    with pytest.raises(InputError, match="only rank"):
        ReliabilityCurve.of(evaluate([0, 1], scores=[3, 4], kind="classification").known_forecasts())  # type: ignore[attr-defined]


def test_reliability_of_several_classes_is_of_the_likeliest() -> None:
    P = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    curve = ReliabilityCurve.from_predictions([0, 1, 1], P, classes=[0, 1, 2])
    assert curve.label is None
    assert curve.binned.forecast.tolist() == pytest.approx([0.6, 0.7])
    assert curve.binned.observed.tolist() == [1, 0.5]
    assert curve.calibration_error == pytest.approx((0.4 + 2 * 0.2) / 3)


def test_unknown_bins_are_refused_when_the_curve_is_made() -> None:
    """They were found out when a table was asked for."""
    with pytest.raises(InputError, match="bins='quantile'"):
        ReliabilityCurve.from_predictions([0, 1], [0.1, 0.9], bins="quantile")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="n_bins=0: a whole number of at least 1 is needed"):
        ReliabilityCurve.from_predictions([0, 1], [0.1, 0.9], n_bins=0)


RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 60)
P = np.round(np.clip(0.3 * TRUTH + RNG.random(60) * 0.7, 0, 1), 2)
WEIGHTS = RNG.uniform(0.5, 2, 60)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["rows", "weights"])
def test_it_is_the_index_at_every_probability(weights: np.ndarray | None) -> None:
    curve = DecisionCurve.from_predictions(TRUTH, P, sample_weight=weights)
    at = np.r_[0, np.unique(P[P < 1]), 0.123, 0.999]
    wanted = [adjudge.net_benefit(TRUTH, P, at=t, sample_weight=weights) for t in at.tolist()]
    np.testing.assert_allclose(curve.at(at), wanted, rtol=1e-12, atol=1e-14)
    everybody = [adjudge.net_benefit(TRUTH, np.ones(60), at=t, sample_weight=weights) for t in at.tolist()]
    np.testing.assert_allclose(curve.of_all_at(at), everybody, rtol=1e-12, atol=1e-14)
    below = curve.thresholds < 1
    np.testing.assert_allclose(curve.net_benefit[below], curve.at(curve.thresholds[below]))


def test_who_is_certain_takes_no_false_alarm() -> None:
    curve = DecisionCurve.from_predictions([0, 1, 1], [1.0, 1.0, 0.5])
    assert curve.at(1.0) == -np.inf
    assert DecisionCurve.from_predictions([0, 1, 1], [0.2, 1.0, 0.5]).at(1.0) == pytest.approx(1 / 3)
    assert curve.net_benefit[0] == 0


def test_it_takes_probabilities_alone() -> None:
    with pytest.raises(InputError, match="decisions need probabilities: scores= only rank"):
        DecisionCurve.from_predictions([0, 1], scores=[0.1, 3.0])
    judged = adjudge.evaluate(TRUTH, probabilities=P, kind="classification")
    assert judged.curve("decision").at(0.3) == pytest.approx(adjudge.net_benefit(TRUTH, P, at=0.3))


def test_the_display_says_where_a_model_is_worth_using() -> None:
    truth = np.r_[np.zeros(50, int), np.ones(50, int)]
    display = DecisionCurveDisplay.from_predictions(
        truth, {"good": np.where(truth == 1, 0.9, 0.1), "none": np.full(100, 0.5)}
    )
    said = display.describe()
    assert "good is better than acting on everybody or on nobody from 0.11 to 0.90" in said
    assert "none is never better" in said
    display.plot(most=0.5)
    assert display.ax_.get_xlim() == (0, 0.5)
    with pytest.raises(InputError, match="most=2: a probability between 0 and 1 is needed"):
        display.plot(most=2)


def test_the_band_holds_the_whole_curve() -> None:
    rng, at = np.random.default_rng(1), np.arange(1, 100) / 100
    # Of calibrated, even probabilities, true alarms above t are (1 - t^2) / 2, and false ones (1 - t)^2 / 2.
    true = (1 - at**2) / 2 - at / (1 - at) * (1 - at) ** 2 / 2
    held = 0
    for _ in range(60):
        p = rng.random(400)
        band = DecisionCurve.from_predictions((rng.random(400) < p).astype(int), p).band(at=at)
        held += bool(((band.low <= true) & (true <= band.high)).all())
    assert held >= 50


def test_the_band_allows_for_alarms_that_were_not_seen() -> None:
    curve = DecisionCurve.from_predictions([0, 1] * 50, [0.1, 0.9] * 50)
    band = curve.band(at=[0.95, 0.5, 0.2])
    assert band.low[0] < 0 < band.high[0]
    assert (band.low < curve.at(band.at)).all()
    assert (curve.at(band.at) < band.high).all()
    # No false alarm was seen at 0.5 or 0.95; one would cost 19 times as much there.
    assert curve.at(0.5) - band.low[1] < curve.at(0.95) - band.low[0]
    np.testing.assert_array_equal(curve.band(at=[0.2, 0.5, 0.95]).low, band.low[::-1])
    assert "wide on average" in repr(band)
    with pytest.raises(InputError, match="from 0 to below 1"):
        curve.band(at=[1.0])


def test_a_band_needs_instances() -> None:
    weighted = DecisionCurve.from_predictions(TRUTH, P, sample_weight=WEIGHTS)
    with pytest.raises(InputError, match="weights do not say"):
        weighted.band()
    display = DecisionCurveDisplay({"weighted": weighted, "plain": DecisionCurve.from_predictions(TRUTH, P)})
    display.plot(confidence=0.9)
    assert len(display.ax_.collections) == 1


def test_all_ranges_of_use_are_named() -> None:
    truth = [1] * 10 + [0] * 15 + [1] * 3
    p = [0.3] * 10 + [0.1] * 10 + [0.7] * 5 + [0.9] * 3
    display = DecisionCurveDisplay.from_predictions(truth, {"m": p})
    curve, better = display.curves["m"], "better than acting on everybody or on nobody"
    assert display.describe() == f"m is {better} from 0.11 to 0.30 and 0.71 to 0.90"
    for low, high in ((0.11, 0.30), (0.71, 0.90)):
        at = np.arange(round(100 * low), round(100 * high) + 1) / 100
        assert (curve.at(at) > np.maximum(curve.of_all_at(at), 0)).all()
    assert (curve.at([0.31, 0.7]) <= np.maximum(curve.of_all_at([0.31, 0.7]), 0)).all()


def test_no_band_is_drawn_around_rows_of_units() -> None:
    asked = {"kind": "classification", "units": np.arange(60) // 3}
    judged = adjudge.evaluate(TRUTH, probabilities=P, **asked)
    both = adjudge.compare(TRUTH, probabilities={"one": P, "two": P[::-1]}, **asked)
    for result in (judged, both, {"a": judged}):
        for kind in (DecisionCurveDisplay, adjudge.displays.RocCurveDisplay):
            display = kind.from_result(result)
            display.plot(confidence=0.95)
            assert not display.ax_.collections
    alone = adjudge.evaluate(TRUTH, probabilities=P, kind="classification")
    display = DecisionCurveDisplay.from_result(alone)
    display.plot(confidence=0.95)
    assert len(display.ax_.collections) == 1


def test_the_class_that_one_acts_on_is_named() -> None:
    """Of texts the second is taken: the sentence says so, as the title does."""
    truth = np.array(["well", "ill"] * 20)
    display = adjudge.displays.DecisionCurveDisplay.from_predictions(truth, np.linspace(0.1, 0.9, 40))
    assert display.describe().startswith("by the net benefit of well, the model is ")
    named = adjudge.displays.DecisionCurveDisplay.from_predictions(
        truth, np.linspace(0.1, 0.9, 40), pos_label="ill"
    )
    assert "net benefit of ill" in named.describe()
