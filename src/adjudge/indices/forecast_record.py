"""The record of a measure of probabilities, or of ranking scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.probabilities import are_decision_values
from adjudge.indices.record import Better, Index, Noted, best_value, maker_of
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts, read_forecasts
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.making import Made, lacking
from adjudge.statistics.ordered_forecasts import OrderedLosses
from adjudge.statistics.ranked_scores import PairAreas, PositiveScores, RankAreas, RankedScores, TruthRanks

# The question of measures made from these; the others ask about calibration.
_QUESTIONS: Mapping[type, str] = {
    **dict.fromkeys((ProbabilityLosses, OrderedLosses), "probabilities"),
    **dict.fromkeys((RankAreas, PairAreas, TruthRanks, PositiveScores), "ranking"),
}


# Phrases that records of such measures share.
ONE_CLASS = "if the truth has one class."
NO_POSITIVE = "if the truth has one class, or if there are more than two and none is named as positive."
OF_POSITIVE = "Of the positive class, which is the second of two unless another is named."
NO_CLASS = "no class is the positive one: name one as positive"
ONE_SIDED = "0/0: the truth has no instance of the positive class, or no other"


def why_no_positive(scores: RankedScores) -> str | None:
    """Return why there is nothing to find among scores; None if the truth has instances of the positive class."""
    if not scores.scores.size:
        return NO_CLASS
    return None if scores.n_positive > 0 else "0/0: the truth has no instance of the positive class"


def why_no_curve(scores: RankedScores) -> str | None:
    """Return why scores have no ROC curve; None if they have one."""
    if not scores.scores.size:
        return NO_CLASS
    return None if scores.n_positive > 0 and scores.n_negative > 0 else ONE_SIDED


class ForecastIndex(Index):
    """A measure of a classifier's probabilities, or of its ranking scores."""

    kind = "classification"

    def _asked(self) -> str:
        return next((_QUESTIONS[kind] for kind in self.requires if kind in _QUESTIONS), "calibration")

    def __call__(
        self,
        labels_true: Any,
        probabilities: Any = None,
        *,
        scores: Any = None,
        classes: Sequence[Any] | None = None,
        positive: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        missing: str = "raise",
        **parameters: Any,
    ) -> float:
        """Compute the score from the truth and the forecasts."""
        if scores is None and not self.needs_probabilities and are_decision_values(probabilities):
            probabilities, scores = None, probabilities
        forecasts = read_forecasts(
            labels_true,
            probabilities,
            scores=scores,
            classes=classes,
            positive=positive,
            pos_label=pos_label,
            sample_weight=sample_weight,
            missing=missing,
        )
        return self.judge(forecasts, **parameters)[0]

    def judge(self, forecasts: Forecasts, **parameters: Any) -> tuple[float, str | None]:
        """Return the value for aligned forecasts, and the reason if it is undefined or infinite."""
        return self.assess(
            *(statistic_of(kind, forecasts, self.name) for kind in self.requires), **parameters
        )

    @property
    def needs_probabilities(self) -> bool:
        """Whether scores that only rank are not enough."""
        return any(
            issubclass(kind, ProbabilityForecasts) or ProbabilityForecasts in getattr(kind, "made_from", ())
            for kind in self.requires
        )

    def _input_lines(self) -> list[str]:
        return [
            "labels_true : array-like of shape (n,)",
            "    True classes.",
            "probabilities : array-like of shape (n, C) or (n,), or data frame with a column for each class",
            "    Predicted probabilities; a vector has those of the positive class."
            + ("" if self.needs_probabilities else " Or decision values, beyond 0 and 1."),
            "scores : the same, instead of probabilities",
            "    Scores that only rank the instances.",
            "classes : sequence of length C, optional",
            "    Classes of the columns; default: the columns' names, or else the labels that occur, sorted.",
            "positive : optional",
            "    The positive class; default: the second of two.",
            "pos_label : optional",
            "    The same, as scikit-learn calls it.",
            "sample_weight : array-like of shape (n,), optional",
            'missing : {"raise", "drop"}, default "raise"',
        ]


def statistic_of(kind: Any, forecasts: Forecasts, name: str) -> Any:
    """Return the forecasts, or a statistic made from them."""
    made = Made({type(forecasts): forecasts})
    if lacking(kind, made):
        raise InputError(f"{name} needs probabilities: ", Option("scores"), " only rank the instances")
    return made[kind]


def forecast_index(
    *, title: str, better: Better | None, range: tuple[float, float], reference: str, **facts: Any
) -> Callable[[Callable[..., float | Noted]], ForecastIndex]:
    """Make the record of a score of probabilities from its formula."""
    facts = {"best": best_value(better, range), "identical_is_best": False, **facts}
    return maker_of(ForecastIndex, title=title, better=better, range=range, reference=reference, **facts)
