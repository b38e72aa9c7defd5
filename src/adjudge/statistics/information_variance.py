"""The exact variance of the mutual information of two partitions, over all tables with the same cluster sizes.

n I is a sum over cells of d = x log(x / m) - x + m, where x is the count and m its mean: margins fix the sum of the
rest. Rows share out the instances one after another. Given two cells of a row, those of another row are hypergeometric
in what is left, so covariances of cells take two counts at a time (Romano et al. 2014, with sums in another order).

References
----------
Romano, Bailey, Nguyen & Verspoor (2014), Standardized mutual information for clustering comparisons: one step further
in adjustment for chance, ICML, 1143-1151.
Loader (2000), Fast and accurate computation of binomial probabilities (of single terms to full precision).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import UndefinedStatisticError

__all__ = ["variance_of_mutual_information"]

Floats = NDArray[np.float64]

# Most pairs of counts that are visited, which takes about two seconds.
_MOST_PAIRS = 2e7
# Counts farther than this many standard deviations from their mean are left out.
_REACH = 10
# From this standard deviation on, steps of half a standard deviation are enough: sums of a smooth function under a
# bell-shaped law are then exact to 30 digits (trapezoidal rule).
_SMOOTH = 8.0
# A variance this small relative to that of the cells is a rounding error.
_ROUNDING = 1e-11


def variance_of_mutual_information(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64], n: int) -> float:
    """Return the variance of the mutual information in squared nats; exactly 0 if all tables have the same one.

    Parameters
    ----------
    row_sums, col_sums : ndarray of int64
        Cluster sizes.
    n : int

    Raises
    ------
    UndefinedStatisticError
        If it would take longer than about two seconds.
    """
    rows, cols = sorted(row_sums.tolist()), sorted(col_sums.tolist())
    if min(len(rows), len(cols)) == 1:
        return 0.0
    if len(rows) == len(cols) == 2:
        return _of_four_cells(rows, cols, n)
    ways = sorted([(rows, cols), (cols, rows)], key=lambda way: (_work(way[0], way[1], n), way))
    if _work(*ways[0], n=n) > _MOST_PAIRS:
        raise UndefinedStatisticError(
            f"the exact variance of the mutual information of {n:,} instances in {len(rows):,} x {len(cols):,} "
            "clusters would take too long"
        )
    return _variance(tuple(ways[0][0]), tuple(ways[0][1]), n)


def _work(rows: list[int], cols: list[int], n: int) -> float:
    """Return about how many pairs of counts are visited; each pair of distinct sizes has a cost of its own."""
    a = np.unique(np.array(rows))
    b, of_b = np.unique(np.array(cols), return_counts=True)
    work = 2e3 * a.size**2 * b.size
    if work > _MOST_PAIRS:
        return float(work)
    for own in a.tolist():
        visited = [
            min(own + 1, col + 1, 2 * _reach(n, own, col) / step + 1)
            for col, step in zip(b.tolist(), _steps_of_row(n, own, b, of_b), strict=True)
        ]
        work += (sum(visited) + 200) ** 2
    return float(work)


@lru_cache(maxsize=16)
def _variance(rows: tuple[int, ...], cols: tuple[int, ...], n: int) -> float:
    """Sum the covariances of all pairs of cells."""
    a, of_a = (x.astype(np.int64) for x in np.unique(rows, return_counts=True))
    b, of_b = (x.astype(np.int64) for x in np.unique(cols, return_counts=True))
    total = size = 0.0
    for i, own in enumerate(a.tolist()):
        others = of_a - (np.arange(a.size) == i)
        steps = _steps_of_row(n, own, b, of_b)
        cells = [_Cell.of(n, own, col, step) for col, step in zip(b.tolist(), steps, strict=True)]
        # The mean of d in the other rows of a column, by what this row has left in it.
        rest = [_of_rest(n, own, a, others, cell) for cell in cells]
        for j, cell in enumerate(cells):
            times = float(of_a[i] * of_b[j])
            spread = float(cell.share @ cell.off**2)
            size += times * spread
            # In its own column, the cell meets itself and the other rows.
            total += times * (spread + float(cell.share @ (cell.off * rest[j])))
            for k in range(j, len(cells)):
                if pairs := times * float(of_b[k] - (j == k)):
                    other, joint = cells[k], _both(n, own, cell, cells[k])
                    total += pairs * float(cell.off @ joint @ (other.off + rest[k]))
                    if j != k:
                        total += pairs * float((cell.off + rest[j]) @ joint @ other.off)
    return 0.0 if total <= _ROUNDING * size else total / n**2


def _log_binomial(n: Any, k: Any, p: Any) -> Floats:
    """Return log C(n, k) p^k (1 - p)^(n - k) to full precision for any n (Loader 2000); -inf where k is impossible."""
    possible = (k >= 0) & (k <= n)
    n, k = np.maximum(n, 0), np.where(possible, k, 0)
    log = _excess(n) - _excess(k) - _excess(n - k) - _deviance(k, n * p) - _deviance(n - k, n * (1 - p))
    return np.where(possible, log, -math.inf)


def _excess(m: Any) -> Floats:
    """Return log m! - (m log m - m), for m = 0, 1, ..."""
    m = np.asarray(m)
    if m.max(initial=0) < _SMALL.size:
        return np.asarray(_SMALL[m])
    return np.where(m >= 10, _stirling(np.maximum(m, 10)), _SMALL[np.minimum(m, 9)])


def _stirling(m: Any) -> Floats:
    w = 1 / np.square(m, dtype=np.float64)
    return np.asarray(
        0.5 * np.log(2 * math.pi * m)
        + (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / m
    )


_SMALL = np.array(
    [
        0.0,
        *(math.log(math.factorial(m)) - (m * math.log(m) - m) for m in range(1, 10)),
        *_stirling(np.arange(10, 8192)),
    ]
)


def _deviance(x: Any, mean: Any) -> Floats:
    """Return x log(x / mean) - x + mean, without cancellation where x is near its mean."""
    x, mean = np.asarray(x, np.float64), np.maximum(mean, 1e-300)
    off = x - mean
    return np.asarray(
        np.where(x > 0, x * np.log1p(np.maximum(off / mean, -1 + 1e-16)) - off, mean), np.float64
    )


class _Cell:
    """The counts x of a cell that may occur, their probabilities, and d minus its mean."""

    def __init__(self, col: int, x: NDArray[np.int64], share: Floats, off: Floats) -> None:
        self.col, self.x, self.share, self.off = col, x, share, off

    @classmethod
    def of(cls, n: int, row: int, col: int, step: int) -> _Cell:
        x, share = _hypergeometric(n, row, col, step)
        d = _deviance(x, row * (col / n))
        return cls(col, x, share, d - float(share @ d))


def _of_four_cells(rows: list[int], cols: list[int], n: int) -> float:
    """Return the variance for two clusters on each side, where one count gives the others."""
    (a, c), (b, d) = rows, cols
    x, share = _hypergeometric(n, a, b, _step(n, a, b))
    cells = ((a, b, x), (a, d, a - x), (c, b, b - x), (c, d, n - a - b + x))
    total = sum((_deviance(count, row * (col / n)) for row, col, count in cells), np.zeros(x.size))
    variance = float(share @ (total - float(share @ total)) ** 2)
    return 0.0 if variance <= _ROUNDING**2 * float(share @ total**2) else variance / n**2


def _steps_of_row(n: int, own: int, b: NDArray[np.int64], of_b: NDArray[np.int64]) -> list[int]:
    """Return the distances of the counts of a row's cells: with another column known, a count varies less."""
    # Of the other columns the largest, which may be another one of the same size.
    largest = [b[-1] if k < b.size - 1 or of_b[-1] > 1 else b[-2] for k in range(b.size)]
    return [
        _step(n - other, own - round(own * (other / n)), col)
        for col, other in zip(b.tolist(), map(int, largest), strict=True)
    ]


