import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def farthest(
    rows: Floats, first: int, n: int, radii: Floats, tiles: Floats, best: float, most: int
) -> tuple[int, float]: ...
def farthest_of_few(points: Floats, first: int, last: int) -> float: ...
def farthest_of_tree(
    points: Floats, bounds: Ints, lows: Floats, highs: Floats, todo: Ints, n_todo: int, best: float, most: int
) -> tuple[int, float]: ...
