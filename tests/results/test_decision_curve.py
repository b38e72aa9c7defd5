"""Decision curves: net benefit at any probability, by definition."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge import InputError
from adjudge.displays import DecisionCurveDisplay
from adjudge.results import DecisionCurve

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
