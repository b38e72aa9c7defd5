"""How an index that is made of entropies changes with them, and where it turns back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.score_intervals import slopes_of
from adjudge.inference.common.turns import Turn, turns_of
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies

__all__ = [
    "ENOUGH_A_CELL",
    "ROUNDING",
    "OneClusterError",
    "even_cells",
    "information_at",
    "slopes_and_turns",
    "turn_at_independence",
    "value_and_slope",
]

Float64s = NDArray[np.float64]

#: Instances a cell from which on chi-square describes the information of independent partitions.
ENOUGH_A_CELL = 5
#: What sums of logarithms may differ by: an interval that ends at log K is to hold it.
ROUNDING = 1e-12
_STEP = 1e-6
_TINY = 1e-300
# Part of the variance from which on what even cells have may decide.
_NEARLY_FLAT = 0.05


class OneClusterError(Exception):
    """A law leaves a partition one cluster: it has no slope there."""


def information_at(table: Contingency, at: Float64s) -> PartitionEntropies:
    """Return what the indices read, for a population with other entropies than the table has."""
    true, pred, joint = at.tolist()
    made = PartitionEntropies(
        n=table.n,
        mutual=true + pred - joint,
        entropy_true=true,
        entropy_pred=pred,
        true_given_pred=joint - pred,
        pred_given_true=joint - true,
        identical=False,
        row_sums=table.row_sums,
        col_sums=table.col_sums,
    )
    # What chance gives vanishes as the number of instances grows.
    made.__dict__["expected_mutual"] = 0.0
    return made


def value_and_slope(
    table: Contingency, formula: Callable[[Any], float], at: Float64s
) -> tuple[float, Float64s]:
    """Value of an index at the entropies of the truth, the prediction and both, and its slope in these."""
    start = formula(information_at(table, at))
    slope = np.empty(3)
    for i in range(3):
        step = np.zeros(3)
        step[i] = _STEP * max(1.0, float(at.max()))
        ahead, behind = (formula(information_at(table, at + sign * step)) for sign in (1, -1))
        slope[i] = (ahead - behind) / (2 * step[i])
    return start, slope


def even_cells(cells: int, n: float, estimate: float) -> Turn:
    """Return the turn at even cells: what the entropy of a sample lacks there is chi-square over 2 n."""
    largest, scale, freedom = math.log(cells) + ROUNDING, -1 / (2 * n), cells - 1
    return Turn(largest, 2 * freedom * scale**2, scale, (estimate - largest) / scale + freedom)


def turn_at_independence(table: Contingency, formula: Callable[[Any], float]) -> Turn | None:
    """Return the turn of an index that has one value for all independent partitions, as the information has.

    2 n times the mutual information varies as noncentral chi-square there.
    """
    n = table.n
    r, c = table.shape
    information = table.information
    true, pred = information.entropy_true, information.entropy_pred
    if n < ENOUGH_A_CELL * r * c or min(r, c) < 2:
        return None

    def at(mutual: float, stretched: float = 1.0) -> float:
        return formula(
            information_at(table, np.array([stretched * true, pred, stretched * true + pred - mutual]))
        )

    value = at(0.0)
    if abs(at(0.0, 1.01) - value) > _STEP:
        return None
    scale = (at(_STEP) - value) / _STEP / (2 * n)
    freedom = (r - 1) * (c - 1)
    return Turn(value, 2 * freedom * scale**2, scale, 2 * n * information.mutual) if scale != 0 else None


def slopes_and_turns(
    table: Contingency, formula: Callable[[Any], float]
) -> tuple[tuple[float, float], tuple[Turn | None, Turn | None]]:
    """Slopes of the variance, and turns, of an index that is nearly flat, by tilting the law of the cells."""
    rows, cols, counts = table.cells()
    n = table.n
    shares = counts / n

    def look(law: Float64s) -> tuple[float, float, float, Float64s]:
        parts = [np.bincount(rows, law)[rows], np.bincount(cols, law)[cols], law]
        logs = [-np.log(np.maximum(part, _TINY)) for part in parts]
        at = np.array([float(law @ log) for log in logs])
        least = 2 * _STEP * max(1.0, float(at.max()))
        if any(k > 1 and not own > least for k, own in zip(table.shape, at[:2], strict=True)):
            raise OneClusterError
        value, slope = value_and_slope(table, formula, at)
        if not np.isfinite(slope).all():
            return value, math.nan, math.nan, law
        influence = np.asarray(sum(s * (log - h) for s, log, h in zip(slope, logs, at, strict=True)))
        # The entropy of even cells varies as chi-square.
        of_even = float(slope[2]) ** 2 * (counts.size - 1) / (2.0 * n * n)
        return value, float(law @ influence**2) / n, of_even, influence

    value, variance, of_even, influence = look(shares)
    if float(np.abs(influence).max()) <= ROUNDING:
        # Cells are even. Every direction leads away from the turn, that of the first cell as well as another.
        variance, influence = 0.0, (np.arange(counts.size) == 0) - shares[0]
    if not of_even > _NEARLY_FLAT * variance:
        return (math.nan, math.nan), (None, None)
    unit = influence / math.sqrt(n * float(shares @ influence**2))

    def tilted(z: float) -> tuple[float, float, float]:
        law = shares * np.maximum(0.0, 1 + np.clip(z * unit, -3.0, 3.0))
        if not law.any():
            raise OneClusterError
        there, linear, even, _ = look(law / law.sum())
        return there, linear + even, linear

    whole = variance + of_even
    return slopes_of(value, whole, lambda z: tilted(z)[:2]), turns_of(value, whole, tilted)
