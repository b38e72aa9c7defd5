"""Labels of any kind coded as small integers, once, in O(n)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, InputTypeError, Option, a_type, in_words
from adjudge.given.array_labels import code_array
from adjudge.given.arrays import to_numpy
from adjudge.given.arrow_labels import code_arrow
from adjudge.given.booleans import alike
from adjudge.given.class_order import StatedOrder, stated_orders
from adjudge.given.data_frames import open_data_frame
from adjudge.given.label_vectors import Labels
from adjudge.given.pandas_labels import code_pandas
from adjudge.given.polars_labels import code_polars
from adjudge.given.sequence_labels import code_sequence

__all__ = ["Column", "Labels", "check_classes", "code_labels", "orders_of"]


def check_classes(
    true_labels: Sequence[Any], predicted: Sequence[Any], *, prediction: str = "labels_pred"
) -> None:
    """Raise if a classifier cannot be right because it predicts none of the true labels.

    If there is only one true or predicted class, as in a small fold, every instance may well be wrong; then only
    labels of another type are an error.
    """
    names, said = alike(true_labels, predicted)
    if not set(names).isdisjoint(said):
        return
    if min(len(true_labels), len(predicted)) > 1 or _families(true_labels).isdisjoint(_families(predicted)):
        raise InputError(
            Argument(prediction),
            f" has labels such as {in_words(predicted[0])}, but none of the labels of ",
            Argument("labels_true"),
            f", such as {in_words(true_labels[0])}: pass ",
            Option("kind", "clustering"),
            ", or use the same labels in both",
        )


def _families(labels: Sequence[Any]) -> set[str]:
    """Name the types of labels; types whose values can be equal (1, True and 1.0; any text) are one family."""
    families = {"number": (int, float, np.number, np.bool_), "text": (str,), "bytes": (bytes,)}
    kinds = set(map(type, labels))
    return {next((f for f, types in families.items() if issubclass(k, types)), k.__name__) for k in kinds}


def orders_of(truth: Labels, prediction: Labels | None) -> tuple[StatedOrder, ...]:
    """Return the orders that the types of the truth's and the prediction's columns state."""
    named = [("labels_true", truth.order), ("labels_pred", None if prediction is None else prediction.order)]
    return stated_orders(named)


@dataclass(frozen=True)
class Column:
    """Labels with the name that errors use for them; `heading` is that of their column in a table."""

    name: str
    values: Any
    heading: str | None = None

    @classmethod
    def of(cls, values: Any, name: str) -> Column:
        """Code labels once, and keep their name or give them one."""
        own = values if isinstance(values, Column) else cls(name, values)
        return cls(own.name, code_labels(values, name), own.heading)


def code_labels(values: Any, name: str) -> Labels:
    """Code one label vector.

    Parameters
    ----------
    values : array-like of shape (n,) or (n, 1), data frame of one column, Labels or Column
        Labels that have been coded are returned unchanged.
    name : str
        The vector's name in errors, unless it is a :class:`Column`.

    Returns
    -------
    Labels

    Raises
    ------
    InputError
        If labels are not one-dimensional, infinite or not whole.
    """
    if isinstance(values, Column):
        name, values = values.name, values.values
    return values if isinstance(values, Labels) else _code(values, name)


def _code(values: Any, name: str) -> Labels:
    if isinstance(values, np.ndarray):
        return code_array(to_numpy(values, name), name)
    if isinstance(values, str):
        raise InputTypeError(
            Argument(name), f" is the text {values[:60]!r}: give a sequence of labels, one for each instance"
        )
    if isinstance(values, (bytes, Mapping, set, frozenset)) or values is None:
        raise InputTypeError(Argument(name), f" is {a_type(values)}: give a sequence of labels")
    if isinstance(values, (list, tuple)):
        return code_sequence(values, name)
    package = type(values).__module__.partition(".")[0]
    if package in _COLUMN_CODERS:
        coded = _COLUMN_CODERS[package](values, name)
        return _code_frame(values, name) if coded is None else coded
    if hasattr(values, "to_native"):  # a narwhals series
        return _code(values.to_native(), name)
    if any(hasattr(values, own) for own in ("__array__", "__dlpack__", "__cuda_array_interface__")):
        return code_array(to_numpy(values, name), name)
    if isinstance(values, Iterable):
        return code_sequence(list(values), name)
    raise InputTypeError(Argument(name), f" is {a_type(values)}: give a sequence of labels")


def _code_frame(frame: Any, name: str) -> Labels:
    shape = getattr(frame, "shape", None)
    if shape is None:
        raise InputTypeError(
            Argument(name),
            f" is {a_type(frame)}, whose rows are not in memory: collect it, and pass one column",
        )
    if len(shape) == 2 and shape[1] == 1:
        return _code(open_data_frame(frame, name, eager_only=True)[:, 0].to_native(), name)
    raise InputError(
        Argument(name),
        f" is {a_type(frame)} of shape {shape}: pass one column of it, or points as ",
        Option("X"),
        " and their labels as ",
        Option("labels"),
    )


# By package, the function that codes its columns and returns None for anything else.
_COLUMN_CODERS: dict[str, Callable[[Any, str], Labels | None]] = {
    "pandas": code_pandas,
    "polars": code_polars,
    "pyarrow": code_arrow,
}
