"""Sources of distances, and the reduction of one meeting's distances to tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.engines.pairs.tiles import TilesOfStrips, aligned_zeros
from adjudge.kernels.metric_tiles import EUCLIDEAN
from adjudge.kernels.pair_tiles import ALIGNMENT, ROWS, meet

__all__ = [
    "DistanceSource",
    "Operands",
    "Portioned",
    "Sweepable",
    "Swept",
    "Tables",
    "TiledPoints",
    "Wanted",
    "given_operands",
    "operands_of",
    "weights_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NO_DISTANCES = np.empty((0, 0))
_NO_BINS = np.empty(0, np.uint32)
_NO_WEIGHTS = np.empty(0), np.empty(0)
_GIVEN_TILE = 1024
_NO_TILES = np.empty((0, 2, _GIVEN_TILE))


class Sweepable(Protocol):
    """Distances that a pass sweeps over."""

    @property
    def strips(self) -> Strips:
        """The order of the points."""
        ...

    @property
    def squared(self) -> bool:
        """Whether the kernels have to take square roots."""
        ...

    @property
    def in_threads(self) -> bool:
        """Whether several meetings may be held at the same time."""
        ...

    def meet(self, meeting: Meeting, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """Reduce the distances of a meeting to tables, and count them in its histogram."""
        ...


@runtime_checkable
class Portioned(Protocol):
    """Distances, or their tiles, that another machine can compute from the points of the strips that it needs."""

    def of_strip(self, strip: Strip) -> Any:
        """Return the points of a strip in the form in which they are sent, or where to read them."""
        ...

    def emptied(self) -> Any:
        """Return a copy without points."""
        ...

    def joining(self, strips: Sequence[tuple[Strip, Any]]) -> Any:
        """Return a copy with the points of some strips."""
        ...


class DistanceSource(Sweepable, Protocol):
    """Distances for the compiled loops: computed in the kernel from tiles, or given block by block."""

    @property
    def kind(self) -> tuple[int, int]:
        """Which distance the tiles are for, and the number of variables, as the kernels take them."""
        ...

    def operands(self, meeting: Meeting) -> tuple[Floats, Floats, Ints, Floats]:
        """Return rows, tiles and widths of the columns, and given distances, as the kernels take them."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What meetings find: sums, extremes of pairs of clusters, and the least of points; and what weighs the sums.

    Attributes
    ----------
    sums, extremes, minima : bool
    overall : bool
        Whether clusters are told apart only within a strip, and where two strips share one.
    weights : ndarray of shape (n,), SomeRows or None
        Of the points, sorted.
    """

    sums: bool = False
    extremes: bool = False
    minima: bool = False
    overall: bool = False
    weights: Any = None


@dataclass
class Tables:
    """What the distances of one meeting add to the tables of both strips.

    Attributes
    ----------
    row_sums, row_least : ndarray of shape (clusters of the columns, rows)
    column_sums, column_least : ndarray of shape (clusters of the rows, columns or more)
    least, most : ndarray of shape (clusters of the rows, clusters of the columns)
        Extreme distances of two clusters.
    """

    row_sums: Floats
    column_sums: Floats
    least: Floats
    most: Floats
    row_least: Floats
    column_least: Floats

    @classmethod
    def of(cls, meeting: Meeting, wanted: Wanted) -> Tables:
        """Make the wanted tables, before any distance is seen."""
        n, g, h, nothing = meeting.last - meeting.first, meeting.rows, meeting.columns, np.empty((0, 0))
        return cls(
            row_sums=np.zeros((h.k, n)) if wanted.sums else nothing,
            column_sums=_columns(g.k, h.size, 0.0) if wanted.sums else nothing,
            least=np.full((g.k, h.k), np.inf) if wanted.extremes else nothing,
            most=np.zeros((g.k, h.k)) if wanted.extremes else nothing,
            row_least=np.full((h.k, n), np.inf) if wanted.minima else nothing,
            column_least=_columns(g.k, h.size, np.inf) if wanted.minima else nothing,
        )


def _columns(k: int, n: int, fill: float) -> Floats:
    # Rows of whole cache lines, the last of which may be added to beyond its end.
    table = aligned_zeros((k, n + -n % ALIGNMENT + ALIGNMENT))
    if fill:
        table[:] = fill
    return table


class Swept:
    """Distances that the compiled kernel reduces."""

    in_threads: bool = True
    kind: tuple[int, int] = (EUCLIDEAN, 0)

    def meet(self: DistanceSource, meeting: Meeting, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Sweepable`."""
        tables = Tables.of(meeting, wanted)
        counts = (_NO_BINS, _NO_BINS) if histogram is None else (histogram.within, histogram.between)
        scale = 0.0 if histogram is None else histogram.scale
        weights = _NO_WEIGHTS if wanted.weights is None else weights_of(wanted.weights, meeting)
        arrays = (
            tables.row_sums,
            tables.column_sums,
            tables.least,
            tables.most,
            tables.row_least,
            tables.column_least,
        )
        meet(*operands_of(self, meeting), arrays, weights, scale, counts)
        return tables


