"""How an interval is made of an estimate: score-type, jackknife, bootstrap.

The default, "score", is Wilson's interval of a proportion, for any index: see
:mod:`adjudge.inference.common.score_intervals`. It needs the influence function of the index, in one look at the cells;
a function of one's own is left to the jackknife.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.common.samples import Sample, without_one
from adjudge.inference.common.score_intervals import ScoreBasis
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import NO_ESTIMATE, WITHOUT_ONE, RefusedError

__all__ = [
    "METHODS",
    "Estimate",
    "check_request",
    "interval_of_score",
    "intervals_of",
    "score_interval",
]

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]

METHODS = ("score", "jackknife", "percentile", "bca")


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate, and how it is made: from the number of instances and the pair sums, or from the cell counts.

    `left_out` are its values without an instance of each cell, if they are known.
    `score` finds what a score-type interval is made of: None if the index has no slope; it may raise
    :class:`RefusedError`.
    """

    observed: float
    range: tuple[float, float]
    of_sums: Callable[[int, tuple[int, ...]], float] | None
    of_counts: Callable[[Int64s], float] | None
    score: Callable[[], ScoreBasis | None] | None = None
    left_out: Float64s | None = None

    def without_one(self, sample: Sample) -> Float64s:
        """Leave-one-out values, one for each cell."""
        if self.left_out is not None:
            return self.left_out
        if self.of_sums is not None:
            return np.array([self.of_sums(sample.n - 1, sums) for sums in sample.without_one()])
        assert self.of_counts is not None
        return np.array([self.of_counts(counts) for counts in without_one(sample.counts)], np.float64)


def check_request(confidence: float, method: str, n_resamples: int, random_state: Any = None) -> None:
    """Raise unless such intervals can be made."""
    check_choice("method", method, METHODS)
    check_confidence(confidence)
    check_count("n_resamples", n_resamples)
    check_random_state(random_state)


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
        return [Interval.undefined(confidence, method, "there is one instance") for _ in estimates]
    if method == "score":
        return [_by_score(s, sample, confidence) for s in estimates]
    if method == "jackknife":
        return [_by_jackknife(s, sample, confidence) for s in estimates]
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
    """Interval if the estimate itself is undefined: all that the range allows, if that is finite."""
    if not math.isnan(estimate.observed):
        return None
    low, high = map(float, estimate.range)
    if math.isfinite(low) and math.isfinite(high):
        return Interval(low, high, confidence, method, f"{NO_ESTIMATE}: every value is possible")
    return Interval.undefined(confidence, method, NO_ESTIMATE)


def _by_score(estimate: Estimate, sample: Sample, confidence: float) -> Interval:
    undefined = _undefined(estimate, confidence, "score")
    if undefined is not None:
        return undefined
    if sample.n < 3:
        reason = "there are fewer than 3 instances"
        return Interval.undefined(confidence, "score", reason)
    if estimate.score is None:
        return _by_jackknife(estimate, sample, confidence, "score")
    try:
        score = estimate.score()
    except RefusedError as refusal:
        return Interval.undefined(confidence, "score", str(refusal))
    if score is None:
        return _by_jackknife(estimate, sample, confidence, "score")
    return interval_of_score(score, estimate.observed, confidence)


def score_interval(
    estimate: float,
    limits: tuple[float, float],
    error: float,
    n: int,
    confidence: float,
    event: float = math.nan,
) -> Interval:
    """Make a score-type interval of an estimate with a standard error, from `n` instances.

    `event` is how much one of them may change it, if the error is 0.
    """
    if math.isnan(error):
        reason = "undefined without one of the instances: every value is possible"
        return Interval(*limits, confidence, "score", reason)
    if error > 0:
        event = math.nan
    elif math.isnan(event):
        # If no instance changes it, its slope is not known: as if it were a share of the instances.
        event = (limits[1] - limits[0]) / n
    return interval_of_score(ScoreBasis(estimate, limits, error**2, event), estimate, confidence)


def interval_of_score(score: ScoreBasis, observed: float, confidence: float) -> Interval:
    """Make the interval, and say what is peculiar about it."""
    low, high = score.interval(confidence)
    estimate = score.estimate if score.back is None else score.back(score.estimate)
    around_another = (
        score.back is None
        and not score.at_a_limit
        and abs(estimate - observed) > 0.25 * math.sqrt(score.variance)
    )
    # Rounding, or a limit that was moved, must not leave out what the interval is about.
    held = estimate if around_another else observed
    low, high = min(low, held), max(high, held)
    if score.at_a_limit:
        is_end = held in (low, high)
        ends = "one-sided, and the other end supposes" if is_end else "the ends suppose"
        reason = f"no instance changes the estimate: {ends} that the next one would"
        return Interval(low, high, confidence, "score", reason, one_sided=is_end)
    if not (score.variance > 0 or score.bounded):
        reason = "leaving out any instance changes nothing, and the index has no finite range"
        return Interval.undefined(confidence, "score", reason)
    if not around_another:
        return Interval(low, high, confidence, "score")
    size = "small" if score.estimate > observed else "large"
    reason = (
        f"around the estimate for the population: with so few instances the value is too {size} on average"
    )
    return Interval(low, high, confidence, "score", reason, score.estimate)


def _by_jackknife(
    estimate: Estimate, sample: Sample, confidence: float, method: str = "jackknife"
) -> Interval:
    """Interval from leaving out an instance of each cell; by Wilson's quadratic if `method` is "score"."""
    undefined = _undefined(estimate, confidence, method)
    if undefined is not None:
        return undefined
    error = sample.jackknife_error(estimate.without_one(sample))
    low, high = map(float, estimate.range)
    finite = math.isfinite(low) and math.isfinite(high)
    if math.isnan(error):
        return Interval.undefined(confidence, method, WITHOUT_ONE)
    if error == 0 and not finite:
        reason = "leaving out any instance changes nothing, and the index has no finite range"
        return Interval.undefined(confidence, method, reason)
    if finite and (method == "score" or error == 0):
        return score_interval(estimate.observed, (low, high), error, sample.n, confidence)
    half = normal_quantile(confidence) * error
    return Interval(
        max(low, estimate.observed - half),
        min(high, estimate.observed + half),
        confidence,
        "jackknife",
        None if method == "jackknife" else "the index has no finite range",
    )


def _by_bootstrap(
    estimate: Estimate, values: Float64s, sample: Sample, confidence: float, method: str
) -> Interval:
    undefined = _undefined(estimate, confidence, method)
    if undefined is not None:
        return undefined
    defined = np.sort(values[~np.isnan(values)])
    reason = None
    if defined.size < values.size:
        reason = f"without {values.size - defined.size} of {values.size} resamples, in which the index is undefined"
    if defined.size == 0 or defined[0] == defined[-1]:
        other = _by_score(estimate, sample, confidence)
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
