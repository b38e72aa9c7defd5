"""Batches: which experiment, laboratory or device each instance comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from adjudge.array_types import Bools, Ints
from adjudge.errors import Argument, InputError, Position
from adjudge.given.alignment import check_same_order
from adjudge.given.label_vectors import Labels
from adjudge.given.labels import code_labels
from adjudge.given.structures import Structure


@dataclass(frozen=True, eq=False)
class Batches(Structure):
    """The batch of each instance.

    Attributes
    ----------
    labels : Labels
    given : array-like of shape (n,)
        As the user gave them, perhaps with names of the instances.
    """

    option, words = "batch", "batches"

    labels: Labels
    given: Any = None

    @classmethod
    def read(cls, given: Any) -> Self:
        """Code a vector with the batch of each instance."""
        return cls(code_labels(given, "batch"), given)

    @property
    def n(self) -> int:
        """Number of instances."""
        return len(self.labels)

    @property
    def missing(self) -> Bools | None:
        """The instances without a batch."""
        return self.labels.missing

    def check_complete(self) -> None:
        """Raise if an instance has no batch."""
        if self.missing is not None and self.missing.any():
            place = Position(int(np.argmax(self.missing)))
            raise InputError(
                Argument("batch"), " has a missing value ", place, ": name a batch for each instance"
            )

    def check_order(self, name: str, labels: Any) -> None:
        """Raise if labels name the instances in another order."""
        check_same_order({"batch": self.given, name: labels})

    def take(self, order: Ints) -> Self:
        """Return the batches of the instances in another order."""
        return type(self)(self.labels.take(order))

    def left(self, kept: Ints) -> Self:
        """Return the batches of some instances."""
        return self.take(kept)
