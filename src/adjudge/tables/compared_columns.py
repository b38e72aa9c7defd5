"""The columns that a call of `compare` names, found in a table, and read as arguments for rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.forecast_columns import ForecastColumns, with_patterns
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.labels import Column
from adjudge.given.options import check_choice
from adjudge.given.weights import Weighting
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import OF_NUMBERS, WITHOUT_TRUTH
from adjudge.tables.columns import amounts_of, check_columns, column_beside, number_columns, numbers_of
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts, columns_of_groups, of_models
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.joined import Joined
from adjudge.tables.labels import meant, with_words
from adjudge.tables.names import column_name, column_names, named_column, the_one
from adjudge.tables.sets import (
    OF_SETS,
    check_delimiter,
    holds_several,
    matching_sets,
    models_of_sets,
    read_sets,
)
from adjudge.tables.treatment import treatment_of_models

__all__ = ["ComparedColumns", "ReadModels"]


@dataclass(frozen=True)
class ReadModels:
    """Columns as arguments of a verb.

    Attributes
    ----------
    truth : Column or None
    models : dict of str to Column, or None
        None if labels are the likeliest classes, or if none were named.
    options : dict
        All others, by keyword.
    said : tuple of Notice
    """

    truth: Column | None
    models: dict[str, Column] | None
    options: dict[str, Any]
    said: tuple[Notice, ...]


@dataclass(frozen=True)
class ComparedColumns:
    """The columns, by what they are for.

    Attributes
    ----------
    truth : str or None
    models : dict of str to str, or None
        The column of each model; None if labels are the likeliest classes, or if none were named.
    kind : str or None
        None if the labels tell it.
    beside : dict of str to (str or None)
        The columns of "sample_weight", "counts", "units", "runs", "judge" and "costs".
    forecasts : ModelForecasts
    classifier : ClassifierColumns
        The groups, and the names of the classes.
    treatment : LabelOptions
        By "labels_true" and the names of the models.
    delimiter : str or None
    options : dict
        Those that name no columns.
    """

    truth: Any
    models: dict[str, Any] | None
    kind: str | None
    beside: dict[str, Any]
    forecasts: ModelForecasts
    classifier: ClassifierColumns
    treatment: LabelOptions
    delimiter: str | None
    options: dict[str, Any]

    @classmethod
    def of(
        cls,
        table: Engine | FileTable | Frame | Joined,
        models: Sequence[str] | Mapping[str, str] | None,
        *,
        needs_truth: bool = True,
        truth: str | None = None,
        kind: str | None = None,
        sample_weight: str | None = None,
        counts: str | None = None,
        units: str | None = None,
        runs: str | None = None,
        judge: str | None = None,
        costs: str | None = None,
        probabilities: Mapping[str, Any] | None = None,
        scores: Mapping[str, Any] | None = None,
        classes: Sequence[Any] | None = None,
        positive: Any = None,
        groups: str | Sequence[str] | None = None,
        missing: str | Mapping[str, str] = "raise",
        noise: str | Mapping[str, str] | None = None,
        noise_label: Any = -1,
        delimiter: str | None = None,
        **options: Any,
    ) -> ComparedColumns:
        """Find the columns in a table.

        Parameters
        ----------
        table : Engine, FileTable, Frame or Joined
        models : sequence of str, or mapping of str to str, or None
            Columns with the models' labels, patterns of these, or the column of each model by the model's name. None
            stands for all columns without another role.
        needs_truth : bool
            Without, labels may be judged by themselves; then None stands for no column.
        truth, kind, sample_weight, counts, units, runs, judge, costs, probabilities, scores, classes, positive, \
        groups, missing, noise, noise_label, delimiter, **options
            As for :func:`adjudge.compare`.
        """
        of_sets, is_alone = kind in OF_SETS, False
        if kind not in WITHOUT_TRUTH:
            truth = table.own_list if truth is None else truth
            is_alone = truth is None and not needs_truth
            if truth is None and needs_truth:
                raise InputError("the truth is missing: name its column with ", Option("truth"))
            column_name("truth", truth)
            if kind is None and holds_several(table, truth):
                kind, of_sets = "multilabel", True
            if truth is not None:
                truth = the_one(truth, matching_sets(table, [truth]) if of_sets else table.matching([truth]))
        check_delimiter(delimiter, of_sets)
        true = [] if truth is None else [truth]
        named = {"sample_weight": sample_weight, "counts": counts, "units": units, "runs": runs}
        named |= {"judge": judge, "costs": costs}
        columns = {
            option: None if column_name(option, name) is None else table.own(name)
            for option, name in named.items()
        }
        grouping = tuple(map(table.own, columns_of_groups(groups)))
        others = [*true, *(name for name in columns.values() if name is not None), *grouping]
        called = _columns_of_models(table, models, others, of_sets=of_sets)
        taken = [*others, *(called or {}).values()]
        found = [
            with_patterns(of_models(called, own), option, table.names, taken)
            for option, own in (("probabilities", probabilities), ("scores", scores))
        ]
        names = None if called is None else list(called)
        forecasts = ModelForecasts.of(found[0], found[1], classes, names, kind)
        if called is None and not forecasts.columns and not is_alone:
            called = {name: name for name in table.names if name not in others}
        if called is not None and not called:
            raise InputError("models is empty: at least one column with a model's labels is needed")
        check_columns(table, [*true, *(called or {}).values()], forecasts.named)
        if kind is None and (forecasts.columns or grouping or classes is not None or positive is not None):
            kind = "classification"
        treatment = LabelOptions(missing, noise, noise_label)
        if isinstance(table, Engine):
            check_choice("missing", missing, MISSING)
        treatment = treatment_of_models(treatment, truth, called or dict.fromkeys(forecasts.columns))
        classifier = ClassifierColumns(None, grouping, classes, positive)
        return cls(truth, called, kind, columns, forecasts, classifier, treatment, delimiter, options)

    @property
    def of_sets(self) -> bool:
        """Whether a row has several labels, or none."""
        return self.kind in OF_SETS

    @property
    def of_labels(self) -> list[Any]:
        """The columns of labels: of the truth, and of the models."""
        return [*([] if self.truth is None else [self.truth]), *(self.models or {}).values()]

    @property
    def others(self) -> list[Any]:
        """The columns that stand beside labels, but for forecasts."""
        return [*(own for own in self.beside.values() if own is not None), *self.classifier.grouping]

    @property
    def of_numbers(self) -> list[Any]:
        """The columns of probabilities, or of scores that rank, and of weights."""
        weight = self.beside["sample_weight"]
        return [*self.forecasts.named, *([] if weight is None else [weight])]

    @property
    def used(self) -> list[Any]:
        """All columns with a role."""
        return [*self.of_labels, *self.others, *self.forecasts.named]

    @property
    def naming(self) -> dict[str, Any]:
        """The columns by the names of the arguments that stand for them in errors."""
        return {"labels_true": self.truth, **self.beside, **(self.models or {})}

    def read(self, table: FileTable | Frame | Joined) -> ReadModels:
        """Read the columns of rows in memory."""
        kind, treatment, beside = self.kind, self.treatment, self.beside
        classifier, forecasts = self.classifier, self.forecasts
        said: tuple[Notice, ...] = ()
        judge = beside["judge"]
        of_labels = [*self.of_labels, *([] if judge is None else [judge])]
        if isinstance(table, FileTable) and not self.of_sets:
            ahead = (judge, beside["units"], beside["runs"], *classifier.grouping)
            table.want([*self.of_labels, *(own for own in ahead if own is not None)])
        read: Mapping[Any, Any]
        are_text = None
        if kind in OF_NUMBERS:
            read = number_columns(table, of_labels)
        elif self.of_sets:
            read, said = read_sets(table, of_labels, self.delimiter)
        else:
            # A file names a cell.
            if self.truth is not None and not isinstance(table, FileTable) and table.holds_lists(self.truth):
                raise InputError(
                    f"column {self.truth!r} holds lists of labels: pass ", Option("kind", "multilabel")
                )
            read, are_text = table.labels(of_labels)
        columns = {
            name: own if isinstance(own, Column) else named_column(name, own) for name, own in read.items()
        }
        if are_text is not None:
            columns, typed, said = meant(columns, {self.truth: treatment})
            treatment = typed[self.truth]
            if self.truth is not None:
                true = columns[self.truth].values
                classifier, forecasts = classifier.meant(true), forecasts.meant(true)
        elif kind not in OF_NUMBERS and not self.of_sets:
            columns, said = with_words(columns)
        # Rows of weight 0 may have gaps, too; others are found when they are judged.
        gaps = treatment.drops_missing or beside["sample_weight"] is not None or beside["counts"] is not None
        weight, counts = (numbers_of(table, beside[name]) for name in ("sample_weight", "counts"))

        def scores(forecasts: ForecastColumns) -> Any:
            if self.of_sets:
                return forecasts.read_labels(table.matrix, Weighting(counts, weight).absent)
            return forecasts.read(table.numbers, columns[self.truth], gaps=gaps)

        known = {
            "kind": kind,
            "sample_weight": weight,
            "counts": counts,
            **{
                name: None if beside[name] is None else column_beside(table, beside[name])
                for name in ("units", "runs")
            },
            "judge": None if judge is None else columns[judge],
            "costs": amounts_of(table, beside["costs"]),
            "missing": treatment.missing,
            "noise": treatment.noise,
            **classifier.options({name: column_beside(table, name) for name in classifier.grouping}),
            **forecasts.options(scores),
        }
        known = {name: own for name, own in known.items() if own is not None}
        return ReadModels(
            None if self.truth is None else columns[self.truth],
            None if self.models is None else {name: columns[own] for name, own in self.models.items()},
            {**known, "noise_label": treatment.noise_label, **self.options},
            said,
        )

    def meant(self, truth: Any) -> ComparedColumns:
        """Return the classes in the type of the true labels of a file, where options name them by text."""
        return replace(self, classifier=self.classifier.meant(truth), forecasts=self.forecasts.meant(truth))


def _columns_of_models(
    table: Engine | FileTable | Frame | Joined, models: Any, leave_out: Sequence[Any], *, of_sets: bool
) -> dict[Any, Any] | None:
    """Return the column of each model by the model's name; None if no labels are named."""
    if models is None:
        return None
    find: Callable[..., list[Any]] = partial(matching_sets, table) if of_sets else table.matching
    if isinstance(models, Mapping) and all(isinstance(column, (str, int)) for column in models.values()):
        named = column_names("models", list(models.values()))
        return {str(model): the_one(own, find([own])) for model, own in zip(models, named, strict=True)}
    columns = find(column_names("models", models), leave_out)
    return models_of_sets(table, columns) if of_sets else {name: name for name in columns}
