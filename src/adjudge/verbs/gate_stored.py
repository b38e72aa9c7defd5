"""The old model of a gate, read from a result that was saved with its instances."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.labels import Column, Labels, code_labels
from adjudge.presentation.numbers import count
from adjudge.results.comparison import Comparison
from adjudge.results.evaluation import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.gate import Gate

__all__ = ["StoredModel", "check_beside_stored", "is_stored"]


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
        from adjudge.saved.archive import load

        result = load(fspath(given)) if isinstance(given, (str, PathLike)) else given
        self.called = repr(fspath(given)) if isinstance(given, (str, PathLike)) else "the old result"
        if isinstance(result, (Comparison, Evaluations)):
            raise InputError(
                f"{self.called} is about several models: save an evaluation of the one to compare with"
            )
        judged = result.comparison if isinstance(result, Gate) else result
        if not isinstance(judged, (Evaluation, Comparison)):
            raise InputError(f"{self.called} is no result about labels: save one of evaluate, or of a gate")
        try:
            rows = judged.known_instances()
        except InputError as error:
            raise InputError(f"{self.called}: ", *error.parts) from None
        name = result.comparison.models[1] if isinstance(result, Gate) else next(iter(rows.labels))
        labels, truth = rows.labels[name], rows.truth
        if not isinstance(labels, Labels) or not isinstance(truth, Labels):
            raise InputError(f"{self.called} has several labels of one instance, which a gate does not check")
        if rows.kept is not None:
            raise InputError(f"{self.called} left out rows, so that its rows are not those of the new model")
        self.labels, self.truth = labels.given(), np.asarray(truth.given(), object)

    def check(self, labels_true: Any) -> None:
        """Raise unless the new model's rows have the same truth as the old model's."""
        new = np.asarray(
            code_labels(Column.of(labels_true, "labels_true").values, "labels_true").given(), object
        )
        if len(new) != len(self.truth):
            raise InputError(
                f"{self.called} has {count(len(self.truth), 'row')}, the new model has {len(new):,}: they must be of "
                "the same instances, in the same order; of tables ",
                Option("key"),
                " finds them",
            )
        differ = np.flatnonzero(new != self.truth)
        if differ.size:
            i = int(differ[0])
            raise InputError(
                f"the truth of {count(differ.size, 'row')} is not that of {self.called}, such as that of row {i}, "
                f"{new[i]!r} and {self.truth[i]!r}: both must be of the same instances, in the same order"
            )
