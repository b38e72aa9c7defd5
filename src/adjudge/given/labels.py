"""Anything label-like becomes small integers, once, in O(n); every error about labels is raised here."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, a_type
from adjudge.given.arrays import to_numpy
from adjudge.given.codes import code_range, cut_floats, renumbered
from adjudge.given.data_frames import open_data_frame
from adjudge.given.numbering import ArrayRows, numbered
from adjudge.startup import few_to_count, few_to_look_up

__all__ = ["Column", "Labels", "check_classes", "code_labels"]

IntArray = NDArray[Any]


@dataclass(frozen=True)
class Labels:
    """One label vector, coded.

    Attributes
    ----------
    codes : ndarray of integers, of shape (n,)
        Category of each instance, counted from `low`. Integer labels of a small range are their own codes
        (no copy is made), in a type that may hold no more than they do.
    low : int
        Smallest code.
    n_codes : int
        Codes lie in ``range(low, low + n_codes)``; some may not occur.
    categories : sequence
        ``categories[code - low]`` is the label as it was given; sorted if the labels can be sorted.
    missing : ndarray of bool of shape (n,), or None
        Instances without a label, whose codes have no meaning; None if all have one.
    """

    codes: IntArray
    low: int
    n_codes: int
    categories: Sequence[Any]
    missing: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return int(self.codes.size)

    def take(self, positions: NDArray[Any]) -> Labels:
        """Return the labels at some positions (or under a mask)."""
        missing = None if self.missing is None else self.missing[positions]
        if missing is not None and not missing.any():
            missing = None
        return replace(self, codes=self.codes[positions], missing=missing)

    def dense(self) -> tuple[NDArray[np.int64], list[Any]]:
        """Return codes 0..K-1 without gaps, and the label of each."""
        shifted = self.codes.astype(np.int64, copy=False)
        if self.low:
            shifted = shifted - self.low
        counts = np.bincount(shifted, minlength=self.n_codes)
        if np.count_nonzero(counts) == self.n_codes:
            return shifted, list(self.categories)
        present = counts > 0
        return (np.cumsum(present) - 1)[shifted], [
            self.categories[i] for i in np.flatnonzero(present).tolist()
        ]

    def given(self) -> NDArray[Any]:
        """Return the label of each instance; none may be missing."""
        codes, labels = self.dense()
        return np.asarray(labels)[codes]

    def where(self, label: Any) -> NDArray[np.bool_] | None:
        """Mask the instances that carry `label`, or else its text; None if none can."""
        if isinstance(self.categories, range):
            if not _is_whole(label) or int(label) not in self.categories:
                return None
            return np.asarray(self.codes == int(label))
        hits = [i for i, category in enumerate(self.categories) if _equal(category, label)]
        if not hits and not isinstance(label, str):
            hits = [i for i, category in enumerate(self.categories) if category == str(label)]
        return np.asarray(self.codes == hits[0] + self.low) if hits else None


def check_classes(
    true_labels: Sequence[Any],
    predicted: Sequence[Any],
    *,
    truth: str = "labels_true",
    prediction: str = "labels_pred",
) -> None:
    """Raise if a classifier cannot be right: it has none of the true labels.

    If there is only one true or predicted class, as in a small fold, every instance may well be wrong; then only
    labels of another type are an error.
    """
    if not set(true_labels).isdisjoint(predicted):
        return
    if min(len(true_labels), len(predicted)) > 1 or _families(true_labels).isdisjoint(_families(predicted)):
        raise InputError(
            Argument(prediction),
            f" has labels such as {predicted[0]!r}, but none of the labels of ",
            Argument(truth),
            f", such as {true_labels[0]!r}: pass ",
            Option("kind", "clustering"),
            ", or use the same labels in both",
        )


def _families(labels: Sequence[Any]) -> set[str]:
    """Name the types of labels; what is equal across types (1 and True and 1.0, text of any kind) is one family."""
    families = {"number": (int, float, np.number, np.bool_), "text": (str,), "bytes": (bytes,)}
    kinds = set(map(type, labels))
    return {next((f for f, types in families.items() if issubclass(k, types)), k.__name__) for k in kinds}


@dataclass(frozen=True)
class Column:
    """Labels under the name that errors should call them by."""

    name: str
    values: Any

    @classmethod
    def of(cls, values: Any, name: str) -> Column:
        """Code labels, once, and keep the name that they have, or give them one."""
        own = values.name if isinstance(values, Column) else name
        return cls(own, code_labels(values, name))


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
        return _code_array(values, name)
    if isinstance(values, (str, bytes, Mapping, set, frozenset)) or values is None:
        raise InputTypeError(Argument(name), f" is {a_type(values)}: give a sequence of labels")
    if isinstance(values, (list, tuple)):
        return _code_sequence(values, name)
    package = type(values).__module__.partition(".")[0]
    if package in _FRAME_CODERS:
        return _FRAME_CODERS[package](values, name)
    if hasattr(values, "to_native"):  # a narwhals series
        return _code(values.to_native(), name)
    if hasattr(values, "__array__") or hasattr(values, "__cuda_array_interface__"):
        return _code_array(to_numpy(values, name), name)
    if isinstance(values, Iterable):
        return _code_sequence(list(values), name)
    raise InputTypeError(Argument(name), f" is {a_type(values)}: give a sequence of labels")


def _code_sequence(values: Sequence[Any], name: str) -> Labels:
    """Code a list by the types that occur in it: NumPy would turn [1, "a"] into text."""
    kinds = set(map(type, values))
    if not kinds:
        return Labels(_EMPTY, 0, 0, ())
    if kinds <= {int, bool, float}:
        try:
            array = np.asarray(values)
        except OverflowError:
            return _code_objects(values, name)
        # Integers that fit no integer type, or are mixed with floats, have become floats.
        if array.dtype.kind == "f" and kinds != {float} and (np.abs(array) >= _FIRST_ROUNDED).any():
            return _code_objects(values, name)
        return _code_array(array, name)
    if kinds & {list, tuple, np.ndarray}:
        if kinds <= {list, tuple, np.ndarray} and all(len(value) == 1 for value in values):
            return _code_sequence([value[0] for value in values], name)
        raise InputError(Argument(name), " is nested: labels must be one-dimensional")
    return _code_objects(values, name)


_EMPTY = np.empty(0, np.int64)
# From here on not every integer is a float64.
_FIRST_ROUNDED = 2.0**53
# Up to here a whole float is an int64.
_LARGEST_WHOLE = 9.2e18


def _code_array(values: NDArray[Any], name: str) -> Labels:
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(Argument(name), f" has shape {values.shape}: labels must be one-dimensional")
    masked = None
    if type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
        values = values.filled(values[~masked][0] if not masked.all() else 0)
    kind = values.dtype.kind
    if values.size == 0:
        coded = Labels(_EMPTY, 0, 0, ())
    elif kind in "iub":
        coded = _code_integers(values, kind == "b")
    elif kind == "f":
        coded = _code_floats(values, name)
    elif kind in "US":
        coded = _code_text(values)
    elif kind == "O":
        coded = _code_objects(values, name)
    elif kind in "MmT":
        coded = _code_objects(values.astype(object), name)
    else:
        raise InputTypeError(
            Argument(name), f" has dtype {values.dtype}: labels are integers, text, booleans or categories"
        )
    if masked is not None and masked.any():
        return replace(coded, missing=masked if coded.missing is None else masked | coded.missing)
    return coded


def _code_integers(values: NDArray[Any], boolean: bool = False) -> Labels:
    original, dtype = values, values.dtype
    if not dtype.isnative:
        values = values.astype(dtype.newbyteorder("="))
    # Read with a sign, numbers that codes cannot hold are negative.
    values = values.view(np.uint8) if dtype.kind == "b" else _signed(values)
    low, high = code_range(values)
    if low >= 0 or dtype.kind != "u":
        coded = _by_their_values(values, low, high)
        if coded is not None:
            return replace(coded, categories=[False, True][low : high + 1]) if boolean else coded
    if few_to_look_up(values.size):
        distinct, ranks = np.unique(original, return_inverse=True)
        return Labels(ranks.astype(np.int32), 0, distinct.size, distinct.tolist())
    found = numbered(ArrayRows(original.astype(np.int64 if dtype.kind == "i" else np.uint64, copy=False)))
    distinct = original[found.firsts]
    order = np.argsort(distinct)
    return Labels(found.ranked(_ranks(order)), 0, order.size, distinct[order].tolist())


def _most_codes(n: int) -> int:
    """How many codes n labels may have, so that memory does not grow with those that do not occur."""
    return 2 * n + 256


def _by_their_values(values: IntArray, low: int, high: int) -> Labels | None:
    """Take integers of a small range for their own codes."""
    width = high - low + 1
    if width > _most_codes(values.size):
        return None
    return Labels(_signed_up_to(high, values), low, width, range(low, high + 1))


def _code_floats(values: NDArray[Any], name: str) -> Labels:
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if not few_to_count(values.size) and (cut := cut_floats(values)) is not None:
        coded = _by_their_values(*cut)
        return _code_integers(cut[0]) if coded is None else coded
    values = values.astype(np.float64, copy=False)
    whole, is_whole = _as_whole(values)
    if is_whole is None:
        return _code_integers(whole)
    missing = np.isnan(values)
    bad = np.flatnonzero(~(is_whole | missing))
    if bad.size:
        value = float(values[bad[0]])
        what = (
            "infinite"
            if math.isinf(value)
            else "too large"
            if value == math.floor(value)
            else "not a whole number"
        )
        raise InputError(
            Argument(name),
            f" has {value!r} ",
            Position(bad[0]),
            f", which is {what}: labels name groups; round scores or probabilities to classes first",
        )
    if missing.all():
        return Labels(np.zeros(values.size, np.int64), 0, 1, (0,), missing)
    return replace(_code_integers(np.where(missing, whole[~missing][0], whole)), missing=missing)


def _as_whole(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Cut floats to int64, and mask those that this has not changed; no mask if all are whole."""
    with np.errstate(invalid="ignore"):  # what no int64 holds becomes the smallest
        whole = values.astype(np.int64)
    is_whole = whole == values
    if is_whole.all() and np.abs(values).max() < _LARGEST_WHOLE:
        return whole, None
    return whole, is_whole & (np.abs(values) < _LARGEST_WHOLE)


