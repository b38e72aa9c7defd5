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

Half-way, and five, were chosen by simulation; ``benchmarks/coverage_study.py`` measures the coverage on a grid of
its own.

References
----------
Wilson (1927), Journal of the American Statistical Association 22, 209-212.
Efron (1981), Canadian Journal of Statistics 9, 139-158.
Berry & Armitage (1995), The Statistician 44, 417-423 (mid-P).
Blaker (2000), Canadian Journal of Statistics 28, 783-798 (errors on one side alone, if there are none on the other).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FEW_EVENTS",
    "UNSEEN_EVENTS",
    "InvertedTest",
    "RefusedError",
    "ScoreBasis",
    "Turn",
    "Unseen",
    "clopper_pearson",
    "mid_p",
    "near_mid_p",
    "normal_quantile",
    "round_up",
    "slopes_of",
    "turns_of",
    "wilson",
]

# Up to this many events the near limit is that of a count.
FEW_EVENTS = 5.0
# How much more often than it says an interval may miss if the number of events has so few values that it cannot miss
# as often as it says. Half as often again is enough for a coverage of 0.925 to 0.98 if the mean is 0.69 or more, but
# for means of 0.97 to 1.02.
_MOST_ERRORS = 1.5
# Variance of events none of which was seen, in squares of what one does: z deviations are to reach the 97.5 % mid-P
# limit of a Poisson variable, log 20.
UNSEEN_EVENTS = (math.log(20.0) / 1.959964) ** 2
# Deviations that a law tilted by two of them has moved at least if the index does not turn back; and how far laws
# are tilted in search of the turn.
_STRAIGHT = 1.2
_PATH = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
# Standard deviations at the turn within which the quadratic form is used.
_NEAR = 7.0
# Degrees of freedom above which a quadratic form is normal; they are this many if only rounding tells of a scale.
_MOST_FREEDOM = 1e6
# Largest part of the variance at a turn that may be linear if the index is to be a quadratic form.
_ALL_QUADRATIC = 0.1
# Least confidence of an end that has more than half of the errors.
_LEAST_CONFIDENCE = 0.001
# Level of the smallest chi-square value that is used for an estimate.
_LEAST_LEVEL = 0.25


class RefusedError(Exception):
    """No interval would hold its level; the argument says why, and what would help."""


def round_up(instances: float) -> str:
    """Write a number of instances with two digits."""
    whole = math.ceil(instances)
    scale = 10 ** max(0, len(str(whole)) - 2)
    return f"{math.ceil(whole / scale) * scale:,}"


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors lie on each side of a normal estimate."""
    from scipy.special import ndtri

    # The upper tail keeps its digits if the confidence is near 1.
    return float(-ndtri((1 - confidence) / 2))


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Score interval of a proportion."""
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    # At 0 and 1 the ends are exact up to rounding.
    return (0.0 if share <= 0 else centre - half), (1.0 if share >= 1 else centre + half)


def clopper_pearson(
    hits: NDArray[np.float64], n: NDArray[np.float64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact interval of proportions: it covers at least the level, whatever the proportion.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.score import clopper_pearson
    >>> low, high = clopper_pearson(np.array([0.0, 5.0]), np.array([10.0, 10.0]), 0.95)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.1871]), array([0.3085, 0.8129]))
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    none, all_ = hits <= 0, hits >= n
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, hits), n - hits + 1, tail))
    high = np.where(all_, 1.0, betaincinv(hits + 1, np.where(all_, 1.0, n - hits), 1 - tail))
    return low, high


