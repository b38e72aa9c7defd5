"""Columns that a call names, whatever verb it is of: their roles, and how those of each kind of labels are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.labels import Column, Labels
from adjudge.given.weights import Weighting
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import OF_NUMBERS
from adjudge.tables.columns import amounts_of, column_beside, number_columns, numbers_of
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.joined import Joined
from adjudge.tables.labels import Treatments, meant, with_words
from adjudge.tables.names import column_name, named_column
from adjudge.tables.sets import OF_SETS, read_sets
from adjudge.tables.trees import TreeColumns

__all__ = ["BESIDE", "NamedColumns", "ReadColumns", "found_beside"]

#: The roles of columns that stand beside labels, whatever these are.
BESIDE = ("sample_weight", "counts", "units", "runs", "judge", "costs")
_NO_CLASSIFIER = ClassifierColumns()
_NO_FORECASTS = ModelForecasts("probabilities", {})


@dataclass(frozen=True)
class ReadColumns:
    """The rows of a table in memory.

    Attributes
    ----------
    labels : dict of str to Column
        By column: of the truth, of models, and of a judge.
    treatments : mapping of str to LabelOptions
        As given, with the label of noise in the type of the labels.
    beside : dict of str to array-like, or None
        By role: the weights, the counts, the units, the runs and the costs.
    gaps : bool
        Whether some rows may have gaps, which are found when they are judged.
    options : dict
        Those of classifiers, by keyword.
    of_models : dict
        The probabilities, or the scores, of each model by the name of the option; empty if there are none.
    said : tuple of Notice
    """

    labels: dict[Any, Column]
    treatments: Treatments
    beside: dict[str, Any]
    gaps: bool
    options: dict[str, Any]
    of_models: dict[str, dict[str, Any]]
    said: tuple[Notice, ...]


@dataclass(frozen=True, kw_only=True)
class NamedColumns:
    """The columns, by what they are for.

    Attributes
    ----------
    truth : str or None
    models : mapping of str to (str or None), or None
        The column of each model by its name; of one whose labels are its likeliest classes, None.
    kind : str or None
        What the labels are; None if they tell it.
    beside : mapping of str to (str or None)
        By their roles, which are `BESIDE`.
    classifier : ClassifierColumns
        The groups, the names of the classes, and the forecasts of the only model.
    forecasts : ModelForecasts
        The probabilities or scores of several.
    delimiter : str or None
        The sign between the labels of a cell.
    tree : TreeColumns or None
        How labels are written that are classes in a tree.
    """

    truth: Any
    models: Mapping[str, Any] | None = None
    kind: str | None
    beside: Mapping[str, Any]
    classifier: ClassifierColumns = _NO_CLASSIFIER
    forecasts: ModelForecasts = _NO_FORECASTS
    delimiter: str | None = None
    tree: TreeColumns | None = None

    @property
    def of_sets(self) -> bool:
        """Whether a row has several labels, or none."""
        return self.kind in OF_SETS

    @property
    def of_labels(self) -> list[Any]:
        """The columns of labels: of the truth, and of the models."""
        named = (self.truth, *(self.models or {}).values())
        return list(dict.fromkeys(name for name in named if name is not None))

    @property
    def others(self) -> list[Any]:
        """The columns that stand beside labels, but for forecasts."""
        return [*(own for own in self.beside.values() if own is not None), *self.classifier.grouping]

    @property
    def scored(self) -> str | None:
        """The option that names columns of probabilities or scores, if there are any."""
        if self.classifier.forecasts is not None:
            return self.classifier.forecasts.option
        return self.forecasts.option if self.forecasts.columns else None

    @property
    def of_forecasts(self) -> list[Any]:
        """The columns of probabilities, or of scores that rank."""
        own = () if self.classifier.forecasts is None else self.classifier.forecasts.columns
        return [*own, *self.forecasts.named]

    @property
    def of_numbers(self) -> list[Any]:
        """The columns of forecasts, and of weights."""
        weight = self.beside["sample_weight"]
        return [*self.of_forecasts, *([] if weight is None else [weight])]

    @property
    def used(self) -> list[Any]:
        """All columns with a role."""
        return [*self.of_labels, *self.others, *self.of_forecasts]

    def meant(self, truth: Labels) -> Self:
        """Return the classes in the type of the true labels of a file, where options name them by text."""
        return replace(self, classifier=self.classifier.meant(truth), forecasts=self.forecasts.meant(truth))

    def read(self, table: FileTable | Frame | Joined, treatments: Treatments) -> ReadColumns:
        """Read the rows of a table in memory."""
        beside, columns = self.beside, self
        judge = beside["judge"]
        names = [*dict.fromkeys([*self.of_labels, *(() if judge is None else (judge,))])]
        read, are_text, said = self._labels_of(table, names, treatments)
        labels = {n: own if isinstance(own, Column) else named_column(n, own) for n, own in read.items()}
        if are_text is not None:
            labels, treatments, about = meant(labels, treatments)
            said += about
            if self.truth is not None:
                columns = self.meant(labels[self.truth].values)
        elif not self.of_sets and self.kind not in OF_NUMBERS:
            labels, about = with_words(labels)
            said += about
        found: dict[str, Any] = {
            name: numbers_of(table, beside[name]) for name in ("counts", "sample_weight")
        }
        for name in ("units", "runs"):
            found[name] = None if beside[name] is None else column_beside(table, beside[name])
        found["costs"] = amounts_of(table, beside["costs"])
        weighting = Weighting(found["counts"], found["sample_weight"])
        # Rows of weight 0 may have gaps, too.
        gaps = weighting.is_given or any(own.drops_missing for own in treatments.values())

        def scores(own: ForecastColumns) -> Any:
            if self.of_sets:
                return own.read_labels(table.matrix, weighting.absent)
            return own.read(table.numbers, labels[self.truth], gaps=gaps)

        groups = {name: column_beside(table, name) for name in self.classifier.grouping}
        options = columns.classifier.options(groups, scores)
        return ReadColumns(labels, treatments, found, gaps, options, columns.forecasts.options(scores), said)

    def _labels_of(
        self, table: FileTable | Frame | Joined, names: Sequence[Any], treatments: Treatments
    ) -> tuple[Mapping[Any, Any], bool | None, tuple[Notice, ...]]:
        """Read labels as those of the kind stand in cells; also say whether they are text, if a file does not."""
        if self.of_sets:
            read, said = read_sets(table, names, self.delimiter)
            return read, None, said
        if self.kind in OF_NUMBERS:
            return number_columns(table, names), None, ()
        if self.tree is not None:
            check_levels = all(own.missing == "raise" for own in treatments.values())
            found = self.tree.read(table, names, check_levels=check_levels)
            return found, True if isinstance(table, FileTable) else None, ()
        if isinstance(table, FileTable):
            ahead = (self.beside["units"], self.beside["runs"], *self.classifier.grouping)
            table.want([*names, *(own for own in ahead if own is not None)])
        return *table.labels(names), ()


def found_beside(table: Engine | FileTable | Frame | Joined, named: Mapping[str, Any]) -> dict[str, Any]:
    """Find the columns that stand beside labels, by their roles."""
    return {
        option: None if column_name(option, name) is None else table.own(name)
        for option, name in named.items()
    }
