"""What was given of one model or several, as a kind reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.groups import group_columns
from adjudge.given.kept_rows import Rows
from adjudge.given.label_options import LabelOptions
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.sample import Sample
from adjudge.statistics.contingency import Contingency, reduce_labels

__all__ = ["Given"]


@dataclass(frozen=True, eq=False)
class Given:
    """The truth and what models say of the same rows.

    Attributes
    ----------
    truth : array-like of shape (n,)
    models : mapping of str to array-like of shape (n,)
        The labels of each model, or None if it has none.
    options : ClassifierOptions
        Groups; and for classifiers probabilities, or scores, by the names of the models.
    weighting : Weighting
    treatment : LabelOptions
    """

    truth: Any
    models: Mapping[str, Any]
    options: ClassifierOptions
    weighting: Weighting
    treatment: LabelOptions

    @cached_property
    def said(self) -> dict[str, Any]:
        """The labels of the models; those with forecasts need none."""
        if not self.options.has_forecasts:
            return dict(self.models)
        without = {*(self.options.probabilities or ()), *(self.options.scores or ())}
        return {name: own for name, own in self.models.items() if own is not None or name not in without}

    @property
    def vectors(self) -> dict[str, Any]:
        """The truth and all labels, by the names that options and errors use."""
        return {"labels_true": self.truth, **self.said}

    def table(self) -> tuple[Contingency, Sample]:
        """Return the counts in the place of the truth, and a sample without rows."""
        own = self.weighting
        if own.units is not None:
            raise InputError(
                Option("units"),
                " says which rows belong together, and a contingency table has none: give label vectors",
            )
        (pred,) = self.models.values()
        table = reduce_labels(self.truth, pred, counts=own.counts, **self.treatment.settings())
        return table, Sample(Rows(0), settings=own.settings())

    @property
    def groups(self) -> dict[str, Any]:
        """The columns that define groups."""
        return group_columns(self.options.groups)
