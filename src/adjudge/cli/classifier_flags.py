"""The options for classifiers: probabilities, classes, and groups of instances."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.cli.options import split_list, split_names
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError
from adjudge.presentation.numbers import count

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.label_table import LabelTable
    from adjudge.given.probabilities import ClassScores
    from adjudge.tables.files import FileTable

__all__ = [
    "ClassifierFlags",
    "ForecastColumns",
    "by_model",
    "check_apart",
    "model_and_pattern",
    "models_in",
    "named_by",
    "starred",
]

_AS_GIVEN = TreatmentFlags()


@dataclass(frozen=True)
class ForecastColumns:
    """The columns that hold a model's probabilities.

    Attributes
    ----------
    name : str
        The model's name.
    columns : list of str
    classes : list of str or None
        The class of each column, as matched by a pattern; None if the column was named directly.
    """

    name: str
    columns: list[str]
    classes: list[str] | None

    @classmethod
    def of(cls, given: str, source: Source, leave_out: Collection[str]) -> ForecastColumns:
        """Find the columns that match a pattern such as ``a_*``, whose star stands for a class, or the named column."""
        columns, classes = starred(given, source, leave_out, "--probabilities")
        return cls(named_by(given), columns, classes)


def models_in(
    table: FileTable, given: Sequence[str], beside: Sequence[str], kind: str | None
) -> dict[str, str]:
    """Return the column of each model by the model's name; a pattern may stand for a column of each label."""
    from adjudge.tables.sets import OF_SETS, matching_sets, models_of_sets

    if kind in OF_SETS:
        return models_of_sets(table, matching_sets(table, given, beside))
    return {name: name for name in table.matching(given, beside)}


def check_apart(truth: str | None, judged: Collection[str], by: Collection[str], units: str | None) -> None:
    """Raise if a column of labels has another role, too."""
    if truth in judged:
        raise InputError(f"{truth!r} is the truth: name other columns to be judged")
    for option, given in (("--by", by), ("--units", [units])):
        if twice := next((name for name in given if name is not None and name in (truth, *judged)), None):
            raise InputError(f"{option} {twice!r} is a column of labels: name another one")


def starred(
    given: str, source: Source, leave_out: Collection[str], option: str, what: str = "class"
) -> tuple[list[str], list[str] | None]:
    """Find the columns that match a pattern such as ``a_*``, and what its star stands for; or the named column."""
    known = source.table.columns
    if given in known or "*" not in given:
        return [source.column(given)], None
    if given.count("*") > 1:
        raise InputError(f"{option} {given!r} has several stars: one stands for the {what}")
    before, after = given.split("*")
    columns = [
        column
        for column in known
        if len(column) > len(before) + len(after)
        and column.startswith(before)
        and column.endswith(after)
        and column not in leave_out
    ]
    if not columns:
        raise InputError(f"{option} {given!r} matches no column, such as {', '.join(map(repr, known[:8]))}")
    return columns, [column[len(before) : len(column) - len(after)] for column in columns]


def model_and_pattern(given: str, models: Collection[str], known: Collection[str]) -> tuple[str | None, str]:
    """Read ``MODEL=PATTERN``; a pattern that names no model, or is the name of a column, is returned with None."""
    named = [] if given in known else [model for model in models if given.startswith(f"{model}=")]
    if not named:
        return None, given
    model = max(named, key=len)
    return model, given[len(model) + 1 :]


def by_model(patterns: Sequence[tuple[str | None, str]], models: Sequence[str]) -> dict[str, str]:
    """Return the pattern of each model that has one: of the model that it names, or one for each in their order."""
    named = [model for model, _ in patterns if model is not None]
    if twice := next((model for model in named if named.count(model) > 1), None):
        raise InputError(f"--probabilities names {twice!r} twice: give one pattern for each model")
    if len(named) == len(patterns):
        found = {model: pattern for model, pattern in patterns if model is not None}
        return {model: found[model] for model in models if model in found}
    if named or len(patterns) != len(models):
        raise InputError(
            f"--probabilities has {count(len(patterns), 'pattern')} for {count(len(models), 'model')}: "
            f"give one for each, in their order, or name the models that have them, as in {f'{models[0]}=COL'!r}"
        )
    return {model: pattern for model, (_, pattern) in zip(models, patterns, strict=True)}


def named_by(given: str) -> str:
    """Return the name of a model whose columns have this name or pattern."""
    return given.replace("*", "", 1).strip("_-. ") or given if "*" in given else given


class GroupsCorrection(StrEnum):
    """How the tests of groups are corrected."""

    holm = "holm"
    fdr = "fdr"


