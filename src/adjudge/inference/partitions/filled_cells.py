"""Cells of a contingency table that are not empty, as what an index of overlaps adds up over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.joint import JointCounts

__all__ = ["FilledCells", "Float64s", "Int64s"]

Float64s = NDArray[np.float64]
Int64s = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FilledCells:
    """Cells of a table that are not empty, with the sizes of their clusters."""

    rows: Int64s
    cols: Int64s
    n: Float64s
    shape: tuple[int, int]

    @classmethod
    def of(cls, table: JointCounts) -> Self:
        """Cells of a table."""
        rows, cols, counts = table.cells()
        return cls(rows, cols, counts.astype(np.float64), table.shape)

    @property
    def a(self) -> Float64s:
        """Size of the row of each cell."""
        return self.row_sums[self.rows]

    @property
    def b(self) -> Float64s:
        """Size of the column of each cell."""
        return self.col_sums[self.cols]

    @property
    def row_sums(self) -> Float64s:
        """Size of each row."""
        return np.asarray(np.bincount(self.rows, self.n, minlength=self.shape[0]), np.float64)

    @property
    def col_sums(self) -> Float64s:
        """Size of each column."""
        return np.asarray(np.bincount(self.cols, self.n, minlength=self.shape[1]), np.float64)

    @property
    def total(self) -> float:
        """Instances."""
        return float(self.n.sum())
