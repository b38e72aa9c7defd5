import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def nearest_two(sums: Floats, codes: Ints, sizes: Ints) -> tuple[Floats, Ints, Floats]: ...
def widths_without(
    block: Floats,
    left_out: Ints,
    codes: Ints,
    sizes: Ints,
    sums: Floats,
    best: Floats,
    which: Ints,
    next_best: Floats,
    found: Floats,
) -> None: ...
