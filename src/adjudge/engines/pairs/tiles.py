"""Coordinates of the sorted points, tile by tile, and values of the points of some strips."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.strips import Strip, Strips
from adjudge.given.arrays import MEMORY_LIMIT, room_for
from adjudge.kernels.pair_tiles import ALIGNMENT, ROWS

__all__ = [
    "SomeRows",
    "SomeTiles",
    "Tiles",
    "TilesOfStrips",
    "aligned_zeros",
    "tile_columns",
    "tile_edges",
    "tile_room",
]

# Bytes of a tile, which stays in the cache next to the processor while all rows pass it, and its columns: each tile
# has a fixed cost.
_IN_CACHE = 1 << 15
_WIDE, _NARROW = 1024, 64
# Coordinates read from a memory map at a time.
_READ = 1 << 21

Ints = NDArray[np.int64]


def aligned_zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return zeros aligned to a cache line."""
    n = int(np.prod(shape))
    room = np.zeros(n + ALIGNMENT)
    skip = -(room.ctypes.data // 8) % ALIGNMENT
    return room[skip : skip + n].reshape(shape)


class TilesOfStrips:
    """Coordinates of the points of strips, tile by tile."""

    def tiles_of(self, strip: Strip) -> tuple[NDArray[np.float64], Ints]:
        """Return tiles and widths of a strip."""
        raise NotImplementedError

    def rows(self, strip: Strip, first: int, last: int) -> NDArray[np.float64]:
        """Return some points of a strip as rows; rows of zeros pad their number to a multiple of `ROWS`."""
        tiles, widths = self.tiles_of(strip)
        n = last - first
        rows = np.zeros((-(-n // ROWS) * ROWS, tiles.shape[1]))
        # All tiles of a strip except the last have the same width.
        width = int(widths[0])
        for t in range(first // width, (last - 1) // width + 1):
            start, stop = max(first, t * width), min(last, (t + 1) * width)
            rows[start - first : stop - first] = tiles[t, :, start - t * width : stop - t * width].T
        return rows


def tile_columns(p: int) -> int:
    """Return the number of columns of a tile in p dimensions."""
    columns = _IN_CACHE // (8 * p)
    return min(max(columns - columns % ALIGNMENT, _NARROW), _WIDE)


def tile_room(p: int) -> int:
    """Return the room for columns of a tile; lines that lie a power of two apart would evict each other from caches."""
    return tile_columns(p) + ALIGNMENT


def tile_edges(size: int, tile: int) -> Ints:
    """Cut the points of a strip into tiles of equal width."""
    # A last tile with few points would cost as much as a full one.
    count = -(-size // tile)
    share = -(-size // count)
    share += -share % ALIGNMENT
    return np.minimum(np.arange(count + 1) * share, size)


@dataclass(frozen=True, eq=False)
class Tiles(TilesOfStrips):
    """Coordinates of the sorted points, tile by tile, dimension by dimension; the dimension is padded to be even.

    Attributes
    ----------
    values : ndarray of shape (tiles, p, columns)
    widths : ndarray of shape (tiles,)
        Points in each tile.
    first : ndarray of shape (strips + 1,)
        First tile of each strip: a tile never straddles two strips.
    """

    values: NDArray[np.float64]
    widths: Ints
    first: Ints

    @classmethod
    def of(
        cls,
        X: NDArray[Any],
        strips: Strips,
        memory_limit: int = MEMORY_LIMIT,
        prepare: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray,
    ) -> Tiles:
        """Copy the points, prepared row by row, in double precision; beyond the memory limit, to a temporary file."""
        p = np.asarray(prepare(X[:1])).shape[1]
        tile = tile_columns(p)
        counts = np.array([-(-strip.size // tile) for strip in strips.each])
        first = np.concatenate([[0], np.cumsum(counts)])
        shape = int(first[-1]), p + p % 2, tile_room(p)
        mapped = isinstance(X, np.memmap)
        # In double precision, points may outgrow the memory that they came in.
        spills = mapped or (X.itemsize < 8 and 8 * int(np.prod(shape, dtype=object)) > memory_limit)
        values = np.asarray(room_for(shape, np.float64, memory_limit)) if spills else aligned_zeros(shape)
        starts: list[Ints] = []
        widths = np.empty(int(first[-1]), np.int64)
        for strip, start, count in zip(strips.each, first, counts, strict=False):
            edges = strip.start + tile_edges(strip.size, tile)
            widths[start : start + count] = np.diff(edges)
            starts.append(edges[:-1])
        if mapped:
            _scatter(X, strips.order, np.concatenate(starts), values, prepare)
        else:
            for t, begin in enumerate(np.concatenate(starts)):
                positions = strips.order[begin : begin + widths[t]]
                values[t, :p, : positions.size] = prepare(X[positions]).T
        return cls(values, widths, first)

    def tiles_of(self, strip: Strip) -> tuple[NDArray[np.float64], Ints]:
        """See `TilesOfStrips`."""
        run = slice(self.first[strip.number], self.first[strip.number + 1])
        return self.values[run], self.widths[run]

    def of_strip(self, strip: Strip) -> tuple[NDArray[np.float64], Ints]:
        """See `Portioned`."""
        return self.tiles_of(strip)

    def emptied(self) -> Tiles:
        """See `Portioned`."""
        return Tiles(self.values[:0], self.widths[:0], self.first[:0])

    def joining(self, strips: Sequence[tuple[Strip, tuple[NDArray[np.float64], Ints]]]) -> SomeTiles:
        """See `Portioned`; nothing is copied."""
        return SomeTiles({strip.number: tiles for strip, tiles in strips})


@dataclass(frozen=True, eq=False)
class SomeTiles(TilesOfStrips):
    """Tiles and widths of some strips, by their numbers."""

    strips: dict[int, tuple[NDArray[np.float64], Ints]]

    def tiles_of(self, strip: Strip) -> tuple[NDArray[np.float64], Ints]:
        """See `TilesOfStrips`."""
        return self.strips[strip.number]


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Values of the points of some strips, by sorted position.

    Attributes
    ----------
    starts : tuple of int
        Where each strip begins.
    values : tuple of ndarray
    """

    starts: tuple[int, ...]
    values: tuple[NDArray[Any], ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        return self.values[0].dtype

    def __getitem__(self, positions: slice) -> NDArray[Any]:
        """Return the values of some points of one strip."""
        i = self.strip_at(positions.start)
        return self.values[i][positions.start - self.starts[i] : positions.stop - self.starts[i]]

    def strip_at(self, position: int) -> int:
        """Return the index of the strip that holds a position."""
        return bisect_right(self.starts, position) - 1


def _scatter(
    X: NDArray[Any],
    order: Ints,
    starts: Ints,
    tiles: NDArray[np.float64],
    prepare: Callable[[NDArray[Any]], NDArray[Any]],
) -> None:
    """Fill tiles that begin at sorted positions, reading the points once in the order of the file."""
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    step = max(1, _READ // X.shape[1])
    for first in range(0, order.size, step):
        positions = place[first : first + step]
        # Of several tiles that begin at the same position, all but the last are empty.
        tile = np.searchsorted(starts, positions, "right") - 1
        prepared = prepare(X[first : first + step])
        tiles[tile, : prepared.shape[1], positions - starts[tile]] = prepared
