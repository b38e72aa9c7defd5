"""The sum of the squares of all distances: from the dispersion of the points, or block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.engines.running.crew import Crew
from adjudge.engines.sorted_points import spans
from adjudge.given.metrics import Metric
from adjudge.statistics.moments import Moments
from adjudge.statistics.prototypes import DistanceSquares

__all__ = ["squares_from_moments", "squares_of_blocks"]

# Distances that are held at a time, and of how many points for each row.
_BLOCK = 1 << 21
_COLUMNS = 8192


def squares_from_moments(moments: Moments) -> DistanceSquares:
    """Return N times the total dispersion: that is the sum in Euclidean space."""
    return DistanceSquares(moments.n * float(moments.total_columns.sum()))


def squares_of_blocks(X: Any, metric: Metric, crew: Crew) -> DistanceSquares:
    """Add up the squares of distances that a function of positions gives."""
    n = X.shape[0]
    block = checked_blocks(X, metric)
    everyone = np.arange(n)
    crew.expect(n * n)

    def work(rows: slice) -> float:
        return sum(
            float((block(everyone[rows], everyone[columns]) ** 2).sum()) for columns in spans(n, _COLUMNS)
        )

    total = 0.0
    for rows, part in crew.map(work, spans(n, max(1, _BLOCK // min(n, _COLUMNS)))):
        total += part
        crew.advance((rows.stop - rows.start) * n)
    return DistanceSquares(total / 2)
