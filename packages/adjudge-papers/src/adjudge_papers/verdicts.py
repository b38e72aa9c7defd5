"""Verdicts on how our values compare with printed ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

__all__ = ["AGREE", "Cell", "Finding", "judge", "tally"]

EXACT = "exact"
ROUNDED = "rounded"
CUT = "cut"
MISPRINT = "misprint"
WITHIN_ERROR = "within sampling error"
DIFFERS = "differs"
NOT_REPRODUCIBLE = "not reproducible"
NOT_PRINTED = "not printed"

AGREE = (EXACT, ROUNDED, CUT)
"""Verdicts that mean that every printed digit agrees."""


@dataclass(frozen=True)
class Cell:
    """One cell of a published table.

    Attributes
    ----------
    table, row, column : str
    printed : str
        The number as printed in the paper; empty if there is none.
    ours : float
    verdict : str
    note : str
        Why the two differ, if they do.
    """

    table: str
    row: str
    column: str
    printed: str
    ours: float
    verdict: str
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """A statement from a paper, whether it holds, and the evidence."""

    statement: str
    holds: bool
    evidence: str


def judge(printed: str, ours: float, decimals: int) -> str:
    """Classify how a printed number relates to ours.

    Parameters
    ----------
    printed : str
    ours : float
    decimals : int
        Decimal places of the printed table; trailing zeros may be missing.

    Returns
    -------
    str
        "exact" (the printed number is the value itself), "rounded", "cut" (digits were dropped) or "differs".

    Examples
    --------
    >>> judge("0.98", 0.975, 2), judge("0.89", 0.8974, 2), judge("1", 1.0, 2), judge("0.95", 0.94, 2)
    ('rounded', 'cut', 'exact', 'differs')
    """
    if not math.isfinite(ours):
        return DIFFERS
    shown = Decimal(printed)
    # The shortest decimal that gives this float: 0.975 rounds to 0.98 although its binary value is smaller.
    value = Decimal(repr(round(ours, 12)))
    if shown == value:
        return EXACT
    places = max(decimals, _decimals(printed))
    step = Decimal(1).scaleb(-places)
    if shown == value.quantize(step, ROUND_HALF_UP):
        return ROUNDED
    if shown == value.quantize(step, ROUND_DOWN):
        return CUT
    return DIFFERS


def tally(cells: Iterable[Cell]) -> dict[str, Counter[str]]:
    """Count the verdicts, table by table."""
    counts: dict[str, Counter[str]] = {}
    for cell in cells:
        counts.setdefault(cell.table, Counter())[cell.verdict] += 1
    return counts


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])
