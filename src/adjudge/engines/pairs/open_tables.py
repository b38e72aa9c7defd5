"""Tables of the points of each strip against all clusters, open until the strip has met all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Sweepable, Tables, Wanted
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.reducers import Reducer
from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.engines.running.checkpoint import Arrays

__all__ = ["Found", "Meet", "OpenTables", "strips_of_band"]

Floats = NDArray[np.float64]
Counts = tuple[NDArray[np.uint32], NDArray[np.uint32]]
Found = tuple[Tables, Counts | None]

#: How the entries of a table are joined, and what they hold before anything is.
_JOIN = {"sums": np.add, "pair sums": np.add, "near": np.minimum, "least": np.minimum, "most": np.maximum}
_EMPTY = {"sums": 0.0, "pair sums": 0.0, "near": np.inf, "least": np.inf, "most": 0.0}
# Bytes of the tables that are open at the same time. A constant, since digits depend on it.
_MEMORY = 1 << 29


@dataclass(frozen=True, eq=False)
class Meet:
    """Holds one meeting and reduces what it finds; in a thread, or in another process."""

    wanted: Wanted
    histogram: Histogram | None

    def __call__(self, distances: Sweepable, meeting: Meeting) -> Found:
        """Hold the meeting."""
        if self.wanted.overall and meeting.is_between:
            meeting = replace(meeting, rows=meeting.rows.as_one(), columns=meeting.columns.as_one())
        own = None if self.histogram is None else self.histogram.of_meeting()
        tables = distances.meet(meeting, self.wanted, own)
        return tables, None if own is None else (own.within, own.between)


def strips_of_band(strips: Strips, wants: frozenset[str]) -> int:
    """Return of how many strips the tables may be open at the same time."""
    most = max((strip.size for strip in strips.each), default=0)
    by_point = len(wants & {"sums of points", "minima of points"})
    return max(1, _MEMORY // max(1, 8 * most * strips.sizes.size * by_point))


class OpenTables:
    """Joins what meetings find, and gives the tables of a strip to the reducers once it has met all strips.

    Parameters
    ----------
    strips : Strips
    reducers : sequence of Reducer
        Strips are taken in their order.
    by_point : bool
        Whether a reducer wants the sums of points; otherwise those of pairs of clusters are kept.
    histogram : Histogram or None
    weights : ndarray of shape (n,) or None
        Of the points, sorted.
    """

    def __init__(
        self,
        strips: Strips,
        reducers: Sequence[Reducer],
        by_point: bool,
        histogram: Histogram | None = None,
        weights: Floats | None = None,
    ) -> None:
        self.strips, self.reducers, self.histogram = strips, reducers, histogram
        self._by_point, self._weights = by_point, weights
        self._tables: list[Arrays] = [{} for _ in strips.each]
        self._met = np.zeros(len(strips.each), np.int64)

    def add(self, meeting: Meeting, found: Found) -> None:
        """Add the result of the next meeting."""
        tables, counts = found
        if counts is not None and self.histogram is not None:
            self.histogram.add(*counts)
        for strip, other, parts in self._sides(meeting, tables):
            own = self._tables[strip.number]
            for name, part in parts.items():
                if name not in own:
                    own[name] = self._opened(name, part.shape[1])
                lines = own[name][other.clusters]
                _JOIN[name](lines, part, out=lines)
            self._met[strip.number] += 1
            if self._met[strip.number] == len(self.strips.each):
                for reducer in self.reducers:
                    reducer.take(strip, own)
                self._tables[strip.number] = {}

    def _opened(self, name: str, width: int) -> Floats:
        shape, empty = (self.strips.sizes.size, width), _EMPTY[name]
        return np.full(shape, empty) if empty else np.zeros(shape)

    def _sides(self, meeting: Meeting, found: Tables) -> Iterator[tuple[Strip, Strip, Arrays]]:
        """Yield the strips whose tables are open, those that they met, and what is found for their points."""
        g, h = meeting.rows, meeting.columns
        columns = found.column_sums[:, : h.size], found.column_least[:, : h.size]
        rows = found.row_sums, found.row_least
        if meeting.diagonal:
            least, most = np.minimum(found.least, found.least.T), np.maximum(found.most, found.most.T)
            yield g, h, self._named(g, rows[0] + columns[0], np.minimum(rows[1], columns[1]), least, most)
            return
        yield g, h, self._named(g, *rows, found.least.T, found.most.T)
        if meeting.both:
            yield h, g, self._named(h, *columns, found.least, found.most)

    def _named(self, strip: Strip, sums: Floats, *others: Floats) -> Arrays:
        parts = {"sums": sums, **dict(zip(("near", "least", "most"), others, strict=True))}
        if sums.size and not self._by_point:
            del parts["sums"]
            weighed = sums if self._weights is None else sums * self._weights[strip.points]
            parts["pair sums"] = np.add.reduceat(weighed, strip.bounds[:-1], axis=1)
        return {name: part for name, part in parts.items() if part.size}

    def export(self) -> Arrays:
        """See `Resumable`."""
        arrays: Arrays = {"met": self._met}
        for number, tables in enumerate(self._tables):
            arrays |= {_name_of_table(number, name): table for name, table in tables.items()}
        for number, reducer in enumerate(self.reducers):
            arrays |= {_name_of_result(number, name): values for name, values in reducer.arrays.items()}
        if self.histogram is not None:
            arrays |= {"within bins": self.histogram.within, "between bins": self.histogram.between}
        return {name: values.copy() for name, values in arrays.items()}

    def restore(self, saved: Arrays) -> None:
        """See `Resumable`."""
        self._met = saved["met"]
        for number, tables in enumerate(self._tables):
            named = {name: saved.get(_name_of_table(number, name)) for name in _JOIN}
            tables |= {name: table for name, table in named.items() if table is not None}
        for number, reducer in enumerate(self.reducers):
            for name, values in reducer.arrays.items():
                values[...] = saved[_name_of_result(number, name)]
        if self.histogram is not None:
            self.histogram.add(saved["within bins"], saved["between bins"])


def _name_of_table(number: int, name: str) -> str:
    return f"{name} of strip {number}"


def _name_of_result(number: int, name: str) -> str:
    return f"{name} of reducer {number}"
