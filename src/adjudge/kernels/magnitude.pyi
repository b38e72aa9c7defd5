from typing import Any

from numpy.typing import NDArray

def sum_of_squares(values: NDArray[Any]) -> float: ...
