"""Parquet and Arrow, recognised by a file's first bytes or its name; errors say what a misnamed file is."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import InputError
from adjudge.files.compressed import compression_of

#: Bytes of a file that suffice to recognise its format.
HEAD = 1 << 12

_BY_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_BY_ENDING = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow stream",
    ".arrows": "arrow stream",
    ".feather": "arrow stream",
    ".ipc": "arrow stream",
}
_TITLES = {"parquet": "a Parquet", "arrow stream": "an Arrow"}


def columnar_kind(path: Path, head: bytes) -> str | None:
    """Return "parquet", "arrow" or "arrow stream" for a columnar file, and None for any other.

    Raises
    ------
    InputError
        If a file with such a name is compressed, or is text.
    """
    for magic, kind in _BY_MAGIC.items():
        if head.startswith(magic):
            return kind
    named = _BY_ENDING.get(path.suffix.lower())
    if named is not None:
        _check_is_columnar(path, head, _TITLES[named])
    return named


def _check_is_columnar(path: Path, head: bytes, title: str) -> None:
    compression = compression_of(head)
    if compression is not None:
        raise InputError(
            f"{str(path)!r} is compressed by {compression}, not {title} file: decompress it, and read what is in it"
        )
    if _is_text(head):
        ending = ".jsonl" if head.lstrip()[:1] == b"{" else ".csv"
        raise InputError(f"{str(path)!r} is text, not {title} file: let its name end in {ending}")


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(head) == HEAD and error.start > HEAD - 4  # the last character is cut in two
    return True
