"""Text files, compressed or not: gzip, bzip2, and Zstandard if PyArrow is installed."""

from __future__ import annotations

import bz2
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from adjudge.errors import InputError, MissingExtraError, Option
from adjudge.files.reading import Encoding, decoder_of, reading

# The first bytes of compressed files, and their extensions.
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_ENDINGS = (".gz", ".bz2", ".zst")


def bare_name(name: str) -> str:
    """Return the name of a file without the extension of its compression."""
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.lower().endswith(ending)), name)


def compression_of(head: bytes) -> str | None:
    """Return the compression of a file, judged by its first bytes; None if there is none."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def _compression(path: Path) -> str | None:
    with path.open("rb") as raw:
        return compression_of(raw.read(4))


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, judged by its first bytes."""
    return _compression(path) is not None


@contextmanager
def opened(path: Path, mode: str, newline: str | None = None) -> Iterator[IO[Any]]:
    """Open a file, compressed or not; report a faulty file in one line."""
    openers: dict[str | None, Callable[..., Any]] = {
        None: open,
        "gzip": _open_gzip,
        "bzip2": bz2.open,
        "zstd": _open_zstd,
    }
    opener = openers[_compression(path)]
    encoding = decoder_of(reading().encoding)
    options = {} if mode == "rb" else {"encoding": encoding, "newline": newline}
    try:
        with opener(path, mode, **options) as stream:
            yield stream
    except UnicodeError:
        if reading().encoding is not None:
            raise InputError(
                f"{str(path)!r} is not {encoding} text: name another ", Option("encoding")
            ) from None
        raise InputError(
            f"{str(path)!r}, line {_first_undecodable_line(opener, path)}: not UTF-8 text: save it as UTF-8, or ",
            Encoding("encoding", "cp1252"),
            " reads it if it is from Windows",
        ) from None
    except (EOFError, zlib.error) as error:
        raise InputError(f"{str(path)!r} is damaged: {error}") from None
    except OSError as error:
        if error.errno is None:  # raised by a decoder for damaged data, not by the operating system
            raise InputError(f"{str(path)!r} is damaged: {error}") from None
        raise


def _open_gzip(path: Path, mode: str, **options: Any) -> Any:
    import gzip  # takes as long to import as most tables take to read

    return gzip.open(path, mode, **options)


@contextmanager
def _open_zstd(path: Path, mode: str, **options: Any) -> Iterator[IO[Any]]:
    if find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "arrow", f"reading the Zstandard file {str(path)!r}")
    import pyarrow as pa

    with pa.input_stream(str(path), compression="zstd") as raw:
        # PyArrow's stream cannot be read line by line.
        buffered: Any = io.BufferedReader(raw)
        yield buffered if mode == "rb" else io.TextIOWrapper(buffered, **options)


def _first_undecodable_line(opener: Callable[..., Any], path: Path) -> int:
    with opener(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    raise AssertionError("every line can be decoded")