def _code_text(values: NDArray[Any]) -> Labels:
    if values.dtype.itemsize == 0:
        return Labels(np.zeros(values.size, np.int32), 0, 1, ("",))
    if few_to_look_up(values.size):
        numbers: defaultdict[Any, int] = defaultdict(count().__next__)
        found = np.fromiter(map(numbers.__getitem__, values.tolist()), np.int32, values.size)
        return _sorted_labels(found, list(numbers))
    coded = numbered(ArrayRows(values))
    names = values[coded.firsts].tolist()
    order = _sorted_order(names)
    return Labels(coded.ranked(_ranks(order)), 0, len(order), [names[i] for i in order])


def _code_objects(values: Iterable[Any], name: str) -> Labels:
    """Code Python objects with a dictionary, so by their own equality."""
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    sized = values if isinstance(values, Sequence) else list(values)
    try:
        codes = np.fromiter(map(numbers.__getitem__, sized), np.int64, len(sized))
    except TypeError:
        where = next(i for i, v in enumerate(sized) if not _hashable(v))
        raise InputError(
            Argument(name),
            f" has a {type(sized[where]).__name__} ",
            Position(where),
            ": labels must be one-dimensional, and each label a number, text or another hashable value",
        ) from None
    return _bind(codes, list(numbers), name)


