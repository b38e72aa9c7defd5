"""Notices about what a classifier said: the positive class, answers outside the classes, scores turned round."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import Option
from adjudge.given.row_sums import Rounded
from adjudge.kinds.answers import Answers
from adjudge.kinds.sample import Sample
from adjudge.presentation.numbers import count, listed
from adjudge.results.class_notices import (
    about_answers,
    about_direction,
    about_labels,
    about_order_of_columns,
    about_positive,
)
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.classes import answer_positions
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.ranked_scores import ClassAreas

__all__ = ["DERIVED_LABELS", "about_derived_labels", "notices_of_answers", "rescaled_rows"]

#: Notice for labels that are derived from probabilities.
DERIVED_LABELS = Notice(
    "labels-from-probabilities",
    "the label of each instance is its likeliest class, the first of equal ones",
    ("pass other labels as ", Option("labels_pred")),
    "info",
)
_OTHERS = "to judge others, give labels beside the probabilities"
# This many instances are enough to tell in which direction the scores rank.
_ENOUGH = 100_000


def about_derived_labels(
    models: Collection[str], derived: Collection[str], one: Notice = DERIVED_LABELS
) -> tuple[Notice, ...]:
    """Say of which of several models the labels are derived from probabilities.

    `one` is what is said of one model alone.
    """
    if not derived:
        return ()
    of_some = "" if len(derived) == len(models) else f"of {listed(list(derived))}, "
    return (replace(one, message=of_some + one.message, remedy=_OTHERS),)


def notices_of_answers(
    own: Answers, sample: Sample, scores: Mapping[str, Score], model: str
) -> tuple[Notice, ...]:
    """Report the positive class, scores that seem to be of another class, and rescaled rows.

    `model` names one of several, or is empty.
    """
    known, classes = own.forecasts, own.with_classes().classes or ()
    answers = _outside(own, sample, classes)
    called = model if not model or own.column in (None, model) else f"{model} (column {own.column!r})"
    outside = about_answers(answers, called) + about_labels(classes, answers, len(own.truth))
    if known is None:
        return outside + about_positive(classes, own.positive, None, scores.values())
    found = outside + about_positive(known.classes, own.positive, known.scored, scores.values())
    found += about_order_of_columns(own.orders, scores.values())
    area, contradicted = _area_of(scores, known), _contradicted(own, known)
    found = about_direction(known.classes, known.scored, area, contradicted, model) + found
    return rescaled_rows(own.rounded, model) + found


def _outside(answers: Answers, sample: Sample, classes: Sequence[Any]) -> dict[Any, int]:
    """Count the rows whose given label is not among the classes."""
    said = answers.prediction
    if said is None or answers.derived:
        return {}
    outside = set(answer_positions(said.present, classes)[1])
    if not outside:
        return {}
    (codes, labels), weights = said.dense(), sample.weights
    of_rows = None if sample.is_weighted else weights
    if weights is not None and of_rows is None:
        codes = codes[weights > 0]
    sizes = np.bincount(codes, of_rows, len(labels)).tolist()
    return {label: int(n) for label, n in zip(labels, sizes, strict=True) if label in outside}


def _area_of(scores: Mapping[str, Score], known: Forecasts) -> float:
    """Return the ROC area; for two classes even if not requested, then from a subset if there are many instances."""
    if "roc_auc" in scores or known.k != 2:
        return scores["roc_auc"].value if "roc_auc" in scores else math.nan
    some = known.take(np.arange(0, known.n, -(-known.n // _ENOUGH))) if known.n > _ENOUGH else known
    return float(ClassAreas.make(some).areas[1])


def _contradicted(answers: Answers, known: Forecasts) -> float:
    """Return the share of instances whose given label is not the likeliest class; nan if unknown."""
    if answers.derived or answers.prediction is None or not isinstance(known, ProbabilityForecasts):
        return math.nan
    codes, labels = answers.prediction.dense()
    return known.contradicted(answer_positions(labels, known.classes)[0][codes])


def rescaled_rows(rounded: Rounded | None, model: str = "") -> tuple[Notice, ...]:
    """Report that rows of probabilities were divided by their sums; `model` names one of several."""
    if rounded is None:
        return ()
    many = "rows" if rounded.n is None else count(rounded.n, "row")
    of = f" of {model!r}" if model else ""
    return (
        Notice(
            "rows-divided-by-their-sums",
            f"{many} of the probabilities{of} did not add up to 1, but did within {rounded.decimals} decimals, and "
            "were divided by their sums",
            "keep more decimals",
            "info",
        ),
    )
