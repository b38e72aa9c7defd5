"""Arrays of other libraries (the array API), if scikit-learn is set to dispatch on them: for now, NumPy computes.

Arrays that a function returns are moved to the library and the device of its input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np


def foreign_array(arguments: Sequence[Any]) -> Any:
    """Return the array that decides the library of the results, preferably the second; None if NumPy is used."""
    foreign = [a for a in arguments if _is_exchanged(a)]
    if not foreign:
        return None
    from sklearn import get_config

    if not get_config()["array_api_dispatch"]:
        return None
    foreign = [a for a in foreign if _library_of(a) is not None]
    if len(arguments) > 1 and any(a is arguments[1] for a in foreign):
        return arguments[1]
    return foreign[0] if foreign else None


def with_lengths(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """Return arguments with arrays that have no length, as the array API asks for none, as NumPy's."""
    return tuple(np.asarray(a) if _is_exchanged(a) and not hasattr(a, "__len__") else a for a in arguments)


def through_numpy(
    function: Callable[..., Any], foreign: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Call a function on NumPy arrays, and move its arrays to the library and the device of `foreign`."""
    found = function(*map(_to_numpy, args), **{name: _to_numpy(value) for name, value in kwargs.items()})
    if isinstance(found, tuple):
        return tuple(_like(part, foreign) for part in found)
    return _like(found, foreign)


def _is_exchanged(value: Any) -> bool:
    """Whether it is an array that libraries pass to each other, and none of NumPy's."""
    if isinstance(value, type):  # such as a dtype
        return False
    protocols = hasattr(value, "__dlpack__") or hasattr(value, "__array_namespace__")
    return protocols and not isinstance(value, (np.ndarray, np.generic))


def _library_of(value: Any) -> Any:
    """Return the array API of an array's library, which PyTorch's tensors do not name; None if it has none."""
    from sklearn.utils._array_api import get_namespace

    try:
        return get_namespace(value)[0]
    except TypeError:
        return None


def _to_numpy(value: Any) -> Any:
    library = _library_of(value) if _is_exchanged(value) else None
    if library is None:
        return value
    from sklearn.utils._array_api import _convert_to_numpy

    return _convert_to_numpy(value, xp=library)


def _like(value: Any, foreign: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    library = _library_of(foreign)
    known = library.__array_namespace_info__().dtypes(device=foreign.device)
    if value.dtype == np.float64 and "float64" not in known:
        value = value.astype(np.float32)
    # PyTorch reads no array backwards, and one number in an array counts as contiguous either way.
    return library.asarray(np.array(value, order="C"), device=foreign.device)
