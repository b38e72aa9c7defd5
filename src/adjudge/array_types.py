"""Names of types of arrays, and the largest size of a block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Vector = Floats
Matrix = Floats
#: Labels as numbers 0, ..., K - 1.
Codes = Ints
Numbers = NDArray[Any]
Limits = tuple[float, float]

#: Numbers that are held in memory at a time (32 MB).
BLOCK = 1 << 22


def parts(rows: int, columns: int) -> list[slice]:
    """Cut rows of `columns` numbers into parts that fit into a block."""
    height = max(1, BLOCK // columns)
    return [slice(start, min(rows, start + height)) for start in range(0, rows, height)]
