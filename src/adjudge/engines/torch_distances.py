"""The distance pass in PyTorch, on a GPU or on the CPU.

Distances come from explicit differences in double precision; sums in many dimensions come from products, which also
tell which pairs may be the closest or the farthest: these are then measured.
Results equal those of the compiled kernels except in the last digits, since square roots and sums round differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Tables, TiledPoints, Wanted
from adjudge.engines.pairs.extremes import ExtremePairs, Extremes, error_bound
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.products import CLOSE, ProductPoints
from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.engines.pairs.tiles import Tiles

__all__ = ["TorchPoints", "TorchProducts"]

Floats = NDArray[np.float64]

# Entries of a block of distances, which on a CPU stays in the cache, and on a GPU keeps all cores busy.
_CPU_BLOCK = 1 << 16
_GPU_BLOCK = 1 << 24
# Rows and columns of a block of products.
_CPU_PRODUCTS = 256, 1024
_GPU_PRODUCTS = 4096, 4096
# Coordinates of points that are sent, or measured again, at a time.
_SENT = 1 << 22


@dataclass(frozen=True, eq=False)
class TorchPoints(TiledPoints):
    """Distances whose sums, extremes and histogram PyTorch computes.

    Attributes
    ----------
    device : torch.device
    points : torch.Tensor of shape (p, n)
        Sorted, on the device.
    """

    device: Any = None
    points: Any = None
    in_threads: bool = False

    @classmethod
    def on(cls, device: Any, tiled: TiledPoints) -> TorchPoints:
        """Copy tiled points to a device."""
        import torch

        tiles, strips = tiled.tiles, tiled.strips
        assert isinstance(tiles, Tiles)
        points = torch.empty((tiles.values.shape[1], strips.order.size), dtype=torch.float64, device=device)
        start = 0
        for tile, width in zip(tiles.values, tiles.widths.tolist(), strict=True):
            points[:, start : start + width] = torch.from_numpy(tile[:, :width])
            start += width
        in_threads = device.type == "cpu"
        return cls(strips, tiles, tiled.squared, device=device, points=points, in_threads=in_threads)

    def block_shape(self, n_columns: int) -> tuple[int, int]:
        """Return how many rows and columns are computed at a time."""
        block = _CPU_BLOCK if self.device.type == "cpu" else _GPU_BLOCK
        width = max(1, min(n_columns, block))
        return max(1, block // width), width

    def meet(self, meeting: Meeting, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Sweepable`."""
        return _Meeting(self, meeting, wanted, histogram).tables()

    def squares(self, rows: slice, columns: slice) -> Any:
        """Return squared distances, summed over the dimensions in order."""
        total = None
        for values in self.points:
            difference = values[rows, None] - values[None, columns]
            difference *= difference
            total = difference if total is None else total.add_(difference)
        return total


