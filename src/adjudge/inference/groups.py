"""Proportions of groups: each against all others, with intervals, tests and Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from adjudge.inference.adjustments import adjust_p_values
from adjudge.inference.score import normal_quantile, wilson

__all__ = ["groups_against_rest", "newcombe", "pooled_z"]


def newcombe(x1: int, n1: int, x2: int, n2: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two independent proportions, from Wilson's intervals of both.

    References
    ----------
    Newcombe (1998), Interval estimation for the difference between independent proportions, method 10.

    Examples
    --------
    >>> from adjudge.inference.groups import newcombe
    >>> low, high = newcombe(56, 70, 48, 80)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    z = normal_quantile(confidence)
    p1, p2 = x1 / n1, x2 / n2
    (low1, high1), (low2, high2) = wilson(p1, n1, z), wilson(p2, n2, z)
    difference = p1 - p2
    return (
        max(-1.0, difference - math.hypot(p1 - low1, high2 - p2)),
        min(1.0, difference + math.hypot(high1 - p1, p2 - low2)),
    )


def pooled_z(x1: int, n1: int, x2: int, n2: int) -> tuple[float, float]:
    """Z and two-sided p-value of the test that two proportions are the same; nan if all or none succeed."""
    from scipy.special import ndtr

    pooled = (x1 + x2) / (n1 + n2)
    variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    if not variance > 0:
        return math.nan, math.nan
    z = (x1 / n1 - x2 / n2) / math.sqrt(variance)
    return z, 2 * float(ndtr(-abs(z)))


def groups_against_rest(
    groups: Mapping[Any, tuple[int, int]], *, confidence: float = 0.95
) -> tuple[dict[str, Any], ...]:
    """Compare the share that is right in each group with that in all others.

    Parameters
    ----------
    groups : mapping of object to (int, int)
        Instances that are right, and all, of each group.
    confidence : float

    Returns
    -------
    tuple of dict
        With `group`, `n`, `accuracy`, `difference` (group less rest), `low`, `high` (Newcombe), `p_value` (pooled z),
        `adjusted_p_value` (Holm's, over the tests that are defined) and `note`.
    """
    total_right = sum(right for right, _ in groups.values())
    total = sum(n for _, n in groups.values())
    rows: list[dict[str, Any]] = []
    for group, (right, n) in groups.items():
        row: dict[str, Any] = {"group": group, "n": n, "accuracy": right / n}
        rest_right, rest = total_right - right, total - n
        if rest == 0:
            low = high = p = difference = math.nan
            note = "there is no other group"
        else:
            difference = right / n - rest_right / rest
            low, high = newcombe(right, n, rest_right, rest, confidence)
            _, p = pooled_z(right, n, rest_right, rest)
            note = "all are right, or none" if math.isnan(p) else ""
        row |= {"difference": difference, "low": low, "high": high, "p_value": p, "note": note}
        rows.append(row)
    tested = [i for i, row in enumerate(rows) if not math.isnan(row["p_value"])]
    adjusted = adjust_p_values([rows[i]["p_value"] for i in tested]) if tested else []
    for row in rows:
        row["adjusted_p_value"] = math.nan
    for i, p in zip(tested, adjusted, strict=True):
        rows[i]["adjusted_p_value"] = p
    return tuple(rows)
