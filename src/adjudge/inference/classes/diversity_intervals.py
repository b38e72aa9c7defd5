"""Confidence intervals of how similar the errors of two classifiers are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.catalog import list_indices
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.classes.two_classes import SCORES, OfTables, interval_of_tables, tables_of_few
from adjudge.inference.common.interval_methods import score_interval
from adjudge.inference.interval import Interval
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.classes import OneVersusRest

__all__ = ["diversity_intervals"]

#: Proportions: what is counted, and among what.
_SHARES = {
    "disagreement": (("right_wrong", "wrong_right"), ("both_right", "both_wrong")),
    "double_fault": (("both_wrong",), ("both_right", "right_wrong", "wrong_right")),
    "complementarity": (("wrong_right",), ("both_wrong",)),
    "negative_flip_rate": (("right_wrong",), ("both_right", "wrong_right", "both_wrong")),
    "positive_flip_rate": (("wrong_right",), ("both_right", "right_wrong", "both_wrong")),
    "new_error_share": (("right_wrong",), ("both_wrong",)),
}


def _q_of_tables(c: OneVersusRest) -> NDArray[np.float64]:
    same, different = c.tp * c.tn, c.fp * c.fn
    total = np.where(same + different == 0, np.nan, same + different)
    return np.asarray((same - different) / total)


#: The others, of tables: right are "positive" there, the primary model is the truth and the alternative the prediction.
_OF_TABLES: dict[str, OfTables] = {
    "q_statistic": _q_of_tables,
    "correctness_correlation": SCORES["matthews_correlation"],
    "correctness_kappa": SCORES["cohen_kappa"],
}


def diversity_intervals(agreement: Agreement, *, confidence: float = 0.95) -> dict[str, Interval]:
    """Intervals of the indices of diversity, treating the instances as a sample.

    Wilson's of proportions; of the others from the tables near the observed one, unless all of its counts are large:
    then score-type, with the jackknife's standard error.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float

    Examples
    --------
    >>> from adjudge import Agreement
    >>> from adjudge.inference.classes.diversity_intervals import diversity_intervals
    >>> low, high = diversity_intervals(Agreement(38, 9, 5, 8))["negative_flip_rate"]
    >>> round(low, 3), round(high, 3)
    (0.081, 0.261)
    """
    found = {}
    tables = tables_of_few(
        [agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong]
    )
    for record in list_indices("diversity"):
        if record.name in _SHARES:
            found[record.name] = _proportion(agreement, *_SHARES[record.name], confidence)
            continue
        limits = float(record.range[0]), float(record.range[1])
        if tables is None:
            found[record.name] = _jackknifed(agreement, record.of, limits, confidence)
        else:
            found[record.name] = interval_of_tables(tables, _OF_TABLES[record.name], limits, confidence)
    return found


def _proportion(
    agreement: Agreement, counted: tuple[str, ...], others: tuple[str, ...], confidence: float
) -> Interval:
    successes = sum(getattr(agreement, cell) for cell in counted)
    n = successes + sum(getattr(agreement, cell) for cell in others)
    return interval_of_share(successes, n, confidence)


def _jackknifed(
    agreement: Agreement, value: Callable[[Agreement], float], limits: tuple[float, float], confidence: float
) -> Interval:
    cells = ["both_right", "right_wrong", "wrong_right", "both_wrong"]
    counts = [getattr(agreement, cell) for cell in cells]
    n = agreement.total
    estimate = value(agreement)
    if math.isnan(estimate) or n < 2:
        return Interval.undefined(confidence, "score", "the index is undefined")
    mean = 0.0
    rest = []
    for i, count in enumerate(counts):
        less = value(Agreement(*(c - (i == j) for j, c in enumerate(counts)))) if count else 0.0
        rest.append(less)
        mean += count * less / n
    spread = sum(count * (less - mean) ** 2 for count, less in zip(counts, rest, strict=True))
    return score_interval(estimate, limits, math.sqrt((n - 1) / n * spread), n, confidence)
