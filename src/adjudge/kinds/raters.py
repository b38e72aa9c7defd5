"""Several raters of the same units, without a known truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from adjudge.array_types import Bools
from adjudge.engines.sources import PointSource
from adjudge.errors import Call, InputError, Option, in_words
from adjudge.given.input_kinds import Ratings
from adjudge.given.labels import Labels
from adjudge.given.ratings import IF_COUNTS, RatedUnits
from adjudge.indices.catalog import find_index, select_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.kinds.case import Case, Shown
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, Sample
from adjudge.kinds.scores import scores_of, with_intervals
from adjudge.presentation.numbers import shortened
from adjudge.results import Evaluation
from adjudge.results.class_notices import about_near_names, about_order
from adjudge.results.notice import Notice
from adjudge.results.raters import OneRater, RaterEvaluation, RaterPair
from adjudge.results.score import Score
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.ratings import RatingCounts

__all__ = ["RaterCase"]

#: Up to this number of raters all pairs are shown.
MOST_PAIRED = 50


class RaterCase(Case):
    """Ratings of the same units by several raters."""

    kind: ClassVar[str] = "raters"
    indices: ClassVar[tuple[Kind, ...]] = ("raters",)
    reads: ClassVar[frozenset[str]] = frozenset(
        ("labels_true", "classes", "pred", "indices", "confidence", "units")
    )
    words: ClassVar[tuple[Any, ...]] = (Option("kind", "raters"),)
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "labels_pred": (
            " is for a prediction: give all raters at once by name, as in {'ann': [1, 0], 'bob': [1, 1]}",
        ),
        "truth": (" names a truth, and raters have none: name the raters' columns with ", Option("pred")),
        "missing": (" is not needed for raters, whose ratings may be missing: leave it out",),
    }
    result: ClassVar[type[Evaluation]] = RaterEvaluation

    def __init__(self, rated: RatedUnits, sample: Sample = ALONE) -> None:
        if sample.units is not None:
            # As the counts of ratings do, leave out the units that nobody rated.
            rows = np.flatnonzero((rated.codes >= 0).any(axis=1))
            rated, sample = replace(rated, codes=rated.codes[rows]), sample.take(rows)
        super().__init__(sample, {Ratings: rated})
        self._rated = rated

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, all of which are about several raters."""
        found = select_indices(request.indices, self.indices)
        for record in found:
            if record.kind not in self.indices:
                raise InputError(
                    f"{record.name} is not about several raters: use ", Call("evaluate"), " with a truth"
                )
        return found

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals on request."""
        scores, confidence = scores_of(records, self), request.confidence
        if confidence is None:
            return scores
        from adjudge.inference.classes.rater_intervals import rater_intervals

        counts = self[RatingCounts]
        return with_intervals(scores, rater_intervals(list(records), counts, confidence, self.sample.drawn))

    @property
    def n(self) -> int:
        """Number of units."""
        found: int = self[RatingCounts].n
        return found

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of categories."""
        return {"ratings": self[RatingCounts].k}

    def described(self, request: EvaluationRequest, scores: Mapping[str, Score]) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        indices = request.settings(scores)["indices"]
        raters = [*self._rated.raters]
        own = {"of": self.kind, "raters": raters, "confidence": request.confidence}
        return {"indices": indices, **own, **self.sample.settings}

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return what makes each rater beside the others, and the pairs: overall scores do not wait for them."""
        alphas = [record for record in self.menu(request) if "level" in record.parameters]
        alpha = alphas[0] if len(alphas) == 1 else find_index("krippendorff_alpha", "raters")
        return {
            "_by_rater": partial(self._each_beside_others, alpha, request.confidence),
            "_pairs": partial(self._each_pair, request.confidence),
        }

    def _each_beside_others(self, alpha: Index, confidence: float | None) -> list[OneRater]:
        n_raters = len(self._rated.raters)
        return [self._beside_others(j, alpha, confidence) for j in range(n_raters)] if n_raters > 2 else []

    def _each_pair(self, confidence: float | None) -> list[RaterPair]:
        n_raters = len(self._rated.raters)
        if n_raters > MOST_PAIRED:
            return []
        pairs = [self._pair(i, j, confidence) for i, j in combinations(range(n_raters), 2)]
        return sorted(pairs, key=lambda own: -own.agreement if own.n else 2)

    def _beside_others(self, rater: int, alpha: Index, confidence: float | None) -> OneRater:
        from adjudge.inference.classes.rater_shares import share_of_others

        n, value, interval = share_of_others(
            self._rated.codes, rater, confidence, lambda kept: self._of_some(kept).drawn
        )
        others = replace(self._rated, codes=np.delete(self._rated.codes, rater, axis=1))
        without, _ = alpha.assess(RatingCounts.make(others))
        low = high = reason = None
        if interval is not None:
            reason = interval.reason
            if not math.isnan(interval.low):
                low, high = interval.low, interval.high
        level, why = alpha.parameters["level"], reason if n else "no unit with others"
        return OneRater(self._rated.raters[rater], n, value, low, high, without, why, level)

    def _pair(self, one: int, other: int, confidence: float | None) -> RaterPair:
        first, second = (self._rated.codes[:, j] for j in (one, other))
        both = (first >= 0) & (second >= 0)
        names, n = (self._rated.raters[one], self._rated.raters[other]), int(both.sum())
        if n == 0:
            return RaterPair(*names, 0, math.nan, math.nan, None, None, "no unit was rated by both")
        k = len(self._rated.categories)
        labels = tuple(Labels(own[both], 0, k, range(k)) for own in (first, second))
        case = ClassifierCase.of_table(joint_table(labels), range(k), None, self._of_some(both), labels)
        score = case.scored([find_index("cohen_kappa", "classification")], confidence)["cohen_kappa"]
        alike = float((first[both] == second[both]).mean())
        reason = score.reason or score.interval_reason
        return RaterPair(*names, n, alike, score.value, score.low, score.high, reason)

    def _of_some(self, kept: Bools) -> Sample:
        """Return the sample of the units under a mask."""
        return self.sample if self.sample.units is None else self.sample.take(np.flatnonzero(kept))

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say what a reader of the scores should know."""
        categories, (n, n_raters) = self._rated.categories, self._rated.codes.shape
        found = about_order(shown.scores.values()) + about_near_names(categories)
        if n_raters > n:
            read = f"the rows are {n} units, and the columns {n_raters} raters"
            remedy = "transpose the ratings if each row is a rater's"
            found += (Notice("more-raters-than-units", read, remedy, "info"),)
        if (total := self._rated.sum_if_counts) is not None:
            read = f"each row of ratings has the sum {total}, as numbers of raters have"
            found += (Notice("counts-of-ratings", read, IF_COUNTS),)
        return found + _strangers(self._rated) + self.sample.notices(shown.request.confidence)


def _strangers(rated: RatedUnits) -> tuple[Notice, ...]:
    """Name the columns that share no category with the others, as names of the units do."""
    names = [in_words(name) for name in rated.strangers()]
    if not names:
        return ()
    column, shares = ("column", "shares") if len(names) == 1 else ("columns", "share")
    why = f"{column} {shortened(names, 5)} {shares} no category with another rater"
    return (Notice("strange-raters", why, "leave out columns that hold no ratings"),)
