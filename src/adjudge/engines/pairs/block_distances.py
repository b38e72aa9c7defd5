"""Distances other than Euclidean ones between dense points: given, or block by block from SciPy or scikit-learn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Swept, given_operands
from adjudge.engines.pairs.euclidean_embeddings import inverse_covariance, standard_variances
from adjudge.engines.pairs.kernel_metrics import haversine_blocks
from adjudge.engines.pairs.stored_strips import Reader
from adjudge.engines.pairs.strips import Meeting, Strips
from adjudge.errors import Argument, InputError, InputTypeError, Option
from adjudge.given.gower import GOWER, gower_between
from adjudge.given.metrics import BlockMetric, Metric, distances_from, is_sparse, metric_option
from adjudge.given.weights import PointWeights
from adjudge.kernels.pair_tiles import distances_to_tiles
from adjudge.kernels.sparse_rows import sparse_distances

__all__ = [
    "Block",
    "BlockDistances",
    "block_function",
    "check_precomputed",
    "checked_block",
    "checked_blocks",
    "remembered",
    "weighted_metric",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Block = Callable[[Ints, Ints], Floats]

# Entries of a block: 16 MiB of doubles.
_BLOCK = 1 << 21
# Pairs of points for which a function is called both ways, and the seconds that this may take.
_BOTH_WAYS = 64
_PATIENCE = 0.3


@dataclass(frozen=True, eq=False)
class BlockDistances(Swept):
    """Distances that come block by block from a function of row and column positions.

    Attributes
    ----------
    block : callable
    strips : Strips
    name : Option or Argument
        The source of the distances, as named in messages.
    """

    block: Block
    strips: Strips
    name: Option | Argument
    squared: bool = False

    def operands(self, meeting: Meeting) -> tuple[Floats, Floats, Ints, Floats]:
        """See `DistanceSource`."""
        order = self.strips.order
        rows = order[meeting.rows.start + meeting.first : meeting.rows.start + meeting.last]
        return given_operands(checked_block(self.block, rows, order[meeting.columns.points], self.name))


def remembered(distances: BlockDistances) -> BlockDistances:
    """Return the same distances, each block of which is computed once."""
    known: dict[tuple[int, ...], Floats] = {}

    def block(rows: Ints, columns: Ints) -> Floats:
        # Blocks are of strips, which have no point in common.
        name = int(rows[0]), rows.size, int(columns[0]), columns.size
        found = known.get(name)
        if found is None:
            found = known[name] = distances.block(rows, columns)
        return found

    return replace(distances, block=block)


def checked_blocks(X: Any, metric: Metric) -> Block:
    """Return the function that computes a block of distances and checks it; raise for invalid precomputed ones."""
    if metric == "precomputed":
        check_precomputed(X)
    name = distances_from(metric)
    function = block_function(X, metric)
    return lambda rows, columns: checked_block(function, rows, columns, name)


def checked_block(function: Block, rows: Ints, columns: Ints, name: Option | Argument) -> Floats:
    """Compute and check a block of distances."""
    block = np.ascontiguousarray(function(rows, columns), dtype=np.float64)
    _check_block(block, rows, columns, name)
    # A distance that rounding made negative becomes 0, not -0: the kernels read bit patterns.
    return np.asarray(np.maximum(block, 0.0) + 0.0)


def _check_block(block: Floats, rows: Ints, columns: Ints, name: Option | Argument) -> None:
    if _are_distances(block):
        return
    # Metrics that divide by the coordinates give no distance from a row of zeros to itself, but none is needed.
    block[rows[:, None] == columns] = 0.0
    if _are_distances(block):
        return
    bad = ~np.isfinite(block) | (block < 0)
    i, j = (int(x[0]) for x in np.nonzero(bad))
    raise InputError(
        name,
        f" gives {float(block[i, j])!r} for the points {int(rows[i])} and {int(columns[j])}: "
        "distances are finite and not negative",
    )


def _are_distances(block: Floats) -> bool:
    low = float(block.min())
    return low >= -1e-9 * max(1.0, float(block.max())) and bool(np.isfinite(block).all())


def check_precomputed(D: NDArray[Any]) -> None:
    """Raise unless a matrix of distances is square and symmetric, with zeros on its diagonal, up to rounding."""
    if hasattr(D, "indptr"):
        raise InputError(
            Argument("X"),
            " is sparse, and does not distinguish distances of 0 from missing ones: pass X.toarray()",
        )
    n, m = D.shape
    if n != m:
        raise InputError(
            Argument("X"),
            f" has shape {D.shape}: precomputed distances are a square matrix; of points, leave out ",
            Option("metric"),
        )
    diagonal = np.asarray(np.diagonal(D))
    # What rounding leaves of 1 - 1, as in 1 - np.corrcoef(X), counts as 0.
    least = 100 * np.finfo(D.dtype if D.dtype.kind == "f" else np.float64).eps
    if (np.abs(diagonal) > least).any():
        i = int(np.argmax(np.abs(diagonal) > least))
        raise InputError(
            Argument("X"),
            f" has {float(diagonal[i])!r} on its diagonal at {i}: the distance of a point to itself must be 0",
        )
    step = max(1, _BLOCK // n)
    for first in range(0, n, step):
        upper = np.asarray(D[first : first + step, first:])
        lower = np.asarray(D[first:, first : first + step]).T
        if not np.array_equal(upper, lower):
            difference = np.abs(upper - lower)
            i, j = map(int, np.unravel_index(int(np.argmax(difference)), difference.shape))
            if difference[i, j] > 1e-9 * max(1.0, float(upper.max())):
                raise InputError(
                    Argument("X"),
                    f" is not symmetric: {float(upper[i, j])!r} at [{first + i}, {first + j}], "
                    f"{float(lower[i, j])!r} at [{first + j}, {first + i}]",
                )


def block_function(X: Any, metric: Metric, reader: Reader | None = None) -> Block:
    """Return the function that computes a block of distances; with a reader it holds no points itself."""
    points = X if reader is None else reader
    if metric == "precomputed":
        return lambda rows, columns: points[np.ix_(rows, columns)]
    if isinstance(metric, BlockMetric):
        return lambda rows, columns: np.asarray(metric.between(points[rows], points[columns]))
    if metric == GOWER:
        return lambda rows, columns: gower_between(points[rows], points[columns])
    if is_sparse(X):
        return _sparse_blocks(X, metric)
    if metric == "haversine":
        return haversine_blocks(X)
    if metric == "euclidean" and reader is None:
        return _euclidean_blocks(X)
    if isinstance(metric, str):
        return _dense_blocks(X, metric, points)
    return _blocks_of_calls(points, metric, X.shape[0])


def _sparse_blocks(X: Any, metric: Metric) -> Block:
    if metric == "euclidean":
        X = X.copy()
        X.sum_duplicates()
        indptr = X.indptr.astype(np.int64)
        return lambda rows, columns: sparse_distances(indptr, X.indices, X.data, rows, columns)
    if metric == "cosine" or metric == "correlation":
        from adjudge.engines.pairs.sparse import SparseRows

        return SparseRows.of(X, metric).between
    raise InputError(
        metric_option(metric),
        " needs dense points: use 'euclidean', 'cosine' or 'correlation' for sparse ones, or pass X.toarray()",
    )


def _blocks_of_calls(points: Any, metric: Callable[[Any, Any], float], n: int) -> Block:
    name = metric_option(metric)

    def block(rows: Ints, columns: Ints) -> Floats:
        found = np.zeros((rows.size, columns.size))
        others = points[columns]
        # Between the same points, each pair is called once.
        are_same = np.array_equal(rows, columns)
        for i, (line, point) in enumerate(zip(found, points[rows], strict=True)):
            for j, other in enumerate(others[:i] if are_same else others):
                value = metric(point, other)
                line[j] = value if type(value) is float else _as_number(value, name)
        return found + found.T if are_same else found

    _check_both_ways(block, n, name)
    return block


def _as_number(value: Any, name: Option | Argument) -> float:
    if isinstance(value, Real) or (getattr(value, "ndim", None) == 0 and value.dtype.kind in "iuf"):
        return float(value)
    raise InputTypeError(name, f" gives {value!r:.60} for two points: a number is needed")


def _check_both_ways(block: Block, n: int, name: Option | Argument) -> None:
    """Raise if a function of two points depends on their order, for any of a few pairs."""
    if n < 2:
        return
    begun = time.monotonic()
    generator = np.random.default_rng(0)
    for _ in range(_BOTH_WAYS):
        pair = generator.choice(n, 2, replace=False)
        i, j = map(int, pair)
        there, back = float(block(pair[:1], pair[1:])[0, 0]), float(block(pair[1:], pair[:1])[0, 0])
        if abs(there - back) > 1e-9 * max(1.0, abs(there)):
            raise InputError(
                name, f" is not symmetric: {there!r} from the point {i} to {j}, {back!r} from {j} to {i}"
            )
        if time.monotonic() - begun > _PATIENCE:
            return


def _euclidean_blocks(X: NDArray[Any]) -> Block:
    """Compute distances from tiles; the tiles of the columns are kept, since most blocks share them."""
    from adjudge.engines.sorted_points import SortedPoints, padded_rows

    nothing = np.empty(0, np.int64)
    kept = [(nothing, SortedPoints.of(X, nothing))]

    def block(rows: Ints, columns: Ints) -> Floats:
        known, tiled = kept[0]
        if known is not columns:
            tiled = SortedPoints.of(X, columns)
            kept[0] = columns, tiled
        found = np.empty((rows.size, columns.size))
        distances_to_tiles(padded_rows(X, rows), tiled.tiles, tiled.buffer(), found)
        return found

    return block


def weighted_metric(X: Any, metric: Metric, weights: PointWeights) -> Metric:
    """Return the distance whose scales are those of weighted points, if it has any."""
    if is_sparse(X) or metric not in ("seuclidean", "mahalanobis"):
        return metric
    from scipy.spatial import distance as scipy_distance

    if metric == "seuclidean":
        scales: dict[str, Any] = {"V": standard_variances(X, weights)}
    else:
        scales = {"VI": inverse_covariance(X, weights)}
    return BlockMetric(partial(scipy_distance.cdist, metric=metric, **scales), str(metric))


def _dense_blocks(X: NDArray[Any], metric: str, points: Any) -> Block:
    from scipy.spatial import distance as scipy_distance

    cdist: Callable[..., Any] = scipy_distance.cdist
    fixed: dict[str, Any] = {}
    if metric == "seuclidean":
        fixed["V"] = standard_variances(X)
    elif metric == "mahalanobis":
        fixed["VI"] = inverse_covariance(X)
    try:
        cdist(X[:1], X[:1], metric=metric, **fixed)
    except ValueError:
        return _sklearn_blocks(X, metric, points)
    return lambda rows, columns: cdist(points[rows], points[columns], metric=metric, **fixed)


def _sklearn_blocks(X: NDArray[Any], metric: str, points: Any) -> Block:
    from sklearn.metrics import pairwise_distances

    try:
        pairwise_distances(X[:1], X[:1], metric=metric)
    except ValueError as error:
        raise InputError(
            Option("metric", metric),
            " is not known, or not possible for these points: give a name from SciPy or "
            "scikit-learn, such as 'euclidean', 'cityblock' or 'cosine'",
        ) from error
    return lambda rows, columns: np.asarray(pairwise_distances(points[rows], points[columns], metric=metric))
