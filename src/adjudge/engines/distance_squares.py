"""The sum of the squares of all distances: from sums over points if distances are Euclidean, else block by block."""

from __future__ import annotations

from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.engines.pairs.euclidean_embeddings import euclidean_points
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans, strips
from adjudge.given.metrics import Metric
from adjudge.statistics.moments import Moments
from adjudge.statistics.prototypes import DistanceSquares

__all__ = ["squares_from_moments", "squares_of_distances"]

Floats = NDArray[np.float64]

# Distances of a row that are held at a time.
_COLUMNS = 8192
# Rows and columns of a product of matrices.
_LINES, _SIDE = 1024, 2048


def squares_from_moments(moments: Moments) -> DistanceSquares:
    """Return N times the total dispersion, which is the sum in Euclidean space."""
    return DistanceSquares(moments.n * float(moments.total_columns.sum()))


def squares_of_distances(X: Any, metric: Metric, crew: Crew) -> DistanceSquares:
    """Sum the squared distances between points that have no centroids themselves."""
    placed = euclidean_points(X, metric)
    if placed is None:
        return _of_blocks(X, metric, crew)
    points, rooted = placed
    steps = np.asarray(points, np.float64)
    for _ in range(2):  # the second time removes what rounding left of the mean
        steps = steps - steps.mean(axis=0)
    lengths = np.einsum("ij,ij->i", steps, steps)
    n, total = steps.shape[0], float(lengths.sum())
    if rooted:
        return DistanceSquares(n * total)
    # The squared distance of x and y is |x|^2 + |y|^2 - 2 x'y. The sum of its square has no mixed terms, since the
    # points add up to 0.
    return DistanceSquares(
        n * float(lengths @ lengths) + total**2 + 2 * _sum_of_squared_products(steps, crew)
    )


def _sum_of_squared_products(points: Floats, crew: Crew) -> float:
    """Sum the squared inner products of all pairs of points; those of all pairs of variables have the same sum."""
    lines = points if points.shape[0] >= points.shape[1] else points.T
    sides = list(combinations_with_replacement(spans(lines.shape[1], _SIDE), 2))
    crew.expect(len(sides) * lines.shape[0])
    total = 0.0
    with one_blas_thread():
        for one, other in sides:
            product = np.zeros((one.stop - one.start, other.stop - other.start))
            multiply = partial(_product, lines[:, one], lines[:, other])
            for rows, part in crew.map(multiply, spans(lines.shape[0], _LINES)):
                product += part
                crew.advance(rows.stop - rows.start)
            total += (1 if one == other else 2) * float(np.vdot(product, product))
    return total


def _product(one: Floats, other: Floats, rows: slice) -> Floats:
    return np.asarray(one[rows].T @ other[rows])


def _of_blocks(X: Any, metric: Metric, crew: Crew) -> DistanceSquares:
    """Sum the squares of distances that a function of positions gives."""
    n = X.shape[0]
    block = checked_blocks(X, metric)
    everyone = np.arange(n)
    crew.expect(n * n)

    def work(rows: slice) -> float:
        return sum(
            float((block(everyone[rows], everyone[columns]) ** 2).sum()) for columns in spans(n, _COLUMNS)
        )

    total = 0.0
    for rows, part in crew.map(work, strips(n, min(n, _COLUMNS))):
        total += part
        crew.advance((rows.stop - rows.start) * n)
    return DistanceSquares(total / 2)
