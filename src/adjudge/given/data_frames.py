"""Data frames of any library: opened, and their numeric columns read as floating point."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import Argument, InputError, InputTypeError, Option, Row, a_type
from adjudge.given.arrays import numbers_of_objects
from adjudge.given.class_names import are_boolean
from adjudge.given.written import NOT_AVAILABLE, is_number
from adjudge.presentation.numbers import listed
from adjudge.unknown_names import close_names

#: Packages of data frames and columns whose rows can be read.
FRAME_PACKAGES = ("pandas", "polars", "pyarrow", "narwhals", "dask", "dask_expr")


def from_dask(given: Any) -> Any | None:
    """Return a Dask data frame or series in its native form, even if narwhals wraps it; None for any other.

    narwhals warns about Dask and will need a separate package for it, so it is not used for Dask.
    """
    native = given.to_native() if type(given).__module__.startswith("narwhals.") else given
    return native if type(native).__module__.startswith(("dask.dataframe", "dask_expr")) else None


def from_ray(given: Any) -> Any | None:
    """Return a Ray data set as it is, which narwhals does not know; None for anything else."""
    return given if type(given).__module__.startswith("ray.data") else None


def open_data_frame(native: Any, name: str, **options: Any) -> Any:
    """Wrap a data frame; `options` are those of narwhals' ``from_native``."""
    import narwhals as nw

    with _names_apart(name):
        return nw.from_native(native, **options)


def read_data_frame(native: Any, name: str, **options: Any) -> Any:
    """Wrap a data frame, and load the rows of a lazy one into memory."""
    import narwhals as nw

    in_dask = from_dask(native)
    if (in_ray := from_ray(native)) is not None:
        import pyarrow as pa

        native = pa.concat_tables(
            list(in_ray.iter_batches(batch_size=None, batch_format="pyarrow")), promote_options="permissive"
        )
    frame = open_data_frame(native if in_dask is None else in_dask.compute(), name, **options)
    if not isinstance(frame, nw.LazyFrame):
        return frame
    with _names_apart(name):
        return frame.collect()


@contextmanager
def _names_apart(name: str) -> Iterator[None]:
    from narwhals.exceptions import DuplicateError

    try:
        yield
    except DuplicateError:
        raise InputError(Argument(name), " has columns of the same name: rename all but one") from None


def float_values(series: Any) -> Floats:
    """Return a numeric or Boolean series as an array; nulls are NaN.

    Libraries refuse to cast integers that floating point rounds; NumPy rounds them.
    """
    import narwhals as nw

    missing = series.is_null().to_numpy() if series.null_count() else None
    if missing is not None:
        series = series.fill_null(False if series.dtype == nw.Boolean else 0)
    values = np.array(series.to_numpy(), np.float64)
    if missing is not None:
        values[missing] = np.nan
    return values


def numbers_in(series: Any) -> Floats | None:
    """Return a series of numbers, which may be Python objects, as an array; None for any other."""
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return float_values(series)
    if series.dtype != nw.Object:
        return None
    found = numbers_of_objects(series.to_numpy().astype(object))
    return found if found.dtype == np.float64 else None


def measured_numbers(series: Any) -> Floats | None:
    """Return a series of numbers, NaN for words among them; None for any other, and for True and False as in files."""
    return None if are_flags(series) else _numbers_of(series, "", gaps=True)


def _numbers_of(series: Any, name: str, *, gaps: bool) -> Floats | None:
    values = numbers_in(series)
    return numbers_beside_words(series, name, gaps=gaps) if values is None else values


def are_flags(series: Any) -> bool:
    """Whether a series holds True and False, perhaps as Python objects."""
    import narwhals as nw

    return series.dtype == nw.Boolean or (
        series.dtype == nw.Object and are_boolean(series.drop_nulls().to_list())
    )


