"""The verb `evaluate` judges one partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from inspect import signature
from types import MappingProxyType
from typing import Any, Literal

from adjudge.deprecation import former_options
from adjudge.engines.sources import MemoryPoints, PointSource
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels, check_same_order
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.options import check_known
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index, InternalIndex
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.label_notices import label_notices, nothing_dropped
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.contingency import Contingency, joint_table, reduce_labels
from adjudge.statistics.joint import JointCounts
from adjudge.verbs.by_class import scores_by_cluster
from adjudge.verbs.classifiers import (
    ClassifierOptions,
    code_classifier,
    evaluate_classifier,
    evaluate_counted_classifier,
)
from adjudge.verbs.classifiers import check_options as check_classifier_options
from adjudge.verbs.groups import with_groups
from adjudge.verbs.judging import chosen_indices, judged_table, scores_of_points
from adjudge.verbs.label_sets import evaluate_label_sets
from adjudge.verbs.request import EvaluationRequest, options_of_points, point_options
from adjudge.verbs.truths import best_of_truths

__all__ = ["check_options", "evaluate", "evaluate_given"]

NO_CLASSIFIER_OPTIONS = ClassifierOptions()


@former_options(sample="sample_size", n_threads="n_jobs")
def evaluate(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    indices: str | Index | Iterable[str | Index] = "all",
    kind: Literal["clustering", "classification", "multilabel"] = "clustering",
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    probabilities: Any = None,
    scores: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: Any = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] = "cluster",
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int = 17_000,
    random_state: Any = None,
    compat: Literal["clusterCrit"] | None = None,
    **points_options: Any,
) -> Evaluation:
    """Judge a partition against the truth (external indices), from the data alone (internal), or both.

    Parameters
    ----------
    labels_true : array-like of shape (n,), or a contingency table, optional
        Reference labels: integers, text, categories ... A :class:`Contingency` or a matrix of counts may stand in
        for both label vectors.
    labels_pred : array-like of shape (n,), optional
        Labels to be judged.
    X : array-like of shape (n, p), optional
        Points, for internal indices.
    labels : array-like of shape (n,), optional
        Labels to be judged from the points; default `labels_pred`.
    indices : "all", a name or record, or several, default "all"
        "all" means all that the inputs allow. Names may be abbreviated.
    kind : {"clustering", "classification", "multilabel"}, default "clustering"
        Whether names of clusters are arbitrary, or labels are right only if they equal the true ones. Classes that
        are none of the true ones are an error. With "multilabel" an instance may have several labels or none: labels
        are indicator matrices of shape (n, L), dense, sparse or data frames, or sequences with the labels of each
        instance.
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), optional
        Weights of the instances, for indices of labels.
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means, which has to be said for clusterings; scores of classifiers are the same for both.
        With "frequency" a row stands for a whole number of instances, and everything is as if it were repeated. With
        "importance" the weights are sampling weights of any scale: a pair of instances weighs the product of its
        weights. Indices that have no meaning for sampling weights are nan, with the reason.
    probabilities : array-like of shape (n, C) or (n,), or data frame with a column for each class, optional
        Of classifiers: predicted probabilities; a vector is of the second of two classes. Without `labels_pred` the
        likeliest class of each instance is its label.
    scores : the same, optional
        In place of probabilities, scores that rank the instances and need not be probabilities.
    classes : sequence, optional
        All classes in the order wanted, which is that of the columns of `probabilities`.
    positive : optional
        The positive class; of two classes by default the second.
    groups : array-like of shape (n,), mapping of names to such, or data frame, optional
        Scores of a classifier for each group of instances; several columns are crossed.
    missing : {"raise", "drop"} or mapping, default "raise"
        What to do with instances that have no label.
    noise : {"cluster", "singletons", "drop"} or mapping, default "cluster"
        Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out. A mapping
        decides for each label vector: ``{"labels_true": "drop"}`` leaves out what the truth calls noise, and keeps
        predicted noise as a cluster.
    noise_label : default -1
        The label of noise; text labels carry it as "-1".
    confidence : float, optional
        Add confidence intervals of this level, the instances being a sample. If none would hold it, as of internal
        indices of the closest points, `interval_reasons` says why and, if that helps, how many instances would do.
    adjust : bool, default False
        Correct external indices for chance: the mean over pairs of partitions with these cluster sizes becomes 0. The
        p-value is the share of such pairs that agree at least as well; from simulated tables it is at least
        1 / (`n_tables` + 1), which tables show as an upper bound.
    n_tables : int, default 17,000
        Tables to draw for the indices whose null distribution is simulated; see :func:`null_distribution`.
    random_state : int, Generator, SeedSequence or None
        Seed for reproducible results.
    compat : {"clusterCrit"}, optional
        Internal indices as that program computes them, where it departs from the published formulas.
    **points_options
        With X:

        - `metric`, default "euclidean": a name that SciPy or scikit-learn know, "precomputed", or a function of two
          points.
        - `sample_size`, a number of points: estimate the indices of distances from samples of so many, with intervals.
        - `memory_limit`, default 2**30: bytes that ranks of distances may take. `exact=True` counts ranks exactly also
          if that is too little.
        - `n_jobs`, threads, default one a core; the digits do not depend on it.
        - `engine`, "numba" or "torch", and for the latter `device`, "cpu" or "cuda".
        - `checkpoint`, a file: the passes over all distances are saved there, and go on from there.
        - `bins`, default 2**16 and at most 2**20: of the histogram that estimates ranks if `memory_limit` is too
          little; with more of them the bound of the error is closer.
        - `progress`, called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or
          in a notebook.

    Returns
    -------
    Evaluation
        ``evaluation["rand"]`` is a value, ``evaluation.reasons`` says why values are undefined. Of classifiers it has
        more: ``evaluation.by_class[label]["recall"]``, ``evaluation.class_table()``, ``evaluation.confusion`` and
        ``evaluation.by_group[value]["accuracy"]``.

    Raises
    ------
    InputError
        For inputs that cannot be used, and for indices that need an input which was not given.

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
    >>> judged["subset_accuracy"], judged["micro_recall"], judged.by_class["b"]["recall"]
    (0.5, 0.6666666666666666, 0.5)
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
    weighting = Weighting(counts, sample_weight, weights)
    classifier = ClassifierOptions(probabilities, scores, classes, positive, groups)
    check_classifier_options(classifier, kind)
    _check_given(labels_true, labels_pred, X, labels, weighting, request, points_options)
    if isinstance(labels_true, Mapping):
        return best_of_truths(
            labels_true,
            lambda truth: evaluate_raw(request, truth, labels_pred, X, labels, weighting, classifier),
        )
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
    """Check and code what was given, once, and judge it."""
    backend = backend_of(labels_true, labels_pred, labels, X)
    if request.kind == "multilabel":
        weighting.refuse("several labels an instance")
        if X is not None:
            raise InputError(Option("X"), " is no option for several labels an instance: leave it out")
        return evaluate_label_sets(request, labels_true, labels_pred, classifier.classes, backend)
    check_same_order({"labels_true": labels_true, "labels_pred": labels_pred})
    request.labels.check_names(("labels_true", "labels_pred", "labels"))
    if request.kind == "classification" and labels_true is not None:
        found = _classifier(request, labels_true, labels_pred, X, labels, weighting, classifier, backend)
        return replace(found, settings=found.settings | weighting.settings())
    table, source = None, None
    notices: tuple[Notice, ...] = ()
    if labels_true is not None:
        table, labels_pred, notices = _counted(labels_true, labels_pred, weighting, request)
    if X is not None:
        source = _points(request, X, labels_pred, labels)
    of_points = labels_pred if labels is None else labels
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "labels": of_points}
    called = {key: own.name for key, own in vectors.items() if isinstance(own, Column)}
    evaluation = evaluate_given(request, table, source, backend, called)
    return replace(
        evaluation,
        settings=evaluation.settings | weighting.settings(),
        warnings=evaluation.warnings + notices,
    )