def _bind(codes: NDArray[np.int64], categories: list[Any], name: str) -> Labels:
    """Bind codes to their categories: -1, and categories that are None or NaN, stand for missing labels."""
    _check_objects(categories, codes, name)
    lost = np.array([*map(_is_missing, categories), True])
    if not lost[:-1].any() and (codes.dtype.kind == "u" or codes.size == 0 or codes.min() >= 0):
        return _sorted_labels(codes, categories)
    missing = lost[codes]
    left = [category for category, gone in zip(categories, lost, strict=False) if not gone]
    if len(left) < len(categories) or missing.any():
        compact = np.cumsum(~lost) - 1
        codes = np.where(missing, 0, compact[codes])
        return replace(_sorted_labels(codes, left or [None]), missing=missing if missing.any() else None)
    return _sorted_labels(codes, categories)


def _check_objects(keys: Sequence[Any], codes: NDArray[np.int64], name: str) -> None:
    for number, key in enumerate(keys):
        if isinstance(key, (float, np.floating)) and not _is_missing(key) and not float(key).is_integer():
            where = int(np.argmax(codes == number))
            what = "infinite" if math.isinf(key) else "not a whole number"
            raise InputError(
                Argument(name),
                f" has {float(key)!r} ",
                Position(where),
                f", which is {what}: labels name groups; round scores or probabilities to classes first",
            )


