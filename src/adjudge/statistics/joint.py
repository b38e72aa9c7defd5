"""The interface of joint tables of two partitions, which count instances or sum their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputTypeError
from adjudge.given.class_order import StatedOrder

S = TypeVar("S")


class JointCounts:
    """A table of two partitions, from which statistics of labels are made.

    A statistic whose ``made_from`` is ``(JointCounts,)`` has a class method `make` that takes this table.
    """

    made_from: ClassVar[tuple[type, ...]]
    #: Orders of the labels that the types of their columns state.
    orders: tuple[StatedOrder, ...] = ()

    if TYPE_CHECKING:  # some tables compute what others store; sums of weights are floats
        row_labels: Sequence[Any]
        col_labels: Sequence[Any]

        @property
        def row_sums(self) -> Ints:
            """Size or weight of each cluster of the truth."""
            raise NotImplementedError

        @property
        def col_sums(self) -> Ints:
            """Size or weight of each cluster of the prediction."""
            raise NotImplementedError

        @property
        def n(self) -> int:
            """Number or total weight of the instances."""
            raise NotImplementedError

        @property
        def shape(self) -> tuple[int, int]:
            """Number of clusters in the truth and in the prediction."""
            raise NotImplementedError

        @property
        def identical(self) -> bool:
            """Whether the two partitions are the same up to the names of their clusters."""
            raise NotImplementedError

        def cells(self) -> tuple[Ints, Ints, Ints]:
            """Return the row, column and count (or weight) of every non-empty cell, in row order."""
            raise NotImplementedError

        @property
        def pairs(self) -> Any:
            """Pairs of instances by whether the truth and the prediction join them."""
            raise NotImplementedError

        @property
        def information(self) -> Any:
            """Entropies and mutual information."""
            raise NotImplementedError

    def at(self, rows: Ints, cols: Ints) -> NDArray[Any]:
        """Return the counts (or weights) of some cells, by row and column."""
        own_rows, own_cols, counts = self.cells()
        n_cols = len(self.col_sums)
        keys, wanted = own_rows * n_cols + own_cols, rows * n_cols + cols
        places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        return np.where(keys[places] == wanted, counts[places], 0)

    def placed(self, to_row: Ints, to_col: Ints, size: int) -> NDArray[Any]:
        """Return a square matrix of the cells, with each row and column at its given position."""
        rows, cols, counts = self.cells()
        matrix = np.zeros((size, size), counts.dtype)
        matrix[to_row[rows], to_col[cols]] = counts
        return matrix

    def statistic(self, kind: type[S]) -> S:
        """Return the table itself, or a statistic made from it, by type; each is made once."""
        if isinstance(self, kind):
            return self
        made: dict[type, Any] = self.__dict__.setdefault("_made", {})
        if kind in made:
            known: S = made[kind]
            return known
        # An abstract type stands for its subclasses.
        kinds = [kind] if hasattr(kind, "made_from") else kind.__subclasses__()
        concrete = next((one for one in kinds if self._makes(one)), None)
        if concrete is None:
            raise InputTypeError(f"a contingency table holds no {kind.__name__}")
        if concrete not in made:
            made[concrete] = concrete.make(self)  # type: ignore[attr-defined]
        found: S = made[concrete]
        return found

    def _makes(self, kind: type) -> bool:
        return any(issubclass(type(self), source) for source in getattr(kind, "made_from", ()))
