"""Intervals of scores of two classes, from the probabilities of tables of four counts.

A class with few instances has few right answers and few wrong ones. Scores that divide by their number, F1 and kappa
and correlations, are then neither normal nor smooth, and no standard error describes them. But a table of one class
against the rest has four counts, and so few neighbours that the distribution of the score can be summed over them:
:mod:`adjudge.inference.common.two_by_two` does it. So has the table of where two models are right and wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.class_measures import MEASURES
from adjudge.inference.common.two_by_two import Reading, TablesOfFour, TestOfFour
from adjudge.inference.interval import Interval
from adjudge.statistics.classes import OneVersusRest

__all__ = ["SCORES", "OfTables", "interval_of_tables", "kappa_of_tables", "tables_of_few"]

Floats = NDArray[np.float64]
#: A score of tables: of the positive class against the other, arrays of counts.
OfTables = Callable[[OneVersusRest], Floats]

# A count from which on errors are normal, if no other is smaller.
_MANY = 50
_AT_A_LIMIT = "one-sided: the estimate is the {} possible value"


def _other(positive: OneVersusRest) -> OneVersusRest:
    """Return the counts of the other class against the positive one."""
    return OneVersusRest(positive.tn, positive.fn, positive.fp, positive.tp)


def _of_positive(measure: str) -> OfTables:
    return lambda c: MEASURES[measure].values(c)


def _macro(measure: str) -> OfTables:
    values = _of_positive(measure)
    return lambda c: (values(c) + values(_other(c))) / 2


def _weighted(measure: str) -> OfTables:
    values = _of_positive(measure)

    def of_tables(c: OneVersusRest) -> Floats:
        found = np.zeros(c.tp.shape)
        for own in (c, _other(c)):
            weights = own.tp + own.fn
            # A class without weight may be undefined.
            found += np.where(weights > 0, weights * values(own), 0.0)
        return np.asarray(found / (c.tp + c.fp + c.fn + c.tn))

    return of_tables


def kappa_of_tables(c: OneVersusRest) -> Floats:
    """Cohen's kappa; of two classes the weighted ones are no others."""
    expected = (c.tp + c.fp) * (c.fp + c.tn) + (c.tp + c.fn) * (c.fn + c.tn)
    return np.asarray(2 * (c.tp * c.tn - c.fp * c.fn) / _not_zero(expected))


def _pooled_share(c: OneVersusRest) -> Floats:
    """Mean of the positive class's shares in truth and prediction."""
    return np.asarray((2 * c.tp + c.fp + c.fn) / (2 * (c.tp + c.fp + c.fn + c.tn)))


def _scott_pi(c: OneVersusRest) -> Floats:
    share, wrong = _pooled_share(c), (c.fp + c.fn) / (c.tp + c.fp + c.fn + c.tn)
    return np.asarray(1 - wrong / _not_zero(2 * share * (1 - share)))


def _gwet_ac1(c: OneVersusRest) -> Floats:
    share, wrong = _pooled_share(c), (c.fp + c.fn) / (c.tp + c.fp + c.fn + c.tn)
    return np.asarray(1 - wrong / (1 - 2 * share * (1 - share)))


def _not_zero(denominators: Floats) -> Floats:
    return np.where(denominators == 0, math.nan, denominators)


#: Scores of two classes by the names of their records, of tables. Those whose denominators are given, shares of a class
#: or of its predictions, have intervals of shares.
SCORES: dict[str, OfTables] = {
    "cohen_kappa": kappa_of_tables,
    "linear_weighted_kappa": kappa_of_tables,
    "quadratic_weighted_kappa": kappa_of_tables,
    "scott_pi": _scott_pi,
    "gwet_ac1": _gwet_ac1,
    "matthews_correlation": _of_positive("matthews_correlation"),
    "f1": _of_positive("f1"),
    "macro_f1": _macro("f1"),
    "weighted_f1": _weighted("f1"),
    "class_jaccard": _of_positive("jaccard"),
    "macro_jaccard": _macro("jaccard"),
    "weighted_jaccard": _weighted("jaccard"),
    "weighted_precision": _weighted("precision"),
    "weighted_specificity": _weighted("specificity"),
    "weighted_negative_predictive_value": _weighted("negative_predictive_value"),
}


def tables_of_few(counts: Sequence[int]) -> TablesOfFour | None:
    """Return the tables near one of true positives, false positives, false negatives and true negatives.

    None if there are many of each, so that errors are normal, or fewer than two in all.
    """
    found = np.array(counts)
    return TablesOfFour(found) if found.min() < _MANY and found.sum() > 1 else None


def interval_of_tables(
    tables: TablesOfFour, score: OfTables, limits: tuple[float, float], confidence: float
) -> Interval:
    """Make the interval of a score by inverting its test.

    Parameters
    ----------
    tables : TablesOfFour
        Near the observed one, as :func:`tables_of_few` makes them.
    score : callable
        From the counts of tables to the values; nan for a table without one.
    limits : (float, float)
        Smallest and largest value that it can have.
    confidence : float
    """

    def of_tables(rows: Floats) -> Floats:
        return score(OneVersusRest(*rows.T))

    value = float(of_tables(tables.counts[None])[0])
    if math.isnan(value):
        return Interval.undefined(confidence, "tables", "the score is undefined")
    low, high = TestOfFour(tables, Reading.of_shares(of_tables)).interval(confidence)
    low, high = max(limits[0], min(low, value)), min(limits[1], max(high, value))
    if value not in limits:
        return Interval(low, high, confidence, "tables")
    which = "smallest" if value == limits[0] else "largest"
    return Interval(low, high, confidence, "tables", _AT_A_LIMIT.format(which), one_sided=True)
