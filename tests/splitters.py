"""Ways to part points into two, for tests of clusters."""

from __future__ import annotations

import numpy as np

from adjudge.choosing.estimators import KMeans

__all__ = ["halves", "two_means"]


def two_means(X: np.ndarray) -> np.ndarray:
    fit = KMeans(n_init=1, n_threads=1).fit(np.ascontiguousarray(X), [2], np.random.SeedSequence(0))
    return fit[2].codes


def halves(X: np.ndarray) -> np.ndarray:
    """Without a fit: the halves of the first principal component."""
    centred = X - X.mean(axis=0)
    axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return (centred @ axis > 0).astype(int)
