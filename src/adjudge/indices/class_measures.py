"""One class against the rest: each measure for all classes at once, and averages over classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice
from adjudge.indices.record import Noted
from adjudge.statistics.classes import LabelCounts, OneVersusRest

Average = Literal["binary", "macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = ("binary", "macro", "micro", "weighted")
#: What to do with a class for which a measure is undefined: make the average undefined, leave out the class, or use
# 0 or 1.
Undefined = Literal["nan", "skip", 0, 1]

Parts = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class ClassMeasure:
    """A measure of one class against the rest: a numerator over a denominator.

    Attributes
    ----------
    parts : callable
        From counts to numerators and denominators, one per class.
    unless : str
        Why the denominator of a class is 0, if it is.
    limits : (float, float)
        Smallest and largest possible value.
    posterior_of : str
        The likelihood ratio from which it follows where the share of the class is known; empty if from none.
    is_of_others : bool
        Whether it is then the probability of the other classes.
    """

    parts: Callable[[OneVersusRest], Parts]
    unless: str
    limits: tuple[float, float] = (0.0, 1.0)
    posterior_of: str = ""
    is_of_others: bool = False

    def values(self, counts: OneVersusRest) -> Floats:
        """Return the value for each class; nan for 0/0, infinite for c/0."""
        numerators, denominators = self.parts(counts)
        empty = denominators == 0
        if not empty.any():
            return np.asarray(numerators / denominators, np.float64)
        quotients = numerators / np.where(empty, 1, denominators)
        found: Floats = np.asarray(quotients, np.float64)
        found[empty] = np.where(numerators[empty] > 0, math.inf, math.nan)
        return found


def _product_of_margins(c: OneVersusRest) -> NDArray[Any]:
    """Return the square root of the product of the four margins, rounded twice."""
    pairs = (c.tp + c.fn) * (c.tn + c.fp), (c.tp + c.fp) * (c.tn + c.fn)
    return np.asarray(np.sqrt(pairs[0].astype(np.float64) * pairs[1].astype(np.float64)))


def _covariation(c: OneVersusRest) -> NDArray[Any]:
    return np.asarray(c.tp * c.tn - c.fp * c.fn)


def f_measure_of_classes(beta: float) -> ClassMeasure:
    """Return the F-measure in which recall has beta times the weight of precision."""
    b = beta * beta if beta != 1 else 1

    def parts(c: OneVersusRest) -> Parts:
        return (1 + b) * c.tp, (1 + b) * c.tp + b * c.fn + c.fp

    return ClassMeasure(parts, _NOWHERE)


_POSITIVE, _NEGATIVE = "positive_likelihood_ratio", "negative_likelihood_ratio"
_NOWHERE = "neither occurs nor is predicted"
_NEVER_PREDICTED, _ALWAYS_PREDICTED = "is never predicted", "is always predicted"
_NO_INSTANCES = "has no instances to choose from"
_ABSENT, _ALONE = "does not occur in the truth", "is the only class in the truth"

#: Measures by name, in the order of a table by class.
MEASURES: dict[str, ClassMeasure] = {
    "precision": ClassMeasure(lambda c: (c.tp, c.tp + c.fp), _NEVER_PREDICTED, posterior_of=_POSITIVE),
    "recall": ClassMeasure(lambda c: (c.tp, c.tp + c.fn), _ABSENT),
    "f1": f_measure_of_classes(1.0),
    "specificity": ClassMeasure(lambda c: (c.tn, c.tn + c.fp), _ALONE),
    "negative_predictive_value": ClassMeasure(
        lambda c: (c.tn, c.tn + c.fn), _ALWAYS_PREDICTED, posterior_of=_NEGATIVE, is_of_others=True
    ),
    "false_positive_rate": ClassMeasure(lambda c: (c.fp, c.tn + c.fp), _ALONE),
    "false_negative_rate": ClassMeasure(lambda c: (c.fn, c.tp + c.fn), _ABSENT),
    "false_discovery_rate": ClassMeasure(
        lambda c: (c.fp, c.tp + c.fp), _NEVER_PREDICTED, posterior_of=_POSITIVE, is_of_others=True
    ),
    "false_omission_rate": ClassMeasure(
        lambda c: (c.fn, c.tn + c.fn), _ALWAYS_PREDICTED, posterior_of=_NEGATIVE
    ),
    "selection_rate": ClassMeasure(lambda c: (c.tp + c.fp, c.tp + c.fp + c.fn + c.tn), _NO_INSTANCES),
    "prevalence": ClassMeasure(lambda c: (c.tp + c.fn, c.tp + c.fp + c.fn + c.tn), _NO_INSTANCES),
    "detection_rate": ClassMeasure(lambda c: (c.tp, c.tp + c.fp + c.fn + c.tn), _NO_INSTANCES),
    "jaccard": ClassMeasure(lambda c: (c.tp, c.tp + c.fp + c.fn), _NOWHERE),
    "matthews_correlation": ClassMeasure(
        lambda c: (_covariation(c), _product_of_margins(c)),
        "occurs never or always, in the truth or among the predictions",
        (-1.0, 1.0),
    ),
    "informedness": ClassMeasure(
        lambda c: (_covariation(c), (c.tp + c.fn) * (c.tn + c.fp)),
        "occurs never or always in the truth",
        (-1.0, 1.0),
    ),
    "markedness": ClassMeasure(
        lambda c: (_covariation(c), (c.tp + c.fp) * (c.tn + c.fn)),
        "is predicted never or always",
        (-1.0, 1.0),
    ),
    _POSITIVE: ClassMeasure(
        lambda c: (c.tp * (c.tn + c.fp), c.fp * (c.tp + c.fn)),
        "occurs never or always in the truth, or is never predicted wrongly",
        (0.0, math.inf),
    ),
    _NEGATIVE: ClassMeasure(
        lambda c: (c.fn * (c.tn + c.fp), c.tn * (c.tp + c.fn)),
        "occurs never or always in the truth, or is predicted for every other instance",
        (0.0, math.inf),
    ),
    "diagnostic_odds_ratio": ClassMeasure(
        lambda c: (c.tp * c.tn, c.fp * c.fn), "has no false positives or no false negatives", (0.0, math.inf)
    ),
}


#: The two rates of which each likelihood ratio is the quotient.
RATIOS: dict[str, tuple[str, str]] = {
    _POSITIVE: ("recall", "false_positive_rate"),
    _NEGATIVE: ("false_negative_rate", "specificity"),
}


def value_by_class(measure: str | ClassMeasure, counts: LabelCounts) -> Floats:
    """Return the value of a measure for each class; nan if it is undefined."""
    known = MEASURES[measure] if isinstance(measure, str) else measure
    return known.values(counts.one_versus_rest)


def average_of(
    measure: str | ClassMeasure, counts: LabelCounts, average: Average | None, undefined: Undefined
) -> float | Noted:
    """Return the value of a measure: for the positive class, from summed counts, or averaged over the classes."""
    if average is None:
        average = "binary" if counts.positive is not None or counts.k < 2 else "macro"
    else:
        check_choice("average", average, AVERAGES)
    known = MEASURES[measure] if isinstance(measure, str) else measure
    whole = counts.one_versus_rest
    if average == "micro":
        named = named_classes(counts.classes, np.ones(counts.k, np.bool_))
        return _single(
            known.values(whole.summed(sum(counts.outside.values()))), f"{named} {known.unless}", undefined
        )
    if average == "binary":
        if counts.positive is None:
            return Noted(math.nan, _no_positive(counts.k))
        label = counts.classes[counts.positive]
        chosen = known.values(whole.take(slice(counts.positive, counts.positive + 1)))
        return _single(chosen, f"class {label!r} {known.unless}", undefined)
    weights = counts.true.astype(np.float64) if average == "weighted" else None
    return averaged(known.values(whole), counts.classes, known.unless, undefined, weights)


def averaged(
    values: Floats,
    classes: Any,
    unless: str,
    undefined: Undefined,
    weights: Floats | None = None,
) -> float | Noted:
    """Return the mean over the classes; by default undefined if any class with a weight is undefined."""
    check_undefined(undefined)
    if values.ndim > 1:
        return _of_several(values, undefined, weights)
    if weights is None and values.size and np.isfinite(values).all():
        return math.fsum(values.tolist()) / values.size
    missing = np.isnan(values)
    if weights is not None:
        # A class with weight 0 may be undefined.
        counted = weights > 0
        values, weights, missing = values[counted], weights[counted], missing[counted]
        classes = [label for label, counts in zip(classes, counted.tolist(), strict=True) if counts]
    if missing.any():
        if undefined == "nan" or (undefined == "skip" and missing.all()):
            return Noted(math.nan, f"0/0: {named_classes(classes, missing)} {unless}")
        if undefined == "skip":
            values = values[~missing]
            classes = [label for label, gone in zip(classes, missing.tolist(), strict=True) if not gone]
            weights = None if weights is None else weights[~missing]
        else:
            values = np.where(missing, float(undefined), values)
    if values.size == 0:
        return Noted(math.nan, "0/0: no class occurs in the truth")
    if (infinite := np.isinf(values)).any():
        return Noted(math.inf, f"division by zero: {named_classes(classes, infinite)} {unless}")
    if weights is None:
        return math.fsum(values.tolist()) / values.size
    return math.fsum((weights * values).tolist()) / math.fsum(weights.tolist())


def _of_several(values: Floats, undefined: Undefined, weights: Floats | None = None) -> float:
    """Return the mean over the classes in each of several populations, in an array."""
    if undefined == "skip":
        weights = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    elif undefined != "nan":
        values = np.where(np.isnan(values), float(undefined), values)
    if weights is None:
        return values.sum(axis=0) / len(values)  # type: ignore[no-any-return]
    found: float = np.where(weights > 0, weights * values, 0.0).sum(axis=0) / weights.sum(axis=0)
    return found


def named_classes(classes: Any, where: Bools, most: int = 3) -> str:
    """Return a phrase that names the classes of a mask."""
    found = [repr(classes[i]) for i in np.flatnonzero(where)[:most].tolist()]
    more = int(where.sum()) - len(found)
    names = ", ".join(found) + (f" and {more} more" if more else "")
    return f"{'class' if len(found) == 1 and not more else 'each of the classes'} {names}"


def check_undefined(undefined: Any) -> None:
    """Raise unless the option is one of the ways to treat undefined values."""
    if isinstance(undefined, bool) or undefined not in ("nan", "skip", 0, 1):
        raise InputError(Option("undefined", undefined), " is not known: choose one of 'nan', 'skip', 0, 1")


def _single(values: Floats, reason: str, undefined: Undefined) -> float | Noted:
    check_undefined(undefined)
    if values.ndim > 1:
        return _of_several(values, undefined)
    value = float(values[0])
    if math.isnan(value):
        return Noted(value, f"0/0: {reason}") if undefined in ("nan", "skip") else float(undefined)
    return Noted(value, f"division by zero: {reason}") if math.isinf(value) else value


def _no_positive(k: int) -> str:
    if k == 1:
        return "the truth has one class, and it is not named as positive"
    return (
        f"there are {k} classes: name one as positive, or take the macro, micro or weighted average over them"
    )
