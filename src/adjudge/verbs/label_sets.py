"""How `evaluate` and `compare` judge multilabel classifiers, which give an instance several labels or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option, in_words
from adjudge.given.input_kinds import LabelForecasts, PredictedSets, TrueSets
from adjudge.given.label_scores import LabelScores, read_label_scores
from adjudge.given.label_sets import LabelSets, read_label_sets, weighed_sets
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import find_index, is_default
from adjudge.indices.record import Index
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import NO_ESTIMATE
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.sample import Sample
from adjudge.results import Comparison
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import LABELS_ALONE, about_near_names, about_those_with_labels_alone
from adjudge.results.class_scores import ByClass, ClassScores, OneClass
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.agreement import Agreement, WeightedAgreement
from adjudge.statistics.label_rankings import LabelAreas, forecasts_of_labels
from adjudge.statistics.label_sets import SetCounts, shared_keys
from adjudge.statistics.making import Made, lacking_of
from adjudge.verbs.by_class import measured_by_class, ranked_by_class
from adjudge.verbs.classifiers import ClassifierOptions
from adjudge.verbs.classifiers_compared import forecasts_of_models
from adjudge.verbs.judging import KINDS_OF, check_design, scores_of, selected, with_intervals
from adjudge.verbs.request import EvaluationRequest

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference

__all__ = ["LabelSetSource", "evaluate_label_sets", "judge_models"]

_WHAT = "several labels per instance"


@dataclass(frozen=True, eq=False)
class _Coded:
    """A classifier's predictions and the truth, encoded once.

    Attributes
    ----------
    truth : LabelSets
    prediction : LabelSets or None
    scores : LabelScores or None
    derived : bool
        Whether the predicted labels are those with a probability of at least one half.
    sample : Sample
    """

    truth: LabelSets
    prediction: LabelSets | None
    scores: LabelScores | None
    derived: bool
    sample: Sample

    @property
    def at_hand(self) -> dict[type, Any]:
        """The inputs that were given, by kind of input."""
        found = {TrueSets: self.truth, PredictedSets: self.prediction, LabelForecasts: self.scores}
        return {thing: own for thing, own in found.items() if own is not None}

    def notices(self, who: str) -> tuple[Notice, ...]:
        """Return notices about the labels of a classifier; `who` is its name in them."""
        found = []
        if self.derived:
            message = "labels with a probability of at least 0.5 are predicted"
            remedy = ("pass other labels as ", Option("labels_pred"))
            found.append(Notice("labels-from-probabilities", message, remedy, "info"))
        if self.prediction is not None:
            true, predicted = np.unique(self.truth.columns), np.unique(self.prediction.columns)
            if true.size and predicted.size and not np.intersect1d(true, predicted).size:
                labels = self.truth.labels
                message = (
                    f"no label of {who}, such as {in_words(labels[predicted[0]])}, is in the truth, which has "
                    f"labels such as {in_words(labels[true[0]])}"
                )
                found.append(Notice("no-label-in-common", message, "use the same labels in both"))
        return tuple(found)


def _coded(
    labels_true: Any, named: Mapping[str, Any], options: ClassifierOptions, weighting: Weighting
) -> dict[str, _Coded]:
    """Check and encode the labels and scores of several classifiers; the options map their names to values."""
    probable = options.probabilities is not None
    read = {
        name: read_label_scores(own, probabilities=probable, labels=options.classes, absent=weighting.absent)
        for name, own in forecasts_of_models(named, options).items()
    }
    # Named columns of a data frame define the labels.
    labels = options.classes or next((own.labels for own in read.values() if own.labels), None)
    sets = read_label_sets({"labels_true": labels_true, **named}, labels)
    scores = {name: own.of(sets["labels_true"]) for name, own in read.items()}
    likely = {name: own.likely() for name, own in scores.items()} if probable and not named else {}
    weighed = weighed_sets({**sets, **likely}, weighting)
    truth = weighed.pop("labels_true")
    sample = Sample.of_sets(sets["labels_true"].n, weighting)
    return {
        name: _Coded(
            truth,
            weighed.get(name),
            scores[name].kept_in(truth) if name in scores else None,
            name in likely,
            sample,
        )
        for name in (list(named) or list(scores))
    }


def evaluate_label_sets(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    options: ClassifierOptions,
    weighting: Weighting,
    backend: str | None,
) -> ClassifierEvaluation:
    """Judge one multilabel classifier."""
    if labels_true is None or (labels_pred is None and options.probabilities is None):
        raise InputError(
            f"{_WHAT} are judged against the truth: give ",
            Option("labels_true"),
            " and ",
            Option("labels_pred"),
            ", or ",
            Option("probabilities"),
        )
    name = "labels_pred"
    given = ClassifierOptions(
        None if options.probabilities is None else {name: options.probabilities},
        None if options.scores is None else {name: options.scores},
        options.classes,
    )
    named = {} if labels_pred is None else {name: labels_pred}
    coded = _coded(labels_true, named, given, weighting)[name]
    if coded.sample.is_weighted:
        check_design(request, is_known=coded.sample.is_known)
    made = Made(coded.at_hand)
    scores = _scores(_chosen(request, coded), made, request.confidence, coded.sample.drawn)
    by_class = ByClass(partial(_by_label, coded, request.confidence))
    return ClassifierEvaluation(
        scores=scores,
        n=_whole(coded.truth.total),
        n_clusters={"labels": len(coded.truth.labels)},
        settings=request.settings(scores) | weighting.settings(),
        warnings=coded.notices("the prediction")
        + about_near_names(coded.truth.labels)
        + coded.sample.notices(request.confidence),
        backend=backend,
        units=coded.sample.drawn_units,
        by_class=by_class if request.confidence is None else by_class.made(int(coded.truth.total)),
        _instances=None if coded.prediction is None else _instances({name: coded}),
    )


def _whole(total: float) -> int | float:
    return int(total) if float(total).is_integer() else total


def _chosen(request: EvaluationRequest, coded: _Coded) -> list[Index]:
    """Return the requested indices, all of which take several labels per instance."""
    at_hand = list(coded.at_hand)
    by_keyword, named = selected(request.indices, KINDS_OF["multilabel"], at_hand)
    if is_default(request.indices) and coded.prediction is not None:
        by_keyword.append(find_index("micro_f1"))  # with one label per instance, it equals the accuracy
    for record in named:
        if lacking_of(record.requires, (TrueSets, PredictedSets, LabelForecasts)):
            raise InputError(f"{record.name} is not a score of {_WHAT}")
        if missing := lacking_of(record.requires, at_hand):
            raise InputError(f"{record.name} needs {missing[0].words}: give ", Option(missing[0].option))
    # No label is the positive one, so a score by label is replaced by its macro average.
    averaged = {record.variant_of for record in by_keyword}
    return list(dict.fromkeys([*(record for record in by_keyword if record.name not in averaged), *named]))


def _possible(records: Sequence[Index], made: Made) -> list[Index]:
    """Return the indices that can be computed of a model, which may have labels alone."""
    return [record for record in records if not lacking_of(record.requires, made)]


def _scores(
    records: Sequence[Index], made: Made, confidence: float | None, drawn: Drawn | None
) -> dict[str, Score]:
    scores = scores_of(records, made)
    if confidence is None:
        return scores
    from adjudge.inference.classes.label_set_intervals import label_set_intervals

    found = label_set_intervals(records, made, confidence, drawn)
    undefined = {
        name: Interval.undefined(confidence, own.method, NO_ESTIMATE)
        for name, own in found.items()
        if math.isnan(scores[name].value)
    }
    return with_intervals(scores, found | undefined)


def _by_label(coded: _Coded, confidence: float | None) -> list[ClassScores]:
    made = Made(coded.at_hand)
    drawn = coded.sample.drawn
    measured: dict[str, list[OneClass]] = {}
    predicted: list[Any] = [None] * len(coded.truth.labels)
    if coded.prediction is not None:
        counts: SetCounts = made[SetCounts]
        outcomes = None if drawn is None else _outcomes(drawn, coded.truth, coded.prediction)
        measured |= measured_by_class(counts, confidence, outcomes)
        predicted = counts.predicted.tolist()
    support = np.bincount(coded.truth.columns, _weights_of_keys(coded.truth), len(coded.truth.labels))
    if coded.scores is not None:
        of_each = forecasts_of_labels(coded.truth, coded.scores)
        measured |= ranked_by_class(made[LabelAreas], ((own, 1) for own in of_each), confidence, drawn)
    return [
        ClassScores(label, _whole(size), said, {name: own[i] for name, own in measured.items()})
        for i, (label, size, said) in enumerate(
            zip(coded.truth.labels, support.tolist(), predicted, strict=True)
        )
    ]


def _outcomes(drawn: Drawn, truth: LabelSets, prediction: LabelSets) -> Callable[[int], Drawn]:
    """Return a function that gives each label's rows by outcome: true or false positive, true or false negative."""
    true, said = truth.by_label(), prediction.by_label()

    def of_label(code: int) -> Drawn:
        is_true, is_said = (np.isin(np.arange(truth.n), own[code]) for own in (true, said))
        return Drawn(drawn.unit, drawn.n_units, 2 * ~is_said + ~is_true, drawn.counts)

    return of_label


