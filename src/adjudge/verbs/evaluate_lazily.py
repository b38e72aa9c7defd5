"""How `evaluate` judges columns of a lazy table: only counts and moments come back from its engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge.engines.frames.counting import FrameTable, count_cells
from adjudge.engines.frames.moments import FRAME_STATISTICS, points_with_gaps
from adjudge.engines.sources import FramePoints
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.labels import code_labels
from adjudge.given.point_options import PointOptions
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import select_indices
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.kinds import Kind
from adjudge.kinds.case import Case
from adjudge.kinds.classes import Classifier
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.points import PointCase
from adjudge.kinds.registry import check_roles
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Sample
from adjudge.kinds.which_kind import with_kind
from adjudge.results import Evaluation
from adjudge.results.notice import Notice
from adjudge.results.point_notices import points_without
from adjudge.tables.columns import counted_treatment
from adjudge.verbs.judged import judged

__all__ = [
    "evaluate_lazily",
    "lazy_request",
    "moments_suffice",
]


def evaluate_lazily(
    table: FrameTable,
    truth: str | None,
    labels: str | None,
    features: Sequence[str] | None,
    request: EvaluationRequest,
    *,
    pred: str | None = None,
    weighed: tuple[str, str | None] | None = None,
    units: str | None = None,
) -> Evaluation:
    """Judge columns of a lazy table from the counts and moments that its engine returns.

    Parameters
    ----------
    table : FrameTable
    truth, labels : str, optional
    features : sequence of str, optional
    request : EvaluationRequest
        A request that does not need the instances.
    pred : str, optional
        Default: `labels`.
    weighed : (str, str or None), optional
        Column with the weights of the rows, and what they mean.
    units : str, optional
        Column with the unit that each row belongs to.
    """
    check_roles(request.kind, request.roles)
    request.labels.check_names(("labels_true", "labels_pred", "labels"))
    of_points = "labels_pred" if labels is None else "labels"
    column = pred if labels is None else labels
    pred, missing = pred or labels, request.labels.missing_of("labels_true")
    if truth is None and request.adjust:
        raise InputError(Option("adjust"), " corrects indices that compare with the truth: truth is missing")
    counted = None
    said: tuple[Notice, ...] = ()
    if truth is not None:
        assert pred is not None
        weight, meaning = weighed or (None, None)
        columns = [truth, pred] if units is None else [truth, pred, units]
        cells = count_cells(table, columns, missing=missing, weight=weight)
        weighting = Weighting(**cells.weighing, weights=meaning, units=cells.column(units))
        vectors = cells.labels[truth], cells.labels[pred]
        arguments = ("labels_true", "labels_pred")
        names = [code_labels(*own).occurring() for own in zip(vectors, arguments, strict=True)]
        request, said = with_kind(request, [(names[0], names[1:])])
        check_roles(request.kind, request.roles)
        aligned = align_labels(
            {"labels_true": vectors[0], "labels_pred": vectors[1]}, request.labels, weighting.beside
        )
        true, said_by = aligned.labels
        counted = Clustering.of(true, said_by, Sample.of(aligned, weighting, str(request.kind)))
    source = None
    if features is not None:
        assert column is not None
        treatment = request.labels.of_one(of_points)
        source = FramePoints(table, column, features, treatment)
        n_gaps, n = (
            points_with_gaps(table, column, features, treatment) if treatment.drops_missing else (0, 0)
        )
        said += (points_without(n_gaps, n),) if n_gaps else ()
    called = {
        "labels_true": f"column {truth!r}",
        "labels_pred": f"column {pred!r}",
        "labels": f"column {column!r}",
    }
    cases: list[Case] = [] if counted is None else [counted]
    if counted is not None and request.kind == "classification":
        cases = [Classifier.of_table(counted.table, None, None, counted.sample, counted.labels)]
    if source is not None:
        cases.append(PointCase(source))
    found: Evaluation = judged(cases, request, called=called)
    return replace(found, warnings=said + found.warnings, _instances=None)


def lazy_request(
    options: dict[str, Any], missing: str, indices: Any, has_features: bool
) -> EvaluationRequest:
    """Return the request for a lazy table; raise if it needs the instances."""
    given = dict(options)
    treatment = counted_treatment(missing, given)
    for name in ("noise", "noise_label"):
        given.pop(name, None)
    points = {name: given.pop(name) for name in PointOptions.names() if name in given}
    for name in _OF_ANY_ENGINE:
        points.pop(name, None)
    named = next(
        (name for name in (*points, "sample_size") if name in points or given.get(name) is not None), None
    )
    if named is not None and not has_features:
        raise InputError(Option(named), " is an option for points: ", Argument("features"), " is missing")
    for name, value in (*points.items(), *((name, given.get(name)) for name in _NEED_POINTS)):
        if has_features and value not in (None, False, "euclidean"):
            raise InputError(Option(name), " with features needs the points: collect the table first")
    return EvaluationRequest(indices=indices, labels=treatment, **given)


# Options that change no value, and that the engine of the table decides.
_OF_ANY_ENGINE = ("n_jobs", "progress")
_NEED_POINTS = ("sample_size", "compat", "confidence")


def moments_suffice(indices: Any, has_truth: bool) -> bool:
    """Whether an engine's moments are enough to compute all these internal indices."""
    kinds: tuple[Kind, ...] = ("external", "internal") if has_truth else ("internal",)
    return all(
        FRAME_STATISTICS.issuperset(record.requires)
        for record in select_indices(indices, kinds)
        if isinstance(record, InternalIndex)
    )
