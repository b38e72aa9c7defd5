"""Which of the given instances remain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """The instances that remain of those given.

    Attributes
    ----------
    n_given : int
        Instances in the input.
    kept : ndarray of int64 or None
        Positions of those that remain; None if all do.
    """

    n_given: int
    kept: NDArray[np.int64] | None = None
