"""Statistics of the rows of a lazy table: made of each chunk, where the rows are, and added up.

DuckDB, Polars and Ibis hand over chunks as they read them; Spark, Dask and Ray make the statistics in their workers,
and only these come back.
"""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, Protocol, Self, TypeVar

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.partitions import Partitions
from adjudge.errors import InputError

__all__ = ["Chunk", "map_chunks"]

# Rows of a chunk.
_ROWS = 1 << 18
# Statistics of Spark's partitions are added up in as many tasks before they come back.
_TASKS = 8

#: Some columns of some rows, as narwhals series by name.
Chunk = Mapping[Any, Any]


class _Added(Protocol):
    def __add__(self, other: Any) -> Self: ...


S = TypeVar("S", bound=_Added)


def map_chunks(
    table: FrameTable, columns: Sequence[Any], numbers: Sequence[Any], make: Callable[[Chunk], S]
) -> S:
    """Make a statistic of each chunk of rows, and add up.

    Parameters
    ----------
    table : FrameTable
        It has rows.
    columns : sequence of str
        The columns that `make` reads.
    numbers : sequence of str
        Those of them that it reads as float64.
    make : callable
        Takes some columns of some rows, as narwhals series by name; for Spark, Dask and Ray, it can be pickled.
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
    return reduce(operator.add, (made(chunk) for chunk in chunks if len(chunk)))


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


def _made(rows: Any, columns: Sequence[Any], make: Callable[[Chunk], S]) -> S:
    """Make a statistic of a chunk in its engine's own form."""
    import narwhals as nw

    if type(rows).__name__ == "RecordBatch":
        import pyarrow as pa

        rows = pa.Table.from_batches([rows])
    frame = nw.from_native(rows, eager_only=True)
    return make({name: frame[f"column{i}"] for i, name in enumerate(columns)})


def _in_spark(rows: Any, made: Callable[[Any], S]) -> S:
    """Make the statistics in Spark's workers, and add up in some tasks before they come back."""
    parts = rows.mapInArrow(partial(_of_batches, made=made), "made binary")
    added = parts.repartition(_TASKS).mapInArrow(_added, "made binary")
    total: S = reduce(operator.add, (pickle.loads(row[0]) for row in added.collect()))
    return total


def _of_batches(batches: Iterator[Any], made: Callable[[Any], S]) -> Iterator[Any]:
    yield from _sent(made(batch) for batch in batches if batch.num_rows)


def _added(batches: Iterator[Any]) -> Iterator[Any]:
    yield from _sent(pickle.loads(value.as_py()) for batch in batches for value in batch.column(0))


def _sent(parts: Iterator[S]) -> Iterator[Any]:
    """Add up statistics, and send the sum as a row, if there is any."""
    import pyarrow as pa

    if (first := next(parts, None)) is not None:
        yield pa.RecordBatch.from_pydict({"made": [pickle.dumps(reduce(operator.add, parts, first))]})
