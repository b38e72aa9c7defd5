"""Columns of a table, whatever holds it: counted or read, and judged alike, each on the rows that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from adjudge.errors import TooManyCombinationsError
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
from adjudge.statistics.agreement import OF_NUMBERS
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame, engine_of_file
from adjudge.tables.joined import Joined
from adjudge.tables.labels import Treatments
from adjudge.tables.named_columns import NamedColumns
from adjudge.tables.sets import OF_SETS
from adjudge.verbs.evaluated import evaluated_alike, left_out_of, of_the_same

__all__ = [
    "counted_or_read",
    "judged_alike",
    "of_rows_left",
    "with_those_left_out",
]

_Columns = TypeVar("_Columns", bound=NamedColumns)
_Found = TypeVar("_Found")
_NONE: Mapping[str, Any] = MappingProxyType({})
# Said if a file was to be counted, and could not be.
_ALL_READ = Notice(
    "all-rows-read", "too many combinations of labels to count; reading all rows", severity="info"
)


def counted_or_read(
    table: FileTable | Frame | Joined,
    columns: _Columns,
    what_needs_rows: Callable[[FileTable, _Columns], Any],
    count: Callable[[Engine | FileTable, _Columns], _Found],
    read: Callable[[FileTable | Frame | Joined, _Columns], _Found],
) -> tuple[_Found, tuple[Notice, ...]]:
    """Let DuckDB count the rows of a large file, or read them; also return what is said about that.

    Parameters
    ----------
    table : FileTable, Frame or Joined
    columns : NamedColumns
    what_needs_rows : callable
        Says, in pieces, what of the call needs the rows of a file in memory.
    count, read : callable
        Judge the table in the one way, and in the other.
    """
    if isinstance(table, FileTable) and table.is_streamed(columns.of_labels, what_needs_rows(table, columns)):
        try:
            if columns.scored is None:
                return count(table, columns), ()
            numbers = columns.of_numbers
            rows = engine_of_file(table, [own for own in columns.used if own not in numbers], numbers)
            return count(rows, columns.meant(rows.codes(columns.truth))), ()
        except TooManyCombinationsError as error:
            table.refused_to_count(error)
            return read(table, columns), (_ALL_READ,)
    return read(table, columns), ()


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
    of_numbers = any(score.index.kind in OF_NUMBERS for score in evaluation.scores.values())
    left = rows_left_out(
        evaluation.n,
        n_given,
        treatment,
        given.options.what,
        of_numbers=of_numbers,
        units=given.weighting.units is not None,
        groups=given.options.groups is not None,
    )
    return replace(evaluation, warnings=evaluation.warnings + left + notices)


def of_rows_left(
    found: Evaluation | Evaluations, given: Given, treatment: LabelOptions
) -> Evaluation | Evaluations:
    """Say of arrays how many of their rows are not judged."""
    given_vectors = (given.truth, *given.models.values(), given.labels)
    vectors = [own.values if isinstance(own, Column) else own for own in given_vectors]
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
        if len({one.n for one in each.values()}) > 1:
            each = {
                name: replace(one, warnings=left_out_of(name, one.warnings)) for name, one in each.items()
            }
        return replace(found, evaluations=each)
    if given.weighting.is_given:  # which count no rows
        return found
    return with_those_left_out(found, given, treatment, (), len(vector))


def _n_rows(column: Column) -> int:
    return len(column.values if hasattr(column.values, "__len__") else code_labels(column, MODEL))
