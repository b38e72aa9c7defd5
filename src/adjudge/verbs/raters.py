"""How `evaluate` measures the agreement of several raters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from adjudge.engines.frames.counting import FrameTable
from adjudge.errors import Argument, InputError, Option
from adjudge.given.data_frames import columns_by_name
from adjudge.given.labels import Labels
from adjudge.given.ratings import code_ratings, read_ratings
from adjudge.indices.record import Index
from adjudge.kinds.raters import RaterCase
from adjudge.kinds.request import EvaluationRequest
from adjudge.presentation.numbers import listed
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice
from adjudge.tables.files import FileTable
from adjudge.tables.names import column_names, columns_with_names
from adjudge.verbs.judged import judged

__all__ = ["evaluate_raters"]


def evaluate_raters(
    labels_true: Any = None,
    *,
    indices: str | Index | Iterable[str | Index] = "default",
    classes: Sequence[Any] | None = None,
    pred: str | Sequence[str] | None = None,
    confidence: float | None = None,
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
        Of a table: the columns of the raters; default: all.
    **others
        Further options of :func:`adjudge.evaluate`, none of which applies.
    """
    RaterCase.check(others)
    if labels_true is None:
        raise InputError("nothing to judge: give the ratings as ", Argument("labels_true"))
    ratings = labels_true
    said: tuple[Notice, ...] = ()
    if isinstance(ratings, (str, PathLike)):
        ratings, classes, said = _in_file(FileTable(ratings), pred, classes)
    elif pred is not None:
        columns = columns_by_name(ratings, "ratings")
        if columns is None:
            raise InputError(Option("pred"), " names columns, and the ratings are no table: leave it out")
        named = column_names("pred", pred)
        FrameTable.of(ratings).own(named)
        ratings = {str(name): columns[str(name)] for name in named}
    request = EvaluationRequest(indices=indices, confidence=confidence)
    case = RaterCase(read_ratings(ratings, classes, "classes"))
    found: Evaluation = judged([case], request, backend=backend_of(ratings))
    return replace(found, warnings=said + found.warnings) if said else found


def _in_file(
    table: FileTable, pred: str | Sequence[str] | None, classes: Sequence[Any] | None
) -> tuple[dict[str, Labels], Sequence[Any] | None, tuple[Notice, ...]]:
    """Read the raters' columns, all as numbers or all as text, and the categories in the same type."""
    said: tuple[Notice, ...] = ()
    if pred is None:
        names, said = columns_with_names(table, Option("pred"))
        chosen = (Option("pred"), " chooses others")
        said += (Notice("raters", f"raters are {listed(names)}", chosen, "info"),)
    else:
        names = table.matching(column_names("pred", pred))
        if len(names) == 1:
            raise InputError(
                Option("pred"), f" names one column, {names[0]!r}: at least two raters are needed"
            )
    values, are_text = table.labels(names)
    ratings = {name: code_ratings(own, f"column {name!r}") for name, own in values.items()}
    if classes is not None and not are_text and all(isinstance(label, str) for label in classes):
        try:
            classes = [*map(float, classes)]
        except ValueError:
            raise InputError(
                "the ratings are numbers, and ", Option("classes"), " names something else"
            ) from None
    return ratings, classes, said + about_words(ratings, ("empty the cells",))
