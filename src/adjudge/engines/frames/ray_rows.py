"""Rows of a Ray data set, whose blocks are Arrow tables: tasks change, count and add up each where it is."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from adjudge.engines.frames.partitions import Partitions, Work, on_partition

__all__ = ["RayRows"]

# Groups of blocks are added up on the way, whenever there are this many rows of them.
_HELD = 1 << 20
_COUNT, _MADE = "__adjudge_values__", "made"


@dataclass(frozen=True)
class RayRows(Partitions):
    """A data set of Ray.

    Attributes
    ----------
    native : ray.data.Dataset
    empty : pyarrow.Table
        No rows, with the types of the columns.
    """

    native: Any
    empty: Any

    @classmethod
    def of(cls, native: Any) -> RayRows:
        """Wrap a data set, whose first rows tell the types of its columns if these are no Arrow types."""
        import pyarrow as pa

        known = native.schema()
        schema = getattr(known, "base_schema", None)
        if isinstance(schema, pa.Schema):
            return cls(native, schema.empty_table())
        first = next(iter(native.limit(1000).iter_batches(batch_size=None, batch_format="pyarrow")), None)
        return cls(native, pa.table({}) if first is None else first.slice(0, 0))

    def collect(self) -> Any:
        """Return the rows as a narwhals DataFrame."""
        import narwhals as nw
        import pyarrow as pa

        return nw.from_native(pa.concat_tables([self.empty, *self._blocks()], promote_options="permissive"))

    def collect_schema(self) -> Any:
        """Return the narwhals types of the columns."""
        import narwhals as nw

        return nw.from_native(self.empty).schema

    def n_rows(self) -> int:
        """Count the rows."""
        return int(self.native.count())

    def some_columns(self, names: list[str]) -> RayRows:
        """Keep columns; they are the only ones that files are read for."""
        return RayRows(self.native.select_columns(names), self.empty.select(names))

    def each(self, work: Work) -> RayRows:
        """Let a function of a narwhals frame change each partition."""
        return RayRows(self._mapped(partial(on_partition, work=work)), on_partition(self.empty, work))

    def head(self, n: int) -> RayRows:
        """Keep the first `n` rows."""
        return RayRows(self.native.limit(n), self.empty)

    def aggregate(self, keys: Sequence[str], aggregates: Mapping[str, tuple[str, str]]) -> Any:
        """Group each block, and the groups of all blocks: only these come back."""
        import narwhals as nw
        import pyarrow as pa

        first, again = _in_two_steps(aggregates)
        grouped = partial(_grouped, keys=list(keys), aggregates=first)
        empty = on_partition(self.empty, grouped)
        held = [empty]
        for block in RayRows(self._mapped(partial(on_partition, work=grouped)), empty)._blocks():
            held.append(block)
            if sum(map(len, held)) > _HELD + len(held[0]):
                held = [_again(held, list(keys), again)]
        found = nw.from_native(_again(held, list(keys), again) if len(held) > 1 else pa.concat_tables(held))
        means = {
            name: nw.col(name) / nw.col(f"{_COUNT}{name}")
            for name, (how, _) in aggregates.items()
            if how == "mean"
        }
        return found.with_columns(**means).select(*keys, *aggregates).lazy()

    def add_up(self, made: Callable[[Any], Any]) -> Any:
        """Add up the statistics of the blocks as they come."""
        parts = self._mapped(partial(_pickled, made=made)).iter_batches(
            batch_size=None, batch_format="pyarrow"
        )
        return reduce(operator.add, (pickle.loads(own.as_py()) for part in parts for own in part[_MADE]))

    def _mapped(self, work: Callable[[Any], Any]) -> Any:
        return self.native.map_batches(work, batch_format="pyarrow", batch_size=None)

    def _blocks(self) -> Iterator[Any]:
        """Yield the blocks that have rows, in the types of the columns."""
        for block in self.native.iter_batches(batch_size=None, batch_format="pyarrow"):
            if len(block):
                yield block


def _in_two_steps(aggregates: Mapping[str, tuple[str, str]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is made of the rows of each block, and how it is put together; a mean is a sum and a number."""
    first, again = dict(aggregates), {}
    for name, (how, column) in aggregates.items():
        if how == "mean":
            first |= {name: ("sum", column), f"{_COUNT}{name}": ("count", column)}
            again[f"{_COUNT}{name}"] = ("sum", f"{_COUNT}{name}")
        again[name] = ("sum" if how in ("mean", "len") else how, name)
    return first, again


def _grouped(rows: Any, keys: list[str], aggregates: Mapping[str, tuple[str, str]]) -> Any:
    import narwhals as nw

    made = {
        name: nw.len() if how == "len" else getattr(nw.col(column), how)()
        for name, (how, column) in aggregates.items()
    }
    return rows.group_by(keys).agg(**made)


def _again(blocks: Sequence[Any], keys: list[str], aggregates: Mapping[str, tuple[str, str]]) -> Any:
    import pyarrow as pa

    whole = pa.concat_tables(blocks, promote_options="permissive")
    return on_partition(whole, partial(_grouped, keys=keys, aggregates=aggregates))


def _pickled(block: Any, made: Callable[[Any], Any]) -> Any:
    import pyarrow as pa

    parts = [pickle.dumps(made(iter([block])))] if len(block) else []
    return pa.table({_MADE: pa.array(parts, pa.binary())})
