"""What the curves of a classifier's scores have in common: the thresholds, and the counts at each.

A curve is a view of the sorted scores (:class:`adjudge.statistics.ranked_scores.RankedScores`): they are sorted once,
equal scores are one point, and curves of disjoint instances add up with ``+``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, overload

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice
from adjudge.given.positive import is_usual, positive_position
from adjudge.indices.class_measures import MEASURES
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.statistics.classes import OneVersusRest
from adjudge.statistics.curve_steps import CurveSteps, ranked_of
from adjudge.statistics.forecasts import Forecasts, read_forecasts
from adjudge.statistics.ranked_scores import RankedScores


class AtThresholds:
    """A property of curves: a measure by class at each threshold."""

    def __init__(self, measure: str, doc: str) -> None:
        self.measure, self.__doc__ = measure, doc

    @overload
    def __get__(self, curve: None, owner: type) -> AtThresholds: ...
    @overload
    def __get__(self, curve: ScoreCurve, owner: type) -> Floats: ...
    def __get__(self, curve: ScoreCurve | None, owner: type) -> AtThresholds | Floats:
        return self if curve is None else curve.measure(self.measure)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurve(Result, ByValue):
    """The results at each threshold: an instance is assigned to the class if its score reaches the threshold.

    Curves of the same class on disjoint instances add up with ``+``.

    Attributes
    ----------
    ranked : RankedScores
        The sorted scores, and how often each occurs inside and outside of the class.
    label : object
        The class.
    in_units : bool
        Whether instances were sampled in units of several.
    """

    ranked: RankedScores
    label: Any = None
    in_units: bool = False

    columns: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""

    @classmethod
    def from_predictions(
        cls, labels_true: Any, probabilities: Any = None, *, positive: Any = None, **options: Any
    ) -> Self:
        """Sort the scores of one class.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), or data frame, optional
            A vector has the values of that class, unless its name ends in another class.
        positive : optional
            The class; default: the second of two.
        **options
            `scores` instead of probabilities, `pos_label` (scikit-learn's name of `positive`), `classes`,
            `sample_weight` and `missing`, as for :func:`adjudge.statistics.read_forecasts`.
        """
        return cls.of(read_forecasts(labels_true, probabilities, positive=positive, **options))

    @classmethod
    def of(cls, forecasts: Forecasts | CurveSteps, positive: Any = None, *, in_units: bool = False) -> Self:
        """Sort the scores of one class of forecasts that have been read already."""
        code = forecasts.positive if positive is None else positive_position(forecasts.classes, positive)
        if code is None:
            raise InputError(
                f"a curve is for one class, but there are {forecasts.k}: name the class with ",
                Option("positive"),
            )
        known = forecasts.weighing()
        return cls(ranked_of(known, code), forecasts.classes[code], in_units)

    def __add__(self, other: ScoreCurve) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        if other.label != self.label:
            raise InputError(f"curves of {self.label!r} and of {other.label!r} cannot be added")
        return type(self)(self.ranked + other.ranked, self.label, self.in_units or other.in_units)

    @cached_property
    def thresholds(self) -> Floats:
        """Thresholds in descending order, shape (m + 1,): infinity, then each distinct score."""
        return np.concatenate([[math.inf], self.ranked.scores[::-1]])

    @cached_property
    def counts(self) -> OneVersusRest:
        """Right and wrong answers at each threshold."""
        tp, fp = (
            np.concatenate([np.zeros(1, part.dtype), np.cumsum(part[::-1])])
            for part in (self.ranked.positives, self.ranked.negatives)
        )
        return OneVersusRest(tp, fp, tp[-1] - tp, fp[-1] - fp)

    def measure(self, name: str) -> Floats:
        """Return the value of a measure by class at each threshold; nan if it is undefined.

        Parameters
        ----------
        name : str
            "precision", "recall", "f1", "specificity", "informedness" ...: a column of the table by class.
        """
        check_choice("name", name, tuple(MEASURES))
        return MEASURES[name].values(self.counts)

    @property
    def is_defined(self) -> bool:
        """Whether both instances of the class and others were judged."""
        return bool(self.ranked.n_positive > 0 and self.ranked.n_negative > 0)

    @property
    def without_band(self) -> str | None:
        """Why there is no band around the curve; None if there may be one."""
        if self.in_units:
            return "rows of one unit vary together"
        return "weights do not say how many instances there are" if self.ranked.is_weighted else None

    def table(self) -> Table:
        """One row per threshold."""
        columns = {name: getattr(self, name) for name in ("thresholds", *self.columns)}
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        title = self.title if self.label is None or is_usual(self.label) else f"{self.title} of {self.label}"
        return Table(("threshold", *self.columns), tuple(rows), title)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "class": plain_json(self.label),
            **{name: plain_json(getattr(self, name).tolist()) for name in ("thresholds", *self.columns)},
        }

    def __repr__(self) -> str:
        p, n = self.ranked.n_positive, self.ranked.n
        return (
            f"<{self.title} of {self.label!r}: {self.thresholds.size:,} thresholds, {p:,} of {n:,} instances>"
        )
