"""How `evaluate` judges a classifier: from its labels, probabilities or decision values, by class and by group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.class_order import StatedOrder, stated_orders
from adjudge.given.groups import group_columns
from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, orders_of
from adjudge.given.probabilities import ClassScores, as_class_scores
from adjudge.given.row_sums import Rounded
from adjudge.given.weights import Weighting
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import NO_ESTIMATE
from adjudge.kinds.sample import ALONE, DrawnLabels, Sample
from adjudge.presentation.numbers import count
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import (
    about_answers,
    about_direction,
    about_labels,
    about_order,
    about_order_of_columns,
    about_positive,
)
from adjudge.results.class_scores import ByClass
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts, answer_positions, classes_of_truth
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import DecisionForecasts, Forecasts, ProbabilityForecasts
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.making import Made
from adjudge.statistics.ranked_scores import ClassAreas
from adjudge.verbs.by_class import scores_by_class
from adjudge.verbs.judging import (
    chosen_indices,
    scores_of,
    scores_of_points,
    with_bounds,
    with_intervals,
)
from adjudge.verbs.request import EvaluationRequest

#: Notice for labels that are derived from probabilities.
DERIVED_LABELS = Notice(
    "labels-from-probabilities",
    "the label of each instance is its likeliest class, the first of equal ones",
    ("pass other labels as ", Option("labels_pred")),
    "info",
)

# This many instances are enough to tell in which direction the scores rank.
_ENOUGH = 100_000


def rescaled_rows(rounded: Rounded | None, model: str = "") -> tuple[Notice, ...]:
    """Report that rows of probabilities were divided by their sums; `model` names one of several."""
    if rounded is None:
        return ()
    many = "rows" if rounded.n is None else count(rounded.n, "row")
    of = f" of {model!r}" if model else ""
    return (
        Notice(
            "rows-divided-by-their-sums",
            f"{many} of the probabilities{of} did not add up to 1, but did within {rounded.decimals} decimals, and "
            "were divided by their sums",
            "keep more decimals",
            "info",
        ),
    )


# Why scores of aggregated forecasts have no interval.
_SUMMED = "intervals need the scores of all instances in memory"

__all__ = [
    "DERIVED_LABELS",
    "ClassifierOptions",
    "CodedClassifier",
    "check_options",
    "code_classifier",
    "coded_classifier",
    "evaluate_classifier",
    "evaluate_counted_classifier",
    "evaluated",
    "rescaled_rows",
    "scores_of_classifier",
    "statistics_of_table",
]


@dataclass(frozen=True)
class ClassifierOptions:
    """The options of `evaluate` that apply only to classifiers.

    Attributes
    ----------
    probabilities, scores : array-like of shape (n, C) or (n,), or data frame, optional
    classes : sequence, optional
    positive : object, optional
    groups : array-like of shape (n,), or mapping of names to such, optional
    """

    probabilities: Any = None
    scores: Any = None
    classes: Sequence[Any] | None = None
    positive: Any = None
    groups: Any = None

    def __post_init__(self) -> None:
        if self.probabilities is not None and self.scores is not None:
            raise InputError(
                Option("probabilities"), " and ", Option("scores"), " were given: give one of them"
            )

    @property
    def has_forecasts(self) -> bool:
        """Whether probabilities or scores were given."""
        return self.probabilities is not None or self.scores is not None

    @property
    def what(self) -> str | None:
        """What was given besides labels, in words."""
        if not self.has_forecasts:
            return None
        return "a probability" if self.scores is None else "a score"

    def named(self) -> list[str]:
        """Return the names of the options that were given."""
        return [name for name, value in vars(self).items() if value is not None]

    def rows(self) -> dict[str, Any]:
        """Return the options that have one row per instance."""
        return {name: getattr(self, name) for name in ("probabilities", "scores", "groups")}

    def class_scores(self, truth: Any, *, gaps: bool = False) -> ClassScores | None:
        """Check the probabilities or scores of instances with these true labels; with `gaps`, some may lack them."""
        given = self.scores if self.probabilities is None else self.probabilities
        if given is None:
            return None
        are_probabilities = self.probabilities is not None
        return as_class_scores(
            given, probabilities=are_probabilities, classes=self.classes, truth=truth, gaps=gaps
        )

    def marked(
        self, truth: Any, treatment: LabelOptions, vector: str, absent: NDArray[np.bool_] | None
    ) -> tuple[ClassifierOptions, Any]:
        """Read the probabilities or scores before the labels, to know which instances lack them.

        Parameters
        ----------
        truth : array-like of shape (n,)
        treatment : LabelOptions
            If it drops instances without a label in `vector`, those without a score are left out, too.
        vector : str
        absent : ndarray of bool of shape (n,), or None
            Instances that are left out whatever is known of them, such as those of weight 0.

        Returns
        -------
        options : ClassifierOptions
        missing : ndarray of bool of shape (n,), or None
            Which instances lack a score; None if none does, or if that is an error.
        """
        drops = treatment.missing_of(vector) == "drop"
        if not self.has_forecasts or not (drops or absent is not None):
            return self, None
        found = self.class_scores(truth, gaps=True)
        assert found is not None
        if not drops and absent is not None and absent.size == len(found):
            found.check_complete(np.flatnonzero(~absent))
        missing = found.missing if drops else None
        if self.scores is None:
            return replace(self, probabilities=found), missing
        return replace(self, scores=found), missing


@dataclass(frozen=True, eq=False)
class CodedClassifier:
    """A classifier's predictions and the truth, encoded once.

    Attributes
    ----------
    truth : Labels
    prediction : Labels or None
    sample : Sample
    forecasts : Forecasts or None
    classes : sequence or None
        In the requested order; None for the order of the labels.
    positive : object
    derived : bool
        Whether the labels are the classes with the highest probability.
    rounded : Rounded or None
        Which rows of the probabilities were divided by their sums.
    orders : tuple of StatedOrder
        Orders of the classes that an option or the types of columns state.
    """

    truth: Labels
    prediction: Labels | None
    sample: Sample
    forecasts: Forecasts | None
    classes: Sequence[Any] | None
    positive: Any
    derived: bool = False
    rounded: Rounded | None = None
    orders: tuple[StatedOrder, ...] = ()

    def with_classes(self) -> CodedClassifier:
        """Fix the classes to those of all instances, so that every subset has the same classes."""
        if self.classes is not None or self.prediction is None:
            return self
        return replace(self, classes=classes_of_truth(*self._occurring(), self.positive))

    def _occurring(self) -> tuple[list[Any], list[Any]]:
        """Return the labels that occur, in the truth and among the predictions."""
        assert self.prediction is not None
        return self.truth.present, self.prediction.present

    def take(self, positions: NDArray[np.int64]) -> CodedClassifier:
        """Return some of the instances."""
        return replace(
            self,
            truth=self.truth.take(positions),
            prediction=None if self.prediction is None else self.prediction.take(positions),
            sample=self.sample.take(positions),
            forecasts=None if self.forecasts is None else self.forecasts.take(positions),
        )

    def instances(self) -> Instances:
        """Return what is known of each instance."""
        labels = {} if self.prediction is None else {"labels_pred": self.prediction}
        forecasts = {} if self.forecasts is None else {"labels_pred": self.forecasts}
        return self.sample.instances("classification", self.truth, labels, forecasts)

    @property
    def at_hand(self) -> list[type]:
        """Types of the inputs."""
        labels = [Prediction] if self.prediction is not None else []
        forecasts = [] if self.forecasts is None else [type(self.forecasts)]
        return [Truth, *labels, *forecasts]

    def notices(self, scores: Mapping[str, Score], model: str = "") -> tuple[Notice, ...]:
        """Report the positive class, scores that seem to be of another class, and rescaled rows.

        `model` names one of several.
        """
        known, classes = self.forecasts, self.with_classes().classes or ()
        answers = self._outside(classes)
        outside = about_answers(answers, model) + about_labels(classes, answers, len(self.truth))
        if known is None:
            return outside + about_positive(classes, self.positive, None, scores.values())
        found = outside + about_positive(known.classes, self.positive, known.scored, scores.values())
        found += about_order_of_columns(self.orders, scores.values())
        area, contradicted = area_of(scores, known), self._contradicted(known)
        found = about_direction(known.classes, known.scored, area, contradicted, model) + found
        return rescaled_rows(self.rounded, model) + found

    def _outside(self, classes: Sequence[Any]) -> dict[Any, int]:
        """Count the rows whose given label is not among the classes."""
        if self.prediction is None or self.derived:
            return {}
        outside = set(answer_positions(self.prediction.present, classes)[1])
        if not outside:
            return {}
        codes, labels = self.prediction.dense()
        weights = self.sample.weights
        of_rows = None if self.sample.is_weighted else weights
        if weights is not None and of_rows is None:
            codes = codes[weights > 0]
        sizes = np.bincount(codes, of_rows, len(labels)).tolist()
        return {label: int(n) for label, n in zip(labels, sizes, strict=True) if label in outside}

    def _contradicted(self, known: Forecasts) -> float:
        """Return the share of instances whose given label is not the likeliest class; nan if unknown."""
        if self.derived or self.prediction is None or not isinstance(known, ProbabilityForecasts):
            return math.nan
        codes, labels = self.prediction.dense()
        return known.contradicted(answer_positions(labels, known.classes)[0][codes])

    def statistics(self, *, most_classes: int | None = None) -> dict[type, Any]:
        """Return the statistics for the indices, by type; no confusion matrix of more than `most_classes` classes."""
        found: dict[type, Any] = {Truth: self.truth}
        if self.prediction is not None:
            table = self.sample.table((self.truth, self.prediction))
            known = self.classes, self.positive, self.orders
            found |= statistics_of_table(table, *known, most_classes=most_classes)
        if self.forecasts is not None:
            weighed = self.forecasts.weighing()
            found[type(weighed)] = weighed
        found[DrawnLabels] = DrawnLabels(self.sample)
        if self.prediction is not None:
            counts, labels = found[ClassCounts], (self.truth, self.prediction)
            found[DrawnLabels] = DrawnLabels(self.sample, labels, counts.classes, tuple(counts.outside))
        return found


def code_classifier(
    labels_true: Any,
    labels_pred: Any,
    options: ClassifierOptions,
    weighting: Weighting,
    request: EvaluationRequest,
) -> CodedClassifier:
    """Check and encode the inputs."""
    vectors: dict[str, Any] = {"labels_true": labels_true}
    if labels_pred is not None:
        vectors["labels_pred"] = labels_pred
    treatment = request.labels.only(list(vectors))
    columns = group_columns(options.groups)
    lacking = "labels_true" if labels_pred is None else "labels_pred"
    absent = weighting.absent
    options, incomplete = options.marked(labels_true, treatment, lacking, absent)
    aligned = align_labels({**vectors, **columns}, treatment, weighting.beside, absent, incomplete)
    sample = Sample.of(aligned, weighting, "classification", aligned.labels[len(vectors) :])
    prediction = aligned.labels[1] if labels_pred is not None else None
    return coded_classifier(aligned.labels[0], prediction, options, sample)


def coded_classifier(
    truth: Labels,
    prediction: Labels | None,
    options: ClassifierOptions,
    sample: Sample,
) -> CodedClassifier:
    """Combine encoded labels and forecasts; without labels, use the likeliest classes."""
    given = options.class_scores(truth)
    forecasts = None if given is None else _forecasts(truth, given, sample, options.positive)
    classes = options.classes if forecasts is None else forecasts.classes
    orders, of_types = stated_orders([("classes", options.classes)]), orders_of(truth, prediction)
    # Classes that name the columns of probabilities are in the order of the columns.
    orders = (of_types or orders) if options.has_forecasts else (orders or of_types)
    derived = prediction is None and isinstance(forecasts, ProbabilityForecasts)
    if derived:
        assert isinstance(forecasts, ProbabilityForecasts)
        prediction = Labels(forecasts.best, 0, forecasts.k, forecasts.classes)
        truth = Labels(forecasts.codes, 0, forecasts.k, forecasts.classes)
    rounded = None if given is None else given.rounded
    return CodedClassifier(
        truth, prediction, sample, forecasts, classes, options.positive, derived, rounded, orders=orders
    )


def _forecasts(truth: Labels, given: ClassScores, sample: Sample, positive: Any) -> Forecasts:
    n_given, kept = sample.rows.n_given, sample.rows.kept
    if len(given) != n_given:
        raise InputError(
            f"{given.name} has {len(given)} rows, ",
            Argument("labels_true"),
            f" has {n_given} entries: they must have the same length",
        )
    kind = ProbabilityForecasts if given.are_probabilities else DecisionForecasts
    weights = None if sample.weights is None else sample.weights.astype(np.float64)
    return kind.of(truth, given, positive=positive, weights=weights, kept=kept)


def evaluate_classifier(
    request: EvaluationRequest,
    coded: CodedClassifier,
    points: PointSource | None = None,
    backend: str | None = None,
) -> ClassifierEvaluation:
    """Judge a classifier whose inputs have been checked and encoded."""
    chosen = chosen_indices(request, coded.at_hand, points)
    statistics = coded.statistics()
    found = evaluated(request, chosen, statistics, points)
    warnings = found.warnings + coded.notices(found.scores)
    if coded.derived:
        warnings = (DERIVED_LABELS, *warnings)
    total = coded.sample.total
    n = int(total) if float(total).is_integer() else total
    in_units = found.units is not None
    return replace(
        found, n=n, warnings=warnings, backend=backend, _forecasts=coded.forecasts, _in_units=in_units
    )


def evaluate_counted_classifier(
    request: EvaluationRequest,
    table: JointCounts,
    options: ClassifierOptions,
    points: PointSource | None = None,
    drawn: DrawnLabels = ALONE,
) -> ClassifierEvaluation:
    """Judge a classifier from its contingency table with the truth."""
    chosen = chosen_indices(request, [type(table)], points)
    statistics = statistics_of_table(table, options.classes, options.positive)
    counts = statistics[ClassCounts]
    statistics[DrawnLabels] = replace(drawn, classes=counts.classes, outside=tuple(counts.outside))
    found = evaluated(request, chosen, statistics, points)
    notices = about_answers(counts.outside) + about_labels(counts.classes, counts.outside, counts.n)
    notices += about_positive(counts.classes, options.positive, None, found.scores.values())
    return replace(found, warnings=found.warnings + notices)


def area_of(scores: Mapping[str, Score], known: Forecasts) -> float:
    """Return the ROC area; for two classes even if not requested, then from a subset if there are many instances."""
    if "roc_auc" in scores or known.k != 2:
        return scores["roc_auc"].value if "roc_auc" in scores else math.nan
    some = known.take(np.arange(0, known.n, -(-known.n // _ENOUGH))) if known.n > _ENOUGH else known
    return float(ClassAreas.make(some).areas[1])


def statistics_of_table(
    table: JointCounts,
    classes: Sequence[Any] | None,
    positive: Any,
    orders: tuple[StatedOrder, ...] | None = None,
    *,
    most_classes: int | None = None,
) -> dict[type, Any]:
    """Return the statistics for scores of labels, by type.

    Parameters
    ----------
    table : JointCounts
        Table of the truth and the prediction.
    classes : sequence, optional
        All classes, in the requested order.
    positive : object, optional
    orders : tuple of StatedOrder, optional
        Default: that of the classes, or else those that the table states.
    most_classes : int, optional
        Make no confusion matrix of more classes than this.
    """
    counts = ClassCounts.make(table, classes=classes, positive=positive)
    found: dict[type, Any] = {type(table): table, ClassCounts: counts}
    if most_classes is None or counts.k <= most_classes:
        if orders is None and classes is None:
            orders = table.orders
        found[Confusion] = Confusion.make(table, classes=counts.classes, orders=orders)
    return found


def evaluated(
    request: EvaluationRequest,
    chosen: Sequence[Index],
    statistics: Mapping[type, Any],
    points: PointSource | None = None,
) -> ClassifierEvaluation:
    """Score a classifier overall and by class, and from its points if there are any."""
    of_labels = [record for record in chosen if not isinstance(record, InternalIndex)]
    scores = scores_of_classifier(of_labels, statistics, request.confidence)
    details: dict[str, Any] = {}
    inner = [record for record in chosen if isinstance(record, InternalIndex)]
    if points is not None and inner:
        of_points, reduced = scores_of_points(points, inner, request)
        scores, details = {**scores, **of_points}, reduced.details
    counts: ClassCounts | None = statistics.get(ClassCounts)
    sample = statistics.get(DrawnLabels, ALONE).sample
    by_class = ByClass(partial(scores_by_class, counts, statistics, request.confidence))
    n = 0 if counts is None else int(counts.n)
    return ClassifierEvaluation(
        scores={record.name: scores[record.name] for record in chosen},
        n=n,
        n_clusters=_numbers_of_classes(statistics, counts),
        details=details,
        settings=request.settings(scores),
        warnings=about_order(scores.values()) + sample.notices(request.confidence),
        units=sample.drawn_units,
        confusion=statistics.get(Confusion),
        by_class=by_class if request.confidence is None else by_class.made(n),
    )


def _numbers_of_classes(statistics: Mapping[type, Any], counts: ClassCounts | None) -> dict[str, int]:
    if counts is not None and counts.outside:
        sides = {"labels_true": counts.true, "labels_pred": counts.predicted}
        return {name: int(np.count_nonzero(own)) for name, own in sides.items()}
    for found in statistics.values():
        if isinstance(found, JointCounts):
            return dict(zip(("labels_true", "labels_pred"), found.shape, strict=True))
        if isinstance(found, Forecasts):
            return {"labels_true": len(np.unique(found.codes))}
        if isinstance(found, ClassAreas):
            return {"labels_true": int(np.count_nonzero(found.sizes))}
    return {}


def scores_of_classifier(
    records: Sequence[Index], statistics: Mapping[type, Any], confidence: float | None
) -> dict[str, Score]:
    """Compute indices, with intervals on request."""
    made = Made(statistics)
    scores = with_bounds(scores_of(records, made), made)
    if confidence is None:
        return scores
    from adjudge.inference.classes.class_intervals import intervals_of_labels
    from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts

    drawn: DrawnLabels = statistics.get(DrawnLabels, ALONE)
    found: dict[str, Interval] = {}
    of_labels = [r for r in records if not isinstance(r, ForecastIndex)]
    if of_labels:
        found |= intervals_of_labels(
            of_labels,
            statistics.get(Confusion),
            statistics[ClassCounts],
            confidence,
            drawn=drawn.cells,
        )
    ranked = [r for r in records if isinstance(r, ForecastIndex)]
    if ranked:
        forecasts = next((s for s in statistics.values() if isinstance(s, Forecasts)), None)
        if forecasts is None:
            found |= {r.name: Interval.undefined(confidence, "none", _SUMMED) for r in ranked}
        else:
            found |= intervals_of_forecasts(ranked, forecasts, confidence, drawn.sample.drawn)
    undefined = {
        name: Interval.undefined(confidence, own.method, NO_ESTIMATE)
        for name, own in found.items()
        if math.isnan(scores[name].value)
    }
    return with_intervals(scores, found | undefined)


def check_options(options: ClassifierOptions, kind: str | None) -> None:
    """Raise if options of classifiers are given for clusters."""
    # Multilabel input may have named classes, probabilities and scores, too.
    of_sets = ("classes", "probabilities", "scores") if kind == "multilabel" else ()
    named = [name for name in options.named() if name not in of_sets]
    if kind not in (None, "classification") and named:
        raise InputError(
            Option(named[0]), " is an option for classifiers: pass ", Option("kind", "classification")
        )
