"""The best one-to-one matching of true with predicted clusters, for each of four weights of a pair of clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.joint import JointCounts


@dataclass(frozen=True, eq=False, slots=True)
class Matching:
    """A matching whose matched cells have the largest sum of weights.

    Attributes
    ----------
    table : JointCounts
    columns : ndarray of int64 of shape (R,)
        Column matched with each row; -1 for an unmatched row.
    total : float
        Sum of the weights of the matched cells, rounded once.
    """

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    table: JointCounts
    columns: Ints
    total: float

    @classmethod
    def make(cls, table: JointCounts) -> Self:
        """Solve the assignment of a contingency table."""
        rows, cols, _ = table.cells()
        weights = cls._weights(table)
        columns = optimal_assignment(rows, cols, weights, table.shape)
        return cls(table, columns, math.fsum(weights[columns[rows] == cols].tolist()))

    @property
    def by_cluster(self) -> ClassCounts:
        """Counts by true cluster: an instance is right if it lies in the cluster matched with its own."""
        rows, cols, counts = self.table.cells()
        predicted, right = np.zeros((2, len(self.columns)), counts.dtype)
        matched = self.columns >= 0
        predicted[matched] = self.table.col_sums[self.columns[matched]]
        inside = self.columns[rows] == cols
        right[rows[inside]] = counts[inside]
        labels = list(self.table.row_labels)
        return ClassCounts(labels, self.table.row_sums, predicted, right, self.table.n)

    @staticmethod
    def _weights(table: JointCounts) -> NDArray[Any]:
        """Return the weight of every non-empty cell."""
        raise NotImplementedError


class CountMatching(Matching):
    """The matching with the most instances."""

    __slots__ = ()

    @staticmethod
    def _weights(table: JointCounts) -> NDArray[Any]:
        return table.cells()[2]


class ShareMatching(Matching):
    """The matching with the largest shares of the true clusters, n_ij / a_i."""

    __slots__ = ()

    @staticmethod
    def _weights(table: JointCounts) -> NDArray[Any]:
        rows, _, counts = table.cells()
        return np.asarray(counts / table.row_sums[rows])


class OverlapMatching(Matching):
    """The matching with the largest overlaps, n_ij / max(a_i, b_j)."""

    __slots__ = ()

    @staticmethod
    def _weights(table: JointCounts) -> NDArray[Any]:
        rows, cols, counts = table.cells()
        return np.asarray(counts / np.maximum(table.row_sums[rows], table.col_sums[cols]))


class FMatching(Matching):
    """The matching with the largest F-measures of its clusters, 2 n_ij / (a_i + b_j)."""

    __slots__ = ()

    @staticmethod
    def _weights(table: JointCounts) -> NDArray[Any]:
        rows, cols, counts = table.cells()
        return np.asarray(2 * counts / (table.row_sums[rows] + table.col_sums[cols]))