def _deviation(n: int, row: int, col: int) -> float:
    """Return the standard deviation of the count of a cell, or a little more."""
    return math.sqrt(max(row * (col / n) * (1 - row / n) * (1 - col / n), 0.0))


def _step(n: int, row: int, col: int) -> int:
    """Return the distance of the counts of a cell that are visited."""
    deviation = _deviation(n, row, col)
    return max(1, int(deviation / 2)) if deviation >= _SMOOTH else 1


def _reach(n: int, row: int, col: int) -> int:
    """Return how far from its mean a count may be."""
    return int(_REACH * _deviation(n, row, col)) + 30


def _hypergeometric(n: int, row: int, col: int, step: int) -> tuple[NDArray[np.int64], Floats]:
    middle = (row + 1) * (col + 1) // (n + 2)
    reach = _reach(n, row, col) // step * step
    x = np.arange(middle - reach, middle + reach + 1, step)
    x = x[(x >= max(0, row + col - n)) & (x <= min(row, col))]
    # The probability col / n cancels: it keeps the terms small.
    share = np.exp(_log_binomial(row, x, col / n) + _log_binomial(n - row, col - x, col / n))
    return x, np.asarray(share / share.sum(), np.float64)


def _of_rest(n: int, own: int, a: NDArray[np.int64], others: NDArray[np.int64], cell: _Cell) -> Floats:
    """Return the sum over other rows of E[d | x] - E[d] in this column, for each count x of the own row."""
    left, total = cell.col - cell.x, np.zeros(cell.x.size)
    for row, times in zip(a.tolist(), others.tolist(), strict=True):
        if times == 0:
            continue
        ends = int(left.min()), int(left.max())
        step = min(_step(n - own, row, end) for end in ends)
        reach = max(_reach(n - own, row, end) for end in ends) // step * step
        p = left / (n - own)
        y = np.floor(row * p).astype(np.int64)[:, None] + np.arange(-reach, reach + 1, step)
        share = np.exp(
            _log_binomial(row, y, p[:, None]) + _log_binomial(n - own - row, left[:, None] - y, p[:, None])
        )
        d = _deviance(y, row * (cell.col / n))
        total += times * (np.where(share > 0, share * d, 0.0).sum(axis=1) / share.sum(axis=1))
    return np.asarray(total - float(cell.share @ total))


def _both(n: int, own: int, cell: _Cell, other: _Cell) -> Floats:
    """Return the joint probabilities of the counts of two cells of a row."""
    x, y = cell.x[:, None], other.x[None, :]
    p = own / n
    log = _log_binomial(n - cell.col - other.col, own - x - y, p)
    share = np.exp(log + _log_binomial(cell.col, x, p) + _log_binomial(other.col, y, p))
    return np.asarray(share / share.sum())
