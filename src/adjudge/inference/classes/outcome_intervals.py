"""Intervals of the Prayatul measures of two classifiers, and of how alike their errors are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.options import check_confidence
from adjudge.indices.catalog import list_indices
from adjudge.indices.record import Index
from adjudge.inference.classes.label_influence import influence_of_table, spread_tables
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.common.proportions import mid_p
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import NO_ESTIMATE, WEIGHTED
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.agreement import CELLS, Agreement, WeightedAgreement

__all__ = ["classification_intervals", "diversity_intervals"]


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
    cells = np.array([getattr(agreement, cell) for cell in CELLS], np.float64)
    br, rw, wr, _ = cells.tolist()

    def made(top: tuple[int, ...], bottom: tuple[int, ...], limits: tuple[float, float]) -> Interval:
        """Return the interval of a quotient of two sums over the cells, linearised."""
        total = float(cells @ bottom)
        if total == 0:
            return Interval(*limits, confidence, "score", f"{NO_ESTIMATE}: every value is possible")
        value = float(cells @ top) / total
        psi = (np.array(top) - value * np.array(bottom)) * (agreement.total / total)
        own = Influence.centred(value, psi, cells, event=(limits[1] - limits[0]) / total)
        return interval_of(own, limits, confidence, drawn, fewest_events=0.0)

    def proportion(k: float, n: float, limits: tuple[float, float], reason: str) -> Interval:
        low, high = limits
        if n == 0:
            return Interval(low, high, confidence, "mid-p", reason)
        below, above = mid_p(k / n, n, confidence)
        width = high - low
        return Interval(low + width * below, low + width * above, confidence, "mid-p", one_sided=k in (0, n))

    disagree, never = (
        "the models never disagree (RW + WR = 0): every value is possible",
        "neither model is right anywhere: every value is possible",
    )
    everyone, seen = (1, 1, 1, 1), (1, 1, 1, 0)
    found = {
        "comparative_deviation": made((0, 1, -1, 0), (0, 1, 1, 0), (-1.0, 1.0)),
        "polarization": made((1, 1, 0, -1), everyone, (-1.0, 1.0)),
        "comparative_rightness": made((1, 1, 0, 0), seen, (0.0, 1.0)),
        "effective_rightness": made((1, 1, -1, 0), seen, (-1.0, 1.0)),
        "effective_superiority": made((1, 1, -1, 0), everyone, (-1.0, 1.0)),
    }
    if drawn is None:
        found |= {
            "comparative_deviation": proportion(rw, rw + wr, (-1.0, 1.0), disagree),
            "comparative_rightness": proportion(br + rw, br + rw + wr, (0.0, 1.0), never),
            "effective_rightness": proportion(br + rw, br + rw + wr, (-1.0, 1.0), never),
        }
    return found


#: Proportions: which of the four outcomes (both right, right and wrong, wrong and right, both wrong) are counted, and
#: among which.
_SHARES = {
    "disagreement": ((0, 1, 1, 0), (1, 1, 1, 1)),
    "double_fault": ((0, 0, 0, 1), (1, 1, 1, 1)),
    "complementarity": ((0, 0, 1, 0), (0, 0, 1, 1)),
    "negative_flip_rate": ((0, 1, 0, 0), (1, 1, 1, 1)),
    "positive_flip_rate": ((0, 0, 1, 0), (1, 1, 1, 1)),
    "new_error_share": ((0, 1, 0, 0), (0, 1, 0, 1)),
}


def diversity_intervals(agreement: Agreement, *, confidence: float = 0.95) -> dict[str, Interval]:
    """Return the intervals of the diversity indices, treating the instances as a sample.

    Proportions have Wilson's interval; other indices have intervals from influence values.

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
    cells = np.array(
        [agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong]
    )
    if cells.dtype.kind == "f":
        none = Interval.undefined(confidence, "score", WEIGHTED)
        return {record.name: none for record in list_indices("diversity")}
    return {record.name: _interval(record, cells, confidence) for record in list_indices("diversity")}


def _interval(record: Index, cells: NDArray[Any], confidence: float) -> Interval:
    low, high = map(float, record.range)
    if record.name not in _SHARES:
        return interval_of(_influence(record, cells), (low, high), confidence)
    top, bottom = np.array(_SHARES[record.name])
    return interval_of_share(int(top @ cells), int(bottom @ cells), confidence)


def _influence(record: Index, cells: NDArray[Any]) -> Influence:
    def value(own: NDArray[Any]) -> float:
        return float(record.assess(WeightedAgreement(*own.ravel().tolist()))[0])

    observed, table = value(cells), cells.reshape(2, 2)
    if not math.isfinite(observed):
        return Influence(observed, np.full(4, math.nan), cells.astype(np.float64))
    spread = np.array([value(own) for own in spread_tables(table, 1.0)])
    low, high = map(float, record.range)
    return influence_of_table(observed, spread, table, (low, high), 1.0)
