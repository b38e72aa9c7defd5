"""Blocks of distances that take long to compute, assembled piece by piece.

The pairs of a task are the same on every run, so sums have the same digits; the size of a piece of its block depends
on the clock, so progress, an interruption and a checkpoint never wait long for one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.block_distances import Block, BlockDistances, block_key, checked_block
from adjudge.engines.pairs.layout import Task
from adjudge.errors import Argument, Option
from adjudge.given.metrics import Metric

if TYPE_CHECKING:
    from adjudge.engines.running.checkpoint import Arrays, Resumable

__all__ = ["Assembly", "Piece"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Seconds that a piece should take.
_SECONDS = 0.1
# The factor by which a piece may be larger than the one before: a rate measured on few pairs is unreliable.
_GROWTH = 4
_MOST_PAIRS = 1 << 21
# Seconds per pair from which blocks are assembled from pieces, and the points among which this is measured.
_SLOW = 5e-7
_PROBED = 32


@dataclass(frozen=True)
class Piece:
    """Part of the block of a task: whole rows, or some columns of one row.

    Attributes
    ----------
    task : Task
    rows, columns : slice
        Relative to the first row and column of the block.
    pairs : int
        Number of its distances that are needed.
    """

    task: Task
    rows: slice
    columns: slice
    pairs: int


@dataclass(frozen=True, eq=False)
class _Compute:
    """Computes pieces, here or in another process."""

    block: Block
    order: Ints
    name: Option | Argument

    def __call__(self, piece: Piece) -> tuple[Floats, float]:
        """Return the distances, and how long they took."""
        begun = time.perf_counter()
        task, rows, columns = piece.task, piece.rows, piece.columns
        first = task.rows.start + task.first
        if columns.stop == columns.start:
            return np.empty((rows.stop - rows.start, 0)), 0.0
        block = checked_block(
            self.block,
            self.order[first + rows.start : first + rows.stop],
            self.order[task.columns.start + columns.start : task.columns.start + columns.stop],
            self.name,
        )
        return block, time.perf_counter() - begun


class Assembly:
    """Assembles the blocks of tasks one after the other, if a distance takes long.

    Parameters
    ----------
    distances : BlockDistances
        Receives complete blocks for their tasks.

    Attributes
    ----------
    compute : callable
        Computes a piece; for any thread or process.
    begun_pairs : int
        Number of distances in the current block so far.
    """

    def __init__(self, distances: BlockDistances) -> None:
        self._ready = distances.ready
        self.compute = _Compute(distances.block, distances.layout.order, distances.name)
        self._size = 1
        self._block: Floats | None = None
        self._begun: Floats | None = None
        # The next row and column of the current block.
        self._row = self._column = 0
        self.begun_pairs = 0

    @classmethod
    def if_slow(cls, distances: BlockDistances, metric: Metric) -> Assembly | None:
        """Make an assembly if a distance takes long: always for a function of two points, else by measurement."""
        if callable(metric):
            return cls(distances)
        few = distances.layout.order[:_PROBED]
        seconds = np.inf
        # The first time, something may be loaded or compiled.
        for _ in range(2):
            begun = time.perf_counter()
            distances.block(few, few)
            seconds = min(seconds, (time.perf_counter() - begun) / few.size**2)
        return cls(distances) if seconds > _SLOW else None

    def pieces(self, tasks: Iterable[Task]) -> Iterator[Piece]:
        """Cut the blocks of some tasks into pieces, whose sizes depend on how long the previous ones took."""
        row, column = self._row, self._column
        for task in tasks:
            n = task.last - task.first
            while row < n:
                width = _width(task, row)
                size = self._size
                if column or size < width:
                    stop = min(column + size, width)
                    yield Piece(task, slice(row, row + 1), slice(column, stop), stop - column)
                    row, column = (row, stop) if stop < width else (row + 1, 0)
                    continue
                last, pairs = row + 1, width
                while last < n and pairs + _width(task, last) <= size:
                    pairs += _width(task, last)
                    last += 1
                yield Piece(task, slice(row, last), slice(0, _width(task, last - 1)), pairs)
                row = last
            row = 0

    def take(self, piece: Piece, found: tuple[Floats, float]) -> bool:
        """Add the next piece, and return whether the block of its task is complete."""
        block, seconds = found
        task = piece.task
        n = task.last - task.first
        if self._block is None:
            self._block = np.zeros((n, task.columns.size))
            if self._begun is not None:
                self._block[: len(self._begun)] = self._begun
                self._begun = None
        self._block[piece.rows, piece.columns] = block
        if block.size:
            affordable = int(min(_SECONDS * block.size / max(seconds, 1e-9), _MOST_PAIRS))
            self._size = max(1, min(affordable, _GROWTH * max(piece.pairs, self._size)))
        at_end = piece.columns.stop == _width(task, piece.rows.stop - 1)
        self._row, self._column = (piece.rows.stop, 0) if at_end else (piece.rows.start, piece.columns.stop)
        self.begun_pairs += piece.pairs
        if self._row < n:
            return False
        self._ready[block_key(task)] = self._block
        self._block, self._row, self.begun_pairs = None, 0, 0
        return True

    def kept_with(self, fold: Resumable) -> Resumable:
        """Save the current block along with what a fold accumulated."""
        return _WithBlock(fold, self)

    def export(self) -> Arrays:
        """Return the filled part of the current block."""
        if self._block is None:
            return {}
        position = np.array([self._row, self._column, self.begun_pairs])
        return {"begun block": self._block[: self._row + 1], "begun position": position}

    def restore(self, saved: Arrays) -> None:
        """Continue with a saved block."""
        self._begun = saved.get("begun block")
        if self._begun is not None:
            self._row, self._column, self.begun_pairs = map(int, saved["begun position"])


@dataclass(frozen=True)
class _WithBlock:
    """What was accumulated, and the current block."""

    fold: Resumable
    assembly: Assembly

    def export(self) -> Arrays:
        return {**self.fold.export(), **self.assembly.export()}

    def restore(self, saved: Arrays) -> None:
        self.fold.restore(saved)
        self.assembly.restore(saved)


def _width(task: Task, row: int) -> int:
    """Return how many columns a row is compared with: on the diagonal, those before it."""
    return task.first + row if task.diagonal else task.columns.size
