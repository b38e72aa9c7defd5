"""A choice of the number of clusters in words: a headline with the conclusion, and one reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.presentation.numbers import capitalised, count, percent_text
from adjudge.saved.savable import Savable

__all__ = ["NumberWords", "likeliest"]

# Below this probability, a conclusion is more often wrong than right, and is not stated.
_HALF = 0.5


def likeliest(k: int | None, probability: Mapping[int, float] | None) -> int | None:
    """Return the recommended number, or else the most probable one (the smallest, if several tie)."""
    if k is not None or not probability:
        return k
    return max(probability, key=lambda own: (probability[own], -own))


@dataclass(frozen=True)
class NumberWords(Savable):
    """The conclusion about the number of clusters.

    Attributes
    ----------
    headline : str
        "The criteria recommend 3 clusters.", "No convincing clusters; if you must split, 4."
    because : str
        One reason.
    convincing : bool
        Whether clusters, and their number, are more probable than not.
    """

    headline: str
    because: str
    convincing: bool

    @classmethod
    def of(cls, k: int | None, probability: Mapping[int, float] | None, reason: str) -> NumberWords:
        """Put a recommendation into words.

        Examples
        --------
        >>> print(NumberWords.of(4, {3: 0.02, 4: 0.04}, "").headline)
        No convincing clusters; if you must split, 4.
        >>> print(NumberWords.of(4, {3: 0.3, 4: 0.4}, "").headline)
        Clusters, but it is unclear how many: 4 is the most probable number.
        """
        because = f"{capitalised(reason)}."
        best = likeliest(k, probability)
        if best is None:
            return cls("No number of clusters can be recommended.", f"That is because {reason}.", False)
        if probability is None:
            # Votes alone say nothing about whether there are clusters.
            return cls(_recommended(best), because, True)
        some = math.fsum(probability.values())
        if some < _HALF:
            headline = f"No convincing clusters; if you must split, {best}."
            why = f"with a probability of {percent_text(1 - some)} none of these partitions shows clusters"
            return cls(headline, f"That is because {why}.", False)
        if probability[best] < _HALF:
            headline = f"Clusters, but it is unclear how many: {best} is the most probable number."
            return cls(headline, because, False)
        return cls(_recommended(best), because, True)


def _recommended(k: int) -> str:
    return f"The criteria recommend {count(k, 'cluster')}."
