"""What classifiers said of the same rows: labels, and perhaps probabilities or decision values, encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels, of_other_length
from adjudge.given.class_order import StatedOrder, stated_orders
from adjudge.given.labels import Column, Labels, orders_of
from adjudge.given.number_vectors import gaps_of, read_amounts
from adjudge.given.probabilities import ScoreMatrix
from adjudge.given.row_sums import Rounded
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import Given
from adjudge.kinds.prevalence import at_prevalence
from adjudge.kinds.sample import Sample
from adjudge.statistics.classes import classes_of_truth
from adjudge.statistics.forecasts import DecisionForecasts, Forecasts, ProbabilityForecasts

__all__ = ["Answers", "read_answers"]


@dataclass(frozen=True, eq=False)
class Answers:
    """The truth and what a classifier said, encoded once.

    Attributes
    ----------
    truth : Labels
    prediction : Labels or None
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
    costs : ndarray of float64 of shape (n,) or None
        What a mistake on each row costs.
    column : str or None
        The column of a table that has the prediction.
    """

    truth: Labels
    prediction: Labels | None
    forecasts: Forecasts | None = None
    classes: Sequence[Any] | None = None
    positive: Any = None
    derived: bool = False
    rounded: Rounded | None = None
    orders: tuple[StatedOrder, ...] = ()
    costs: Floats | None = None
    column: str | None = None

    @classmethod
    def of(
        cls,
        truth: Labels,
        prediction: Labels | None,
        options: ClassifierOptions,
        sample: Sample,
        column: str | None = None,
    ) -> Answers:
        """Combine encoded labels and forecasts; without labels, use the likeliest classes."""
        given = options.class_scores(truth)
        forecasts = None if given is None else _forecasts(truth, given, sample, options.positive)
        classes = options.classes if forecasts is None else forecasts.classes
        orders, of_types = stated_orders([("classes", options.classes)]), orders_of(truth, prediction)
        # Classes that name the columns of probabilities are in the order of the columns.
        orders = (of_types or orders) if options.has_forecasts else (orders or of_types)
        forecasts = None if forecasts is None else replace(forecasts, orders=orders)
        derived = prediction is None and isinstance(forecasts, ProbabilityForecasts)
        if derived:
            assert isinstance(forecasts, ProbabilityForecasts)
            prediction = Labels(forecasts.best, 0, forecasts.k, forecasts.classes)
            truth = Labels(forecasts.codes, 0, forecasts.k, forecasts.classes)
        rounded = None if given is None else given.rounded
        costs = options.costs
        if costs is not None and sample.rows.kept is not None:
            costs = costs[sample.rows.kept]
        found = cls(truth, prediction, forecasts, classes, options.positive, derived, rounded, orders, costs)
        return replace(found, column=column)

    def take(self, positions: Ints) -> Answers:
        """Return some of the instances."""
        return replace(
            self,
            truth=self.truth.take(positions),
            prediction=None if self.prediction is None else self.prediction.take(positions),
            forecasts=None if self.forecasts is None else self.forecasts.take(positions),
            costs=None if self.costs is None else self.costs[positions],
        )

    def with_classes(self) -> Answers:
        """Fix the classes to those of all instances, so that every subset has the same classes."""
        if self.classes is not None or self.prediction is None:
            return self
        return replace(
            self, classes=classes_of_truth(self.truth.present, self.prediction.present, self.positive)
        )


def _costs(given: Given) -> tuple[Floats | None, Bools | None]:
    """Check what a mistake on each row costs; also mask the rows without an amount."""
    costs = given.options.costs
    if costs is None:
        return None, None
    name, values = (costs.name, costs.values) if isinstance(costs, Column) else ("costs", costs)
    if np.ndim(values) != 1:
        raise InputError(
            Option("costs"),
            " has an amount for each row: a matrix by class is a parameter of the index, in brackets after its name",
        )
    amounts = read_amounts(values, name)
    return amounts, gaps_of(amounts, name, given.weighting.absent, drops=given.treatment.drops_missing)


def _forecasts(truth: Labels, given: ScoreMatrix, sample: Sample, positive: Any) -> Forecasts:
    n_given, kept = sample.rows.n_given, sample.rows.kept
    if len(given) != n_given:
        raise of_other_length(given.name, len(given), "labels_true", n_given)
    kind = ProbabilityForecasts if given.are_probabilities else DecisionForecasts
    weights = None if sample.weights is None else sample.weights.astype(np.float64)
    return kind.of(truth, given, positive=positive, weights=weights, kept=kept)


def read_answers(given: Given) -> tuple[dict[str, Answers], Sample]:
    """Check and encode what several classifiers said of the same rows."""
    said, weighting = given.said, given.weighting
    of_each, absent = {}, weighting.absent
    costs, incomplete = _costs(given)
    for name in given.models:
        vector, own = (
            name if name in said else "labels_true",
            replace(given.options, costs=costs).of_model(name),
        )
        of_each[name], lacking = own.marked(given.truth, given.treatment, vector, absent)
        if lacking is not None:
            incomplete = lacking if incomplete is None else incomplete | lacking
    aligned = align_labels(given.judged, given.treatment, weighting.beside, absent, incomplete, given.groups)
    sample, (truth, *labels) = Sample.of(aligned, weighting, "classification"), aligned.labels
    if given.options.has_forecasts and weighting.weights == "frequency":
        # Ranks, bins and thresholds read each instance, and what a row stands for are several of them.
        times = sample.times()
        sample = sample.repeated(times)
        truth, *labels = (own.take(times) for own in (truth, *labels))
    if given.options.prevalence is not None:
        sample = at_prevalence(sample, truth, given.options.prevalence, given.options.positive)
    if costs is not None and costs.size != sample.rows.n_given:
        raise of_other_length("costs", costs.size, "labels_true", sample.rows.n_given)
    predictions = dict(zip(said, labels, strict=True))
    columns = {name: getattr(own, "heading", None) for name, own in given.models.items()}
    answers = {
        name: Answers.of(truth, predictions.get(name), own, sample, columns[name])
        for name, own in of_each.items()
    }
    return answers, sample
