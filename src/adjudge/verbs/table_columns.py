"""What the verbs on tables share: columns as labels, weights of rows, and what an engine that only counts refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from adjudge.engines.frames.counting import FrameTable
from adjudge.errors import AdjudgeError, Argument, InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.presentation.tables import backend_of
from adjudge.results.drawn_units import repeating_identifier
from adjudge.results.notice import Notice

__all__ = [
    "backend_of_table",
    "called_columns",
    "column",
    "counted_treatment",
    "needs_instances",
    "rows_that_belong_together",
    "weight_of_rows",
]

# Rows of a lazy table that show whether identifiers repeat.
_LOOKED_AT = 100_000
# The form in which a lazy table's rows are returned, by the package that the table is from.
_COLLECTED = {
    "dask": "pandas",
    "dask_expr": "pandas",
    "pyspark": "pandas",
    "sqlframe": "pandas",
    "duckdb": "pyarrow",
    "_duckdb": "pyarrow",
    "ibis": "pyarrow",
}


def counted_treatment(missing: str, options: Mapping[str, Any]) -> LabelOptions:
    """Read what happens to noise and gaps in a table whose engine returns only counts."""
    treatment = LabelOptions(missing, options.get("noise", "cluster"), options.get("noise_label", -1))
    if treatment.noise == "singletons":
        raise InputError(
            Option("noise", "singletons"),
            " needs the instances, but the engine returns only counts: collect the table first",
        )
    return treatment


def needs_instances(kind: str) -> InputError:
    """Say that an engine that returns only counts cannot judge labels of this kind."""
    return InputError(Option("kind", kind), " needs the instances: collect the table first")


def weight_of_rows(table: FrameTable, name: str | None) -> Any:
    """Read the column of weights of an eager table."""
    return None if name is None else table.series(name).to_numpy()


def column(table: FrameTable, name: Any) -> Column:
    """Return a column of a table in memory under the name that errors should call it by."""
    return Column(f"column {name!r}", table.series(name).to_native(), str(name))


def rows_that_belong_together(
    table: FrameTable, units: Any, confidence: float | None, used: Iterable[Any]
) -> tuple[Notice, ...]:
    """Say that a column looks like units, if intervals were asked for without any.

    Of a lazy table the first rows are looked at.

    Parameters
    ----------
    table : FrameTable
    units : str or None
    confidence : float or None
    used : iterable of str
        Columns that mean something else.
    """
    if units is not None or confidence is None:
        return ()

    def values(name: Any) -> Any:
        if not table.is_lazy:
            return table.series(name).to_native()
        (own,) = table.own([name])
        return table.frame.lazy().select(own).head(_LOOKED_AT).collect()[own].to_native()

    return repeating_identifier(table.names, {*used}, values)


@contextmanager
def called_columns(columns: Mapping[str, Any]) -> Iterator[None]:
    """Name columns in errors by their own names, given for those of arguments: ``{"labels_pred": "cluster"}``."""
    try:
        yield
    except AdjudgeError as error:
        names = {name: f"column {own!r}" for name, own in columns.items() if own is not None}
        error.worded(
            *(names.get(part.name, part) if isinstance(part, Argument) else part for part in error.parts)
        )
        raise


def backend_of_table(table: Any) -> str | None:
    """Return the library of the data frames that results about a table are turned into."""
    return backend_of(table) or _COLLECTED.get(type(table).__module__.partition(".")[0])
