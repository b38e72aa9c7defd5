"""Score-type intervals of an index with few or many instances, and the test that they contain.

An index that is a share of instances has Wilson's interval; here the same quadratic is solved for any index, with the
variance that its influence function gives. Three things are added to it:

- The variance of an index depends on its own value. Wilson's quadratic knows that of a share; if the instances
  say otherwise (two clusters, labels near chance), the law is tilted towards smaller and larger values of the index
  (Efron 1981), and the interval goes half-way to what the variance there asks for.
- With up to five events (misplaced instances, say) Wilson's limit on the near side may fail to hold its level; that of
  a count does not.
- With no event at all the interval is as wide as the slope of the index says: by how much the first event would
  change it.

Half-way, and five, were chosen by simulation; ``studies/partitions_elsewhere.py`` measures the coverage under other
laws.

References
----------
Wilson (1927), Journal of the American Statistical Association 22, 209-212.
Efron (1981), Canadian Journal of Statistics 9, 139-158.
Johnson (1978), Journal of the American Statistical Association 73, 536-544 (variance and mean of skewed variables).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.proportions import near_mid_p, normal_quantile, wilson
from adjudge.inference.common.turns import Turn

__all__ = [
    "FEW_EVENTS",
    "UNSEEN_EVENTS",
    "InvertedTest",
    "ScoreBasis",
    "Unseen",
    "slope_of_a_mean",
    "slopes_of",
]

# Up to this many events the near limit is that of a count.
FEW_EVENTS = 5.0

# Variance of events none of which was seen, in squares of what one does: z deviations are to reach the 97.5 % mid-P
# limit of a Poisson variable, log 20.
UNSEEN_EVENTS = (math.log(20.0) / 1.959964) ** 2

# Least confidence of an end that has more than half of the errors.
_LEAST_CONFIDENCE = 0.001


class Unseen(NamedTuple):
    """What a first misplaced instance would do to an index that has no best value, if none was drawn.

    Attributes
    ----------
    event : float
        By how much it would change the index; negative if the index gets smaller.
    end : float
        What the index cannot pass in that direction.
    """

    event: float
    end: float


class InvertedTest(Protocol):
    """A test of each value of an index, and the interval of the values that it does not reject."""

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return both ends."""

    def p_value(self, null: float) -> float:
        """Return the p-value of a value."""


