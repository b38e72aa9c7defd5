"""Blocks of Euclidean distances: those of SciPy, whatever rows and columns are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from adjudge.engines.pairs.block_distances import block_function


@pytest.mark.parametrize("p", [1, 2, 7, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_euclidean_distances(p: int, dtype: type, rng: np.random.Generator) -> None:
    X = rng.normal(size=(1300, p)).astype(dtype)
    block = block_function(X, "euclidean")
    everyone = rng.permutation(1300)
    for rows, columns in ((3, 1300), (4, 512), (1, 1), (129, 513), (0, 5)):
        for _ in range(2):
            found = block(everyone[:rows], everyone[-columns:])
            np.testing.assert_allclose(
                found, cdist(X[everyone[:rows]], X[everyone[-columns:]]), rtol=1e-13, atol=1e-15
            )
    all_pairs = block(everyone, everyone)
    np.testing.assert_array_equal(all_pairs, all_pairs.T)
    assert not np.diagonal(all_pairs).any()
