"""A sample of instances, by the cells of its partitions.

Instances are drawn from a population; pairs of instances depend on each other and are never resampled. Everything is
computed from the cells, so the cost does not grow with the number of instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints, Numbers, parts
from adjudge.given.labels import Labels
from adjudge.statistics.contingency import Contingency, count_labels
from adjudge.statistics.counting import for_loops
from adjudge.statistics.pair_counts import SQUARE_FITS, sum_of_pairs

Groupings = list[tuple[NDArray[Any], int]]


def without_one(counts: Ints) -> Iterator[Ints]:
    """Yield the counts without an instance of each cell; each yielded array is overwritten by the next."""
    left = counts.copy()
    for cell in range(left.size):
        left[cell] -= 1
        yield left
        left[cell] += 1


class CrossTabulation:
    """Instances by cell, and the partitions that group the cells.

    Parameters
    ----------
    counts : ndarray
        Number of instances in each cell.
    codes : list of ndarray of int64
        For the truth and each prediction, the cluster of each cell.
    """

    def __init__(self, counts: Numbers, codes: list[Ints]) -> None:
        self.counts = counts
        self.n = counts.sum().item()
        self.codes = codes

    @classmethod
    def of_table(cls, table: Contingency) -> CrossTabulation:
        """Read the non-empty cells of a table."""
        rows, cols, counts = table.cells()
        return cls(counts, [rows, cols])

    @cached_property
    def groupings(self) -> Groupings:
        """The cluster of each cell, and the number of clusters, of the truth, predictions, and each pair of these."""
        joint = [a * (int(b.max()) + 1) + b for a, b in combinations(self.codes, 2)]
        found: Groupings = []
        for codes in (*self.codes, *joint):
            occurring, numbers = np.unique(codes, return_inverse=True)
            found.append((numbers, occurring.size))
        return found

    def _group(self, counts: Numbers, codes: Numbers, size: int) -> Numbers:
        """Sum cell counts, along the last axis, to cluster sizes."""
        if size == codes.size:
            return counts[..., np.argsort(codes)]
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(size))
        return np.add.reduceat(counts[..., order], starts, axis=-1)

    @cached_property
    def pair_sums(self) -> tuple[int, ...]:
        """Number of pairs joined in each grouping."""
        return tuple(
            sum_of_pairs(self._group(self.counts, codes, size), self.n) for codes, size in self.groupings
        )

    def swapped(self) -> CrossTabulation:
        """Return the sample with the second and third of three partitions swapped."""
        g, p, q = self.codes
        return CrossTabulation(self.counts, [g, q, p])

    def partners(self) -> Floats:
        """Return how many instances share the cluster of each cell, one row per grouping, and n in the last row."""
        counts = np.asarray(self.counts, np.float64)
        shared = [np.bincount(codes, counts, size)[codes] for codes, size in self.groupings]
        return np.stack([*shared, np.full(counts.size, float(self.n))])

    def resamples(self, n_resamples: int, generator: np.random.Generator) -> Iterator[Ints]:
        """Draw bootstrap samples of the instances, and yield their counts in blocks of shape (some, n_cells)."""
        shares = self.counts / self.n
        for part in parts(n_resamples, self.counts.size):
            yield generator.multinomial(self.n, shares, size=part.stop - part.start)

    def resampled_sums(self, counts: Ints) -> list[tuple[int, ...]]:
        """Return the number of pairs joined in each grouping, for each resample."""
        n = int(counts[0].sum())
        columns = []
        for codes, size in self.groupings:
            sizes = self._group(counts, codes, size)
            if n < SQUARE_FITS:
                columns.append(((np.einsum("ij,ij->i", sizes, sizes) - n) // 2).tolist())
            else:
                columns.append([sum_of_pairs(row, n) for row in sizes])
        return list(zip(*columns, strict=True))


def three_way(g: Labels, p: Labels, q: Labels, *, weights: Ints | None = None) -> CrossTabulation:
    """Count the cells of three partitions; each row stands for `weights` instances (default 1)."""
    return three_way_of(joined(g, p), p.n_codes, q, weights=weights)


def joined(g: Labels, p: Labels) -> Labels:
    """Code the pairs of two partitions' labels as one label, in which that of `p` varies fastest."""
    n_codes = g.n_codes * p.n_codes
    # Half the memory, where it suffices.
    kind = np.int32 if n_codes < 1 << 31 else np.int64
    codes: Any = np.subtract(for_loops(g.codes), g.low).astype(kind)
    codes *= p.n_codes
    codes += for_loops(p.codes) - p.low
    return Labels(codes, 0, n_codes, range(n_codes))


def three_way_of(both: Labels, n_codes: int, q: Labels, *, weights: Ints | None = None) -> CrossTabulation:
    """Do the work of :func:`three_way` for two :func:`joined` partitions, the second with `n_codes` codes."""
    table = count_labels(both, q, weights=weights)
    rows, of_q, counts = table.cells()
    pairs = np.asarray(table.row_labels, np.int64)[rows]
    _, of_g = np.unique(pairs // n_codes, return_inverse=True)
    _, of_p = np.unique(pairs % n_codes, return_inverse=True)
    return CrossTabulation(counts.astype(np.int64), [of_g, of_p, of_q])
