from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Real = TypeVar("Real", np.float64, np.float32)

def complete(products: NDArray[Real], row_squares: NDArray[Real], column_squares: NDArray[Real]) -> None: ...
def find_candidates(
    distances: NDArray[Real],
    row_errors: NDArray[Real],
    column_errors: NDArray[Real],
    row_cluster: Ints,
    bounds: Ints,
    offset: int,
    diagonal: int,
    least: Floats,
    most: Floats,
    lows: Floats,
    low_pairs: Ints,
    highs: Floats,
    high_pairs: Ints,
) -> tuple[int, int]: ...
def squares_of_pairs(left: Floats, right: Floats) -> Floats: ...
