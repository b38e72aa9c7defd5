"""Predicted class probabilities, or scores that rank, checked once; every error about them is raised here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, InputError, InputTypeError, Row, a_type
from adjudge.given.arrays import number_array
from adjudge.given.data_frames import FRAME_PACKAGES, numbers_in, read_data_frame
from adjudge.given.labels import code_labels
from adjudge.given.positive import OneColumn
from adjudge.given.row_sums import (
    BEYOND,
    PERCENT,
    PERCENTAGES,
    SUMS_REMEDY,
    TOLERANCE,
    Rounded,
    allowed_by_decimals,
    allowed_by_epsilon,
    are_percentages,
    decimals_of,
    epsilon_of,
)
from adjudge.kernels.scores import first_bad_row
from adjudge.presentation.numbers import percent_text

# If more than this share of the entries lies outside [0, 1], they are not probabilities.
_MANY = 0.1
# A percentage that would be a large logit.
_LARGE = 5
# What entries seem to be of which many are outside [0, 1].
_LOGITS = (
    "logits, which the softmax turns into probabilities (or the logistic function, if there are two classes)"
)
_LOGARITHMS = "logarithms of probabilities, so give exp() of them"


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """A score of each instance for each class.

    Attributes
    ----------
    values : ndarray of float64 or float32 of shape (n, C), or of shape (n,)
        One column per class; a vector has the scores of one of two classes.
    classes : sequence or None
        Classes of the columns, if the input names them.
    are_probabilities : bool
        Whether they are probabilities, not scores that only rank.
    rounded : Rounded or None
        Which rows were divided by their sums; None if all add up to 1 as they were given.
    column : OneColumn or None
        The name of a vector, if it has one.
    missing : ndarray of bool of shape (n,), or None
        Which instances lack a score; None if none does.
    """

    values: NDArray[Any]
    classes: Sequence[Any] | None
    are_probabilities: bool
    rounded: Rounded | None = None
    column: OneColumn | None = None
    missing: Bools | None = None

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def take(self, positions: Ints) -> ScoreMatrix:
        """Return the scores of some instances."""
        missing = None if self.missing is None else self.missing[positions]
        return replace(self, values=self.values[positions], missing=missing)

    def check_complete(self, kept: Ints | None = None) -> None:
        """Raise if an instance lacks a score, unless it is left out."""
        lacking = np.flatnonzero(False if self.missing is None else self.missing)
        lacking = lacking if kept is None else np.intersect1d(lacking, kept)
        if lacking.size:
            row = int(lacking[0])
            column = int(np.argmax(np.isnan(self.values[row]))) if self.values.ndim > 1 else None
            raise _missing_entry(self.name, Row(row, column))

    @property
    def n_columns(self) -> int:
        """Number of classes."""
        return 2 if self.values.ndim == 1 else int(self.values.shape[1])

    @property
    def name(self) -> str:
        """The option that they were given as."""
        return "probabilities" if self.are_probabilities else "scores"


def as_class_scores(
    given: Any,
    *,
    probabilities: bool,
    classes: Sequence[Any] | None = None,
    truth: Any = None,
    column: OneColumn | None = None,
    gaps: bool = False,
) -> ScoreMatrix:
    """Check probabilities, or scores that need only rank.

    Parameters
    ----------
    given : array-like of shape (n, C) or (n,), or data frame with a column for each class
        Shape (n,), or a data frame of one column: for one of two classes, the one in its name or the positive one.
    probabilities : bool
        Whether entries lie in [0, 1] and rows add up to 1, within 1e-6 or the precision of the numbers. Rows of
        numbers with few decimals are divided by their sums.
    classes : sequence, optional
        Classes of the columns; default: the names of a data frame's columns.
    truth : array-like of shape (n,), optional
        The true labels: if rows do not add up to 1, the error says whether a class has no column.
    column : OneColumn, optional
        The name of a vector; default: that of a series.
    gaps : bool
        Whether instances may lack scores: these are marked, and have to be left out.

    Raises
    ------
    InputError
        If entries are missing or are not probabilities; the first such row is named.
    InputTypeError
        If entries are not numbers.
    """
    if isinstance(given, ScoreMatrix):
        if classes is None or given.classes is not None:
            return given
        return replace(given, classes=_counted(classes, given))
    name = "probabilities" if probabilities else "scores"
    values, named = score_array(given, name)
    if values.ndim == 2 and values.shape[1] == 1:
        if named is None:
            raise InputError(
                Argument(name),
                f" has one column: give a vector for the positive class, or the {name} of all classes",
            )
        values, column, named = values[:, 0], column or OneColumn(named[0]), None
    elif values.ndim == 1 and column is None and isinstance(getattr(given, "name", None), str):
        column = OneColumn(given.name)
    if classes is not None:
        named = list(classes)
    if values.shape[0] == 0:
        raise InputError(Argument(name), " is empty: at least one instance is needed")
    missing = np.isnan(values) if gaps and np.isnan(values.min()) else None
    missing = missing if missing is None or missing.ndim == 1 else missing.any(axis=1)
    found = ScoreMatrix(
        values, None, probabilities, missing=missing, column=column if values.ndim == 1 else None
    )
    found = found if named is None else replace(found, classes=_counted(named, found))
    if not probabilities:
        if missing is None:
            check_none_missing(values)
        return found
    if missing is None:
        return _of_probabilities(found, truth)
    there = np.flatnonzero(~missing)
    if not there.size:
        return found
    try:
        complete = _of_probabilities(replace(found, values=values[there]), truth)
    except InputError as error:  # which counts the rows that have scores
        parts = (Row(int(there[p.index]), p.column) if isinstance(p, Row) else p for p in error.parts)
        raise error.worded(*parts) from None
    values = values.copy()
    values[there] = complete.values
    return replace(complete, values=values)


def _of_probabilities(scores: ScoreMatrix, truth: Any) -> ScoreMatrix:
    """Check probabilities."""
    values = without_dust(scores.values)
    if values.ndim == 1:
        check_shares(values)
        return replace(scores, values=values)
    values, rounded = _with_sums(values, truth)
    return replace(scores, values=values, rounded=rounded)


def _counted(classes: Sequence[Any], scores: ScoreMatrix) -> list[Any]:
    """Check that there is a class for each column."""
    if len(classes) != scores.n_columns:
        found = (
            f"{scores.name} has {scores.n_columns} columns"
            if scores.values.ndim > 1
            else f"but {scores.name} is one column, which tells two apart: give a column for each class"
        )
        raise InputError(f"classes names {len(classes)} classes, {found}")
    return list(classes)


def decision_values(values: Any, classes: Sequence[Any] | None) -> ScoreMatrix:
    """Read the output of an estimator's ``decision_function``: for two classes, one column for the second."""
    second = OneColumn(classes[1], classes[1]) if classes is not None and len(classes) == 2 else None
    return as_class_scores(values, probabilities=False, classes=classes, column=second)


