"""Intervals of external indices for instances with sampling weights, linearised over the cells of the table.

References
----------
Binder (1983), On the variances of asymptotically normal estimators from complex surveys, International Statistical
Review 51, 279-292.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.record import Index
from adjudge.inference.influence import Influence, rounding_of
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.partitions.overlap_influence import OVERLAPS
from adjudge.inference.refusals import MOST_LEFT_OUT, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.making import Made
from adjudge.statistics.weighted import WeightedContingency

__all__ = ["weighted_intervals"]

# Part of a cell's weight that is subtracted and added for a derivative, whose error is of the order of its square.
_PART = 1e-4


def weighted_intervals(
    records: Sequence[Index], table: WeightedContingency, confidence: float, drawn: Drawn
) -> dict[str, Interval]:
    """Return the interval of each index.

    Parameters
    ----------
    records : sequence of Index
    table : WeightedContingency
    confidence : float
    drawn : Drawn
        How rows were sampled; its entries are the table's cells, in row order.

    Returns
    -------
    dict of str to Interval
        By name of the index.
    """
    if table.weights.size > MOST_LEFT_OUT:
        none = Interval.undefined(confidence, "score", reason_of("many cells"))
        return {record.name: none for record in records}
    # Tables are created one by one: there are as many as cells, and each has that many cells.
    known = [_assessed(records, table)]
    for cell in range(table.weights.size):
        known += [_assessed(records, _changed(table, cell, 1 + sign * _PART)) for sign in (-1, 1)]
    return {
        record.name: _interval(record, values, table, confidence, drawn)
        for record, values in zip(records, np.array(known).reshape(len(known), -1).T, strict=True)
    }


def _assessed(records: Sequence[Index], table: WeightedContingency) -> list[float]:
    made = Made({WeightedContingency: table})
    return [record.assess(*(made[kind] for kind in record.requires))[0] for record in records]


def _changed(table: WeightedContingency, cell: int, factor: float) -> WeightedContingency:
    """Return the table with the weight of a cell slightly increased or decreased."""
    factors = np.where(np.arange(table.weights.size) == cell, factor, 1.0)
    return replace(table, weights=table.weights * factors, squares=table.squares * factors)


def _interval(
    record: Index, values: NDArray[np.float64], table: WeightedContingency, confidence: float, drawn: Drawn
) -> Interval:
    r, c = table.shape
    if r != c and record.name in OVERLAPS and OVERLAPS[record.name].one_to_one:
        return Interval.undefined(confidence, "score", reason_of("not as many clusters"))
    steps = 2 * _PART * (table.weights / table.total)
    with np.errstate(invalid="ignore"):
        psi = (values[2::2] - values[1::2]) / steps
    limits = (float(record.range[0]), float(record.range[1]))
    # A quotient by squares of numbers of pairs is far smaller than its range.
    sizes = limits if record.name != "phi_crit" else ()
    noise = rounding_of(float(values[0]), *sizes) / steps
    counts = table.weights
    if not (math.isfinite(values[0]) and np.isfinite(psi).all()):
        return interval_of(
            Influence(float(values[0]), np.full(psi.size, math.nan), counts), limits, confidence, drawn
        )
    influence = Influence.centred(float(values[0]), psi, counts, rounding=noise)
    return interval_of(influence, limits, confidence, drawn)
