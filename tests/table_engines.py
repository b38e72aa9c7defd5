"""Tables in every engine that the tests know."""

import polars as pl
import pytest

LAZY = ["polars-lazy", "duckdb", "duckdb-own", "dask", "ibis", "pyspark"]
ENGINES = ["pandas", "polars", "pyarrow", *LAZY]
# Spark is started by one process of pytest-xdist.
SPARK = pytest.param("pyspark", marks=pytest.mark.xdist_group("spark"))


def in_engines(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("engine", [SPARK if name == "pyspark" else name for name in names])


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
    session = request.getfixturevalue("spark")
    # Without the processes of Python that rows in a list are sent to.
    return session.createDataFrame(frame.to_arrow())