@dataclass(frozen=True, eq=False)
class TorchProducts:
    """Distances whose sums come from products that PyTorch computes.

    Attributes
    ----------
    strips : Strips
    squared : bool
        Whether the products give squared distances.
    device : torch.device
    points : torch.Tensor of shape (n, p)
        Centred and sorted, on the device, in the precision of the products.
    lengths : torch.Tensor of shape (n,)
        Squared.
    close : float
        A squared distance that is a smaller fraction than this of the squared lengths is computed again.
    exact_rows : callable
        See `Extremes`.
    in_threads : bool
    """

    strips: Strips
    squared: bool
    device: Any
    points: Any
    lengths: Any
    close: float
    exact_rows: Callable[[NDArray[np.int64]], Floats]
    in_threads: bool

    @classmethod
    def on(cls, device: Any, products: ProductPoints) -> TorchProducts:
        """Copy points to a device."""
        import torch

        lengths = torch.from_numpy(products.squares).to(device)
        n, p = products.points.shape
        if products.kept is not None:
            points = torch.from_numpy(products.kept).to(device)
        else:
            points = torch.empty((n, p), dtype=lengths.dtype, device=device)
            step = max(1, _SENT // p)
            for first in range(0, n, step):
                some = slice(first, min(first + step, n))
                points[some] = torch.from_numpy(products.rows(some))
        close = CLOSE[products.precision]
        on_cpu = device.type == "cpu"
        rows = products.exact_rows
        return cls(products.strips, products.squared, device, points, lengths, close, rows, on_cpu)

    def block_shape(self, n_columns: int) -> tuple[int, int]:
        """Return how many rows and columns are computed at a time."""
        return _CPU_PRODUCTS if self.device.type == "cpu" else _GPU_PRODUCTS

    def meet(self, meeting: Meeting, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Sweepable`."""
        return _Meeting(self, meeting, wanted, histogram).tables()

    def extremes(self, meeting: Meeting, wanted: Wanted) -> Extremes:
        """Return an object that finds the closest and farthest points in the products of a meeting."""
        bound = error_bound(self.points.shape[1], self.squares_type)
        return Extremes(meeting, bound, self.squared and wanted.sums, self.exact_rows, _candidates)

    @property
    def squares_type(self) -> np.dtype[Any]:
        """Precision of the products, as NumPy knows it."""
        return np.dtype(str(self.lengths.dtype).removeprefix("torch."))

    def squares(self, rows: slice, columns: slice) -> Any:
        """Return squared distances in double precision; those that lost digits are computed again."""
        import torch

        left, right = self.points[rows], self.points[columns]
        together = self.lengths[rows, None] + self.lengths[None, columns]
        found = torch.addmm(together, left, right.T, alpha=-2)
        i, j = torch.nonzero(found < self.close * together, as_tuple=True)
        found = found.to(torch.float64)
        step = max(1, _SENT // self.points.shape[1])
        for first in range(0, i.numel(), step):
            some = slice(first, first + step)
            differences = left[i[some]].to(torch.float64) - right[j[some]]
            found[i[some], j[some]] = (differences * differences).sum(dim=1)
        return found


class _Meeting:
    """One meeting of two strips, block by block."""

    def __init__(
        self, of: TorchPoints | TorchProducts, meeting: Meeting, wanted: Wanted, histogram: Histogram | None
    ) -> None:
        import torch

        self._torch = torch
        self._of, self._meeting, self._wanted, self._histogram = of, meeting, wanted, histogram
        self._rooted = of.squared and (wanted.sums or histogram is not None)
        self._empty = Tables.of(meeting, wanted)
        self._on_device: Any = Tables(
            **{name: torch.from_numpy(table).to(of.device) for name, table in vars(self._empty).items()}
        )
        self._row_codes = meeting.row_clusters
        sizes = torch.from_numpy(np.diff(meeting.columns.bounds)).to(of.device)
        self._row_cluster = torch.from_numpy(self._row_codes).to(of.device)
        self._column_cluster = torch.repeat_interleave(sizes)
        self._bins = 0 if histogram is None else histogram.within.size
        self._counts = torch.zeros(2 * self._bins, dtype=torch.int64, device=of.device)
        self._products = of if isinstance(of, TorchProducts) and wanted.extremes else None
        self._extremes = None if self._products is None else self._products.extremes(meeting, wanted)

    def tables(self) -> Tables:
        meeting = self._meeting
        n_columns = meeting.last - 1 if meeting.diagonal else meeting.columns.size
        height, width = self._of.block_shape(n_columns)
        for first in range(0, meeting.last - meeting.first, height):
            last = min(first + height, meeting.last - meeting.first)
            # Within their own strip, rows are compared only with earlier columns.
            stop = meeting.first + last - 1 if meeting.diagonal else n_columns
            for start in range(0, stop, width):
                self._add(first, last, start, min(start + width, stop))
        if self._histogram is not None:
            between, within = self._counts.cpu().numpy().reshape(2, self._bins).astype(np.uint32)
            self._histogram.add(within, between)
        found = Tables(**{name: table.cpu().numpy() for name, table in vars(self._on_device).items()})
        if self._extremes is None:
            return found
        return replace(found, least=self._empty.least, most=self._empty.most)

    def _add(self, first: int, last: int, start: int, stop: int) -> None:
        torch, meeting, tables, wanted = self._torch, self._meeting, self._on_device, self._wanted
        rows = slice(meeting.rows.start + meeting.first + first, meeting.rows.start + meeting.first + last)
        columns = slice(meeting.columns.start + start, meeting.columns.start + stop)
        distances = self._of.squares(rows, columns)
        if self._extremes is not None and self._products is not None:
            lengths = self._products.lengths
            squares = lengths[rows].to(torch.float64), lengths[columns].to(torch.float64)
            own = self._row_codes[first:last]
            self._extremes.add(distances, *squares, own, meeting.first + first, start, self._empty)
        if self._rooted:
            distances.sqrt_()
        met = None
        if meeting.diagonal and stop > meeting.first + first:
            positions = torch.arange(meeting.first + first, meeting.first + last, device=self._of.device)
            met = torch.arange(start, stop, device=self._of.device)[None, :] < positions[:, None]
        if self._histogram is not None:
            self._count(distances, met, slice(first, last), slice(start, stop))
        high = distances if met is None else distances.masked_fill(~met, 0.0)
        low = distances if met is None else distances.masked_fill(~met, torch.inf)
        row_clusters, column_clusters = self._row_cluster[first:last], self._column_cluster[start:stop]
        if wanted.sums:
            tables.row_sums[:, first:last] += _by_cluster(high, column_clusters, meeting.columns.k).T
            tables.column_sums[:, start:stop] += _by_cluster(high.T, row_clusters, meeting.rows.k).T
        of_columns = list(_runs(meeting.columns, start, stop))
        of_rows = list(_runs(meeting.rows, meeting.first + first, meeting.first + last))
        if wanted.minima:
            for cluster, part in of_columns:
                _extend(torch.minimum, tables.row_least[cluster, first:last], low[:, part].amin(dim=1))
            for cluster, part in of_rows:
                _extend(torch.minimum, tables.column_least[cluster, start:stop], low[part].amin(dim=0))
        if wanted.extremes and self._extremes is None:
            for g, some in of_rows:
                for h, part in of_columns:
                    _extend(torch.minimum, tables.least[g, h], low[some, part].amin())
                    _extend(torch.maximum, tables.most[g, h], high[some, part].amax())

    def _count(self, distances: Any, met: Any, rows: slice, columns: slice) -> None:
        assert self._histogram is not None
        bins = (distances * self._histogram.scale).to(self._torch.int64)
        if not self._meeting.is_between:
            own = self._row_cluster[rows, None] + self._meeting.shift
            bins += (own == self._column_cluster[None, columns]) * self._bins
        if met is not None:
            bins = bins[met]
        self._counts += self._torch.bincount(bins.reshape(-1), minlength=2 * self._bins)


def _extend(join: Any, table: Any, found: Any) -> None:
    join(table, found, out=table)


def _candidates(
    distances: Any,
    errors: tuple[Any, Any],
    row_cluster: NDArray[np.int64],
    bounds: NDArray[np.int64],
    offset: int,
    diagonal: int,
    extremes: tuple[Floats, Floats],
) -> ExtremePairs:
    """Find candidates on the device; see `Filter`."""
    import torch

    least, most = extremes
    n_rows, n_columns = distances.shape
    low = distances - errors[0][:, None] - errors[1][None, :]
    high = distances + errors[0][:, None] + errors[1][None, :]
    met = None
    if 0 <= diagonal < n_columns:
        ends = diagonal + torch.arange(n_rows, device=distances.device)
        met = torch.arange(n_columns, device=distances.device)[None, :] < ends[:, None]
    found: tuple[list[Any], list[Any]] = [], []
    edges = [0, *(np.flatnonzero(np.diff(row_cluster)) + 1).tolist(), n_rows]
    first = int(np.searchsorted(bounds, offset, "right")) - 1
    last = int(np.searchsorted(bounds, offset + n_columns, "left"))
    for top, bottom in pairwise(edges):
        own = int(row_cluster[top])
        for c in range(first, last):
            left, right = max(0, int(bounds[c]) - offset), min(n_columns, int(bounds[c + 1]) - offset)
            part = slice(top, bottom), slice(left, right)
            corner = top * n_columns + left
            is_met = None if met is None else met[part]
            sides = [(1, low[part], high[part], least), (-1, -high[part], -low[part], -most)]
            for sign, best, worst, known in sides if diagonal < 0 or c != own else sides[1:]:
                if is_met is not None:
                    best, worst = (side.masked_fill(~is_met, torch.inf) for side in (best, worst))
                bound = min(float(known[own, c]), float(worst.amin()))
                if (sign > 0 and known[own, c] == 0.0) or bound == np.inf:
                    continue
                (least if sign > 0 else most)[own, c] = sign * bound
                i, j = torch.nonzero(best <= bound, as_tuple=True)
                found[sign < 0].append((sign * best[i, j], corner + i * n_columns + j))
    return ExtremePairs(*_on_host(found[0]), *_on_host(found[1]))


def _on_host(found: list[tuple[Any, Any]]) -> tuple[Floats, NDArray[np.int64]]:
    """Copy values and places to host memory."""
    values, places = (
        [x.cpu().numpy() for x in some] for some in (zip(*found, strict=True) if found else ((), ()))
    )
    return np.concatenate([np.empty(0), *values]), np.concatenate([np.empty(0, np.int64), *places])


def _by_cluster(values: Any, clusters: Any, k: int) -> Any:
    """Sum the columns of each cluster."""
    if k == 1:
        return values.sum(dim=1, keepdim=True)
    import torch

    return values @ torch.nn.functional.one_hot(clusters, k).to(torch.float64)


def _runs(strip: Strip, first: int, last: int) -> Iterator[tuple[int, slice]]:
    """Yield the clusters of some positions of a strip, each with its slice of them."""
    bounds = strip.bounds
    c = int(np.searchsorted(bounds, first, "right")) - 1
    start = first
    while start < last:
        end = min(int(bounds[c + 1]), last)
        yield c, slice(start - first, end - first)
        start, c = end, c + 1
