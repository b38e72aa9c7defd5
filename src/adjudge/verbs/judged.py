"""What `evaluate` says of one model of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from adjudge.indices.internal_record import InternalIndex
from adjudge.kinds.case import Case, Shown
from adjudge.kinds.request import EvaluationRequest
from adjudge.results import Evaluation

__all__ = ["judged"]


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
    sized = used if first.names_are_arbitrary else used[:1]
    result: type[Evaluation] = first.result
    found = result(
        scores=shown,
        n=first.n_shown,
        n_clusters={name: n for case in sized for name, n in case.n_clusters.items()},
        details={name: own for case in used for name, own in case.details.items()},
        settings=first.described(request, scores),
        warnings=first.said(Shown(shown, request, used[1:], called)),
        backend=backend,
        units=first.sample.drawn_units,
        **first.parts(request),
    )
    return first.with_groups(found, request)
