import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

def list_distances(
    points: Floats, first: int, last: int, starts: Ints, codes: Codes, distances: Floats, found: Ints
) -> None: ...
def compare_in_order(distances: Floats, masks: Ints, larger: Ints, ties: Ints) -> int: ...
def count_distances(
    points: Floats,
    first: int,
    last: int,
    starts: Ints,
    codes: Codes,
    scale: float,
    counts: NDArray[np.uint32],
    sums: Floats,
) -> None: ...
