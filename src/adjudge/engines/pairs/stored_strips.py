"""Points that workers read themselves, given the location of the file and the rows of their strips."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.strips import Strip, Strips
from adjudge.engines.pairs.tiles import (
    SomeRows,
    TilesOfStrips,
    aligned_zeros,
    tile_columns,
    tile_edges,
    tile_room,
)
from adjudge.given.points_file import Rows, Stored
from adjudge.kernels.pair_tiles import ALIGNMENT

__all__ = ["Prepare", "ReadRows", "ReadTiles", "Reader", "rows_by_strip"]

Floats = NDArray[Any]
Ints = NDArray[np.int64]
Prepare = Callable[[NDArray[Any]], Floats]


class Reader:
    """Reads rows of a file, and caches what is made of them up to a number of bytes; the cache is not pickled.

    Parameters
    ----------
    stored : Stored
    kept : ndarray of int64 of shape (n,) or None
        Which rows are points; None if all are.
    memory_limit : int
    """

    def __init__(self, stored: Stored, kept: Ints | None, memory_limit: int) -> None:
        self._stored, self._kept, self._memory_limit = stored, kept, memory_limit
        self._reset()

    def _reset(self) -> None:
        self._lock = RLock()
        self._rows: Rows | None = None
        self._made: OrderedDict[tuple[str, int], Floats] = OrderedDict()
        self._bytes = 0

    def __getstate__(self) -> dict[str, Any]:
        return {
            "_stored": self._stored,
            "_kept": self._kept,
            "_memory_limit": self._memory_limit,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def emptied(self) -> Reader:
        """Return a reader for rows numbered as in the file."""
        return Reader(self._stored, None, self._memory_limit)

    def in_file(self, points: Ints) -> Ints:
        """Return the rows of the file that hold some points."""
        return points if self._kept is None else self._kept[points]

    def __getitem__(self, points: Any) -> NDArray[Any]:
        """Return some points."""
        return self._open()[points if self._kept is None else self._kept[points]]

    def _open(self) -> Rows:
        with self._lock:
            if self._rows is None:
                self._rows = self._stored.open(self._memory_limit)
            return self._rows

    def made_of(self, name: tuple[str, int], rows: Ints, make: Prepare) -> Floats:
        """Return what is made of some rows of the file, cached or read now."""
        with self._lock:
            found = self._made.get(name)
            if found is None:
                found = make(self._open()[rows])
                self._made[name] = found
                self._bytes += found.nbytes
                # Evict the least recently used; the rows and the columns of a meeting are needed together.
                while self._bytes > self._memory_limit and len(self._made) > 2:
                    self._bytes -= self._made.popitem(last=False)[1].nbytes
            self._made.move_to_end(name)
            return found


def rows_by_strip(reader: Reader, strips: Strips) -> SomeRows:
    """Return the row of the file that holds each point, by sorted position."""
    rows = reader.in_file(strips.order)
    each = strips.each
    return SomeRows(tuple(strip.start for strip in each), tuple(rows[strip.points] for strip in each))


@dataclass(frozen=True, eq=False)
class ReadTiles(TilesOfStrips):
    """Tiles of points that are read when needed.

    Attributes
    ----------
    reader : Reader
    places : SomeRows
        See `rows_by_strip`.
    prepare : callable
        As for `Tiles.of`.
    """

    reader: Reader
    places: SomeRows
    prepare: Prepare

    @classmethod
    def of(cls, reader: Reader, strips: Strips, prepare: Prepare) -> ReadTiles:
        """Lay out points without reading them."""
        return cls(reader, rows_by_strip(reader, strips), prepare)

    def tiles_of(self, strip: Strip) -> tuple[NDArray[np.float64], Ints]:
        """See `TilesOfStrips`."""
        places = self.places[strip.points]
        tiles = self.reader.made_of(("tiles", strip.number), places, self._tiled)
        return tiles, np.diff(tile_edges(strip.size, tiles.shape[2] - ALIGNMENT))

    def _tiled(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        prepared = np.asarray(self.prepare(rows))
        n, p = prepared.shape
        edges = tile_edges(n, tile_columns(p))
        tiles = aligned_zeros((edges.size - 1, p + p % 2, tile_room(p)))
        for t, (start, stop) in enumerate(pairwise(edges)):
            tiles[t, :p, : stop - start] = prepared[start:stop].T
        return tiles

    def of_strip(self, strip: Strip) -> Ints:
        """See `Portioned`: the rows of the file."""
        return self.places[strip.points]

    def emptied(self) -> ReadTiles:
        """See `Portioned`."""
        return replace(self, reader=self.reader.emptied(), places=SomeRows((), ()))

    def joining(self, strips: Sequence[tuple[Strip, Ints]]) -> ReadTiles:
        """See `Portioned`."""
        starts, rows = zip(*((strip.start, rows) for strip, rows in strips), strict=True)
        return replace(self, places=SomeRows(starts, rows))


@dataclass(frozen=True, eq=False)
class ReadRows:
    """Values of points by sorted position, like `SomeRows`, read when needed.

    Attributes
    ----------
    reader : Reader
    places : SomeRows
        See `rows_by_strip`.
    name : str
        Name of what is made of them, for the reader.
    prepare : callable
    """

    reader: Reader
    places: SomeRows
    name: str
    prepare: Prepare

    def __getitem__(self, positions: slice) -> Floats:
        """Return the values of some points of one strip."""
        i = self.places.strip_at(positions.start)
        start = self.places.starts[i]
        values = self.reader.made_of((self.name, start), self.places.values[i], self.prepare)
        return values[positions.start - start : positions.stop - start]

    def emptied(self) -> ReadRows:
        """Return a copy without points."""
        return replace(self, reader=self.reader.emptied(), places=SomeRows((), ()))
