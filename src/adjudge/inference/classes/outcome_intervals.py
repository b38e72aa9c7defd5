"""Intervals of the Prayatul measures of two classifiers, and of how alike their errors are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.options import check_confidence
from adjudge.indices.catalog import list_indices
from adjudge.indices.kinds import Kind
from adjudge.inference.common.proportions import mid_p
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_by_name, share_of
from adjudge.inference.linear import CellSums, Steps, scored
from adjudge.inference.refusals import WEIGHTED
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.agreement import CELLS, Agreement, WeightedAgreement


def classification_intervals(
    agreement: Agreement, *, confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Compute confidence intervals of the Prayatul measures of two classifiers.

    Comparative deviation and the rightnesses are proportions, or twice one, less 1: their intervals are the exact ones
    with half the weight on what was observed (mid-P). Comparative deviation leaves 0 out if
    :func:`~adjudge.inference.mcnemar_test` finds a difference. Polarization and effective superiority are sums of
    proportions, with score intervals.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float
    drawn : Drawn, optional
        How rows were sampled; its entries are the four cells of the matrix: both right, right and wrong, wrong and
        right, both wrong. All intervals then follow from sums by unit.

    Returns
    -------
    dict of str to Interval
        By measure.

    Examples
    --------
    >>> from adjudge.statistics import Agreement
    >>> from adjudge.inference.classes.outcome_intervals import classification_intervals
    >>> low, high = classification_intervals(Agreement(28, 5, 3, 4))["comparative_deviation"]
    >>> round(low, 3), round(high, 3)
    (-0.444, 0.789)
    """
    check_confidence(confidence)
    return _intervals("comparative", agreement, confidence, drawn, exact=True)


def diversity_intervals(agreement: Agreement, *, confidence: float = 0.95) -> dict[str, Interval]:
    """Return the intervals of the diversity indices, treating the instances as a sample.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float

    Examples
    --------
    >>> from adjudge.statistics import Agreement
    >>> from adjudge.inference.classes.outcome_intervals import diversity_intervals
    >>> low, high = diversity_intervals(Agreement(38, 9, 5, 8))["negative_flip_rate"]
    >>> round(low, 3), round(high, 3)
    (0.081, 0.261)
    """
    if isinstance(agreement.total, float):
        none = Interval.undefined(confidence, METHOD, WEIGHTED)
        return {record.name: none for record in list_indices("diversity")}
    return _intervals("diversity", agreement, confidence)


def _intervals(
    kind: Kind, agreement: Agreement, confidence: float, drawn: Drawn | None = None, *, exact: bool = False
) -> dict[str, Interval]:
    """Return the intervals of the indices of one kind; `exact` ones of shares are mid-P."""
    counts = np.array([getattr(agreement, cell) for cell in CELLS], np.float64)
    read = CellSums(np.arange(counts.size)[None], counts, _made)
    steps = Steps(read, 1.0 if drawn is None else drawn.share_of_one)
    found: dict[str, Wanted | Interval] = {}
    for record in list_indices(kind):
        low, high = map(float, record.range)
        own = Wanted(scored(record, steps).influence(read.cells, counts), (low, high), drawn)
        if math.isnan(own.influence.value):
            reason = f"{record.assess(agreement)[1]}: every value is possible"
            found[record.name] = Interval(low, high, confidence, METHOD, reason)
        elif exact and (share := share_of(own)) is not None:
            below, above = (low + (high - low) * end for end in mid_p(*share, confidence))
            one_sided = share[0] in (0, 1)
            found[record.name] = Interval(below, above, confidence, "mid-p", one_sided=one_sided)
        else:
            found[record.name] = own
    return intervals_by_name(found, confidence)


def _made(numbers: Floats) -> dict[type, Any]:
    return {Agreement: WeightedAgreement(*numbers.tolist())}
