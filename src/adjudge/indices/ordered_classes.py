"""Scores of classes in an order, in which a near miss is a smaller mistake."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.forecast_record import forecast_index
from adjudge.indices.label_record import ORDERED, classification
from adjudge.indices.record import Noted
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.ordered_forecasts import OrderedLosses

_UNKNOWN = "if the order of three classes or more is not known."
_POSITIONS = {
    "c": "position of a class in the order of the classes",
    "c'": "position of another",
    "n_{cc'}": "instances of class c that are predicted as c'",
}


@classification(
    title="Off by at most one",
    range=(0, 1),
    reference="gaudette2009",
    formula=r"\frac1n \sum_{|c - c'| < 2} n_{cc'}",
    symbols=_POSITIONS,
    undefined=_UNKNOWN,
    symmetric=True,
    reads_order=True,
    aliases=("off_by_one",),
    note=ORDERED,
)
def within_one(confusion: Confusion) -> float | Noted:
    """Share of the instances whose label is right, or next to the right one.

    >>> within_one([1, 2, 3, 4, 5], [1, 1, 5, 3, 5])
    0.8
    """
    rows, cols, counts = confusion.cells()
    places = confusion.places
    near = counts[np.abs(places[rows] - places[cols]) <= 1]
    return _total(near) / _total(counts)


@classification(
    title="Macro-averaged mean absolute error",
    better="lower",
    range=(0, math.inf),
    reference="baccianella2009",
    formula=r"\frac{1}{|C|} \sum_{c \in C} \frac{1}{n_{c\cdot}} \sum_{c'} |c - c'|\, n_{cc'}",
    symbols={**_POSITIONS, "C": "the classes that occur in the truth"},
    undefined=_UNKNOWN,
    reads_order=True,
    aliases=("mae_macro", "average_mae"),
    peers={"imbalanced-learn": "macro_averaged_mean_absolute_error"},
    note=ORDERED,
)
def macro_mae(confusion: Confusion) -> float | Noted:
    """Mean over the true classes of how many classes the prediction is off.

    >>> macro_mae([1, 1, 1, 2, 3], [1, 1, 2, 2, 1])
    0.7777777777777778
    """
    rows, cols, counts = confusion.cells()
    places = confusion.places
    off = np.abs(places[rows] - places[cols]) * counts
    sums, sizes = (np.bincount(rows, own, len(confusion.labels)) for own in (off, counts))
    occurs = sizes > 0
    return math.fsum((sums[occurs] / sizes[occurs]).tolist()) / int(occurs.sum())


def _total(counts: NDArray[Any]) -> float:
    """Return the sum of counts, or of weights, rounded once."""
    return math.fsum(counts.tolist())


@forecast_index(
    title="Ranked probability score",
    better="lower",
    range=(0, math.inf),
    range_of_two=(0, 1),
    reference="epstein1969",
    formula=r"\frac1n \sum_i \sum_{c=1}^{C-1} \left(\sum_{c'=1}^{c} (p_{ic'} - y_{ic'})\right)^2",
    symbols={
        "p_{ic'}": "probability forecast for class c' of instance i",
        "y_{ic'}": "1 if instance i is of class c', else 0",
        "C": "number of classes, in their order",
    },
    undefined=_UNKNOWN,
    reads_order=True,
    aliases=("rps",),
    note="Proper. Of two classes it is the Brier score; some divide by C - 1. The order is that of `classes`, of the "
    "type of the truth, or of numbers.",
)
def ranked_probability_score(losses: OrderedLosses) -> float | Noted:
    """Mean squared difference between the cumulative forecast and outcome, for classes in an order.

    >>> near, far = [[0.1, 0.8, 0.1]], [[0.8, 0.1, 0.1]]
    >>> round(ranked_probability_score([3], near, classes=[1, 2, 3]), 2)
    0.82
    >>> round(ranked_probability_score([3], far, classes=[1, 2, 3]), 2)
    1.45
    """
    return float(losses.ranked / losses.total) if losses.reason is None else Noted(math.nan, losses.reason)
