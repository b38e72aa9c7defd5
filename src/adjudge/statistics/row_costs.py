"""What the mistakes of a classifier cost, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.number_vectors import NumberVector
from adjudge.statistics.number_sums import Moments


@dataclass(frozen=True, eq=False)
class RowCosts:
    """The cost of each row: what a mistake on it costs, if it is wrong, and else 0.

    Attributes
    ----------
    numbers : NumberVector
    """

    made_from: ClassVar[tuple[type, ...]] = (Truth, Prediction)

    numbers: NumberVector

    @classmethod
    def of(cls, amounts: Floats, right: Bools, weights: NDArray[Any] | None = None) -> RowCosts:
        """Take what a mistake on each row costs, and where a classifier is right."""
        return cls(NumberVector(amounts * ~right).weighing(weights))

    @property
    def mean(self) -> float:
        """Mean cost of a row."""
        return Moments.make(self.numbers).mean
