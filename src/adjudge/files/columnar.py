"""Parquet and Arrow files, read by Polars or else PyArrow: columns keep their types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import AdjudgeError, GapError, InputError, MissingExtraError
from adjudge.files.nested import NestedColumn
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.files.text import coordinate, mostly_numbers, plain_text
from adjudge.given.labels import order_of_dictionary
from adjudge.given.written import Gaps, is_number

if TYPE_CHECKING:
    from adjudge.files.streamed import Database

# Rows that decide whether a column of text holds numbers.
_SAMPLE = 200
_TITLES = {"parquet": "Parquet", "arrow": "Arrow", "arrow stream": "Arrow"}


def open_columnar(path: Path, kind: str) -> TableFile:
    """Open a Parquet file, an Arrow (Feather) file, or an Arrow stream."""
    if kind == "parquet" and is_countable():
        from adjudge.files.streamed import opened_database, parquet_columns

        database = opened_database()
        found = parquet_columns(path, database)
        if found is not None:
            return _CountableTable(path, *found, database)
    return _open_whole(path, kind)


def is_countable() -> bool:
    """Whether DuckDB can count the labels in Parquet files."""
    return find_spec("duckdb") is not None and find_spec("pyarrow") is not None


def _open_whole(path: Path, kind: str) -> _Columnar:
    if find_spec("polars") is not None:
        return _PolarsTable(path, kind)
    if find_spec("pyarrow") is not None:
        return ArrowTable(path, kind)
    raise MissingExtraError("polars", "files", f"reading the {_TITLES[kind]} file {str(path)!r}")


def words_among_numbers(table: TableFile, names: Sequence[str]) -> str | None:
    """Name the first of some columns of numbers that is text, because a few cells are words; None if none is."""
    return next((n for n in names if isinstance(table, _Columnar) and n in table.beside_words), None)


def is_parquet(table: TableFile) -> bool:
    """Whether a table is stored as Parquet."""
    return isinstance(table, _Columnar) and table.is_parquet


def has_types(table: TableFile) -> bool:
    """Whether columns have the types that a file states, where those of text are told by their cells."""
    return isinstance(table, _Columnar)


def stated_order(table: TableFile, name: str) -> list[str] | None:
    """Return the order of its labels that the type of a column states; None if it does not."""
    return table.stated_order(name) if isinstance(table, _Columnar) else None


class _Columnar:
    """What both readers have in common."""

    is_list = False
    columns: list[str]

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self.is_parquet = kind == "parquet"
        self._kind = kind

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        found = self._read(names)
        if len(found[0]) == 0:
            raise InputError(f"{str(self.path)!r} has no rows")
        return [self._label_column(name, column) for name, column in zip(names, found, strict=True)]

    def points(self, names: Sequence[str], *, gaps: Gaps = False) -> Floats:
        # Truth values count as 0 and 1 if they are named, as in data frames.
        known = {*self.numeric_columns(), *self._boolean_columns()}
        for name in names:
            if name not in known:
                raise InputError(
                    f"{str(self.path)!r}, column {name!r} does not hold numbers: choose other columns"
                )
        found = self._read(names)
        matrix = np.empty((len(found[0]), len(names)))
        for i, (name, column) in enumerate(zip(names, found, strict=True)):
            if name in self.beside_words:
                cells = ["" if cell is None else cell for cell in self._cells(column)]
                matrix[:, i] = [
                    coordinate(cell, j, name, self.path, gaps=gaps) for j, cell in enumerate(cells)
                ]
                continue
            matrix[:, i] = self._floats(column)
            bad = np.flatnonzero(~np.isfinite(matrix[:, i]))
            if bad.size and not gaps:
                raise not_finite(self.path, name, matrix[bad[0], i], int(bad[0]) + 1)
        return matrix

    def numeric_columns(self) -> list[str]:
        typed, mixed = self._typed_columns(), self.beside_words
        return [name for name in self.columns if name in typed or name in mixed]

    @cached_property
    def beside_words(self) -> set[str]:
        """Text columns of numbers with a few other words: those of numbers alone are codes."""
        names = [name for name in self._text_columns() if self.columns.count(name) == 1]
        if not names:
            return set()
        heads = [
            ["" if cell is None else cell for cell in self._cells(own)] for own in self._read(names, _SAMPLE)
        ]
        found = mostly_numbers(names, zip(*heads, strict=True))
        cells = dict(zip(names, heads, strict=True))
        return {
            name for name in found if not all(is_number(cell.strip()) for cell in cells[name] if cell.strip())
        }

    def is_nested(self, name: str) -> bool:
        raise NotImplementedError

    def _typed_columns(self) -> set[str]:
        raise NotImplementedError

    def stated_order(self, name: str) -> list[str] | None:
        """Return the order of its labels that the type of a column states, if it does."""
        raise NotImplementedError

    def _boolean_columns(self) -> list[str]:
        raise NotImplementedError

    def _text_columns(self) -> list[str]:
        raise NotImplementedError

    def _cells(self, column: Any) -> list[Any]:
        raise NotImplementedError

    def _read(self, names: Sequence[str], n_rows: int | None = None) -> list[Any]:
        raise NotImplementedError

    def _label_column(self, name: str, column: Any) -> LabelColumn:
        raise NotImplementedError

    def _floats(self, column: Any) -> Floats:
        raise NotImplementedError

    def _guarded(self, read: Callable[[], Any]) -> Any:
        """Call a reader; report a faulty file in one line."""
        try:
            return read()
        except (AdjudgeError, MemoryError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # A damaged file can make Polars panic, and a Rust panic is not an Exception.
            detail = (str(error).strip().splitlines() or [repr(error)])[0]
            if detail[:1] == detail[-1:] == "'":  # quotes around the whole message, as a KeyError has
                detail = detail[1:-1]
            raise InputError(
                f"{str(self.path)!r} is not a readable {_TITLES[self._kind]} file: {detail}"
            ) from error


def not_finite(path: Path, name: str, value: float | None, row: int) -> InputError:
    """Make the error that says why a coordinate is unusable; rows are counted from 1."""
    is_gap = value is None or np.isnan(value)
    what = "is missing" if is_gap else "is infinite"
    message = (
        f"{str(path)!r}, column {name!r} {what} in row {row}: "
        "fill in or leave out such rows, or choose other columns"
    )
    return GapError(message, column=name) if is_gap else InputError(message)


class _CountableTable(_Columnar):
    """A Parquet file that imports Polars or PyArrow only if more than label counts are needed."""

    def __init__(self, path: Path, columns: list[str], nested: set[str], database: Database) -> None:
        super().__init__(path, "parquet")
        self.columns = columns
        self._nested = nested
        self._database = database  # which every reader of the file shares while it is kept

    def __reduce__(self) -> tuple[Any, ...]:
        return open_columnar, (self.path, "parquet")

    def is_nested(self, name: str) -> bool:
        return name in self._nested

    @cached_property
    def _whole(self) -> _Columnar:
        return _open_whole(self.path, "parquet")

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        from adjudge.files.streamed import parquet_values

        # DuckDB does not distinguish the names a and A.
        are_apart = len({name.casefold() for name in self.columns}) == len(self.columns)
        of_each = are_apart and len({*names}) == len(names)
        read = parquet_values(self.path, names, self._database) if of_each else None
        if read is None or len(read) != len(names) or not len(read[0]):
            return self._whole.label_columns(names)
        orders = (
            self.stated_order(name) if own.dtype.kind == "O" else None
            for name, own in zip(names, read, strict=True)
        )
        return [typed_column(*own) for own in zip(names, read, orders, strict=True)]

    def numeric_columns(self) -> list[str]:
        return self._whole.numeric_columns()

    @cached_property
    def beside_words(self) -> set[str]:
        return self._whole.beside_words

    def points(self, names: Sequence[str], *, gaps: Gaps = False) -> Floats:
        return self._whole.points(names, gaps=gaps)

    def stated_order(self, name: str) -> list[str] | None:
        return self._whole.stated_order(name)


class _PolarsTable(_Columnar):
    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(path, kind)
        import polars as pl

        schemas: dict[str, Callable[[Any], Any]] = {
            # Brackets and stars are part of the name, not a pattern.
            "parquet": lambda p: pl.scan_parquet(p, glob=False).collect_schema(),
            "arrow": pl.read_ipc_schema,
            "arrow stream": lambda p: pl.read_ipc_stream(p, n_rows=0).schema,
        }
        self._schema = self._guarded(lambda: schemas[kind](path))
        self.columns = list(self._schema)

    def is_nested(self, name: str) -> bool:
        return bool(self._schema[name].is_nested())

    def _typed_columns(self) -> set[str]:
        return {name for name, dtype in self._schema.items() if dtype.is_numeric()}

    def _boolean_columns(self) -> list[str]:
        import polars as pl

        return [name for name, dtype in self._schema.items() if dtype == pl.Boolean]

    def _text_columns(self) -> list[str]:
        import polars as pl

        return [name for name, dtype in self._schema.items() if dtype == pl.String]

    def _cells(self, column: Any) -> list[Any]:
        found: list[Any] = column.to_list()
        return found

    def _read(self, names: Sequence[str], n_rows: int | None = None) -> list[Any]:
        import polars as pl

        readers: dict[str, Callable[..., Any]] = {
            "parquet": partial(pl.read_parquet, glob=False),
            "arrow": pl.read_ipc,
            "arrow stream": pl.read_ipc_stream,
        }
        wanted = list(dict.fromkeys(names))
        frame = self._guarded(lambda: readers[self._kind](self.path, columns=wanted, n_rows=n_rows))
        return [frame.get_column(name) for name in names]

    def stated_order(self, name: str) -> list[str] | None:
        import polars as pl

        dtype = self._schema[name]
        if isinstance(dtype, pl.Enum):
            return list(dtype.categories)
        if dtype != pl.Categorical or find_spec("pyarrow") is None:
            return None
        return ArrowTable(self.path, self._kind).stated_order(name)  # which Polars reads without its order

    def _label_column(self, name: str, column: Any) -> LabelColumn:
        import polars as pl

        order = self.stated_order(name)
        return _polars_column(name, column if order is None else column.cast(pl.Enum(order)))

    def _floats(self, column: Any) -> Floats:
        import polars as pl

        values: Floats = column.cast(pl.Float64).to_numpy()
        return values


class ArrowTable(_Columnar):
    """A Parquet or Arrow file, read with PyArrow."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(path, kind)
        self._schema = self._guarded(self._read_schema)
        self.columns = list(self._schema.names)

    def is_nested(self, name: str) -> bool:
        """Whether the cells of a column hold lists or records."""
        import pyarrow.types as types

        return bool(types.is_nested(self._schema.field(name).type))

    def _typed_columns(self) -> set[str]:
        return {field.name for field in self._schema if _holds_numbers(field.type)}

    def _boolean_columns(self) -> list[str]:
        import pyarrow.types as types

        return [field.name for field in self._schema if types.is_boolean(field.type)]

    def _text_columns(self) -> list[str]:
        import pyarrow.types as types

        return [f.name for f in self._schema if types.is_string(f.type) or types.is_large_string(f.type)]

    def _cells(self, column: Any) -> list[Any]:
        found: list[Any] = column.to_pylist()
        return found

    def _read_schema(self) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._kind == "parquet":
            return pq.read_schema(self.path)
        with pa.OSFile(str(self.path)) as source:
            reader = pa.ipc.open_file if self._kind == "arrow" else pa.ipc.open_stream
            return reader(source).schema

    def _read(self, names: Sequence[str], n_rows: int | None = None) -> list[Any]:
        wanted = list(dict.fromkeys(names))
        table = self._guarded(lambda: self._read_table(wanted, n_rows))
        return [table.column(name) for name in names]

    def _read_table(self, names: list[str], n_rows: int | None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self._kind == "parquet":
            with pq.ParquetFile(self.path) as file:
                if n_rows is None:
                    return file.read(columns=names)
                first = next(file.iter_batches(n_rows, columns=names), None)
                return file.schema_arrow.empty_table() if first is None else pa.Table.from_batches([first])
        with pa.memory_map(str(self.path)) as source:
            if self._kind == "arrow stream":
                return pa.ipc.open_stream(source).read_all().select(names).slice(0, n_rows)
            options = pa.ipc.IpcReadOptions(included_fields=[self.columns.index(n) for n in names])
            return pa.ipc.open_file(source, options=options).read_all().select(names).slice(0, n_rows)

    def stated_order(self, name: str) -> list[str] | None:
        """Return the order of its labels that the type of a column states, if it does."""
        dtype = self._schema.field(name).type
        if not getattr(dtype, "ordered", False) or not _holds_text(dtype.value_type):
            return None
        return order_of_dictionary(self._read([name])[0], f"column {name!r}")

    def _label_column(self, name: str, column: Any) -> LabelColumn:
        return _arrow_column(name, column)

    def _floats(self, column: Any) -> Floats:
        import pyarrow as pa

        values: Floats = column.cast(pa.float64()).to_numpy()
        return values


def typed_column(name: str, values: Any, order: list[str] | None = None) -> LabelColumn:
    """Make a column of labels from a NumPy array or a chunked Arrow array, as the file readers do."""
    if order is not None:
        import pyarrow as pa

        texts = values.tolist() if isinstance(values, np.ndarray) else values.to_pylist()
        places = {label: place for place, label in enumerate(order)}
        codes = pa.array([None if text is None else places[text] for text in texts], pa.int32())
        return _arrow_column(name, pa.DictionaryArray.from_arrays(codes, order, ordered=True))
    if isinstance(values, np.ndarray):
        kind = values.dtype.kind
        # The method of the array itself: np.ndarray.tolist gives what a mask hides.
        return _TypedColumn(name, values, kind == "O", kind != "f", lambda v: v.tolist(), _distinct)
    if find_spec("polars") is not None:
        import polars as pl

        return _polars_column(name, pl.from_arrow(values))
    return _arrow_column(name, values)


def _distinct(values: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = np.unique(np.ma.compressed(values))
    return found


def _polars_column(name: str, column: Any) -> LabelColumn:
    import polars as pl

    if column.dtype.is_nested():
        return NestedColumn(name, column.to_list())
    is_text = not (column.dtype.is_numeric() or column.dtype == pl.Boolean)
    is_whole = is_text or column.dtype == pl.Boolean or column.dtype.is_integer()
    return _TypedColumn(name, column, is_text, is_whole, pl.Series.to_list, pl.Series.unique)


def _arrow_column(name: str, column: Any) -> LabelColumn:
    import pyarrow.types as types

    if types.is_nested(column.type):
        return NestedColumn(name, column.to_pylist())
    is_text = not (_holds_numbers(column.type) or types.is_boolean(column.type))
    is_whole = is_text or types.is_boolean(column.type) or types.is_integer(column.type)
    return _TypedColumn(name, column, is_text, is_whole, lambda v: v.to_pylist(), lambda v: v.unique())


def _holds_text(dtype: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype))


def _holds_numbers(dtype: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(dtype) or types.is_floating(dtype) or types.is_decimal(dtype))


@dataclass
class _TypedColumn:
    """A column of labels that has a type."""

    name: str
    column: Any
    is_text: bool
    is_whole: bool
    to_list: Callable[[Any], list[Any]]
    unique: Callable[[Any], Any]

    def check_whole(self) -> None:
        if not self.is_whole:
            for value in self.to_list(self.unique(self.column)):
                plain_text(value, self.name)

    def labels(self) -> Any:
        return self.column

    def as_text(self) -> Any:
        return (
            self.column
            if self.is_text
            else [plain_text(value, self.name) for value in self.to_list(self.column)]
        )

    def label_lists(self) -> None:
        return None
