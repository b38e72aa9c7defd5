"""How an interval is made of an estimate: score-type, jackknife, bootstrap.

The default, "score", takes the jackknife's standard error and solves Wilson's quadratic for a proportion of that
standard error on the index's own range: short of its ends, where an index cannot go, such intervals are not
symmetric and hold their level with few instances. An index at an end of its range, whose standard error is 0, gets
an interval on one side, as a proportion of 0 or 1 does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.options import (
    check_choice,
    check_confidence,
    check_count,
    check_random_state,
    random_generator,
)
from adjudge.inference.samples import Sample

__all__ = [
    "METHODS",
    "Estimate",
    "Interval",
    "check_request",
    "intervals_of",
    "normal_quantile",
    "score_interval",
    "wilson",
]

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]

METHODS = ("score", "jackknife", "percentile", "bca")

# Where a quadratic statistic is degenerate its standard error falls faster than 1/sqrt(n): it is not believed to be
# worth more than so many times the instances there are.
_MOST_WORTH = 16.0


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends; nan where none can be given.
    confidence : float
    method : str
    reason : str or None
        Why it is one-sided, replaced by another method's, or undefined.
    """

    low: float
    high: float
    confidence: float
    method: str
    reason: str | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Estimate:
    """An estimate, and how it is made: from the number of instances and the pair sums, or from the cell counts."""

    observed: float
    range: tuple[float, float]
    of_sums: Callable[[int, tuple[int, ...]], float] | None
    of_counts: Callable[[Int64s], float] | None
    most_worth: float | None = None

    def without_one(self, sample: Sample) -> Float64s:
        """Leave-one-out values, one for each cell."""
        if self.of_sums is not None:
            return np.array([self.of_sums(sample.n - 1, sums) for sums in sample.without_one()])
        assert self.of_counts is not None
        values = np.empty(sample.counts.size)
        counts = sample.counts.copy()
        for cell in range(counts.size):
            counts[cell] -= 1
            values[cell] = self.of_counts(counts)
            counts[cell] += 1
        return values


def check_request(confidence: float, method: str, n_resamples: int, random_state: Any = None) -> None:
    """Raise unless such intervals can be made."""
    check_choice("method", method, METHODS)
    check_confidence(confidence)
    check_count("n_resamples", n_resamples)
    check_random_state(random_state)


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors lie on each side of a normal estimate."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Score interval of a proportion."""
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    # At 0 and 1 the ends are exact but for rounding.
    return (0.0 if share <= 0 else centre - half), (1.0 if share >= 1 else centre + half)


def intervals_of(
    estimates: Sequence[Estimate],
    sample: Sample,
    confidence: float,
    method: str,
    n_resamples: int,
    random_state: Any,
) -> list[Interval]:
    """Make an interval of each estimate; the bootstrap's are all from the same resamples."""
    if sample.n < 2:
        return [Interval(math.nan, math.nan, confidence, method, "there is one instance") for _ in estimates]
    if method in ("score", "jackknife"):
        return [_by_jackknife(s, sample, confidence, method) for s in estimates]
    drawn: list[list[float]] = [[] for _ in estimates]
    for counts in sample.resamples(n_resamples, random_generator(random_state)):
        sums = sample.resampled_sums(counts) if any(s.of_sums for s in estimates) else []
        for estimate, values in zip(estimates, drawn, strict=True):
            if estimate.of_sums is not None:
                values.extend(estimate.of_sums(sample.n, each) for each in sums)
            elif estimate.of_counts is not None:
                values.extend(estimate.of_counts(each) for each in counts)
    return [
        _by_bootstrap(s, np.array(values), sample, confidence, method)
        for s, values in zip(estimates, drawn, strict=True)
    ]


def _undefined(estimate: Estimate, confidence: float, method: str) -> Interval | None:
    """Interval where the estimate itself is undefined: all that the range allows, if that is finite."""
    if not math.isnan(estimate.observed):
        return None
    low, high = map(float, estimate.range)
    if math.isfinite(low) and math.isfinite(high):
        return Interval(low, high, confidence, method, "the estimate is undefined: every value is possible")
    return Interval(math.nan, math.nan, confidence, method, "the estimate is undefined")