def _points(request: EvaluationRequest, X: Any, labels_pred: Any, labels: Any) -> MemoryPoints:
    # Labels that are judged from the points alone are called so in options, too.
    own = "labels" if labels is not None else "labels_pred"
    judged = labels_pred if labels is None else labels
    return MemoryPoints(PartitionedPoints.of(X, judged, request.labels.of_one(own), request.points))


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
    """Judge a classifier; a contingency table may stand in for its labels."""
    source = None if X is None else _points(request, X, labels_pred, labels)
    if labels_pred is None and not classifier.has_forecasts:
        table, _, _ = _counted(labels_true, labels_pred, weighting, request)
        return evaluate_counted_classifier(request, table, classifier, source)
    if isinstance(labels_true, Contingency):
        raise InputError(
            "a contingency table was given together with ", Argument("labels_pred"), ": give one or the other"
        )
    coded, groups = code_classifier(labels_true, labels_pred, classifier, weighting, request)
    found = evaluate_classifier(request, coded, source, backend)
    return found if groups is None else with_groups(found, coded, groups, request.confidence)


def evaluate_given(
    request: EvaluationRequest,
    table: JointCounts | None,
    points: PointSource | None,
    backend: str | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
) -> Evaluation:
    """Judge a partition that was checked and coded before.

    Parameters
    ----------
    request : EvaluationRequest
    table : JointCounts, optional
        Of the truth and the labels to be judged.
    points : PointSource, optional
    backend : str, optional
        Data-frame library that the inputs come from.
    called : mapping of str to str
        What notices call the label vectors, by parameter.
    """
    of_labels = {} if table is None else {type(table): table}
    chosen = chosen_indices(request, of_labels, points)
    scores: dict[str, Score] = {}
    n_clusters: dict[str, int] = {}
    details: dict[str, Any] = {}
    n = 0
    if points is not None:
        inner = [record for record in chosen if isinstance(record, InternalIndex)]
        if inner or table is None:
            scores, reduced = scores_of_points(points, inner, request)
            n, n_clusters, details = reduced.n, {"labels": reduced.n_clusters}, reduced.details
    if table is not None:
        outer = [record for record in chosen if not isinstance(record, InternalIndex)]
        scores = {**judged_table(outer, table, request), **scores}
        n, (rows, cols) = table.n, table.shape
        n_clusters = {"labels_true": rows, "labels_pred": cols, **n_clusters}
    clusters: dict[str, tuple[Any, Any]] = {}
    if table is not None:
        clusters["labels_true"] = table.row_labels, table.row_sums
        clusters["labels_pred"] = table.col_labels, table.col_sums
    elif points is not None:
        clusters["labels"] = reduced.clusters, reduced.sizes
    notices = label_notices(clusters, request.labels, request.kind, called)
    return Evaluation(
        scores={record.name: scores[record.name] for record in chosen},
        n=n,
        n_clusters=n_clusters,
        details=details,
        settings=request.settings(scores),
        warnings=notices,
        backend=backend,
        _by_cluster=None if table is None else partial(scores_by_cluster, table, request.confidence),
    )


