"""Kernels for entropies and mutual information, summed so that nothing cancels."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from adjudge.kernels.deviance import deviance

# Up to here n^2 fits 64 bits, and k n - a b is exact.
_EXACT = 3_000_000_000


@njit(nogil=True, cache=True)
def information_sums(
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    counts: NDArray[np.int64],
    row_sums: NDArray[np.int64],
    col_sums: NDArray[np.int64],
    n: int,
) -> tuple[float, float, float]:
    """Mutual information and the two conditional entropies, in nats.

    Mutual information is the sum over all cells of the deviance of n_ij from mu = a_i b_j / n, divided by n:
    every term is >= 0, and an empty cell contributes mu.

    Returns
    -------
    mutual_information, true_given_pred, pred_given_true : float
    """
    scale = float(n)
    beside = np.full(row_sums.size, n, np.int64)
    mutual = 0.0
    lost_m = 0.0
    true_given_pred = 0.0
    lost_t = 0.0
    pred_given_true = 0.0
    lost_p = 0.0
    for cell in range(counts.size):
        a = row_sums[rows[cell]]
        b = col_sums[cols[cell]]
        k = counts[cell]
        beside[rows[cell]] -= b
        product = float(a) * float(b)
        mean = product / scale
        difference = (float(k * n - a * b) if n < _EXACT else float(k) * scale - product) / scale
        # Neumaier's compensated sums: millions of cells keep their digits.
        term = deviance(float(k), mean, difference)
        grown = mutual + term
        lost_m += (mutual - grown) + term if mutual >= term else (term - grown) + mutual
        mutual = grown
        term = float(k) * math.log(float(b) / float(k))
        grown = true_given_pred + term
        lost_t += (
            (true_given_pred - grown) + term if true_given_pred >= term else (term - grown) + true_given_pred
        )
        true_given_pred = grown
        term = float(k) * math.log(float(a) / float(k))
        grown = pred_given_true + term
        lost_p += (
            (pred_given_true - grown) + term if pred_given_true >= term else (term - grown) + pred_given_true
        )
        pred_given_true = grown
    for row in range(row_sums.size):
        term = float(row_sums[row]) * (float(beside[row]) / scale)
        grown = mutual + term
        lost_m += (mutual - grown) + term if mutual >= term else (term - grown) + mutual
        mutual = grown
    return (mutual + lost_m) / scale, (true_given_pred + lost_t) / scale, (pred_given_true + lost_p) / scale


@njit(nogil=True, cache=True)
def entropy(sizes: NDArray[np.int64], n: int) -> float:
    """Entropy of the shares sizes / n, in nats; every term is >= 0."""
    total = 0.0
    lost = 0.0
    for i in range(sizes.size):
        term = float(sizes[i]) * math.log(float(n) / float(sizes[i]))
        grown = total + term
        lost += (total - grown) + term if total >= term else (term - grown) + total
        total = grown
    return (total + lost) / float(n)
