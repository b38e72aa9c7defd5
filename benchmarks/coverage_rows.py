"""Take together what benchmarks/coverage_study.py measured of the same cell with several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["ENUMERATED", "Row", "pooled"]

Row = Mapping[str, Any]

#: Part of the rows that benchmarks/two_by_two_coverage.py sums over all tables.
ENUMERATED = "two_by_two"


def pooled(rows: Sequence[Row]) -> list[Row]:
    """One row a cell: an interval's coverage is that of all that were given, one-sided ones included."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["part"], row["law"], row["n"], row["name"]), []).append(row)
    drawn = _drawn(rows)
    return [_test(own) if "rejected" in own[0] else _interval(own, drawn) for own in groups.values()]


def _key(row: Row) -> tuple[Any, ...]:
    return row["seed"], row["part"], row["law"], row["n"]


def _drawn(rows: Sequence[Row]) -> dict[tuple[Any, ...], float]:
    """How many samples were drawn; told by any index of the cell with two-sided intervals."""
    found: dict[tuple[Any, ...], float] = {}
    for row in rows:
        two_sided = 1 - row.get("refused", 1.0) - row.get("one_sided", 0.0)
        if two_sided > 1e-9:
            found.setdefault(_key(row), round(row["replicates"] / two_sided))
    return found


def _mean(values: Sequence[float], weights: Sequence[float]) -> float | None:
    return float(np.average(values, weights=weights)) if sum(weights) > 0 else None


def _test(own: Sequence[Row]) -> Row:
    samples = [row["replicates"] for row in own]
    return {
        **own[0],
        "replicates": sum(samples),
        "rejected": _mean([row["rejected"] for row in own], samples),
    }


def _interval(own: Sequence[Row], drawn: Mapping[tuple[Any, ...], float]) -> Row:
    # Where nobody gave a two-sided interval it does not matter how many samples there were.
    samples = [drawn.get(_key(row), 1.0) for row in own]
    told = [n * (1 - row["refused"]) for n, row in zip(samples, own, strict=True)]
    together = _mean([row["together"] or 0.0 for row in own], told)
    two_sided = sum(row["replicates"] for row in own)
    enough = two_sided >= sum(samples) / 2
    # A cell that would be judged, but that no interval could pass.
    gap = next((row["gap"] for row in own if row.get("gap")), None) if enough else None
    judged = enough and gap is None
    wide = [(row["width"], row["replicates"]) for row in own if row["width"] is not None]
    return {
        **own[0],
        "replicates": round(sum(told)),
        "refused": _mean([row["refused"] for row in own], samples),
        "one_sided": _mean([row["one_sided"] for row in own], samples),
        "missed": _mean([row["missed"] for row in own], samples),
        "gap": gap,
        "together": together,
        "coverage": together if judged else None,
        "width": _mean(*map(list, zip(*wide, strict=True))) if wide and judged else None,
    }
