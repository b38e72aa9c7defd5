"""What `evaluate` says of one model of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from adjudge.indices.internal_record import InternalIndex
from adjudge.kinds.case import Case, Shown
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.runs import details_of_runs
from adjudge.results import Evaluation
from adjudge.results.score import Score

__all__ = ["evaluation_of", "judged"]


def judged(
    cases: Sequence[Case],
    request: EvaluationRequest,
    *,
    backend: str | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Score one model by all indices that are meant.

    Parameters
    ----------
    cases : sequence of Case
        The labels, and the points beside them if there are any: these leave out other rows.
    request : EvaluationRequest
    backend : str, optional
        Data-frame library of the inputs.
    called : mapping of str to str
        Names of the label vectors in notices, by parameter.

    Returns
    -------
    Evaluation
        Of the class that the kind has.
    """
    first, used = cases[0], []
    source = next((case.source for case in cases if case.source is not None), None)
    records = first.menu(request, source)
    scores: dict[str, Any] = {}
    for case in cases:
        own = [record for record in records if isinstance(record, InternalIndex) == (case.source is not None)]
        if own or case is first:
            scores |= case.scores(own, request)
            used.append(case)
    shown = {record.name: scores[record.name] for record in records}
    return first.with_groups(evaluation_of(used, shown, request, backend=backend, called=called), request)


def evaluation_of(
    cases: Sequence[Case],
    scores: Mapping[str, Score],
    request: EvaluationRequest,
    *,
    backend: str | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
) -> Evaluation:
    """Return the evaluation of a model whose scores are known: what else its cases say is added."""
    first = cases[0]
    varying = first.components(scores)
    sized = cases if first.names_are_arbitrary else cases[:1]
    return first.result(
        scores=dict(scores),
        n=first.n_shown,
        n_clusters={name: n for case in sized for name, n in case.n_clusters.items()},
        details={
            **{name: detail for case in cases for name, detail in case.details.items()},
            **details_of_runs(first.sample, varying),
        },
        settings=first.described(request, scores),
        warnings=first.said(Shown(scores, request, cases[1:], called, varying)),
        backend=backend,
        units=first.sample_shown.drawn_units,
        **first.parts(request),
    )
