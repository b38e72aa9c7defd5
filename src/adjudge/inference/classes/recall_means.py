"""Means of the classes' recalls: balanced accuracy and the like, and the geometric mean.

Recalls of different classes are independent, so the interval of their mean follows from the limits of each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge.indices.class_measures import named_classes
from adjudge.indices.record import Index
from adjudge.inference.classes.shares import interval_of_mean, interval_of_product
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import reason_of
from adjudge.statistics.classes import ClassCounts, LabelCounts

__all__ = ["MEANS_OF_RECALLS", "interval_of_recalls", "why_not_compared", "why_unknown"]

#: Indices that are means of the classes' recalls, whose denominators are fixed.
MEANS_OF_RECALLS = ("balanced_accuracy", "adjusted_balanced_accuracy", "macro_recall", "g_mean")
# Those that ignore classes that do not occur in the truth.
_OF_THOSE_THAT_OCCUR = ("balanced_accuracy", "adjusted_balanced_accuracy")


def interval_of_recalls(record: Index, counts: ClassCounts, confidence: float) -> Interval:
    """Return the interval of a mean of recalls from Wilson's limits of each (MOVER).

    Parameters
    ----------
    record : Index
        One of :data:`MEANS_OF_RECALLS`.
    counts : ClassCounts
        Unweighted; every class occurs in the truth.
    confidence : float

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import find_index
    >>> from adjudge.statistics import Confusion
    >>> from adjudge.inference.classes.recall_means import interval_of_recalls
    >>> counts = Confusion([0, 1], np.array([[18, 2], [1, 4]])).by_class()
    >>> found = interval_of_recalls(find_index("balanced_accuracy", "classification"), counts, 0.95)
    >>> round(found.low, 3), round(found.high, 3)
    (0.615, 0.939)
    """
    n, right = counts.true.astype(np.float64), counts.right.astype(np.float64)
    if record.name == "g_mean":
        return interval_of_product(record.of(counts), n, right, confidence)
    own = interval_of_mean(n, right, confidence)
    if record.name != "adjusted_balanced_accuracy":
        return own
    k = counts.k
    return replace(own, low=(k * own.low - 1) / (k - 1), high=(k * own.high - 1) / (k - 1))


def why_unknown(record: Index, counts: LabelCounts) -> str | None:
    """Say that the mean ignores a class whose recall is unknown; None if all recalls are known."""
    absent = counts.true == 0
    if record.name not in MEANS_OF_RECALLS or not absent.any():
        return None
    return reason_of("recall unknown", classes=named_classes(counts.classes, absent))


def why_not_compared(record: Index, one: ClassCounts, other: ClassCounts) -> str | None:
    """Say that means over the classes that occur cover different classes in two groups; None if they do not.

    Parameters
    ----------
    record : Index
    one, other : ClassCounts
        Counts of the same classes, in the same order.
    """
    alone = (one.true > 0) != (other.true > 0)
    if record.name not in _OF_THOSE_THAT_OCCUR or not alone.any():
        return None
    names = named_classes(one.classes, alone)
    return f"{names} does not occur in both groups: the scores are means over different classes"
