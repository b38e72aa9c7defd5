"""Failures of a table's engine, reported as errors of adjudge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from adjudge.errors import AdjudgeError, InputError

__all__ = ["engine_failures"]

_ENGINES = frozenset(
    {"narwhals", "polars", "duckdb", "_duckdb", "pyarrow", "pyspark", "py4j", "ibis", "dask", "ray"}
)

# What was raised, in a report of Ray.
_RAISED, _COLOUR = re.compile(r"[\w.]*(?:Error|Exception)(?:\(\w+\))?: (.+)"), re.compile(r"\x1b\[\d+m")
# What DuckDB says of two relations that it cannot join.
_APART = "relations of different connections"


@contextmanager
def engine_failures() -> Iterator[None]:
    """Raise InputError when the engine cannot read its rows: lazy tables fail when they are counted, not when made.

    The engine's own error is its cause. Errors that no engine raised pass unchanged.
    """
    try:
        yield
    except AdjudgeError:
        raise
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package not in _ENGINES and not isinstance(error, OSError):
            raise
        if _APART in str(error):
            raise InputError(
                "the tables belong to different DuckDB connections, which cannot be joined: make both with one "
                "connection, or pass one as a data frame (relation.pl())"
            ) from error
        if package == "pyspark" and "No module named 'adjudge" in str(error):
            raise InputError(
                "Spark's Python, which adds up scores where the rows are, has no adjudge: install it there, or set "
                "PYSPARK_PYTHON to a Python that has it before Spark starts"
            ) from error
        text = str(error)
        if package == "ray":  # which shows the frames of a worker, in colours
            lines = _COLOUR.sub("", text).strip().splitlines() or [""]
            raised = filter(None, map(_RAISED.match, lines))
            text = next((own.group(1) for own in raised), lines[-1])
        said = " ".join(text.split())
        raise InputError(f"the table could not be read: {said or type(error).__name__}") from error
