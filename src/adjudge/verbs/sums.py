"""How `evaluate` judges a classifier from summary statistics: a confusion matrix, or sums of losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, Option
from adjudge.kinds.classes import Classifier
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.menu import KINDS_OF, selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, whole
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.making import lacking_of
from adjudge.verbs.judged import judged

__all__ = ["evaluate_sums", "is_sums"]

_WORDS: Mapping[type, str] = {Confusion: "a confusion matrix", ProbabilityLosses: "sums of losses"}


def is_sums(given: Any) -> bool:
    """Whether summary statistics of a classifier were given instead of labels."""
    return isinstance(given, tuple(_WORDS))


def evaluate_sums(
    request: EvaluationRequest,
    given: Confusion | ProbabilityLosses,
    options: ClassifierOptions,
    beside: Mapping[str, Any],
) -> ClassifierEvaluation:
    """Judge a classifier from its confusion matrix, or from the summed losses of its probabilities.

    Parameters
    ----------
    request : EvaluationRequest
    given : Confusion or ProbabilityLosses
    options : ClassifierOptions
    beside : mapping of str to object
        Arguments with one row per instance, by name; none of them may be given.
    """
    words = _WORDS[type(given)]
    if request.kind not in (None, "classification"):
        raise InputError(f"a classifier is judged from {words}: leave out ", Option("kind", request.kind))
    rows = next((name for name, value in beside.items() if value is not None), None)
    if rows is not None:
        named = Argument(rows) if rows in ("labels_pred", "X", "labels") else Option(rows)
        raise InputError(f"a classifier is judged from {words} alone: leave out ", named)
    if options.classes is not None:
        if not isinstance(given, Confusion):
            raise InputError(f"the classes are those of {words}: leave out ", Option("classes"))
        given = given.in_order(options.classes)
    request = replace(request, kind="classification")
    if isinstance(given, Confusion):
        counts = given.by_class(positive=options.positive)
        statistics: dict[type, Any] = {type(counts): counts, Confusion: given}
    else:
        statistics = {ProbabilityLosses: given}
    _check_named(request, statistics, words)
    found: ClassifierEvaluation = judged([Classifier(ALONE, statistics, positive=options.positive)], request)
    if isinstance(given, Confusion):
        sizes, n = counts.true, given.n
        predicted = {"labels_pred": int(np.count_nonzero(counts.predicted))}
    else:
        sizes, n, predicted = given.sizes, given.total, {}
    n_clusters = {"labels_true": int(np.count_nonzero(sizes)), **predicted}
    return replace(found, n=whole(n), n_clusters=n_clusters)


def _check_named(request: EvaluationRequest, statistics: Mapping[type, Any], words: str) -> None:
    """Raise if a named index needs more than the sums."""
    _, by_name = selected(request.indices, KINDS_OF["classification"], list(statistics))
    for record in by_name:
        if lacking_of(record.requires, statistics):
            raise InputError(
                f"{record.name} cannot be computed from {words}: give the truth and what was predicted of each instance"
            )
