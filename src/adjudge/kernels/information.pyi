import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

def information_sums(
    rows: Ints, cols: Ints, counts: Ints, row_sums: Ints, col_sums: Ints, n: int
) -> tuple[float, float, float]: ...
def entropy(sizes: Ints, n: int) -> float: ...
