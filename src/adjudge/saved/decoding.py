"""From JSON and arrays back to a result: only listed classes are created, and only from parts that fit them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Shown, Worded
from adjudge.saved.classes import CLASSES, maker
from adjudge.saved.encoding import ZONE
from adjudge.saved.type_checks import fits, misfit, parts_of


class Decoder:
    """Reader of one result.

    Parameters
    ----------
    arrays : callable
        Returns the array with a given number.
    shared : list
        Encoded parts that several parts of the result share.
    budget : int
        Most bytes that the result may take beyond its arrays.
    """

    def __init__(self, arrays: Callable[[int], NDArray[Any]], shared: list[Any], budget: int) -> None:
        self._arrays = arrays
        self._shared = list(_checked(shared, list))
        self._budget = budget
        self._made: dict[Any, Any] = {}
        self._readers: dict[str, Callable[[Any], Any]] = {
            "tuple": lambda own: tuple(self._each(own)),
            "frozenset": lambda own: frozenset(self._each(own)),
            "Worded": lambda own: Worded(*self._each(own)),
            "map": lambda own: {key: self.decode(part) for key, part in _checked(own, dict).items()},
            "dict": lambda own: dict(map(self._each, _checked(own, list))),
            "range": self._range,
            "array": self._array,
            "objects": self._objects,
            "scalar": lambda own: self.decode(own)[0],
            "shared": self._shared_part,
            **_LEAVES,
        }

    def decode(self, node: Any) -> Any:
        """Return the value that plain JSON represents."""
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        if isinstance(node, list):
            return self._each(node)
        ((tag, own),) = node.items()
        if tag in self._readers:
            return self._readers[tag](own)
        if tag in CLASSES:
            return self._object(tag, _checked(own, dict))
        raise InputError(f"{tag[:60]!r} is not known")

    def _each(self, own: Any) -> list[Any]:
        return [self.decode(part) for part in _checked(own, list)]

    def _pay(self, size: int) -> None:
        """Subtract bytes from the budget; raise if it is exceeded."""
        self._budget -= size
        if self._budget < 0:
            raise InputError("it takes more memory than it says")

    def _range(self, own: Any) -> range:
        found = range(*_checked(own, list))
        self._pay(8 * len(found))
        return found

    def _array(self, own: Any) -> NDArray[Any]:
        place, dtype = _checked(own, list)
        key = (_checked(place, int), _checked(dtype, str))
        if key not in self._made:
            stored, wanted = self._arrays(place), np.dtype(dtype)
            if stored.dtype != wanted:
                if {stored.dtype.kind, wanted.kind} - {"i", "u"}:
                    raise InputError(f"an array is of {stored.dtype}, not of {dtype[:20]!r}")
                self._pay(stored.size * wanted.itemsize)
                stored = stored.astype(wanted)
            self._made[key] = stored
        found: NDArray[Any] = self._made[key]
        return found

    def _objects(self, own: Any) -> NDArray[Any]:
        shape, values = _checked(own, list)
        found = np.empty(len(values), object)
        found[:] = self._each(values)
        return found.reshape(shape)

    def _shared_part(self, own: Any) -> Any:
        place = _checked(own, int)
        if not 0 <= place < len(self._shared):
            raise InputError(f"there is no shared part {place}")
        if place not in self._made:
            # A part that contains itself would never end.
            node, self._shared[place] = self._shared[place], {"itself": place}
            self._made[place] = self.decode(node)
        return self._made[place]

    def _object(self, name: str, own: dict[str, Any]) -> Any:
        make = maker(name)
        wanted = parts_of(make)
        found = {field: self.decode(part) for field, part in own.items()}
        for field in found.keys() - wanted.keys():
            raise InputError(f"a {name} has no {field[:60]!r}")
        for field, part in wanted.items():
            # Fields that are None are not written.
            value = found.setdefault(field, None) if part.required else found.get(field, part)
            if value is not part and not fits(value, part.hint):
                raise InputError(f"{field!r} of a {name} is missing, or of another type")
        wrong = misfit(name, found)
        if wrong is not None:
            raise InputError(f"{wrong!r} of a {name} does not fit its other parts")
        return make(**found)


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise InputError(f"there is {type(value).__name__} where {kind.__name__} belongs")
    return value


def _of_pandas(name: str, own: Any) -> Any:
    """Return a pandas timestamp or time difference; without pandas, its text."""
    text, zone = _checked(own, list)
    try:
        found = getattr(import_module("pandas"), name)(_checked(text, str))
    except ModuleNotFoundError:
        return Shown(text)
    return found.tz_convert(zone) if ZONE.fullmatch(zone) else found


# Readers of the plain Python values that `encoding` writes.
_LEAVES: dict[str, Callable[[Any], Any]] = {
    "float": lambda own: {"nan": float("nan"), "inf": float("inf"), "-inf": -float("inf")}[own],
    "complex": lambda own: complex(_checked(own, str)),
    "bytes": lambda own: bytes.fromhex(own),
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda own: timedelta(*own),
    "Decimal": lambda own: Decimal(_checked(own, str)),
    "Fraction": lambda own: Fraction(*_checked(own, list)),
    "UUID": lambda own: UUID(_checked(own, str)),
    "Timestamp": partial(_of_pandas, "Timestamp"),
    "Timedelta": partial(_of_pandas, "Timedelta"),
    "Shown": lambda own: Shown(_checked(own, str)),
}
