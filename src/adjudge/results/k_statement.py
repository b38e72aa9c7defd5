"""A choice of the number of clusters in words: whether there are any, how many, and the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.presentation.numbers import capitalised, count, percent_text
from adjudge.saved.savable import Savable

# Below this probability, a conclusion is more often wrong than right, and is not stated.
_HALF = 0.5
_NONE_AGREED = "No clusters on which two halves of the points agree"


def likeliest(k: int | None, probability: Mapping[int, float] | None) -> int | None:
    """Return the recommended number, or else the most probable one (the smallest, if several tie)."""
    if k is not None or not probability:
        return k
    return max(probability, key=lambda own: (probability[own], -own))


@dataclass(frozen=True)
class NumberWords(Savable):
    """The conclusion: whether there are clusters, how many, and the reason.

    Attributes
    ----------
    headline : str
        "There are clusters: 3, with a probability of 89 %.", or "No clusters on which two halves of the points agree;
        if you must split, 4."
    because : str
        The reason.
    convincing : bool
        Whether there are clusters, as far as was tested, and their number is more probable than not.
    """

    headline: str
    because: str
    convincing: bool

    @classmethod
    def of(
        cls,
        k: int | None,
        probability: Mapping[int, float] | None,
        reason: str,
        there_are: bool | None,
    ) -> NumberWords:
        """Put a recommendation into words.

        Parameters
        ----------
        k : int or None
        probability : mapping of int to float, or None
        reason : str
        there_are : bool or None
            Whether two halves of the points agree on clusters; None if that was not tested.

        Examples
        --------
        >>> print(NumberWords.of(None, {3: 0.02, 4: 0.04}, "", False).headline)
        No clusters on which two halves of the points agree; if you must split, 4.
        >>> print(NumberWords.of(1, None, "", False).headline)
        No clusters on which two halves of the points agree; the criteria recommend 1.
        >>> print(NumberWords.of(4, {3: 0.3, 4: 0.6}, "", True).headline)
        There are clusters: 4, with a probability of 67 %.
        >>> print(NumberWords.of(4, {3: 0.3, 4: 0.2, 5: 0.1}, "", True).headline)
        There are clusters, but it is unclear how many: 4 is the most probable number (33 %).
        """
        best = likeliest(k, probability)
        because = f"{capitalised(reason)}."
        split = "" if best is None else f"; if you must split, {best}"
        if best == 1 and there_are is not None:
            halves = "Two halves of the points agree on clusters, but" if there_are else f"{_NONE_AGREED};"
            return cls(f"{halves} the criteria recommend 1.", because, not there_are)
        if there_are is False:
            return cls(f"{_NONE_AGREED}{split}.", because, False)
        if best is None:
            return cls("No number of clusters can be recommended.", f"That is because {reason}.", False)
        if probability is None:
            # Votes alone say nothing about whether there are clusters.
            found = "There are clusters; the" if there_are else "The"
            return cls(f"{found} criteria recommend {count(best, 'cluster')}.", because, True)
        some = math.fsum(probability.values())
        if there_are is None:
            return cls._untested(best, probability[best], some, because)
        share = probability[best] / some
        sure = share >= _HALF
        if k is None:
            return cls(f"There are clusters, but these partitions hardly show them{split}.", because, False)
        return cls(
            f"There are clusters{': ' if sure else ', but it is '}{_so_many(best, share)}.", because, sure
        )

    @classmethod
    def _untested(cls, k: int, share: float, some: float, because: str) -> NumberWords:
        """Put a recommendation into words if only the probabilities say whether there are clusters."""
        if some < _HALF:
            why = f"with a probability of {percent_text(1 - some)} none of these partitions shows clusters"
            return cls(f"No convincing clusters; if you must split, {k}.", f"That is because {why}.", False)
        if share < _HALF:
            return cls(
                f"Clusters, but it is unclear how many: {k} is the most probable number.", because, False
            )
        return cls(f"The criteria recommend {count(k, 'cluster')}.", because, True)


def _so_many(k: int, share: float) -> str:
    """Name the most probable number, and its probability if one of the partitions is right."""
    if share >= _HALF:
        return f"{k}, with a probability of {percent_text(share)}"
    return f"unclear how many: {k} is the most probable number ({percent_text(share)})"
