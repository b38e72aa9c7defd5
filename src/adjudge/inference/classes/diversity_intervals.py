"""Confidence intervals of how similar the errors of two classifiers are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.catalog import list_indices
from adjudge.indices.record import Index
from adjudge.inference.classes.label_influence import influence_of_table, spread_tables, weight_of_one
from adjudge.inference.classes.shares import influence_of_quotient, interval_of_share
from adjudge.inference.drawn import Drawn
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.agreement import Agreement, WeightedAgreement

__all__ = ["diversity_intervals"]

#: Proportions: which of both right, right and wrong, wrong and right, both wrong are counted, and among which.
_SHARES = {
    "disagreement": ((0, 1, 1, 0), (1, 1, 1, 1)),
    "double_fault": ((0, 0, 0, 1), (1, 1, 1, 1)),
    "complementarity": ((0, 0, 1, 0), (0, 0, 1, 1)),
    "negative_flip_rate": ((0, 1, 0, 0), (1, 1, 1, 1)),
    "positive_flip_rate": ((0, 0, 1, 0), (1, 1, 1, 1)),
    "new_error_share": ((0, 1, 0, 0), (0, 1, 0, 1)),
}


def diversity_intervals(
    agreement: Agreement, *, confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Intervals of the indices of diversity, treating the instances as a sample.

    Wilson's of proportions; of the others, and of rows that were drawn in units or with weights, from what instances of
    each cell do to the index.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float
    drawn : Drawn, optional
        Its entries are places among both right, right and wrong, wrong and right, both wrong.

    Examples
    --------
    >>> from adjudge import Agreement
    >>> from adjudge.inference.classes.diversity_intervals import diversity_intervals
    >>> low, high = diversity_intervals(Agreement(38, 9, 5, 8))["negative_flip_rate"]
    >>> round(low, 3), round(high, 3)
    (0.081, 0.261)
    """
    cells = np.array(
        [agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong]
    )
    if drawn is None and cells.dtype.kind == "f":
        none = Interval.undefined(confidence, "score", WEIGHTED)
        return {record.name: none for record in list_indices("diversity")}
    return {record.name: _interval(record, cells, confidence, drawn) for record in list_indices("diversity")}


def _interval(record: Index, cells: NDArray[Any], confidence: float, drawn: Drawn | None) -> Interval:
    low, high = map(float, record.range)
    if record.name not in _SHARES:
        return interval_of(_influence(record, cells, weight_of_one(drawn)), (low, high), confidence, drawn)
    top, bottom = np.array(_SHARES[record.name])
    if drawn is not None:
        influence = influence_of_quotient(top, bottom, cells)
        return interval_of(influence, (low, high), confidence, drawn, fewest_events=0.0)
    return interval_of_share(int(top @ cells), int(bottom @ cells), confidence)


def _influence(record: Index, cells: NDArray[Any], one: float) -> Influence:
    def value(own: NDArray[Any]) -> float:
        return float(record.assess(WeightedAgreement(*own.ravel().tolist()))[0])

    observed, table = value(cells), cells.reshape(2, 2)
    if not math.isfinite(observed):
        return Influence(observed, np.full(4, math.nan), cells.astype(np.float64))
    spread = np.array([value(own) for own in spread_tables(table, one)])
    low, high = map(float, record.range)
    return influence_of_table(observed, spread, table, (low, high), one)
