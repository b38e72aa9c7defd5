"""How files are read where they do not say it themselves: sheets of workbooks, encoding and decimals of text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from adjudge.errors import InputError, Option


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Attributes
    ----------
    sheet : str or None
        The sheet of workbooks; None for the only one that is visible and not empty.
    encoding : str or None
        The encoding of text; None for UTF-8.
    decimal : str
        The decimal sign in text: a point or a comma.
    """

    sheet: str | None = None
    encoding: str | None = None
    decimal: str = "."


_CURRENT: ContextVar[Reading | None] = ContextVar("reading", default=None)


def reading() -> Reading:
    """Return how files are read now."""
    return _CURRENT.get() or Reading()


@contextmanager
def reading_as(sheet: str | None, encoding: str | None, decimal: str | None = None) -> Iterator[None]:
    """Read files in this way; raise for an encoding that is not known."""
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError:
            raise InputError(
                Option("encoding", encoding), " is not known: try latin-1, cp1252 or utf-16"
            ) from None
    token = _CURRENT.set(Reading(sheet, encoding, decimal or "."))
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Sheet(Option):
    """The sheet of a workbook: an option of commands; in Python, of the library that reads the file."""

    def __str__(self) -> str:
        return f"pandas.read_excel(..., sheet_name={self.value!r})"


class Encoding(Option):
    """The encoding of text: an option of commands; in Python, of the library that reads the file."""

    def __str__(self) -> str:
        return f"pandas.read_csv(..., encoding={self.value!r})"


class Decimal(Option):
    """The decimal sign of text: an option of commands; in Python, of the library that reads the file."""

    def __str__(self) -> str:
        return f"pandas.read_csv(..., decimal={self.value!r})"


def decoder_of(encoding: str | None) -> str:
    """Return the encoding by which text is decoded, without a byte-order mark at the beginning."""
    if encoding is None or codecs.lookup(encoding).name == "utf-8":
        return "utf-8-sig"
    return encoding
