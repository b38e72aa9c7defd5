import numpy as np
from numpy.typing import NDArray

def logarithms(values: NDArray[np.float64]) -> NDArray[np.float64]: ...
