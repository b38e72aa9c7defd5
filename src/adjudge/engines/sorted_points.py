"""Sorted points in tiles, for passes that compare each row with all columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.tiles import aligned_zeros
from adjudge.given.metrics import is_sparse
from adjudge.kernels.pair_tiles import ROWS

__all__ = [
    "HELD",
    "SortedPoints",
    "by_cluster",
    "by_cluster_and_place",
    "finer_ranks",
    "padded_rows",
    "spans",
    "strips",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Not a power of two: lines that lie one apart would evict each other from caches.
_TILE = 520
# Rows whose partial results stay in the cache while all tiles are processed.
_ROWS = 256
#: Distances of a strip, which are held at a time: 16 MiB of doubles.
HELD = 1 << 21


def spans(n: int, step: int = _ROWS) -> Iterator[slice]:
    """Cut n rows into runs."""
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def strips(n: int, columns: int) -> Iterator[slice]:
    """Cut n rows into strips, whose distances to a number of columns are held at a time."""
    return spans(n, max(1, HELD // max(1, columns)))


def by_cluster(codes: Ints) -> tuple[Ints, Ints]:
    """Return the order that sorts points stably by cluster, and where each cluster begins (and the last one ends)."""
    order = np.argsort(codes, kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(codes))])


def by_cluster_and_place(X: Any, codes: Ints) -> tuple[Ints, Ints]:
    """Return the order by cluster, then by coordinates, and where each cluster begins (and the last one ends).

    Parameters
    ----------
    X : ndarray of shape (n, p), or scipy sparse CSR matrix
    codes : ndarray of int64 of shape (n,)
    """
    keys = _entries(X) if is_sparse(X) else (X[:, j] for j in range(X.shape[1]))
    order = np.argsort(finer_ranks(codes, keys), kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(codes))])


def finer_ranks(ranks: Ints, keys: Iterable[NDArray[Any]]) -> Ints:
    """Rank by ranks, then by each key, until all differ; what ties in all of them has one rank."""
    for key in keys:
        order = np.lexsort((key, ranks))
        higher = (np.diff(ranks[order]) != 0) | (np.diff(key[order]) != 0)
        ranks = np.empty_like(ranks)
        ranks[order] = np.concatenate([[0], np.cumsum(higher)])
        if higher.all():
            break
    return ranks


def _entries(X: Any) -> Iterator[NDArray[Any]]:
    """Yield keys that order the rows of a sparse matrix as their coordinates do.

    The next entry of a row is its column and value. An earlier column comes first if the value is negative, since the
    other row has a 0 there, and last if it is positive.
    """
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    sizes = np.diff(X.indptr)
    signed = np.where(X.data > 0, X.shape[1] - X.indices, X.indices - X.shape[1])
    for j in range(int(sizes.max(initial=0))):
        has = sizes > j
        at = X.indptr[:-1][has] + j
        for given in (signed, X.data):
            key = np.zeros(sizes.size, given.dtype)
            key[has] = given[at]
            yield key


def padded_rows(X: NDArray[Any], positions: Ints | slice) -> Floats:
    """Copy some points in double precision, padding rows to a multiple of `ROWS` and variables to an even number."""
    found = X[positions]
    n, p = found.shape
    rows = np.zeros((-(-n // ROWS) * ROWS, p + p % 2))
    rows[:n, :p] = found
    return rows


@dataclass(frozen=True, eq=False)
class SortedPoints:
    """Coordinates of points, row by row and tile by tile; the dimension is padded to be even.

    Attributes
    ----------
    rows : ndarray of shape (n, p)
        The number of rows is padded to a multiple of `ROWS`.
    tiles : ndarray of shape (tiles, p, columns)
    n : int
        Points.
    """

    rows: Floats
    tiles: Floats
    n: int

    @classmethod
    def of(cls, X: NDArray[Any], order: Ints) -> SortedPoints:
        """Copy the points at some positions, in double precision."""
        n, p = order.size, X.shape[1]
        rows = padded_rows(X, order)
        tiles = aligned_zeros((-(-n // _TILE), p + p % 2, _TILE))
        for t in range(tiles.shape[0]):
            part = rows[t * _TILE : min((t + 1) * _TILE, n)]
            tiles[t, :, : part.shape[0]] = part.T
        return cls(rows, tiles, n)

    def run(self, rows: slice) -> Floats:
        """Return the rows of a run that begins at a multiple of `ROWS`, padded to a multiple of it."""
        return self.rows[rows.start : -(-rows.stop // ROWS) * ROWS]

    def buffer(self) -> Floats:
        """Return room for the distances from a few rows to a tile."""
        return aligned_zeros((ROWS, _TILE))
