"""Labels in lists, by the types that occur in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError
from adjudge.given.array_labels import code_array
from adjudge.given.label_vectors import Labels
from adjudge.given.object_labels import code_objects

__all__ = ["code_sequence"]

# From here on, not every integer fits a float64.
_FIRST_ROUNDED = 2.0**53


def code_sequence(values: Sequence[Any], name: str) -> Labels:
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
            return code_sequence([value[0] for value in values], name)
        raise InputError(Argument(name), " is nested: labels must be one-dimensional")
    return code_objects(values, name)


def _is_one(value: Any) -> bool:
    """Whether something has one entry; an array without dimensions has no length."""
    return getattr(value, "shape", None) != () and len(value) == 1
