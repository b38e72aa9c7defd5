"""The sampling design of a verb's rows, over the entries that each interval is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import Labels
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.units import Units
from adjudge.given.weights import Weighting
from adjudge.inference.sampling_design import Drawn
from adjudge.results.drawn_units import DrawnUnits
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import CELLS, Outcomes
from adjudge.statistics.classes import answer_positions

__all__ = ["Drawing", "DrawnLabels", "notices_of_units", "places_among"]

Ints = NDArray[np.int64]

# Up to this many cells per row, counts are summed in a full array, which is faster than sorting.
_PLACES_A_ROW = 8


@dataclass(frozen=True, eq=False)
class Drawing:
    """Rows that were not drawn independently: in units, or with sampling weights.

    Attributes
    ----------
    units : Units
        Each row with a sampling weight is its own unit, unless units were given.
    weights : ndarray of shape (n,) or None
        How many instances each row stands for (integers), or its sampling weight (floats).
    named : bool
        Whether units were given.
    """

    units: Units
    weights: NDArray[Any] | None
    named: bool = True

    @classmethod
    def of(cls, weighting: Weighting, units: Units | None, weights: NDArray[Any] | None) -> Drawing | None:
        """Return how the remaining rows were drawn; None if independently.

        Parameters
        ----------
        weighting : Weighting
        units : Units or None
            Units of the remaining rows.
        weights : ndarray or None
            Weights of the remaining rows.
        """
        if units is not None:
            return cls(units, weights)
        if weighting.draws_rows and weights is not None:
            return cls(Units(np.arange(weights.size), weights.size), weights, named=False)
        return None

    def take(self, positions: NDArray[Any]) -> Drawing:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[positions]
        return Drawing(self.units.take(positions), weights, self.named)

    @property
    def units_drawn(self) -> DrawnUnits | None:
        """What a result says about the units; None if none were given."""
        if not self.named:
            return None
        counts = self._weighing.weights
        repeated = counts is not None and counts.dtype.kind != "f"
        n = int(counts.sum()) if counts is not None and repeated else self.each.unit.size
        return DrawnUnits(n, self.each.n_units, self.each.effective)

    @property
    def named_units(self) -> Units | None:
        """The units of all rows; None if none were given."""
        return self.units if self.named else None

    @cached_property
    def each(self) -> Drawn:
        """Each row with a positive weight as an entry."""
        own = self._weighing
        return Drawn(own.units.codes, own.units.n_units, None, _counts(own.weights))

    @property
    def rows(self) -> Drawn | None:
        """Each row with a positive weight as an entry; None if each is its own unit, so that rows are independent."""
        each = self.each
        return None if each.counts is None and each.n_units == each.unit.size else each

    def cells(
        self, labels: Sequence[Labels], classes: Sequence[Any] | None = None, outside: Iterable[Any] = ()
    ) -> Drawn | None:
        """Take as entries the combinations of several label vectors that occur, in the order of their codes.

        None if each row is its own unit.

        Parameters
        ----------
        labels : sequence of Labels
            Label vectors of all rows.
        classes : sequence, optional
            Number the labels by their positions among these.
        outside : iterable
            Labels that are not among them, and come last.
        """
        if self.rows is None:
            return None
        kept = self._kept
        own = [one if kept is None else one.take(kept) for one in labels]
        entries, size = np.zeros(self._weighing.units.codes.size, np.int64), 1
        for one in own:
            codes, n_codes = _codes(one) if classes is None else places_among(one, classes, outside)
            # At most as many numbers as rows, so that keys of many vectors do not overflow.
            entries, size = _numbered(entries * n_codes + codes, size * n_codes)
        return self._over(entries, size)

    def outcomes(self, outcomes: Outcomes) -> Drawn | None:
        """Take as entries the cells of the Prayatul matrix of two classifiers, in the order of its counts."""
        return self.numbered(outcomes.cells, len(CELLS))

    def numbered(self, entries: Ints, n_entries: int) -> Drawn | None:
        """Take entries by their numbers, one for each row; None if each row is its own unit."""
        if self.rows is None:
            return None
        return self._over(entries if self._kept is None else entries[self._kept], n_entries)

    def _over(self, entries: Ints, n_entries: int) -> Drawn:
        """Sum the rows of each unit by entry, if that gives fewer lines."""
        own = self._weighing
        units, n_units = own.units.codes, own.units.n_units
        if n_units * n_entries > _PLACES_A_ROW * entries.size:
            return Drawn(units, n_units, entries, _counts(own.weights))
        summed = np.bincount(units * n_entries + entries, own.weights, n_units * n_entries)
        filled = np.flatnonzero(summed)
        unit, entry = np.divmod(filled, n_entries)
        sampled = own.weights is not None and own.weights.dtype.kind == "f"
        return Drawn(
            unit, n_units, entry, _counts(summed[filled].astype(np.float64 if sampled else np.int64))
        )

    @cached_property
    def _kept(self) -> Ints | None:
        """Positions of rows with positive weights; None if all have one."""
        return None if self.weights is None or self.weights.all() else np.flatnonzero(self.weights)

    @cached_property
    def _weighing(self) -> Drawing:
        return self if self._kept is None else self.take(self._kept)


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """Label vectors, and how their rows were drawn.

    Attributes
    ----------
    drawing : Drawing
    labels : sequence of Labels
        Label vectors of all rows.
    classes : sequence or None
        The order of the labels in a confusion matrix; None for a contingency table.
    outside : sequence
        The labels of the matrix that are no classes.
    """

    drawing: Drawing
    labels: Sequence[Labels]
    classes: Sequence[Any] | None = None
    outside: Sequence[Any] = ()

    @classmethod
    def of(
        cls, drawing: Drawing | None, labels: Sequence[Labels], classes: Sequence[Any] | None = None
    ) -> DrawnLabels | None:
        """Return label vectors with their drawing; None if rows were drawn independently."""
        return None if drawing is None else cls(drawing, labels, classes)

    @classmethod
    def of_points(cls, points: PartitionedPoints) -> DrawnLabels | None:
        """Return the units that points belong to; None if none were given."""
        return None if points.units is None else cls(Drawing(points.units, None), ())

    @property
    def units(self) -> DrawnUnits | None:
        """What a result says about the units; None if none were given."""
        return self.drawing.units_drawn

    @property
    def rows(self) -> Drawn | None:
        """Each row as an entry; None if each is its own unit."""
        return self.drawing.rows

    @cached_property
    def cells(self) -> Drawn | None:
        """The combinations of the labels as entries; None if each row is its own unit."""
        return self.drawing.cells(self.labels, self.classes, self.outside)


def notices_of_units(drawing: Drawing | None, confidence: float | None) -> tuple[Notice, ...]:
    """Return the notices about intervals from few units, if there are any."""
    units = None if drawing is None or confidence is None else drawing.units_drawn
    return () if units is None else units.notices


def _counts(weights: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the count or weight of each line; None if each is one instance."""
    is_one = weights is None or (weights.dtype.kind != "f" and bool((weights == 1).all()))
    return None if is_one else weights


def _codes(labels: Labels) -> tuple[Ints, int]:
    return labels.codes.astype(np.int64) - labels.low, labels.n_codes


def places_among(labels: Labels, classes: Sequence[Any], outside: Iterable[Any] = ()) -> tuple[Ints, int]:
    """Return the position of each label among the classes and the others that are given, and their number."""
    codes, names = labels.dense()
    places, others = answer_positions(names, classes, outside)
    return places[codes], len(classes) + len(others)


def _numbered(keys: Ints, size: int) -> tuple[Ints, int]:
    """Enumerate the occurring keys in ascending order; also return how many there are."""
    if size > _PLACES_A_ROW * keys.size:
        distinct, numbers = np.unique(keys, return_inverse=True)
        return numbers, distinct.size
    occurring = np.zeros(size, bool)
    occurring[keys] = True
    return (np.cumsum(occurring) - 1)[keys], int(np.count_nonzero(occurring))