def are_decision_values(given: Any) -> bool:
    """Whether numbers lie beyond 0 or 1, by more than rounding, so that they may rank and are no probabilities."""
    if given is None or isinstance(given, (ScoreMatrix, Iterator)):
        return False
    values, _ = score_array(given, "probabilities")
    return bool(((values < -BEYOND) | (values > 1 + BEYOND)).any() and not np.isinf(values).any())


def score_array(given: Any, name: str) -> tuple[NDArray[Any], list[Any] | None]:
    """Return a vector or matrix of numbers, and its column names if it has any."""
    package = type(given).__module__.partition(".")[0]
    if package in FRAME_PACKAGES and getattr(given, "ndim", 2) != 1 and hasattr(type(given), "columns"):
        frame = read_data_frame(given, name)
        columns = []
        for series in frame.iter_columns():
            if (numbers := numbers_in(series)) is None:
                said = f" has a column {series.name!r} of {series.dtype}: numbers are needed"
                raise InputTypeError(Argument(name), said)
            columns.append(numbers)
        return np.column_stack(columns), list(frame.columns)
    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, (set, frozenset, str, Mapping)):
        raise InputTypeError(
            Argument(name), f" is {a_type(given)}: give a number for each instance, in their order"
        )
    values = number_array(given, name, " is ragged: one row of numbers for each instance is needed")
    if values.dtype.kind not in "iubf":
        raise InputTypeError(Argument(name), f" has dtype {values.dtype}: numbers are needed")
    if values.ndim not in (1, 2):
        raise InputError(Argument(name), f" has shape {values.shape}: (n, C) or (n,) is needed")
    wanted = np.float32 if values.dtype == np.float32 else np.float64
    return np.ascontiguousarray(values, wanted), None


