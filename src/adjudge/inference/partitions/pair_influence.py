"""The influence of each instance on an index that counts pairs: external indices and Prayatul measures.

An instance changes the counts by the pairs that it is in. With the slope of the index in the four counts, this gives
its influence, in one pass over the cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.inference.arrays import Floats
from adjudge.inference.common.samples import Sample
from adjudge.inference.influence import STEP, Influence, rounding_of, slope_in
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.pair_counts import PairCounts

__all__ = ["OfPairs", "event_of", "of_agreement", "of_pair_counts"]


# Rows: the four counts; columns: pairs joined in each grouping, and all pairs.
_TWO_WAY = np.array([[0, 0, 1, 0], [1, 0, -1, 0], [0, 1, -1, 0], [-1, -1, 1, 1]], float)
_THREE_WAY = np.array(
    [[-1, -1, -1, 1, 1, 1, 1], [0, 0, 1, 1, -1, -1, 0], [0, 1, 0, -1, 1, -1, 0], [1, 0, 0, -1, -1, 1, 0]],
    float,
)


def _made(kind: type, names: tuple[str, ...], counts: Floats) -> Any:
    """Create a statistic from counts that are not integers, as a derivative needs."""
    made: Any = object.__new__(kind)
    for name, value in zip(names, counts.tolist(), strict=True):
        object.__setattr__(made, name, value)
    return made


@dataclass(frozen=True, eq=False)
class OfPairs:
    """Counts of pairs, and the influence of the instances of each cell on them.

    Attributes
    ----------
    sample : Sample
    counts_of : ndarray of shape (4, n_groupings + 1)
        Matrix that gives the four counts from the pairs joined in each grouping, and all pairs.
    kind : type
        The statistic that holds the four counts.
    names : tuple of str
        Fields of that statistic.
    """

    sample: Sample
    counts_of: Floats
    kind: type
    names: tuple[str, ...]

    @cached_property
    def changes(self) -> Floats:
        """Number of pairs of each of the four kinds that contain an instance of each cell."""
        # An instance forms no pair with itself.
        return np.asarray(self.counts_of @ (self.sample.partners() - 1.0))

    @cached_property
    def pairs(self) -> Floats:
        """The four counts."""
        return np.asarray(self.changes @ self.sample.counts / 2)

    @cached_property
    def _filled(self) -> tuple[OfPairs, Floats] | None:
        filled = self.sample.filled
        return (
            None if filled is None else (OfPairs(filled[0], self.counts_of, self.kind, self.names), filled[1])
        )

    def influence(
        self, value: float, formula: Callable[[Any], float], limits: tuple[float, float]
    ) -> Influence | None:
        """Return the influence of each cell's instances on an index; None if the index has no slope.

        Parameters
        ----------
        value : float
            The index, computed from exact counts.
        formula : callable
            Returns the index, given the statistic.
        limits : (float, float)
            Smallest and largest possible value.
        """
        slope = slope_in(self.pairs, lambda moved: formula(_made(self.kind, self.names, moved)))
        if not np.isfinite(slope).all():
            return None
        n, noise = self.sample.n, rounding_of(value) / (STEP * float(self.pairs.sum()))
        own = self._moved(value, slope, noise)
        if self._filled is None:
            return own
        full, spread = self._filled
        everywhere = full._moved(value, slope, noise)
        least, event = everywhere.moment(2) / n**2, event_of(everywhere, spread, limits)
        return replace(own, least=least, event=event)

    def _moved(self, value: float, slope: Floats, noise: float) -> Influence:
        """Return the influence of each cell, given the slope of the index in the four counts, and its error."""
        n, sizes = self.sample.n, np.abs(self.changes)
        # Terms of different sizes may cancel.
        size = n * float((np.abs(slope) @ sizes).max())
        rounding = n * noise * sizes.sum(axis=0)
        return Influence.centred(
            value, n * (slope @ self.changes), self.sample.counts, size, rounding=rounding
        )


def event_of(everywhere: Influence, spread: Floats, limits: tuple[float, float]) -> float:
    """Return the mean change of an index by one more instance anywhere that moves it away from its nearer limit."""
    changes = everywhere.psi / everywhere.n
    near_low = everywhere.value - limits[0] < limits[1] - everywhere.value
    away = changes > 0 if near_low else changes < 0
    size = float(spread[away] @ np.abs(changes[away]))
    return float(spread[away] @ changes[away] ** 2) / size if size > 0 else np.nan


def of_pair_counts(sample: Sample) -> OfPairs:
    """Return the pairs of a sample, grouped by truth, prediction and both."""
    return OfPairs(sample, _TWO_WAY, PairCounts, ("yy", "yn", "ny", "nn"))


def of_agreement(sample: Sample) -> OfPairs:
    """Return the pairs of a sample, grouped by truth, two models, and each pair of these."""
    return OfPairs(sample, _THREE_WAY, Agreement, CELLS)
