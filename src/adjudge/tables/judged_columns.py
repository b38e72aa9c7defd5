"""The columns that a call of `evaluate` names, and what else it says of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, Option
from adjudge.given.data_frames import is_pattern
from adjudge.given.forecast_columns import with_patterns
from adjudge.given.option_groups import classifiers_by_name
from adjudge.given.structures import OF_COLUMNS
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.coordinates import ALL_FEATURES, coordinates_in
from adjudge.tables.edges import Links
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ModelForecasts
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.named_columns import NamedColumns, found_beside
from adjudge.tables.names import column_name, column_names, the_one
from adjudge.tables.sets import check_delimiter, holds_several, matching_sets, models_of_sets

__all__ = ["JudgedColumns"]

_NO_LINKS = Links()


@dataclass(frozen=True, kw_only=True)
class JudgedColumns(NamedColumns):
    """The columns, by what they are for.

    Attributes
    ----------
    pred : tuple of str
        Columns of predicted labels; empty if labels are derived from probabilities, or given as `labels` alone.
    several : bool
        Whether each column of predicted labels has a result of its own.
    labels : str, sequence of str or None
        Column with the clusters to judge from the features; None for the predicted labels. Several, or a pattern that
        may stand for several, until they are found: then they are `pred`.
    features : list of str or None
    weights : {"frequency", "importance"} or None
    structures : mapping of str to object
        What stands beside labels, by keyword; some may be columns.
    sampled, sampling_weights : sequence or None
    prevalence : float, mapping or None
    of_points : sequence of str
        The options for points that were given.
    said : tuple of Notice
        What is said of the features.
    are_mixed : bool
        Whether features may be columns of any kind, not only of numbers.
    links : Links
        Edges of a graph beside the labels, or pairs that make them.
    """

    pred: Any = None
    several: bool = False
    labels: Any = None
    features: Any = None
    weights: str | None = None
    structures: Mapping[str, Any] = field(default_factory=dict)
    sampled: Any = None
    sampling_weights: Any = None
    prevalence: Any = None
    of_points: Sequence[str] = ()
    said: tuple[Notice, ...] = ()
    are_mixed: bool = False
    links: Links = _NO_LINKS

    @property
    def judged(self) -> dict[Any, Any]:
        """The column of each model, by its name or else by the column itself."""
        return dict(self.models) if self.models is not None else {name: name for name in self.pred}

    @property
    def structure(self) -> str | None:
        """The keyword of the structure that is given."""
        return next((name for name, own in self.structures.items() if own is not None), None)

    @property
    def of_structures(self) -> dict[str, Any]:
        """The columns that hold a structure, by keyword."""
        given = {name: self.structures.get(name) for name in OF_COLUMNS}
        return {name: own for name, own in given.items() if isinstance(own, (str, int))}

    @property
    def of_labels(self) -> list[Any]:
        """The label columns, without repetitions."""
        given = (self.truth, *self.pred, self.beside["judge"], None if self.features is None else self.labels)
        return list(dict.fromkeys(name for name in given if name is not None))

    @property
    def used(self) -> list[Any]:
        """All columns that the call uses."""
        given = (name for name in (self.labels, self.links.key) if name is not None)
        return [*super().used, *given, *(self.features or ())]

    def _labels_in(
        self, table: Engine | FileTable | Frame, names: Sequence[Any], leave_out: Sequence[Any] = ()
    ) -> list[Any]:
        """Find columns of labels by name or pattern; a name may join those of levels."""
        if self.tree is not None and self.tree.levels:
            for name in names:
                self.tree.columns(table, name)
            return list(names)
        return matching_sets(table, names, leave_out) if self.of_sets else table.matching(names, leave_out)

    @property
    def naming(self) -> dict[str, Any]:
        """Names of the arguments in errors."""
        pred = self.pred[0] if len(self.pred) == 1 else None
        named = {"labels_true": self.truth, "labels_pred": pred, "labels": self.labels, **self.beside}
        return named | ({str(name): own for name, own in self.judged.items()} if self.several else {})

    def found_in(self, table: Engine | FileTable | Frame) -> JudgedColumns:
        """Find the columns in a table: by name, by pattern, or as lists in other files.

        Raises
        ------
        InputError
            If one does not exist, or if a role that the call needs has none.
        """
        truth, pred, labels = self.truth, self.pred, self.labels
        if pred is None and (isinstance(labels, (list, tuple)) or is_pattern(labels, table.names)):
            # Several, of which each is judged.
            from_all = self.features is None and self.structure is None
            features = ALL_FEATURES if from_all else self.features
            return replace(self, pred=labels, labels=None, features=features).found_in(table)
        truth, labels = column_name("truth", truth), column_name("labels", labels)
        of_levels = self.tree is not None and bool(self.tree.levels)
        if self.tree is not None and of_levels:
            truth = self.tree.truth
        if self.kind is None and not of_levels and holds_several(table, truth):
            return replace(self, kind="multilabel").found_in(table)
        check_delimiter(self.delimiter, self.of_sets)
        if isinstance(pred, Mapping):
            return self._of_models(table, pred)
        beside = found_beside(table, self.beside)
        named = [] if pred is None else column_names("pred", pred)
        needs_truth = self.features is None and labels is None and self.structure is None
        needs_truth = needs_truth and self.kind not in WITHOUT_TRUTH
        if truth is None and needs_truth and labels is None:
            truth = table.own_list
        is_beside = truth is not None or self.structure is not None
        if not named and is_beside and labels is not None and self.classifier.forecasts is None:
            named = [labels]
        known = [*self.classifier.grouping, *self.of_structures.values(), *beside.values(), self.links.key]
        others = [name for name in known if name is not None]
        predicted = self._labels_in(table, named, [name for name in (truth, *others) if name is not None])
        judged = [own for own in dict.fromkeys((truth, *predicted, labels)) if own is not None]
        features, said = self.features, self.said
        if features is None and labels is not None and pred is None and self.structure is None:
            features = ALL_FEATURES
        if features == ALL_FEATURES and ALL_FEATURES not in table.names:
            features, said = coordinates_in(table, judged, others, are_mixed=self.are_mixed)
        elif features is not None:
            features = table.coordinates(column_names("features", features), [*judged, *others])
        found = replace(
            self,
            truth=None if truth is None else the_one(truth, self._labels_in(table, [truth])),
            pred=tuple(predicted),
            several=len(predicted) > 1 or not (pred is None or isinstance(pred, (str, int, np.integer))),
            labels=None if labels is None else the_one(labels, table.matching([labels])),
            features=features,
            said=said,
            beside=beside,
            classifier=self.classifier.found_in(table.names, [*judged, *others]),
        )
        for name in found.classifier.named:
            table.own(name)
        found._check(needs_truth=needs_truth)
        if found.models is None and self.of_sets:
            found = replace(found, models=models_of_sets(table, predicted))
        return found

    def _of_models(self, table: Engine | FileTable | Frame, given: Mapping[Any, Any]) -> JudgedColumns:
        """Find the columns of models that are given by name, perhaps each as a Classifier."""
        beside = self.classifier.options(dict.fromkeys(self.classifier.grouping))
        labels, options = classifiers_by_name(given, beside)
        columns = {
            str(name): None if labels is None else column_name("pred", labels[str(name)]) for name in given
        }
        columns = {
            name: None if own is None else the_one(own, self._labels_in(table, [own]))
            for name, own in columns.items()
        }
        said = [own for own in columns.values() if own is not None]
        classes = options.get("classes", self.classifier.classes)
        positive = options.get("positive", self.classifier.positive)
        rest = replace(self.classifier, classes=classes, positive=positive)
        found = replace(self, pred=said or None, classifier=rest, models=columns).found_in(table)
        taken = [*found.of_labels, *found.others]
        given_forecasts = [
            with_patterns(options.get(option), option, table.names, taken)
            for option in ("probabilities", "scores")
        ]
        named = None if labels is None else list(columns)
        forecasts = ModelForecasts.of(given_forecasts[0], given_forecasts[1], classes, named, None)
        for name in forecasts.named:
            table.own(name)
        return replace(found, several=True, models=columns, forecasts=forecasts)

    def _check(self, *, needs_truth: bool) -> None:
        """Raise if something that the call needs has no column."""
        if self.features is not None and self.labels is None and not self.pred:
            raise InputError(
                Argument("labels"), " is missing: features need the column with the clusters to be judged"
            )
        if self.features == []:
            raise InputError(Argument("features"), " is empty: name at least one column of coordinates")
        if self.truth is None and needs_truth:
            raise InputError("nothing to judge: give truth and pred, or labels and features, or all of them")
        if self.features is None and self.labels not in (None, *self.pred):
            raise InputError(
                Argument("labels"),
                " are judged from points: name these with ",
                Option("features"),
                ", or leave them out",
            )
        judged = (
            self.pred
            or self.links.pairs is not None
            or self.structure
            or self.classifier.forecasts
            or self.models
        )
        if self.truth is not None and not judged:
            raise InputError("pred is missing: the truth needs the column with the labels to be judged")
        if self.truth is None and self.classifier.are_given:
            raise InputError(
                "classifiers are judged against the truth: name its column with ", Option("truth")
            )
        if self.several and self.classifier.forecasts is not None:
            raise InputError(
                Option(self.classifier.forecasts.option),
                " are of one classifier: name one column as ",
                Option("pred"),
            )
