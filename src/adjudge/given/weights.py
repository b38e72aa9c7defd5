"""Weights of instances: finite numbers of at least 0, one for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError

__all__ = ["as_weights"]

# Squares of weights up to here, and sums of very many of them, are far from the ends of floating point.
_LARGEST = 1e100


def as_weights(
    sample_weight: Any, n: int, kept: NDArray[np.int64] | None = None, *, name: str = "sample_weight"
) -> NDArray[np.float64]:
    """Check the weights of instances.

    Parameters
    ----------
    sample_weight : array-like of shape (n,)
    n : int
        Number of instances in the input.
    kept : ndarray of int64, optional
        Positions of the instances that are left; default: all.
    name : str
        Name for errors.

    Returns
    -------
    ndarray of float64 of shape (n,), or of the length of `kept`

    Raises
    ------
    InputError
        For weights that are not one for each instance, negative, not finite, beyond 1e100, or all 0.
    InputTypeError
        For what is no sequence of numbers.
    """
    try:
        given = np.asarray(sample_weight)
    except ValueError:
        raise InputError(f"{name} is nested: one number for each instance is needed") from None
    if given.dtype.kind not in "iubf":
        raise InputTypeError(f"{name} has dtype {given.dtype}: weights are numbers")
    if given.shape != (n,):
        raise InputError(f"{name} has shape {given.shape}, there are {n} instances")
    weights = np.ascontiguousarray(given, np.float64)
    usable = (weights >= 0) & (weights <= _LARGEST)
    if not usable.all():
        where = int(np.argmin(usable))
        value = float(weights[where])
        limit = f" and up to {_LARGEST:g}" if value > 0 else ""
        raise InputError(f"{name} has {value!r} at position {where}: a number of at least 0{limit} is needed")
    if kept is not None:
        weights = weights[kept]
    if not weights.any():
        raise InputError(f"{name} is 0 everywhere: at least one instance has to count")
    return weights