@dataclass(frozen=True, slots=True)
class ScoreBasis:
    """An estimate with all that its interval, at any confidence, and its test are made of.

    Attributes
    ----------
    estimate : float
    limits : tuple of float
        If the variance vanishes, as a share's does at 0 and 1; infinite if it nowhere does.
    variance : float
    event : float
        By how much one more event would change the estimate. Needed if it lies at a limit; elsewhere it makes sure
        that the variance is not that of fewer events than have been seen.
    slopes : tuple of float
        How much of a standard deviation the variance changes with the value, towards smaller and larger ones; nan
        if it cannot be told.
    ends : tuple of float
        What the index cannot pass, if that is within the limits.
    turns : tuple of Turn or None
        If smaller values, and larger ones, come to an end because the index turns back.
    back : callable or None
        If all of this is of a function of the index: the growing function from there to the index.
    inverted : InvertedTest or None
        If a test of each value of the index is inverted instead of all this.
    unseen : Unseen or None
        If events that were not seen could only move the index in one direction: the interval is made longer there.
    skewed : bool
        Whether the slopes are those of a skewed mean. They then make one end nearer and the other farther; else they
        only make ends farther.
    """

    estimate: float
    limits: tuple[float, float]
    variance: float
    event: float = math.nan
    slopes: tuple[float, float] = (math.nan, math.nan)
    ends: tuple[float, float] = (-math.inf, math.inf)
    turns: tuple[Turn | None, Turn | None] = (None, None)
    back: Callable[[float], float] | None = None
    inverted: InvertedTest | None = None
    unseen: Unseen | None = None
    skewed: bool = False

    @property
    def bounded(self) -> bool:
        """Whether both limits are finite."""
        return all(map(math.isfinite, self.limits))

    @property
    def at_a_limit(self) -> bool:
        """Whether no event has been seen."""
        return self.bounded and not self.variance > 0 and self.inverted is None

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return both ends."""
        ends = self._of_what_was_seen(confidence)
        return ends if self.unseen is None else self._with_unseen(self.unseen, ends, confidence)

    def _with_unseen(
        self, unseen: Unseen, ends: tuple[float, float], confidence: float
    ) -> tuple[float, float]:
        """Allow for as many events as would not be seen in half of the errors; the other end has what is left of these.

        The longer side hardly ever misses if there are no such events, and the other one if there are.
        """
        from scipy.special import ndtr

        errors = 1 - confidence
        estimate = self.estimate if self.back is None else self.back(self.estimate)
        grows = unseen.event > 0
        own = abs(ends[grows] - estimate)
        far = math.hypot(own, math.log(errors) * unseen.event)
        missed = float(ndtr(-normal_quantile(confidence) * far / own)) if own > 0 else 0.0
        near = self._of_what_was_seen(max(_LEAST_CONFIDENCE, 1 - 2 * (errors - missed)))
        if grows:
            return near[0], min(estimate + far, unseen.end)
        return max(estimate - far, unseen.end), near[1]

    def _of_what_was_seen(self, confidence: float) -> tuple[float, float]:
        low, high = self._ends(confidence) if self.inverted is None else self.inverted.interval(confidence)
        low, high = max(self.limits[0], self.ends[0], low), min(self.limits[1], self.ends[1], high)
        return (low, high) if self.back is None else (self.back(low), self.back(high))

    def _ends(self, confidence: float) -> tuple[float, float]:
        z = normal_quantile(confidence)
        near_low, near_high = self._of_a_share(confidence, z) if self.bounded else self._normal(z)
        low, high = self._end(near_low, z, -1), self._end(near_high, z, 1)
        only = self._only_turn()
        if only is not None and only.quadratic(self.estimate):
            nearer, farther = only.ends(self.estimate, confidence)
            if nearer == only.value and math.isnan(only.observed):
                nearer = low if only.scale > 0 else high
            low, high = (nearer, farther) if only.scale > 0 else (farther, nearer)
        return low, high

    def _only_turn(self) -> Turn | None:
        low, high = self.turns
        return None if low is not None and high is not None else low or high

    def _end(self, near: float, z: float, sign: int) -> float:
        turn = self.turns[0 if sign < 0 else 1]
        if turn is not None:
            return self._by_turn(turn, z, sign)
        far = self._by_slope(z, sign)
        nearer = sign * (far - near) <= 0 and not self.skewed
        return near if math.isnan(far) or nearer else (near + far) / 2

    def p_value(self, null: float) -> float:
        """Return 1 less the largest confidence at which the interval leaves `null` out: the two-sided p-value."""
        if self.estimate == null:
            return 1.0
        if self.inverted is not None:
            return self.inverted.p_value(null)

        def leaves_out(alpha: float) -> bool:
            low, high = self.interval(1 - alpha)
            return not low <= null <= high

        smallest, largest = 1e-15, 1.0
        if leaves_out(smallest):
            return smallest
        # On a logarithmic scale: four digits of any p-value.
        for _ in range(24):
            middle = math.sqrt(smallest * largest)
            smallest, largest = (smallest, middle) if leaves_out(middle) else (middle, largest)
        return largest

    def _normal(self, z: float) -> tuple[float, float]:
        half = z * math.sqrt(self.variance)
        return self.estimate - half, self.estimate + half

    def _of_a_share(self, confidence: float, z: float) -> tuple[float, float]:
        """Take the estimate for the share of its range that it reaches, of as many instances as its variance says."""
        low, high = self.limits
        width = high - low
        if width == 0:  # as of the distance of partitions with one cluster each: there is but one value
            return low, high
        share = min(1.0, max(0.0, (self.estimate - low) / width))
        rest = share * (1 - share)
        variance, event = self.variance / width**2, self.event / width
        if rest > 0 and variance > 0:
            worth = (rest + event) / (variance + event**2) if event > 0 else rest / variance
        elif event > 0:
            worth = 1 / event
        else:
            return low, high
        worth = max(worth, 1.0)
        ends = wilson(share, worth, z)
        if min(share, 1 - share) * worth < FEW_EVENTS:
            exact = near_mid_p(share, worth, confidence)
            # The limit on the side of the range's near end; of few instances in all, both.
            near_low, near_high = share <= 0.5, share > 0.5
            if near_low or worth < 2 * FEW_EVENTS:
                ends = min(ends[0], exact[0]), ends[1]
            if near_high or worth < 2 * FEW_EVENTS:
                ends = ends[0], max(ends[1], exact[1])
        return low + width * ends[0], low + width * ends[1]

    def _by_turn(self, turn: Turn, z: float, sign: int) -> float:
        """Return the farthest value that is not rejected, the variance changing evenly until the index turns back."""
        distance = sign * (turn.value - self.estimate)
        if distance <= z * math.sqrt(turn.variance):
            return self.estimate + sign * z * math.sqrt(turn.variance)
        bend = z * z * (turn.variance - self.variance) / distance / 2
        return self.estimate + sign * (bend + math.sqrt(bend * bend + z * z * self.variance))

    def _by_slope(self, z: float, sign: int) -> float:
        """Return where (value - estimate)^2 = z^2 (variance + slope (value - estimate))."""
        slope = self.slopes[0 if sign < 0 else 1] * math.sqrt(self.variance)
        bend = z * z * slope / 2
        return self.estimate + bend + sign * math.sqrt(bend * bend + z * z * self.variance)


def slopes_of(
    estimate: float, variance: float, at: Callable[[float], tuple[float, float]]
) -> tuple[float, float]:
    """Slopes of the variance for a basis; `at(z)` tells value and variance of the law tilted by z deviations."""
    if not variance > 0:
        return math.nan, math.nan
    deviation = math.sqrt(variance)
    found = []
    for z in (-2.0, 2.0):
        value, there = at(z)
        moved = value - estimate
        # Near a turning point of the index the tilted law has hardly another value.
        if not moved * z > 0.2 * deviation:
            found.append(0.0)
        else:
            found.append((there - variance) / moved / deviation)
    return found[0], found[1]


def slope_of_a_mean(influence: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Slope of the variance for a basis if the index is nearly a mean: third cumulant over the second one.

    Parameters
    ----------
    influence : ndarray of shape (some,)
        What each instance does to the index, in any unit.
    weights : ndarray of shape (some,)
        Instances that are alike.
    """
    n = float(weights.sum())
    centred = influence - float(weights @ influence) / n
    second, third = (float(weights @ centred**k) / n for k in (2, 3))
    return float(third / second**1.5 / math.sqrt(n))
