from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

def rank_labels(scores: NDArray[Any], starts: Ints, columns: Ints, found: NDArray[np.float64]) -> None: ...
