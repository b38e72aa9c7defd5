"""The truth and its forecasts, instance by instance, from which all scores of probabilities are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels, check_same_order, of_other_length
from adjudge.given.class_order import StatedOrder, check_one_order, stated_orders
from adjudge.given.input_kinds import DecisionScores, Probabilities, Truth
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, orders_of
from adjudge.given.positive import OneColumn, ScoredClass, one_positive, positive_position, scored_class
from adjudge.given.probabilities import ScoreMatrix, as_class_scores
from adjudge.given.weights import Weighting, as_weights
from adjudge.kernels.scores import highest_of_rows
from adjudge.statistics.classes import class_positions


@dataclass(frozen=True, eq=False)
class Forecasts:
    """True classes, and a score of each instance for each class.

    Attributes
    ----------
    classes : sequence of length C
        In the order of the columns.
    codes : ndarray of int64 of shape (n,)
        Column of the true class.
    values : ndarray of shape (n, C), or (n,) for the second of two classes
    weights : ndarray of float64 of shape (n,), or None
    positive : int or None
        Column of the positive class; None if there is none.
    kept : ndarray of int64 or None
        Input positions of the instances that remain; None if all do.
    scored : ScoredClass or None
        The class of a single column, and how it was chosen; None if each class had a column.
    orders : tuple of StatedOrder
        Orders of the classes that an option or the type of the truth states.
    """

    classes: Sequence[Any]
    codes: Ints
    values: NDArray[Any]
    weights: Floats | None = None
    positive: int | None = None
    kept: Ints | None = None
    scored: ScoredClass | None = None
    orders: tuple[StatedOrder, ...] = ()

    #: Whether they are probabilities, rather than scores that only rank.
    are_probabilities: ClassVar[bool] = False

    @classmethod
    def make(cls, truth: Labels, given: ScoreMatrix) -> Forecasts:
        """Match the truth with the classes of the columns."""
        return cls.of(truth, given)

    @classmethod
    def of(
        cls,
        truth: Labels,
        given: ScoreMatrix,
        *,
        positive: Any = None,
        weights: Floats | None = None,
        kept: Ints | None = None,
    ) -> Forecasts:
        """Match the truth with the classes of the columns."""
        given.check_complete(kept)
        codes, labels = truth.dense()
        sizes = np.bincount(codes, minlength=len(labels))
        classes = classes_of_columns(labels, given.classes, given.n_columns, given.name)
        columns = class_positions(labels, classes, sizes, "labels_true")
        values = given.values if kept is None else given.values[kept]
        if values.shape[0] != codes.size:
            raise of_other_length(given.name, values.shape[0], "labels_true", codes.size)
        if not np.array_equal(columns, np.arange(columns.size)):
            codes = columns[codes]
        scored = None if values.ndim == 2 else scored_class(classes, positive, given.column)
        if scored is not None:
            values = cls.of_second(values, scored)
        return cls(classes, codes, values, weights, positive_position(classes, positive), kept, scored)

    @classmethod
    def of_second(cls, values: NDArray[Any], scored: ScoredClass) -> NDArray[Any]:
        """Return a single column's scores unchanged if it is of the second class; else, a column for each class.

        In that case both are kept, because 1 - p rounds small probabilities away.
        """
        return values if scored.place == 1 else np.column_stack([values, cls.opposite(values)])

    @classmethod
    def opposite(cls, values: NDArray[Any]) -> NDArray[Any]:
        """Return the scores of the other of two classes."""
        return -values

    def take(self, positions: NDArray[Any]) -> Self:
        """Return the forecasts at some positions (or under a mask)."""
        return replace(
            self,
            codes=self.codes[positions],
            values=self.values[positions],
            weights=None if self.weights is None else self.weights[positions],
            kept=(np.arange(self.n) if self.kept is None else self.kept)[positions],
        )

    def weighing(self) -> Self:
        """Drop the instances with weight 0."""
        return self if self.weights is None or self.weights.all() else self.take(self.weights > 0)

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.codes.size)

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def sizes(self) -> NDArray[Any]:
        """Instances of each class, or their weight."""
        return np.bincount(self.codes, self.weights, self.k)

    @property
    def total(self) -> int | float:
        """Number of instances, or their weight."""
        return self.n if self.weights is None else float(self.weights.sum())

    def column(self, code: int) -> NDArray[Any]:
        """Return the score of each instance for one class."""
        if self.values.ndim == 2:
            return np.ascontiguousarray(self.values[:, code])
        return self.values if code == 1 else self._other

    @property
    def _other(self) -> NDArray[Any]:
        return self.opposite(self.values)

    @property
    def matrix(self) -> NDArray[Any]:
        """The scores with a column for each class."""
        return self.values if self.values.ndim == 2 else np.column_stack([self._other, self.values])

    def row(self, place: int) -> int:
        """Return the input position of an instance."""
        return place if self.kept is None else int(self.kept[place])


@dataclass(frozen=True, eq=False)
class DecisionForecasts(Forecasts):
    """Scores that only rank the instances."""

    made_from: ClassVar[tuple[type, ...]] = (Truth, DecisionScores)


@dataclass(frozen=True, eq=False)
class ProbabilityForecasts(Forecasts):
    """Probabilities of the classes."""

    made_from: ClassVar[tuple[type, ...]] = (Truth, Probabilities)
    are_probabilities: ClassVar[bool] = True

    @classmethod
    def opposite(cls, values: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of the other of two classes."""
        return 1 - values

    @property
    def best(self) -> Ints:
        """Column of the likeliest class, the first among ties; with a single column, its own class from 0.5 upwards."""
        if self.values.ndim == 2:
            return highest_of_rows(np.ascontiguousarray(self.values))
        return (self.values >= 0.5).astype(np.int64)

    def contradicted(self, said: Ints) -> float:
        """Return the share of instances (or of their weight) whose label, a column, is not the likeliest class."""
        return float(np.average(said != self.best, weights=self.weights))

    def shares_of(self, rows: slice | Ints) -> Floats:
        """Return the probabilities of some instances, with a column for each class."""
        found = np.asarray(self.values[rows], np.float64)
        return found if found.ndim == 2 else np.column_stack([1 - found, found])

    @property
    def of_truth(self) -> Floats:
        """Probability of the true class, instance by instance."""
        if self.values.ndim == 2:
            found = self.values[np.arange(self.n), self.codes]
        else:
            found = np.where(self.codes == 1, self.values, self._other)
        return found.astype(np.float64, copy=False)