def _with_sums(values: NDArray[Any], truth: Any) -> tuple[NDArray[Any], Rounded | None]:
    """Check rows of probabilities; divide those by their sums that only rounding keeps from adding up to 1."""
    width = values.shape[1]
    row, column = first_bad_row(values, allowed_by_epsilon(width, float(np.finfo(values.dtype).eps)))
    if row < 0:
        return values, None
    with np.errstate(invalid="ignore"):  # infinite ones are refused
        sums = values.sum(axis=1, dtype=np.float64)
    if column >= 0:
        _refuse(values, Row(row, column), sums)
    check_shares(values)
    off = np.abs(sums - 1)
    if off.max() <= allowed_by_epsilon(width, epsilon_of(values)):
        return values, None
    decimals = decimals_of(values)
    allowed = TOLERANCE if decimals is None else allowed_by_decimals(width, decimals)
    if off.max() > allowed or not sums.all():
        raise _sum_refused(values, int(np.argmax((off > allowed) | (sums == 0))), sums, truth)
    assert decimals is not None
    wrong = off > TOLERANCE
    values = np.where(wrong[:, None], values / sums.astype(values.dtype)[:, None], values)
    return values, Rounded(int(np.count_nonzero(wrong)), decimals)


def _sum_refused(values: NDArray[Any], row: int, sums: NDArray[Any], truth: Any) -> InputError:
    """Return the error that says why a row does not add up to 1."""
    added_up = "probabilities add up to ", f"{sums[row]:.9g} ", Row(row)
    if are_percentages(sums.min(), sums.max()):
        return InputError(*added_up, PERCENTAGES)
    classes = 0 if truth is None else len(code_labels(truth, "labels_true").dense()[1])
    if classes > values.shape[1]:
        return InputError(
            *added_up,
            f": there are {values.shape[1]} columns, ",
            Argument("labels_true"),
            f" has {classes} classes: give a column for each",
        )
    return InputError(*added_up, SUMS_REMEDY)


def check_none_missing(values: NDArray[Any]) -> None:
    """Raise for the first score that is nan."""
    if np.isnan(values).any():
        raise _missing_entry("scores", _place(np.isnan(values)))


def _missing_entry(name: str, where: Row) -> InputError:
    return InputError(Argument(name), " has a missing entry ", where, ": fill it in, or leave the row out")


def without_dust(values: NDArray[Any]) -> NDArray[Any]:
    """Clip entries that rounding has put beyond 0 or 1 by a few last digits of float32, whatever type holds them."""
    if values.dtype.kind != "f" or not values.size:
        return values
    if values.min() >= 0 and values.max() <= 1:
        return values
    near = (values >= -BEYOND) & (values <= 1 + BEYOND)
    return np.where(near, np.clip(values, 0, 1), values)


def check_shares(values: NDArray[Any]) -> None:
    """Raise for the first entry outside [0, 1]."""
    bad = ~((values >= 0) & (values <= 1))
    if bad.any():
        _refuse(values, _place(bad))


def _refuse(values: NDArray[Any], where: Row, sums: Floats | None = None) -> None:
    entry: Any = where.index if where.column is None else (where.index, where.column)
    value = float(values[entry])
    if np.isnan(value):
        raise _missing_entry("probabilities", where)
    shown = repr(value).removesuffix(".0")
    if _in_percent(values, sums):
        points = "; points of a scale that only rank are scores" if where.column is None else ""
        raise InputError(Argument("probabilities"), f" has {shown} ", where, PERCENTAGES, points)
    many = float(np.mean((values < 0) | (values > 1)))
    if many > _MANY:
        raise InputError(
            Argument("probabilities"),
            f" has {shown} ",
            where,
            f", and {percent_text(many)} of all entries are outside [0, 1]: these look like ",
            _LOGARITHMS if np.nanmax(values) <= 0 else _LOGITS,
        )
    raise InputError(
        Argument("probabilities"), f" has {shown} ", where, ": probabilities lie between 0 and 1"
    )


def _in_percent(values: NDArray[Any], sums: Floats | None) -> bool:
    """Whether rows add up to 100 or, if they need not add up to anything, entries lie up to 100, and many above 1.

    Of a rare class most are small; logits of many rows would be negative somewhere, and those of few are not large.
    """
    if sums is not None:
        return are_percentages(sums.min(), sums.max())
    within = values.min() >= 0 and _LARGE < values.max() <= PERCENT
    return bool(within and np.mean(values > 1) > _MANY)


def _place(bad: Bools) -> Row:
    first = int(np.argmax(bad))
    return Row(first) if bad.ndim == 1 else Row(*divmod(first, bad.shape[1]))
