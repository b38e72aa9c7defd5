"""Dates that are written as text, as files of text hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

# A date, or a date and a time of day; the time zone is not read, so that times are those of its clocks.
_DATE = re.compile(r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)(?:Z|[+-]\d\d:?\d\d)?")


def dates_of(texts: Iterable[Any]) -> dict[str, np.datetime64] | None:
    """Read texts that are dates, as ISO 8601 writes them; None if one is not, or if there are none.

    Examples
    --------
    >>> from adjudge.given.written_dates import dates_of
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
