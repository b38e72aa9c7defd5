"""Tables in every engine that the tests know."""

from typing import Any

import polars as pl
import pytest

LAZY = ["polars-lazy", "duckdb", "duckdb-own", "dask", "ibis", "pyspark", "ray"]
ENGINES = ["pandas", "polars", "pyarrow", *LAZY]
# What is started by one process of pytest-xdist. Ray warns of its own settings when it copies them.
_OWN = pytest.mark.filterwarnings("ignore:.use_\\w+. is deprecated:DeprecationWarning")
STARTED = {
    "pyspark": pytest.param("pyspark", marks=pytest.mark.xdist_group("spark")),
    "ray": pytest.param("ray", marks=[pytest.mark.xdist_group("ray"), _OWN]),
}


def in_engines(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("engine", [STARTED.get(name, name) for name in names])


def in_engine(frame: pl.DataFrame, engine: str, request: pytest.FixtureRequest) -> object:
    if engine == "polars":
        return frame
    if engine == "polars-lazy":
        return frame.lazy()
    if engine == "pyarrow":
        return frame.to_arrow()
    if engine == "pandas":
        return frame.to_pandas()
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        return duckdb.from_arrow(frame.to_arrow())
    if engine == "duckdb-own":  # a connection of the user's
        duckdb = pytest.importorskip("duckdb")
        return duckdb.connect().from_arrow(frame.to_arrow())
    if engine == "dask":
        dataframe = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
        return dataframe.from_pandas(frame.to_pandas(), npartitions=3)
    if engine == "ibis":
        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        return ibis.memtable(frame.to_arrow())
    if engine == "ray":
        request.getfixturevalue("ray_cluster")
        import ray.data

        return ray.data.from_arrow([frame.slice(0, 100).to_arrow(), frame.slice(100).to_arrow()])
    session = request.getfixturevalue("spark")
    # Without the processes of Python that rows in a list are sent to.
    return session.createDataFrame(frame.to_arrow())


def rows_in_memory(rows: Any) -> Any:
    """Return the rows of Dask or Ray in memory, and those of another library as they are."""
    if hasattr(rows, "iter_batches"):
        import pyarrow as pa

        return pa.concat_tables(list(rows.iter_batches(batch_size=None, batch_format="pyarrow")))
    return rows.compute() if hasattr(rows, "compute") else rows