def _sorted_labels(codes: IntArray, categories: list[Any]) -> Labels:
    """Renumber so that categories are in sorted order."""
    order = _sorted_order(categories)
    if order != list(range(len(order))):
        codes = renumbered(codes, _ranks(order))
        categories = [categories[i] for i in order]
    return Labels(_signed_up_to(len(order) - 1, _signed(codes)), 0, len(order), categories)


def _sorted_order(categories: list[Any]) -> list[int]:
    """Return the order of categories: by type, then text, if they cannot be compared."""
    try:
        return sorted(range(len(categories)), key=categories.__getitem__)
    except (TypeError, ArithmeticError):  # a Decimal NaN refuses in its own way
        return sorted(
            range(len(categories)), key=lambda i: (type(categories[i]).__name__, str(categories[i]))
        )


def _signed(numbers: IntArray) -> IntArray:
    """Read wide numbers with a sign: of the unsigned types compiled loops know none."""
    if numbers.dtype.kind != "u" or numbers.dtype.itemsize < 4:
        return numbers
    return numbers.view(np.int32 if numbers.dtype.itemsize == 4 else np.int64)


def _signed_up_to(largest: int, codes: IntArray) -> IntArray:
    """Read codes with a sign, if the type has room for one beside the largest: fewer types meet in one loop."""
    if codes.dtype.kind != "u" or largest >> (8 * codes.itemsize - 1):
        return codes
    return codes.view(f"i{codes.itemsize}")


def _ranks(order: Any) -> NDArray[np.int32]:
    """Return the place of each entry in the order."""
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def _code_pandas(series: Any, name: str) -> Labels:
    import pandas as pd

    if getattr(series, "ndim", 1) != 1:
        return _code_frame(series, name)
    if not hasattr(series, "dtype"):  # pandas.NA, say
        raise InputTypeError(Argument(name), f" is {a_type(series)}: give a sequence of labels")
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iubf":
        return _code_array(series.to_numpy(), name)
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = series.cat if hasattr(series, "cat") else series
        return _bind(np.asarray(categorical.codes), list(categorical.categories), name)
    if _holds_arrow_strings(dtype) and not few_to_look_up(len(series)):
        return _code_arrow(pd.array(series, copy=False).__arrow_array__(), name)
    try:
        codes, uniques = pd.factorize(series)
    except TypeError:  # a label that is not hashable, which the other reader names
        return _code_objects(list(series), name)
    return _bind(codes, uniques.tolist(), name)


def _holds_arrow_strings(dtype: Any) -> bool:
    """Whether a column of pandas is an array of strings of Arrow."""
    return dtype in ("string[pyarrow]", "large_string[pyarrow]") or getattr(dtype, "storage", "") == "pyarrow"


