import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def overlaps_of_few(rows: Floats, radii: Floats) -> Floats: ...
def overlaps_of_blocks(
    rows: Floats,
    tiles: Floats,
    widths: Ints,
    low: Floats,
    high: Floats,
    radii: Floats,
    widest: Floats,
    first: int,
    last: int,
    best: Floats,
) -> None: ...
