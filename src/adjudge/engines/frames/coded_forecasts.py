"""The query to an engine about forecasts in a table, the labels that come back, coded, and the result made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable
from adjudge.given.alignment import align_labels
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.groups import crossed_groups
from adjudge.given.labels import Labels
from adjudge.given.positive import ScoredClass, positive_position, scored_class
from adjudge.given.row_sums import Rounded
from adjudge.statistics.classes import class_positions
from adjudge.statistics.forecasts import classes_of_columns
from adjudge.statistics.score_sums import ScoreSums

__all__ = ["Asked", "Coded", "SummedTable"]


@dataclass(frozen=True, eq=False)
class SummedTable:
    """What an engine returns about a classifier in a table.

    Attributes
    ----------
    sums : ScoreSums
    groups : Labels or None
        The groups, by their codes in the sums.
    labels : dict of str to Labels
        "truth" and "pred", one for each combination of labels (and groups); no "pred" if scores only rank and no
        column was named.
    label_groups : ndarray of int64
        Group of each combination.
    counts : ndarray of int64
        Rows of each combination.
    are_likeliest : bool
        Whether the predicted labels are the likeliest classes.
    scored : ScoredClass or None
        The class of a single column, and how it was chosen; None if each class had a column.
    contradicted : float
        Share of the rows whose given label is not the likeliest class; nan if unknown.
    rounded : Rounded or None
        Why rows of probabilities were divided by their sums; None if they were not.
    """

    sums: ScoreSums
    groups: Labels | None
    labels: dict[str, Labels]
    label_groups: NDArray[np.int64]
    counts: NDArray[np.int64]
    are_likeliest: bool
    scored: ScoredClass | None = None
    contradicted: float = math.nan
    rounded: Rounded | None = None


@dataclass(frozen=True)
class Asked:
    """The columns to read, and how to read them."""

    table: FrameTable
    truth: Any
    pred: Any
    grouping: tuple[Any, ...]
    forecasts: ForecastColumns
    positive: Any
    missing: str

    @property
    def keys(self) -> list[Any]:
        """Columns with labels and groups."""
        return [self.truth, *([] if self.pred is None else [self.pred]), *self.grouping]


@dataclass(frozen=True, eq=False)
class Coded:
    """Coded labels and groups of a query.

    Attributes
    ----------
    classes : sequence
    positive : int or None
    truth, groups : ndarray of int64
        Codes of each combination.
    truth_labels : Labels
    prediction : Labels or None
    group_labels : Labels or None
    scored : ScoredClass or None
        The class of a single column; None if each class has a column.
    """

    classes: Sequence[Any]
    positive: int | None
    truth: NDArray[np.int64]
    groups: NDArray[np.int64]
    truth_labels: Labels
    prediction: Labels | None
    group_labels: Labels | None
    scored: ScoredClass | None

    @property
    def column_class(self) -> int:
        """Code of the class of the single column."""
        assert self.scored is not None
        return self.scored.place

    @classmethod
    def of(cls, asked: Asked, found: Any) -> Coded:
        """Code the labels of groups of rows."""
        columns = zip(asked.keys, asked.table.own(asked.keys), strict=True)
        return cls.of_labels(asked, {name: found[own].to_native() for name, own in columns})

    @classmethod
    def of_labels(cls, asked: Asked, labels: Mapping[Any, Any]) -> Coded:
        """Code columns of labels."""
        vectors = {"labels_true": labels[asked.truth]}
        if asked.pred is not None:
            vectors["labels_pred"] = labels[asked.pred]
        grouping = {f"\0{i}": labels[name] for i, name in enumerate(asked.grouping)}
        aligned = align_labels({**vectors, **grouping})
        truth = aligned.labels[0]
        prediction = aligned.labels[1] if len(vectors) > 1 else None
        groups = crossed_groups(aligned.labels[len(vectors) :])
        codes, occurring = truth.dense()
        given = asked.forecasts
        classes = classes_of_columns(occurring, given.classes, given.n_classes, given.option)
        sizes = np.bincount(codes, minlength=len(occurring))
        codes = class_positions(occurring, classes, sizes, "labels_true")[codes]
        of_groups = np.zeros(codes.size, np.int64) if groups is None else groups.dense()[0]
        positive = positive_position(classes, asked.positive)
        scored = scored_class(classes, asked.positive, given.column) if len(given.columns) == 1 else None
        return cls(classes, positive, codes, of_groups, truth, prediction, groups, scored)

    def codes_of(self, asked: Asked, found: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of the class and the group of each row of another query."""
        own = asked.table.own([asked.truth, *asked.grouping])
        truth, *columns = (found[name].to_native() for name in own)
        names = ["labels_true", *(f"\0{i}" for i in range(len(columns)))]
        aligned = align_labels(dict(zip(names, [truth, *columns], strict=True)))
        codes, occurring = aligned.labels[0].dense()
        place = {label: i for i, label in enumerate(self.classes)}
        found_codes = np.array([place[label] for label in occurring], np.int64)[codes]
        groups = crossed_groups(aligned.labels[1:])
        if groups is None or self.group_labels is None:
            return found_codes, np.zeros(found_codes.size, np.int64)
        of_groups, names_of_groups = groups.dense()
        known = {label: i for i, label in enumerate(self.group_labels.dense()[1])}
        return found_codes, np.array([known[label] for label in names_of_groups], np.int64)[of_groups]

    def summed(
        self, sums: ScoreSums, said: NDArray[np.int64] | None, counts: NDArray[np.int64]
    ) -> SummedTable:
        """Put the parts together; without predicted labels, the likeliest classes take their place."""
        order = self.truth_labels.order
        truth = Labels(self.truth, 0, len(self.classes), self.classes, order=order)
        labels = {"truth": truth}
        if self.prediction is not None:
            labels = {"truth": self.truth_labels, "pred": self.prediction}
        elif said is not None:
            labels["pred"] = Labels(said, 0, len(self.classes), self.classes)
        derived = self.prediction is None and said is not None
        found = SummedTable(sums, self.group_labels, labels, self.groups, counts, derived, self.scored)
        if self.prediction is None or said is None:
            return found
        codes, given = self.prediction.dense()
        places = {label: i for i, label in enumerate(self.classes)}
        differs = np.array([places.get(label, -1) for label in given], np.int64)[codes] != said
        return replace(found, contradicted=float(np.average(differs, weights=counts)))
