import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def least_to_places(
    rows: Floats, mine: Ints, n: int, tiles: Floats, rises: Floats, rounding: float, found: Floats
) -> None: ...
