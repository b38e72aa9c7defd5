"""A probability for each candidate, from several criteria: a softmax of a weighted sum of their readings.

Weights are not negative, so a better value never hurts a candidate. `benchmarks/choose_k_study.py` fits them and
writes them to `stacking.json`, with the data that they were fitted to. docs/studies/choose_k.md has the study.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from adjudge.array_types import Floats
from adjudge.kernels.elementary import exponentials, logarithms

__all__ = [
    "READINGS",
    "Saying",
    "Stack",
    "Term",
    "log_advantage",
    "log_odds",
    "oriented",
    "stack_of",
    "standing_out",
]


# Candidates further below the best value than this many standard deviations count as equal.
_FAR = 4.0
_USUAL = 400
_LEAST_ODDS = 1e-4


@dataclass(frozen=True)
class Saying:
    """The values and the vote of one criterion.

    Attributes
    ----------
    values : ndarray of shape (m,)
        One per candidate, in order; higher is better and all are finite, see :func:`oriented`.
    vote : int or None
        Position of the candidate that the criterion votes for.
    """

    values: Floats
    vote: int | None


def oriented(values: Sequence[float], better: str | None) -> Floats | None:
    """Turn values so that higher is better; infinite ones become the largest or smallest, undefined ones the mean.

    Return None if no value is finite.
    """
    signed = np.array(values, np.float64) * (-1.0 if better == "lower" else 1.0)
    finite = signed[np.isfinite(signed)]
    if not finite.size:
        return None
    return np.asarray(np.clip(np.where(np.isnan(signed), finite.mean(), signed), finite.min(), finite.max()))


def _vote(said: Saying) -> Floats:
    found = np.zeros(said.values.size)
    if said.vote is not None:
        found[said.vote] = 1.0
    return found


def _shortfall(said: Saying) -> Floats:
    """Return the distance below the best candidate, in standard deviations, as a negative number."""
    spread = said.values.std()
    if spread == 0:
        return np.zeros(said.values.size)
    return np.asarray(np.maximum((said.values - said.values.max()) / spread, -_FAR))


def _log_shortfall(said: Saying) -> Floats:
    """Return the shortfall of the logarithms of positive values."""
    return _shortfall(Saying(logarithms(np.maximum(said.values, np.finfo(np.float64).tiny)), said.vote))


#: Ways in which a term reads a criterion.
READINGS: Mapping[str, Callable[[Saying], Floats]] = {
    "vote": _vote,
    "shortfall": _shortfall,
    "log shortfall": _log_shortfall,
}


@dataclass(frozen=True)
class Term:
    """One reading of one criterion, and its weight."""

    criterion: str
    reading: str
    weight: float


@dataclass(frozen=True)
class Stack:
    """The fitted model.

    Attributes
    ----------
    terms : tuple of Term
    factor : float
        Candidates whose probability exceeds their neighbours' by this factor are also answers.
    any_right : mapping of str to float
        Coefficients of the probability that one of the candidates is right.
    least : float
        Least probability that one of them is right for any to be recommended.
    """

    terms: tuple[Term, ...]
    factor: float
    any_right: Mapping[str, float]
    least: float

    @property
    def criteria(self) -> tuple[str, ...]:
        """Names of the criteria that the model reads."""
        return tuple(dict.fromkeys(t.criterion for t in self.terms))

    def probabilities(self, said: Mapping[str, Saying | None], count: int) -> Floats:
        """Return a probability for each of `count` candidates; a criterion without values has no effect."""
        total = np.zeros(count)
        for term in self.terms:
            own = said.get(term.criterion)
            if own is not None:
                total += term.weight * READINGS[term.reading](own)
        odds = exponentials(total - total.max())
        return np.asarray(odds / odds.sum())

    def one_is_right(self, most_probable: float, advantage: float, n: int, halves: float) -> float:
        """Return the probability that one of the candidates shows the clusters.

        Parameters
        ----------
        most_probable : float
            The largest of the probabilities.
        advantage : float
            By how many standard deviations the points split better than points without clusters.
        n : int
            Number of points that were compared.
        halves : float
            1 if two halves of the points agree on clusters, 0 if not, and 0.5 if that was not tested.
        """
        total = (
            self.any_right["intercept"]
            + self.any_right["log_odds"] * log_odds(most_probable)
            + self.any_right["log_advantage"] * log_advantage(advantage, n)
            + self.any_right["halves"] * halves
        )
        return 1.0 / (1.0 + math.exp(-total))


def log_odds(probability: float) -> float:
    """Return the log odds; probabilities near 0 or 1 are limited to one in ten thousand."""
    kept = min(max(probability, _LEAST_ODDS), 1 - _LEAST_ODDS)
    return math.log(kept / (1 - kept))


def log_advantage(advantage: float, n: int) -> float:
    """Return the log of an advantage over unclustered points, scaled to 400 points, as it grows with the root of n."""
    scaled = advantage * math.sqrt(_USUAL / n)
    return math.copysign(math.log1p(abs(scaled)), scaled)


@cache
def stack_of(what: str) -> Stack:
    """Return a fitted model by name: "numbers" for numbers of clusters."""
    text = (files("adjudge.choosing") / "stacking.json").read_text(encoding="utf-8")
    found = json.loads(text)[what]
    return Stack(
        tuple(Term(**term) for term in found["terms"]), found["factor"], found["any_right"], found["least"]
    )


def standing_out(probabilities: Sequence[float], factor: float) -> list[int]:
    """Return the positions of the largest probability, then of those exceeding both neighbours by a factor.

    A neighbour of the largest counts as the same answer.
    """
    padded = np.r_[0.0, np.asarray(probabilities), 0.0]
    inside = padded[1:-1]
    top = int(inside.argmax())
    local = inside > factor * np.maximum(padded[:-2], padded[2:])
    others = [int(i) for i in np.flatnonzero(local) if abs(int(i) - top) > 1]
    return [top, *sorted(others, key=lambda i: -inside[i])]
