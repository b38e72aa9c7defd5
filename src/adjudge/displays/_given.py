"""Checks of the inputs of displays: numbers, mappings, results of the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import Argument, InputTypeError, Option, a_type
from adjudge.results.gate import Gate


def as_array(name: str, values: Any) -> Floats:
    """Copy numbers to an array of any shape; None becomes a gap."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, ArithmeticError):
        raise InputTypeError(Argument(name), " contains something other than numbers, or is ragged") from None


def as_number(name: str, value: Any) -> float:
    """Return a number as a float."""
    if not isinstance(value, Real):
        raise InputTypeError(Option(name, value), ": a number is needed")
    return float(value)


def as_interval(name: str, value: Any) -> tuple[float, float]:
    """Return two numbers, the ends of an interval."""
    ends = as_array(name, value)
    if ends.shape != (2,):
        raise InputTypeError(Option(name, value), ": two numbers are needed")
    return float(ends[0]), float(ends[1])


def as_mapping(name: str, values: Any) -> dict[Any, Any]:
    """Copy a mapping."""
    if not isinstance(values, Mapping):
        raise InputTypeError(Argument(name), f" is {a_type(values)}: a mapping is needed")
    return dict(values)


def as_curve(name: str, values: Any) -> dict[int, float]:
    """Copy numbers by K."""
    found = as_mapping(name, values)
    for k, value in found.items():
        if not isinstance(k, (int, np.integer)) or not isinstance(value, (Real, type(None))):
            raise InputTypeError(Argument(name), f" has {value!r} for K = {k!r}: numbers by K are needed")
    return found


def of_gate(result: Any) -> Any:
    """Return the comparison that a gate is about; any other result as it is."""
    return result.comparison if isinstance(result, Gate) else result


def check_made(name: str, value: Any, kind: type | tuple[type, ...], maker: str) -> None:
    """Raise unless a value is of the kind that `maker` returns."""
    if not isinstance(value, kind):
        raise InputTypeError(Argument(name), f" is {a_type(value)}: give what {maker} returns")
