"""Judgement of labels on many data sets: scores, and where each pair of models is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Ints
from adjudge.benchmarking.classifiers import array_of_labels, has_forecasts, labels_of, taken
from adjudge.benchmarking.collected_scores import Gathered, Scored
from adjudge.benchmarking.directions import said_direction
from adjudge.benchmarking.files import at_rows
from adjudge.errors import AdjudgeError, Argument, InputError, InputTypeError, Option
from adjudge.given.labels import code_labels
from adjudge.indices.catalog import find_index
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.presentation.numbers import count
from adjudge.results.class_notices import LABELS_ALONE, labels_alone
from adjudge.statistics.agreement import OF_NUMBERS, Agreement
from adjudge.verbs.evaluate import evaluate

__all__ = ["DEFAULT_SCORES", "Scoring", "accepted", "gather_labels", "scored"]

Kind = Literal["clustering", "classification", "regression", "values"]

#: How models of each kind are scored if no score is named.
DEFAULT_SCORES: dict[str, str] = {
    "clustering": "adjusted_rand",
    "classification": "accuracy",
    "regression": "mean_absolute_error",
    "values": "mean",
}

# The remedy if too few models have what a score of probabilities reads.
_REMEDY = (
    "choose a score of labels, such as accuracy, or give models in Python as Classifier(probabilities=...)"
)


@dataclass(frozen=True)
class Scoring:
    """How labels, or numbers of rows, are scored.

    Attributes
    ----------
    name : str
    kind : {"clustering", "classification", "regression", "values"}
    better : {"higher", "lower"}
    function : callable, or None
        The user's own score function of the truth and the labels.
    """

    name: str
    kind: Kind
    better: str
    function: Callable[[Any, Any], float] | None = None

    @property
    def reads_numbers(self) -> bool:
        """Whether it scores a number for each row."""
        return self.kind in OF_NUMBERS

    @property
    def reads_probabilities(self) -> bool:
        """Whether it scores a classifier's probabilities, not its labels."""
        return self.function is None and isinstance(find_index(self.name), ForecastIndex)

    def check_reads_labels(self) -> None:
        """Raise if it reads probabilities, where models have labels alone."""
        if self.reads_probabilities:
            raise InputError(f"{self.name} reads probabilities, and the models have labels: {_REMEDY}")

    @classmethod
    def of(cls, score: Any, kind: Kind | None, better: str | None) -> Scoring:
        """Resolve a score given as the name of an index, its record, or a function; None for that of the kind."""
        if kind is not None and kind not in DEFAULT_SCORES:
            raise InputError(
                Option("kind", kind), f" is not known: choose one of {', '.join(DEFAULT_SCORES)}"
            )
        score = DEFAULT_SCORES[kind or "clustering"] if score is None else score
        if callable(score) and not isinstance(score, Index):
            name = getattr(score, "__name__", type(score).__name__)
            # A function without a name is taken as a score: the first line says that higher is better.
            way = better or ("higher" if name == "<lambda>" else said_direction(name, None))
            return cls(name, kind or "clustering", way, score)
        wanted: Any = "external" if kind == "clustering" else kind
        record = score if isinstance(score, Index) else find_index(score, wanted)
        if record.kind not in ("external", "classification", *OF_NUMBERS):
            raise InputError(
                f"{record.name} is of kind {record.kind!r}: a benchmark scores labels against the truth, by an "
                "external index or a score of classifiers"
            )
        found: Any = "clustering" if record.kind == "external" else record.kind
        if None not in (record.better, better) and record.better != better:
            raise InputError(
                f"{record.name} is better if it is {record.better}: leave out ", Option("better", better)
            )
        if record.better is None and better is None:
            raise InputError(
                f"neither high nor low values of {record.name} are better: pass ",
                Option("better", "higher"),
                " or ",
                Option("better", "lower"),
            )
        return cls(record.name, kind or found, better or str(record.better))