def _weights_of_keys(sets: LabelSets) -> NDArray[Any] | None:
    return None if sets.weights is None else sets.weights[sets.rows]


def judge_models(
    request: EvaluationRequest,
    labels_true: Any,
    named: Mapping[str, Any],
    options: ClassifierOptions,
    weighting: Weighting,
) -> tuple[Comparison, LabelSetSource]:
    """Score several multilabel classifiers; their pairs are left to the source."""
    coded = _coded(labels_true, named, options, weighting)
    first = next(iter(coded.values()))
    chosen = _chosen(request, max(coded.values(), key=lambda own: len(own.at_hand)))
    chosen = request.primary_first(chosen, KINDS_OF["multilabel"])
    if first.sample.is_weighted:
        check_design(request, is_known=first.sample.is_known)
    rows, drawn = _instances(coded), first.sample.drawn
    made = {name: Made(own.at_hand) for name, own in coded.items()}
    source = LabelSetSource(first.truth, rows, made, drawn)
    judged = {}
    for name, own in made.items():
        scores = _scores(_possible(chosen, own), own, request.confidence, drawn)
        judged[name] = {r.name: scores.get(r.name, Score(r, math.nan, LABELS_ALONE)) for r in chosen}
    comparison = Comparison(
        kind="multilabel",
        models=tuple(coded),
        n=_whole(first.truth.total),
        judged=judged,
        pairs={},
        settings={
            "of": "multilabel",
            "scores": [record.name for record in chosen],
            **request.settings_of_tests(chosen),
            "confidence": request.confidence,
            **weighting.settings(),
            "n_given": first.sample.rows.n_given if weighting.n_given is None else weighting.n_given,
        },
        units=first.sample.drawn_units,
        warnings=about_those_with_labels_alone(judged)
        + tuple(notice for name, own in coded.items() for notice in own.notices(f"model {name!r}"))
        + about_near_names(first.truth.labels)
        + first.sample.notices(request.confidence),
        _instances=rows,
    )
    return comparison, source


