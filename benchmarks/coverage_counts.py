"""Which coverages an interval can have, if the number of misplaced instances decides what the index is.

An interval whose ends grow with that number holds the true value for a run of numbers, a, a + 1, ..., b. Its coverage
is the probability of such a run, and there may be none within the band that is asked for: of a Poisson variable with
mean 1, the run 0 to 2 has 0.920 and 0 to 3 has 0.981.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

__all__ = ["ALMOST_ALL", "explained", "gap", "gap_of"]

#: Share of the variance of an index from which on a count decides what it is.
ALMOST_ALL = 0.95


def gap(n: int, share: float, least: float, most: float) -> tuple[float, float] | None:
    """Return the nearest coverages below and above the band, if no run of numbers of events has one within it.

    Parameters
    ----------
    n : int
        Instances.
    share : float
        Probability that one is an event.
    least, most : float
        The band.
    """
    if n * share > 50:  # no number has a probability as large as the band is wide
        return None
    highest = int(binom.isf(1e-12, n, share)) + 1
    below = np.r_[0.0, binom.cdf(np.arange(highest + 1), n, share)]
    runs = (below[None, :] - below[:, None])[np.triu_indices(below.size, 1)]
    if ((runs >= least) & (runs <= most)).any():
        return None
    return float(runs[runs < least].max()), float(runs[runs > most].min(initial=1.0))


def explained(values: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Share of the variance of values that lies between samples with different counts."""
    known = ~np.isnan(values)
    values, counts = values[known], counts[known]
    if values.size < 2 or not np.ptp(values) > 0:
        return 0.0
    _, group = np.unique(counts, return_inverse=True)
    means = np.bincount(group, values) / np.bincount(group)
    return float(1 - np.var(values - means[group]) / np.var(values))


def gap_of(
    values: Sequence[float],
    counts: Mapping[float, Sequence[int]],
    n: int,
    band: tuple[float, float],
) -> tuple[float, float] | None:
    """Return the gap of the count that decides what an index is; None if none does, or there is no gap.

    Parameters
    ----------
    values : sequence of float
        The index in each sample.
    counts : mapping of float to sequence of int
        By the probability of an event: how many there are in each sample.
    """
    found: dict[float, Any] = {
        share: explained(np.asarray(values, np.float64), np.asarray(own)) for share, own in counts.items()
    }
    if not found:
        return None
    share = max(found, key=lambda one: found[one])
    return gap(n, share, *band) if found[share] >= ALMOST_ALL else None
