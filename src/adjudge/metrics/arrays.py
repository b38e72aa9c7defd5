"""Arrays of other libraries (the array API), if scikit-learn is set to dispatch on them: for now, NumPy computes.

Arrays that a function returns are moved to the library and the device of its input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["foreign_array", "through_numpy"]


def foreign_array(arguments: Sequence[Any]) -> Any:
    """Return the array that decides the library of the results, preferably the second; None if NumPy is used."""
    foreign = [a for a in arguments if type(a) is not np.ndarray and hasattr(a, "__array_namespace__")]
    foreign = [a for a in foreign if not isinstance(a, (np.ndarray, np.generic))]
    if not foreign:
        return None
    from sklearn import get_config

    if not get_config()["array_api_dispatch"]:
        return None
    return arguments[1] if len(arguments) > 1 and any(a is arguments[1] for a in foreign) else foreign[0]


def through_numpy(
    function: Callable[..., Any], foreign: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Call a function on NumPy arrays, and move its arrays to the library and the device of `foreign`."""
    found = function(*map(_to_numpy, args), **{name: _to_numpy(value) for name, value in kwargs.items()})
    if isinstance(found, tuple):
        return tuple(_like(part, foreign) for part in found)
    return _like(found, foreign)


def _to_numpy(value: Any) -> Any:
    if isinstance(value, np.ndarray) or not hasattr(value, "__array_namespace__"):
        return value
    from sklearn.utils._array_api import _convert_to_numpy

    return _convert_to_numpy(value, xp=value.__array_namespace__())


def _like(value: Any, foreign: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    library = foreign.__array_namespace__()
    known = library.__array_namespace_info__().dtypes(device=foreign.device)
    if value.dtype == np.float64 and "float64" not in known:
        value = value.astype(np.float32)
    return library.asarray(value, device=foreign.device)
