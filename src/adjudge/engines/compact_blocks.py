"""Points of each cluster in compact blocks, so that whole blocks can be skipped when they are far away."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.tiles import aligned_zeros
from adjudge.kernels.neighbours import BLOCK

__all__ = ["CompactBlocks", "halves"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CompactBlocks:
    """Blocks of points that lie near each other, each of a single cluster.

    Attributes
    ----------
    rows : ndarray of shape (blocks * size, p)
        The dimension is padded to be even. Rows of zeros fill up the blocks.
    tiles : ndarray of shape (blocks, p, size)
    widths : ndarray of shape (blocks,)
        Points in each block.
    of_block : ndarray of shape (blocks,)
        Cluster of each block.
    boxes : ndarray of shape (2, blocks, p)
        Smallest and largest coordinates.
    positions : ndarray of shape (n,)
        Places of the points among those sorted by cluster, block after block; ascending in each block.
    """

    rows: Floats
    tiles: Floats
    widths: Ints
    of_block: Ints
    boxes: Floats
    positions: Ints

    @classmethod
    def of(cls, X: NDArray[Any], order: Ints, bounds: Ints, size: int = BLOCK) -> CompactBlocks:
        """Cut clusters into blocks of at most `size` points; `bounds` says where each cluster begins in `order`."""
        points = np.asarray(X[order], np.float64)
        runs = [
            (cluster, run)
            for cluster, (first, last) in enumerate(pairwise(bounds.tolist()))
            for run in halves(points, np.arange(first, last), size)
        ]
        p = points.shape[1]
        rows = np.zeros((len(runs), size, p + p % 2))
        tiles = aligned_zeros((len(runs), p + p % 2, size))
        boxes = np.zeros((2, len(runs), p))
        for b, (_, run) in enumerate(runs):
            own = points[run]
            rows[b, : run.size, :p] = own
            tiles[b, :p, : run.size] = own.T
            boxes[0, b], boxes[1, b] = own.min(axis=0), own.max(axis=0)
        return cls(
            rows.reshape(-1, p + p % 2),
            tiles,
            np.array([run.size for _, run in runs]),
            np.array([cluster for cluster, _ in runs]),
            boxes,
            np.concatenate([run for _, run in runs]),
        )

    @property
    def n(self) -> int:
        """Number of blocks."""
        return self.widths.size

    @property
    def size(self) -> int:
        """Number of points that fit into a block."""
        return int(self.tiles.shape[2])

    @property
    def operands(self) -> tuple[Floats, Floats, Ints, Ints, Floats]:
        """The first arguments of the kernels."""
        return self.rows, self.tiles, self.widths, self.of_block, self.boxes

    @property
    def is_point(self) -> NDArray[np.bool_]:
        """Which rows of each block are points."""
        return np.asarray(np.arange(self.size) < self.widths[:, None])


def halves(points: Floats, positions: Ints, size: int) -> list[Ints]:
    """Halve points along the longest side of their box until each part fits a block; nearly all blocks are full."""
    found, todo = [], [positions]
    while todo:
        some = todo.pop()
        if some.size <= size:
            found.append(np.sort(some))
            continue
        own = points[some]
        sides = own.max(axis=0) - own.min(axis=0)
        side = int(sides.argmax())
        half = -(-some.size // (2 * size)) * size
        # Identical points keep their order.
        parted = some[np.argpartition(own[:, side], half - 1)] if sides[side] > 0 else some
        todo += [parted[half:], parted[:half]]
    return found
