"""Kernel of rankings of labels: how the true labels of an instance stand among all, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel

__all__ = ["rank_labels"]


@kernel()
def rank_labels(
    scores: NDArray[Any],
    starts: NDArray[np.int64],
    columns: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """Fill `found`, of shape (n, 5): average precision, coverage, lost pairs, tied pairs, error of the top label.

    The true labels of row i are ``columns[starts[i]:starts[i + 1]]``. Average precision is nan without a true label;
    pairs are of a true label and another, as shares of all such pairs, and nan if there is none.
    """
    width = scores.shape[1]
    for i in range(scores.shape[0]):
        first = starts[i]
        end = starts[i + 1]
        true = end - first
        precision = 0.0
        coverage = 0
        lost = 0
        tied = 0
        for a in range(first, end):
            own = scores[i, columns[a]]
            above = 0
            equal = 0
            for c in range(width):
                above += scores[i, c] > own
                equal += scores[i, c] == own
            true_above = 0
            true_equal = 0
            for b in range(first, end):
                true_above += scores[i, columns[b]] > own
                true_equal += scores[i, columns[b]] == own
            precision += (true_above + true_equal) / (above + equal)
            coverage = max(coverage, above + equal)
            lost += above - true_above
            tied += equal - true_equal
        pairs = true * (width - true)
        found[i, 0] = precision / true if true else np.nan
        found[i, 1] = coverage
        found[i, 2] = lost / pairs if pairs else np.nan
        found[i, 3] = tied / pairs if pairs else np.nan
        best = scores[i, 0]
        for c in range(width):
            best = max(best, scores[i, c])
        at_top = 0
        for c in range(width):
            at_top += scores[i, c] == best
        true_at_top = 0
        for a in range(first, end):
            true_at_top += scores[i, columns[a]] == best
        found[i, 4] = 1.0 - true_at_top / at_top
