"""How `evaluate` judges a classifier that gives an instance several labels or none."""

from __future__ import annotations

from functools import partial
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.label_sets import SEVERAL, LabelSetCase
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.scores import check_design
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import about_near_names
from adjudge.results.class_scores import ByClass

__all__ = ["evaluate_label_sets"]


def evaluate_label_sets(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    options: ClassifierOptions,
    weighting: Weighting,
    backend: str | None,
) -> ClassifierEvaluation:
    """Judge one multilabel classifier."""
    if labels_true is None or (labels_pred is None and options.probabilities is None):
        raise InputError(
            f"{SEVERAL} are judged against the truth: give ",
            Option("labels_true"),
            " and ",
            Option("labels_pred"),
            ", or ",
            Option("probabilities"),
        )
    name = "labels_pred"
    own = options.for_model(name)
    case = LabelSetCase.read(labels_true, {name: labels_pred}, own, weighting, request.labels)[name]
    if case.sample.is_weighted:
        check_design(request, is_known=case.sample.is_known)
    labels = case.truth.labels
    by_class = ByClass(partial(case.by_label, request.confidence))
    scores = case.scores(case.menu(request, case.inputs), request)
    return ClassifierEvaluation(
        scores=scores,
        n=case.n,
        n_clusters={"labels": len(labels)},
        settings={**request.settings(scores), **case.sample.settings},
        warnings=case.notices("the prediction")
        + about_near_names(labels)
        + case.sample.notices(request.confidence),
        backend=backend,
        units=case.sample.drawn_units,
        by_class=by_class if request.confidence is None else by_class.made(int(case.truth.total)),
        _instances=None if case.prediction is None else case.pairs({name: case}).rows,
    )
