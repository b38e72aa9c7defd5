"""What the page says about an index, read from its record."""

from __future__ import annotations

from typing import Any

from adjudge._report.wording import symbol
from adjudge.indices.record import Index
from adjudge.presentation.plain import plain_json


def facts(record: Index) -> dict[str, Any]:
    """Return the facts of a record as plain JSON."""
    return {
        "name": record.name,
        "title": record.title,
        "symbol": symbol(record.name),
        "summary": record.summary,
        "advice": record.advice,
        "formula": record.formula,
        "better": record.better,
        "range": plain_json(record.range),
        "undefined": record.undefined,
        "note": record.note,
        "citation": record.citation,
    }
