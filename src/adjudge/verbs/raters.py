"""The verb `evaluate_raters` measures how well several raters agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudge.errors import Call, InputError
from adjudge.given.options import check_confidence
from adjudge.given.ratings import read_ratings
from adjudge.given.things import Ratings
from adjudge.indices.catalog import is_all, is_default, select_indices
from adjudge.indices.record import Index
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.notice import Notice
from adjudge.statistics.making import Made
from adjudge.statistics.ratings import RatingCounts
from adjudge.verbs.judging import scores_of, with_intervals

__all__ = ["evaluate_raters"]


def evaluate_raters(
    ratings: Any,
    *,
    indices: str | Index | Iterable[str | Index] = "default",
    categories: Sequence[Any] | None = None,
    confidence: float | None = None,
) -> Evaluation:
    """Measure how well several raters agree, without a known truth.

    Parameters
    ----------
    ratings : array-like of shape (n, R), data frame with a column for each rater, or mapping of names to labels
        Rows are units. None and nan stand for missing ratings.
    indices : "default", "all", a name or record, or several, default "default"
        Names may be abbreviated.
    categories : sequence, optional
        All categories, in the order for ordinal scores; default: those that occur, sorted.
    confidence : float, optional
        Add confidence intervals of this level, treating the units as a sample and the raters as fixed.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If there are fewer than two raters, or a rating is not among the categories.

    Examples
    --------
    >>> from adjudge import evaluate_raters
    >>> judged = evaluate_raters([["a", "a", "b"], ["b", "b", "b"], ["a", "a", None]])
    >>> round(judged["fleiss_kappa"], 4), round(judged["krippendorff_alpha"], 4)
    (0.55, 0.5625)
    """
    if confidence is not None:
        check_confidence(confidence)
    chosen = select_indices(indices, ("raters",))
    for record in chosen:
        if record.kind != "raters":
            raise InputError(f"{record.name} is not about several raters: use ", Call("evaluate"))
    rated = read_ratings(ratings, categories)
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
        warnings=_more_raters_than_units(*rated.codes.shape),
        backend=backend_of(ratings),
    )


def _more_raters_than_units(n: int, n_raters: int) -> tuple[Notice, ...]:
    """Say how rows and columns were read if they may be swapped."""
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
