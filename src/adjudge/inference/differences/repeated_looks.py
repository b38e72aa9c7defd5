"""How certain a change is that is looked at again and again: limits and p-values that hold however often one looks.

The evidence for a change above a bound is a mixture of likelihood ratios over all changes above it (an e-value), which
exceeds 1 / alpha at any look with a probability of at most alpha, if the change is not above the bound. Looks at new
rows add their information; a look at more of the same rows replaces the earlier ones. Shares of rows that broke and of
rows that are fixed have an exact form (:mod:`adjudge.inference.differences.betting`).

References
----------
Robbins (1970), Statistical methods related to the law of the iterated logarithm, Annals of Mathematical Statistics 41,
1397-1409 (mixtures). Howard, Ramdas, McAuliffe & Sekhon (2021), Time-uniform, nonparametric, nonasymptotic confidence
sequences, Annals of Statistics 49, 1055-1080 (the one-sided normal mixture). Waudby-Smith, Arbour, Sinha, Kennedy &
Ramdas (2024), Time-uniform central limit theory, Annals of Statistics 52, 2613-2640 (asymptotic confidence sequences).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.inference.differences.betting import BetChange, FlipCounts
from adjudge.inference.differences.margins import Change, rows_that_show

# The looks for which the evidence grows fastest: as many as this times the information of the first.
_USUAL_LOOKS = 4
_FARTHEST = 60.0


@dataclass(frozen=True)
class Estimate:
    """A change as one look saw it.

    Attributes
    ----------
    value : float
        Above 0 if the new model is better.
    below, above : float
        Standard errors, from the distances of both ends of the interval.
    n : float
        Number of rows, or units.
    flips : FlipCounts or None
        Rows that broke and that are fixed, if the change is that of their shares.
    """

    value: float
    below: float
    above: float
    n: float
    flips: FlipCounts | None = None

    @classmethod
    def of(cls, change: Change, n: float, flips: FlipCounts | None = None) -> Estimate:
        """Read the standard errors from the interval of a change."""
        below, above = (
            own / change.quantile for own in (change.value - change.low, change.high - change.value)
        )
        return cls(change.value, below, above, n, flips)


def pooled(looks: Sequence[Estimate]) -> Estimate:
    """Return the change in the rows of several looks together, of which none has been seen in another."""
    n = sum(own.n for own in looks)
    below, above = (
        math.sqrt(sum((own.n * getattr(own, side)) ** 2 for own in looks)) / n for side in ("below", "above")
    )
    known = [own.flips for own in looks if own.flips is not None]
    flips = sum(known[1:], known[0]) if len(known) == len(looks) else None
    return Estimate(sum(own.n * own.value for own in looks) / n, below, above, n, flips)


def repeated_change(
    looks: Sequence[Estimate], confidence: float, first: Estimate
) -> RepeatedChange | BetChange | None:
    """Return the change in the rows of several looks together; None if nothing varies.

    Parameters
    ----------
    looks : sequence of Estimate
    confidence : float
    first : Estimate
        That of the first look of all.
    """
    together = pooled(looks)
    if together.flips is not None:
        return BetChange.of(together.flips, confidence)
    if not max(first.below, first.above) > 0:
        return None
    return RepeatedChange.at(together, confidence, first)


@dataclass(frozen=True)
class RepeatedChange(Change):
    """How much better a new model is, with limits and p-values that hold at all looks together.

    Attributes
    ----------
    below, above : float
        Standard errors on both sides.
    prior : float
        Standard error for which the evidence grows fastest; fixed at the first look.
    """

    below: float = math.nan
    above: float = math.nan
    prior: float = math.nan

    @classmethod
    def at(cls, estimate: Estimate, confidence: float, first: Estimate) -> RepeatedChange:
        """Return the change at a look, given that at the first one."""
        error = max(first.below, first.above) / math.sqrt(_USUAL_LOOKS)
        limits = [
            _farthest(side, error, 1 - confidence) if side > 0 else 0.0
            for side in (estimate.below, estimate.above)
        ]
        low, high = estimate.value - limits[0], estimate.value + limits[1]
        return cls(estimate.value, low, high, confidence, None, estimate.below, estimate.above, error)

    def n_needed(self, bound: float, n: float, assumed: float = 0.0) -> int | None:
        """Return how many rows would show that the change is above a bound; None if no number would.

        Parameters
        ----------
        bound : float
        n : float
            Number of rows so far.
        assumed : float
            The change that is assumed.
        """
        if not assumed > bound or not self.below > 0:
            return None

        def shows(times: float) -> bool:
            reach = _farthest(self.below / math.sqrt(times), self.prior, 1 - self.confidence)
            return reach <= assumed - bound

        return rows_that_show(shows, n)

    def p_above(self, bound: float) -> float:
        """Return the p-value of the claim that the change is above a bound, which holds at all looks together."""
        side = self.below if bound < self.value else self.above
        if not side > 0:
            return math.nan
        return min(1.0, math.exp(-_log_evidence(self.value - bound, side, self.prior, self.confidence)))

    def p_below(self, bound: float) -> float:
        """Return the p-value of the claim that the change is below a bound, which holds at all looks together."""
        return RepeatedChange(
            -self.value, -self.high, -self.low, self.confidence, None, self.above, self.below, self.prior
        ).p_above(-bound)


def _log_evidence(away: float, error: float, prior: float, confidence: float) -> float:
    """Return the logarithm of the mixture of likelihood ratios over all changes above a bound.

    Parameters
    ----------
    away : float
        Distance of the estimate from the bound.
    error : float
        Its standard error.
    prior : float
        Standard error at which the evidence is to be greatest.
    confidence : float
    """
    from scipy.special import log_ndtr

    information = 1 / error**2
    tail = 2 * math.log(1 / (2 * (1 - confidence))) if confidence > 0.5 else 1.0
    precision = 1 / prior**2 / (tail + math.log1p(tail))
    whole = information + precision
    score = away * information
    log_phi = float(log_ndtr(score / math.sqrt(whole)))
    return math.log(2) + 0.5 * math.log(precision / whole) + score**2 / (2 * whole) + log_phi


def _farthest(error: float, prior: float, alpha: float) -> float:
    """Return the distance at which the evidence is 1 / alpha."""
    low, high = 0.0, _FARTHEST * error
    for _ in range(200):
        middle = (low + high) / 2
        if _log_evidence(middle, error, prior, 1 - alpha) > -math.log(alpha):
            high = middle
        else:
            low = middle
    return high
