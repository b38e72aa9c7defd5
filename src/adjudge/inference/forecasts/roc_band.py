"""A band that contains the whole ROC curve of the population with at least the given probability.

The two distributions of scores, within the class and outside it, lie within Kolmogorov's distance of those observed.
If both do, each point of the curve is at most that far from the observed point at its threshold.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.array_types import Floats


def kolmogorov_distance(n: int, probability: float) -> float:
    """Return the distance that the observed distribution of n values does not exceed with this probability.

    Examples
    --------
    >>> from adjudge.inference.forecasts.roc_band import kolmogorov_distance
    >>> round(kolmogorov_distance(100, 0.95), 3)
    0.134
    """
    from scipy.stats import kstwo

    return float(kstwo.ppf(probability, n))


def roc_band(
    false_positive_rate: Floats,
    true_positive_rate: Floats,
    sizes: tuple[int, int],
    at: Floats,
    confidence: float,
) -> tuple[Floats, Floats]:
    """Return the lower and upper limits of the band.

    Parameters
    ----------
    false_positive_rate, true_positive_rate : ndarray of shape (m,)
        The observed curve, rising from (0, 0) to (1, 1).
    sizes : (int, int)
        Numbers of instances of the class, and of others.
    at : ndarray of float64
        False positive rates at which to compute the band.
    confidence : float

    References
    ----------
    Campbell (1994), Advances in statistical methodology for the evaluation of diagnostic and laboratory tests.
    """
    # The two samples are independent.
    each = math.sqrt(confidence)
    up, aside = (kolmogorov_distance(n, each) for n in sizes)
    low = _at(false_positive_rate, true_positive_rate, at - aside, top=False) - up
    high = _at(false_positive_rate, true_positive_rate, at + aside, top=True) + up
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _at(x: Floats, y: Floats, at: Floats, *, top: bool) -> Floats:
    """Return the height of a rising line, at the top or foot of vertical pieces; 0 left of it, 1 right of it."""
    right = np.minimum(np.searchsorted(x, at, side="right" if top else "left"), x.size - 1)
    left = np.maximum(right - 1, 0)
    run = x[right] - x[left]
    share = np.clip((at - x[left]) / np.where(run > 0, run, 1.0), 0.0, 1.0)
    share = np.where(run > 0, share, 1.0 if top else 0.0)
    found = y[left] + share * (y[right] - y[left])
    return np.where(at < 0, 0.0, np.where((at >= 1) & top, 1.0, found))
