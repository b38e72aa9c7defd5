"""How `compare` judges classifiers: by labels and probabilities, against the truth and each other, and by group."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.errors import InputError, Option, a_type
from adjudge.given.alignment import AlignedLabels, align_labels
from adjudge.given.data_frames import columns_by_name
from adjudge.given.groups import group_columns
from adjudge.given.labels import Column, Labels
from adjudge.given.probabilities import as_class_scores
from adjudge.given.weights import Weighting
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.inference.refusals import MOST_CLASSES
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.sample import Sample
from adjudge.results import Comparison
from adjudge.results.class_notices import LABELS_ALONE, about_groups
from adjudge.results.class_scores import MANY_INSTANCES
from adjudge.results.differences import (
    ClassDifference,
    GroupDifference,
    by_index,
    corrected,
)
from adjudge.results.instances import Instances
from adjudge.results.score import Score
from adjudge.statistics.agreement import CELLS, Agreement, weight_of
from adjudge.statistics.classes import classes_of_truth
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts
from adjudge.verbs.classifiers import (
    ClassifierOptions,
    CodedClassifier,
    coded_classifier,
    scores_of_classifier,
)
from adjudge.verbs.model_differences import with_differences
from adjudge.verbs.request import EvaluationRequest

__all__ = [
    "ClassificationSource",
    "CodedModels",
    "by_model",
    "check_are_models",
    "code_models",
    "compare_groups",
    "forecasts_of_models",
    "likeliest_labels",
    "with_inferred_differences",
]

if TYPE_CHECKING:
    from adjudge.inference.classes.label_sums import ScoredModels
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.forecasts.forecast_influence import ScoredForecasts

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class CodedModels:
    """Several classifiers' predictions for the same instances, encoded once.

    Attributes
    ----------
    models : dict of str to CodedClassifier
    sample : Sample
    """

    models: dict[str, CodedClassifier]
    sample: Sample

    @property
    def at_hand(self) -> list[type]:
        """Types of the inputs, of the model that has most."""
        return max((own.at_hand for own in self.models.values()), key=len)

    @property
    def without_forecasts(self) -> list[str]:
        """Models that have none of the probabilities, or scores, that others have."""
        lacking = [name for name, own in self.models.items() if own.forecasts is None]
        return lacking if len(lacking) < len(self.models) else []

    def of_groups(self) -> Iterator[tuple[Any, CodedModels]]:
        """Split the instances by group; all groups keep the same classes."""
        fixed = {name: own.with_classes() for name, own in self.models.items()}
        for code, label in enumerate(self.sample.names_of_groups):
            positions = self.sample.of_group(code)
            part = self.sample.take(positions)
            if part.total:
                yield label, CodedModels({name: own.take(positions) for name, own in fixed.items()}, part)

    def instances(self) -> Instances:
        """Return what is known of each instance."""
        first = next(iter(self.models.values()))
        labels = {name: _prediction(own) for name, own in self.models.items()}
        forecasts = {n: own.forecasts for n, own in self.models.items() if own.forecasts is not None}
        return self.sample.instances("classification", first.truth, labels, forecasts)

    def judged(self, records: Sequence[Index], confidence: float | None) -> dict[str, dict[str, Score]]:
        """Score each model against the truth."""
        most: int | None = 0 if confidence is None else MOST_CLASSES
        if any(Confusion in record.requires for record in records):
            most = None
        lacking = self.without_forecasts
        of_labels = [record for record in records if not isinstance(record, ForecastIndex)]
        found = {}
        for name, coded in self.models.items():
            asked = of_labels if name in lacking else records
            scores = scores_of_classifier(asked, coded.statistics(most_classes=most), confidence)
            found[name] = {r.name: scores.get(r.name, Score(r, math.nan, LABELS_ALONE)) for r in records}
        return found


def code_models(
    labels_true: Any,
    named: Mapping[str, Any],
    options: ClassifierOptions,
    weighting: Weighting,
    request: EvaluationRequest,
) -> tuple[CodedModels, AlignedLabels]:
    """Check and encode the labels, probabilities and groups of several classifiers.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
    named : mapping of str to array-like
        Each model's labels; empty if they are derived from probabilities.
    options : ClassifierOptions
        Options whose probabilities or scores are mappings by model name.
    weighting : Weighting
    request : EvaluationRequest
    """
    given = forecasts_of_models(named, options)
    names = list(named) or list(given)
    # Without labels, those of a model are its likeliest classes.
    named = {name: own for name, own in named.items() if own is not None}
    columns = {f"\0{name}": Column.of(values, name) for name, values in group_columns(options.groups).items()}
    vectors = {"labels_true": labels_true, **named}
    request.labels.check_names(list(vectors))
    of_each, incomplete, absent = {}, None, weighting.absent
    for name in names:
        own = replace(options, probabilities=None, scores=None)
        if name in given:
            option = "probabilities" if options.probabilities is not None else "scores"
            own = replace(own, **{option: given[name]})
        vector = name if name in named else "labels_true"
        of_each[name], lacking = own.marked(labels_true, request.labels, vector, absent)
        if lacking is not None:
            incomplete = lacking if incomplete is None else incomplete | lacking
    aligned = align_labels({**vectors, **columns}, request.labels, weighting.beside, absent, incomplete)
    sample = Sample.of(aligned, weighting, "classification", aligned.labels[len(vectors) :])
    truth, *labels = aligned.labels[: len(vectors)]
    predictions = dict(zip(named, labels, strict=True))
    models = {
        name: coded_classifier(truth, predictions.get(name), own, sample) for name, own in of_each.items()
    }
    return CodedModels(models, sample), aligned


def likeliest_labels(
    labels_true: Any,
    probabilities: Mapping[str, Any],
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    *,
    gaps: bool = False,
) -> dict[str, Labels]:
    """Return the likeliest class of each instance by each model; ties go to the first class.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        Defines the classes of the columns if nothing else does.
    probabilities : mapping of str to array-like
    classes : sequence, optional
    positive : object, optional
        The class of a single column, unless its name gives another.
    gaps : bool
        Whether instances may lack probabilities, and so a label.
    """
    found = {}
    for name, given in probabilities.items():
        scores = as_class_scores(given, probabilities=True, classes=classes, truth=labels_true, gaps=gaps)
        known = read_forecasts(labels_true, scores, positive=positive, missing="drop")
        values, nowhere = scores.values, np.zeros(len(scores), np.int64)
        if known.scored is not None:
            values = ProbabilityForecasts.of_second(values, known.scored)
        codes = ProbabilityForecasts(known.classes, nowhere, values).best
        found[str(name)] = Labels(codes, 0, known.k, known.classes, scores.missing)
    return found


def by_model(given: Any, option: str) -> Mapping[str, Any]:
    """Return the probabilities, or scores, of each model; a column of a data frame holds one class of two."""
    found = given if isinstance(given, Mapping) else columns_by_name(given, option)
    if found is None:
        raise InputError(
            Option(option), f" is {a_type(given)}: give a mapping from names of models to {option}"
        )
    return found


def forecasts_of_models(named: Mapping[str, Any], options: ClassifierOptions) -> Mapping[str, Any]:
    """Check that each model has labels, probabilities or scores."""
    option = "probabilities" if options.probabilities is not None else "scores"
    given = getattr(options, option)
    if given is None:
        return {}
    found = {str(name): own for name, own in by_model(given, option).items()}
    if not found:
        raise InputError(Option(option), " is empty: at least one model is needed")
    if not named:
        if option == "scores":
            raise InputError(
                Option("scores"),
                " only rank the instances: give the models' labels as well, as ",
                Option("models"),
            )
        return found
    check_are_models(option, found, named)
    for name, labels in named.items():
        if labels is None and (name not in found or option == "scores"):
            raise InputError(f"model {name!r} has neither labels nor probabilities: give one of them")
    return found


def check_are_models(option: str, given: Iterable[str], models: Collection[str]) -> None:
    """Raise for probabilities, or scores, of a name that is no model; a model may lack them and have labels alone."""
    for name in given:
        if name not in models:
            raise InputError(
                f"{option} has {name!r}, which is not a model: choose from {', '.join(map(repr, models))}"
            )


class ClassificationSource:
    """Where each classifier is right, stored as one bit vector per model."""

    def __init__(self, coded: CodedModels) -> None:
        self._sample = coded.sample
        self._truth = next(iter(coded.models.values())).truth
        self.rows = coded.instances()
        self.instances = self.rows.of_cell
        self.patterns = self.rows.patterns
        # A model that can never be right is an error, reported at once.
        self._right = self.rows.right

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the Prayatul matrix of p against q."""
        return self.rows.outcomes(p, q).agreement

    def _drawn(self, pair: Pair) -> Drawn | None:
        """Return how rows were drawn, over the cells of a pair's Prayatul matrix."""
        return self._sample.numbered(self.rows.outcomes(*pair).cells, len(CELLS))

    def inference(self, agreements: Mapping[Pair, Agreement], confidence: float) -> dict[Pair, Any]:
        """Return intervals and tests for all ordered pairs of models."""
        from adjudge.inference.differences.head_to_head import assess_classifiers

        return assess_classifiers(agreements, confidence, self._drawn)

    def recalls(self, p: str, q: str, confidence: float | None) -> list[ClassDifference]:
        """Compare the recall of each class by p and q."""
        from adjudge.verbs.class_recalls import compare_recalls

        return compare_recalls(self._truth, self.rows.outcomes(p, q), confidence, self._sample)

    def wrong_alike(self, p: str, q: str) -> float:
        """Count, or weigh, the instances on which both make the same wrong prediction."""
        found: float = weight_of(self.rows.wrong_alike(p, q), self.rows.weights)
        return found


