"""The old model of a gate, read from a result that was saved with its instances."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option, in_words
from adjudge.given.labels import Column, Labels, code_labels
from adjudge.presentation.numbers import count
from adjudge.results.comparison import Comparison
from adjudge.results.evaluation import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.gate import Gate

__all__ = [
    "StoredModel",
    "check_beside_stored",
    "check_same_rows",
    "is_stored",
    "known_labels",
    "read_result",
]


def is_stored(given: Any) -> bool:
    """Whether the argument is a result, or the path of a saved one."""
    if isinstance(given, (Evaluation, Evaluations, Comparison, Gate)):
        return True
    return isinstance(given, (str, PathLike)) and fspath(given).lower().endswith(".adjudge")


def check_beside_stored(**given: Any) -> None:
    """Raise for gate options that make no sense with a saved result."""
    found = next((name for name, value in given.items() if value is not None), None)
    if found is not None:
        raise InputError(
            "with a saved result the labels are compared, row by row: leave out ",
            Option(found),
            ", or give the old model's table",
        )


def read_result(given: Any, called: str) -> tuple[Any, str]:
    """Return a result that was given or saved, and what messages call it."""
    from adjudge.saved.archive import load

    if isinstance(given, (str, PathLike)):
        return load(fspath(given)), repr(fspath(given))
    return given, called


def known_labels(result: Evaluation | Comparison, called: str) -> tuple[Any, dict[str, Any]]:
    """Return the truth and each model's labels, row by row; raise if the result does not know them."""
    try:
        rows = result.known_instances()
    except InputError as error:
        raise InputError(f"{called}: ", *error.parts) from None
    labels = {name: own.given() for name, own in rows.labels.items() if isinstance(own, Labels)}
    if len(labels) < len(rows.labels) or not isinstance(rows.truth, Labels):
        raise InputError(f"{called} has several labels of one instance, which are not compared row by row")
    if rows.kept is not None:
        raise InputError(f"{called} left out rows, so that its rows are not those of the new model")
    return np.asarray(rows.truth.given(), object), labels


def check_same_rows(labels_true: Any, truth: Any, called: str) -> None:
    """Raise unless the rows have the same truth as those of an earlier result."""
    new = np.asarray(code_labels(Column.of(labels_true, "labels_true").values, "labels_true").given(), object)
    if len(new) != len(truth):
        raise InputError(
            f"{called} has {count(len(truth), 'row')}, the new model has {len(new):,}: they must be of "
            "the same instances, in the same order; of tables ",
            Option("key"),
            " finds them",
        )
    differ = np.flatnonzero(new != truth)
    if differ.size:
        i = int(differ[0])
        raise InputError(
            f"the truth of {count(differ.size, 'row')} is not that of {called}, such as that of row {i}, "
            f"{in_words(new[i])} and {in_words(truth[i])}: both must be of the same instances, in the same order"
        )


class StoredModel:
    """The truth and a model's labels, from a result about one model, or from a gate (its new model).

    Parameters
    ----------
    given : Evaluation, Gate or path

    Raises
    ------
    InputError
        If the result has no instances, has several models, or left out rows.
    """

    def __init__(self, given: Any) -> None:
        result, self.called = read_result(given, "the old result")
        if isinstance(result, (Comparison, Evaluations)):
            raise InputError(
                f"{self.called} is about several models: save an evaluation of the one to compare with"
            )
        judged = result.comparison if isinstance(result, Gate) else result
        if not isinstance(judged, (Evaluation, Comparison)):
            raise InputError(f"{self.called} is no result about labels: save one of evaluate, or of a gate")
        self.truth, by_model = known_labels(judged, self.called)
        name = result.comparison.models[1] if isinstance(result, Gate) else next(iter(by_model))
        self.labels = by_model[name]

    def check(self, labels_true: Any) -> None:
        """Raise unless the new model's rows have the same truth as the old model's."""
        check_same_rows(labels_true, self.truth, self.called)