@dataclass(frozen=True)
class ClassifierFlags:
    """What classifiers are judged by besides their labels."""

    heading: ClassVar[str] = "Classifiers"

    probabilities: list[str] | None = None
    proba_prefix: list[str] | None = None
    classes: list[str] | None = None
    positive: str | None = None
    by: list[str] | None = None
    groups_correction: GroupsCorrection = GroupsCorrection.holm

    @property
    def named(self) -> list[str]:
        """The names of the options that were given."""
        given = {
            "--probabilities": self.probabilities,
            "--proba-prefix": self.proba_prefix,
            "--classes": self.classes,
            "--positive": self.positive,
            "--by": self.by,
            "--groups-correction": self.groups_correction is not GroupsCorrection.holm,
        }
        return [name for name, value in given.items() if value]

    @property
    def patterns(self) -> list[str]:
        """Patterns of the columns with probabilities, one per model."""
        return [*(self.probabilities or []), *(f"{prefix}*" for prefix in split_list(self.proba_prefix))]

    @property
    def has_forecasts(self) -> bool:
        """Whether columns of probabilities were given."""
        return bool(self.probabilities or self.proba_prefix)

    def of_models(self, table: FileTable, models: Sequence[str]) -> dict[str, str] | None:
        """Return the pattern of each model's probabilities; without labels, the patterns name the models."""
        given = [*split_names(self.probabilities, table), *(f"{p}*" for p in split_list(self.proba_prefix))]
        if not given:
            return None
        if models:
            return by_model([model_and_pattern(own, models, table.names) for own in given], models)
        names = [named_by(own) for own in given]
        if len(set(names)) < len(names):
            raise InputError(
                f"--probabilities has two models called {max(names, key=names.count)!r}: rename the columns of one"
            )
        return dict(zip(names, given, strict=True))

    def _patterns(self, source: Source, models: Collection[str]) -> list[tuple[str | None, str]]:
        """Return each pattern, and the model that it names if any."""
        given = [*source.names(self.probabilities), *(f"{p}*" for p in split_list(self.proba_prefix))]
        return [model_and_pattern(own, models, source.table.columns) for own in given]

    def columns(self, source: Source, labelled: Collection[str]) -> set[str]:
        """Columns with probabilities or groups, besides those with labels."""
        groups = {source.column(name) for name in source.names(self.by)}
        leave_out = {*labelled, *groups}
        patterns = [pattern for _, pattern in self._patterns(source, labelled)]
        return groups.union(*(ForecastColumns.of(own, source, leave_out).columns for own in patterns))

    def read(
        self,
        source: Source,
        truth: str | None,
        judged: Sequence[str],
        treatment: TreatmentFlags = _AS_GIVEN,
        weight: str | None = None,
        units: str | None = None,
        *,
        gaps: bool = False,
    ) -> tuple[LabelTable, dict[str, Any]]:
        """Read the labels, probabilities and groups of classifiers; with `gaps`, rows may lack probabilities.

        Returns
        -------
        LabelTable
        options : dict
            For :func:`adjudge.compare`: every model's probabilities, the classes, the positive class, the groups.
        """
        groups = [source.column(name) for name in source.names(self.by)]
        own = [name for name in (truth, *judged) if name is not None]
        forecasts = self._forecasts(source, [*own, *groups], judged)
        table = source.read(
            truth,
            judged,
            treatment=treatment,
            weight=weight,
            in_memory=self.has_forecasts,
            grouping=groups,
            units=units,
        )
        # Rows of weight 0 may have gaps, too; others are found when they are judged.
        gaps = gaps or treatment.of_columns(str(truth), judged).drops_missing or weight is not None
        return table, self._options(source, table, forecasts, gaps)

    def _forecasts(
        self, source: Source, labelled: Collection[str], models: Sequence[str]
    ) -> list[ForecastColumns]:
        """Find each model's probabilities; without labels, the patterns name the models."""
        patterns = self._patterns(source, models)
        if models:
            of_each = by_model(patterns, models)
            return [replace(ForecastColumns.of(p, source, labelled), name=m) for m, p in of_each.items()]
        found = [ForecastColumns.of(pattern, source, labelled) for _, pattern in patterns]
        names = [own.name for own in found]
        if len(set(names)) < len(names):
            raise InputError(
                f"--probabilities has two models called {max(names, key=names.count)!r}: rename the columns of one"
            )
        return found

    def _options(
        self, source: Source, table: LabelTable, forecasts: Sequence[ForecastColumns], gaps: bool
    ) -> dict[str, Any]:
        """Convert classes to the type of the true labels, and read the probabilities in the order of the classes."""
        patterns = (own.classes for own in forecasts if own.classes and len(own.classes) > 1)
        stated = split_list(self.classes)
        classes = [_label(name, table, "--classes") for name in stated or next(patterns, [])]
        truth = None if table.truth is None else table.column(table.truth)
        options: dict[str, Any] = {
            "probabilities": {own.name: _class_scores(source, own, classes, truth, gaps) for own in forecasts}
            or None,
            "classes": classes if stated else None,
            "positive": None if self.positive is None else _label(self.positive, table, "--positive"),
            "groups": table.groups or None,
        }
        return {name: value for name, value in options.items() if value is not None}


def _class_scores(
    source: Source, own: ForecastColumns, classes: Sequence[Any], truth: Any, gaps: bool
) -> ClassScores:
    """Read a model's probabilities, with columns in the order of the classes; with `gaps`, rows may lack some."""
    from adjudge.given.positive import OneColumn
    from adjudge.given.probabilities import as_class_scores

    if len(own.columns) == 1:
        (name,) = own.columns
        column = OneColumn(name, own.classes and own.classes[0], must_fit=True)
        values = source.table.points([name], gaps=gaps)[:, 0]
        return as_class_scores(values, probabilities=True, column=column, gaps=gaps)
    assert own.classes is not None
    names = list(map(str, classes))
    if sorted(own.classes) != sorted(names):
        raise InputError(
            f"the probabilities of {own.name!r} are of {', '.join(own.classes[:6])}, the classes are "
            f"{', '.join(names[:6])}: they must be the same"
        )
    columns = [own.columns[own.classes.index(name)] for name in names]
    values = source.table.points(columns, gaps=gaps)
    return as_class_scores(values, probabilities=True, classes=classes, truth=truth, gaps=gaps)


def _label(name: str, table: LabelTable, option: str) -> Any:
    """Convert the name of a class to the type of the true labels."""
    if table.are_text:
        return name
    try:
        return int(name)
    except ValueError:
        raise InputError(
            f"{name!r} is not a class: the labels of {table.truth!r} are whole numbers ({option} names others)"
        ) from None