def numeric_matrix(X: Any, name: str, *, gaps: bool = False) -> tuple[NDArray[Any], list[str]]:
    """Return the columns of a data frame, all of which must be numeric, as a matrix, with their names.

    So is a column of text with a number in at least half of its filled cells. Other cells are an error; with `gaps`,
    they are NaN.
    """
    import narwhals as nw

    frame = read_data_frame(X, name, allow_series=True, pass_through=True)
    if isinstance(frame, nw.Series):
        frame = frame.to_frame()
    if not isinstance(frame, nw.DataFrame):
        raise InputTypeError(Argument(name), f" is {a_type(X)}: give an array or a data frame")
    parts = []
    for series in frame.iter_columns():
        values = _numbers_of(series, name, gaps=gaps)
        if values is None:
            raise InputError(
                Argument(name),
                f" has the non-numeric column {series.name!r} ({series.dtype}): drop or encode it",
            )
        parts.append(values)
    columns = list(frame.columns)
    return np.column_stack(parts) if parts else np.empty((len(frame), 0)), columns


def numbers_beside_words(series: Any, name: str, *, gaps: bool) -> Floats | None:
    """Read a column of text or objects that holds mostly numbers; None for any other, and for numerals alone."""
    import narwhals as nw

    if series.dtype not in (nw.Object, nw.String):
        return None
    cells = [own.strip() if isinstance(own, str) else own for own in series.to_list()]
    cells = [
        None if cell is None or cell == "" or cell != cell or cell in NOT_AVAILABLE else cell
        for cell in cells
    ]
    if not all(cell is None or isinstance(cell, (str, int, float, np.number)) for cell in cells):
        return None
    numbers = [
        cell if not isinstance(cell, str) else float(cell) if is_number(cell) else None for cell in cells
    ]
    words = [
        row for row, (cell, number) in enumerate(zip(cells, numbers, strict=True)) if number is None and cell
    ]
    n_numbers = sum(number is not None for number in numbers)
    if not n_numbers or n_numbers < len(words) or not (words or series.dtype == nw.Object):
        return None
    if words and not gaps:
        raise InputError(
            Argument(name),
            f" has {cells[words[0]]!r}, not a number, ",
            Row(words[0], series.name),
            ": fill in or leave out such points",
        )
    return np.array([np.nan if number is None else number for number in numbers], np.float64)


def columns_by_name(given: Any, name: str) -> dict[str, Any] | None:
    """Return the columns of a data frame by their names; None if it is something else."""
    import narwhals as nw

    frame = read_data_frame(given, name, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    found = {str(column.name): column.to_native() for column in frame.iter_columns()}
    if len(found) < len(frame.columns):
        names = list(map(str, frame.columns))
        twice = next(own for own in names if names.count(own) > 1)
        raise InputError(
            Argument(name), f" has {names.count(twice)} columns named {twice!r}: rename all but one"
        )
    return found


def is_pattern(name: Any, known: Container[Any]) -> bool:
    """Whether a name is no column, but may stand for several, as ``'model_*'``."""
    return isinstance(name, str) and name not in known and any(sign in name for sign in "*?[")


def columns_named(known: Collection[str], option: Argument | Option, names: Iterable[Any]) -> list[str]:
    """Return the columns of points that names or patterns stand for, each once."""
    found: list[str] = []
    for name in map(str, names):
        own = [one for one in known if fnmatchcase(one, name)] if is_pattern(name, known) else [name]
        if not own or (own == [name] and name not in known):
            close = close_names(name, known, 3)
            meant = (
                f"did you mean {' or '.join(map(repr, close))}?" if close else f"it has {listed([*known])}"
            )
            raise InputError(option, f" names {name!r}, but X has no such column: {meant}")
        found += own
    return list(dict.fromkeys(found))


def n_columns(given: Any) -> int:
    """Return the number of columns of a data frame; 0 for anything else."""
    kind = type(given)
    if hasattr(kind, "collect_schema"):
        return len(given.collect_schema())
    names = "column_names" if hasattr(kind, "column_names") else "columns"
    return len(getattr(given, names)) if hasattr(kind, names) else 0


def named_models(models: Any, argument: str = "models") -> dict[str, Any]:
    """Return labels by the names of their models; messages call them all by the name of the argument."""
    if isinstance(models, Mapping):
        named = {str(name): labels for name, labels in models.items()}
        if len(named) < len(models):
            raise InputError("two models have the same name")
    else:
        columns = columns_by_name(models, argument)
        if columns is None:
            raise InputTypeError(
                Argument(argument),
                f" is {a_type(models)}: give a mapping of names to labels, or a data frame",
            )
        named = columns
    if not named:
        raise InputError(Argument(argument), " is empty: at least one model is needed")
    if "labels_true" in named:
        raise InputError("no model may be called 'labels_true'")
    return named
