"""Intervals of the measures of each class, if rows were drawn in units or with weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.class_measures import MEASURES, ClassMeasure
from adjudge.inference.drawn import Drawn
from adjudge.inference.influence import Influence, slope_in
from adjudge.inference.interval import Interval, interval_of
from adjudge.statistics.classes import LabelCounts, OneVersusRest

__all__ = ["intervals_of_outcomes", "outcomes_of"]

Ints = NDArray[np.int64]

#: Measures below 0 if a class is found worse than by chance.
_FROM_MINUS_ONE = ("matthews_correlation", "informedness", "markedness")


def outcomes_of(drawn: Drawn, truth: Ints, said: Ints) -> Callable[[int], Drawn]:
    """Tell of each class which rows are true and false positives, false and true negatives: these are its entries.

    Parameters
    ----------
    drawn : Drawn
    truth, said : ndarray of int64
        The true and the predicted class of each entry of it.
    """
    entry = np.arange(truth.size) if drawn.entry is None else drawn.entry

    def of_class(code: int) -> Drawn:
        outcomes = 2 * (said != code) + (truth != code)
        return Drawn(drawn.unit, drawn.n_units, outcomes[entry], drawn.counts)

    return of_class


def intervals_of_outcomes(
    counts: LabelCounts, measures: Iterable[str], confidence: float, drawn: Callable[[int], Drawn]
) -> dict[str, list[Interval]]:
    """Intervals of several measures for each class.

    Parameters
    ----------
    counts : LabelCounts
    measures : iterable of str
        Keys of :data:`adjudge.indices.class_measures.MEASURES`, but no ratios of likelihoods or odds.
    confidence : float
    drawn : callable
        Says of a class how the rows were drawn; its entries are true and false positives, false and true negatives.
    """
    rest = counts.one_versus_rest
    cells = np.stack([rest.tp, rest.fp, rest.fn, rest.tn], axis=1).astype(np.float64)
    found: dict[str, list[Interval]] = {name: [] for name in measures}
    for code in range(counts.k):
        of_class = drawn(code)
        for name, intervals in found.items():
            limits = (-1.0 if name in _FROM_MINUS_ONE else 0.0, 1.0)
            intervals.append(
                interval_of(_influence(MEASURES[name], cells[code]), limits, confidence, of_class)
            )
    return found


def _influence(measure: ClassMeasure, cells: NDArray[np.float64]) -> Influence:
    """Tell what an instance of each outcome does to a measure of a class."""

    def value(numbers: NDArray[np.float64]) -> float:
        return float(measure.values(OneVersusRest(*numbers[:, None]))[0])

    observed, n = value(cells), float(cells.sum())
    if not math.isfinite(observed):
        return Influence(observed, np.full(cells.size, math.nan), cells)
    slopes = slope_in(cells, value)
    return Influence.centred(observed, n * slopes, cells, event=float(np.ptp(slopes)))