def mid_p(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Mid-P interval of a proportion: the exact one with half the weight on what was observed.

    `n`, and the hits `share * n`, may be fractions: tails of the binomial are then those of the beta distribution.
    """
    from scipy.optimize import brentq
    from scipy.special import betainc

    hits = min(max(share * n, 0.0), n)
    tail = (1 - confidence) / 2

    def above(p: float) -> float:
        """P(X > hits) + P(X = hits) / 2, which grows with p."""
        at_least = 1.0 if hits <= 0 else float(betainc(hits, n - hits + 1, p))
        more = 0.0 if hits >= n else float(betainc(hits + 1, n - hits, p))
        return (at_least + more) / 2

    low = 0.0 if hits <= 0 else brentq(lambda p: above(p) - tail, 0.0, 1.0, xtol=1e-14)
    high = 1.0 if hits >= n else brentq(lambda p: above(p) - (1 - tail), 0.0, 1.0, xtol=1e-14)
    return float(low), float(high)


def near_mid_p(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Mid-P interval of a proportion that is no longer than it needs to be if few events are expected, or few others.

    With a mean of one event no number of events is too small, and the mid-P interval covers 0.98: half of its errors
    cannot happen. Where so few events are expected, the limit next to 0 has all errors: it is Wilson's or, if that is
    nearer to 0, the exact one at which the interval misses 1.5 times as often as it says. So few are expected if none
    is at least twice as likely as the observed number and more of them.

    Examples
    --------
    Of two events among 100 instances:

    >>> from adjudge.inference.score import mid_p, near_mid_p
    >>> [tuple(round(end, 4) for end in ends) for ends in (mid_p(0.02, 100, 0.95), near_mid_p(0.02, 100, 0.95))]
    [(0.0034, 0.0645), (0.0045, 0.0645)]
    """
    low, high = mid_p(share, n, confidence)
    return max(low, _near_zero(share, n, confidence)), min(high, 1.0 - _near_zero(1.0 - share, n, confidence))


def _near_zero(share: float, n: float, confidence: float) -> float:
    """Limit of :func:`near_mid_p` next to 0."""
    from scipy.optimize import brentq
    from scipy.special import betainc, betaincinv

    hits = share * n
    # If there is no other, this limit is a bound of its own.
    if not 0 < hits < n:
        return 0.0
    of_wilson, _ = wilson(share, n, normal_quantile(confidence))
    exact = float(betaincinv(hits, n - hits + 1, min(1.0, _MOST_ERRORS * (1 - confidence))))
    few = brentq(lambda p: float(betainc(hits, n - hits + 1, p)) - (1 - p) ** n / 2, 0.0, 1.0, xtol=1e-14)
    return min(of_wilson, exact, float(few))


class Turn(NamedTuple):
    """Value and variance of the law at which an index turns back, as agreement beyond chance does at independence.

    Near it the index is a quadratic form: `value` plus `scale` times a noncentral chi-square variable, less its mean
    at the turn. A scale of nan says that this is not known. `observed` is that variable if theory tells the form; a
    turn that was looked for may lie beside the true one, and does not bound the index.
    """

    value: float
    variance: float
    scale: float = math.nan
    observed: float = math.nan

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of the chi-square variable with the variance at the turn."""
        return self.variance / (2 * self.scale**2)

    def quadratic(self, estimate: float) -> bool:
        """Whether the estimate lies so near that the quadratic form describes its distribution."""
        if not self.variance > 0 or math.isnan(self.scale):
            return False
        freedom = self.degrees_of_freedom
        if freedom > _MOST_FREEDOM:
            return False
        return self._seen(estimate) - freedom < _NEAR * math.sqrt(2 * freedom)

    def _seen(self, estimate: float) -> float:
        """Return the chi-square variable of an estimate."""
        if not math.isnan(self.observed):
            return self.observed
        return (estimate - self.value) / self.scale + self.degrees_of_freedom

    def ends(self, estimate: float, confidence: float) -> tuple[float, float]:
        """Value between the turn and the estimate at which that is just too far away; and beyond, just too near."""
        from scipy.special import gammaincinv

        tail = (1 - confidence) / 2
        freedom = self.degrees_of_freedom
        # An estimate nearest to the turn would contradict every law, that of the turn too: none counts as nearer.
        least = 2 * float(gammaincinv(freedom / 2, _LEAST_LEVEL))
        observed = max(self._seen(estimate), least)
        farther = _noncentrality(observed, freedom, tail)
        # Laws up to here hold no estimate for too near: they may reject twice as many that are too far.
        alone = _noncentrality(least, freedom, tail)
        nearer = _noncentrality(observed, freedom, 1 - 2 * tail)
        if nearer > alone:
            nearer = max(alone, _noncentrality(observed, freedom, 1 - tail))
        return self.value + self.scale * nearer, self.value + self.scale * farther


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


def _noncentrality(observed: float, freedom: float, level: float) -> float:
    """Noncentrality at which a chi-square variable stays below the observed value with this probability; 0 if none."""
    from scipy.optimize import brentq
    from scipy.special import chndtr

    if chndtr(observed, freedom, 0.0) <= level:
        return 0.0
    most = observed + 1.0
    while chndtr(observed, freedom, most) > level:
        most *= 2
    return float(brentq(lambda beyond: chndtr(observed, freedom, beyond) - level, 0.0, most, rtol=1e-9))


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
        return near if math.isnan(far) or sign * (far - near) <= 0 else (near + far) / 2

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


def turns_of(
    estimate: float, variance: float, at: Callable[[float], tuple[float, float, float]]
) -> tuple[Turn | None, Turn | None]:
    """Look for the turns of :class:`ScoreBasis`; `at(z)` tells of the law tilted by z deviations.

    It returns the value, its variance and the part of it that is linear in the instances. They are of a population
    here: the variance of the index itself, not of what the jackknife takes it for.
    """
    if not variance > 0:
        return None, None
    found: list[Turn | None] = []
    for sign in (-1, 1):
        value, _, _ = at(2.0 * sign)
        if sign * (value - estimate) > _STRAIGHT * math.sqrt(variance):
            found.append(None)
            continue
        path = [at(sign * z) for z in _PATH]
        best = max(range(len(path)), key=lambda i: sign * path[i][0])
        found.append(_turn(path[best], at(-2.0 * sign)) if best < len(path) - 1 else None)
    return found[0], found[1]


def _turn(there: tuple[float, float, float], away: tuple[float, float, float]) -> Turn:
    """Take the scale from a law away from the turn, unless the index varies linearly at the turn, too."""
    value, variance, linear = there
    moved = away[0] - value
    if linear > _ALL_QUADRATIC * variance or moved == 0:
        return Turn(value, variance)
    scale = (away[1] - variance) / (4 * moved)
    return Turn(value, variance, scale if scale * moved > 0 else math.nan)
