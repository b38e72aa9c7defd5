"""Kernels of scores and probabilities: split by class, merge sorted scores with their ties, losses row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel

Floats = NDArray[np.float64]


@kernel()
def split_by_class(values: NDArray[Any], codes: NDArray[Any], code: int) -> tuple[Floats, Floats]:
    """Copy the scores of the instances of one class, and those of all others."""
    n_inside = 0
    for i in range(codes.size):
        n_inside += codes[i] == code
    inside = np.empty(n_inside, np.float64)
    outside = np.empty(codes.size - n_inside, np.float64)
    a = 0
    b = 0
    for i in range(codes.size):
        if codes[i] == code:
            inside[a] = values[i]
            a += 1
        else:
            outside[b] = values[i]
            b += 1
    return inside, outside


@kernel()
def merge_sorted(positives: Floats, negatives: Floats) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Merge the sorted scores of two classes: distinct scores, rising, and how often each class has them."""
    most = positives.size + negatives.size
    scores = np.empty(most, np.float64)
    in_positives = np.empty(most, np.int64)
    in_negatives = np.empty(most, np.int64)
    a = 0
    b = 0
    m = 0
    while a < positives.size or b < negatives.size:
        if a == positives.size:
            score = negatives[b]
        elif b == negatives.size:
            score = positives[a]
        else:
            score = min(positives[a], negatives[b])
        first_a = a
        first_b = b
        while a < positives.size and positives[a] == score:
            a += 1
        while b < negatives.size and negatives[b] == score:
            b += 1
        scores[m] = score
        in_positives[m] = a - first_a
        in_negatives[m] = b - first_b
        m += 1
    return scores[:m].copy(), in_positives[:m].copy(), in_negatives[:m].copy()


@kernel()
def twice_wins(positives: Floats, negatives: Floats) -> int:
    """Twice the number of pairs in which the positive has the higher score, a tie counting half; scores are sorted."""
    below = 0
    up_to = 0
    total = 0
    for i in range(positives.size):
        score = positives[i]
        while below < negatives.size and negatives[below] < score:
            below += 1
        up_to = max(up_to, below)
        while up_to < negatives.size and negatives[up_to] == score:
            up_to += 1
        total += below + up_to
    return total


@kernel()
def precision_sum(positives: Floats, negatives: Floats) -> float:
    """Sum over the positives of the precision at their score, that is average precision times their number."""
    a = positives.size
    b = negatives.size
    total = 0.0
    while a > 0:
        score = positives[a - 1]
        first = a
        while a > 0 and positives[a - 1] == score:
            a -= 1
        while b > 0 and negatives[b - 1] >= score:
            b -= 1
        found = positives.size - a
        total += (first - a) * (found / (found + negatives.size - b))
    return total


@kernel()
def bin_scores(
    values: Floats, hits: NDArray[np.bool_], edges: Floats, holds_right: bool, sums: NDArray[np.float64]
) -> None:
    """Add to `sums`, of shape (3, n_bins), the instances of each bin, their scores, and those that came true."""
    n_bins = edges.size - 1
    for i in range(values.size):
        value = values[i]
        b = min(int(value * n_bins), n_bins - 1)
        # The product is rounded: the edges decide.
        if holds_right:
            while b > 0 and value <= edges[b]:
                b -= 1
            while b < n_bins - 1 and value > edges[b + 1]:
                b += 1
        else:
            while b > 0 and value < edges[b]:
                b -= 1
            while b < n_bins - 1 and value >= edges[b + 1]:
                b += 1
        sums[0, b] += 1.0
        sums[1, b] += value
        sums[2, b] += 1.0 if hits[i] else 0.0


@kernel()
def log_rows(values: NDArray[Any], codes: NDArray[np.int64], rows: Floats) -> None:
    """-log of the probability of what was true, from that of the second of two classes, row by row."""
    for i in range(codes.size):
        value = np.float64(values[i])
        # log1p keeps the digits that 1 - p loses.
        if codes[i] == 1:
            rows[i] = -np.log(value) if value > 0.0 else np.inf
        else:
            rows[i] = -np.log1p(-value) if value < 1.0 else np.inf


@kernel()
def brier_rows(probabilities: NDArray[Any], codes: NDArray[np.int64], rows: Floats) -> None:
    """Sum over the classes of the squared distance of forecast and outcome, row by row."""
    for i in range(codes.size):
        total = 0.0
        for c in range(probabilities.shape[1]):
            off = probabilities[i, c] - (1.0 if c == codes[i] else 0.0)
            total += off * off
        rows[i] = total


@kernel()
def rank_of_truth(
    scores: NDArray[Any], codes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each row, how many classes score higher than the true one, and how many the same (itself included)."""
    higher = np.zeros(codes.size, np.int32)
    tied = np.zeros(codes.size, np.int32)
    for i in range(codes.size):
        own = scores[i, codes[i]]
        for c in range(scores.shape[1]):
            value = scores[i, c]
            higher[i] += value > own
            tied[i] += value == own
    return higher, tied


@kernel()
def first_bad_row(probabilities: NDArray[Any], tolerance: float) -> tuple[int, int]:
    """Row and column of the first entry outside [0, 1] or not a number; column -1 where a sum is not 1; else row -1."""
    for i in range(probabilities.shape[0]):
        total = 0.0
        for c in range(probabilities.shape[1]):
            value = probabilities[i, c]
            if not (0.0 <= value <= 1.0):
                return i, c
            total += value
        if abs(total - 1.0) > tolerance:
            return i, -1
    return -1, -1