def _by_jackknife(estimate: Estimate, sample: Sample, confidence: float, method: str) -> Interval:
    undefined = _undefined(estimate, confidence, method)
    if undefined is not None:
        return undefined
    error = sample.jackknife_error(estimate.without_one(sample))
    low, high = map(float, estimate.range)
    finite = math.isfinite(low) and math.isfinite(high)
    if finite and (method == "score" or error == 0):
        return score_interval(
            estimate.observed, (low, high), error, sample.n, confidence, estimate.most_worth
        )
    if math.isnan(error) or error == 0:
        reason = (
            "leaving out any instance changes nothing, and the index has no finite range"
            if error == 0
            else "the index is undefined without one of the instances"
        )
        return Interval(math.nan, math.nan, confidence, method, reason)
    half = normal_quantile(confidence) * error
    return Interval(
        max(low, estimate.observed - half),
        min(high, estimate.observed + half),
        confidence,
        "jackknife",
        None if method == "jackknife" else "the index has no finite range",
    )


def score_interval(
    estimate: float,
    limits: tuple[float, float],
    error: float,
    n: int,
    confidence: float,
    most_worth: float | None = None,
) -> Interval:
    """Wilson's interval for the share of its range that an estimate reaches, as precise as its standard error says."""
    low, high = limits
    width = high - low
    share = min(1.0, max(0.0, (estimate - low) / width))
    variance = (error / width) ** 2
    reason = None
    if math.isnan(error):
        reason = "undefined without one of the instances: as imprecise as a proportion of few instances"
        worth = 1.0 if most_worth is None else most_worth
    elif variance > 0 and 0 < share < 1:
        worth = min(share * (1 - share) / variance, _MOST_WORTH * n)
    else:
        reason = "no instance changes the estimate: one-sided, as of a proportion of as many instances"
        worth = float(n)
    if most_worth is not None:
        worth = min(worth, most_worth)
    share_low, share_high = wilson(share, worth, normal_quantile(confidence))
    return Interval(low + width * share_low, low + width * share_high, confidence, "score", reason)


def _by_bootstrap(
    estimate: Estimate, values: Float64s, sample: Sample, confidence: float, method: str
) -> Interval:
    undefined = _undefined(estimate, confidence, method)
    if undefined is not None:
        return undefined
    defined = np.sort(values[~np.isnan(values)])
    reason = None
    if defined.size < values.size:
        reason = (
            f"{values.size - defined.size} of {values.size} resamples, where the index is undefined, left out"
        )
    if defined.size == 0 or defined[0] == defined[-1]:
        other = _by_jackknife(estimate, sample, confidence, "score")
        reason = "all resamples give the same value" + (f"; {other.reason}" if other.reason else "")
        return Interval(other.low, other.high, confidence, other.method, reason)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "bca":
        adjusted = _bca_levels(estimate, defined, sample, tails)
        if adjusted is None:
            reason = (
                "the estimate lies outside all resamples, or has no acceleration: percentiles as they are"
            )
        else:
            tails = adjusted
    low, high = (float(v) for v in np.quantile(defined, tails))
    return Interval(low, high, confidence, method, reason)


def _bca_levels(estimate: Estimate, values: Float64s, sample: Sample, tails: Float64s) -> Float64s | None:
    """Levels at which the resamples' distribution is read, corrected for bias and for skewness."""
    from scipy.special import ndtr, ndtri

    below = float((values < estimate.observed).mean() + (values == estimate.observed).mean() / 2)
    without_one = estimate.without_one(sample)
    centred = float(sample.counts @ without_one) / sample.n - without_one
    spread = float(sample.counts @ centred**2)
    if not 0 < below < 1 or not spread > 0:
        return None
    bias = float(ndtri(below))
    acceleration = float(sample.counts @ centred**3) / (6 * spread**1.5)
    shifted = bias + ndtri(tails)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))
