"""Labels of any kind coded as small integers, once, in O(n): arrays, lists, and columns of pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, a_type
from adjudge.given.arrays import to_numpy
from adjudge.given.class_order import StatedOrder, joined_order, stated_orders
from adjudge.given.data_frames import open_data_frame
from adjudge.given.label_values import (
    bind,
    code_array,
    code_entries,
    code_objects,
    code_strings,
    most_codes,
    numbers_of_arrow,
)
from adjudge.given.label_vectors import Labels, counted, renumbered, signed, sorted_labels, sorted_order

__all__ = ["Column", "Labels", "code_labels", "order_of_dictionary", "orders_of"]

# From here on, not every integer fits a float64.
_FIRST_ROUNDED = 2.0**53


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
        return _code_sequence(values, name)
    package = type(values).__module__.partition(".")[0]
    if package in _COLUMN_CODERS:
        coded = _COLUMN_CODERS[package](values, name)
        return _code_frame(values, name) if coded is None else coded
    if hasattr(values, "to_native"):  # a narwhals series
        return _code(values.to_native(), name)
    if any(hasattr(values, own) for own in ("__array__", "__dlpack__", "__cuda_array_interface__")):
        return code_array(to_numpy(values, name), name)
    if isinstance(values, Iterable):
        return _code_sequence(list(values), name)
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


def _code_sequence(values: Sequence[Any], name: str) -> Labels:
    """Code a list by the types that occur in it: NumPy would turn [1, "a"] into text."""
    kinds = set(map(type, values))
    if not kinds:
        return code_array(np.empty(0), name)
    if kinds <= {int, bool, float}:
        try:
            array = np.asarray(values)
        except OverflowError:
            return code_objects(values, name)
        # Integers that fit no integer type, or are mixed with floats, have become floats.
        if array.dtype.kind == "f" and kinds != {float} and (np.abs(array) >= _FIRST_ROUNDED).any():
            return code_objects(values, name)
        return code_array(array, name)
    if kinds & {list, tuple, np.ndarray}:
        if kinds <= {list, tuple, np.ndarray} and all(_is_one(value) for value in values):
            return _code_sequence([value[0] for value in values], name)
        raise InputError(Argument(name), " is nested: labels must be one-dimensional")
    return code_objects(values, name)


def _is_one(value: Any) -> bool:
    """Whether something has one entry; an array without dimensions has no length."""
    return getattr(value, "shape", None) != () and len(value) == 1


def _code_pandas(series: Any, name: str) -> Labels | None:
    """Code a pandas series, index or array; return None for a data frame."""
    import pandas as pd

    if getattr(series, "ndim", 1) != 1:
        return None
    if not hasattr(series, "dtype"):  # pandas.NA, say
        raise InputTypeError(Argument(name), f" is {a_type(series)}: give a sequence of labels")
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iubf":
        return code_array(series.to_numpy(), name)
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = series.cat if hasattr(series, "cat") else series
        categories = list(categorical.categories)
        coded = bind(np.asarray(categorical.codes), categories, name)
        return replace(coded, order=categories) if dtype.ordered else coded
    if _holds_arrow_strings(dtype):
        return _code_arrow(pd.array(series, copy=False).__arrow_array__(), name)
    try:
        codes, uniques = pd.factorize(series)
    except NotImplementedError:  # lists and extension types, which Arrow does not encode
        return _code_arrow(pd.array(series, copy=False).__arrow_array__(), name)
    except TypeError:  # a label that is not hashable: the other reader names it
        return code_objects(list(series), name)
    return bind(codes, uniques.tolist(), name)


def _holds_arrow_strings(dtype: Any) -> bool:
    """Whether a pandas column is an array of Arrow strings."""
    return dtype in ("string[pyarrow]", "large_string[pyarrow]") or getattr(dtype, "storage", "") == "pyarrow"


def _code_polars(series: Any, name: str) -> Labels | None:
    """Code a Polars series; return None for anything else."""
    import polars as pl

    if not isinstance(series, pl.Series):
        return None
    coded = _code_series(series, name)
    return (
        replace(coded, order=series.dtype.categories.to_list())
        if isinstance(series.dtype, pl.Enum)
        else coded
    )


def _code_series(series: Any, name: str) -> Labels:
    import polars as pl

    if series.dtype == pl.Binary:
        try:
            series = series.cast(pl.String)
        except pl.exceptions.PolarsError:
            raise _not_text(series.to_list(), name) from None
    if str(series.dtype) in ("Int128", "UInt128"):  # which NumPy lacks
        return code_objects(series.to_list(), name)
    missing = series.is_null().to_numpy() if series.null_count() else None
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        if missing is None:
            return code_array(series.to_numpy(), name)
        if missing.all():
            return Labels(np.zeros(len(series), np.int64), 0, 1, (0,), missing)
        coded = code_array(series.fill_null(series.drop_nulls()[0]).to_numpy(), name)
        return replace(coded, missing=missing if coded.missing is None else missing | coded.missing)
    if series.dtype == pl.String and find_spec("pyarrow"):
        newest = pl.CompatLevel.newest()
        coded_strings = code_strings([chunk.to_arrow(compat_level=newest) for chunk in series.get_chunks()])
        if coded_strings is not None:
            return coded_strings
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return code_objects(series.to_list(), name)
    if series.dtype == pl.String or missing is not None:
        known = series.drop_nulls().unique().cast(pl.String).sort()
        codes = series.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(-1)
        return bind(codes.to_numpy(), known.to_list(), name)
    numbers = series.to_physical().to_numpy()
    if isinstance(series.dtype, pl.Enum) and len(series.dtype.categories) <= most_codes(numbers.size):
        return sorted_labels(numbers, series.dtype.categories.to_list())
    # The categories of all series are numbered together.
    last = int(numbers.max(initial=0))
    if last < most_codes(numbers.size) and hasattr(series.cat, "to"):  # from Polars 2 on
        places = np.flatnonzero(counted(signed(numbers), last + 1))
        occurring = pl.Series(places.astype(numbers.dtype)).cat.to(series.dtype)
    else:
        occurring = series.unique()
        places = occurring.to_physical().to_numpy()
    names = occurring.cast(pl.String).to_list()
    if last < most_codes(numbers.size):
        number_of, order = np.zeros(last + 1, np.int32), sorted_order(names)
        number_of[places[order]] = np.arange(places.size)
        return sorted_labels(renumbered(signed(numbers), number_of), [names[i] for i in order])
    coded, name_of = code_entries(numbers), dict(zip(places.tolist(), names, strict=True))
    return sorted_labels(coded.codes, [name_of[number] for number in coded.categories])


def _code_arrow(array: Any, name: str) -> Labels | None:
    """Code an Arrow array, in one chunk or several; return None for anything else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(array, (pa.Array, pa.ChunkedArray)):
        return None
    if isinstance(array.type, pa.BaseExtensionType):  # such as UUIDs, which Arrow does not encode
        return code_objects(array.to_pylist(), name)
    if pa.types.is_nested(array.type):
        raise InputError(Argument(name), " is nested: labels must be one-dimensional")
    if array.null_count == 0 and (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return code_array(numbers_of_arrow(array), name)
    if _is_binary(array.type):
        array = _as_text(array, name)
    is_text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    if is_text or pa.types.is_string_view(array.type):
        coded = code_strings(array.chunks if isinstance(array, pa.ChunkedArray) else [array])
        if coded is not None:
            return coded
    stated = order_of_dictionary(array, name)
    if isinstance(array, pa.ChunkedArray):
        # Combining would copy even a single chunk.
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    indices = array.indices
    if indices.null_count:
        if pa.types.is_unsigned_integer(indices.type):
            indices = indices.cast(pa.int64())
        indices = indices.fill_null(-1)
    codes = indices.to_numpy(zero_copy_only=False)
    categories = array.dictionary
    if _is_binary(categories.type):
        categories = _as_text(categories, name)
    return replace(bind(codes, categories.to_pylist(), name), order=stated)


def _is_binary(dtype: Any) -> bool:
    import pyarrow.types as types

    known = types.is_binary(dtype) or types.is_large_binary(dtype) or types.is_binary_view(dtype)
    return bool(known or types.is_fixed_size_binary(dtype))


def _as_text(array: Any, name: str) -> Any:
    """Read bytes as text, which many programs write as bytes."""
    import pyarrow as pa

    try:
        return array.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        raise _not_text(array.to_pylist(), name) from None


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _not_text(values: Iterable[bytes | None], name: str) -> InputError:
    """Return the error that names the first bytes that are no text."""
    place, value = next((i, own) for i, own in enumerate(values) if own is not None and not _is_utf8(own))
    return InputError(
        Argument(name),
        f" has the bytes {value!r:.60} ",
        Position(place),
        ", which are not UTF-8: decode them to text",
    )


def order_of_dictionary(array: Any, name: str) -> list[Any] | None:
    """Return the order that an ordered dictionary states, whose chunks may have parts of it; None for another array."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(array.type) and array.type.ordered):
        return None
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return joined_order(stated_orders((name, own.dictionary.to_pylist()) for own in chunks))


# By package, the function that codes its columns and returns None for anything else.
_COLUMN_CODERS: dict[str, Callable[[Any, str], Labels | None]] = {
    "pandas": _code_pandas,
    "polars": _code_polars,
    "pyarrow": _code_arrow,
}
