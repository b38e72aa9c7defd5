"""Which K each rule chooses from the values of a criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from adjudge.indices.record import Index
from adjudge.indices.rules import best_partition
from adjudge.indices.selection import SelectionIndex

__all__ = ["GAP_RULES", "first_local_maximum", "vote", "vote_of_gap"]

_Rule = Callable[[list[int], list[float], list[float]], int | None]


def vote(record: Index, values: Mapping[int, float], critical: Mapping[int, float]) -> int | None:
    """K that a criterion votes for; None where it abstains.

    Parameters
    ----------
    record : Index
    values : mapping of int to float
        By K.
    critical : mapping of int to float
        What values are compared with, for the rules of tests.
    """
    ks = sorted(values)
    found = [values[k] for k in ks]
    if not isinstance(record, SelectionIndex):
        position = best_partition(found, record)
        return None if position is None else ks[position]
    return _BY_RULE[record.rule](ks, found, [critical.get(k, math.nan) for k in ks])


def _extreme(pick: str, order: int) -> _Rule:
    def rule(ks: list[int], values: list[float], critical: list[float]) -> int | None:
        with np.errstate(invalid="ignore"):
            scores = np.diff(np.array(values), order)
        # A second difference belongs to its middle point, a first difference to its end.
        shift = 1 if order else 0
        if scores.size == 0 or np.isnan(scores).any():
            return None
        return ks[int(getattr(scores, pick)()) + shift]

    return rule


def _first_at_least(ks: list[int], values: list[float], critical: list[float]) -> int | None:
    return next((k for k, v, c in zip(ks, values, critical, strict=True) if v >= c), None)


def _first_at_most(ks: list[int], values: list[float], critical: list[float]) -> int | None:
    return next((k for k, v, c in zip(ks, values, critical, strict=True) if v <= c), None)


def _last_at_least(ks: list[int], values: list[float], critical: list[float]) -> int | None:
    return max((k for k, v, c in zip(ks, values, critical, strict=True) if v >= c), default=1)


def _last_above(ks: list[int], values: list[float], critical: list[float]) -> int | None:
    for i, (value, limit) in enumerate(zip(values, critical, strict=True)):
        if not value >= limit:
            return ks[i - 1] if i else None
    return None


def _one_standard_error(ks: list[int], values: list[float], critical: list[float]) -> int | None:
    return vote_of_gap(dict(zip(ks, values, strict=True)), dict(zip(ks, critical, strict=True)))


_BY_RULE: dict[str, _Rule] = {
    "max": _extreme("argmax", 0),
    "min": _extreme("argmin", 0),
    "max_diff": _extreme("argmax", 2),
    "min_diff": _extreme("argmin", 2),
    "max_rise": _extreme("argmax", 1),
    "max_drop": _extreme("argmin", 1),
    "first_at_least": _first_at_least,
    "first_at_most": _first_at_most,
    "last_at_least": _last_at_least,
    "last_above": _last_above,
    "one_standard_error": _one_standard_error,
}

#: The rules of R's clusGap for reading the gap statistic.
GAP_RULES = ("firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax")


def first_local_maximum(values: list[float]) -> int:
    """Position of the first value that the next one does not exceed."""
    return next((i for i in range(len(values) - 1) if values[i + 1] <= values[i]), len(values) - 1)


def vote_of_gap(
    gaps: Mapping[int, float], errors: Mapping[int, float], rule: str = "Tibs2001SEmax", factor: float = 1.0
) -> int | None:
    """K by one of the rules of R's clusGap.

    Parameters
    ----------
    gaps, errors : mapping of int to float
        Gap and its standard error by K.
    rule : {"firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax"}
        "Tibs2001SEmax": the first K whose gap is at least the next one's less its error, the published rule.
        "firstmax" and "globalmax": the first local and the global maximum; "firstSEmax" and "globalSEmax": the first
        K whose gap is within an error of that maximum.
    factor : float, default 1
        Standard errors that count.
    """
    ks = sorted(gaps)
    values = [gaps[k] for k in ks]
    spreads = [factor * errors[k] for k in ks]
    if not ks or any(math.isnan(v) for v in values):
        return None
    if rule == "Tibs2001SEmax":
        steps = range(len(ks) - 1)
        return ks[next((i for i in steps if values[i] >= values[i + 1] - spreads[i + 1]), len(ks) - 1)]
    top = first_local_maximum(values) if rule.startswith("first") else int(np.argmax(values))
    if rule.endswith("SEmax"):
        top = next(i for i in range(top + 1) if values[i] >= values[top] - spreads[top])
    return ks[top]
