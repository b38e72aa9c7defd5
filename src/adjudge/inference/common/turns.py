"""Where an index turns back: its law there is that of a quadratic form, not a normal one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

__all__ = [
    "Turn",
    "turns_of",
]

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

# Level of the smallest chi-square value that is used for an estimate.
_LEAST_LEVEL = 0.25


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
