from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def fit_weights(distances: Floats, perplexity: float, betas: Floats) -> None: ...
def effective_numbers(
    distances: Floats, betas: Floats, labels: NDArray[Any], k: int, found: Floats
) -> None: ...
