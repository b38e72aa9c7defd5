"""Bootstrap intervals of indices of partitions, by resampling the cells of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.options import random_generator
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.influence import Influence, rounding_of
from adjudge.inference.interval import Interval


@dataclass(frozen=True, eq=False)
class Resampled:
    """An index, computed from the number of instances and the pair sums, or from the cell counts."""

    observed: float
    of_sums: Callable[[int, tuple[int, ...]], float] | None
    of_counts: Callable[[Ints], float] | None


def bootstrap_intervals(
    indices: Sequence[Resampled],
    sample: CrossTabulation,
    confidence: float,
    method: str,
    n_resamples: int,
    random_state: Any,
    influences: Sequence[Influence | None],
) -> list[Interval | None]:
    """Return the intervals of several indices, all from the same resamples; None for an index that does not vary.

    Parameters
    ----------
    indices : sequence of Resampled
    sample : CrossTabulation
    confidence : float
    method : {"percentile", "bca"}
    n_resamples : int
    random_state : int, Generator, SeedSequence or None, default 0
    influences : sequence of Influence or None
        Influence on each index, whose skewness gives the acceleration of "bca".

    References
    ----------
    Efron (1987), Better bootstrap confidence intervals, JASA 82, 171-185.
    """
    drawn: list[list[float]] = [[] for _ in indices]
    for counts in sample.resamples(n_resamples, random_generator(random_state)):
        sums = sample.resampled_sums(counts) if any(own.of_sums for own in indices) else []
        for own, values in zip(indices, drawn, strict=True):
            if own.of_sums is not None:
                values.extend(own.of_sums(sample.n, each) for each in sums)
            elif own.of_counts is not None:
                values.extend(own.of_counts(each) for each in counts)
    return [
        _interval(own.observed, np.array(values), influence, confidence, method)
        for own, values, influence in zip(indices, drawn, influences, strict=True)
    ]


def _interval(
    observed: float, values: Floats, influence: Influence | None, confidence: float, method: str
) -> Interval | None:
    defined = np.sort(values[~np.isnan(values)])
    if np.isnan(observed) or defined.size == 0:
        return None
    if defined[-1] - defined[0] <= rounding_of(observed):
        return None
    reason = None
    if defined.size < values.size:
        reason = f"without {values.size - defined.size} of {values.size} resamples, in which the index is undefined"
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "bca":
        adjusted = _levels(observed, defined, influence, tails)
        if adjusted is None:
            reason = (
                "the estimate lies outside all resamples, or has no acceleration: percentiles as they are"
            )
        else:
            tails = adjusted
    low, high = (float(v) for v in np.quantile(defined, tails))
    return Interval(low, high, confidence, method, reason)


def _levels(observed: float, values: Floats, influence: Influence | None, tails: Floats) -> Floats | None:
    """Return the quantile levels of the resamples, corrected for bias and skewness; None if undefined."""
    from scipy.special import ndtr, ndtri

    below = float((values < observed).mean() + (values == observed).mean() / 2)
    spread = 0.0 if influence is None else influence.moment(2)
    if influence is None or not 0 < below < 1 or not spread > 0:
        return None
    bias = float(ndtri(below))
    acceleration = influence.moment(3) / (6 * spread**1.5)
    shifted = bias + ndtri(tails)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))
