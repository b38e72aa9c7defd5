from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Index = TypeVar("Index", np.int32, np.int64)
Levelled = tuple[Ints, NDArray[Index], Floats, Floats, Floats]

def sparse_distances(
    indptr: Ints, indices: NDArray[Index], data: Floats, rows: Ints, columns: Ints
) -> Floats: ...
def scale_to_length_one(indptr: Ints, data: Floats) -> int: ...
def centre_and_scale(indptr: Ints, data: Floats, n_columns: int, levels: Floats) -> int: ...
def cosine_distances(
    row_rows: Levelled[Index],
    rows: Ints,
    column_rows: Levelled[Index],
    columns: Ints,
    n_features: int,
    n_columns: int,
) -> Floats: ...
def n_features_of_means(indptr: Ints, indices: NDArray[Index], bounds: Ints, n_features: int) -> Ints: ...
def fill_means(
    indptr: Ints,
    indices: NDArray[Index],
    data: Floats,
    bounds: Ints,
    n_features: int,
    mean_indptr: Ints,
    mean_indices: NDArray[Index],
    mean_data: Floats,
) -> None: ...
def products_with_themselves(indptr: Ints, data: Floats, levels: Floats, n_columns: int) -> Floats: ...
def add_half_squares(
    row_rows: Levelled[Index],
    first: int,
    last: int,
    column_rows: Levelled[Index],
    column: int,
    n_columns: int,
) -> float: ...
