"""Which of the given instances are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Instances that are left, of those that were given.

    Attributes
    ----------
    n_given : int
        Instances in the input.
    kept : ndarray of int64 or None
        Their positions; None if all are left.
    """

    n_given: int
    kept: NDArray[np.int64] | None = None
