"""The scores of each class against the rest, or of each true cluster against its partner."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import UnknownIndexError
from adjudge.inference.interval_methods import Interval
from adjudge.presentation.tables import Table

__all__ = ["ByClass", "ClassScores", "MeasuredClasses", "OneClass"]

#: Other names of the measures by class.
_ALIASES = {
    "sensitivity": "recall",
    "tpr": "recall",
    "ppv": "precision",
    "npv": "negative_predictive_value",
    "tnr": "specificity",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "fdr": "false_discovery_rate",
    "for": "false_omission_rate",
    "mcc": "matthews_correlation",
    "auc": "roc_auc",
}


@dataclass(frozen=True, slots=True)
class OneClass:
    """A measure of one class.

    Attributes
    ----------
    value : float
        nan if it is undefined.
    reason : str or None
        Why, if it is.
    low, high : float or None
        Confidence interval, if one was asked for and there is one.
    interval_reason : str or None
        Why the interval is one-sided or missing.
    """

    value: float
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval_reason: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Mapping[str, float]):
    """The scores of one class: ``scores["recall"]`` is a float.

    Attributes
    ----------
    label : object
    support, predicted : int or float
        Instances of the class, and instances predicted as it (or their weight).
    measures : dict of str to OneClass
    partner : object
        Of clusterings: the predicted cluster that is matched with this one; None if it is left over.
    """

    label: Any
    support: Any
    predicted: Any
    measures: dict[str, OneClass]
    partner: Any = None

    def score(self, name: str) -> OneClass:
        """Return all that is known of one measure."""
        wanted = str(name).strip().lower().replace(" ", "_")
        found = self.measures.get(_ALIASES.get(wanted, wanted))
        if found is None:
            raise UnknownIndexError(f"{name!r} is no measure by class: there are {', '.join(self.measures)}")
        return found

    def __getitem__(self, name: str) -> float:
        return self.score(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __repr__(self) -> str:
        known = ", ".join(f"{name}={score.value:.4g}" for name, score in self.measures.items())
        return f"<class {self.label!r}: support={self.support}, predicted={self.predicted}, {known}>"


@dataclass(frozen=True, eq=False)
class MeasuredClasses:
    """A measure of every class.

    Attributes
    ----------
    values : ndarray of float64 of shape (K,)
    labels : sequence of length K
    unless : str
        What is so of a class for which the measure is undefined.
    intervals : sequence of Interval, or None
    """

    values: NDArray[np.float64]
    labels: Sequence[Any]
    unless: str
    intervals: Sequence[Interval] | None = None

    def __getitem__(self, place: int) -> OneClass:
        value = float(self.values[place])
        interval = None if self.intervals is None else self.intervals[place]
        if math.isnan(value):
            reason = f"0/0: class {self.labels[place]!r} {self.unless}"
            return OneClass(value, reason, interval_reason=None if interval is None else interval.reason)
        if interval is None or math.isnan(interval.low):
            return OneClass(value, interval_reason=None if interval is None else interval.reason)
        return OneClass(value, None, interval.low, interval.high, interval.reason)


class ByClass(Mapping[Any, ClassScores]):
    """The scores of each class, or true cluster, by its label, in the order of the classes.

    Parameters
    ----------
    labels, support, predicted : sequence of length K
        Classes, instances of each, and instances predicted as it.
    measured : mapping of str to MeasuredClasses
    partners : sequence of length K, optional
        Of clusterings: the predicted cluster that is matched with each one, or None.
    left_over : sequence, optional
        Of clusterings: the predicted clusters that are matched with no true one.

    Attributes
    ----------
    left_over : tuple or None
    """

    def __init__(
        self,
        labels: Sequence[Any] = (),
        support: Sequence[Any] = (),
        predicted: Sequence[Any] = (),
        measured: Mapping[str, MeasuredClasses] | None = None,
        *,
        partners: Sequence[Any] | None = None,
        left_over: Sequence[Any] | None = None,
    ) -> None:
        self._columns = labels, support, predicted, partners or [None] * len(labels)
        self._measured = dict(measured or {})
        self.left_over = None if left_over is None else tuple(left_over)

    @cached_property
    def _rows(self) -> dict[Any, ClassScores]:
        """Rows are made when the first one is read: of thousands of classes an average needs none."""
        return {
            label: ClassScores(
                label, support, predicted, {name: own[i] for name, own in self._measured.items()}, partner
            )
            for i, (label, support, predicted, partner) in enumerate(zip(*self._columns, strict=True))
        }

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(self._measured)

    def __getitem__(self, label: Any) -> ClassScores:
        try:
            return self._rows[label]
        except KeyError:
            known = ", ".join(map(repr, list(self._rows)[:8])) + (" ..." if len(self._rows) > 8 else "")
            what = "class" if self.left_over is None else "true cluster"
            raise UnknownIndexError(f"{label!r} is no {what}: there are {known}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._columns[0])

    def __len__(self) -> int:
        return len(self._columns[0])

    def __repr__(self) -> str:
        return self.table().text()

    def table(self, measures: Sequence[str] | None = None) -> Table:
        """One row a class, with intervals where they were asked for."""
        rows = list(self._rows.values())
        names = list(measures or self.measures)
        with_intervals = [any(row.score(name).low is not None for row in rows) for name in names]
        of_clusters = self.left_over is not None
        columns = ["cluster", "matched with"] if of_clusters else ["class"]
        columns += ["support", "predicted"]
        for name, wide in zip(names, with_intervals, strict=True):
            columns += [name, f"{name}_low", f"{name}_high"] if wide else [name]
        cells = []
        for row in rows:
            line: list[Any] = [row.label, *([row.partner] if of_clusters else ())]
            line += [row.support, row.predicted]
            for name, wide in zip(names, with_intervals, strict=True):
                score = row.score(name)
                line += [score.value, score.low, score.high] if wide else [score.value]
            notes = dict.fromkeys(row.score(n).reason for n in names if row.score(n).reason)
            cells.append((*line, "; ".join(str(note) for note in notes)))
        return Table((*columns, "note"), tuple(cells), title=self._title())

    def _title(self) -> str:
        if self.left_over is None:
            return "By class"
        rest = ", ".join(map(str, self.left_over[:8])) + (" ..." if len(self.left_over) > 8 else "")
        return "By true cluster" + (f" (predicted clusters left over: {rest})" if rest else "")
