"""Checks that floats are finite and of ordinary size, in a fraction of the time that a mask takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels.magnitude import sum_of_squares

# For more values BLAS uses threads, which spin while they wait for work: ours then wait up to 8 ms for a core.
_ON_ONE_THREAD = 10_000
# Squares of values between these, and sums of very many of them, stay well within even single precision.
_SMALL, _LARGE = 1e-10, 1e8


def magnitude_of_ordinary(values: NDArray[Any]) -> float | None:
    """Return the largest magnitude, or the root mean square, if all values are finite and far from all bounds."""
    if values.flags.c_contiguous:
        # One number, in which no bad value can hide, takes less time than both extremes.
        found = math.sqrt(sum_of_squares(values.reshape(-1)) / max(1, values.size))
    else:
        low, high = extremes(values)
        found = max(-low, high)
    return found if _SMALL < found < _LARGE else None


def have_finite_squares(values: NDArray[Any]) -> bool:
    """Whether the squares of floats have a finite sum, which they cannot have if a number is not finite."""
    if values.size <= _ON_ONE_THREAD:
        return math.isfinite(np.vdot(values, values))
    low, high = extremes(values)
    return max(-low, high) < math.sqrt(np.finfo(values.dtype).max / values.size)


def extremes(values: NDArray[Any]) -> tuple[float, float]:
    """Return the smallest and the largest value; NaN carries through, which is cheaper than a mask."""
    return float(np.minimum.reduce(values, None)), float(np.maximum.reduce(values, None))
