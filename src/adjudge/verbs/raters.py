"""How `evaluate` measures the agreement of several raters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from adjudge.errors import Argument, InputError, Option
from adjudge.given.data_frames import columns_by_name
from adjudge.given.identifiers import identifiers_among_ratings, names_raters
from adjudge.given.labels import Labels
from adjudge.given.ratings import code_ratings, read_ratings
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index
from adjudge.kinds.raters import RaterCase
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, Sample
from adjudge.presentation.numbers import listed
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice
from adjudge.tables.columns import column_beside, rows_that_belong_together
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Frame
from adjudge.tables.names import column_names, columns_with_names
from adjudge.tables.source import open_given, rows_of
from adjudge.verbs.judged import judged

__all__ = ["evaluate_raters"]


def evaluate_raters(
    labels_true: Any = None,
    *,
    indices: str | Index | Iterable[str | Index] = "default",
    classes: Sequence[Any] | None = None,
    pred: str | Sequence[str] | None = None,
    confidence: float | None = None,
    units: Any = None,
    **others: Any,
) -> Evaluation:
    """Measure how well several raters agree, without a known truth.

    Parameters
    ----------
    labels_true : array-like of shape (n, R), data frame with a column for each rater, mapping, or path
        The ratings; rows are units. None and nan mark missing ratings.
    indices, classes, confidence
        As for :func:`adjudge.evaluate`.
    pred : sequence of str, optional
        Of a table: the columns of the raters; default: all but identifiers.
    units : array-like of shape (n,), or str, optional
        What the rows belong to, as images belong to a patient; of a table: its column.
    **others
        Further options of :func:`adjudge.evaluate`, none of which applies.
    """
    RaterCase.check(others)
    if labels_true is None:
        raise InputError("nothing to judge: give the ratings as ", Argument("labels_true"))
    ratings: Any = labels_true
    said: tuple[Notice, ...] = ()
    table = _table_of(ratings)
    if table is not None:
        beside = None if units is None or not isinstance(units, str) else table.own(units)
        names, said = _raters_of(table, pred, beside)
        said += rows_that_belong_together(table, units, confidence, names)
        ratings, classes = _read(table, names, classes)
        said += about_words(ratings, ("empty the cells",))
        units = units if beside is None else column_beside(table, beside)
    elif pred is not None:
        raise InputError(Option("pred"), " names columns, and the ratings are no table: leave it out")
    request = EvaluationRequest(indices=indices, confidence=confidence)
    rated = read_ratings(ratings, classes, "classes")
    sample = ALONE if units is None else Sample.of_sets(len(rated.codes), Weighting(units=units), {})
    case = RaterCase(rated, sample)
    found: Evaluation = judged([case], request, backend=backend_of(labels_true))
    return replace(found, warnings=said + found.warnings) if said else found


def _table_of(ratings: Any) -> FileTable | Frame | None:
    """Open a file, or the rows of a data frame; None for anything else."""
    if isinstance(ratings, (str, PathLike)):
        return FileTable(ratings)
    return rows_of(open_given(ratings)) if columns_by_name(ratings, "ratings") is not None else None


def _raters_of(
    table: FileTable | Frame, pred: str | Sequence[str] | None, units: Any
) -> tuple[list[Any], tuple[Notice, ...]]:
    """Find the columns of the raters: those that are named, or all that may hold ratings."""
    if pred is not None:
        names = table.matching(column_names("pred", pred))
        if len(names) == 1:
            raise InputError(
                Option("pred"), f" names one column, {names[0]!r}: at least two raters are needed"
            )
        return names, ()
    found, said = columns_with_names(table, Option("pred"))
    names = [name for name in found if name != units]
    table.want(names)
    columns = {name: code_ratings(table.labels([name])[0][name], f"column {name!r}") for name in names}
    identifiers = identifiers_among_ratings(columns)
    names = [name for name in names if name not in identifiers]
    whose = names_raters(columns)
    if whose is not None:
        raise InputError(
            f"column {whose!r} seems to say who gave the one rating of each row, and a column for each rater is "
            f"needed: pivot the table (pandas.DataFrame.pivot does, with {whose!r} as its columns), or name "
            "the raters' columns with ",
            Option("pred"),
        )
    if identifiers:
        shown = listed([*map(repr, identifiers)])
        what = (
            f"column {shown} looks like an identifier, and is"
            if len(identifiers) == 1
            else (f"columns {shown} look like identifiers, and are")
        )
        remedy = (Option("pred"), " can name what is meant")
        said += (Notice("identifiers", f"{what} left out of the raters", remedy),)
    if isinstance(table, FileTable):
        chosen = (Option("pred"), " chooses others")
        said += (Notice("raters", f"raters are {listed(names)}", chosen, "info"),)
    return names, said


def _read(
    table: FileTable | Frame, names: Sequence[Any], classes: Sequence[Any] | None
) -> tuple[dict[str, Labels], Sequence[Any] | None]:
    """Read the raters' columns; of a file all as numbers or all as text, and the categories in the same type."""
    values, are_text = table.labels(names)
    called = "column {}" if isinstance(table, FileTable) else "ratings[{}]"
    ratings = {str(name): code_ratings(own, called.format(repr(name))) for name, own in values.items()}
    if classes is not None and are_text is False and all(isinstance(label, str) for label in classes):
        try:
            classes = [*map(float, classes)]
        except ValueError:
            raise InputError(
                "the ratings are numbers, and ", Option("classes"), " names something else"
            ) from None
    return ratings, classes
