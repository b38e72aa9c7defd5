from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def first_members(codes: Ints, members: Ints) -> None: ...
def add_steps(X: NDArray[Any], codes: Ints, first: int, last: int, bases: Floats, steps: Floats) -> None: ...
def steps_to_means(bases: Floats, origin: Floats, sizes: NDArray[Any], steps: Floats) -> None: ...
def means_at_once(
    X: NDArray[Any], codes: Ints, sizes: NDArray[Any], origin: Floats, means: Floats
) -> None: ...
def add_squares(
    X: NDArray[Any], codes: Ints, first: int, last: int, origin: Floats, means: Floats, squares: Floats
) -> None: ...
def add_spread(sizes: NDArray[Any], centroids: Floats, centre: Floats, columns: Floats) -> float: ...
def add_distances(
    X: NDArray[Any], codes: Ints, first: int, last: int, origin: Floats, means: Floats, distances: Floats
) -> None: ...
def distances_from_one(
    X: NDArray[Any], first: int, last: int, origin: Floats, place: Floats
) -> tuple[float, float]: ...
def add_scatter(
    X: NDArray[Any], codes: Ints, first: int, last: int, origin: Floats, centroids: Floats, scatter: Floats
) -> None: ...
def add_ratios(
    X: NDArray[Any], codes: Ints, first: int, last: int, origin: Floats, centroids: Floats, sums: Floats
) -> None: ...
def count_near(
    X: NDArray[Any],
    codes: Ints,
    first: int,
    last: int,
    origin: Floats,
    centroids: Floats,
    others: Floats,
    own_start: int,
    radius: float,
    at_centroid: Ints,
    at_middle: Ints,
) -> None: ...
def centroid_distances(centroids: Floats, distances: Floats) -> tuple[float, float]: ...
