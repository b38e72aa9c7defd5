"""What arrays of inference are called, and how large they may become."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK", "Bools", "Floats", "Ints", "Limits", "Numbers", "parts"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]
Limits = tuple[float, float]

#: Numbers that are held at a time (32 MB).
BLOCK = 1 << 22


def parts(rows: int, columns: int) -> list[slice]:
    """Cut rows of this many numbers into parts that are held at a time."""
    height = max(1, BLOCK // columns)
    return [slice(start, min(rows, start + height)) for start in range(0, rows, height)]
