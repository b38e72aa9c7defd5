"""How `evaluate` measures the agreement of several raters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from adjudge.engines.frames.counting import FrameTable
from adjudge.errors import Argument, Call, InputError, Option, in_words
from adjudge.given.data_frames import columns_by_name
from adjudge.given.input_kinds import Ratings
from adjudge.given.options import check_confidence
from adjudge.given.ratings import RatedUnits, read_ratings
from adjudge.indices.catalog import is_all, is_default, select_indices
from adjudge.indices.record import Index
from adjudge.kinds.scores import scores_of, with_intervals
from adjudge.presentation.numbers import listed, shortened
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.class_notices import about_near_names, about_order
from adjudge.results.notice import Notice
from adjudge.statistics.making import Made
from adjudge.statistics.ratings import RatingCounts
from adjudge.verbs.readable_tables import FileTable
from adjudge.verbs.table_columns import column_names

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
    if others:
        raise InputError(
            Option(next(iter(others))), " is not an option for ", Option("kind", "raters"), ": leave it out"
        )
    if labels_true is None:
        raise InputError("nothing to judge: give the ratings as ", Argument("labels_true"))
    ratings = labels_true
    said: tuple[Notice, ...] = ()
    if isinstance(ratings, (str, PathLike)):
        table = FileTable(ratings)
        names = table.names if pred is None else [table.own(name) for name in column_names("pred", pred)]
        ratings = table.labels(names)[0]
        said = (Notice("raters", f"raters are {listed(names)}", (Option("pred"), " chooses others"), "info"),)
    elif pred is not None:
        columns = columns_by_name(ratings, "ratings")
        if columns is None:
            raise InputError(Option("pred"), " names columns, and the ratings are no table: leave it out")
        named = column_names("pred", pred)
        FrameTable.of(ratings).own(named)
        ratings = {str(name): columns[str(name)] for name in named}
    if confidence is not None:
        check_confidence(confidence)
    chosen = select_indices(indices, ("raters",))
    for record in chosen:
        if record.kind != "raters":
            raise InputError(
                f"{record.name} is not about several raters: use ", Call("evaluate"), " with a truth"
            )
    rated = read_ratings(ratings, classes, "classes")
    made = Made({Ratings: rated})
    scores = scores_of(chosen, made)
    counts: RatingCounts = made[RatingCounts]
    if confidence is not None:
        from adjudge.inference.classes.rater_intervals import rater_intervals

        scores = with_intervals(scores, rater_intervals(chosen, counts, confidence))
    return Evaluation(
        scores=scores,
        n=counts.n,
        n_clusters={"ratings": counts.k},
        settings={
            "indices": indices if is_all(indices) or is_default(indices) else list(scores),
            "of": "raters",
            "confidence": confidence,
        },
        warnings=(() if pred is not None else said)
        + about_order(scores.values())
        + about_near_names(rated.categories)
        + _more_raters_than_units(*rated.codes.shape)
        + _strangers(rated),
        backend=backend_of(ratings),
    )


def _strangers(rated: RatedUnits) -> tuple[Notice, ...]:
    """Name the columns that share no category with the others, as names of the units do."""
    names = [in_words(name) for name in rated.strangers()]
    if not names:
        return ()
    column, shares = ("column", "shares") if len(names) == 1 else ("columns", "share")
    why = f"{column} {shortened(names, 5)} {shares} no category with another rater"
    return (Notice("strange-raters", why, "leave out columns that hold no ratings"),)


def _more_raters_than_units(n: int, n_raters: int) -> tuple[Notice, ...]:
    """Report how rows and columns were read if they may be swapped."""
    if n_raters <= n:
        return ()
    return (
        Notice(
            "more-raters-than-units",
            f"the rows are {n} units, and the columns {n_raters} raters",
            "transpose the ratings if each row is a rater's",
            "info",
        ),
    )
