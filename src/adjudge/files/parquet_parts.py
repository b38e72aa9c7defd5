"""Several Parquet files with the same columns, read as one table."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.files.columnar import ArrowTable
from adjudge.files.named_columnar import HEAD, columnar_kind

__all__ = ["ParquetParts", "open_parts"]


def open_parts(path: Path) -> ParquetParts | None:
    """Open the Parquet files in a folder or matching a pattern; return None if the path is neither or none match."""
    if path.is_dir():
        found = [p for p in sorted(path.iterdir()) if p.suffix.lower() in (".parquet", ".pq") and p.is_file()]
        if not found:
            raise InputError(f"{str(path)!r} is a folder: name a file in it")
    elif has_magic(str(path)) and not path.exists():
        found = [p for p in map(Path, sorted(glob(str(path), recursive=True))) if p.is_file()]
        if not found:
            return None
        other = next((p for p in found if p.suffix.lower() not in (".parquet", ".pq")), None)
        if other is not None:
            raise InputError(
                f"{str(path)!r} also matches {str(other)!r}: only Parquet can be read from several files"
            )
    else:
        return None
    return ParquetParts(path, found)


class ParquetParts(ArrowTable):
    """Several Parquet files with the same columns, one after the other."""

    def __init__(self, path: Path, parts: Sequence[Path]) -> None:
        self.parts = list(parts)
        super().__init__(path, "parquet")

    def check_types(self, names: Sequence[str]) -> None:
        """Raise unless every part has all these columns, with numbers if the first has numbers."""
        first, *others = self.parts
        for other in others:
            schema = _schema(other)
            for name in names:
                if name not in schema.names:
                    raise InputError(f"{str(other)!r} has no column {name!r}, but {str(first)!r} has one")
                mine, its = self._schema.field(name).type, schema.field(name).type
                if _kind(mine) != _kind(its):
                    raise InputError(
                        f"column {name!r} is {mine} in {str(first)!r} and {its} in {str(other)!r}: "
                        "give it the same type in all parts"
                    )

    def _read_schema(self) -> Any:
        return _schema(self.parts[0])

    def _read_table(self, names: list[str], n_rows: int | None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.check_types(names)
        tables = []
        for part in self.parts:
            with pq.ParquetFile(part) as file:
                tables.append(file.read(columns=names))
        return pa.concat_tables(tables, promote_options="permissive").slice(0, n_rows)


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
    if types.is_integer(dtype) or types.is_floating(dtype):
        return "number"
    if types.is_string(dtype) or types.is_large_string(dtype):
        return "text"
    return str(dtype)
