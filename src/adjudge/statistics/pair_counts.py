"""Pairs of instances by whether each of two partitions joins them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import InputError
from adjudge.kernels.counting import joined_at_once
from adjudge.statistics.joint import JointCounts

# Below this n, n^2 fits an int64, so no sum of squared counts can overflow.
SQUARE_FITS = 3_000_000_000
# Maximum number of labels that are counted in one call, and of cells of their table.
_AT_ONCE = 1 << 14
_INT64 = np.dtype(np.int64)
_ROW_OF_INT64 = (8,)  # the strides of a vector whose items lie side by side


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of instances by whether each of two partitions joins them: exact integers of any size.

    Attributes
    ----------
    yy : int
        Pairs joined in both partitions.
    yn : int
        Pairs joined in the first (the truth) only.
    ny : int
        Pairs joined in the second only.
    nn : int
        Pairs joined in neither.

    Examples
    --------
    >>> from adjudge.statistics import Contingency
    >>> Contingency.from_labels([0, 0, 0, 1], [0, 0, 1, 2]).pairs
    PairCounts(yy=1, yn=2, ny=0, nn=3)
    """

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    yy: int
    yn: int
    ny: int
    nn: int

    def __post_init__(self) -> None:
        yy, yn, ny, nn = self.yy, self.yn, self.ny, self.nn
        if type(yy) is type(yn) is type(ny) is type(nn) is int and yy >= 0 <= yn and ny >= 0 <= nn:
            return
        for name in ("yy", "yn", "ny", "nn"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 0:
                raise InputError(f"PairCounts.{name} is {value!r}: it counts pairs, a whole number >= 0")
            object.__setattr__(self, name, int(value))

    @classmethod
    def make(cls, table: JointCounts) -> PairCounts:
        """Count the pairs of a table."""
        pairs: PairCounts = table.pairs
        return pairs

    @classmethod
    def from_joined(cls, both: Any, in_true: Any, in_pred: Any, total: Any) -> Self:
        """Fill the table from its margins: pairs joined in both partitions, in each of them, and all pairs."""
        return cls(both, in_true - both, in_pred - both, total - in_true - in_pred + both)

    def swap(self) -> Self:
        """Return the counts with the partitions' roles exchanged."""
        return type(self)(self.yy, self.ny, self.yn, self.nn)

    @property
    def total(self) -> int:
        """Number of pairs, M = n (n - 1) / 2."""
        return self.yy + self.yn + self.ny + self.nn

    @property
    def joined_true(self) -> int:
        """Pairs joined in the first partition, yy + yn."""
        return self.yy + self.yn

    @property
    def joined_pred(self) -> int:
        """Pairs joined in the second partition, yy + ny."""
        return self.yy + self.ny

    @property
    def agreeing(self) -> int:
        """Pairs on which the partitions agree, yy + nn."""
        return self.yy + self.nn

    @property
    def disagreeing(self) -> int:
        """Pairs on which they differ, yn + ny."""
        return self.yn + self.ny

    @property
    def identical(self) -> bool:
        """Whether the partitions are the same."""
        return self.yn == 0 and self.ny == 0


@dataclass(frozen=True, slots=True)
class PairWeights(PairCounts):
    """Pairs of instances under sampling weights: the weight of a pair is the product of its instances' weights.

    The fields are those of :class:`~adjudge.statistics.PairCounts`, as floats. Scaling all weights scales them alike.
    """

    yy: float  # type: ignore[assignment]
    yn: float  # type: ignore[assignment]
    ny: float  # type: ignore[assignment]
    nn: float  # type: ignore[assignment]

    def __post_init__(self) -> None:
        # An empty cell may come out as a rounding error below 0.
        for name in ("yy", "yn", "ny", "nn"):
            object.__setattr__(self, name, max(0.0, float(getattr(self, name))))


def sum_of_pairs(counts: Ints, n: int) -> int:
    """Return the number of pairs of instances that share a cell, sum of C(n, 2) over the cells."""
    flat = counts.ravel()
    if n < SQUARE_FITS:
        return (int(flat.dot(flat)) - n) // 2
    return sum(c * (c - 1) // 2 for c in flat.tolist())


def pairs_at_once(labels_true: Any, labels_pred: Any) -> PairCounts | None:
    """Count two short vectors of small integers without coding them; return None for other labels.

    Counting a table of a thousand instances takes less time than writing down the names of its clusters.
    """
    if type(labels_true) is not np.ndarray or type(labels_pred) is not np.ndarray:
        return None
    n = labels_true.size
    if not 0 < n <= _AT_ONCE or labels_true.dtype is not _INT64 or labels_pred.dtype is not _INT64:
        return None
    if not (labels_true.strides == labels_pred.strides == _ROW_OF_INT64 and labels_pred.size == n):
        if labels_true.shape != (n,) or labels_pred.shape != (n,):
            return None
        labels_true, labels_pred = labels_true.copy(), labels_pred.copy()
    both, in_true, in_pred = joined_at_once(labels_true, labels_pred, _AT_ONCE)
    if both < 0:
        return None
    yn = in_true - both
    return PairCounts(both, yn, in_pred - both, n * (n - 1) // 2 - yn - in_pred)
