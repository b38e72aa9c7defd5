"""Bands of ROC curves and intervals of bins hold what they say, over populations that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from adjudge import InputError
from adjudge.inference.forecasts.roc_band import kolmogorov_distance
from adjudge.results import ReliabilityCurve, RocCurve

AT = np.linspace(0, 1, 101)


def sample(rng: np.random.Generator, m: int, n: int, shift: float, spread: float) -> RocCurve:
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
        band = sample(rng, m, n, shift, spread).band(0.8, at=AT)
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
    curve = sample(np.random.default_rng(1), 50, 70, 1.0, 1.0)
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