def gather_labels(
    datasets: Mapping[str, tuple[Any, Mapping[str, Any]]],
    scoring: Scoring,
    *,
    truth_noise: Any = None,
    confidence: float | None = None,
    head_to_head: bool = True,
    units: Mapping[str, Any] | None = None,
    rows: Mapping[str, Ints] | None = None,
    **options: Any,
) -> Gathered:
    """Judge the labels of every data set.

    Parameters
    ----------
    datasets : mapping of str to (truth, mapping of str to labels or Classifier)
        A mapping or a list of arrays in place of the truth holds several accepted truths.
    scoring : Scoring
        A score of probabilities leaves out the models that have labels alone, and says so.
    truth_noise : object, or mapping of str to object, optional
        Label of the instances of the truth that belong nowhere, in all data sets or by data set: they are left out,
        whatever the models say.
    confidence : float, optional
    head_to_head : bool
        Whether Prayatul matrices are counted.
    units : mapping of str to array-like, optional
        The unit that each instance belongs to, by data set.
    rows : mapping of str to ndarray of int64, optional
        The rows of each data set in the table that has all, for messages.
    **options
        `missing`, `noise`, `noise_label`, `positive` of :func:`adjudge.evaluate`, for the models' labels.
    """
    gathered = Gathered(scoring.name, scoring.better, scoring.kind)
    if unknown := [name for name in units or () if name not in datasets]:
        raise InputError(
            Option("units"), f" names {unknown[0]!r}: the data sets are {', '.join(map(repr, datasets))}"
        )
    several = []
    by_order: dict[str, str] = {}
    for name, (given, predictions) in datasets.items():
        truths, of_units = accepted(given), (units or {}).get(name)
        noise = truth_noise.get(name) if isinstance(truth_noise, Mapping) else truth_noise
        if not isinstance(predictions, Mapping) or not predictions:
            raise InputTypeError(
                f"data set {name!r}: a mapping of models to their labels is needed after the truth"
            )
        try:
            judged = [
                _judge(truth, predictions, scoring, noise, confidence, head_to_head, options, of_units)
                for truth in truths
            ]
        except AdjudgeError as error:
            raise at_rows(error, (rows or {}).get(name), f"data set {name!r}: ") from None
        _keep_best(gathered, name, judged)
        by_order |= {name: judged[0].by_order} if judged[0].by_order else {}
        if len(truths) > 1:
            several.append(name)
    _leave_out_those_with_labels_alone(gathered, scoring)
    if by_order:
        first, *others = by_order
        also = f", and in {count(len(others), 'other data set')} as well" if others else ""
        gathered.notes.append(f"in data set {first!r}{also}, {by_order[first]}")
    if several:
        gathered.notes.append(
            f"{len(several)} data sets have several accepted truths: each model is scored by the one that it agrees "
            "with most, and counts of where models are right are of the truth with the best mean score"
        )
    return gathered


def _leave_out_those_with_labels_alone(gathered: Gathered, scoring: Scoring) -> None:
    """Leave out the models that have a score of probabilities nowhere, because they have labels alone."""
    alone = [
        model
        for model in gathered.models
        if all(gathered.reasons.get((name, model)) == LABELS_ALONE for name in gathered.scores)
    ]
    if not alone:
        return
    if len(alone) == len(gathered.models):
        scoring.check_reads_labels()
    if len(alone) == len(gathered.models) - 1:
        raise InputError(f"{scoring.name} reads probabilities, which one model has: {_REMEDY}")
    for name, row in gathered.scores.items():
        gathered.scores[name] = {model: value for model, value in row.items() if model not in alone}
    gathered.reasons = {key: reason for key, reason in gathered.reasons.items() if key[1] not in alone}
    gathered.agreements = {
        name: {pair: own for pair, own in found.items() if not {*pair} & {*alone}}
        for name, found in gathered.agreements.items()
    }
    (notice,) = labels_alone(alone, [find_index(scoring.name).title])
    gathered.notes.append(
        f"{notice.message}: {'the model is' if len(alone) == 1 else 'the models are'} left out"
    )


def accepted(given: Any) -> list[Any]:
    """List the accepted truths."""
    if isinstance(given, Mapping):
        return list(given.values())
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, np.ndarray) for one in given):
        return list(given)
    return [given]


