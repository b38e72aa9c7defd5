"""Values of labels as small integers: numbers, text and Python objects, each as fast as its kind allows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain, count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, FractionError, InputError, InputTypeError, Option, Position, in_words
from adjudge.given.label_vectors import IntArray, Labels, renumbered, signed, signed_up_to, sorted_labels
from adjudge.kernels.coding import cut_whole, number_rows, number_strings, number_views, value_range
from adjudge.parallel import in_threads, n_cores, spans

_EMPTY = np.empty(0, np.int64)
_ALL_VALID = _NO_BYTES = np.empty(0, np.uint8)
_MOST_IN_A_BYTE = 2**7

# Whole floats below these limits fit into the type.
_LIMITS: dict[type, float] = {np.int8: 2.0**7, np.int32: 2.0**31, np.int64: 9.2e18}
# Floats that are truncated before checking whether they all fit.
_TRIAL = 1 << 18


def code_array(values: NDArray[Any], name: str) -> Labels:
    """Code an array of shape (n,) or (n, 1); masked entries are missing."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(Argument(name), f" has shape {values.shape}", *_remedy_of(values))
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
        is_empty = values.dtype.itemsize == 0
        coded = Labels(np.zeros(values.size, np.int32), 0, 1, ("",)) if is_empty else code_entries(values)
    elif kind == "O":
        coded = code_objects(values, name)
    elif kind in "MmT":
        coded = code_objects(values.astype(object), name)
    else:
        raise InputTypeError(
            Argument(name), f" has dtype {values.dtype}: labels are integers, text, booleans or categories"
        )
    if masked is not None and masked.any():
        return replace(coded, missing=masked if coded.missing is None else masked | coded.missing)
    return coded


def _remedy_of(values: NDArray[Any]) -> tuple[Any, ...]:
    """Say what a matrix passed as labels seems to be, and what to do about it."""
    if values.ndim != 2 or min(values.shape) < 2 or values.dtype.kind not in "iubf":
        return (": labels must be one-dimensional",)
    if (values >= 0).all() and np.allclose(values.sum(axis=1), 1):
        classes = ": take the largest of each row with .argmax(axis=1)"
        if ((values == 0) | (values == 1)).all():
            return (", one column per class" + classes,)
        return (", as probabilities have" + classes + ", or pass them as ", Option("probabilities"))
    return (", as points have: pass points as ", Option("X"), " and their labels as ", Option("labels"))


def _code_integers(values: NDArray[Any], boolean: bool = False) -> Labels:
    # Compiled loops read contiguous arrays.
    original = values = np.ascontiguousarray(values)
    dtype = values.dtype
    if not dtype.isnative:
        values = values.astype(dtype.newbyteorder("="))
    # Read as signed, numbers too large for codes become negative.
    values = values.view(np.uint8) if dtype.kind == "b" else signed(values)
    ranges = in_threads(lambda part: value_range(values[part]), spans(values.size))
    low, high = min(own[0] for own in ranges), max(own[1] for own in ranges)
    if low >= 0 or dtype.kind != "u":
        coded = _by_their_values(values, low, high)
        if coded is not None:
            return replace(coded, categories=[False, True][low : high + 1]) if boolean else coded
    return code_entries(original.astype(np.int64 if dtype.kind == "i" else np.uint64, copy=False))


def most_codes(n: int) -> int:
    """Return how many codes n labels may have, so that unused codes take little memory."""
    return 2 * n + 256


def _by_their_values(values: IntArray, low: int, high: int) -> Labels | None:
    """Use integers of a small range as their own codes."""
    width = high - low + 1
    if width > most_codes(values.size):
        return None
    return Labels(signed_up_to(high, values), low, width, range(low, high + 1))


def _code_floats(values: NDArray[Any], name: str) -> Labels:
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    values = np.ascontiguousarray(values)
    if (cut := _cut_floats(values)) is not None:
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
        raise _no_label(name, value, int(bad[0]), "too large" if value == np.floor(value) else None)
    if missing.all():
        return Labels(np.zeros(values.size, np.int64), 0, 1, (0,), missing)
    return replace(_code_integers(np.where(missing, whole[~missing][0], whole)), missing=missing)


def _cut_floats(values: NDArray[Any]) -> tuple[IntArray, int, int] | None:
    """Return whole floats as the narrowest codes that hold them, and their range; None if some are not whole."""
    for kind, limit in _LIMITS.items():
        codes: IntArray = np.empty(values.size, kind)
        cut = partial(_cut, values, codes, values.dtype.type(limit))
        lows, highs, fits = zip(*in_threads(cut, spans(values.size)), strict=True)
        if min(fits) == 1:
            return codes, min(lows), max(highs)
        if min(fits) < 0:
            return None
    return None


