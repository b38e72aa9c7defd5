"""Labels in NumPy arrays of numbers, text or objects."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, in_words
from adjudge.given.codes import code_range, cut_floats, signed, signed_up_to
from adjudge.given.distinct_values import distinct_entries
from adjudge.given.label_vectors import Labels
from adjudge.given.object_labels import code_objects
from adjudge.given.ordered_labels import ranks_of, sorted_order

__all__ = ["code_array", "most_codes"]

IntArray = NDArray[Any]

_EMPTY = np.empty(0, np.int64)

# Whole floats up to here fit into an int64.
_LARGEST_WHOLE = 9.2e18


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
        coded = _code_text(values)
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
    low, high = code_range(values)
    if low >= 0 or dtype.kind != "u":
        coded = _by_their_values(values, low, high)
        if coded is not None:
            return replace(coded, categories=[False, True][low : high + 1]) if boolean else coded
    found = distinct_entries(original.astype(np.int64 if dtype.kind == "i" else np.uint64, copy=False))
    order = np.argsort(found.values)
    return Labels(found.ranked(ranks_of(order)), 0, order.size, found.values[order].tolist())


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
    if (cut := cut_floats(values)) is not None:
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
            f" has {in_words(value)} ",
            Position(bad[0]),
            f", which is {what}: labels name groups; round scores or probabilities to classes first",
        )
    if missing.all():
        return Labels(np.zeros(values.size, np.int64), 0, 1, (0,), missing)
    return replace(_code_integers(np.where(missing, whole[~missing][0], whole)), missing=missing)


def _as_whole(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Truncate floats to int64, and mask those that stay unchanged; no mask if all are whole."""
    with np.errstate(invalid="ignore"):  # values outside int64 become its smallest
        whole = values.astype(np.int64)
    is_whole = whole == values
    if is_whole.all() and np.abs(values).max() < _LARGEST_WHOLE:
        return whole, None
    return whole, is_whole & (np.abs(values) < _LARGEST_WHOLE)


def _code_text(values: NDArray[Any]) -> Labels:
    if values.dtype.itemsize == 0:
        return Labels(np.zeros(values.size, np.int32), 0, 1, ("",))
    found = distinct_entries(values)
    names = found.values.tolist()
    order = sorted_order(names)
    return Labels(found.ranked(ranks_of(order)), 0, len(order), [names[i] for i in order])
