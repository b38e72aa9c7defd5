import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Streams = NDArray[np.uint64]

WIDE: float
B0: float
B1: float
A0: float
A1: float
SQUEEZE0: float
SQUEEZE1: float
CENTRAL: float
HAT0: float
HAT1: float

def lanes_for(n_rows: int, n_cols: int) -> int: ...
def draw_sums(
    rows: Ints, cols: Ints, streams: Streams, lanes: int, pairs: Ints, entropies: Floats
) -> None: ...
def draw_tables(rows: Ints, cols: Ints, streams: Streams, lanes: int, out: Ints) -> None: ...
def shuffle_cells(
    rows: Ints, labels: NDArray[np.int32], n_cols: int, stream: Streams
) -> tuple[Ints, Ints, Ints]: ...
def shuffle_sums(
    rows: Ints,
    labels: NDArray[np.int32],
    n_cols: int,
    streams: Streams,
    lanes: int,
    pairs: Ints,
    entropies: Floats,
) -> None: ...
