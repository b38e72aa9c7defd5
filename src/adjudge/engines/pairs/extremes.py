"""Smallest and largest distances of clusters, by matrix products: these tell which pairs are worth a closer look.

A squared distance from products is off by at most `bound` of the two squared lengths. Only pairs that may be an extreme
in spite of that are measured by explicit differences, so that extremes have the digits of explicit differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Tables
from adjudge.engines.pairs.layout import Task
from adjudge.kernels.extremes import find_candidates, squares_of_pairs

__all__ = ["Extremes", "error_bound"]

Floats = NDArray[Any]
Ints = NDArray[np.int64]

# Pairs that are measured at a time.
_MEASURED = 2048


def error_bound(p: int, dtype: np.dtype[Any]) -> np.floating[Any]:
    """Return by how much a squared distance from products may be off, as a share of the two squared lengths.

    Sums of p products of rounded numbers are off by at most about p u of the lengths, for the product and for both
    squares; centring, completing, adding the bound, and the explicit sum itself add a few units.
    """
    bound: np.floating[Any] = dtype.type(4 * (p + 24) * np.finfo(dtype).eps / 2)
    return bound


class Extremes:
    """The extremes of one task, block of products by block.

    Parameters
    ----------
    task : Task
    bound : float64 or float32
        See `error_bound`.
    rooted : bool
        Whether the tables take distances; otherwise squared ones.
    exact_rows : callable
        From sorted positions to points in double precision, as tiles hold them.
    """

    def __init__(
        self, task: Task, bound: np.floating[Any], rooted: bool, exact_rows: Callable[[Ints], Floats]
    ) -> None:
        self._task, self._bound, self._rooted, self._exact_rows = task, bound, rooted, exact_rows
        clusters = task.rows.k, task.columns.k
        self._least, self._most = np.full(clusters, np.inf), np.full(clusters, -np.inf)
        self._room: tuple[Floats, Ints, Floats, Ints] | None = None

    def add(
        self,
        distances: Floats,
        row_squares: Floats,
        column_squares: Floats,
        row_cluster: Ints,
        first: int,
        start: int,
        tables: Tables,
    ) -> None:
        """Take in a block of squared distances, whose first row and column are counted in their groups."""
        task = self._task
        if self._room is None or self._room[0].size < distances.size:
            n = distances.size
            self._room = np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n, np.int64)
        lows, low_pairs, highs, high_pairs = self._room
        least, most = self._least.copy(), self._most.copy()
        n_low, n_high = find_candidates(
            distances,
            self._bound * row_squares,
            self._bound * column_squares,
            row_cluster,
            task.columns.bounds,
            start,
            first - start if task.diagonal else -1,
            least,
            most,
            lows,
            low_pairs,
            highs,
            high_pairs,
        )
        for values, pairs, known, best, table, extend, sign in (
            (lows[:n_low], low_pairs[:n_low], least, self._least, tables.column_minima, np.minimum, 1),
            (highs[:n_high], high_pairs[:n_high], most, self._most, tables.column_maxima, np.maximum, -1),
        ):
            i, j = np.divmod(pairs, distances.shape[1])
            place = row_cluster[i], np.searchsorted(task.columns.bounds, start + j, "right") - 1
            left = sign * values <= sign * known[place]
            own, other = place[0][left], place[1][left]
            exact = self._measured(first + i[left], start + j[left])
            extend.at(best, (own, other), exact)
            extend.at(table, (own, start + j[left]), np.sqrt(exact) if self._rooted else exact)

    def _measured(self, rows: Ints, columns: Ints) -> Floats:
        """Squared distances by explicit differences."""
        task, exact = self._task, np.empty(rows.size)
        for first in range(0, rows.size, _MEASURED):
            some = slice(first, first + _MEASURED)
            exact[some] = squares_of_pairs(
                self._exact_rows(task.rows.start + rows[some]),
                self._exact_rows(task.columns.start + columns[some]),
            )
        return exact