@dataclass(frozen=True)
class _Judged:
    scores: dict[str, Scored]
    agreements: dict[tuple[str, str], Agreement]
    n: int

    @property
    def by_order(self) -> str:
        """The notice about a positive class chosen by order."""
        return next((own.said for own in self.scores.values() if own.said), "")


def _judge(
    truth: Any,
    predictions: Mapping[str, Any],
    scoring: Scoring,
    truth_noise: Any,
    confidence: float | None,
    head_to_head: bool,
    options: Mapping[str, Any],
    units: Any,
) -> _Judged:
    """Judge all models on one data set against one truth."""
    if truth_noise is not None:
        noisy = code_labels(truth, "labels_true").where(truth_noise)
        if noisy is not None:
            kept = ~noisy
            if not kept.any():
                raise InputError(f"every instance of the truth is noise ({truth_noise!r})")
            left = {model: taken(truth, own, kept, str(model)) for model, own in predictions.items()}
            of_units = None if units is None else taken(truth, units, kept, "units")
            try:
                return _judge(
                    taken(truth, truth, kept, "the truth"),
                    left,
                    scoring,
                    None,
                    confidence,
                    head_to_head,
                    options,
                    of_units,
                )
            except AdjudgeError as error:
                raise at_rows(error, np.flatnonzero(kept)) from None
    predictions = {str(model): labels for model, labels in predictions.items()}
    given = {**options, "units": units}
    scores = {
        model: Scored(math.nan, "there are no labels")
        if labels is None
        else scored(truth, labels, model, scoring, confidence, given)
        for model, labels in predictions.items()
    }
    present = {
        model: labels_of(truth, labels, options)
        for model, labels in predictions.items()
        if labels is not None and head_to_head
    }
    treatment = {name: value for name, value in options.items() if name != "positive"}
    agreements = _agreements(truth, present, scoring.kind, treatment) if head_to_head else {}
    return _Judged(scores, agreements, len(truth))


def scored(
    truth: Any,
    labels: Any,
    model: str,
    scoring: Scoring,
    confidence: float | None,
    options: Mapping[str, Any],
) -> Scored:
    """Score a model on one data set; it says which class is positive, if that is so by order."""
    if scoring.function is not None:
        value = float(scoring.function(truth, array_of_labels(truth, labels, options)))
        return Scored(value, "the score is nan" if math.isnan(value) else None)
    if scoring.reads_probabilities and not has_forecasts(labels):
        code_labels(labels, model)
        return Scored(math.nan, LABELS_ALONE)
    try:
        found = evaluate(
            truth, labels, indices=[scoring.name], kind=scoring.kind, confidence=confidence, **options
        )
    except AdjudgeError as error:
        of_model: dict[Any, str] = {
            Argument("labels_pred"): model,
            Argument("probabilities"): f"probabilities of {model}",
        }
        raise error.worded(*(of_model.get(part, part) for part in error.parts)) from None
    interval = found.intervals.get(scoring.name) if confidence is not None else None
    ends = None if interval is None else (float(interval[0]), float(interval[1]))
    said = next((own.text for own in found.warnings if own.code == "positive-by-order"), "")
    return Scored(float(found[scoring.name]), found.reasons.get(scoring.name), ends, said)


def _agreements(
    truth: Any, predictions: Mapping[str, Any], kind: Any, options: Mapping[str, Any]
) -> dict[tuple[str, str], Agreement]:
    return {
        (p, q): Agreement.from_labels(truth, predictions[p], predictions[q], kind=kind, **options)
        for p, q in combinations(predictions, 2)
    }


def _keep_best(gathered: Gathered, name: str, judged: Sequence[_Judged]) -> None:
    """Keep each model's best score over the accepted truths."""
    sign = 1 if gathered.better == "higher" else -1
    models = judged[0].scores
    for model in models:
        gathered.add(
            name,
            model,
            max((one.scores[model] for one in judged), key=lambda own: _or_least(sign * own.value)),
        )
    leading = max(
        judged, key=lambda one: math.fsum(_or_least(sign * own.value, -1e9) for own in one.scores.values())
    )
    gathered.agreements[name] = leading.agreements
    gathered.sizes[name] = leading.n


def _or_least(value: float, least: float = -math.inf) -> float:
    return least if math.isnan(value) else value
