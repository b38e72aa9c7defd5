"""Intervals of means of the classes' recalls: of balanced accuracy and its like, and of the geometric mean.

Recalls of different classes are independent, so the variances of their shares in the mean add up. A class with one or
two instances hardly shows how its own recall varies: of one instance it is 0 or 1. So each variance is that of the
class together with two instances that are right as often as all instances are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.class_measures import named_classes
from adjudge.indices.record import Index
from adjudge.inference.common.proportions import clopper_pearson, normal_quantile, wilson
from adjudge.inference.interval import Interval
from adjudge.statistics.classes import ClassCounts

__all__ = ["MEANS_OF_RECALLS", "interval_of_mean", "interval_of_recalls", "why_not_compared", "why_unknown"]

Floats = NDArray[np.float64]

#: Indices that are means of the classes' recalls, whose denominators are given.
MEANS_OF_RECALLS = ("balanced_accuracy", "adjusted_balanced_accuracy", "macro_recall", "g_mean")
# Those that leave out classes that do not occur in the truth.
_OF_THOSE_THAT_OCCUR = ("balanced_accuracy", "adjusted_balanced_accuracy")
# How many instances of all classes a class is put together with.
_BORROWED = 2
# Classes of which each decides the mean: if all instances of one are right, what is borrowed may hide its mistakes.
_FEW_CLASSES = 3
# Instances with which Wilson's limits hold.
_FEW = 5


def interval_of_recalls(record: Index, counts: ClassCounts, confidence: float) -> Interval:
    """Make the interval of a mean of recalls: Wilson's, of as many instances as would have the variance of the mean.

    If all instances are right, or none, there is no such number. Then Wilson's limits of all recalls are made, and
    their distances add up in squares (MOVER). With two or three classes the interval goes at least as far if all
    instances of a class are right, or none: a class of 20 that is right in 0.95 has no mistake in a third of the
    samples.

    Parameters
    ----------
    record : Index
        One of :data:`MEANS_OF_RECALLS`.
    counts : ClassCounts
        Without weights.
    confidence : float

    References
    ----------
    Zou & Donner (2008), Construction of confidence limits about effect measures: a general approach ("MOVER").

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import Confusion, find_index
    >>> from adjudge.inference.classes.recall_means import interval_of_recalls
    >>> counts = Confusion([0, 1, 2], np.array([[18, 2, 0], [1, 4, 0], [0, 1, 0]])).by_class()
    >>> found = interval_of_recalls(find_index("balanced_accuracy", "classification"), counts, 0.95)
    >>> round(found.low, 3), round(found.high, 3)
    (0.247, 0.897)
    """
    value = record.of(counts)
    present = np.flatnonzero(counts.true > 0)
    if math.isnan(value) or (record.name not in _OF_THOSE_THAT_OCCUR and present.size < counts.k):
        return Interval.undefined(confidence, "wilson", "the score is undefined")
    if (reason := why_unknown(record, counts)) is not None:
        return Interval.undefined(confidence, "wilson", reason)
    n, right = (part[present].astype(np.float64) for part in (counts.true, counts.right))
    if record.name == "g_mean":
        return _of_product(value, n, right, confidence)
    k = present.size
    own = interval_of_mean(n, right, confidence)
    if record.name != "adjusted_balanced_accuracy":
        return own
    low, high = ((k * end - 1) / (k - 1) for end in own)
    return Interval(low, high, confidence, own.method)


def why_unknown(record: Index, counts: ClassCounts) -> str | None:
    """Say that the recall of a class is not known, which the mean leaves out; None if all are.

    Parameters
    ----------
    record : Index
    counts : ClassCounts
    """
    absent = counts.true == 0
    if record.name not in MEANS_OF_RECALLS or not absent.any():
        return None
    names = named_classes(counts.classes, absent)
    return f"no interval: {names} does not occur in the truth, so that its recall is not known"


def why_not_compared(record: Index, one: ClassCounts, other: ClassCounts) -> str | None:
    """Say that means over the classes that occur are not over the same classes in two groups; None if they are.

    Parameters
    ----------
    record : Index
    one, other : ClassCounts
        Of the same classes, in the same order.
    """
    alone = (one.true > 0) != (other.true > 0)
    if record.name not in _OF_THOSE_THAT_OCCUR or not alone.any():
        return None
    names = named_classes(one.classes, alone)
    return f"{names} does not occur in both groups: the scores are means over different classes"


def interval_of_mean(n: Floats, right: Floats, confidence: float) -> Interval:
    """Make the interval of a mean of independent shares.

    Parameters
    ----------
    n, right : ndarray of float64 of shape (k,)
        Of what, and how many of them; none of `n` is 0.
    confidence : float
    """
    recalls, k = right / n, n.size
    mean = float(recalls.mean())
    if 0 < mean < 1:
        own = _of_share(mean, float(_variances(n, right).sum()) / k**2, confidence)
        if not _hides_mistakes(n, right):
            return own
        below, above = np.linalg.norm(_safe_limits(n, right, confidence) - recalls, axis=1) / k
        return _at_least(own, mean - float(below), mean + float(above))
    far = float(np.linalg.norm(_limits(n, right, confidence)[:, int(mean == 0)] - recalls)) / k
    return Interval(*((0.0, far) if mean == 0 else (1 - far, 1.0)), confidence, "mover")


def _of_product(value: float, n: Floats, right: Floats, confidence: float) -> Interval:
    k = n.size
    if value == 0:
        highs = _safe_limits(n, right, confidence)[1]
        reason = "a class is never right: up to the upper ends of all recalls"
        return Interval(0.0, math.exp(float(np.log(highs).mean())), confidence, "mover", reason)
    if value < 1:
        slopes = value / (k * right / n)
        own = _of_share(value, float((slopes**2 * _variances(n, right)).sum()), confidence)
        if not _hides_mistakes(n, right):
            return own
        logs = np.log(_safe_limits(n, right, confidence)) - np.log(right / n)
        below, above = np.linalg.norm(logs, axis=1) / k
        return _at_least(own, value * math.exp(-below), min(1.0, value * math.exp(above)))
    far = float(np.linalg.norm(np.log(_limits(n, right, confidence)[:, 0]))) / k
    return Interval(math.exp(-far), 1.0, confidence, "mover")


def _hides_mistakes(n: Floats, right: Floats) -> bool:
    """Whether there are few classes, and all instances of one are right, or none: such a class decides the mean."""
    return n.size <= _FEW_CLASSES and bool(((right == n) | (right == 0)).any())


def _at_least(own: Interval, low: float, high: float) -> Interval:
    """Make an interval longer where it ends before others do."""
    if low >= own.low and high <= own.high:
        return own
    return Interval(min(own.low, low), max(own.high, high), own.confidence, "mover")


def _of_share(value: float, variance: float, confidence: float) -> Interval:
    """Wilson's of as many instances as would have this variance."""
    n = value * (1 - value) / variance
    return Interval(*wilson(value, n, normal_quantile(confidence)), confidence, "wilson")


def _limits(n: Floats, right: Floats, confidence: float) -> Floats:
    """Wilson's limits of each recall, of shape (k, 2)."""
    z = normal_quantile(confidence)
    return np.array([wilson(x / size, size, z) for x, size in zip(right.tolist(), n.tolist(), strict=True)])


def _safe_limits(n: Floats, right: Floats, confidence: float) -> Floats:
    """Wilson's limits of each recall, of shape (2, k); of very few instances Clopper and Pearson's, which hold."""
    own, exact = _limits(n, right, confidence).T, np.array(clopper_pearson(right, n, confidence))
    return np.where(n < _FEW, exact, own)


def _variances(n: Floats, right: Floats) -> Floats:
    """Estimate the variance of each recall from its class and instances of all classes.

    Were the class right as often as all are, the mean of the estimates would be the variance: the borrowed instances
    do not vary, so that of the others is divided by what they leave of it.
    """
    share = right.sum() / n.sum()
    shrunk = (right + _BORROWED * share) / (n + _BORROWED)
    return np.asarray(shrunk * (1 - shrunk) / (n * (1 - n / (n + _BORROWED) ** 2)))
