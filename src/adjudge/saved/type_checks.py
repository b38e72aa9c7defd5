"""Checks that a value fits the annotation of its parameter."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from adjudge.saved.classes import CODES, SHAPES
from adjudge.saved.omitted import LeftOut


@dataclass(frozen=True)
class Part:
    """A parameter of a class or function that creates a value.

    Attributes
    ----------
    hint : object
        Its annotation.
    required : bool
    """

    hint: Any
    required: bool


@cache
def parts_of(make: Any) -> dict[str, Part]:
    """Return the parameters of a class or a function by name."""
    hints = get_type_hints(make if is_dataclass(make) or inspect.isfunction(make) else make.__init__)
    parameters = inspect.signature(make).parameters.values()
    return {p.name: Part(hints.get(p.name, Any), p.default is inspect.Parameter.empty) for p in parameters}


def fits(value: Any, hint: Any) -> bool:
    """Tell whether a value has the annotated type; a part that was left out fits anywhere."""
    if hint is Any or isinstance(value, LeftOut):
        return True
    if hint is None or hint is types.NoneType:
        return value is None
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, own) for own in args)
    if origin is Literal:
        return value in args
    if hint in (int, float):
        numbers = (int, np.integer) if hint is int else (int, float, np.number)
        return isinstance(value, numbers) and not isinstance(value, bool)
    if origin is None:
        return not isinstance(hint, type) or isinstance(value, hint)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _same_kind(value, args)
    return _holds(value, origin, args)


def _same_kind(value: np.ndarray[Any, Any], args: tuple[Any, ...]) -> bool:
    """Compare the kinds of numbers: their widths may differ."""
    wanted = (get_args(args[-1]) or (Any,))[0]
    if not isinstance(wanted, type) or not issubclass(wanted, np.generic):
        return True
    return any(
        issubclass(value.dtype.type, own) for own in (wanted, *wanted.__mro__[1:2]) if own is not np.generic
    )


def _holds(value: Any, origin: Any, args: tuple[Any, ...]) -> bool:
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(args) == 2 and args[1] is Ellipsis:
            return all(fits(own, args[0]) for own in value)
        return len(value) == len(args) and all(map(fits, value, args))
    if issubclass(origin, Mapping):
        is_one = isinstance(value, Mapping)
        return is_one and all(fits(key, args[0]) and fits(own, args[1]) for key, own in value.items())
    if issubclass(origin, Sequence):
        is_one = isinstance(value, list if origin is list else (list, tuple, range, np.ndarray))
        return is_one and (isinstance(value, range) or all(fits(own, args[0]) for own in value))
    return origin is not Callable and isinstance(value, origin)


def misfit(name: str, parts: Mapping[str, Any]) -> str | None:
    """Return the name of a part that contradicts the other parts of an object of this class; None if none does."""
    known: dict[str, int] = {}
    for part, axes in SHAPES.get(name, {}).items():
        shape = _shape(parts.get(part))
        if shape is None:
            continue
        wanted = axes.rstrip("*")
        if not len(wanted) <= len(shape) <= len(axes):
            return part
        if any(known.setdefault(axis, size) != size for axis, size in zip(wanted, shape, strict=False)):
            return part
    if name in CODES:
        codes, of = (parts[part] for part in CODES[name])
        low, n = parts.get("low", 0), of if isinstance(of, int) else len(of)
        if codes.ndim != 1 or (codes.size and not low <= codes.min() <= codes.max() < low + n):
            return CODES[name][0]
    return None


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return the lengths of a value along its axes; None if the value is absent."""
    if value is None or isinstance(value, LeftOut):
        return None
    if isinstance(value, np.ndarray):
        return tuple(value.shape)
    counted = value if hasattr(value, "__len__") else getattr(value, "codes", None)
    return (int(value.n) if counted is None else len(counted),)
