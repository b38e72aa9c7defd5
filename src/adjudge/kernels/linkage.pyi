import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def isolation(points: Floats, few: int) -> float: ...
def join_within(
    points: Floats, best: Floats, left: int, waiting: int, reach: float, most: int
) -> tuple[int, int, float]: ...
