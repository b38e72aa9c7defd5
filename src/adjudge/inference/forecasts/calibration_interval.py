"""The interval of the smooth calibration error, by inverting a test at each bandwidth.

The error is the bandwidth s at which the smoothed deviation has a mean size g(s) of s. A sample's g differs from the
population's by no more than the mean size of the smoothed noise, so s is kept if g(s) - s is below a quantile of that
size. Noise is drawn in two ways, of which the larger counts: outcomes from the forecasts (consistency resampling, exact
for calibrated forecasts), and deviations with random signs, one for each unit.

In the other direction there is no bias to allow for: as the size is convex in the noise, g is too small by no more than
the part of the noise that has the sign of the deviation, which is a mean.

References
----------
Blasiok & Nakkiran (2024), Smooth ECE, ICLR (the error; it changes by no more than the size of what is added).
Bröcker & Smith (2007), Increasing the reliability of reliability diagrams, Weather and Forecasting 22, 651-661.
Wu (1986), Jackknife, bootstrap and other resampling methods, Annals of Statistics 14, 1261-1295 (random signs).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.blas import one_blas_thread
from adjudge.given.options import random_generator
from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.interval import Interval, why_few_units
from adjudge.inference.refusals import reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.ranked_scores import ScoredOutcomes
from adjudge.statistics.reliability import heights_of, size_of, smooth_calibration

# Steps of the grid on which noise is smoothed, and the narrowest bandwidth that they resolve.
_STEPS, _NARROWEST = 512, 8 / 512
# Least and greatest number of draws of each kind of noise.
_DRAWS = 199, 4000


def interval_of_smooth_error(
    scores: ScoredOutcomes, value: float, confidence: float, drawn: Drawn | None = None
) -> Interval:
    """Return the interval of the smooth calibration error.

    Parameters
    ----------
    scores : ScoredOutcomes
        Probabilities, and whether the outcome occurred.
    value : float
        The error in this sample.
    confidence : float
    drawn : Drawn, optional
        How the instances were sampled; default: independently.
    """
    if (reason := why_few_units(drawn)) is not None:
        return Interval.undefined(confidence, "consistency", reason)
    noisy = _Noisy(scores, confidence, drawn)
    if not noisy.drawn.any():
        return Interval.undefined(confidence, "consistency", reason_of("same loss"))
    high = smooth_calibration(scores.ranked, noisy.one_sided(value))
    return Interval(min(noisy.least(), value), min(max(high, value), 1.0), confidence, "consistency")


class _Noisy:
    """The deviations of a sample on a grid, and draws of their noise."""

    def __init__(self, scores: ScoredOutcomes, confidence: float, drawn: Drawn | None) -> None:
        self._confidence = confidence
        weights = np.ones(scores.values.size) if scores.weights is None else scores.weights
        weights = weights / weights.sum()
        values = np.asarray(scores.values, np.float64)
        places = np.rint(values * _STEPS).astype(np.int64)
        off = weights * (values - scores.hits)
        self._heights = heights_of(_at_nodes(places, off))
        n_draws = int(np.clip(np.ceil(4 / (1 - confidence)), *_DRAWS))
        normal = random_generator(0).standard_normal((2, n_draws, _STEPS + 1))
        # Outcomes drawn from the forecasts, whose sums over a node are normal but for their skewness.
        of_forecasts = _at_nodes(places, weights**2 * values * (1 - values))
        self.drawn = np.stack([normal[0] * np.sqrt(of_forecasts), _in_units(normal[1], places, off, drawn)])
        self._noise = heights_of(self.drawn)

    def least(self) -> float:
        """Return the smallest error that is kept.

        An error has no larger size at a wider bandwidth, so that small errors are tested at the bandwidth of noise.
        """
        noise = self._root(lambda width: self._quantile(width) - width, _NARROWEST)
        over = self._over(noise)
        if over <= noise:
            return max(over, 0.0)
        return self._root(lambda width: self._over(width) - width, noise)

    def one_sided(self, width: float) -> float:
        """Return a bound of the noise in the direction that the deviations have at a bandwidth."""
        width = max(width, _NARROWEST)
        signs = np.sign(self._heights(width)) / _STEPS
        signs[[0, -1]] /= 2
        parts = self.drawn @ heights_of(signs)(width)
        return normal_quantile(self._confidence) * float(np.sqrt((parts**2).mean(axis=-1)).max())

    def _over(self, width: float) -> float:
        """Return by how much the deviations exceed the noise."""
        return float(size_of(self._heights(width))) - self._quantile(width)

    def _quantile(self, width: float) -> float:
        sizes = size_of(self._noise(width))
        return float(np.quantile(sizes, (1 + self._confidence) / 2, axis=-1, method="higher").max())

    @staticmethod
    def _root(falling: Callable[[float], float], low: float) -> float:
        """Return the bandwidth from `low` to 1 at which a function falls to 0, or the nearest end."""
        from scipy.optimize import brentq

        for end, sign in ((low, -1), (1.0, 1)):
            if sign * falling(end) >= 0:
                return end
        return float(brentq(falling, low, 1.0, xtol=1e-4))


def _at_nodes(places: Ints, amounts: Floats) -> Floats:
    return np.asarray(np.bincount(places, amounts, _STEPS + 1), np.float64)


def _in_units(normal: Floats, places: Ints, off: Floats, drawn: Drawn | None) -> Floats:
    """Return sums of deviations with random signs, one for each row or unit: normal, with the same covariance."""
    if drawn is None:
        return normal * np.sqrt(_at_nodes(places, off**2))
    from scipy.sparse import coo_array

    of_units = coo_array((off, (drawn.unit, places)), shape=(drawn.n_units, _STEPS + 1)).tocsr()
    with one_blas_thread():
        values, vectors = np.linalg.eigh((of_units.T @ of_units).toarray())
        # The root that is symmetric is the same for any order of the units.
        return np.asarray(normal @ (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
