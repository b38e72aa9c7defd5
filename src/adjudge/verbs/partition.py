"""How `evaluate` judges one partition: from its contingency table with the truth, from its points, or both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from adjudge.engines.sources import PointSource
from adjudge.indices.internal_record import InternalIndex
from adjudge.kinds.sample import ALONE, DrawnLabels
from adjudge.results import Evaluation
from adjudge.results.label_notices import about_names, label_notices, n_without_noise
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_axes
from adjudge.results.score import Score
from adjudge.statistics.joint import JointCounts
from adjudge.verbs.by_class import scores_by_cluster
from adjudge.verbs.judging import chosen_indices, judged_table, scores_of_points
from adjudge.verbs.request import EvaluationRequest

__all__ = ["evaluate_partition"]


def evaluate_partition(
    request: EvaluationRequest,
    table: JointCounts | None,
    points: PointSource | None,
    backend: str | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
    drawn: DrawnLabels = ALONE,
) -> Evaluation:
    """Judge a partition whose inputs have been checked and encoded.

    Parameters
    ----------
    request : EvaluationRequest
    table : JointCounts, optional
        Table of the truth and the labels to judge.
    points : PointSource, optional
    backend : str, optional
        Data-frame library of the inputs.
    called : mapping of str to str
        Names of the label vectors in notices, by parameter.
    drawn : DrawnLabels, optional
        How the rows were drawn; default: independently.
    """
    of_labels = {} if table is None else {type(table): table}
    chosen = chosen_indices(request, of_labels, points)
    scores: dict[str, Score] = {}
    n_clusters: dict[str, int] = {}
    details: dict[str, Any] = {}
    n = 0
    of_axes: tuple[Notice, ...] = ()
    if points is not None:
        inner = [record for record in chosen if isinstance(record, InternalIndex)]
        if inner or table is None:
            scores, reduced = scores_of_points(points, inner, request)
            n, n_clusters, details = reduced.n, {"labels": reduced.n_clusters}, reduced.details
            of_axes = () if request.compat else notices_of_axes(inner, reduced.statistics.values())
    if table is not None:
        outer = [record for record in chosen if not isinstance(record, InternalIndex)]
        scores = {**judged_table(outer, table, request, drawn), **scores}
        n, (rows, cols) = table.n, table.shape
        n_clusters = {"labels_true": rows, "labels_pred": cols, **n_clusters}
    clusters: dict[str, tuple[Any, Any]] = {}
    if table is not None:
        clusters["labels_true"] = table.row_labels, table.row_sums
        clusters["labels_pred"] = table.col_labels, table.col_sums
    elif points is not None:
        clusters["labels"] = reduced.clusters, reduced.sizes
    with_noise = [record.name for record in chosen if record.knows_noise]
    no_others = len(with_noise) == len(chosen)
    if no_others and "labels" in clusters:
        n_clusters["labels"] = n_without_noise(clusters["labels"], request.labels, "labels")
    notices = label_notices(clusters, request.labels, request.kind, called, with_noise, no_others=no_others)
    if request.may_be_classes and table is not None:
        notices = about_names(table.row_labels, table.col_labels) + notices
    notices += of_axes + drawn.sample.notices(request.confidence)
    return Evaluation(
        scores={record.name: scores[record.name] for record in chosen},
        n=n,
        n_clusters=n_clusters,
        details=details,
        settings=request.settings(scores),
        warnings=notices,
        backend=backend,
        units=drawn.sample.drawn_units,
        _by_cluster=None if table is None else partial(scores_by_cluster, table, request.confidence, drawn),
    )
