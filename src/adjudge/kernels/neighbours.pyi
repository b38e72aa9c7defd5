import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK: int

def insert_block(block: Floats, own: Ints, offset: int, distances: Floats, positions: Ints) -> None: ...
def outside_extremes(
    rows: Floats,
    of_row: Ints,
    n: int,
    tiles: Floats,
    bounds: Ints,
    single: int,
    nearest: Floats,
    farthest: Floats,
) -> None: ...
def nearest_of_blocks(
    rows: Floats,
    tiles: Floats,
    widths: Ints,
    of_block: Ints,
    boxes: Floats,
    first: int,
    last: int,
    nearest: Floats,
) -> None: ...
def least_reach_of_blocks(
    rows: Floats, tiles: Floats, widths: Ints, of_block: Ints, boxes: Floats, cluster: int
) -> float: ...
def neighbours_in_blocks(
    rows: Floats,
    tiles: Floats,
    starts: Ints,
    members: Ints,
    boxes: Floats,
    first: int,
    last: int,
    squares: Floats,
    positions: Ints,
) -> None: ...
