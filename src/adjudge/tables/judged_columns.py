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
from adjudge.given.scaling import Scaling
from adjudge.given.structures import OF_COLUMNS
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.coordinates import ALL_FEATURES, coordinates_in
from adjudge.tables.edges import Links
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.names import column_name, column_names, the_one
from adjudge.tables.sets import (
    OF_SETS,
    check_delimiter,
    holds_several,
    matching_sets,
    models_of_sets,
)
from adjudge.tables.trees import TreeColumns

__all__ = ["JudgedColumns"]

_NO_CLASSIFIER = ClassifierColumns()
_NO_LINKS = Links()


@dataclass(frozen=True, kw_only=True)
class JudgedColumns:
    """The columns, by what they are for.

    Attributes
    ----------
    truth : str or None
    pred : tuple of str
        Columns of predicted labels; empty if labels are derived from probabilities, or given as `labels` alone.
    several : bool
        Whether each column of predicted labels has a result of its own.
    models : mapping of str to (str or None), or None
        The column of each model by its name, if the call names them; None if its labels are the likeliest classes.
    forecasts : ModelForecasts or None
        The probabilities or scores of these models.
    labels : str, sequence of str or None
        Column with the clusters to judge from the features; None for the predicted labels. Several, or a pattern that
        may stand for several, until they are found: then they are `pred`.
    features : list of str or None
    units, runs, sample_weight, counts : str or None
    weights : {"frequency", "importance"} or None
    classifier : ClassifierColumns
    structures : mapping of str to object
        What stands beside labels, by keyword; some may be columns.
    sampled, sampling_weights : sequence or None
    prevalence : float, mapping or None
    costs : str or None
    judge : str or None
        Column with a judge's labels of all rows, where people's labels may be missing.
    of_points : sequence of str
        The options for points that were given.
    scaling : {"standard", "robust", "log"} or None
        How the features are scaled.
    said : tuple of Notice
        What is said of the features.
    are_mixed : bool
        Whether features may be columns of any kind, not only of numbers.
    of_sets : bool
        Whether a row has several labels, or none.
    delimiter : str or None
        The sign between the labels of a cell.
    tree : TreeColumns or None
        How labels are written that are classes in a tree.
    links : Links
        Edges of a graph beside the labels, or pairs that make them.
    """

    truth: Any = None
    pred: Any = None
    several: bool = False
    models: Mapping[str, Any] | None = None
    forecasts: ModelForecasts | None = None
    labels: Any = None
    features: Any = None
    units: Any = None
    runs: Any = None
    sample_weight: Any = None
    counts: Any = None
    weights: str | None = None
    classifier: ClassifierColumns = _NO_CLASSIFIER
    structures: Mapping[str, Any] = field(default_factory=dict)
    sampled: Any = None
    sampling_weights: Any = None
    prevalence: Any = None
    costs: Any = None
    judge: Any = None
    of_points: Sequence[str] = ()
    scaling: Scaling | None = None
    said: tuple[Notice, ...] = ()
    are_mixed: bool = False
    of_sets: bool = False
    delimiter: str | None = None
    tree: TreeColumns | None = None
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
        given = (self.truth, *self.pred, self.judge, None if self.features is None else self.labels)
        return list(dict.fromkeys(name for name in given if name is not None))

    @property
    def beside(self) -> list[Any]:
        """The columns of groups and units, which are counted along with labels."""
        return list(
            dict.fromkeys([*self.classifier.grouping, *(() if self.units is None else (self.units,))])
        )

    @property
    def scored(self) -> str | None:
        """The option that names columns of probabilities or scores, if there are any."""
        given = self.classifier.forecasts or self.forecasts
        return None if given is None else given.option

    @property
    def used(self) -> list[Any]:
        """All columns that the call uses."""
        beside = (self.labels, self.units, self.runs, self.sample_weight, self.counts, self.costs)
        others = (name for name in (*beside, self.links.key) if name is not None)
        of_labels = [*self.of_labels, *others, *(self.features or ()), *self.classifier.grouping]
        return [*of_labels, *self.of_forecasts]

    @property
    def of_forecasts(self) -> list[Any]:
        """The columns of probabilities, or of scores that rank."""
        own = () if self.classifier.forecasts is None else self.classifier.forecasts.columns
        return [*own, *(() if self.forecasts is None else self.forecasts.named)]

    @property
    def of_numbers(self) -> list[Any]:
        """The same, and the column of weights."""
        return [*self.of_forecasts, *(() if self.sample_weight is None else (self.sample_weight,))]

    def _labels_in(
        self, table: Engine | FileTable | Frame, names: Sequence[Any], leave_out: Sequence[Any] = ()
    ) -> list[Any]:
        """Find columns of labels by name or pattern; a name may join those of levels."""
        if self.tree is not None and self.tree.levels:
            for name in names:
                self.tree.columns(table, name)
            return list(names)
        return matching_sets(table, names, leave_out) if self.of_sets else table.matching(names, leave_out)

    def meant_in(self, table: Engine) -> JudgedColumns:
        """Return the classes in the type of the true labels of a file, where options name them by text."""
        some = table.codes(self.truth)
        forecasts = self.forecasts and self.forecasts.meant(some)
        return replace(self, classifier=self.classifier.meant(some), forecasts=forecasts)

    @property
    def naming(self) -> dict[str, Any]:
        """Names of the arguments in errors."""
        pred = self.pred[0] if len(self.pred) == 1 else None
        named = {"labels_true": self.truth, "labels_pred": pred, "labels": self.labels, "units": self.units}
        named |= {"runs": self.runs, "judge": self.judge}
        named |= {"sample_weight": self.sample_weight, "counts": self.counts}
        return named | ({str(name): own for name, own in self.judged.items()} if self.several else {})

    def found_in(self, table: Engine | FileTable | Frame, kind: str | None) -> JudgedColumns:
        """Find the columns in a table: by name, by pattern, or as lists in other files.

        Parameters
        ----------
        table : Engine, FileTable or Frame
        kind : str or None
            What the labels are; None if the labels tell it.

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
            return replace(self, pred=labels, labels=None, features=features).found_in(table, kind)
        one = column_name("truth", truth), column_name("labels", labels), column_name("units", self.units)
        truth, labels, units = one
        if self.tree is not None and self.tree.levels:
            truth = self.tree.truth
        of_levels = self.tree is not None and bool(self.tree.levels)
        of_sets = kind in OF_SETS or (kind is None and not of_levels and holds_several(table, truth))
        if of_sets is not self.of_sets:
            return replace(self, of_sets=of_sets).found_in(table, kind)
        check_delimiter(self.delimiter, of_sets)
        weight, counts = column_name("sample_weight", self.sample_weight), column_name("counts", self.counts)
        judge, runs = column_name("judge", self.judge), column_name("runs", self.runs)
        if isinstance(pred, Mapping):
            return self._of_models(table, pred, kind)
        named = [] if pred is None else column_names("pred", pred)
        needs_truth = self.features is None and labels is None and self.structure is None
        needs_truth = needs_truth and kind not in WITHOUT_TRUTH
        if truth is None and needs_truth and labels is None:
            truth = table.own_list
        beside = truth is not None or self.structure is not None
        if not named and beside and labels is not None and self.classifier.forecasts is None:
            named = [labels]
        known = [*self.classifier.grouping, *self.of_structures.values()]
        costs = column_name("costs", self.costs)
        known += [units, runs, weight, counts, costs, judge, self.links.key]
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
            units=None if units is None else table.own(units),
            runs=None if runs is None else table.own(runs),
            sample_weight=None if weight is None else table.own(weight),
            counts=None if counts is None else table.own(counts),
            costs=None if costs is None else table.own(costs),
            judge=None if judge is None else table.own(judge),
            classifier=self.classifier.found_in(table.names, [*judged, *others]),
        )
        for name in found.classifier.named:
            table.own(name)
        found._check(needs_truth=needs_truth)
        if found.models is None and of_sets:
            found = replace(found, models=models_of_sets(table, predicted))
        return found

    def _of_models(
        self, table: Engine | FileTable | Frame, given: Mapping[Any, Any], kind: str | None
    ) -> JudgedColumns:
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
        found = replace(self, pred=said or None, classifier=rest, models=columns).found_in(table, kind)
        taken = [own for own in (*found.of_labels, *found.beside, found.sample_weight) if own is not None]
        given_forecasts = [
            with_patterns(options.get(option), option, table.names, taken)
            for option in ("probabilities", "scores")
        ]
        named = None if labels is None else list(columns)
        forecasts = ModelForecasts.of(given_forecasts[0], given_forecasts[1], classes, named, None)
        for name in forecasts.named:
            table.own(name)
        return replace(
            found, several=True, models=columns, forecasts=forecasts if forecasts.columns else None
        )

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
