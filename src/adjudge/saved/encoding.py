"""A result as JSON and arrays.

JSON has lists, text, numbers, true, false and null. Everything else is an object with one key, which says what it is:
``{"tuple": [1, 2]}``, ``{"float": "nan"}``, ``{"array": 3}``, ``{"Score": {...}}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, Shown, Worded
from adjudge.saved.classes import saved_name
from adjudge.saved.omitted import LeftOut, OfRows, fields_of

#: Kinds of NumPy dtypes that are written as they are.
PLAIN_KINDS = frozenset("biufcUSmM")
#: Names of time zones; a fixed distance from UTC is part of the time itself.
ZONE = re.compile(r"UTC|[A-Z][A-Za-z_]+(/[A-Z][A-Za-z_+-]+){1,2}")
# Classes whose objects may be shared by several parts of a result: each object is written once.
_SHARED = ("restored_index", "Instances", "ProbabilityForecasts", "DecisionForecasts")
# Longer arrays of integers are written in the narrowest type that holds them.
_LONG = 1000


class Encoder:
    """Writer of one result, which collects its arrays.

    Parameters
    ----------
    instances : bool
        Whether to keep data of single instances.

    Attributes
    ----------
    arrays : list of ndarray
    shared : list
        Encoded parts that several parts of the result share.
    has_rows : bool
        Whether the result held data of single instances.
    """

    def __init__(self, *, instances: bool) -> None:
        self.instances = instances
        self.arrays: list[NDArray[Any]] = []
        self.shared: list[Any] = []
        self.has_rows = False
        # Objects written so far, by identity; they are kept alive so that no identity is reused.
        self._places: dict[int, tuple[Any, int]] = {}

    def encode(self, value: Any) -> Any:
        """Return plain JSON for a value."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if kind is list:
            return [self.encode(own) for own in value]
        if kind in _LEAVES:
            return {kind.__name__: _LEAVES[kind](value)}
        if isinstance(value, OfRows):
            return self._rows(value)
        name = saved_name(value)
        if name is not None:
            return self._object(name, value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.array([value]))}
        if isinstance(value, Worded):
            return {"Worded": [self.encode(part) for part in value.parts]}
        if isinstance(value, (tuple, set, frozenset)):
            plain = "tuple" if isinstance(value, tuple) else "frozenset"
            return {plain: [self.encode(own) for own in value]}
        if isinstance(value, Mapping):
            return self._mapping(value)
        return self._other(value)

    def _rows(self, part: OfRows) -> Any:
        if part.value is None:
            return self.encode(part.otherwise)
        if isinstance(part.value, LeftOut) and part.otherwise is None:
            return self.encode(part.value)
        self.has_rows = True
        return self.encode(part.value if self.instances else part.without)

    def _object(self, name: str, value: Any) -> Any:
        if name not in _SHARED:
            return self._written(name, value)
        if id(value) not in self._places:
            self._places[id(value)] = value, len(self.shared)
            self.shared.append(None)
            self.shared[self._places[id(value)][1]] = self._written(name, value)
        return {"shared": self._places[id(value)][1]}

    def _written(self, name: str, value: Any) -> Any:
        own = value._saved_fields() if hasattr(value, "_saved_fields") else fields_of(value)
        return {name: {field: self.encode(part) for field, part in own.items() if part is not None}}

    def _array(self, value: NDArray[Any]) -> Any:
        if value.dtype.kind not in PLAIN_KINDS or (value.dtype.itemsize > 16 and value.dtype.kind in "fc"):
            if value.dtype.kind != "O":
                raise InputTypeError(f"an array of {value.dtype} cannot be saved: give plain numbers")
            return {"objects": [list(value.shape), [self.encode(own) for own in value.ravel().tolist()]]}
        if id(value) not in self._places:
            self._places[id(value)] = value, len(self.arrays)
            self.arrays.append(_narrow(np.asarray(value)))
        return {"array": [self._places[id(value)][1], value.dtype.str]}

    def _mapping(self, value: Mapping[Any, Any]) -> Any:
        if all(type(key) is str for key in value):
            return {"map": {key: self.encode(own) for key, own in value.items()}}
        found = [[self.encode(key), self.encode(own)] for key, own in value.items()]
        if len({repr(key) for key, _ in found}) < len(found):
            raise InputError("two labels of the result have the same words: rename one to save it")
        return {"dict": found}

    def _other(self, value: Any) -> Any:
        """Write values that no file can hold, such as a function given as an option, as text."""
        kind = type(value)
        package = kind.__module__.partition(".")[0]
        if package == "pandas" and kind.__name__ in ("Timestamp", "Timedelta"):
            zone = str(getattr(value, "tz", None))
            return {kind.__name__: [value.isoformat(), zone if ZONE.fullmatch(zone) else ""]}
        if package == "adjudge" and not isinstance(value, str):
            raise InputTypeError(f"a result with a {kind.__name__} cannot be saved")
        return {"Shown": str(value)}


def _narrow(value: NDArray[Any]) -> NDArray[Any]:
    if value.dtype.kind not in "iu" or value.size <= _LONG:
        return value
    low, high = int(value.min()), int(value.max())
    types = np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32
    fitting = (type_ for type_ in types if np.iinfo(type_).min <= low and high <= np.iinfo(type_).max)
    return value.astype(next(fitting, value.dtype), copy=False)


# How plain Python values are written; `decoding` reads them.
_LEAVES: dict[type, Any] = {
    complex: str,
    range: lambda value: [value.start, value.stop, value.step],
    bytes: bytes.hex,
    date: date.isoformat,
    datetime: datetime.isoformat,
    time: time.isoformat,
    timedelta: lambda value: [value.days, value.seconds, value.microseconds],
    Decimal: str,
    Fraction: lambda value: [value.numerator, value.denominator],
    UUID: str,
    Shown: str,
}