def _counted(
    labels_true: Any, labels_pred: Any, weighting: Weighting, request: EvaluationRequest
) -> tuple[JointCounts, Column | None, tuple[Notice, ...]]:
    """Count the table of the truth and the labels to be judged; return these labels coded, for the points."""
    if labels_pred is None or isinstance(labels_true, Contingency):
        given = reduce_labels(labels_true, labels_pred, counts=weighting.counts, **request.labels.settings())
        return given, None, ()
    coded = Column.of(labels_pred, "labels_pred")
    vectors = {"labels_true": labels_true, "labels_pred": coded}
    aligned = align_labels(vectors, request.labels.only(vectors))
    table = joint_table(aligned.labels, weighting.of(aligned, request.kind), weighting.squares_of(aligned))
    return table, coded, nothing_dropped(aligned, request.labels)


def _check_given(
    labels_true: Any,
    labels_pred: Any,
    X: Any,
    labels: Any,
    weighting: Weighting,
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
    if labels_true is None:
        if weighting.counts is not None:
            raise InputError(
                Option("counts"),
                " says how often each instance of label vectors occurs: ",
                Argument("labels_true"),
                " is missing",
            )
        if weighting.sample_weight is not None:
            raise InputError(
                Option("sample_weight"),
                " weighs instances of label vectors: ",
                Argument("labels_true"),
                " is missing",
            )
        if request.adjust:
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
