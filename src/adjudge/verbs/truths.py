"""Several accepted truths: each index is computed with the truth that gives the best score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from adjudge.errors import Argument, InputError
from adjudge.indices.catalog import is_all, is_default, select_indices
from adjudge.indices.internal_record import InternalIndex
from adjudge.kinds.menu import KINDS_OF
from adjudge.kinds.request import EvaluationRequest
from adjudge.results import Evaluation
from adjudge.results.score import Score

__all__ = ["judged_against_several"]


def judged_against_several(
    request: EvaluationRequest,
    truths: Mapping[str, Any],
    against_truth: Callable[[EvaluationRequest, Any], Evaluation],
    from_points: Callable[[EvaluationRequest], Evaluation] | None,
) -> Evaluation:
    """Judge a partition against several truths, and once from its points.

    Parameters
    ----------
    request : EvaluationRequest
    truths : mapping of str to labels
    against_truth : callable
        Judges the partition against one truth.
    from_points : callable, optional
        Judges it from its points, if there are any.

    Returns
    -------
    Evaluation
        `truth` of each score names the truth used, the first one in ties. Internal indices have none.
    """
    if not truths:
        raise InputError(Argument("labels_true"), " is empty: give at least one truth")
    order: list[str] | None = None
    asked, inner = request.indices, request.indices
    if from_points is not None and not (is_all(request.indices) or is_default(request.indices)):
        chosen = select_indices(request.indices, KINDS_OF[request.kind or "clustering"])
        order = [record.name for record in chosen]
        inner = [record for record in chosen if isinstance(record, InternalIndex)]
        asked = [record for record in chosen if not isinstance(record, InternalIndex)]
    of_points = None
    if from_points is not None and inner:
        of_points = from_points(replace(request, indices=inner, adjust=False))
        if not asked:
            return replace(
                of_points, settings={**of_points.settings, "truths": [str(name) for name in truths]}
            )
    outer = replace(request, indices=asked)
    best = _best_of({str(name): against_truth(outer, labels) for name, labels in truths.items()})
    return best if of_points is None else _joined(best, of_points, order, request)


def _best_of(found: Mapping[str, Evaluation]) -> Evaluation:
    """Keep the best score of each index."""
    first = next(iter(found.values()))
    scores = {
        index: _best({name: one.scores[index] for name, one in found.items()}) for index in first.scores
    }
    return replace(first, scores=scores, settings={**first.settings, "truths": list(found)})


def _joined(
    best: Evaluation, of_points: Evaluation, order: list[str] | None, request: EvaluationRequest
) -> Evaluation:
    """Add the scores from the points, in the order in which the indices were requested."""
    scores = {**best.scores, **of_points.scores}
    settings = {**best.settings, **request.settings(scores)}
    if order is not None:
        scores = {name: scores[name] for name in order}
    return replace(
        best,
        scores=scores,
        n_clusters={**best.n_clusters, **of_points.n_clusters},
        details={**best.details, **of_points.details},
        settings=settings,
        backend=best.backend or of_points.backend,
    )


def _best(scores: Mapping[str, Score]) -> Score:
    """Choose the best of an index's scores; an index that does not use a truth has only one."""
    index = next(iter(scores.values())).index
    if index.kind not in ("external", "classification"):
        return next(iter(scores.values()))
    defined = {name: score for name, score in scores.items() if not math.isnan(score.value)} or dict(scores)
    sign = -1 if index.better == "lower" else 1
    name = max(defined, key=lambda truth: sign * defined[truth].value if len(defined) > 1 else 0.0)
    return replace(defined[name], truth=name)
