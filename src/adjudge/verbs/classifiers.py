"""How `evaluate` judges a classifier: overall, by class, and from its points if there are any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from adjudge.engines.sources import PointSource
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.kinds.classes import DERIVED_LABELS, Classifier
from adjudge.kinds.label_sets import whole
from adjudge.kinds.menu import chosen_indices
from adjudge.kinds.points import scores_of_points
from adjudge.kinds.request import EvaluationRequest
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import about_order
from adjudge.results.class_scores import ByClass
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.ranked_scores import ClassAreas

__all__ = ["evaluate_classifier", "evaluated"]


def evaluate_classifier(
    request: EvaluationRequest,
    case: Classifier,
    points: PointSource | None = None,
    backend: str | None = None,
) -> ClassifierEvaluation:
    """Judge a classifier whose inputs have been checked and encoded, or counted."""
    found = evaluated(request, chosen_indices(request, case.inputs, points), case, points)
    found = replace(found, warnings=found.warnings + case.notices(found.scores), backend=backend)
    if case.answers is None:
        return found
    return replace(
        found,
        n=whole(case.sample.total),
        warnings=((DERIVED_LABELS,) if case.answers.derived else ()) + found.warnings,
        _forecasts=case.answers.forecasts,
        _in_units=found.units is not None,
        _instances=case.instances(),
    )


def evaluated(
    request: EvaluationRequest,
    chosen: Sequence[Index],
    case: Classifier,
    points: PointSource | None = None,
) -> ClassifierEvaluation:
    """Score a classifier overall and by class, and from its points if there are any."""
    of_labels = [record for record in chosen if not isinstance(record, InternalIndex)]
    # It is shown, so intervals may read it, however many classes there are.
    confusion = case.confusion
    scores = case.scores(of_labels, request)
    details: dict[str, Any] = {}
    inner = [record for record in chosen if isinstance(record, InternalIndex)]
    if points is not None and inner:
        of_points, reduced = scores_of_points(points, inner, request)
        scores, details = {**scores, **of_points}, reduced.details
    counts = case.counts
    n = 0 if counts is None else int(counts.n)
    by_class = ByClass(partial(case.by_class, request.confidence))
    return ClassifierEvaluation(
        scores={record.name: scores[record.name] for record in chosen},
        n=n,
        n_clusters=_numbers_of_classes(case, counts),
        details=details,
        settings=request.settings(scores),
        warnings=about_order(scores.values()) + case.sample.notices(request.confidence),
        units=case.sample.drawn_units,
        confusion=confusion,
        by_class=by_class if request.confidence is None else by_class.made(n),
    )


def _numbers_of_classes(case: Classifier, counts: ClassCounts | None) -> dict[str, int]:
    if counts is not None and counts.outside:
        sides = {"labels_true": counts.true, "labels_pred": counts.predicted}
        return {name: int(np.count_nonzero(own)) for name, own in sides.items()}
    if case.forecasts is not None and counts is None:
        return {"labels_true": len(np.unique(case.forecasts.codes))}
    for found in case.values():
        if isinstance(found, JointCounts):
            return dict(zip(("labels_true", "labels_pred"), found.shape, strict=True))
        if isinstance(found, ClassAreas):
            return {"labels_true": int(np.count_nonzero(found.sizes))}
    return {}
