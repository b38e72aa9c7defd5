"""A sample of instances, by the cells of its partitions: with one instance less, or drawn again.

Instances are drawn from a population; pairs of instances are not independent of each other and are never resampled.
Everything is done on the cells, so that nothing costs more as the number of instances grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.codes import for_loops
from adjudge.given.labels import Labels
from adjudge.statistics.contingency import count_labels
from adjudge.statistics.pair_counts import SQUARE_FITS, sum_of_pairs

__all__ = ["Sample", "joined", "three_way", "three_way_of", "without_one"]

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]

# Counts resampled at a time (32 MB of them).
_COUNTS_AT_ONCE = 1 << 22


def without_one(counts: Int64s) -> Iterator[Int64s]:
    """Yield the counts without an instance of each cell; what is yielded is gone with the next."""
    left = counts.copy()
    for cell in range(left.size):
        left[cell] -= 1
        yield left
        left[cell] += 1


class Sample:
    """Instances by cell, and the partitions that group the cells.

    Parameters
    ----------
    counts : ndarray of int64
        Instances in each cell.
    groupings : list of (ndarray, int)
        For each partition, the cluster of each cell, and the number of clusters: the truth and the predictions, then
        each two of them.
    """

    def __init__(self, counts: Int64s, groupings: list[tuple[NDArray[Any], int]]) -> None:
        self.counts = counts
        self.n = int(counts.sum())
        self.groupings = [(np.asarray(codes), size) for codes, size in groupings]

    @staticmethod
    def groupings_of(g: Int64s, p: Int64s, q: Int64s) -> list[tuple[NDArray[Any], int]]:
        """Group the cells of three partitions by g, p, q, gp, gq and pq."""
        joint = (g, p, q, *(a * (int(b.max()) + 1) + b for a, b in ((g, p), (g, q), (p, q))))
        groupings: list[tuple[NDArray[Any], int]] = []
        for codes in joint:
            occurring, numbers = np.unique(codes, return_inverse=True)
            groupings.append((numbers, occurring.size))
        return groupings

    def _group(self, counts: NDArray[Any], codes: NDArray[Any], size: int) -> NDArray[Any]:
        """Cluster sizes from cell counts, the cells along the last axis."""
        if size == codes.size:
            return counts[..., np.argsort(codes)]
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(size))
        return np.add.reduceat(counts[..., order], starts, axis=-1)

    @cached_property
    def _sizes(self) -> list[Int64s]:
        return [self._group(self.counts, codes, size) for codes, size in self.groupings]

    @cached_property
    def pair_sums(self) -> tuple[int, ...]:
        """Pairs joined in each partition."""
        return tuple(sum_of_pairs(sizes, self.n) for sizes in self._sizes)

    def without_one(self) -> list[tuple[int, ...]]:
        """Pairs joined in each partition if an instance of this cell were left out, for each cell."""
        fewer = [sizes[codes] - 1 for sizes, (codes, _) in zip(self._sizes, self.groupings, strict=True)]
        return [
            tuple(total - less for total, less in zip(self.pair_sums, cell, strict=True))
            for cell in zip(*(f.tolist() for f in fewer), strict=True)
        ]

    def swapped(self) -> Sample:
        """Return the sample with the second and the third of three partitions exchanged."""
        return Sample(self.counts, [self.groupings[i] for i in (0, 2, 1, 4, 3, 5)])

    def group_sums(self, weights: Float64s, grouping: int) -> Float64s:
        """Sum weights of the cells over the clusters of a partition."""
        codes, size = self.groupings[grouping]
        return np.asarray(np.bincount(codes, weights, minlength=size), np.float64)

    def placements(self, most: int) -> tuple[Float64s, Float64s]:
        """Where one more instance could lie: with the label of one prediction drawn apart from its other labels.

        Returns
        -------
        shares : ndarray of shape (some,)
            How likely each placement is; if there are more than `most`, as many are drawn.
        partners : ndarray of shape (n_groupings + 1, some)
            Instances that it would share a cluster with in each partition, and all of them.
        """
        n_cells = self.counts.size
        if n_cells * n_cells <= most:
            first, second = (cells.ravel() for cells in np.indices((n_cells, n_cells)))
            shares = self.counts[first] / self.n * (self.counts[second] / self.n)
        else:
            generator = np.random.default_rng(0)
            first, second = generator.choice(n_cells, (2, most), p=self.counts / self.n)
            shares = np.full(most, 1.0 / most)
        n_labels = 2 if len(self.groupings) == 3 else 3
        found = []
        for redrawn in range(1, n_labels):
            cells = [second if label == redrawn else first for label in range(n_labels)]
            codes = [self.groupings[label][0][cells[label]] for label in range(n_labels)]
            partners = [self._sizes[label][codes[label]] for label in range(n_labels)]
            for joint, (a, b) in enumerate(combinations(range(n_labels), 2), start=n_labels):
                partners.append(self._shared(joint, a, b, codes[a], codes[b]))
            partners.append(np.full(shares.size, self.n))
            found.append(np.stack(partners))
        return np.tile(shares, len(found)) / len(found), np.concatenate(found, axis=1).astype(np.float64)

    def _shared(self, joint: int, a: int, b: int, of_a: Int64s, of_b: Int64s) -> Int64s:
        """Instances in both of two clusters, for pairs of clusters that need not occur together."""
        (codes_a, _), (codes_b, size_b) = self.groupings[a], self.groupings[b]
        keys, cells = np.unique(codes_a.astype(np.int64) * size_b + codes_b, return_index=True)
        wanted = of_a.astype(np.int64) * size_b + of_b
        places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        sizes = self._sizes[joint][self.groupings[joint][0][cells[places]]]
        return np.asarray(np.where(keys[places] == wanted, sizes, 0))

    def resamples(self, n_resamples: int, generator: np.random.Generator) -> Iterator[Int64s]:
        """Draw as many instances again, with replacement: counts of shape (some, n_cells)."""
        shares = self.counts / self.n
        at_once = max(1, _COUNTS_AT_ONCE // self.counts.size)
        for start in range(0, n_resamples, at_once):
            yield generator.multinomial(self.n, shares, size=min(at_once, n_resamples - start))

    def jackknife_error(self, without_one: Float64s) -> float:
        """Return the standard error, from the values without an instance of each cell."""
        centred = without_one - float(self.counts @ without_one) / self.n
        return math.sqrt((self.n - 1) / self.n * float(self.counts @ centred**2))

    def resampled_sums(self, counts: Int64s) -> list[tuple[int, ...]]:
        """Pairs joined in each partition, resample by resample."""
        n = int(counts[0].sum())
        columns = []
        for codes, size in self.groupings:
            sizes = self._group(counts, codes, size)
            if n < SQUARE_FITS:
                columns.append(((np.einsum("ij,ij->i", sizes, sizes) - n) // 2).tolist())
            else:
                columns.append([sum_of_pairs(row, n) for row in sizes])
        return list(zip(*columns, strict=True))


def three_way(g: Labels, p: Labels, q: Labels, *, weights: NDArray[np.int64] | None = None) -> Sample:
    """Count the cells of three partitions, each row standing for `weights` instances (default 1)."""
    return three_way_of(joined(g, p), p.n_codes, q, weights=weights)


def joined(g: Labels, p: Labels) -> Labels:
    """Code the pairs of two partitions' labels as one label; that of `p` runs faster."""
    n_codes = g.n_codes * p.n_codes
    # Half the memory if it will do.
    kind = np.int32 if n_codes < 1 << 31 else np.int64
    codes: Any = np.subtract(for_loops(g.codes), g.low).astype(kind)
    codes *= p.n_codes
    codes += for_loops(p.codes) - p.low
    return Labels(codes, 0, n_codes, range(n_codes))


def three_way_of(
    both: Labels, n_codes: int, q: Labels, *, weights: NDArray[np.int64] | None = None
) -> Sample:
    """Do what :func:`three_way` does for two partitions that are :func:`joined`, the second with this many codes."""
    table = count_labels(both, q, weights=weights)
    rows, of_q, counts = table.cells()
    pairs = np.asarray(table.row_labels, np.int64)[rows]
    _, of_g = np.unique(pairs // n_codes, return_inverse=True)
    _, of_p = np.unique(pairs % n_codes, return_inverse=True)
    return Sample(counts.astype(np.int64), Sample.groupings_of(of_g, of_p, of_q))
