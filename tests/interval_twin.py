"""The interval of a value from what each event does to it, solved one end at a time: the rule in its plainest form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.stats import gamma, norm, t

Numbers = Sequence[float] | np.ndarray


def limits_of_sum(sizes: Numbers, times: Numbers, unseen: float, tail: float) -> tuple[float, float]:
    """Limits of a sum of counts: half of the weight on what was seen, half on one more of the largest size."""
    sizes, times = np.asarray(sizes, float), np.asarray(times, float)
    total, squares = float(times @ sizes), float(times @ sizes**2)
    largest = max([unseen, *sizes[(times > 0) & (sizes > 0)]])
    if largest == 0:
        return 0.0, 0.0
    more, wide = total + largest, squares + largest**2

    def below(x: float) -> float:
        seen = gamma.cdf(x, total**2 / squares, scale=squares / total) if total > 0 else 1.0
        return float(seen + gamma.cdf(x, more**2 / wide, scale=wide / more)) / 2

    farthest = more + 60 * math.sqrt(wide)
    low = brentq(lambda x: below(x) - tail, 0, farthest, xtol=1e-14 * farthest) if total > 0 else 0.0
    return low, float(brentq(lambda x: below(x) - (1 - tail), 0, farthest, xtol=1e-14 * farthest))


def ends_of_events(
    value: float,
    steps: Numbers,
    times: Numbers | None,
    rise: float,
    fall: float,
    confidence: float,
    freedom: float,
) -> tuple[float, float]:
    """Ends of the interval of a value that events, so many of each, move by these steps."""
    steps = np.asarray(steps, float)
    times, tail = np.ones(steps.size) if times is None else np.asarray(times, float), (1 - confidence) / 2
    up, down = np.maximum(steps, 0), np.maximum(-steps, 0)
    (least_up, most_up), (least_down, most_down) = (
        limits_of_sum(own, times, unseen, tail) for own, unseen in ((up, rise), (down, fall))
    )
    ups, downs = float(times @ up), float(times @ down)
    stretch = t.isf(tail, freedom) / norm.isf(tail)
    return (
        value - stretch * math.hypot(ups - least_up, most_down - downs),
        value + stretch * math.hypot(most_up - ups, downs - least_down),
    )


def ends(
    value: float,
    psi: Numbers,
    counts: Numbers | None = None,
    rise: float = 0.0,
    fall: float = 0.0,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Ends of the interval of a value, given the influence of independent instances."""
    psi = np.asarray(psi, float)
    n = float(psi.size if counts is None else np.sum(counts))
    steps = psi / math.sqrt(n * (n - 1))
    return ends_of_events(value, steps, counts, rise, fall, confidence, n - 1)


def ends_of_units(
    value: float,
    psi: Numbers,
    units: np.ndarray,
    rise: float = 0.0,
    fall: float = 0.0,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Ends of the interval of a mean over rows: an event is what the mean loses without a unit.

    Units whose rows all move nothing tell nothing about how it varies.
    """
    psi, sizes = np.asarray(psi, float), np.bincount(units)
    steps = np.bincount(units, psi) / (sizes.sum() - sizes) * math.sqrt((sizes.size - 1) / sizes.size)
    known = sizes[np.bincount(units, np.abs(psi)) > 0]
    effective = known.sum() ** 2 / float(known @ known)
    return ends_of_events(value, steps, None, rise, fall, confidence, effective - 1)
