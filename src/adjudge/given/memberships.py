"""Soft clusterings: how much each instance belongs to each cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import InputError, Row
from adjudge.given.alignment import check_same_order
from adjudge.given.input_kinds import Thing
from adjudge.given.labels import Labels
from adjudge.given.probabilities import without_dust
from adjudge.given.structures import Structure

# Most by which the memberships of an instance may differ from 1 in sum.
_ROUNDING = 1e-6


class SoftClusters(Thing):
    """Memberships that are judged by themselves, or that others are compared with."""

    option, words = "labels_true", "memberships in clusters"


class PredictedMemberships(Thing):
    """Memberships that are compared with the first ones."""

    option, words = "labels_pred", "memberships to compare with"


@dataclass(frozen=True, eq=False)
class Memberships(Structure):
    """A soft clustering: how much each instance belongs to each cluster.

    Parameters
    ----------
    values : array-like of shape (n, K)
        Memberships between 0 and 1, which add up to 1 in each row.

    Examples
    --------
    >>> from adjudge import Memberships, evaluate
    >>> evaluate(Memberships([[1.0, 0.0], [0.5, 0.5]]), indices="partition_coefficient")["partition_coefficient"]
    0.75
    """

    places: ClassVar[Mapping[str, type[Thing]]] = MappingProxyType(
        {"labels_true": SoftClusters, "labels_pred": PredictedMemberships}
    )

    values: Any
    _rows: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = self.values.iloc[:, :0] if hasattr(self.values, "iloc") else None
        object.__setattr__(self, "_rows", rows)
        try:
            values = np.asarray(self.values, np.float64)
        except (TypeError, ValueError):
            raise InputError("memberships are no numbers: give a matrix of shape (n, K)") from None
        if values.ndim != 2 or not values.size:
            raise InputError(f"memberships have shape {values.shape}: give a matrix of shape (n, K)")
        values = without_dust(values)
        bad = ~((values >= 0) & (values <= 1))
        if bad.any():
            i, k = (int(where[0]) for where in np.nonzero(bad))
            raise InputError(
                f"memberships have {values[i, k]} ", Row(i), f", column {k}: give numbers between 0 and 1"
            )
        sums = values.sum(axis=1)
        off = np.abs(sums - 1) > _ROUNDING
        if off.any():
            i = int(np.argmax(off))
            raise InputError(
                f"memberships add up to {sums[i]:.6g} ", Row(i), ": they must add up to 1 in each row"
            )
        object.__setattr__(self, "values", values)

    @classmethod
    def of_labels(cls, labels: Labels) -> Self:
        """Return a partition as memberships of 0 and 1."""
        codes, names = labels.dense()
        values = np.zeros((codes.size, len(names)))
        values[np.arange(codes.size), codes] = 1.0
        return cls(values)

    def check_order(self, name: str, labels: Any) -> None:
        """Raise if data frames and series of pandas have the same index in different orders."""
        check_same_order({"memberships": self._rows, name: getattr(labels, "_rows", labels)})

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.values.shape[0])

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.values.shape[1])

    @property
    def likeliest(self) -> Ints:
        """The column of the largest membership of each instance."""
        return np.asarray(self.values.argmax(axis=1), np.int64)

    def take(self, order: Ints) -> Self:
        """Return the memberships of the instances in another order."""
        return type(self)(self.values[order])
