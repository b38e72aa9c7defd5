"""Pairs of instances joined in partitions, and what one more instance adds to their numbers.

An instance adds the pairs that it forms with the others of its clusters, and none with itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.linear import all_cells, keys_of, looked_up, of_counts
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.pair_counts import PairCounts

# Most combinations of clusters of which the empty ones are looked at, too.
_MOST_CELLS = 4096


# The four counts from the pairs joined in each grouping, and all pairs: of two partitions, and of three.
_OF_TWO = np.array([[0, 0, 1, 0], [1, 0, -1, 0], [0, 1, -1, 0], [-1, -1, 1, 1]], np.float64)
_OF_THREE = np.array(
    [[-1, -1, -1, 1, 1, 1, 1], [0, 0, 1, 1, -1, -1, 0], [0, 1, 0, -1, 1, -1, 0], [1, 0, 0, -1, -1, 1, 0]],
    np.float64,
)


@dataclass(frozen=True, eq=False)
class PairSums:
    """Pairs joined in each partition, in each two of them, and all pairs.

    Attributes
    ----------
    sample : CrossTabulation
        The cells of a truth and of one partition or two.
    """

    sample: CrossTabulation

    @cached_property
    def cells(self) -> Ints:
        """The clusters of each cell that is not empty, of shape (2 or 3, m)."""
        return np.stack(self.sample.codes)

    @cached_property
    def _groupings(self) -> list[tuple[int, ...]]:
        each = range(len(self.sample.codes))
        return [*((i,) for i in each), *combinations(each, 2)]

    @cached_property
    def _sizes(self) -> Floats:
        """How many instances share the cluster of each cell, in each grouping and in all, of shape (4 or 7, m)."""
        return self.sample.partners()

    def numbers(self) -> Floats:
        """Return the number of pairs in each grouping, and of all."""
        total = self.sample.n * (self.sample.n - 1) // 2
        return np.array([*self.sample.pair_sums, total], np.float64)

    def alike(self) -> Ints:
        """Return the position of each number."""
        return np.arange(len(self._groupings) + 1)

    def steps(self) -> Floats:
        """Return the largest number of instances with which one forms pairs."""
        return np.asarray(np.maximum(self._sizes.max(axis=1), 1.0))

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return the pair counts, or the Prayatul matrix of pairs, with these numbers."""
        if len(self.sample.codes) == 2:
            return {PairCounts: of_counts(PairCounts, ("yy", "yn", "ny", "nn"), _OF_TWO @ numbers)}
        return {Agreement: of_counts(Agreement, CELLS, _OF_THREE @ numbers)}

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return what an instance of each cell adds along a slope, besides those that are there."""
        if cells is self.cells:
            return np.asarray(slope @ self._sizes - slope.sum())
        known, sought = keys_of(self.cells, cells)
        own = np.isin(sought, known)
        return np.asarray(slope @ self._partners(cells) - np.where(own, slope.sum(), 0.0))

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the numbers with some more instances of a cell."""
        partners = self._partners(cell[:, None])[:, 0]
        return self.numbers() + amount * partners + amount * max(amount - 1, 0.0) / 2

    def extremes(self, slope: Floats) -> Ints:
        """Return all combinations of clusters, or the filled ones of very many."""
        shape = tuple(int(codes.max()) + 1 for codes in self.sample.codes)
        if math.prod(shape) > _MOST_CELLS:
            return self.cells
        return all_cells(shape)

    def _partners(self, cells: Ints) -> Floats:
        """Count the instances with which one of each cell forms pairs, in each grouping and in all."""
        found = []
        for by, sizes in zip(self._groupings, self._sizes, strict=False):
            known, sought = keys_of(self.cells[list(by)], cells[list(by)])
            order = np.argsort(known, kind="stable")
            found.append(looked_up(known[order], sizes[order], sought))
        return np.stack([*found, np.full(cells.shape[1], float(self.sample.n))])
