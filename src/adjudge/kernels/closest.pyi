import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

def closest_of_clusters(
    points: Floats, codes: Ints, bounds: Ints, lows: Floats, highs: Floats, clusters: Ints
) -> float: ...
