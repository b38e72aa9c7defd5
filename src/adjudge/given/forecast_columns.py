"""Columns of a table that hold a classifier's probabilities, or scores that rank."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Bools
from adjudge.errors import Argument, Call, InputError, InputTypeError, Option, a_type, in_words
from adjudge.given.data_frames import numbers_in
from adjudge.given.label_scores import LabelScores, read_label_scores
from adjudge.given.labels import Labels, code_labels
from adjudge.given.positive import OneColumn
from adjudge.given.probabilities import ScoreMatrix, as_class_scores
from adjudge.presentation.numbers import listed


def in_order_of(models: Sequence[Any], given: Any) -> Any:
    """Return columns or patterns, one for each model in their order, by model; anything else as it is given.

    Examples
    --------
    >>> from adjudge.given.forecast_columns import in_order_of
    >>> in_order_of(["old", "new"], ["p_old", "p_new"])
    {'old': 'p_old', 'new': 'p_new'}
    """
    names = [given] if isinstance(given, str) else given
    if (
        isinstance(names, (list, tuple))
        and len(names) == len(models)
        and all(isinstance(own, str) for own in names)
    ):
        return dict(zip(models, names, strict=True))
    return given


def with_patterns(given: Any, option: str, known: Sequence[Any], leave_out: Collection[Any] = ()) -> Any:
    """Replace patterns such as ``a_*``, whose star stands for a class, by a mapping of classes, sorted, to columns.

    Parameters
    ----------
    given : str, mapping of models or classes to str, or anything else
        What is no pattern, or is the name of a column, stays as it is.
    option : {"probabilities", "scores"}
    known : sequence of str
        The columns of the table.
    leave_out : collection of str
        Columns with another role.
    """
    if isinstance(given, Mapping):
        return {name: with_patterns(own, option, known, leave_out) for name, own in given.items()}
    if not isinstance(given, str) or "*" not in given or given in known:
        return given
    if given.count("*") > 1:
        raise InputError(Option(option, given), " has several stars: one stands for the class")
    before, after = given.split("*")
    names = [name for name in known if isinstance(name, str) and name not in leave_out]
    size = len(before) + len(after)
    found = {
        name[len(before) : len(name) - len(after)]: name
        for name in names
        if len(name) > size and name.startswith(before) and name.endswith(after)
    }
    if not found:
        such = ", ".join(map(repr, known[:8]))
        raise InputError(Option(option, given), f" matches no column, such as {such}")
    return dict(sorted(found.items(), key=_as_labels_are(found)))


def _as_label(name: Any) -> Any:
    """Return the label that a text names: numbers and truth values are those that are written so."""
    text = str(name).strip()
    with suppress(ValueError):
        return float({"true": "1", "false": "0"}.get(text.casefold(), text))
    return text


def _as_labels_are(names: Collection[Any]) -> Callable[[tuple[Any, Any]], Any]:
    """Return a key that sorts classes by name as labels are: numbers by size, whatever the order of their columns."""
    try:
        places = {name: float(name) for name in names}
    except ValueError:
        return lambda item: str(item[0])
    return lambda item: places[item[0]]


@dataclass(frozen=True)
class ForecastColumns:
    """The columns, and the class of each.

    Attributes
    ----------
    option : {"probabilities", "scores"}
    columns : tuple of str
        One column, for one of two classes, or one for each class.
    classes : sequence or None
        None for the labels that occur, in sorted order.
    column : OneColumn or None
        The one column.
    names_classes : bool
        Whether a mapping, or a pattern, names the class of each of several columns; of two, its order says nothing.
    """

    option: str
    columns: tuple[Any, ...]
    classes: Sequence[Any] | None
    column: OneColumn | None = None
    names_classes: bool = False

    @classmethod
    def of(cls, given: Any, option: str, classes: Sequence[Any] | None = None) -> ForecastColumns:
        """Read an option.

        Parameters
        ----------
        given : str, mapping of classes to str, or sequence of str
            One column, or one for each class. A sequence needs `classes`. A mapping with one of two classes says which
            class the column is for; the order of one with both does not make the second the positive one.
        option : {"probabilities", "scores"}
        classes : sequence, optional
            All classes, in the order of the columns.
        """
        if isinstance(given, (str, int)) and not isinstance(given, bool):
            return cls(option, (given,), classes, OneColumn(given, must_fit=True))
        own: list[Any] | None
        if isinstance(given, Mapping):
            if len(given) == 2 and classes is None:
                given = dict(sorted(given.items(), key=_as_labels_are(given)))
            columns, own = tuple(given.values()), list(given)
            if len(own) == 1:
                own = None if classes is None else list(classes)
            elif classes is not None:
                if sorted(map(str, classes)) != sorted(map(str, own)):
                    raise InputError(
                        Argument(option),
                        f" names the classes {', '.join(map(str, own[:6]))}, which are not those of ",
                        Option("classes"),
                    )
                by_text = {str(label): column for label, column in given.items()}
                columns, own = tuple(by_text[str(label)] for label in classes), list(classes)
        elif isinstance(given, Sequence):
            columns, own = tuple(given), None if classes is None else list(classes)
            if own is None and len(columns) != 1:
                raise InputError(
                    Argument(option),
                    " does not say which class each column is of: give a mapping of classes to columns, or name "
                    "the classes with ",
                    Option("classes"),
                )
        else:
            raise InputTypeError(
                Argument(option),
                f" is {a_type(given)}: name a column, or give a mapping of classes to columns",
            )
        for name in columns:
            if not isinstance(name, (str, int)):
                raise InputTypeError(Argument(option), f" names columns by strings, not by {a_type(name)}")
        if not columns:
            raise InputError(Argument(option), " is empty: name a column")
        if own is not None and len(columns) > 1 and len(own) != len(columns):
            raise InputError(f"classes names {len(own)} classes, {option} has {len(columns)} columns")
        is_mapping = isinstance(given, Mapping)
        if len(columns) > 1:
            return cls(option, columns, own, names_classes=is_mapping and classes is None)
        says = next(iter(given)) if is_mapping else None
        return cls(option, columns, own, OneColumn(columns[0], says, True, is_mapping))

    def as_in(self, labels: Labels) -> ForecastColumns:
        """Return the columns of two classes that a mapping names in the order that the type of the labels states."""
        if not (self.names_classes and self.classes and len(self.columns) == 2 and labels.order):
            return self
        places = {str(label): i for i, label in enumerate(labels.order)}
        first, second = (places.get(str(label), -1) for label in self.classes)
        if min(first, second) < 0 or first < second:
            return self
        return replace(self, columns=self.columns[::-1], classes=self.classes[::-1])

    def check_classes(self, truth: Labels) -> None:
        """Raise if a mapping or a pattern names the columns of several models: none is of a class of the truth."""
        if not self.names_classes or self.classes is None:
            return
        known = {_as_label(label) for label in truth.categories}
        if known and not known.intersection(map(_as_label, self.classes)):
            raise InputError(
                Argument(self.option),
                f" names columns of {listed(list(map(in_words, self.classes)), 4)}, and none of them is a class of the "
                "truth: columns of several models are for ",
                Call("compare"),
                ", and each alone for ",
                Call("evaluate"),
            )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return max(2, len(self.columns))

    @property
    def are_probabilities(self) -> bool:
        """Whether they are probabilities, not scores that only rank."""
        return self.option == "probabilities"

    def read(self, column: Callable[..., Any], truth: Any = None, *, gaps: bool = False) -> ScoreMatrix:
        """Read the columns.

        Parameters
        ----------
        column : callable
            Takes the name of a column and `gaps`, and returns a narwhals series.
        truth : array-like of shape (n,), optional
            The instances' true labels.
        gaps : bool
            Whether instances may lack scores.
        """
        own = self
        if truth is not None and self.names_classes:
            labels = code_labels(truth, "labels_true")
            self.check_classes(labels)
            own = self.as_in(labels)
        parts: list[Any] = []
        for name in own.columns:
            series = column(name, gaps=gaps)
            parts.append(numbers_in(series))
            if parts[-1] is None:
                self.check_type(name, series.dtype)
        values = np.column_stack(parts)
        return as_class_scores(
            values[:, 0] if len(self.columns) == 1 else values,
            probabilities=self.are_probabilities,
            classes=own.classes,
            truth=truth,
            column=self.column,
            gaps=gaps,
        )

    def read_labels(self, matrix: Callable[..., Any], absent: Bools | None = None) -> LabelScores:
        """Read a column for each label, of instances that may have several; those that are `absent` may lack scores.

        `matrix` takes the names of the columns and `gaps`, and returns an array.
        """
        labels = self.classes
        if self.column is not None:
            labels = [self.column.says] if self.column.is_given else None
        if labels is None:
            raise InputError(
                Option(self.option, self.columns[0]), " is one column: give a pattern such as 'p_*'"
            )
        values = matrix(self.columns, gaps=absent is not None)
        return read_label_scores(
            values, probabilities=self.are_probabilities, labels=list(labels), absent=absent
        )

    def check_type(self, name: Any, dtype: Any) -> None:
        """Raise if a column is not numeric."""
        if not (dtype.is_numeric() or str(dtype) == "Boolean"):
            raise InputTypeError(f"column {name!r} has type {dtype}: {self.option} are numbers")
