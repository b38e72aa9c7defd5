"""The columns that a call of `compare` names, found in a table, and read as arguments for rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.forecast_columns import with_patterns
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.labels import Column
from adjudge.given.options import check_choice
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import OF_NUMBERS, WITHOUT_TRUTH
from adjudge.tables.columns import check_columns
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts, columns_of_groups, of_models
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.joined import Joined
from adjudge.tables.named_columns import NamedColumns, found_beside
from adjudge.tables.names import column_name, column_names, the_one
from adjudge.tables.sets import (
    OF_SETS,
    check_delimiter,
    holds_several,
    matching_sets,
    models_of_sets,
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


@dataclass(frozen=True, kw_only=True)
class ComparedColumns(NamedColumns):
    """The columns, by what they are for.

    Attributes
    ----------
    treatment : LabelOptions
        By "labels_true" and the names of the models.
    options : dict
        Those that name no columns.
    """

    treatment: LabelOptions
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
        beside = found_beside(table, named | {"judge": judge, "costs": costs})
        grouping = tuple(map(table.own, columns_of_groups(groups)))
        others = [*true, *(name for name in beside.values() if name is not None), *grouping]
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
        # Clusterings may be held against an earlier one, which is then named as a model as well.
        may_be_truth = kind == "clustering" and isinstance(models, Mapping)
        check_columns(table, [*(() if may_be_truth else true), *(called or {}).values()], forecasts.named)
        if kind is None and (forecasts.columns or grouping or classes is not None or positive is not None):
            kind = "classification"
        treatment = LabelOptions(missing, noise, noise_label)
        if isinstance(table, Engine):
            check_choice("missing", missing, MISSING)
        treatment = treatment_of_models(treatment, truth, called or dict.fromkeys(forecasts.columns))
        return cls(
            truth=truth,
            models=called,
            kind=kind,
            beside=beside,
            classifier=ClassifierColumns(None, grouping, classes, positive),
            forecasts=forecasts,
            delimiter=delimiter,
            treatment=treatment,
            options=options,
        )

    @property
    def naming(self) -> dict[str, Any]:
        """The columns by the names of the arguments that stand for them in errors."""
        return {"labels_true": self.truth, **self.beside, **(self.models or {})}

    def arguments(self, table: FileTable | Frame | Joined) -> ReadModels:
        """Read the columns of rows in memory."""
        # A file names a cell.
        one_a_cell = not self.of_sets and self.kind not in OF_NUMBERS and not isinstance(table, FileTable)
        if one_a_cell and self.truth is not None and table.holds_lists(self.truth):
            raise InputError(
                f"column {self.truth!r} holds lists of labels: pass ", Option("kind", "multilabel")
            )
        read = self.read(table, {self.truth: self.treatment})
        treatment, judge = read.treatments[self.truth], self.beside["judge"]
        known = {
            "kind": self.kind,
            **read.beside,
            "judge": None if judge is None else read.labels[judge],
            "missing": treatment.missing,
            "noise": treatment.noise,
            **read.options,
            **read.of_models,
        }
        known = {name: own for name, own in known.items() if own is not None}
        return ReadModels(
            None if self.truth is None else read.labels[self.truth],
            None if self.models is None else {m: read.labels[own] for m, own in self.models.items()},
            {**known, "noise_label": treatment.noise_label, **self.options},
            read.said,
        )


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
