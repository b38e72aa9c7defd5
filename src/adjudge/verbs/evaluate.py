"""The verb `evaluate` judges one partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any, Literal

from adjudge.engines.sources import MemoryPoints
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels, check_same_order
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.points import Points
from adjudge.given.units import Units
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.instances import Instances
from adjudge.results.label_notices import nothing_dropped
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_columns
from adjudge.statistics.contingency import Contingency, joint_table, reduce_labels
from adjudge.statistics.joint import JointCounts
from adjudge.unknown_names import check_known, checked_call
from adjudge.verbs.classifiers import (
    ClassifierOptions,
    code_classifier,
    evaluate_classifier,
    evaluate_counted_classifier,
)
from adjudge.verbs.classifiers import check_options as check_classifier_options
from adjudge.verbs.drawing import Drawing, DrawnLabels
from adjudge.verbs.groups import GroupedInstances, with_groups
from adjudge.verbs.judging import (
    check_weighted_points,
)
from adjudge.verbs.kinds import coded_with_kind
from adjudge.verbs.label_sets import evaluate_label_sets
from adjudge.verbs.partition import evaluate_partition
from adjudge.verbs.request import EvaluationRequest, options_of_points, point_options
from adjudge.verbs.sums import evaluate_sums, is_sums
from adjudge.verbs.truths import judged_against_several

__all__ = ["check_options", "evaluate"]

NO_CLASSIFIER_OPTIONS = ClassifierOptions()


@checked_call
def evaluate(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    indices: str | Index | Iterable[str | Index] = "default",
    kind: Literal["clustering", "classification", "multilabel"] | None = None,
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: Any = None,
    probabilities: Any = None,
    scores: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: Any = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] | None = None,
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int | None = None,
    random_state: Any = None,
    compat: Literal["clusterCrit"] | None = None,
    **points_options: Any,
) -> Evaluation:
    """Judge a partition against the truth (external indices), from the data alone (internal), or both.

    Parameters
    ----------
    labels_true : array-like of shape (n,), or a contingency table, optional
        Reference labels: integers, text, categories ... A :class:`Contingency`, a :class:`Confusion`, sums of
        losses (:class:`ProbabilityLosses`) or a matrix of counts can replace both label vectors.
    labels_pred : array-like of shape (n,), optional
        Labels to judge.
    X : array-like of shape (n, p), or path, optional
        Points, for internal indices; or the path of a .npy or Parquet file that holds them.
    labels : array-like of shape (n,), optional
        Labels to judge from the points; default `labels_pred`.
    indices : "default", "all", a name or record, or several, default "default"
        "default" means about eight for each kind of question, "all" every one that the inputs allow. The record of a
        default index says why it is one. Names may be abbreviated.
    kind : {"clustering", "classification", "multilabel"}, optional
        With "clustering" the names of clusters are arbitrary. With "classification" a label is right if it equals the
        true one; to predict only classes that `labels_true` lacks is an error. With "multilabel" an instance may have
        several labels or none: labels are indicator matrices of shape (n, L), dense, sparse or data frames, or
        sequences with the labels of each instance. Default: "classification" if an option of classifiers is given, or
        if labels are text and both vectors have the same names; else "clustering".
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), optional
        Weights of the instances.
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means; required for clusterings. Scores of classifiers are the same for both.
        With "frequency" a row stands for a whole number of instances, and everything is as if it were repeated. With
        "importance" the weights are sampling weights of any scale: the weight of a pair of instances is the product
        of theirs. Indices without a meaning for sampling weights are nan, with a reason.
    units : array-like of shape (n,), optional
        What was drawn, if that is not each row for itself: rows with the same value (visits of a patient, sentences of
        a document) are alike. Intervals and tests then take the units as the sample; no value changes.
    probabilities : array-like of shape (n, C) or (n,), or data frame with a column for each class, optional
        For classifiers: predicted probabilities; a vector has those of the positive class, unless it is a series whose
        name ends in another class (``p_CLASS``). Without `labels_pred`, the likeliest class is the label.
    scores : the same, optional
        Instead of probabilities: scores that only rank the instances.
    classes : sequence, optional
        All classes, in the order of the columns of `probabilities`.
    positive : optional
        The positive class; default: 1 of 0 and 1, True of False and True, or else the second of two, with a notice.
    groups : array-like of shape (n,), mapping of names to such, or data frame, optional
        Scores of a classifier for each group of instances; several columns are crossed.
    missing : {"raise", "drop"} or mapping, default "raise"
        What to do with instances that have no label.
    noise : {"cluster", "singletons", "drop"} or mapping, optional
        Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out. A mapping
        decides for each label vector: ``{"labels_true": "drop"}`` leaves out noise in the truth and keeps
        predicted noise as a cluster. Default: an ordinary cluster, but noise in DBCV, which is defined with noise.
    noise_label : default -1
        The label of noise; in text labels it is "-1".
    confidence : float, optional
        Add confidence intervals of this level, treating the instances as a sample. If no interval would keep its
        level, as with internal indices that read the closest points, `interval_reasons` says why and, if possible,
        how many instances would be enough.
    adjust : bool, default False
        Correct external indices for chance: the mean over pairs of partitions with these cluster sizes becomes 0. The
        p-value is the share of such pairs that agree at least as well; from simulated tables it is at least
        1 / (`n_tables` + 1), and printed as an upper bound.
    n_tables : int, optional
        Tables to draw for the indices whose null distribution is simulated; see :func:`null_distribution`.
    random_state : int, Generator, SeedSequence or None
        Seed of what is drawn: random tables, and points that are left out or sampled.
    compat : {"clusterCrit"}, optional
        Internal indices as that program computes them, where it departs from the published formulas.
    **points_options
        With X:

        - `metric`, default "euclidean": a name from SciPy or scikit-learn, "precomputed", or a function of two
          points.
        - `sample_size`, a number of points: estimate the indices of distances from ten samples of this size, with
          intervals. From about a quarter of the points on this would cost as much as all: nothing is estimated.
        - `memory_limit`, default 2**30: bytes for ranks of distances. `exact=True` counts ranks exactly even if that
          is too little.
        - `n_jobs`, threads, default one per core; the digits do not depend on it.
        - `engine`, "memory" or "torch", and for "torch" `device`, "cpu" or "cuda".
        - `checkpoint`, a file: passes over all distances save their state there and resume from it.
        - `bins`, default 2**16 and at most 2**20: of the histogram that estimates ranks if `memory_limit`
          is too small; more bins give tighter bounds on the error.
        - `progress`, called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or
          in a notebook.

    Returns
    -------
    Evaluation
        ``evaluation["rand"]`` is a value, ``evaluation.reasons`` says why values are undefined. Classifiers have
        more: ``evaluation.by_class[label]["recall"]``, ``evaluation.class_table()``, ``evaluation.confusion`` and
        ``evaluation.by_group[value]["accuracy"]``.

    Raises
    ------
    InputError
        If an input cannot be used, or an index needs an input that was not given.

    Examples
    --------
    >>> from adjudge import evaluate
    >>> result = evaluate(["a", "a", "b", "b"], [0, 0, 1, 2], indices=["rand", "jac", "precision"])
    >>> result["rand"]
    0.8333333333333334
    >>> result.values["jaccard"], result["prec"]
    (0.5, 1.0)
    >>> judged = evaluate(["no", "yes", "yes"], probabilities=[0.2, 0.9, 0.4], kind="classification")
    >>> judged["roc_auc"], judged.by_class["yes"]["recall"]
    (1.0, 0.5)
    >>> judged = evaluate([{"a", "b"}, {"b"}], [{"a"}, {"b"}], kind="multilabel")
    >>> judged["subset_accuracy"], judged["hamming_loss"], judged.by_class["b"]["recall"]
    (0.5, 0.25, 0.5)
    >>> evaluate(["a", "a", "b", "b"], [0, 0, 1, 2], indices="rand", units=["p", "p", "q", "r"]).n_units
    3
    """
    points, others = point_options(points_options, "evaluate()", _named_options())
    request = EvaluationRequest(
        indices=indices,
        kind=kind,
        labels=LabelOptions(missing, noise, noise_label),
        confidence=confidence,
        adjust=adjust,
        n_tables=n_tables,
        random_state=random_state,
        compat=compat,
        points=points,
        **others,
    )
    weighting = Weighting(counts, sample_weight, weights, units)
    classifier = ClassifierOptions(probabilities, scores, classes, positive, groups)
    check_classifier_options(classifier, kind)
    _check_given(labels_true, labels_pred, X, labels, request, points_options)
    if is_sums(labels_true):
        beside = {"labels_pred": labels_pred, "X": X, "labels": labels, **weighting.rows, **classifier.rows()}
        return evaluate_sums(request, labels_true, classifier, beside)
    if isinstance(labels_true, Mapping):
        request, labels_true, labels_pred, said = _with_kind(request, labels_true, labels_pred, classifier)

        def against(asked: EvaluationRequest, truth: Any) -> Evaluation:
            return evaluate_raw(asked, truth, labels_pred, None, labels, weighting, classifier)

        def from_points(asked: EvaluationRequest) -> Evaluation:
            return evaluate_raw(asked, None, labels_pred, X, labels, weighting)

        found = judged_against_several(request, labels_true, against, None if X is None else from_points)
        return replace(found, warnings=said + found.warnings)
    return evaluate_raw(request, labels_true, labels_pred, X, labels, weighting, classifier)


def evaluate_raw(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    weighting: Weighting,
    classifier: ClassifierOptions = NO_CLASSIFIER_OPTIONS,
) -> Evaluation:
    """Check and code the inputs once, and judge them."""
    backend = backend_of(labels_true, labels_pred, labels, X)
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "X": X, "labels": labels}
    beside = {**weighting.rows, **classifier.rows()}
    check_same_order(vectors | beside)
    request, labels_true, labels_pred, said = _with_kind(request, labels_true, labels_pred, classifier)
    if request.kind == "multilabel":
        if X is not None:
            raise InputError(Option("X"), " is not an option for several labels per instance: leave it out")
        return evaluate_label_sets(request, labels_true, labels_pred, classifier, weighting, backend)
    request.labels.check_names(("labels_true", "labels_pred", "labels"))
    if request.kind == "classification" and labels_true is not None:
        found = _classifier(request, labels_true, labels_pred, X, labels, weighting, classifier, backend)
        settings = found.settings | weighting.settings()
        return replace(found, settings=settings, warnings=said + found.warnings)
    table, source, drawn, rows = None, None, None, None
    notices: tuple[Notice, ...] = ()
    if labels_true is not None:
        table, labels_pred, drawn, notices, rows = _counted(labels_true, labels_pred, weighting, request)
    if X is not None:
        source = _points(request, X, labels_pred, labels, weighting)
        drawn = drawn or DrawnLabels.of_points(source.partitioned)
        if request.points.metric != "precomputed" and source.partitioned.given is not None:
            notices += notices_of_columns(source.partitioned.given, chosen=isinstance(X, Points))
    of_points = labels_pred if labels is None else labels
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "labels": of_points}
    called = {key: own.name for key, own in vectors.items() if isinstance(own, Column)}
    evaluation = evaluate_partition(request, table, source, backend, called, drawn)
    return replace(
        evaluation,
        settings=evaluation.settings | weighting.settings(),
        warnings=evaluation.warnings + said + notices,
        _instances=rows,
    )


def _with_kind(
    request: EvaluationRequest, labels_true: Any, labels_pred: Any, classifier: ClassifierOptions
) -> tuple[EvaluationRequest, Any, Any, tuple[Notice, ...]]:
    """Decide what the labels are judged as; return them as well, coded if that was needed."""
    predicted = {} if labels_pred is None else {"labels_pred": labels_pred}
    request, labels_true, coded, said = coded_with_kind(
        request, labels_true, predicted, of_classifiers=bool(classifier.named())
    )
    return request, labels_true, coded.get("labels_pred"), said


def _points(
    request: EvaluationRequest, X: Any, labels_pred: Any, labels: Any, weighting: Weighting
) -> MemoryPoints:
    # Labels that are judged from the points alone have that name in options, too.
    own = "labels" if labels is not None else "labels_pred"
    judged = labels_pred if labels is None else labels
    treatment = request.labels.of_one(own)
    points = PartitionedPoints.of(X, judged, treatment, request.points, weighting)
    if points.weights is not None:
        check_weighted_points(request)
    return MemoryPoints(points)


def _classifier(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    weighting: Weighting,
    classifier: ClassifierOptions,
    backend: str | None,
) -> Evaluation:
    """Judge a classifier; a contingency table can replace its labels."""
    source = None if X is None else _points(request, X, labels_pred, labels, weighting)
    if labels_pred is None and not classifier.has_forecasts:
        table, *_ = _counted(labels_true, labels_pred, weighting, request)
        return evaluate_counted_classifier(request, table, classifier, source)
    if isinstance(labels_true, Contingency):
        raise InputError(
            "a contingency table was given together with ", Argument("labels_pred"), ": give one or the other"
        )
    coded, groups = code_classifier(labels_true, labels_pred, classifier, weighting, request)
    found = replace(evaluate_classifier(request, coded, source, backend), _instances=coded.instances(groups))
    if groups is None:
        return found
    return with_groups(found, GroupedInstances(coded, groups), request.confidence)


def _counted(
    labels_true: Any, labels_pred: Any, weighting: Weighting, request: EvaluationRequest
) -> tuple[JointCounts, Column | None, DrawnLabels | None, tuple[Notice, ...], Instances | None]:
    """Count the table of the truth and the labels to judge; return these labels coded, for the points."""
    if labels_pred is None or isinstance(labels_true, Contingency):
        if weighting.units is not None:
            raise InputError(
                Option("units"),
                " says which rows belong together, and a contingency table has none: give label vectors",
            )
        given = reduce_labels(labels_true, labels_pred, counts=weighting.counts, **request.labels.settings())
        return given, None, None, (), None
    coded = Column.of(labels_pred, "labels_pred")
    vectors = {"labels_true": labels_true, "labels_pred": coded}
    aligned = align_labels(vectors, request.labels.only(list(vectors)), weighting.beside)
    weights = weighting.of(aligned.rows, "clustering")
    table = joint_table(aligned.labels, weights, weighting.squares_of(aligned.rows))
    drawn = DrawnLabels.of(Drawing.of(weighting, Units.beside(aligned), weights), aligned.labels)
    truth, prediction = aligned.labels
    rows = Instances(
        kind="clustering",
        truth=truth,
        labels={"labels_pred": prediction},
        n_given=aligned.n_given,
        kept=aligned.kept,
        weights=weights,
        units=None if drawn is None else drawn.drawing.named_units,
    )
    return table, coded, drawn, nothing_dropped(aligned.n_noise, request.labels), rows


def _check_given(
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    request: EvaluationRequest,
    points_options: Mapping[str, Any],
) -> None:
    if labels_true is None and X is None:
        raise InputError(
            "nothing to judge: give ",
            Argument("labels_true"),
            " and ",
            Argument("labels_pred"),
            ", or ",
            Argument("X"),
            " and ",
            Argument("labels"),
            ", or all of them",
        )
    if X is not None and labels is None and labels_pred is None:
        raise InputError(Argument("labels"), " are missing: give the labels of the points")
    if X is None and points_options:
        raise InputError(
            Option(next(iter(points_options))), " is an option for points: ", Argument("X"), " is missing"
        )
    if labels_true is None and request.adjust:
        raise InputError(
            Option("adjust"),
            " corrects indices that compare with the truth: ",
            Argument("labels_true"),
            " is missing",
        )


@cache
def _named_options() -> list[str]:
    return [name for name in signature(evaluate).parameters if name != "points_options"]


def check_options(given: Iterable[str]) -> None:
    """Raise for an option that `evaluate` does not have."""
    named = _named_options()
    check_known(given, (*named, *options_of_points()), "evaluate()")