def _instances(coded: Mapping[str, _Coded]) -> Instances:
    first = next(iter(coded.values()))
    labels = {name: _labels_of(own) for name, own in coded.items()}
    return first.sample.instances("multilabel", first.truth, labels)


def _labels_of(coded: _Coded) -> LabelSets:
    assert coded.prediction is not None
    return coded.prediction


class LabelSetSource:
    """The pairs of an instance and a label on which each model is wrong; no other pairs are stored."""

    patterns: None = None

    def __init__(
        self, truth: LabelSets, rows: Instances, made: Mapping[str, Made], drawn: Drawn | None
    ) -> None:
        self._truth, self._made, self._drawn = truth, made, drawn
        self._wrong = rows.wrong
        self.instances = rows.of_cell

    def agreement(self, p: str, q: str) -> Agreement:
        """Count, or weigh, the Prayatul matrix of p against q."""
        wrong_p, wrong_q = self._weight(self._wrong[p]), self._weight(self._wrong[q])
        both = self._weight(shared_keys(self._wrong[p], self._wrong[q]))
        total = self._truth.total * len(self._truth.labels)
        made = Agreement if isinstance(total, int) else WeightedAgreement
        return made(total - wrong_p - wrong_q + both, wrong_q - both, wrong_p - both, both)

    def _weight(self, keys: NDArray[np.int64]) -> Any:
        weights = self._truth.weights
        return keys.size if weights is None else weights[keys // len(self._truth.labels)].sum().item()

    def inference(self, agreements: Any, confidence: float) -> dict[tuple[str, str], Any]:
        """Return nothing: the pairs of one instance depend on each other."""
        return {}

    def differences(
        self, records: Sequence[Index], confidence: float | None
    ) -> dict[tuple[str, str], dict[str, Difference]]:
        """Infer the score differences of each pair of models, treating the instances as a sample."""
        if confidence is None:
            return {}
        from adjudge.inference.classes.label_set_intervals import label_set_differences

        return {
            (p, q): label_set_differences(
                _possible(_possible(records, one), other), one, other, confidence, self._drawn
            )
            for (p, one), (q, other) in combinations(self._made.items(), 2)
        }

    def wrong_alike(self, p: str, q: str) -> None:
        """Return nothing: there is only one way to be wrong about a label."""
