"""The section of a gate: where rows broke, the checks, and the rows that broke."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from adjudge._report.wording import caveat, fact, main, number
from adjudge.errors import InputError
from adjudge.presentation.numbers import show_number
from adjudge.presentation.plain import plain_json
from adjudge.results.gate import Gate
from adjudge.results.gate_check import Check

# Most broken rows that are shown; a file has all of them.
_MOST_ROWS = 200
# Most characters of a number in a row that is shown as it is.
_MOST_DIGITS = 9
# Half the width of the picture of a change, in units of the drawing.
_HALF = 100.0


def gate_section(result: Gate) -> dict[str, Any]:
    """Reduce a gate to what its section shows, as plain JSON."""
    matrix = result.matrix
    return {
        "layout": "gate.html.j2",
        "kind": "gate",
        "n": result.comparison.n,
        "sample": result.comparison.sample,
        "counted": result.comparison.unit,
        "of_units": result.comparison.units is not None,
        "answer": result.verdict,
        "verdict": _verdict(result),
        "confidence": result.confidence,
        "checks": [_check(check) for check in result.tested],
        "where": [list(map(plain_json, row)) for row in result.broken_table(20).rows],
        "where_heads": list(result.broken_table(20).columns),
        "broken": _rows(result),
        "matrix": (counts := {cell: plain_json(getattr(matrix, cell)) for cell in _CELLS}),
        "flips": {
            "counts": counts,
            "cells": [{"name": cell, "said": said} for cell, said in _CELLS.items()],
        },
        "criteria": None,
        "scores": None,
        "settings": _settings(result),
    }


# Settings of clusterings, which say nothing of classes.
_OF_CLUSTERINGS = ("noise", "noise_label", "adjust")


def _settings(result: Gate) -> dict[str, Any]:
    """Return the settings that apply, with the values of those by index or class."""
    kept = {
        name: value
        for name, value in result.settings.items()
        if value is not None and (result.comparison.kind == "clustering" or name not in _OF_CLUSTERINGS)
    }
    return {
        name: [f"{key} {own}" for key, own in value.items()]
        if isinstance(value, Mapping)
        else plain_json(value)
        for name, value in kept.items()
    }


# What a replacement does to the instances, or to their pairs, in each cell.
_CELLS = {
    "both_right": "stay right:",
    "right_wrong": "broken:",
    "wrong_right": "fixed:",
    "both_wrong": "stay wrong:",
}


def _verdict(result: Gate) -> list[dict[str, str]]:
    head, *facts = result.sentences()
    tones = [main(head), *(fact(text) for text in facts)]
    return tones + [caveat(notice.text) for notice in result.warnings]


def _check(check: Check) -> dict[str, Any]:
    """Return what a check found, and where its interval and margin lie on a line."""
    title, claim, old, new, change, worst, margin, status, note = check.row()
    if (pooled := check.pooled) is not None:
        # The change at all looks is beside its end; old and new are of this look.
        note = "; ".join(filter(None, (f"in this look {number(change)}", note)))
        change = pooled
    return {
        "title": title,
        "claim": claim,
        "status": check.status,
        "shown": status,
        "numbers": [
            None if value is None else {"value": plain_json(value), "text": number(plain_json(value))}
            for value in (old, new, change, worst, margin)
        ],
        "places": _places(check),
        "note": note,
    }


def _places(check: Check) -> dict[str, float] | None:
    """Place the gain, its interval and the margin on a line from -100 to 100, where 0 is no change."""
    if check.change is None:
        return None
    ends = check.change.low, check.change.high
    bound = 0.0 if check.claim == "superior" else -check.margin
    largest = max(map(abs, (*ends, bound)))
    if not 0 < largest < math.inf:
        return None

    def place(value: float) -> float:
        return round(0.95 * _HALF * value / largest, 1)

    return {
        "low": place(ends[0]),
        "high": place(ends[1]),
        "at": place(check.change.value),
        "margin": place(bound),
    }


def _rows(result: Gate) -> dict[str, Any] | None:
    """Return the first rows that broke; None if rows are not known."""
    if not result.n_broken:
        return None
    try:
        table = result.rows_of("right_wrong")
    except InputError:
        return None
    rows = [[_cell(value) for value in row] for row in table.rows[:_MOST_ROWS]]
    return {"heads": list(table.columns), "rows": rows, "n": len(table.rows)}


def _cell(value: Any) -> str:
    """Write a value as it is in the table; a long fraction is rounded."""
    text = str(value)
    return show_number(value) if isinstance(value, float) and len(text) > _MOST_DIGITS else text
