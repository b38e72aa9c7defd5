"""Columns of a table, whatever holds it: judged alike, with what is said of the rows that each leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, code_labels
from adjudge.given.probabilities import ScoreMatrix
from adjudge.given.structures import Structure
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.label_notices import rows_left_out
from adjudge.results.notice import Notice
from adjudge.tables.labels import Treatments
from adjudge.tables.sets import OF_SETS
from adjudge.verbs.evaluated import evaluated_alike, of_the_same

__all__ = [
    "ALL_READ",
    "judged_alike",
    "of_rows_left",
    "with_those_left_out",
]

_NONE: Mapping[str, Any] = MappingProxyType({})
#: Said if a file was to be counted, and could not be.
ALL_READ = Notice(
    "all-rows-read", "too many combinations of labels to count; reading all rows", severity="info"
)


def judged_alike(
    labels: Mapping[Any, Column | None],
    given: Given,
    request: EvaluationRequest,
    treatments: Treatments,
    notices: tuple[Notice, ...] = (),
    n_given: int | None = None,
    forecasts: Mapping[str, Mapping[str, ScoreMatrix]] = _NONE,
) -> dict[Any, Evaluation]:
    """Judge each of several columns, all as the same kind, and each on the rows that it does not leave out.

    `forecasts` has the probabilities, or the scores, of models by the name of the option.
    """
    known = {name: own for name, own in labels.items() if own is not None}
    if request.kind not in OF_SETS:
        known = {name: Column.of(own, str(name)) for name, own in known.items()}
        if given.truth is not None:
            given = replace(given, truth=Column.of(given.truth, "labels_true"))
    each = {}
    for name in labels:
        own: dict[str, Any] = {option: of_each.get(name) for option, of_each in forecasts.items()}
        options = replace(given.options, **own) if own else given.options
        one = replace(given, models={MODEL: known.get(name)}, treatment=treatments[name], options=options)
        if given.has_structures and given.truth is None:  # these judge the labels
            treatment = treatments[name].only(["labels"])
            one = replace(one, models={}, labels=known.get(name), treatment=treatment)
        each[str(name)] = one
    found = evaluated_alike(request, each)
    return of_the_same(
        {
            name: with_those_left_out(one, each[name], each[name].treatment, notices, n_given)
            for name, one in found.items()
        }
    )


def with_those_left_out(
    evaluation: Evaluation,
    given: Given,
    treatment: LabelOptions,
    notices: tuple[Notice, ...],
    n_given: int | None = None,
) -> Evaluation:
    """Say how many of the rows given are not judged; weights count no rows."""
    if treatment.drops and n_given is None and given.weighting.sample_weight is None:
        own = [one for one in (given.truth, *given.models.values(), given.labels) if isinstance(one, Column)]
        # Points that are judged by themselves say how many have gaps.
        gaps = None if given.has_structures else getattr(given.X, "gaps", None)
        n_given = _n_rows(own[0]) - (0 if gaps is None else int(gaps.sum())) if own else None
    if n_given is None or not treatment.drops:
        return replace(evaluation, warnings=evaluation.warnings + notices)
    left = rows_left_out(evaluation.n, n_given, treatment, given.options.what)
    return replace(evaluation, warnings=evaluation.warnings + left + notices)


def of_rows_left(
    found: Evaluation | Evaluations, given: Given, treatment: LabelOptions
) -> Evaluation | Evaluations:
    """Say of arrays how many of their rows are not judged."""
    vectors = (given.truth, *given.models.values(), given.labels)
    vector = next(
        (own for own in vectors if hasattr(own, "__len__") and not isinstance(own, (Mapping, Structure))),
        None,
    )
    # Points may have gaps beside labels.
    has_points = given.X is not None and not given.has_structures
    if not treatment.drops or vector is None or has_points:
        return found
    if isinstance(found, Evaluations):
        each = {
            name: with_those_left_out(own, given, treatment, (), len(vector))
            for name, own in found.evaluations.items()
        }
        return replace(found, evaluations=each)
    if given.weighting.is_given:  # which count no rows
        return found
    return with_those_left_out(found, given, treatment, (), len(vector))


def _n_rows(column: Column) -> int:
    return len(column.values if hasattr(column.values, "__len__") else code_labels(column, MODEL))
