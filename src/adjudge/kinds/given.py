"""What was given of one model or several, as a kind reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.alignment import Rows
from adjudge.given.label_options import LabelOptions
from adjudge.given.units import group_columns
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.sample import Sample
from adjudge.statistics.contingency import Contingency, reduce_labels

__all__ = ["MODEL", "Given"]

#: The one model that `evaluate` judges, by the name that options and errors have for it.
MODEL = "labels_pred"

_NO_OPTIONS, _UNWEIGHTED, _AS_GIVEN = ClassifierOptions(), Weighting(), LabelOptions()


@dataclass(frozen=True, eq=False)
class Given:
    """The truth, what models say of the same rows, and what stands beside both.

    Attributes
    ----------
    truth : array-like of shape (n,)
        Or what takes its place: a structure, counts, sums, or several truths by name.
    models : mapping of str to array-like of shape (n,)
        The labels of each model, or None if it has none.
    options : ClassifierOptions
        Groups; and for classifiers probabilities, or scores: of one model, or of several by their names.
    weighting : Weighting
    treatment : LabelOptions
    X : array-like of shape (n, p), optional
        Points.
    labels : array-like of shape (n,), optional
        What is judged without the truth, if not the labels of the model.
    structures : mapping of str to object
        By keyword; None for those that are not given.
    sampled, sampling_weights : array-like of shape (m,), optional
        The true clusters that were sampled.
    better : {"higher", "lower"}, optional
        Which end of numbers is better.
    judge : array-like of shape (n,), optional
        A judge's label of each row, where people's labels may be missing.
    """

    truth: Any = None
    models: Mapping[str, Any] = field(default_factory=dict)
    options: ClassifierOptions = _NO_OPTIONS
    weighting: Weighting = _UNWEIGHTED
    treatment: LabelOptions = _AS_GIVEN
    X: Any = None
    labels: Any = None
    structures: Mapping[str, Any] = field(default_factory=dict)
    sampled: Any = None
    sampling_weights: Any = None
    better: str | None = None
    judge: Any = None

    @property
    def pred(self) -> Any:
        """The labels of the one model that is judged."""
        return self.models.get(MODEL)

    @cached_property
    def vectors(self) -> dict[str, Any]:
        """Labels and points of one model, by argument."""
        return {"labels_true": self.truth, MODEL: self.pred, "X": self.X, "labels": self.labels}

    def with_vector(self, argument: str, labels: Any) -> Given:
        """Return the same with one argument replaced."""
        if argument == MODEL:
            return replace(self, models={MODEL: labels})
        return replace(self, truth=labels) if argument == "labels_true" else replace(self, labels=labels)

    @property
    def rows(self) -> dict[str, Any]:
        """Everything of one model that has a row for each instance, by argument."""
        return {**self.vectors, **self.weighting.rows, **self.options.rows()}

    @property
    def has_rows(self) -> bool:
        """Whether it is known of each row what the model says, and not only how often it says it."""
        if isinstance(self.truth, Contingency):
            return False
        return self.pred is not None or self.options.has_forecasts

    @property
    def by_name(self) -> Given:
        """One model in the form of several."""
        vectors = ["labels_true"] if self.pred is None else ["labels_true", MODEL]
        options, treatment = self.options.for_model(MODEL), self.treatment.only(vectors)
        if options is self.options and treatment is self.treatment:
            return self
        return replace(self, options=options, treatment=treatment)

    @cached_property
    def said(self) -> dict[str, Any]:
        """The labels of the models; those with forecasts need none."""
        if not self.options.has_forecasts:
            return dict(self.models)
        without = {*(self.options.probabilities or ()), *(self.options.scores or ())}
        return {
            name: model for name, model in self.models.items() if model is not None or name not in without
        }

    @property
    def judged(self) -> dict[str, Any]:
        """The truth and all labels, by the names that options and errors use."""
        return {"labels_true": self.truth, **self.said}

    @cached_property
    def roles(self) -> list[str]:
        """The options beside the labels that were given, in the order in which a kind may refuse them."""
        beside = {**self.vectors, **self.weighting.options, **self.structures}
        beside |= {
            "judge": self.judge,
            "better": self.better,
            "sampled": self.sampled,
            "sampling_weights": self.sampling_weights,
        }
        return [*self.options.named(), *[name for name, own in beside.items() if own is not None]]

    @property
    def has_structures(self) -> bool:
        """Whether a graph, a tree or batches stand beside the labels."""
        return any(own is not None for own in self.structures.values())

    def table(self) -> tuple[Contingency, Sample]:
        """Return the counts in the place of the truth, and a sample without rows."""
        own = self.weighting
        if own.units is not None:
            raise InputError(
                Option("units"),
                " says which rows belong together, and a contingency table has none: give label vectors",
            )
        table = reduce_labels(self.truth, self.pred, counts=own.counts, **self.treatment.settings())
        return table, Sample(Rows(0), settings=own.settings())

    @property
    def groups(self) -> dict[str, Any]:
        """The columns that define groups."""
        return group_columns(self.options.groups)
