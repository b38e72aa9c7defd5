"""Weights of near neighbours with a given perplexity, and the effective number of clusters among them.

The weights depend on distances alone: who judges several partitions of the same points fits them once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine

__all__ = ["effective_numbers", "fit_weights"]

Array = np.ndarray[Any, Any]

# Of the logarithm of beta: weights are equal at one end, and those of the nearest alone at the other.
_FARTHEST = 60.0
_ROUNDS = 200
_SETTLED = 1e-15


@subroutine()
def _weigh(unit: Array, beta: float, weights: Array) -> tuple[float, float]:
    """Weights exp(-beta d), which add up to 1; their entropy, and its derivative by log beta."""
    total = 0.0
    for j in range(unit.shape[0]):
        weights[j] = math.exp(-beta * unit[j])
        total += weights[j]
    mean = 0.0
    for j in range(unit.shape[0]):
        weights[j] /= total
        mean += weights[j] * unit[j]
    spread = 0.0
    for j in range(unit.shape[0]):
        spread += weights[j] * (unit[j] - mean) ** 2
    return math.log(total) + beta * mean, -(beta**2) * spread


@subroutine()
def _solve(unit: Array, wanted: float, weights: Array) -> float:
    """Find beta so that the entropy is `wanted`: Newton's steps, halved intervals where they lead astray."""
    low, high, log_beta = -np.inf, np.inf, 0.0
    beta = 1.0
    for _ in range(_ROUNDS):
        beta = math.exp(log_beta)
        entropy, slope = _weigh(unit, beta, weights)
        excess = entropy - wanted
        if excess > 0:
            low = log_beta
        else:
            high = log_beta
        following = log_beta - excess / slope if slope != 0.0 else np.nan
        if not low < following < high:
            if high == np.inf:
                following = log_beta + 1.0
            elif low == -np.inf:
                following = log_beta - 1.0
            else:
                following = (low + high) / 2
        following = min(max(following, -_FARTHEST), _FARTHEST)
        if abs(following - log_beta) < _SETTLED or abs(excess) < _SETTLED:
            break
        log_beta = following
    return beta


@subroutine()
def _in_units(distances: Array, unit: Array) -> int:
    """Distances beyond the smallest, in units of their mean; returns how many are as small."""
    ties, total = 0, 0.0
    m = distances.shape[0]
    for j in range(m):
        unit[j] = distances[j] - distances[0]
        ties += unit[j] == 0.0
        total += unit[j]
    for j in range(m):
        unit[j] /= total / m
    return ties


@kernel(error_model="numpy")
def fit_weights(distances: Array, perplexity: float, betas: Array) -> None:
    """Fill in the beta of each row of sorted distances, in units of their mean; nan if no weights fit."""
    m = distances.shape[1]
    unit, weights = np.empty(m), np.empty(m)
    wanted = math.log(perplexity)
    for i in range(distances.shape[0]):
        # As many ties as the perplexity have all the weight in the limit.
        if _in_units(distances[i], unit) > perplexity or perplexity >= m:
            betas[i] = np.nan
        else:
            betas[i] = _solve(unit, wanted, weights)


@kernel(error_model="numpy")
def effective_numbers(distances: Array, betas: Array, labels: Array, k: int, found: Array) -> None:
    """Fill in the inverse sum of the squared shares of the `k` clusters, by rows; nan where beta is."""
    m = distances.shape[1]
    unit, weights, shares = np.empty(m), np.empty(m), np.zeros(k)
    for i in range(distances.shape[0]):
        if math.isnan(betas[i]):
            found[i] = np.nan
            continue
        _in_units(distances[i], unit)
        _weigh(unit, betas[i], weights)
        for j in range(m):
            shares[labels[i, j]] += weights[j]
        squares = 0.0
        for j in range(m):
            squares += shares[labels[i, j]] ** 2
            shares[labels[i, j]] = 0.0
        found[i] = 1.0 / squares