def _cut(values: NDArray[Any], codes: IntArray, limit: float, part: slice) -> tuple[int, int, int]:
    """Truncate a part of the values, block by block, until one does not fit.

    Returns their range and 1; instead of 1, 0 if a number reaches the limit, or -1 if one is not whole.
    """
    ranges = []
    for start in range(part.start, part.stop, _TRIAL):
        block = slice(start, min(start + _TRIAL, part.stop))
        low, high, fits = cut_whole(values[block], codes[block], limit)
        if not fits:
            return 0, 0, 0 if (np.trunc(values[block]) == values[block]).all() else -1
        ranges.append((int(low), int(high)))
    return min(r[0] for r in ranges), max(r[1] for r in ranges), 1


def _as_whole(values: Floats) -> tuple[Ints, Bools | None]:
    """Truncate floats to int64, and mask those that stay unchanged; no mask if all are whole."""
    with np.errstate(invalid="ignore"):  # values outside int64 become its smallest
        whole = values.astype(np.int64)
    is_whole = whole == values
    if is_whole.all() and np.abs(values).max() < _LIMITS[np.int64]:
        return whole, None
    return whole, is_whole & (np.abs(values) < _LIMITS[np.int64])


def code_objects(values: Iterable[Any], name: str) -> Labels:
    """Code Python objects with a dictionary, that is, by their own equality."""
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    sized = values if isinstance(values, Sequence) else list(values)
    try:
        codes = np.fromiter(map(numbers.__getitem__, sized), np.int64, len(sized))
    except TypeError:
        where = next(i for i, v in enumerate(sized) if not has_hash(v))
        raise InputError(
            Argument(name),
            f" has a {type(sized[where]).__name__} ",
            Position(where),
            ": labels must be one-dimensional, and each label a number, text or another hashable value",
        ) from None
    return bind(codes, list(numbers), name)


def bind(codes: Ints, categories: list[Any], name: str) -> Labels:
    """Bind codes to their categories: -1, and categories that are None or NaN, stand for missing labels."""
    categories = [*map(_plain, categories)]
    _check_objects(categories, codes, name)
    lost = np.array([*map(is_missing, categories), True])
    if all(gone or type(own) is float for own, gone in zip(categories, lost, strict=False)):
        # Numbers are named as those of arrays are.
        categories = [own if gone else int(own) for own, gone in zip(categories, lost, strict=False)]
    if not lost[:-1].any() and (codes.dtype.kind == "u" or codes.size == 0 or codes.min() >= 0):
        return sorted_labels(codes, categories)
    missing = lost[codes]
    left = [category for category, gone in zip(categories, lost, strict=False) if not gone]
    if len(left) < len(categories):
        codes = (np.cumsum(~lost) - 1)[codes]
    if missing.any():
        codes = np.where(missing, 0, codes)
        return replace(sorted_labels(codes, left or [None]), missing=missing)
    return sorted_labels(codes, left)


def _check_objects(keys: Sequence[Any], codes: Ints, name: str) -> None:
    for number, key in enumerate(keys):
        if isinstance(key, (float, np.floating)) and not is_missing(key) and not float(key).is_integer():
            raise _no_label(name, float(key), int(np.argmax(codes == number)))
    _check_one_name_for_a_label(keys, codes, name)


def _no_label(name: str, value: float, place: int, why: str | None = None) -> InputError:
    """Return the error about a number that is no label: infinite, or with a fraction, if nothing else is said."""
    where: tuple[Any, ...] = Argument(name), f" has {in_words(value)} ", Position(place)
    why = "infinite" if math.isinf(value) else why
    if why is None:
        return FractionError(*where, value=value)
    return InputError(
        *where, f", which is {why}: labels name groups; round scores or probabilities to classes first"
    )


def _check_one_name_for_a_label(keys: Sequence[Any], codes: Ints, name: str) -> None:
    """Refuse a number next to the same number as text: usually one label that was read in two ways."""
    texts = {key for key in keys if isinstance(key, str)}
    if not 0 < len(texts) < len(keys):
        return
    for number, key in enumerate(keys):
        if not isinstance(key, str) and (text := whole_as_text(key)) in texts:
            raise InputError(
                Argument(name),
                f" has the number {text} ",
                Position(int(np.argmax(codes == number))),
                f" and the text {in_words(text)} ",
                Position(int(np.argmax(codes == keys.index(text)))),
                ": make all labels numbers, or all text",
            )


def whole_as_text(key: Any) -> str | None:
    """Write a whole number as text; None for anything else."""
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, float, np.number, Decimal)):
        return None
    if is_missing(key) or isinstance(key, np.complexfloating) or key != int(key):
        return None
    return str(int(key))


def _plain(label: Any) -> Any:
    """Return a scalar of NumPy as Python's, so that messages and results show the label alone."""
    is_a_time = isinstance(label, (np.datetime64, np.timedelta64))
    return label.item() if isinstance(label, np.generic) and not is_a_time else label


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for a missing value."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))
    )


