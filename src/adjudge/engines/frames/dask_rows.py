"""Rows of a Dask data frame, with the methods that these engines call on narwhals' lazy frames.

narwhals is dropping its own support for Dask. A partition is a pandas data frame, so narwhals' expressions still work
on the rows of each; what crosses partitions is left to Dask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["DaskRows"]

_METHODS = {"len": "size"}


@dataclass(frozen=True)
class DaskRows:
    """A lazy frame.

    Attributes
    ----------
    native : dask.dataframe.DataFrame
    """

    native: Any

    def to_native(self) -> Any:
        """Return the Dask data frame."""
        return self.native

    def lazy(self) -> DaskRows:
        """Return itself."""
        return self

    def collect(self) -> Any:
        """Return the rows as a narwhals DataFrame."""
        import narwhals as nw

        return nw.from_native(self.native.compute())

    def collect_schema(self) -> Any:
        """Return the narwhals types of the columns."""
        import narwhals as nw

        return nw.from_native(self.native._meta).schema

    def select(self, *columns: Any, **named: Any) -> DaskRows:
        """Keep these columns or expressions of columns; plain columns are the only ones that files are read for."""
        if not named and all(isinstance(own, str) for own in columns):
            return DaskRows(self.native[list(columns)])
        return self._each(lambda part: part.select(*columns, **named))

    def with_columns(self, **named: Any) -> DaskRows:
        """Add expressions of columns."""
        return self._each(lambda part: part.with_columns(**named))

    def rename(self, names: Mapping[str, str]) -> DaskRows:
        """Rename columns."""
        return self._each(lambda part: part.rename(dict(names)))

    def filter(self, *conditions: Any) -> DaskRows:
        """Keep the rows for which all conditions hold."""
        return self._each(lambda part: part.filter(*conditions))

    def unpivot(self, on: Sequence[str], **options: Any) -> DaskRows:
        """Stack columns on top of each other."""
        return self._each(lambda part: part.unpivot(on, **options))

    def join(self, small: Any, on: str) -> DaskRows:
        """Join each partition with an eager narwhals frame."""
        return self._each(lambda part: part.join(small, on=on))

    def head(self, n: int) -> DaskRows:
        """Keep the first `n` rows."""
        return DaskRows(self.native.head(n, npartitions=-1, compute=False))

    def aggregate(self, keys: Sequence[str], aggregates: Mapping[str, tuple[str, str]]) -> DaskRows:
        """Group the rows, including those with a null key; `aggregates` gives the method and column of each result."""
        groups = self.native.groupby(list(keys), dropna=False, observed=True)
        named = {name: (column, _METHODS.get(how, how)) for name, (how, column) in aggregates.items()}
        return DaskRows(groups.agg(**named).reset_index())

    def _each(self, work: Callable[[Any], Any]) -> DaskRows:
        meta = _on_partition(self.native._meta, work)
        return DaskRows(self.native.map_partitions(_on_partition, work, meta=meta))


def _on_partition(part: Any, work: Callable[[Any], Any]) -> Any:
    import narwhals as nw

    return work(nw.from_native(part)).to_native()
