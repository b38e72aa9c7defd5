"""What the points of each strip found with a cluster, open while more points of the cluster are to come."""

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

__all__ = ["Found", "Meet", "OpenTables"]

Floats = NDArray[np.float64]
Counts = tuple[NDArray[np.uint32], NDArray[np.uint32]]
Found = tuple[Tables, Counts | None]

#: How what is found with parts of a cluster is joined.
_JOIN = {"sums": np.add, "pair sums": np.add, "near": np.minimum, "least": np.minimum, "most": np.maximum}


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


class OpenTables:
    """Gives what meetings find to the reducers, once it is of whole clusters.

    Each strip meets all others in their order, so that a line of its tables, of one cluster, is open at a time: that of
    the cluster of which the next strip has more points.

    Parameters
    ----------
    strips : Strips
    reducers : sequence of Reducer
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
        self._open: list[Arrays] = [{} for _ in strips.each]

    def add(self, meeting: Meeting, found: Found) -> None:
        """Add the result of the next meeting."""
        tables, counts = found
        if counts is not None and self.histogram is not None:
            self.histogram.add(*counts)
        for strip, other, parts in self._sides(meeting, tables):
            is_open, whole = self._open[strip.number], other.k - other.goes_on
            for name, part in parts.items():
                begun = is_open.pop(name, None)
                if begun is not None:
                    part = part.copy()
                    part[0] = _JOIN[name](begun, part[0])
                if other.goes_on:
                    is_open[name] = part[-1].copy()
                parts[name] = part[:whole]
            if whole:
                for reducer in self.reducers:
                    reducer.take(strip, slice(other.first_cluster, other.first_cluster + whole), parts)

    def _sides(self, meeting: Meeting, found: Tables) -> Iterator[tuple[Strip, Strip, Arrays]]:
        """Yield the strips whose tables are open, those that they met, and what is found for their points."""
        g, h = meeting.rows, meeting.columns
        columns = found.column_sums[:, : h.size], found.column_least[:, : h.size]
        rows = found.row_sums, found.row_least
        if meeting.diagonal:
            least, most = np.minimum(found.least, found.least.T), np.maximum(found.most, found.most.T)
            yield g, g, self._named(g, g, rows[0] + columns[0], np.minimum(rows[1], columns[1]), least, most)
            return
        yield g, h, self._named(g, h, *rows, found.least.T, found.most.T)
        yield h, g, self._named(h, g, *columns, found.least, found.most)

    def _named(self, strip: Strip, other: Strip, sums: Floats, near: Floats, *extremes: Floats) -> Arrays:
        parts = {"near": near}
        if self._by_point:
            parts["sums"] = sums
        # Each pair of clusters counts once, with the later one.
        if other.first_cluster < strip.clusters.stop:
            parts |= dict(zip(("least", "most"), extremes, strict=True))
            if sums.size and not self._by_point:
                weighed = sums if self._weights is None else sums * self._weights[strip.points]
                parts["pair sums"] = np.add.reduceat(weighed, strip.bounds[:-1], axis=1)
        return {name: part for name, part in parts.items() if part.size}

    def export(self) -> Arrays:
        """See `Resumable`."""
        arrays: Arrays = {}
        for number, lines in enumerate(self._open):
            arrays |= {_name_of_line(number, name): line for name, line in lines.items()}
        for number, reducer in enumerate(self.reducers):
            arrays |= {_name_of_result(number, name): values for name, values in reducer.arrays.items()}
        if self.histogram is not None:
            arrays |= {"within bins": self.histogram.within, "between bins": self.histogram.between}
        return {name: values.copy() for name, values in arrays.items()}

    def restore(self, saved: Arrays) -> None:
        """See `Resumable`."""
        for number, lines in enumerate(self._open):
            named = {name: saved.get(_name_of_line(number, name)) for name in _JOIN}
            lines |= {name: line for name, line in named.items() if line is not None}
        for number, reducer in enumerate(self.reducers):
            for name, values in reducer.arrays.items():
                values[...] = saved[_name_of_result(number, name)]
        if self.histogram is not None:
            self.histogram.add(saved["within bins"], saved["between bins"])


def _name_of_line(number: int, name: str) -> str:
    return f"{name} of strip {number}"


def _name_of_result(number: int, name: str) -> str:
    return f"{name} of reducer {number}"
