"""Names of the kinds of arrays, and of pairs of limits, that inference is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Floats", "Ints", "Limits", "Numbers"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]
Limits = tuple[float, float]
