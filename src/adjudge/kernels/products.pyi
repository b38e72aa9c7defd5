from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Real = TypeVar("Real", np.float64, np.float32)

def add_products(
    products: NDArray[Real],
    rows: NDArray[Real],
    columns: NDArray[Real],
    row_squares: NDArray[Real],
    column_squares: NDArray[Real],
    close: float,
    rooted: bool,
    row_cluster: Ints,
    bounds: Ints,
    offset: int,
    diagonal: int,
    row_sums: Floats,
    column_sums: Floats,
) -> None: ...
def squares_to_centroids(
    products: Floats,
    rows: Floats,
    bases: Floats,
    steps: Floats,
    row_squares: Floats,
    centroid_squares: Floats,
    close: float,
) -> None: ...
