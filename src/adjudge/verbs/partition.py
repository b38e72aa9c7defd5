"""How `evaluate` judges one partition: from its contingency table with the truth, from its points, or both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from adjudge.engines.sources import PointSource
from adjudge.indices.internal_record import InternalIndex
from adjudge.kinds.by_class import scores_by_cluster
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.menu import chosen_indices
from adjudge.kinds.points import scores_of_points
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, Sample
from adjudge.results import Evaluation
from adjudge.results.label_notices import about_names, label_notices, n_without_noise
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_axes
from adjudge.results.score import Score

__all__ = ["evaluate_partition"]


def evaluate_partition(
    request: EvaluationRequest,
    against: Clustering | None,
    points: PointSource | None,
    backend: str | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
    sample: Sample = ALONE,
) -> Evaluation:
    """Judge a partition whose inputs have been checked and encoded.

    Parameters
    ----------
    request : EvaluationRequest
    against : Clustering, optional
        The labels to judge, against the truth.
    points : PointSource, optional
    backend : str, optional
        Data-frame library of the inputs.
    called : mapping of str to str
        Names of the label vectors in notices, by parameter.
    sample : Sample
        How the points were drawn, if there is no truth.
    """
    chosen = chosen_indices(request, [] if against is None else against.inputs, points)
    scores: dict[str, Score] = {}
    n_clusters: dict[str, int] = {}
    details: dict[str, Any] = {}
    n = 0
    of_axes: tuple[Notice, ...] = ()
    if points is not None:
        inner = [record for record in chosen if isinstance(record, InternalIndex)]
        if inner or against is None:
            scores, reduced = scores_of_points(points, inner, request)
            n, n_clusters, details = reduced.n, {"labels": reduced.n_clusters}, reduced.details
            of_axes = () if request.compat else notices_of_axes(inner, reduced.statistics.values())
    clusters: dict[str, tuple[Any, Any]] = {}
    if against is not None:
        outer = [record for record in chosen if not isinstance(record, InternalIndex)]
        scores = {**against.scores(outer, request), **scores}
        sample, n, (rows, cols) = against.sample, against.n, against.table.shape
        n_clusters = {"labels_true": rows, "labels_pred": cols, **n_clusters}
        clusters = against.sides("labels_pred")
    elif points is not None:
        clusters["labels"] = reduced.clusters, reduced.sizes
    with_noise = [record.name for record in chosen if record.knows_noise]
    no_others = len(with_noise) == len(chosen)
    if no_others and "labels" in clusters:
        n_clusters["labels"] = n_without_noise(clusters["labels"], request.labels, "labels")
    notices = label_notices(clusters, request.labels, request.kind, called, with_noise, no_others=no_others)
    by_cluster = None
    if against is not None:
        if request.may_be_classes:
            notices = about_names(against.table.row_labels, against.table.col_labels) + notices
        cells = None if request.confidence is None else against.cells
        by_cluster = partial(scores_by_cluster, against.table, request.confidence, cells)
    notices += of_axes + sample.notices(request.confidence)
    return Evaluation(
        scores={record.name: scores[record.name] for record in chosen},
        n=n,
        n_clusters=n_clusters,
        details=details,
        settings=request.settings(scores),
        warnings=notices,
        backend=backend,
        units=sample.drawn_units,
        _by_cluster=by_cluster,
    )
