"""One pass over the points against the centroids: sums, squares, scatter, distances, densities.

All take a run of rows `X[first:last]` with their codes; coordinates are relative to `origin`, as are the centroids.
Callers bring the room that is needed on the way: an allocation takes longer to compile than the rest of a kernel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine

__all__ = [
    "add_distances",
    "add_ratios",
    "add_scatter",
    "add_spread",
    "add_squares",
    "add_steps",
    "centroid_distances",
    "count_near",
    "distances_from_one",
    "first_members",
    "means_at_once",
    "steps_to_means",
]

Array = np.ndarray[Any, Any]

# Rows that are summed up before they are added to the total, so that rounding does not grow with the number of rows.
_RUN = 256


@kernel()
def first_members(codes: Array, members: Array) -> None:
    """Fill in the first point of each cluster, in a vector of zeros; it ends when all are found."""
    found = 0
    for i in range(codes.size):
        c = np.uintp(codes[i])
        # The first point of all is point 0.
        if i == 0 or (members[c] == 0 and codes[i] != codes[0]):
            members[c] = i
            found += 1
            if found == members.size:
                return


@kernel()
def add_steps(
    X: Array,
    codes: Array,
    first: int,
    last: int,
    bases: Array,
    sums: Array,
    counts: Array,
    steps: Array,
) -> None:
    """Add to `steps` what each point differs from its cluster's base.

    Runs of a cluster are summed up before they are added, so that rounding does not grow with the number of points;
    `sums` and `counts` hold them: zeros before and after.
    """
    k, p = bases.shape
    # Unsigned positions: a signed one is checked for being negative at every load.
    for i in range(np.uintp(first), np.uintp(last)):
        c = np.uintp(codes[i])
        for j in range(np.uintp(p)):
            sums[c, j] += X[i, j] - bases[c, j]
        counts[c] += 1
        if counts[c] == _RUN:
            join_run(sums, counts, c, steps)
    for rest in range(k):
        join_run(sums, counts, rest, steps)


@subroutine()
def join_run(sums: Array, counts: Array, c: Any, steps: Array) -> None:
    for j in range(steps.shape[1]):
        steps[c, j] += sums[c, j]
        sums[c, j] = 0.0
    counts[c] = 0


@kernel()
def steps_to_means(bases: Array, origin: Array, sizes: Array, steps: Array) -> None:
    """Turn sums of steps from the bases into means relative to the origin."""
    for k in range(sizes.size):
        size = float(sizes[k])
        for j in range(steps.shape[1]):
            steps[k, j] = (bases[k, j] - origin[j]) + steps[k, j] / size


@kernel()
def means_at_once(
    X: Array,
    codes: Array,
    sizes: Array,
    origin: Array,
    bases: Array,
    run: Array,
    counts: Array,
    means: Array,
) -> None:
    """Do what a pass for means does, in one call; all tables that are filled hold zeros before.

    `run` and `counts` are room: see :func:`add_steps`.
    """
    first_members(codes, counts)
    for k in range(counts.size):
        member = counts[k]
        counts[k] = 0
        for j in range(X.shape[1]):
            bases[k, j] = X[member, j]
    add_steps(X, codes, 0, codes.size, bases, run, counts, means)
    steps_to_means(bases, origin, sizes, means)


@kernel()
def add_squares(
    X: Array, codes: Array, first: int, last: int, origin: Array, means: Array, squares: Array
) -> None:
    """Add up squared deviations from the means of the clusters."""
    # Unsigned positions: a signed one is checked for being negative at every load.
    for i in range(np.uintp(first), np.uintp(last)):
        k = np.uintp(codes[i])
        for j in range(np.uintp(X.shape[1])):
            d = X[i, j] - origin[j] - means[k, j]
            squares[k, j] += d * d


@kernel()
def add_spread(sizes: Array, centroids: Array, centre: Array, columns: Array) -> float:
    """Fill in the mean of all points, and the weighted squares of the centroids' steps from it; return the points.

    The centre of a single cluster has no rounding error: logarithms of the dispersion between clusters would show it.
    """
    n = 0.0
    for k in range(sizes.size):
        size = float(sizes[k])
        n += size
        for j in range(centre.size):
            centre[j] += size * centroids[k, j]
    for j in range(centre.size):
        centre[j] = centre[j] / n if sizes.size > 1 else centroids[0, j]
    for k in range(sizes.size):
        size = float(sizes[k])
        for j in range(centre.size):
            step = centroids[k, j] - centre[j]
            columns[j] += size * (step * step)
    return n


@kernel()
def add_distances(
    X: Array, codes: Array, first: int, last: int, origin: Array, means: Array, distances: Array
) -> None:
    """Add up distances from the means of the clusters."""
    for i in range(np.uintp(first), np.uintp(last)):
        k = np.uintp(codes[i])
        distances[k] += math.sqrt(squared_distance(X, i, origin, means, k))


@kernel()
def distances_from_one(X: Array, first: int, last: int, origin: Array, place: Array) -> tuple[float, float]:
    """Add up distances from one place, the row of `place`; return the sum and the largest."""
    total = largest = 0.0
    for i in range(first, last):
        square = squared_distance(X, i, origin, place, np.uintp(0))
        total += math.sqrt(square)
        largest = max(largest, square)
    return total, math.sqrt(largest)


@inlined()
def squared_distance(X: Array, i: Any, origin: Array, places: Array, k: Any) -> float:
    square = 0.0
    for j in range(np.uintp(X.shape[1])):
        d = X[i, j] - origin[j] - places[k, j]
        square += d * d
    return square


@kernel()
def add_scatter(
    X: Array,
    codes: Array,
    first: int,
    last: int,
    origin: Array,
    centroids: Array,
    v: Array,
    part: Array,
    scatter: Array,
) -> None:
    """Add the products of deviations from the own centroid to the lower triangle of the scatter matrix.

    `part` of the shape of `scatter` holds the sums of a run: zeros before and after; `v` is room for a row.
    """
    p = X.shape[1]
    for start in range(first, last, _RUN):
        for i in range(start, min(start + _RUN, last)):
            k = codes[i]
            for j in range(p):
                v[j] = (X[i, j] - origin[j]) - centroids[k, j]
            for j in range(p):
                a = v[j]
                line = part[j]
                for h in range(j + 1):
                    line[h] += a * v[h]
        for j in range(p):
            for h in range(j + 1):
                scatter[j, h] += part[j, h]
                part[j, h] = 0.0


@subroutine()
def squares_to_columns(
    X: Array, i: int, origin: Array, columns: Array, base: Array, share: float, line: Array
) -> None:
    """Squared distances of a point to places a share of the way from `base` to each column; all relative to an origin.

    columns : (p, K), dimension by dimension; the share is 1 or 1/2
    """
    line[:] = 0.0
    for d in range(columns.shape[0]):
        x, own, column = X[i, d] - origin[d], base[d], columns[d]
        if share == 1.0:
            for j in range(line.shape[0]):
                line[j] += (x - column[j]) * (x - column[j])
        else:
            for j in range(line.shape[0]):
                e = x - 0.5 * (own + column[j])
                line[j] += e * e


@kernel()
def add_ratios(
    X: Array, codes: Array, first: int, last: int, origin: Array, columns: Array, line: Array, sums: Array
) -> None:
    """Add d(point, own centroid) / d(point, nearest other centroid) up by cluster; 0/0 is nan.

    columns : (p, K), the centroids dimension by dimension
    line : (K,), room
    """
    # Of numbers that are not negative the bits order like integers, whose extremes vectorise.
    bits = line.view(np.int64)
    for i in range(first, last):
        own_code = codes[i]
        squares_to_columns(X, i, origin, columns, origin, 1.0, line)
        own = line[own_code]
        line[own_code] = np.inf
        least = np.int64(0x7FF0000000000000)
        for j in range(bits.shape[0]):
            least = min(least, bits[j])
        nearest = np.int64(least).view(np.float64)
        if nearest > 0.0:
            sums[own_code] += math.sqrt(own) / math.sqrt(nearest)
        else:
            sums[own_code] += np.inf if own > 0.0 else np.nan


@kernel()
def count_near(
    X: Array,
    codes: Array,
    first: int,
    last: int,
    origin: Array,
    centroids: Array,
    columns: Array,
    own_start: int,
    radius: float,
    line: Array,
    at_centroid: Array,
    at_middle: Array,
) -> None:
    """Count the points of some clusters that are closer than the radius to centroids and to midpoints.

    Row r stands for cluster ``own_start + r``, and columns, (p, others), hold the centroids of other clusters dimension
    by dimension: `at_centroid` counts the points of the first at the centroid of the second, `at_middle` those at the
    midpoint of the two centroids. `line` is room for a row.
    """
    limit = radius * radius
    for i in range(first, last):
        own = codes[i]
        row = own - own_start
        if row < 0 or row >= at_centroid.shape[0]:
            continue
        counts, middle = at_centroid[row], at_middle[row]
        squares_to_columns(X, i, origin, columns, centroids[own], 1.0, line)
        for j in range(line.shape[0]):
            counts[j] += line[j] < limit
        squares_to_columns(X, i, origin, columns, centroids[own], 0.5, line)
        for j in range(line.shape[0]):
            middle[j] += line[j] < limit


@kernel()
def centroid_distances(columns: Array, distances: Array) -> tuple[float, float]:
    """Fill in the distances of all centroids to all; the smallest and the largest to another.

    columns : (p, K), the centroids dimension by dimension
    distances : (K, K)
    """
    smallest, largest = np.inf, 0.0
    for own in range(distances.shape[0]):
        line = distances[own]
        line[:] = 0.0
        for d in range(columns.shape[0]):
            column = columns[d]
            a = column[own]
            for j in range(line.shape[0]):
                line[j] += (a - column[j]) * (a - column[j])
        # Of numbers that are not negative the bits order like integers, whose extremes vectorise.
        bits = line.view(np.int64)
        nearest, farthest = np.int64(0x7FF0000000000000), np.int64(0)
        for j in range(own):
            nearest = min(nearest, bits[j])
        for j in range(own + 1, line.shape[0]):
            nearest = min(nearest, bits[j])
        for j in range(line.shape[0]):
            farthest = max(farthest, bits[j])
            line[j] = math.sqrt(line[j])
        smallest, largest = (
            min(smallest, np.int64(nearest).view(np.float64)),
            max(largest, np.int64(farthest).view(np.float64)),
        )
    return math.sqrt(smallest), math.sqrt(largest)