@dataclass(frozen=True, eq=False)
class TiledPoints(Swept):
    """Distances by explicit differences: Euclidean, their squares, or others that the kernels compute."""

    strips: Strips
    tiles: TilesOfStrips
    squared: bool = True
    kind: tuple[int, int] = (EUCLIDEAN, 0)

    def of_strip(self, strip: Strip) -> Any:
        """See `Portioned`."""
        assert isinstance(self.tiles, Portioned)
        return self.tiles.of_strip(strip)

    def emptied(self) -> TiledPoints:
        """See `Portioned`."""
        assert isinstance(self.tiles, Portioned)
        return replace(self, strips=self.strips.emptied(), tiles=self.tiles.emptied())

    def joining(self, strips: Sequence[tuple[Strip, Any]]) -> TiledPoints:
        """See `Portioned`."""
        assert isinstance(self.tiles, Portioned)
        return replace(self, tiles=self.tiles.joining(strips))

    def operands(self, meeting: Meeting) -> tuple[Floats, Floats, Ints, Floats]:
        """See `DistanceSource`."""
        rows = self.tiles.rows(meeting.rows, meeting.first, meeting.last)
        tiles, widths = self.tiles.tiles_of(meeting.columns)
        return rows, tiles, widths, _NO_DISTANCES


def given_operands(block: Floats) -> tuple[Floats, Floats, Ints, Floats]:
    """Return the operands of the kernels for given distances."""
    n, m = block.shape
    widths = np.full(-(-m // _GIVEN_TILE), _GIVEN_TILE)
    widths[-1] = m - _GIVEN_TILE * (widths.size - 1)
    return np.empty((-(-n // ROWS) * ROWS, 2)), _NO_TILES, widths, block


Operands = tuple[
    tuple[int, int], bool, tuple[int, int], tuple[Floats, Ints, Floats, Ints, Floats, Ints, Floats]
]


def operands_of(distances: DistanceSource, meeting: Meeting) -> Operands:
    """Return the first arguments of the kernels: a meeting's rows and columns, and their clusters."""
    rows, tiles, widths, given = distances.operands(meeting)
    if meeting.diagonal:
        # Columns from the last row onwards are never visited.
        used = int(np.searchsorted(np.cumsum(widths), meeting.last - 1, "left")) + 1
        tiles, widths = tiles[:used], widths[:used]
    buffer = aligned_zeros((ROWS, tiles.shape[2]))
    groups = rows, meeting.row_clusters, tiles, widths, given, meeting.columns.bounds, buffer
    places = meeting.first if meeting.diagonal else -1, meeting.shift
    return distances.kind, distances.squared, places, groups


def weights_of(weights: Any, meeting: Meeting) -> tuple[Floats, Floats]:
    """Return the weights of the rows and of the columns of a meeting."""
    first = meeting.rows.start
    return weights[first + meeting.first : first + meeting.last], weights[meeting.columns.points]