def has_hash(value: Any) -> bool:
    """Whether a value can be a label, or a key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def code_entries(values: NDArray[Any]) -> Labels:
    """Code the entries of an array of shape (n,), of any type of a fixed size."""
    parts = [np.ascontiguousarray(values[part]) for part in spans(values.size)]
    return _coded(parts, _number_entries, lambda part, firsts: part[firsts])


def code_strings(arrays: Sequence[Any]) -> Labels | None:
    """Code Arrow arrays of strings, all of one type; return None if there are none. Nulls are missing."""
    parts = [
        array.slice(part.start, part.stop - part.start) for array in arrays for part in spans(len(array))
    ]
    parts = [part for part in parts if len(part)]
    return _coded(parts, _number_strings, _strings_at) if parts else None


def _coded(
    parts: Sequence[Any],
    number: Callable[[Any, IntArray], tuple[int, Ints]],
    values_at: Callable[[Any, Ints], NDArray[Any]],
) -> Labels:
    """Code parts that are numbered each by itself, with the distinct values of all in one order."""
    narrow = np.empty(sum(map(len, parts)), np.int8)
    ends = list(pairwise(np.cumsum([0, *map(len, parts)]).tolist()))

    def numbered(i: int) -> tuple[IntArray, NDArray[Any]]:
        codes = narrow[slice(*ends[i])]
        done, firsts = number(parts[i], codes)
        if done < len(parts[i]):  # more than a byte can number
            codes = np.empty(len(parts[i]), np.int32)
            _, firsts = number(parts[i], codes)
        return codes, values_at(parts[i], firsts)

    runs = spans(len(parts), min(len(parts), n_cores()))
    of_runs = in_threads(lambda run: [numbered(i) for i in range(len(parts))[run]], runs)
    found = list(chain.from_iterable(of_runs))
    categories, places = _in_order(np.concatenate([values for _, values in found]))
    n_codes = 1 + int(places.max())
    # Narrow codes are replaced where they are.
    codes = narrow if n_codes <= _MOST_IN_A_BYTE else np.empty(narrow.size, np.int32)
    of_parts = np.split(places, np.cumsum([values.size for _, values in found])[:-1])
    for end, (numbers, _), own in zip(ends, found, of_parts, strict=True):
        renumbered(numbers, own, codes[slice(*end)])
    if n_codes == len(categories):
        return Labels(codes, 0, len(categories), categories)
    missing = codes == len(categories)
    codes[missing] = 0
    return Labels(codes, 0, max(1, len(categories)), categories or [None], missing)


def _in_order(values: NDArray[Any]) -> tuple[list[Any], Ints]:
    """Return the distinct values, sorted, and the place of each value; that of None is behind all others."""
    if values.dtype != object:
        known, places = np.unique(values, return_inverse=True)
        return known.tolist(), places
    texts = values.tolist()
    categories = sorted(set(texts) - {None})
    place_of = {text: place for place, text in enumerate(categories)} | {None: len(categories)}
    return categories, np.array([place_of[text] for text in texts])


def _number_entries(values: NDArray[Any], codes: IntArray) -> tuple[int, Ints]:
    return number_rows(values.view(np.uint8), values.itemsize, codes)


def _number_strings(array: Any, codes: IntArray) -> tuple[int, Ints]:
    import pyarrow as pa

    first, n = array.offset, len(array)
    bits, *buffers = array.buffers()
    valid = _ALL_VALID if bits is None or not array.null_count else np.frombuffer(bits, np.uint8)
    texts = [_NO_BYTES if own is None else np.frombuffer(own, np.uint8) for own in buffers[1:]]
    if pa.types.is_string_view(array.type):
        views = np.frombuffer(buffers[0], np.uint8)[16 * first : 16 * (first + n)]
        return number_views(views, texts, valid, first, codes)
    kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
    offsets = np.frombuffer(buffers[0], kind)[first : first + n + 1]
    return number_strings(offsets, texts[0], valid, first, codes)


def _strings_at(array: Any, places: Ints) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_string_view(array.type):  # which old versions of Arrow do not take
        return np.array([array[i].as_py() for i in places.tolist()], object)
    # Made of its memory, because Arrow would import pandas to look at an array.
    at = pa.Array.from_buffers(pa.int64(), places.size, [None, pa.py_buffer(places.astype(np.int64))])
    return np.array(array.take(at).to_pylist(), object)


def numbers_of_arrow(array: Any) -> NDArray[Any]:
    """Return numbers of Arrow, of which none is missing, as an array; its own way imports pandas."""
    chunks = getattr(array, "chunks", [array])
    parts = [np.from_dlpack(own) for own in chunks] or [np.zeros(0)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