def _prediction(coded: CodedClassifier) -> Labels:
    assert coded.prediction is not None
    return coded.prediction


def with_inferred_differences(
    comparison: Comparison,
    coded: CodedModels,
    source: ClassificationSource,
    confidence: float | None,
) -> Comparison:
    """Add the difference of each score, and of the recall of each class, to every ordered pair of models."""
    between = {} if confidence is None else _all_inferred(comparison, coded, confidence)
    found = with_differences(comparison, between, partial(source.recalls, confidence=confidence))
    if confidence is not None and found.n >= MANY_INSTANCES:
        for pair in found.pairs.values():
            pair.recalls  # noqa: B018 - a cached property, for which no reader should wait
    return found


def _all_inferred(
    comparison: Comparison, coded: CodedModels, confidence: float
) -> dict[Pair, dict[str, Difference]]:
    from adjudge.inference.classes.label_sums import ScoredModels
    from adjudge.inference.forecasts.forecast_influence import ScoredForecasts

    known = ScoredModels(), ScoredForecasts(coded.sample.drawn)
    return {
        pair: _inferred(comparison, coded, pair, confidence, known)
        for pair in combinations(comparison.models, 2)
    }


def _inferred(
    comparison: Comparison,
    coded: CodedModels,
    pair: Pair,
    confidence: float,
    known: tuple[ScoredModels, ScoredForecasts],
) -> dict[str, Difference]:
    from adjudge.inference.differences.forecast_differences import differences_of_forecasts
    from adjudge.inference.differences.label_differences import PairedLabels, differences_of_labels

    first, second = (coded.models[name] for name in pair)
    records = [score.index for score in comparison.judged[pair[0]].values()]
    of_labels = [record for record in records if not isinstance(record, ForecastIndex)]
    of_forecasts = [record for record in records if isinstance(record, ForecastIndex)]
    one, other = _prediction(first), _prediction(second)
    classes = second.classes if first.classes is None else first.classes
    if classes is None:
        occurring = [labels.dense()[1] for labels in (first.truth, one, other)]
        answers = [label for own in occurring[1:] for label in own]
        classes = classes_of_truth(occurring[0], answers, first.positive)
    orders = first.orders, second.orders
    labels = PairedLabels(first.truth, one, other, coded.sample.weights, classes, first.positive, orders)
    cells = coded.sample.cells((first.truth, one, other))
    agreement = comparison.pairs[pair].agreement
    found = differences_of_labels(of_labels, labels, agreement, confidence, known[0], drawn=cells)
    if of_forecasts and first.forecasts is not None and second.forecasts is not None:
        found |= differences_of_forecasts(
            of_forecasts,
            first.forecasts,
            second.forecasts,
            confidence,
            scored=known[1],
            drawn=coded.sample.drawn,
        )
    return found


def compare_groups(
    comparison: Comparison,
    coded: CodedModels,
    compared: Callable[[CodedModels], Comparison],
    correction: str,
) -> Comparison:
    """Compare the models within each group, and relate the differences to those over all instances.

    Parameters
    ----------
    comparison : Comparison
        Comparison on all instances.
    coded : CodedModels
    compared : callable
        Compares the models on a subset of the instances.
    correction : {"holm", "fdr"}
        That of the tests of each index, for all groups and pairs of models.
    """
    by_group = {label: compared(part) for label, part in coded.of_groups()}
    rows = [
        GroupDifference(p, q, label, own.n, score, comparison[p, q].differences[name].gain)
        for p, q in combinations(comparison.models, 2)
        for label, own in by_group.items()
        for name, score in own[p, q].differences.items()
    ]
    scores = corrected([row.score for row in rows], by_index, correction)
    rows = [replace(row, score=score) for row, score in zip(rows, scores, strict=True)]
    warnings = comparison.warnings + about_groups(by_group)
    return replace(comparison, by_group=by_group, group_differences=tuple(rows), warnings=warnings)
