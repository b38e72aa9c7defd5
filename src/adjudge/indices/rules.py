"""The rules by which criteria choose a number of clusters, each in words and in code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

#: Rules for indices that judge one partition; they use only the values.
PartitionRule = Literal["max", "min", "max_diff", "min_diff"]

#: R clusGap's rules for reading the gap statistic.
GAP_RULES = ("firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax")

_Choose = Callable[[Sequence[int], Sequence[float], Sequence[float]], int | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for choosing K.

    Attributes
    ----------
    words : str
        What it chooses.
    choose : callable
        Returns K, given the numbers of clusters in ascending order, the values, and the critical values; None if the
        rule abstains.
    """

    words: str
    choose: _Choose


def _extreme(pick: str, order: int, *, infinite: bool = False) -> _Choose:
    """Return a rule that picks the first of the extreme values, or of their differences of this order.

    Infinite ones are of degenerate partitions, such as clusters with fewer points than dimensions: unless `infinite`,
    they do not win.
    """

    def rule(ks: Sequence[int], values: Sequence[float], critical: Sequence[float]) -> int | None:
        with np.errstate(invalid="ignore", over="ignore"):
            scores = np.diff(np.array(values), order)
        # A second difference belongs to its middle point, a first difference to its end.
        shift = 1 if order else 0
        if np.isnan(scores).any():
            return None
        finite = np.flatnonzero(np.isfinite(scores) | infinite)
        return None if finite.size == 0 else ks[int(finite[getattr(scores[finite], pick)()]) + shift]

    return rule


def _first_at_least(ks: Sequence[int], values: Sequence[float], critical: Sequence[float]) -> int | None:
    return next(
        (k for k, v, c in zip(ks, values, critical, strict=True) if v >= c and math.isfinite(v)), None
    )


def _first_at_most(ks: Sequence[int], values: Sequence[float], critical: Sequence[float]) -> int | None:
    return next(
        (k for k, v, c in zip(ks, values, critical, strict=True) if v <= c and math.isfinite(v)), None
    )


def _last_at_least(ks: Sequence[int], values: Sequence[float], critical: Sequence[float]) -> int | None:
    return max(
        (k for k, v, c in zip(ks, values, critical, strict=True) if v >= c and math.isfinite(v)), default=1
    )


def _last_above(ks: Sequence[int], values: Sequence[float], critical: Sequence[float]) -> int | None:
    for i, (value, limit) in enumerate(zip(values, critical, strict=True)):
        if not value >= limit:
            return ks[i - 1] if i and math.isfinite(values[i - 1]) else None
    return None


def _one_standard_error(ks: Sequence[int], values: Sequence[float], critical: Sequence[float]) -> int | None:
    return vote_of_gap(
        dict(zip(ks, values, strict=True)), dict(zip(ks, critical, strict=True)), "globalSEmax"
    )


#: The rules of `best_partition`, where an infinite value wins as it does in clusterCrit.
RULES_OF_CLUSTERCRIT: Mapping[str, _Choose] = {
    "max": _extreme("argmax", 0, infinite=True),
    "min": _extreme("argmin", 0, infinite=True),
    "max_diff": _extreme("argmax", 2, infinite=True),
    "min_diff": _extreme("argmin", 2, infinite=True),
}

#: Every rule by name.
RULES: Mapping[str, Rule] = {
    "max": Rule("the K of the largest value", _extreme("argmax", 0)),
    "min": Rule("the K of the smallest value", _extreme("argmin", 0)),
    "max_diff": Rule("the K of the largest second difference", _extreme("argmax", 2)),
    "min_diff": Rule("the K of the smallest second difference", _extreme("argmin", 2)),
    "max_rise": Rule("the K of the largest rise from the K before", _extreme("argmax", 1)),
    "max_drop": Rule("the K of the largest drop from the K before", _extreme("argmin", 1)),
    "first_at_least": Rule("the first K whose value is at least the critical one", _first_at_least),
    "first_at_most": Rule("the first K whose value is at most the critical one", _first_at_most),
    "last_at_least": Rule("the largest K whose value is at least the critical one, else 1", _last_at_least),
    "last_above": Rule("the last K before the value first falls below the critical one", _last_above),
    "one_standard_error": Rule(
        "the first K whose value is at least the largest one minus its critical value",
        _one_standard_error,
    ),
}


def _first_local_maximum(values: Sequence[float]) -> int:
    """Return the position of the first value that the next one does not exceed."""
    return next((i for i in range(len(values) - 1) if values[i + 1] <= values[i]), len(values) - 1)


def vote_of_gap(
    gaps: Mapping[int, float], errors: Mapping[int, float], rule: str = "Tibs2001SEmax", factor: float = 1.0
) -> int | None:
    """Return K by one of the rules of R's clusGap.

    Parameters
    ----------
    gaps, errors : mapping of int to float
        Gap and its standard error by K.
    rule : {"firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax"}
        "Tibs2001SEmax": the first K whose gap is at least the next one minus its error, the published rule.
        "firstmax" and "globalmax": the first local and the global maximum; "firstSEmax" and "globalSEmax": the first
        K whose gap is within an error of that maximum.
    factor : float, default 1
        Multiple of the standard errors.
    """
    # An infinite one is of a degenerate partition, and has no vote.
    ks = [k for k in sorted(gaps) if not math.isinf(gaps[k])]
    values = [gaps[k] for k in ks]
    spreads = [factor * errors[k] for k in ks]
    if not ks or any(math.isnan(v) for v in values):
        return None
    if rule == "Tibs2001SEmax":
        steps = range(len(ks) - 1)
        return ks[next((i for i in steps if values[i] >= values[i + 1] - spreads[i + 1]), len(ks) - 1)]
    top = _first_local_maximum(values) if rule.startswith("first") else int(np.argmax(values))
    if rule.endswith("SEmax"):
        top = next(i for i in range(top + 1) if values[i] >= values[top] - spreads[top])
    return ks[top]
