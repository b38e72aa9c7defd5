"""The options for classifiers: probabilities, classes, and groups of instances."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from adjudge.cli.options import split_list, split_names
from adjudge.errors import InputError
from adjudge.presentation.numbers import count

if TYPE_CHECKING:
    from adjudge.tables.files import FileTable

__all__ = [
    "ClassifierFlags",
    "by_model",
    "check_apart",
    "model_and_pattern",
    "models_in",
]


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
    def has_forecasts(self) -> bool:
        """Whether columns of probabilities were given."""
        return bool(self.probabilities or self.proba_prefix)

    def of_models(self, table: FileTable, models: Sequence[str]) -> dict[str, str] | None:
        """Return the pattern of each model's probabilities; without labels, the patterns name the models."""
        from adjudge.tables.sets import named_by

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
