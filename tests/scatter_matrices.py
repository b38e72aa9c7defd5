"""Scatter matrices without points, for matrices that are written by hand or taken times a number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.moments import Scatter
from adjudge.statistics.roots import root_of

Matrix = NDArray[np.float64]


def scatter_of(n: int, k: int, within: Matrix, between: Matrix) -> Scatter:
    return Scatter(n, k, within, between, root_of(within), root_of(between), np.zeros(within.shape[0]))
