"""True clusters that were sampled, and what the prediction makes of their records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints


@dataclass(frozen=True, eq=False)
class SampledClusters:
    """Sums over the records of each sampled cluster.

    Attributes
    ----------
    n, n_pred : int
        Number of records, and of predicted clusters, in all.
    weights : ndarray of shape (m,)
        Sampling weight of each cluster, 1 over its chance to be drawn, on any scale.
    sizes : ndarray of shape (m,)
        Records of the cluster.
    joined, crossing : ndarray of shape (m,)
        Its pairs that the prediction joins, and half of the pairs that this joins with records of other clusters.
    exact : ndarray of shape (m,)
        1 if it is a predicted cluster, else 0.
    precise, recalled : ndarray of shape (m,)
        Sums of n_cb^2 / b and n_cb^2 / size over the predicted clusters, of size b, that have n_cb of its records.
    """

    n: int
    n_pred: int
    weights: Floats
    sizes: Floats
    joined: Floats
    crossing: Floats
    exact: Floats
    precise: Floats
    recalled: Floats

    @classmethod
    def count(cls, cluster: Ints, rows: NDArray[Any], pred: Ints, weights: Floats) -> SampledClusters:
        """Count the records of the sampled clusters.

        Parameters
        ----------
        cluster : ndarray of int64
            For each of `rows`, its sampled cluster: 0, ..., m - 1; each occurs.
        rows : ndarray
            Positions of these records.
        pred : ndarray of int64 of shape (n,)
            Predicted clusters of all records: 0, ..., K - 1; each occurs.
        weights : ndarray of shape (m,)
        """
        b_sizes = np.bincount(pred)
        keys, counts = np.unique(cluster * b_sizes.size + pred[rows], return_counts=True)
        c, x, b = keys // b_sizes.size, counts.astype(np.float64), b_sizes[keys % b_sizes.size]

        def total(of_cells: Any) -> Floats:
            return np.asarray(np.bincount(c, of_cells, weights.size), np.float64)

        sizes = total(x)
        return cls(
            n=pred.size,
            n_pred=b_sizes.size,
            weights=weights,
            sizes=sizes,
            joined=total(x * (x - 1) / 2),
            crossing=total(x * (b - x) / 2),
            exact=total((x == b) & (x == sizes[c])),
            precise=total(x**2 / b),
            recalled=total(x**2) / sizes,
        )