def _code_polars(series: Any, name: str) -> Labels:
    import polars as pl

    if not isinstance(series, pl.Series):
        return _code_frame(series, name)
    missing = series.is_null().to_numpy() if series.null_count() else None
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        if missing is None:
            return _code_array(series.to_numpy(), name)
        if missing.all():
            return Labels(np.zeros(len(series), np.int64), 0, 1, (0,), missing)
        coded = _code_array(series.fill_null(series.drop_nulls()[0]).to_numpy(), name)
        return replace(coded, missing=missing if coded.missing is None else missing | coded.missing)
    if series.dtype == pl.String and not few_to_look_up(len(series)) and find_spec("pyarrow"):
        newest = pl.CompatLevel.newest()
        coded_strings = _code_strings([chunk.to_arrow(compat_level=newest) for chunk in series.get_chunks()])
        if coded_strings is not None:
            return coded_strings
    if series.dtype in (pl.String, pl.Categorical, pl.Enum) and missing is None and len(series):
        if series.dtype == pl.String:
            series = series.cast(pl.Enum(series.unique().sort()))
        return _code_polars_categories(series)
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = series.cast(pl.String)
        known = text.drop_nulls().unique(maintain_order=True)
        codes = text.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return _bind(codes, known.to_list(), name)
    return _code_objects(series.to_list(), name)


@dataclass(frozen=True, eq=False)
class _CategoryRows(ArrayRows):
    """The numbers of categories of Polars as rows of a word, in the order of their names."""

    names_at: Callable[[NDArray[np.int64]], list[str]]

    def order(self, keys: NDArray[Any], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `WordRows`."""
        return np.array(_sorted_order(self.names_at(places)), np.int64)


def _code_polars_categories(series: Any) -> Labels:
    """Code categories, none of which is missing, by the numbers that Polars has for them."""
    import polars as pl

    numbers = series.to_physical().to_numpy()
    if isinstance(series.dtype, pl.Enum) and len(series.dtype.categories) <= _most_codes(numbers.size):
        return _sorted_labels(numbers, series.dtype.categories.to_list())

    def names_at(places: NDArray[np.int64]) -> list[str]:
        found: list[str] = series.gather(places).cast(pl.String).to_list()
        return found

    # A few may occur among many.
    if few_to_look_up(numbers.size):
        _, firsts, codes = np.unique(numbers, return_index=True, return_inverse=True)
        return _sorted_labels(codes, names_at(firsts))
    coded = numbered(_CategoryRows(numbers, names_at))
    names = names_at(coded.firsts)
    order = _sorted_order(names)
    return Labels(coded.ranked(_ranks(order)), 0, len(order), [names[i] for i in order])


def _code_arrow(array: Any, name: str) -> Labels:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(array, (pa.Array, pa.ChunkedArray)):
        return _code_frame(array, name)
    if pa.types.is_nested(array.type):
        raise InputError(Argument(name), " is nested: labels must be one-dimensional")
    if array.null_count == 0 and (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return _code_array(array.to_numpy(), name)
    is_text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    if (is_text or pa.types.is_string_view(array.type)) and not few_to_look_up(len(array)):
        coded = _code_strings(array.chunks if isinstance(array, pa.ChunkedArray) else [array])
        if coded is not None:
            return coded
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    indices = array.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
    codes = indices.to_numpy(zero_copy_only=False)
    return _bind(codes, array.dictionary.to_pylist(), name)


def _code_strings(arrays: Sequence[Any]) -> Labels | None:
    """Code strings of Arrow where they are; None if they cannot be packed into words."""
    from adjudge.given.strings import numbered_strings

    strings = numbered_strings(arrays)
    if strings is None:
        return None
    texts = strings.texts
    # Nulls come last, and lose their number.
    order = sorted(range(len(texts)), key=lambda i: (texts[i] is None, texts[i] or ""))
    codes = strings.found.ranked(_ranks(order))
    known = [texts[i] for i in order if texts[i] is not None]
    if len(known) == len(texts):
        return Labels(codes, 0, len(known), known)
    missing = codes == len(known)
    codes[missing] = 0
    return Labels(codes, 0, max(1, len(known)), known or [None], missing)


def _code_frame(frame: Any, name: str) -> Labels:
    shape = getattr(frame, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        return _code(open_data_frame(frame, name, eager_only=True)[:, 0].to_native(), name)
    raise InputError(Argument(name), f" is {a_type(frame)} of shape {shape}: pass one column of it")


_FRAME_CODERS: dict[str, Callable[[Any, str], Labels]] = {
    "pandas": _code_pandas,
    "polars": _code_polars,
    "pyarrow": _code_arrow,
}


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))
    )


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) or (
        isinstance(value, (float, np.floating)) and float(value).is_integer()
    )


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False
