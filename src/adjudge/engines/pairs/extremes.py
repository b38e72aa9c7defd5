"""Smallest and largest distances between clusters, by matrix products, which tell the pairs to be measured.

A squared distance from products is off by at most `bound` times the sum of the two squared lengths. Only pairs that may
still be extreme are measured by explicit differences, so that extremes have the digits of explicit differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Tables
from adjudge.engines.pairs.strips import Meeting
from adjudge.kernels.extremes import find_candidates, squares_of_pairs

__all__ = ["CompiledFilter", "ExtremePairs", "Extremes", "error_bound"]

Floats = NDArray[Any]
Ints = NDArray[np.int64]

# Pairs that are measured at a time.
_MEASURED = 2048


def error_bound(p: int, dtype: np.dtype[Any]) -> float:
    """Return the error of a squared distance from products, as a fraction of the sum of the two squared lengths.

    Sums of p products of rounded numbers are off by at most about p u of the lengths, for the product and for both
    squares; centring, completing, adding the bound, and the explicit sum itself add a few units.
    """
    return float(dtype.type(4 * (p + 24) * np.finfo(dtype).eps / 2))


class ExtremePairs(NamedTuple):
    """Pairs of points that may be the closest, or the farthest, of two clusters.

    Attributes
    ----------
    lows, highs : ndarray
        Lower, or upper, bounds of the squared distance of each pair.
    low_pairs, high_pairs : ndarray of int64
        The place of each pair in the block, counted row by row.
    """

    lows: Floats
    low_pairs: Ints
    highs: Floats
    high_pairs: Ints


class Filter(Protocol):
    """Finds candidates in a block of squared distances."""

    def __call__(
        self,
        distances: Any,
        errors: tuple[Any, Any],
        row_cluster: Ints,
        bounds: Ints,
        offset: int,
        diagonal: int,
        extremes: tuple[Floats, Floats],
    ) -> ExtremePairs:
        """See `find_candidates`; `extremes` are least and most, which are tightened."""
        ...


class CompiledFilter:
    """Finds candidates by a compiled loop, in a buffer that is allocated once."""

    def __init__(self) -> None:
        self._room: tuple[Floats, Ints, Floats, Ints] | None = None

    def __call__(
        self,
        distances: Floats,
        errors: tuple[Floats, Floats],
        row_cluster: Ints,
        bounds: Ints,
        offset: int,
        diagonal: int,
        extremes: tuple[Floats, Floats],
    ) -> ExtremePairs:
        """See `Filter`."""
        if self._room is None or self._room[0].size < distances.size:
            n = distances.size
            self._room = np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n, np.int64)
        lows, low_pairs, highs, high_pairs = self._room
        n_low, n_high = find_candidates(
            distances, *errors, row_cluster, bounds, offset, diagonal, *extremes, *self._room
        )
        return ExtremePairs(lows[:n_low], low_pairs[:n_low], highs[:n_high], high_pairs[:n_high])


class Extremes:
    """The extremes of one meeting, block of products by block.

    Parameters
    ----------
    meeting : Meeting
    bound : float
        See `error_bound`.
    rooted : bool
        Whether the tables hold distances; otherwise squared ones.
    exact_rows : callable
        From sorted positions to points in double precision, as tiles hold them.
    find : Filter
    """

    def __init__(
        self, meeting: Meeting, bound: float, rooted: bool, exact_rows: Callable[[Ints], Floats], find: Filter
    ) -> None:
        self._meeting, self._bound, self._rooted, self._exact_rows = meeting, bound, rooted, exact_rows
        self._find = find
        clusters = meeting.rows.k, meeting.columns.k
        self._least, self._most = np.full(clusters, np.inf), np.full(clusters, -np.inf)

    def add(
        self,
        distances: Any,
        row_squares: Any,
        column_squares: Any,
        row_cluster: Ints,
        first: int,
        start: int,
        tables: Tables,
    ) -> None:
        """Add a block of squared distances; its first row and column are counted within their strips."""
        meeting = self._meeting
        least, most = self._least.copy(), self._most.copy()
        found = self._find(
            distances,
            (self._bound * row_squares, self._bound * column_squares),
            row_cluster,
            meeting.columns.bounds,
            start,
            first - start if meeting.diagonal else -1,
            (least, most),
        )
        for values, pairs, known, best, table, extend, sign in (
            (found.lows, found.low_pairs, least, self._least, tables.least, np.minimum, 1),
            (found.highs, found.high_pairs, most, self._most, tables.most, np.maximum, -1),
        ):
            i, j = np.divmod(pairs, distances.shape[1])
            place = row_cluster[i], np.searchsorted(meeting.columns.bounds, start + j, "right") - 1
            left = sign * values <= sign * known[place]
            own, other = place[0][left], place[1][left]
            exact = self._measured(first + i[left], start + j[left])
            extend.at(best, (own, other), exact)
            extend.at(table, (own, other), np.sqrt(exact) if self._rooted else exact)

    def _measured(self, rows: Ints, columns: Ints) -> Floats:
        """Return squared distances by explicit differences."""
        meeting, exact = self._meeting, np.empty(rows.size)
        for first in range(0, rows.size, _MEASURED):
            some = slice(first, first + _MEASURED)
            exact[some] = squares_of_pairs(
                self._exact_rows(meeting.rows.start + rows[some]),
                self._exact_rows(meeting.columns.start + columns[some]),
            )
        return exact
