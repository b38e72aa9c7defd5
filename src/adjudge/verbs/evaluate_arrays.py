"""How `evaluate` judges data in memory: labels against one truth or several, points, classifiers, and sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adjudge.engines.sources import MemoryPoints
from adjudge.errors import InputError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.coordinates import as_coordinates
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.points import is_data_frame
from adjudge.given.weights import Weighting
from adjudge.kinds.case import Case
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import Given
from adjudge.kinds.points import PointCase, check_weighted_points
from adjudge.kinds.registry import KINDS
from adjudge.kinds.request import EvaluationRequest
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.label_notices import nothing_dropped
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_columns, points_without
from adjudge.statistics.contingency import Contingency
from adjudge.verbs.judged import judged
from adjudge.verbs.kind_of_labels import coded_with_kind
from adjudge.verbs.sums import evaluate_sums, is_sums
from adjudge.verbs.truths import judged_against_several

__all__ = ["evaluate_arrays"]

NO_CLASSIFIER_OPTIONS = ClassifierOptions()


def evaluate_arrays(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    weighting: Weighting,
    classifier: ClassifierOptions = NO_CLASSIFIER_OPTIONS,
) -> Evaluation:
    """Check and encode the inputs once, and judge them; the arguments are those of :func:`adjudge.evaluate`."""
    if is_sums(labels_true):
        beside = {"labels_pred": labels_pred, "X": X, "labels": labels, **weighting.rows, **classifier.rows()}
        return evaluate_sums(request, labels_true, classifier, beside)
    if not isinstance(labels_true, Mapping):
        return _against_one_truth(request, labels_true, labels_pred, X, labels, weighting, classifier)
    request, labels_true, labels_pred, said = _with_kind(request, labels_true, labels_pred, classifier)

    def against(asked: EvaluationRequest, truth: Any) -> Evaluation:
        return _against_one_truth(asked, truth, labels_pred, None, labels, weighting, classifier)

    def from_points(asked: EvaluationRequest) -> Evaluation:
        return _against_one_truth(asked, None, labels_pred, X, labels, weighting)

    found = judged_against_several(request, labels_true, against, None if X is None else from_points)
    return replace(found, warnings=said + found.warnings)


def _against_one_truth(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    weighting: Weighting,
    classifier: ClassifierOptions = NO_CLASSIFIER_OPTIONS,
) -> Evaluation:
    backend = backend_of(labels_true, labels_pred, labels, X)
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "X": X, "labels": labels}
    beside = {**weighting.rows, **classifier.rows()}
    check_same_order(vectors | beside)
    request, labels_true, labels_pred, said = _with_kind(request, labels_true, labels_pred, classifier)
    kind = KINDS[request.kind or "clustering"]
    if not kind.may_have_points and X is not None:
        raise InputError(Option("X"), " is not an option for several labels per instance: leave it out")
    if kind.may_have_points:
        request.labels.check_names(("labels_true", "labels_pred", "labels"))
    cases: list[Case] = []
    if labels_true is not None or not kind.may_have_points:
        if kind.names_are_arbitrary and labels_pred is not None:
            labels_pred = Column.of(labels_pred, "labels_pred")  # coded once, for the points as well
        cases.append(_against(kind, labels_true, labels_pred, classifier, weighting, request.labels))
    notices: tuple[Notice, ...] = ()
    if cases and cases[0].sample.n_rows:
        notices = nothing_dropped(cases[0].sample.n_noise, request.labels)
    if X is not None:
        source = _points(request, X, labels_true, labels_pred, labels, weighting)
        cases.append(PointCase(source, weighting.settings()))
        notices += _about_points(request, source.partitioned)
    of_points = labels_pred if labels is None else labels
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "labels": of_points}
    called = {key: own.name for key, own in vectors.items() if isinstance(own, Column)}
    found: Evaluation = judged(cases, request, backend=backend, called=called)
    if not said and not notices:
        return found
    if not cases[0].names_are_arbitrary:
        return replace(found, warnings=said + found.warnings)
    return replace(found, warnings=found.warnings + said + notices)


def _against(
    kind: type[Case],
    labels_true: Any,
    labels_pred: Any,
    classifier: ClassifierOptions,
    weighting: Weighting,
    treatment: LabelOptions,
) -> Case:
    """Read what is judged against the truth: labels, forecasts, or only counts of both."""
    name = "labels_pred"
    treatment = treatment.only(["labels_true", *([] if labels_pred is None else [name])])
    given = Given(labels_true, {name: labels_pred}, classifier.for_model(name), weighting, treatment)
    if isinstance(labels_true, Contingency) or (labels_pred is None and not classifier.has_forecasts):
        return kind.of_counts(given)
    return kind.read(given)[name]


def _with_kind(
    request: EvaluationRequest, labels_true: Any, labels_pred: Any, classifier: ClassifierOptions
) -> tuple[EvaluationRequest, Any, Any, tuple[Notice, ...]]:
    """Decide the kind of the labels; also return them, encoded if that was needed."""
    predicted = {} if labels_pred is None else {"labels_pred": labels_pred}
    request, labels_true, coded, said = coded_with_kind(
        request, labels_true, predicted, of_classifiers=bool(classifier.named())
    )
    return request, labels_true, coded.get("labels_pred"), said


def _points(
    request: EvaluationRequest,
    X: Any,
    labels_true: Any,
    labels_pred: Any,
    labels: Any,
    weighting: Weighting,
) -> MemoryPoints:
    # Options refer to labels that are judged from the points alone as "labels".
    own = "labels" if labels is not None else "labels_pred"
    judged = labels_pred if labels is None else labels
    treatment = request.labels.of_one(own)
    if is_data_frame(X) and request.points.metric != "precomputed":
        vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "labels": labels}
        vectors["units"] = weighting.units
        beside = {
            name: own for name, own in vectors.items() if own is not None and not isinstance(own, Contingency)
        }
        limit = request.points.memory_limit
        gaps = treatment.drops_missing or weighting.absent is not None
        X = as_coordinates(X, beside, memory_limit=limit, gaps=gaps)
    points = PartitionedPoints.of(X, judged, treatment, request.points, weighting)
    if points.weights is not None:
        check_weighted_points(request)
    return MemoryPoints(points)


def _about_points(request: EvaluationRequest, points: PartitionedPoints) -> tuple[Notice, ...]:
    """Say which columns and points are left out, and what distances between the points measure."""
    found: tuple[Notice, ...] = ()
    if points.n_gaps:
        found = (points_without(points.n_gaps, points.n_gaps + points.left_out + points.codes.size),)
    if request.points.metric != "precomputed" and points.given is not None:
        found += notices_of_columns(points.given)
    return found
