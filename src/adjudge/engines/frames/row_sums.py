"""Rows of probabilities in a table: their sums, and division by these where only a few decimals are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.engines.frames.counting import FrameTable, aggregated, loaded
from adjudge.engines.frames.score_expressions import probability
from adjudge.errors import InputError
from adjudge.given.row_sums import (
    MOST_DECIMALS,
    PERCENTAGES,
    SUMS_REMEDY,
    TOLERANCE,
    Rounded,
    allowed_by_decimals,
    allowed_by_epsilon,
    are_percentages,
)

__all__ = ["check_no_percentages", "divided_rows", "rounding_of_rows"]

_SINGLE = float(np.finfo(np.float32).eps)
_DUST = 1e-12


def check_no_percentages(least: float, greatest: float) -> None:
    """Raise if the extreme sums of the rows show that they add up to 100."""
    if are_percentages(least, greatest):
        raise InputError(f"probabilities add up to {least:.9g} in a row{PERCENTAGES}")


def rounding_of_rows(
    table: FrameTable, key: str, columns: Sequence[str], least: float, greatest: float
) -> Rounded | None:
    """Return the rounding that keeps rows from adding up to 1; None if they do, or if float32 explains it.

    Parameters
    ----------
    table : FrameTable
    key : str
        A column of labels, by its name in the frame.
    columns : sequence of str
        Columns of probabilities, by their names in the frame.
    least, greatest : float
        Smallest and largest sum of a row.

    Raises
    ------
    InputError
        If the precision of the numbers cannot explain what the rows add up to.
    """
    off = max(abs(total - 1) for total in (least, greatest))
    if off <= TOLERANCE:
        return None
    farthest = max((least, greatest), key=lambda total: abs(total - 1))
    single, *rounded = _farthest_from(table, key, columns)
    if off <= allowed_by_epsilon(len(columns), _SINGLE if single == 0 else 0.0):
        return None
    decimals = next(
        (d for d, found in enumerate(rounded, 1) if found <= max(_DUST, _SINGLE * (single == 0))), None
    )
    if decimals is None or off > allowed_by_decimals(len(columns), decimals) or least <= 0:
        raise InputError(f"probabilities add up to {farthest:.9g} in a row{SUMS_REMEDY}")
    return Rounded(None, decimals)


def _farthest_from(table: FrameTable, key: str, columns: Sequence[str]) -> list[float]:
    """Return how far the numbers are from float32 numbers, and from numbers with one to six decimals."""
    import narwhals as nw

    named = [nw.col(name).cast(nw.Float64) for name in columns]
    made = {"single": nw.max_horizontal(*((x.cast(nw.Float32).cast(nw.Float64) - x).abs() for x in named))}
    for decimals in range(1, MOST_DECIMALS + 1):
        made[f"to{decimals}"] = nw.max_horizontal(*((x.round(decimals) - x).abs() for x in named))
    rows = table.frame.select(key, **made)
    found = loaded(aggregated(rows, [key], {name: ("max", name) for name in made}))
    return [float(found[name].max()) for name in made]


def divided_rows(table: FrameTable, columns: Sequence[str]) -> FrameTable:
    """Divide the rows of probabilities that do not add up to 1 by their sums."""
    import narwhals as nw

    named = {name: probability(name) for name in columns}
    total = "__adjudge_sum__"
    frame = table.frame.with_columns(**named).with_columns(**{total: nw.sum_horizontal(*columns)})
    wrong = (nw.col(total) - 1.0).abs() > TOLERANCE
    divided = {
        name: nw.when(wrong).then(nw.col(name) / nw.col(total)).otherwise(nw.col(name)) for name in columns
    }
    return table.with_rows(frame.with_columns(**divided))
