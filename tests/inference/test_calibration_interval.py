"""Bands of curves, intervals of bins and of the smooth calibration error: by slow definitions, over known laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import adjudge
from adjudge import InputError
from adjudge.inference.forecasts import calibration_interval
from adjudge.inference.forecasts.calibration_interval import interval_of_smooth_error
from adjudge.inference.forecasts.roc_band import kolmogorov_distance
from adjudge.inference.sampling_design import Drawn
from adjudge.results import ReliabilityCurve, RocCurve
from adjudge.statistics.ranked_scores import ScoredOutcomes
from adjudge.statistics.reliability import heights_of, size_of, smooth_calibration

STEPS = calibration_interval._STEPS
NODES = np.arange(STEPS + 1) / STEPS


def kernel(width: float) -> Any:
    """Densities at the nodes of what lies at each node, with the images of the node beyond 0 and 1."""
    images = [sign * NODES[:, None] + 2 * j for sign in (1, -1) for j in range(-2, 3)]
    density = sum(np.exp(-(((NODES - image) / width) ** 2) / 2) for image in images)
    return density / width / math.sqrt(2 * math.pi)


def sample(seed: int, n: int, wrong: float = 0.0) -> ScoredOutcomes:
    rng = np.random.default_rng(seed)
    forecasts = rng.uniform(0.05, 0.95 - wrong, n)
    return ScoredOutcomes(forecasts, rng.random(n) < forecasts + wrong)


def interval(scores: ScoredOutcomes, drawn: Drawn | None = None, confidence: float = 0.95) -> Any:
    return interval_of_smooth_error(scores, smooth_calibration(scores.ranked), confidence, drawn)


def test_heights_are_those_of_a_gaussian_kernel_with_reflection() -> None:
    nodes = np.random.default_rng(0).normal(size=(3, STEPS + 1))
    for width in (0.03, 0.2):
        found = heights_of(nodes)(width)
        # The walk between nodes is as wide as the kernel, but a little less smooth.
        np.testing.assert_allclose(found, nodes @ kernel(width), atol=0.01 * np.abs(found).max())
        np.testing.assert_allclose(size_of(found), np.trapezoid(np.abs(found), dx=1 / STEPS, axis=-1))


def test_noise_has_the_variance_of_its_two_models() -> None:
    scores = sample(1, 400, 0.1)
    weights, off = 1 / 400, scores.values - scores.hits
    units = np.arange(400) // 8
    places = np.rint(scores.values * STEPS).astype(int)
    tested = kernel(0.1)[places]
    of_forecasts = weights**2 * (scores.values * (1 - scores.values)) @ tested**2
    of_rows = weights**2 * off**2 @ tested**2
    of_units = weights**2 * sum((off[units == u] @ tested[units == u]) ** 2 for u in range(50))
    for drawn, other in ((None, of_rows), (Drawn(units, 50), of_units)):
        own = calibration_interval._Noisy(scores, 0.999, drawn).drawn
        found = ((own @ kernel(0.1)) ** 2).mean(axis=1)
        assert own.shape[1] == 4000
        np.testing.assert_allclose(found[0], of_forecasts, rtol=0.12)
        np.testing.assert_allclose(found[1], other, rtol=0.12)


@pytest.mark.parametrize(("n", "wrong"), [(60, 0.0), (400, 0.15), (3000, 0.25)])
def test_ends_are_where_the_deviation_meets_its_noise(n: int, wrong: float) -> None:
    scores = sample(2, n, wrong)
    value, found = smooth_calibration(scores.ranked), interval(scores)
    noisy = calibration_interval._Noisy(scores, 0.95, None)
    places = np.rint(scores.values * STEPS).astype(int)
    deviations = np.bincount(places, scores.values - scores.hits, STEPS + 1) / n

    def size(width: float) -> float:
        return float(np.trapezoid(np.abs(deviations @ kernel(width)), dx=1 / STEPS))

    def noise(width: float) -> float:
        sizes = np.trapezoid(np.abs(noisy.drawn @ kernel(width)), dx=1 / STEPS, axis=-1)
        return float(np.sort(sizes, axis=1)[:, 194].max())

    assert found.low <= value <= found.high
    if wrong == 0:
        assert found.low == 0
    else:
        assert size(found.low) - noise(found.low) == pytest.approx(found.low, abs=2e-3)
    signs = np.sign(deviations @ kernel(value)) @ kernel(value) / STEPS
    one_sided = 1.96 * max(np.sqrt(((own @ signs) ** 2).mean()) for own in noisy.drawn)
    assert size(found.high) + one_sided == pytest.approx(found.high, abs=3e-3)


def test_an_error_below_the_bandwidth_of_noise_is_what_noise_leaves() -> None:
    """Where the error is less than what chance alone would give, the low end is the excess at that bandwidth."""
    lows = [interval(sample(seed, 2000, 0.045)).low for seed in range(30)]
    assert any(0 < low < 0.02 for low in lows)
    assert max(lows) < 0.06


def test_calibrated_forecasts_may_have_no_error() -> None:
    held = [interval(sample(seed, 80 + seed)).low == 0 for seed in range(40)]
    assert sum(held) >= 37


def test_rows_of_units_count_as_their_units() -> None:
    scores = sample(3, 60, 0.2)
    several = ScoredOutcomes(np.repeat(scores.values, 6), np.repeat(scores.hits, 6))
    rows, units = interval(several), interval(several, Drawn(np.repeat(np.arange(60), 6), 60))
    alone = interval(scores)
    assert units.high - units.low == pytest.approx(alone.high - alone.low, rel=0.15)
    assert rows.high - rows.low < 0.7 * (units.high - units.low)
    few = interval(several, Drawn(np.arange(360) % 6, 6))
    assert math.isnan(few.low)
    assert "6 units" in few.reason


@pytest.mark.parametrize("with_units", [False, True])
def test_the_order_of_rows_and_units_does_not_matter(with_units: bool) -> None:
    scores = sample(4, 300, 0.1)
    order, renamed = np.random.default_rng(0).permutation(300), np.random.default_rng(1).permutation(75)
    units = np.arange(300) // 4
    drawn = [None, None] if not with_units else [Drawn(units, 75), Drawn(renamed[units][order], 75)]
    moved = ScoredOutcomes(scores.values[order], scores.hits[order])
    assert list(interval(moved, drawn[1])) == pytest.approx(list(interval(scores, drawn[0])), abs=1e-7)


def test_what_does_not_tell_an_error_has_none() -> None:
    exact = ScoredOutcomes(np.array([0.0, 1.0, 1.0]), np.array([False, True, True]))
    assert math.isnan(interval(exact).low)
    assert "same loss" in interval(exact).reason
    wide = interval(sample(5, 50, 0.1), confidence=0.99), interval(sample(5, 50, 0.1), confidence=0.8)
    assert wide[0].low <= wide[1].low <= wide[1].high < wide[0].high


def test_an_evaluation_has_the_interval() -> None:
    scores = sample(6, 200)
    given = {
        "probabilities": scores.values,
        "confidence": 0.9,
        "indices": ["smooth_calibration_error", "ece"],
    }
    found = adjudge.evaluate(scores.hits.astype(int), kind="classification", **given).scores
    own = interval(scores, confidence=0.9)
    assert found["smooth_calibration_error"].interval == (own.low, own.high)
    assert found["expected_calibration_error"].interval is None
    weighed = adjudge.evaluate(
        scores.hits.astype(int),
        kind="classification",
        sample_weight=np.linspace(0.5, 2, 200),
        weights="importance",
        **given,
    ).scores["smooth_calibration_error"]
    assert weighed.interval is not None
    assert weighed.interval != (own.low, own.high)
    again = {"a": scores.values, "b": scores.values**2}
    compared = adjudge.compare(
        scores.hits.astype(int), probabilities=again, kind="classification", confidence=0.9, indices=["smece"]
    )
    difference = compared.pairs["a", "b"].differences["smooth_calibration_error"]
    assert difference.interval is None
    assert "calibration" in difference.reason


AT = np.linspace(0, 1, 101)


def scores_of_both(rng: np.random.Generator, m: int, n: int, shift: float, spread: float) -> RocCurve:
    scores = np.concatenate([shift + spread * rng.normal(size=m), rng.normal(size=n)])
    return RocCurve.from_predictions([1] * m + [0] * n, scores=scores)


@pytest.mark.full
@pytest.mark.parametrize(
    ("m", "n", "shift", "spread"),
    [(20, 20, 1.0, 1.0), (15, 200, 1.5, 2.0), (80, 40, 3.0, 1.0), (60, 60, 0.0, 1.0)],
)
def test_a_band_holds_the_whole_curve(m: int, n: int, shift: float, spread: float) -> None:
    rng = np.random.default_rng(m)
    wanted = norm.cdf((shift + norm.ppf(AT)) / spread)
    held = []
    for _ in range(200):
        band = scores_of_both(rng, m, n, shift, spread).band(0.8, at=AT)
        held.append(bool(((band.low <= wanted) & (wanted <= band.high)).all()))
        assert (band.low <= band.high).all()
        assert (np.diff(band.low) >= 0).all()
        assert (np.diff(band.high) >= 0).all()
    assert np.mean(held) >= 0.8


@pytest.mark.full
def test_a_band_of_tied_scores_holds_the_oblique_pieces() -> None:
    rng = np.random.default_rng(0)
    inside, outside = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.4, 0.3, 0.2, 0.1])
    wanted = np.interp(AT, np.r_[0, np.cumsum(outside[::-1])], np.r_[0, np.cumsum(inside[::-1])])
    held = []
    for _ in range(200):
        scores = np.r_[rng.choice(4, 40, p=inside), rng.choice(4, 60, p=outside)]
        band = RocCurve.from_predictions([1] * 40 + [0] * 60, scores=scores).band(0.8, at=AT)
        held.append(bool(((band.low <= wanted + 1e-12) & (wanted <= band.high + 1e-12)).all()))
    assert np.mean(held) >= 0.8


def test_the_band_is_the_curve_moved_by_both_distances() -> None:
    """A point of the band is the observed one of the rate beside it, moved up or down."""
    curve = scores_of_both(np.random.default_rng(1), 50, 70, 1.0, 1.0)
    band = curve.band(0.9, at=AT)
    up, aside = (kolmogorov_distance(n, math.sqrt(0.9)) for n in (50, 70))
    fpr, tpr = curve.false_positive_rate, curve.true_positive_rate
    for x, low, high in zip(AT, band.low, band.high, strict=True):
        highest = tpr[fpr <= x + aside].max()
        lowest = tpr[fpr >= x - aside].min() if x >= aside else 0.0
        assert high == pytest.approx(min(1.0, highest + up))
        assert low == pytest.approx(max(0.0, lowest - up))


def test_kolmogorovs_distance_has_its_level() -> None:
    rng = np.random.default_rng(2)
    values = np.sort(rng.random((20_000, 30)), axis=1)
    rank = np.arange(30)
    gaps = np.maximum(values - rank / 30, (rank + 1) / 30 - values).max(axis=1)
    assert np.mean(gaps <= kolmogorov_distance(30, 0.9)) == pytest.approx(0.9, abs=0.01)


def test_bands_that_cannot_be() -> None:
    with pytest.raises(InputError, match="a band needs instances that were each drawn alone"):
        RocCurve.from_predictions([0, 1, 1], [0.1, 0.4, 0.8], sample_weight=[1, 2, 0.5]).band()
    with pytest.raises(InputError, match="there is no curve"):
        RocCurve.from_predictions([1, 1], [0.1, 0.4], classes=[0, 1]).band()
    curve = RocCurve.from_predictions([0, 1, 1], [0.1, 0.4, 0.8])
    with pytest.raises(InputError, match="at=: rates lie between 0 and 1"):
        curve.band(at=[0.5, 1.5])
    with pytest.raises(InputError, match="confidence"):
        curve.band(95)
    frame = curve.band(0.9, at=[0.0, 0.5]).to_frame("pandas")
    assert list(frame.columns) == ["false_positive_rate", "low", "high"]
    assert repr(curve.band(0.9)) == "<ROC band of 90 %, 0.995 wide on average>"


def test_intervals_of_bins() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(300)
    curve = ReliabilityCurve.from_predictions(rng.random(300) < p, p, n_bins=5)
    found = curve.binned
    for method, theirs in (("wilson", "wilson"), ("clopper_pearson", "exact")):
        ends = curve.intervals(0.9, method=method)
        for share, n, (low, high) in zip(found.observed, found.counts, ends, strict=True):
            wanted = binomtest(round(share * n), int(n)).proportion_ci(0.9, method=theirs)
            assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    frame = curve.to_frame("pandas", confidence=0.9)
    np.testing.assert_array_equal(frame[["observed_low", "observed_high"]], curve.intervals(0.9))
    with pytest.raises(InputError, match="method='wald' is not known"):
        curve.intervals(method="wald")


def test_intervals_of_bins_cover() -> None:
    """Forecasts of five values, each with its own bin; whatever it says, the event has another probability."""
    rng = np.random.default_rng(4)
    forecasts = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 40)
    true = np.repeat([0.02, 0.2, 0.5, 0.6, 0.97], 40)
    held: dict[str, list[np.ndarray]] = {"wilson": [], "clopper_pearson": []}
    for _ in range(600):
        curve = ReliabilityCurve.from_predictions(rng.random(200) < true, forecasts, classes=[False, True])
        for method, own in held.items():
            low, high = curve.intervals(0.95, method=method).T
            own.append((low <= true[::40]) & (true[::40] <= high))
    covered = {method: np.mean(own, axis=0) for method, own in held.items()}
    assert covered["clopper_pearson"].min() >= 0.94
    assert covered["wilson"].mean() == pytest.approx(0.95, abs=0.015)
    assert covered["wilson"].min() >= 0.91
