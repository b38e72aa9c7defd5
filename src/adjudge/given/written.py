"""Numbers and dates as files write them: with a decimal point or comma, by ISO 8601, or missing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge.errors import Option

#: What programs write for a missing number: all that pandas reads so (STR_NA_VALUES), and Java's NAN. In a column of
#: text only an empty field is missing: "NA" may be a class.
NOT_AVAILABLE = {"NA", "N/A", "n/a", "#NA", "#N/A", "#N/A N/A", "<NA>", "null", "NULL", "None"}
NOT_AVAILABLE |= {"NaN", "nan", "NAN", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
#: The same among numbers, in small letters, and signs that stand for one.
MISSING_NUMBERS = {*map(str.casefold, NOT_AVAILABLE), "n.a.", "?", "-", "--", "."}

#: Which cells of a column of numbers may hold none: no cell, an empty one, or with "words" one with any text, too.
Gaps: TypeAlias = bool | Literal["words"]

# No more digits than a float64 tells apart: longer numbers are codes and stay text.
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# A date, or a date and a time of day; the time zone is not read, so that times are those of its clocks.
_DATE = re.compile(r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)(?:Z|[+-]\d\d:?\d\d)?")
# Groups of three digits, with a sign between them that may also be the decimal one.
_GROUPED = re.compile(
    r"[+-]?[1-9][0-9]{0,2}(?:([., '\u2019\u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*(?:(?!\1)[.,][0-9]+)?"
)
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")


def is_number(text: str) -> bool:
    """Whether a text is a number with a decimal point, not a code."""
    return _NUMBER.fullmatch(text) is not None


def is_gap(text: str) -> bool:
    """Whether a cell among numbers stands for a missing one."""
    return not text or text.casefold() in MISSING_NUMBERS


def with_point(text: str, decimal: str) -> str:
    """Write a number with a decimal point, if the file uses another sign."""
    text = text.strip()
    return text if decimal == "." else text.replace(".", "_").replace(decimal, ".")


def parsed(text: str, decimal: str = ".") -> float | None:
    """Read a number; None for any other text."""
    number = with_point(text, decimal)
    try:
        return None if "_" in number else float(number)
    except ValueError:
        return None


class _Sign(Option):
    """The decimal sign: an option of commands; in Python, of the library that reads the file."""

    def __str__(self) -> str:
        return f"pandas.read_csv(..., decimal={self.value!r})"


def decimal_remedy(text: str, decimal: str = ".") -> tuple[Any, ...]:
    """Say that a text is a number with the other decimal sign, or with a thousands sign; nothing if it is neither."""
    remedy: tuple[Any, ...] = ()
    if decimal == "." and _DECIMAL_COMMA.fullmatch(text):
        remedy = "a decimal comma? ", _Sign("decimal", ","), " reads it"
    elif decimal != "." and is_number(text) and not math.isnan(float(text)):
        remedy = "a decimal point? ", _Sign("decimal", "."), " reads it"
    if not is_grouped(text):
        return remedy
    return "a thousands sign? take it out of the file", *(("; ", *remedy) if remedy else ())


def is_grouped(text: str) -> bool:
    """Whether a text may be a number with a thousands sign, such as 21.000.

    Examples
    --------
    >>> from adjudge.given.written import is_grouped
    >>> [text for text in ("21.000", "1,265,333.5", "0.123", "1.5", "1.333.5", "1234.567") if is_grouped(text)]
    ['21.000', '1,265,333.5']
    """
    return _GROUPED.fullmatch(text) is not None


def dates_of(texts: Iterable[Any]) -> dict[str, np.datetime64] | None:
    """Read texts that are dates, as ISO 8601 writes them; None if one is not, or if there are none.

    Examples
    --------
    >>> from adjudge.given.written import dates_of
    >>> {text: str(date) for text, date in dates_of(["2026-03-01"]).items()}, dates_of(["2026-03-01", "later"])
    ({'2026-03-01': '2026-03-01T00:00:00.000000'}, None)
    """
    found: dict[str, np.datetime64] = {}
    for own in texts:
        matched = _DATE.fullmatch(own.strip()) if isinstance(own, str) else None
        if matched is None:
            return None
        try:
            found[own] = np.datetime64(matched[1], "us")
        except ValueError:  # no day of the calendar
            return None
    return found or None
