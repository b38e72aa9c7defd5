"""Several classes of a taxonomy for each instance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.given.input_kinds import PredictedSets, Thing, TrueSets
from adjudge.given.label_sets import LabelSets, read_one
from adjudge.given.labels import Labels
from adjudge.given.structures import Structure


@dataclass(frozen=True, eq=False)
class ClassSets(Structure):
    """The classes of each instance: several, one or none.

    Parameters
    ----------
    sets : LabelSets
    """

    option, words = "labels_true", "sets of classes"
    places: ClassVar[Mapping[str, type[Thing]]] = MappingProxyType(
        {"labels_true": TrueSets, "labels_pred": PredictedSets}
    )

    sets: LabelSets

    @classmethod
    def of(cls, given: Any, name: str) -> Self:
        """Read what `evaluate` takes for several labels per instance."""
        return cls(read_one(given, name))

    @classmethod
    def of_labels(cls, labels: Labels) -> Self:
        """Return single classes as sets of one."""
        codes, names = labels.dense()
        return cls(LabelSets(np.arange(codes.size) * len(names) + codes, codes.size, list(names)))

    @property
    def n(self) -> int:
        """Number of instances."""
        return self.sets.n

    @property
    def n_clusters(self) -> int:
        """Number of classes that occur."""
        return int(np.unique(self.sets.columns).size)

    def take(self, order: Ints) -> Self:
        """Return the sets of the instances in another order."""
        return type(self)(self.sets.reordered(order))
