import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def draw_chain(
    rng: np.random.Generator,
    means: Floats,
    squares: Floats,
    sizes: Floats,
    rhos: Floats,
    limits: Floats,
    grid: Floats,
    log_prior: Floats,
    n_warm_up: int,
    n_draws: int,
) -> Floats: ...
def truncated_normals(
    rng: np.random.Generator, mean: float, sd: float, low: float, high: float, n: int
) -> Floats: ...
def gammas(rng: np.random.Generator, shape: float, n: int) -> Floats: ...
