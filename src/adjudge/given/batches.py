"""Batches: which experiment, laboratory or device each instance comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from adjudge.array_types import Ints
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
        labels = code_labels(given, "batch")
        if labels.missing is not None:
            place = Position(int(np.argmax(labels.missing)))
            raise InputError(
                Argument("batch"), " has a missing value ", place, ": name a batch for each instance"
            )
        return cls(labels, given)

    @property
    def n(self) -> int:
        """Number of instances."""
        return len(self.labels)

    def check_order(self, name: str, labels: Any) -> None:
        """Raise if labels name the instances in another order."""
        check_same_order({"batch": self.given, name: labels})

    def take(self, order: Ints) -> Self:
        """Return the batches of the instances in another order."""
        return type(self)(self.labels.take(order))
