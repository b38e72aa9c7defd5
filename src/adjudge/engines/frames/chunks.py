"""Statistics of the rows of a lazy table, made of chunks where the rows are.

DuckDB, Polars and Ibis hand over chunks as they read them; Spark, Dask and Ray make the statistics of their partitions
in their workers, and only these come back and are added up.
"""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import chain
from typing import Any, Protocol, Self, TypeVar

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.partitions import Partitions
from adjudge.errors import InputError

__all__ = ["Chunk", "map_chunks"]

# Rows of a chunk.
_ROWS = 1 << 16
# Statistics of Spark's partitions are added up in as many tasks before they come back.
_TASKS = 8

#: Some columns of some rows, as narwhals series by name.
Chunk = Mapping[Any, Any]


class _Added(Protocol):
    def __add__(self, other: Any) -> Self: ...


S = TypeVar("S", bound=_Added)


def map_chunks(
    table: FrameTable, columns: Sequence[Any], numbers: Sequence[Any], make: Callable[[Iterator[Chunk]], S]
) -> S:
    """Make a statistic of all rows, chunk by chunk.

    Parameters
    ----------
    table : FrameTable
        It has rows.
    columns : sequence of str
        The columns that `make` reads.
    numbers : sequence of str
        Those of them that it reads as float64.
    make : callable
        Takes chunks: some columns of some rows, as narwhals series by name. For Spark, Dask and Ray, it can be pickled,
        and what it makes of partitions is added up.
    """
    import narwhals as nw

    columns = list(dict.fromkeys(columns))
    own = [f"column{i}" for i in range(len(columns))]
    selected = {}
    for new, name, old in zip(own, columns, table.own(columns), strict=True):
        selected[new] = nw.col(old).cast(nw.Float64) if name in numbers else nw.col(old)
    frame = table.frame.lazy().select(**selected)
    made = partial(_made, columns=columns, make=make)
    native = frame.to_native()
    if isinstance(frame, Partitions):
        total: S = frame.add_up(made)
        return total
    engine = frame.implementation
    if engine.is_pyspark() or engine.is_pyspark_connect():
        return _in_spark(native, made)
    if engine.is_polars():
        chunks = native.collect_batches(chunk_size=_ROWS, maintain_order=True)
    elif engine.is_duckdb():
        chunks = _of_duckdb(native)
    elif engine.is_ibis():
        chunks = _of_ibis(native)
    else:
        raise InputError(f"scores in a table of {engine} cannot be read in chunks: collect the table first")
    return made(chunks)


def _of_duckdb(rows: Any) -> Iterator[Any]:
    # Before DuckDB 1.4, the method had another name.
    read = rows.to_arrow_reader if hasattr(rows, "to_arrow_reader") else rows.fetch_arrow_reader
    return _whole_chunks(read(_ROWS))


def _whole_chunks(batches: Iterator[Any]) -> Iterator[Any]:
    """Join record batches to chunks: adding up takes as long however few rows there are."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= _ROWS:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _of_ibis(rows: Any) -> Iterator[Any]:
    import ibis

    backend = rows.get_backend()
    if backend.name == "duckdb":  # whose methods ibis calls by names that DuckDB has dropped
        return _of_duckdb(backend.con.sql(str(ibis.to_sql(rows))))
    return _whole_chunks(rows.to_pyarrow_batches(chunk_size=_ROWS))


def _made(parts: Iterator[Any], columns: Sequence[Any], make: Callable[[Iterator[Chunk]], S]) -> S:
    """Make a statistic of chunks in their engine's own form."""
    return make(_named(own, columns) for own in parts if len(own))


def _named(rows: Any, columns: Sequence[Any]) -> Chunk:
    import narwhals as nw

    frame = nw.from_native(rows, eager_only=True)
    return {name: frame[f"column{i}"] for i, name in enumerate(columns)}


def _in_spark(rows: Any, made: Callable[[Any], S]) -> S:
    """Make the statistics in Spark's workers, and add up in some tasks before they come back."""
    parts = rows.mapInArrow(partial(_of_batches, made=made), "made binary")
    added = parts.repartition(_TASKS).mapInArrow(_added, "made binary")
    total: S = reduce(operator.add, (pickle.loads(row[0]) for row in added.collect()))
    return total


def _of_batches(batches: Iterator[Any], made: Callable[[Any], S]) -> Iterator[Any]:
    """Make the statistic of a partition, unless it is empty."""
    there = (batch for batch in batches if batch.num_rows)
    if (first := next(there, None)) is not None:
        yield _sent(made(_whole_chunks(chain([first], there))))


def _added(batches: Iterator[Any]) -> Iterator[Any]:
    """Add up the statistics of some partitions, if there are any."""
    parts = (pickle.loads(value.as_py()) for batch in batches for value in batch.column(0))
    if (first := next(parts, None)) is not None:
        yield _sent(reduce(operator.add, parts, first))


def _sent(made: S) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"made": [pickle.dumps(made)]})
