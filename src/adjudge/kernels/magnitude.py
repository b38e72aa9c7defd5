"""How large numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel

__all__ = ["sum_of_squares"]

Array = np.ndarray[Any, Any]


@kernel(fastmath={"reassoc", "contract"})
def sum_of_squares(values: Array) -> float:
    """Sum of the squares of a vector, in an order that suits the machine: not finite if one of them is not."""
    total = 0.0
    for i in range(values.size):
        value = np.float64(values[i])
        total += value * value
    return total