def read_forecasts(
    labels_true: Any,
    probabilities: Any = None,
    *,
    scores: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    missing: str = "raise",
) -> Forecasts:
    """Check and align the truth and its forecasts.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
    probabilities : array-like of shape (n, C) or (n,), or data frame, optional
    scores : the same, optional
        Used instead of probabilities, for measures that only rank.
    classes : sequence of length C, optional
        Classes of the columns; default: the column names, or else the labels that occur, sorted.
    positive, pos_label : optional
        The positive class, under either name; default: the second of two. A single column is of this class, unless its
        name ends in another one.
    sample_weight : array-like of shape (n,), optional
    missing : {"raise", "drop"}
        What to do with instances that have no label.

    Returns
    -------
    Forecasts

    Examples
    --------
    >>> from adjudge.statistics import read_forecasts
    >>> read_forecasts(["no", "yes", "yes"], [0.2, 0.9, 0.4]).classes
    ['no', 'yes']
    """
    if (probabilities is None) == (scores is None):
        raise InputError("give either ", Option("probabilities"), " or ", Option("scores"))
    kind = DecisionForecasts if probabilities is None else ProbabilityForecasts
    check_same_order({"labels_true": labels_true, "probabilities": probabilities, "scores": scores})
    given = as_class_scores(
        scores if probabilities is None else probabilities,
        probabilities=probabilities is not None,
        classes=classes,
        truth=labels_true,
    )
    absent = Weighting(sample_weight=sample_weight).absent
    incomplete = given.missing if missing == "drop" else None
    aligned = align_labels(
        {"labels_true": labels_true}, LabelOptions(missing=missing), {}, absent, incomplete
    )
    if len(given) != aligned.n_given:
        raise of_other_length(given.name, len(given), "labels_true", aligned.n_given)
    weights = None if sample_weight is None else as_weights(sample_weight, aligned.n_given, aligned.kept)
    positive = one_positive(positive, pos_label)
    truth = aligned.labels[0]
    found = kind.of(truth, given, positive=positive, weights=weights, kept=aligned.kept).weighing()
    return replace(found, orders=orders_of(truth, None) or stated_orders([("classes", classes)]))


def classes_of_columns(
    labels: Sequence[Any], named: Sequence[Any] | None, n_columns: int, option: str
) -> Sequence[Any]:
    """Return the classes of the columns: the given ones, or the labels that occur."""
    if named is None:
        if len(labels) != n_columns:
            # A single column of probabilities has become two.
            has, remedy = f"{option} has {n_columns} columns", "name the columns with "
            if n_columns == 2 < len(labels):
                has, remedy = (
                    f"{option} speaks of two classes",
                    "give a column for each, or all classes with ",
                )
            there = f"{len(labels)} class{'es' if len(labels) > 1 else ''}"
            raise InputError(
                f"{has}, ", Argument("labels_true"), f" has {there}: {remedy}", Option("classes")
            )
        check_one_order(labels, option)
        return labels
    if set(labels) <= set(named):
        return named
    # A data frame's column names are strings even if the classes are numbers.
    by_text = {str(label): label for label in labels}
    return [by_text.get(name, name) if isinstance(name, str) else name for name in named]


def as_given(forecasts: Forecasts) -> ScoreMatrix:
    """Return what forecasts were made from, with the classes that were found for the columns."""
    classes = forecasts.classes
    one = None if forecasts.values.ndim == 2 else OneColumn(classes[1], classes[1])
    return ScoreMatrix(forecasts.values, list(classes), forecasts.are_probabilities, column=one)
