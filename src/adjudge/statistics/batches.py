"""Points with labels and batches: silhouette widths of the batches within each label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.errors import Argument, InputError, Row
from adjudge.given.batches import Batches
from adjudge.given.input_kinds import Coordinates, Partition
from adjudge.given.labels import Labels
from adjudge.statistics.pair_distances import silhouette_widths

# Distances, or products of coordinates, that are held at a time.
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False, slots=True)
class BatchedPoints:
    """Points, and the label and the batch of each.

    Attributes
    ----------
    points : ndarray of shape (n, p)
    codes, batches : ndarray of int64 of shape (n,)
    """

    made_from: ClassVar[tuple[type, ...]] = (Coordinates, Partition, Batches)

    points: NDArray[Any]
    codes: Ints
    batches: Ints

    @classmethod
    def make(cls, points: NDArray[Any], partition: Labels, batches: Batches) -> Self:
        """Keep what was given."""
        return cls(points, partition.counted()[0], batches.labels.counted()[0])

    def widths(self, metric: str, between: str) -> Iterator[Floats]:
        """Return the silhouette widths of the batches for each label, but for labels that say nothing about batches.

        These are labels whose points are all of one batch, or each of a batch of its own. The only point of a batch has
        width 0, and so has a point whose distances are all 0.

        Parameters
        ----------
        metric : {"cosine", "euclidean"}
        between : {"mean_other", "furthest", "nearest"}
            What a point is compared with: all points of the label's other batches, or the furthest or nearest batch.
        """
        order = np.lexsort((self.batches, self.codes))
        for members in np.split(order, np.flatnonzero(np.diff(self.codes[order])) + 1):
            _, own, sizes = np.unique(self.batches[members], return_inverse=True, return_counts=True)
            if 1 < sizes.size < members.size:
                points = np.asarray(self.points[members], np.float64)
                sums = _adder(points, members, sizes, metric)
                yield _widths(sums, own, sizes, between)


def _adder(points: Floats, members: Ints, sizes: Ints, metric: str) -> Callable[[slice], Floats]:
    """Return a function that sums the distances from some of the points, sorted by batch, to each batch.

    Cosine distances are half the squared ones of points scaled to length 1, whose sums follow from centroids; the
    half does not change widths.
    """
    from scipy.spatial.distance import cdist

    starts = np.cumsum(sizes) - sizes
    if metric == "euclidean":
        return lambda rows: np.add.reduceat(cdist(points[rows], points), starts, axis=1)
    largest = np.abs(points).max(axis=1, keepdims=True)
    if not largest.all():
        place = int(members[largest.ravel() == 0].min())
        raise InputError(
            Argument("X"), " has only zeros ", Row(place), ": its cosine distances are undefined"
        )
    points /= largest
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
    centres = np.add.reduceat(points, starts) / sizes[:, None]
    scatter = np.add.reduceat(((points - np.repeat(centres, sizes, axis=0)) ** 2).sum(axis=1), starts)
    return lambda rows: sizes * cdist(points[rows], centres, "sqeuclidean") + scatter


def _widths(sums: Callable[[slice], Floats], own: Ints, sizes: Ints, between: str) -> Floats:
    found = np.empty(own.size)
    step = max(1, _BLOCK // own.size)
    for first in range(0, own.size, step):
        rows = slice(first, first + step)
        block, mine = sums(rows), own[rows]
        each = np.arange(mine.size), mine
        within = block[each]
        if between == "mean_other":
            block[each] = 0.0
            outside = block.sum(axis=1) / (own.size - sizes[mine])
        else:
            block /= sizes
            block[each] = -np.inf if between == "furthest" else np.inf
            outside = block.max(axis=1) if between == "furthest" else block.min(axis=1)
        found[rows] = silhouette_widths(within, sizes[mine] - 1, outside)
    return np.nan_to_num(found)
