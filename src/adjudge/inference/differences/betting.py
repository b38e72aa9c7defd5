"""The evidence of broken and fixed rows that is looked at again and again: exact, from counts alone.

A row says -1 if it broke, 1 if it is fixed, and 0 otherwise. If its mean is at most m, a bet of a share on more than
that does not grow on average: the product of 1 + bet (row - m) over the rows is a test martingale, and so is the mean
of such products over bets. It exceeds 1 / alpha at any look with a probability of at most alpha (Ville), whatever the
number of rows. The bets are fixed beforehand and the order of rows changes nothing, so that counts are all there is.

References
----------
Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting, JRSS B 86, 1-27.
Orabona & Jun (2024), Tight concentrations and confidence sequences from the regret of universal portfolio, IEEE
Transactions on Information Theory 70, 436-455 (mixtures of bets).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.inference.differences.margins import Change, rows_that_show

# Bets, as shares of the largest that cannot lose more than everything. The best one is the distance from the bound over
# the share of rows on which models differ, which is hardly below 0.02.
_BETS = np.geomspace(0.02, 0.999, 60)


@dataclass(frozen=True)
class FlipCounts:
    """Rows that broke and rows that are fixed, of all. Those of other rows add up with ``+``.

    Attributes
    ----------
    broken, fixed, n : int
    """

    broken: int
    fixed: int
    n: int

    def __add__(self, other: FlipCounts) -> FlipCounts:
        if not isinstance(other, FlipCounts):
            return NotImplemented
        return FlipCounts(self.broken + other.broken, self.fixed + other.fixed, self.n + other.n)


def log_evidence(broken: float, fixed: float, n: float, bound: float) -> float:
    """Return the logarithm of the evidence that the mean of rows is above a bound.

    Examples
    --------
    >>> round(log_evidence(0, 0, 500, -0.02), 3), round(log_evidence(10, 0, 500, -0.02), 3)
    (6.812, -0.384)
    """
    from scipy.special import logsumexp

    if bound <= -1:
        return math.inf
    bets = _BETS / (1 + bound)
    losses, gains = np.log1p(-bets * (1 + bound)), np.log1p(bets * (1 - bound))
    products = broken * losses + fixed * gains + (n - broken - fixed) * np.log1p(-bets * bound)
    return float(logsumexp(products)) - math.log(_BETS.size)


@dataclass(frozen=True)
class BetChange(Change):
    """How much better a new model is by broken and fixed rows, with limits that hold at all looks together.

    Attributes
    ----------
    broken, fixed, n : int
        Of all rows so far.
    """

    broken: int = 0
    fixed: int = 0
    n: int = 1

    @classmethod
    def of(cls, counts: FlipCounts, confidence: float) -> BetChange:
        """Return the change in all rows so far."""
        b, f, n = counts.broken, counts.fixed, counts.n
        value = (f - b) / n
        low, high = _lowest(b, f, n, confidence), -_lowest(f, b, n, confidence)
        return cls(value, low, high, confidence, None, b, f, n)

    def n_needed(self, bound: float, n: float, assumed: float = 0.0) -> int | None:
        """Return how many rows would show that the change is above a bound; None if no number would.

        Parameters
        ----------
        bound : float
        n : float
            Number of rows so far.
        assumed : float
            The change that is assumed, with as many rows on which the models differ.
        """
        apart = max((self.broken + self.fixed) / self.n, abs(assumed))
        broken, fixed = (apart - assumed) / 2 * self.n, (apart + assumed) / 2 * self.n
        needed = -math.log(1 - self.confidence)

        def shows(times: float) -> bool:
            return log_evidence(broken * times, fixed * times, self.n * times, bound) > needed

        return rows_that_show(shows, n)

    def p_above(self, bound: float) -> float:
        """Return the p-value of the claim that the change is above a bound, which holds at all looks together."""
        return min(1.0, math.exp(-min(log_evidence(self.broken, self.fixed, self.n, bound), 700.0)))

    def p_below(self, bound: float) -> float:
        """Return the p-value of the claim that the change is below a bound, which holds at all looks together."""
        return min(1.0, math.exp(-min(log_evidence(self.fixed, self.broken, self.n, -bound), 700.0)))


def _lowest(broken: int, fixed: int, n: int, confidence: float) -> float:
    """Return the highest bound above which the evidence says that the mean lies."""
    low, high = -1.0, (fixed - broken) / n
    for _ in range(60):
        middle = (low + high) / 2
        if log_evidence(broken, fixed, n, middle) > -math.log(1 - confidence):
            low = middle
        else:
            high = middle
    return low
