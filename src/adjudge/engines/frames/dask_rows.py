"""Rows of a Dask data frame, whose partitions are pandas data frames: narwhals is dropping its own support for Dask."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from adjudge.engines.frames.partitions import Partitions, Work, on_partition

__all__ = ["DaskRows"]

_METHODS = {"len": "size"}
# Statistics of partitions are added up in such groups before they come back.
_TASKS = 8


@dataclass(frozen=True)
class DaskRows(Partitions):
    """A data frame of Dask."""

    native: Any

    def collect(self) -> Any:
        """Return the rows as a narwhals DataFrame."""
        import narwhals as nw

        return nw.from_native(self.native.compute())

    def collect_schema(self) -> Any:
        """Return the narwhals types of the columns."""
        import narwhals as nw

        return nw.from_native(self.native._meta).schema

    def n_rows(self) -> int:
        """Count the rows; Dask's own way may read all columns of what has fewer."""
        return int(self.native.map_partitions(len, meta=("n", int)).sum().compute())

    def some_columns(self, names: list[str]) -> DaskRows:
        """Keep columns; they are the only ones that files are read for."""
        return DaskRows(self.native[names])

    def each(self, work: Work) -> DaskRows:
        """Let a function of a narwhals frame change each partition."""
        meta = on_partition(self.native._meta, work)
        return DaskRows(self.native.map_partitions(on_partition, work, meta=meta))

    def head(self, n: int) -> DaskRows:
        """Keep the first `n` rows; of files, Dask's own way reads all columns."""
        first = self.native.map_partitions(_first, n, meta=self.native._meta)
        return DaskRows(first.head(n, npartitions=-1, compute=False))

    def aggregate(self, keys: Sequence[str], aggregates: Mapping[str, tuple[str, str]]) -> DaskRows:
        """Group the rows, including those with a null key."""
        groups = self.native.groupby(list(keys), dropna=False, observed=True)
        named = {name: (column, _METHODS.get(how, how)) for name, (how, column) in aggregates.items()}
        return DaskRows(groups.agg(**named).reset_index())

    def join(self, small: Any, on: str | Sequence[str]) -> DaskRows:
        """Join each partition with an eager narwhals frame; rows that all have a partner keep their index."""
        joined = partial(_joined, small=small.to_native(), on=on)
        return DaskRows(self.native.map_partitions(joined, meta=joined(self.native._meta)))

    def add_up(self, made: Callable[[Any], Any]) -> Any:
        """Add up a few at a time, with the scheduler of the tables."""
        from dask.delayed import delayed

        parts = [delayed(_of_partition)(part, made) for part in self.native.to_delayed()]
        while len(parts) > 1:
            parts = [delayed(_total)(parts[i : i + _TASKS]) for i in range(0, len(parts), _TASKS)]
        return parts[0].compute()


def _first(part: Any, n: int) -> Any:
    return part.head(n)


def _joined(part: Any, small: Any, on: Any) -> Any:
    found = part.merge(small, on=on)
    return found.set_index(part.index) if len(found) == len(part) else found


def _of_partition(rows: Any, made: Callable[[Any], Any]) -> Any:
    return made(iter([rows])) if len(rows) else None


def _total(parts: Sequence[Any]) -> Any:
    there = [own for own in parts if own is not None]
    return reduce(operator.add, there) if there else None
