"""The exact variance of the mutual information of two partitions, over all tables with the same cluster sizes.

n I is a sum over cells of d = x log(x / m) - x + m, where x is the count and m its mean: margins fix the sum of the
rest. Given two cells of a row, those of another row are hypergeometric in what is left, so covariances of cells take
two counts at a time (Romano et al. 2014, with sums in another order).

References
----------
Romano, Bailey, Nguyen & Verspoor (2014), Standardized mutual information for clustering comparisons: one step further
in adjustment for chance, ICML, 1143-1151.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import UndefinedStatisticError
from adjudge.kernels.elementary import exponentials, logarithms_of_one_plus

# Most pairs of counts that are visited, which takes a few seconds.
_MOST_PAIRS = 5e7
# Calls for a pair of cells take as long as this many more counts in each.
_OVERHEAD = 45
# Counts farther than this many standard deviations from their mean are left out.
_REACH = 10
# A variance this small relative to that of the cells is a rounding error.
_ROUNDING = 1e-11


def variance_of_mutual_information(row_sums: Ints, col_sums: Ints, n: int) -> float:
    """Return the variance of the mutual information in squared nats; exactly 0 if all tables have the same one.

    Parameters
    ----------
    row_sums, col_sums : ndarray of int64
        Cluster sizes.
    n : int

    Raises
    ------
    UndefinedStatisticError
        If it would take longer than a few seconds.
    """
    r, c = len(row_sums), len(col_sums)
    if min(r, c) == 1:
        return 0.0
    # Cells of equal sizes are alike. The smaller side comes first, so that swapping the partitions changes nothing.
    sides = (np.unique(sums, return_counts=True) for sums in (row_sums, col_sums))
    (a, of_a), (b, of_b) = sorted(sides, key=lambda side: (side[0].size, side[0].tolist(), side[1].tolist()))
    work = np.inf
    if a.size * b.size < _MOST_PAIRS / _OVERHEAD**2:
        visited = np.minimum(np.minimum.outer(a, b), 2.0 * _reach(n, a[:, None], b)) + _OVERHEAD
        work = float((visited.sum(axis=1) ** 2).sum() + (visited.sum(axis=0) ** 2).sum())
    if work > _MOST_PAIRS:
        raise UndefinedStatisticError(
            f"the exact variance of the mutual information of {n:,} instances in {r:,} x {c:,} clusters would take "
            "too long"
        )
    total = size = 0.0
    for i, own in enumerate(a.tolist()):
        others = of_a - (np.arange(a.size) == i)
        cells = [_Cell(n, own, col) for col in b.tolist()]
        # The mean of d in the other rows of a column, by what this row has left in it.
        rest = [_of_rest(n, own, a[others > 0], others[others > 0], cell) for cell in cells]
        for j, cell in enumerate(cells):
            times = float(of_a[i] * of_b[j])
            spread = float(cell.share @ cell.off**2)
            size += times * spread
            # In its own column, the cell meets itself and the other rows.
            total += times * (spread + float(cell.share @ (cell.off * rest[j])))
            for k, other in enumerate(cells):
                if pairs := times * float(of_b[k] - (j == k)):
                    total += pairs * float(cell.off @ _both(n, own, cell, other) @ (other.off + rest[k]))
    return 0.0 if total <= _ROUNDING * size else total / n**2


class _Cell:
    """The counts x of a cell that may occur, their probabilities, and d minus its mean."""

    def __init__(self, n: int, row: int, col: int) -> None:
        reach = int(_reach(n, row, col))
        middle = row * col // n
        self.col = col
        self.x = np.arange(max(0, row + col - n, middle - reach), min(row, col, middle + reach) + 1)
        self.share = _hypergeometric(n, row, col, self.x)
        d = _deviance(self.x, row * (col / n))
        self.off = d - float(self.share @ d)


def _reach(n: Any, row: Any, col: Any) -> Any:
    """Return how far from its mean a count may be."""
    return _REACH * np.sqrt(row * (col / n) * (1 - row / n) * (1 - col / n)) + 30


def _log_choose(n: Any, k: Any) -> Floats:
    """Return log C(n, k); -inf if k < 0 or k > n."""
    from scipy.special import gammaln

    possible = (k >= 0) & (k <= n)
    n, k = np.where(possible, n, 0), np.where(possible, k, 0)
    return np.where(possible, gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), -np.inf)


def _hypergeometric(n: Any, row: int, col: Any, x: Any) -> Floats:
    """Return the probabilities of counts along the last axis, which add up to 1."""
    log = _log_choose(col, x) + _log_choose(n - col, row - x)
    share = exponentials(log - log.max(axis=-1, keepdims=True))
    return np.asarray(share / share.sum(axis=-1, keepdims=True))


def _deviance(x: Any, mean: float) -> Floats:
    """Return x log(x / mean) - x + mean."""
    off = x - mean
    return np.where(x > 0, x * logarithms_of_one_plus(np.maximum(off / mean, -1 + 1e-16)) - off, mean)


def _of_rest(n: int, own: int, a: Ints, times: Ints, cell: _Cell) -> Floats:
    """Return the sum over other rows of E[d | x] - E[d] in this column, for each count x of the own row."""
    left, total = cell.col - cell.x[:, None], np.zeros(cell.x.size)
    for row, of_row in zip(a.tolist(), times.tolist(), strict=True):
        # Counts about the mean of each x; others have probability 0.
        reach = int(_reach(n - own, row, left).max())
        y = row * left // (n - own) + np.arange(-reach, reach + 1)
        share = _hypergeometric(n - own, row, left, y)
        total += of_row * (share * _deviance(np.maximum(y, 0), row * (cell.col / n))).sum(axis=1)
    return np.asarray(total - float(cell.share @ total))


def _both(n: int, own: int, cell: _Cell, other: _Cell) -> Floats:
    """Return the joint probabilities of the counts of two cells of a row."""
    x, y = cell.x[:, None], other.x
    log = _log_choose(cell.col, x) + _log_choose(other.col, y)
    log += _log_choose(n - cell.col - other.col, own - x - y)
    share = exponentials(log - log.max())
    return np.asarray(share / share.sum())
