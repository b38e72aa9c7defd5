"""A data frame of Dask whose columns come to the client when they are named, and whose rows when they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable
from adjudge.tables.frames import Frame

__all__ = ["DaskColumns"]

Ints = NDArray[np.int64]


class DaskColumns(Frame):
    """The columns that a verb reads of a Dask data frame.

    Parameters
    ----------
    native : dask.dataframe.DataFrame
    called : str
        What errors call it.
    wanted : iterable of str
        See :meth:`want`; other columns are read when they are named.
    """

    def __init__(self, native: Any, called: str, wanted: Iterable[Any] = ()) -> None:
        super().__init__(FrameTable.of(native), called)
        self._wanted: list[Any] = []
        self._read: dict[Any, Any] = {}
        self.want(wanted)

    def want(self, names: Iterable[Any]) -> None:
        """Read these columns, if they are there, in one pass as soon as any is read."""
        self._wanted += [name for name in names if name in self.frame.own_names]

    def series(self, name: Any) -> Any:
        """Return a column."""
        if name not in self._read:
            names = list(dict.fromkeys([name, *(own for own in self._wanted if own not in self._read)]))
            frame = self.frame.frame.select(*self.frame.own(names)).collect()
            self._read |= {one: frame[own] for one, own in zip(names, self.frame.own(names), strict=True)}
        return self._read[name]

    def shown(self, names: Sequence[Any]) -> Any:
        """Return a data frame with columns to show beside labels."""
        return self.frame.given_back(self.frame.frame.select(*self.frame.own(names)).collect())

    def rows(self, positions: Ints) -> dict[str, Any]:
        """Return some rows with all columns, which are read again."""
        import pandas as pd

        rows = self.frame.frame.native
        edges = np.concatenate([[0], np.cumsum(rows.map_partitions(len).compute())])
        parts = [rows._meta]
        order: list[Ints] = [np.empty(0, np.int64)]
        for i in range(rows.npartitions):
            own = np.flatnonzero((edges[i] <= positions) & (positions < edges[i + 1]))
            if own.size:
                places = (positions[own] - edges[i]).tolist()
                parts.append(rows.partitions[i].map_partitions(_taken, places, meta=rows._meta).compute())
                order.append(own)
        found = pd.concat(parts[1:] or parts).iloc[np.argsort(np.concatenate(order))]
        return {name: found[own].tolist() for name, own in self.frame.own_names.items()}


def _taken(part: Any, places: list[int]) -> Any:
    return part.iloc[places]
