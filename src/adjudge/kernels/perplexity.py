"""Weights of near neighbours with a given perplexity, and the effective number of clusters among them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine

__all__ = ["effective_numbers"]

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
def _solve(unit: Array, wanted: float, weights: Array) -> None:
    """Find weights of which the entropy is `wanted`: Newton's steps, halved intervals where they lead astray."""
    low, high, log_beta = -np.inf, np.inf, 0.0
    for _ in range(_ROUNDS):
        entropy, slope = _weigh(unit, math.exp(log_beta), weights)
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
            return
        log_beta = following


@kernel()
def effective_numbers(distances: Array, labels: Array, k: int, perplexity: float, found: Array) -> None:
    """Fill in the inverse sum of the squared shares of the `k` clusters, by rows; nan if no weights fit."""
    m = distances.shape[1]
    unit, weights, shares = np.empty(m), np.empty(m), np.zeros(k)
    wanted = math.log(perplexity)
    for i in range(distances.shape[0]):
        ties, total = 0, 0.0
        for j in range(m):
            unit[j] = distances[i, j] - distances[i, 0]
            ties += unit[j] == 0.0
            total += unit[j]
        # As many ties as the perplexity have all the weight in the limit.
        if ties > perplexity or perplexity >= m:
            found[i] = np.nan
            continue
        for j in range(m):
            unit[j] /= total / m
        _solve(unit, wanted, weights)
        for j in range(m):
            shares[labels[i, j]] += weights[j]
        squares = 0.0
        for j in range(m):
            squares += shares[labels[i, j]] ** 2
            shares[labels[i, j]] = 0.0
        found[i] = 1.0 / squares
