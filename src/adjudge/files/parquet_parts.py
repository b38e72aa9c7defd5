"""Several Parquet files, read as one table: columns are united by their names, each with its widest type."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.files.columnar import ArrowTable
from adjudge.files.named_columnar import HEAD, columnar_kind

_ENDINGS = (".parquet", ".pq")


def has_parts(folder: Path) -> bool:
    """Whether a folder holds Parquet files."""
    return any(p.suffix.lower() in _ENDINGS and p.is_file() for p in folder.iterdir())


def open_parts(path: Path) -> ParquetParts | None:
    """Open the Parquet files in a folder, or that match a pattern; None for any other path."""
    if path.is_dir():
        found = [p for p in sorted(path.iterdir()) if p.suffix.lower() in _ENDINGS and p.is_file()]
        if not found:
            raise InputError(f"{str(path)!r} is a folder: name a file in it")
    elif has_magic(str(path)) and not path.exists():
        found = [p for p in map(Path, sorted(glob(str(path), recursive=True))) if p.is_file()]
        if not found:
            return None
        other = next((p for p in found if p.suffix.lower() not in _ENDINGS), None)
        if other is not None:
            raise InputError(
                f"{str(path)!r} also matches {str(other)!r}: only Parquet can be read from several files"
            )
    else:
        return None
    return ParquetParts(path, found)


class ParquetParts(ArrowTable):
    """Several Parquet files, one after the other, with the columns that all of them have."""

    def __init__(self, path: Path, parts: Sequence[Path]) -> None:
        self.parts = list(parts)
        super().__init__(path, "parquet")
        #: The columns of all parts; those that only some parts have cannot be read.
        self.united = self.columns
        self.columns = [name for name in self.united if all(name in own.names for own in self._schemas)]

    def check_types(self, names: Sequence[str]) -> None:
        """Raise unless every part has all these columns, with numbers if the first has numbers."""
        for name in names:
            having = [i for i, own in enumerate(self._schemas) if name in own.names]
            if not having:
                continue  # which is reported as in one file
            lacking = next((i for i in range(len(self.parts)) if i not in having), None)
            if lacking is not None:
                other = self.parts[having[0]]
                raise InputError(
                    f"{str(self.parts[lacking])!r} has no column {name!r}, but {str(other)!r} has one"
                )
            first, *others = (own.field(name).type for own in self._schemas)
            for place, its in enumerate(others, 1):
                if len({_kind(first), _kind(its)} - {"null"}) > 1:
                    raise InputError(
                        f"column {name!r} is {first} in {str(self.parts[0])!r} and {its} in "
                        f"{str(self.parts[place])!r}: give it the same type in all parts"
                    )

    def _read_schema(self) -> Any:
        """Unite the columns of all parts: by name, each with the widest of its types."""
        import pyarrow as pa

        self._schemas = [_schema(part) for part in self.parts]
        names = list(dict.fromkeys(name for own in self._schemas for name in own.names))
        return pa.schema([pa.field(name, self._united(name)) for name in names])

    def _united(self, name: str) -> Any:
        import pyarrow as pa

        types = [own.field(name).type for own in self._schemas if name in own.names]
        if all(own == types[0] for own in types):
            return types[0]
        plain = [pa.schema([pa.field(name, _plain(own))]) for own in types]
        try:
            return pa.unify_schemas(plain, promote_options="permissive").field(name).type
        except pa.ArrowException:
            return types[0]  # which is an error once it is read

    def _text_columns(self) -> list[str]:
        return [name for name in super()._text_columns() if name in self.columns]

    def _read_table(self, names: list[str], n_rows: int | None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.check_types(names)
        wanted = pa.schema([self._schema.field(name) for name in names])
        tables = []
        for part in self.parts:
            with pq.ParquetFile(part) as file:
                tables.append(file.read(columns=names).select(names).cast(wanted))
        return pa.concat_tables(tables).slice(0, n_rows)


def _plain(dtype: Any) -> Any:
    """Return the type of the values of a dictionary, and of any text the one type that holds them all."""
    import pyarrow as pa
    import pyarrow.types as types

    dtype = dtype.value_type if types.is_dictionary(dtype) else dtype
    return pa.large_string() if types.is_string(dtype) or types.is_string_view(dtype) else dtype


def _schema(part: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(part)
    except (pa.ArrowException, OSError) as error:
        with part.open("rb") as stream:
            columnar_kind(part, stream.read(HEAD))
        raise InputError(f"{str(part)!r} is not a readable Parquet file: {error}") from error


def _kind(dtype: Any) -> str:
    import pyarrow.types as types

    if types.is_dictionary(dtype):
        dtype = dtype.value_type
    if types.is_integer(dtype) or types.is_floating(dtype) or types.is_decimal(dtype):
        return "number"
    if types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype):
        return "text"
    if types.is_timestamp(dtype):
        return f"time {dtype.tz}"
    return str(dtype)
