import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def nearest_centroids(X: Floats, centroids: Floats, codes: Ints) -> float: ...
def kmeans(
    X: Floats, draws: Floats, max_iter: int, tol: float, codes: Ints, centroids: Floats
) -> tuple[float, int]: ...
