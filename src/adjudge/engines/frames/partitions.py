"""Rows in partitions, with the methods that these engines call on narwhals' lazy frames.

A partition is a data frame in memory, so narwhals' expressions work on the rows of each; what crosses partitions is
left to the library that has them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

__all__ = ["Partitions", "on_partition"]

Work = Callable[[Any], Any]


class Partitions(ABC):
    """A lazy frame.

    Attributes
    ----------
    native : object
        The frame of the library.
    """

    native: Any

    def to_native(self) -> Any:
        """Return the frame of the library."""
        return self.native

    def lazy(self) -> Self:
        """Return itself."""
        return self

    @abstractmethod
    def collect(self) -> Any:
        """Return the rows as a narwhals DataFrame."""

    @abstractmethod
    def collect_schema(self) -> Any:
        """Return the narwhals types of the columns."""

    @abstractmethod
    def n_rows(self) -> int:
        """Count the rows."""

    @abstractmethod
    def some_columns(self, names: list[str]) -> Self:
        """Keep columns; they are the only ones that files are read for."""

    @abstractmethod
    def each(self, work: Work) -> Self:
        """Let a function of a narwhals frame change each partition."""

    @abstractmethod
    def head(self, n: int) -> Self:
        """Keep the first `n` rows."""

    @abstractmethod
    def aggregate(self, keys: Sequence[str], aggregates: Mapping[str, tuple[str, str]]) -> Any:
        """Group the rows, including those with a null key; `aggregates` gives the method and column of each result."""

    @abstractmethod
    def add_up(self, made: Callable[[Any], Any]) -> Any:
        """Make a statistic of each partition where it is, and add up; `made` takes frames of the library."""

    def select(self, *columns: Any, **named: Any) -> Self:
        """Keep these columns or expressions of columns."""
        if not named and all(isinstance(own, str) for own in columns):
            return self.some_columns(list(columns))
        return self.each(lambda part: part.select(*columns, **named))

    def with_columns(self, **named: Any) -> Self:
        """Add expressions of columns."""
        return self.each(lambda part: part.with_columns(**named))

    def rename(self, names: Mapping[str, str]) -> Self:
        """Rename columns."""
        return self.each(lambda part: part.rename(dict(names)))

    def filter(self, *conditions: Any) -> Self:
        """Keep the rows for which all conditions hold."""
        return self.each(lambda part: part.filter(*conditions))

    def join(self, small: Any, on: str | Sequence[str]) -> Self:
        """Join each partition with an eager narwhals frame."""
        return self.each(lambda part: part.join(small, on=on))


def on_partition(part: Any, work: Work) -> Any:
    """Apply a function of narwhals frames to a partition."""
    import narwhals as nw

    return work(nw.from_native(part, eager_only=True)).to_native()
