"""The models that a command judges: columns of labels, and patterns for those of probabilities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.cli.messages import flag
from adjudge.errors import InputError
from adjudge.presentation.numbers import count

if TYPE_CHECKING:
    from adjudge.cli.command import Call
    from adjudge.tables.files import FileTable

__all__ = ["OF_FORECASTS", "Models", "by_model", "model_and_pattern", "of_classifiers"]

#: The options that commands read here.
OF_FORECASTS = ("probabilities", "proba_prefix")
# Options that only classifiers have.
_OF_CLASSIFIERS = (
    *OF_FORECASTS,
    "scores",
    "prevalence",
    "classes",
    "positive",
    "groups",
    "groups_correction",
)


@dataclass(frozen=True)
class Models:
    """The truth, and what each model says.

    Attributes
    ----------
    table : FileTable
        The file, in which these columns were found.
    truth : str or None
        Its column, if it is named or the file is a list of labels.
    columns : dict of str to str
        The column of labels of each model, or the pattern of its columns of 0 and 1, by the model's name.
    probabilities, scores : dict of str to str or None
        The column, or the pattern, of each model's probabilities, or decision values.
    """

    table: FileTable
    truth: str | None
    columns: dict[str, str]
    probabilities: dict[str, str] | None
    scores: dict[str, str] | None

    @classmethod
    def of(cls, table: FileTable, call: Call, given: str) -> Models:
        """Find the columns that an option names, and pair them with the patterns."""
        from adjudge.tables.sets import OF_SETS, matching_sets, models_of_sets

        options = call.options
        by, names = options.get("groups", []), options.get(given, [])
        beside = {
            name: options.get(name) for name in ("sample_weight", "units", "runs", "judge", "batch", "key")
        }
        truth = options.get("truth") or table.own_list
        taken = [name for name in (truth, *beside.values(), *by) if name is not None]
        if options.get("levels"):
            columns = {name: name for name in names}
        elif options.get("kind") in OF_SETS:
            columns = models_of_sets(table, matching_sets(table, names, taken))
        else:
            columns = {name: name for name in table.matching(names, taken)}
        beside_labels = [
            _forecasts(call, option, [*columns], table.names) for option in ("probabilities", "scores")
        ]
        found = cls(table, truth, columns, *beside_labels)
        _check_apart(
            found, {"--by": by, **{f"--{name}": [beside[name]] for name in ("units", "runs", "judge")}}
        )
        return found


def of_classifiers(call: Call) -> list[str]:
    """Return the flags of the options for classifiers that were given."""
    given = {**call.options, **call.beside}
    usual = {"groups_correction": "holm"}
    return [flag(name) for name in _OF_CLASSIFIERS if given.get(name) not in (None, [], usual.get(name))]


def _forecasts(
    call: Call, option: str, models: Sequence[str], known: Collection[str]
) -> dict[str, str] | None:
    """Return the pattern of each model's probabilities, or scores; without labels, the patterns name the models."""
    from adjudge.tables.sets import named_by

    given = call.beside.get(option) or []
    if option == "probabilities":
        given = [*given, *(f"{prefix}*" for prefix in call.beside["proba_prefix"] or ())]
    if not given:
        return None
    if models:
        return by_model([model_and_pattern(own, models, known) for own in given], models, option)
    names = [named_by(own) for own in given]
    if len(set(names)) < len(names):
        twice = max(names, key=names.count)
        raise InputError(f"--{option} has two models called {twice!r}: rename the columns of one")
    return dict(zip(names, given, strict=True))


def _check_apart(found: Models, beside: Mapping[str, Collection[str | None]]) -> None:
    """Raise if a column of labels has another role, too."""
    judged = found.columns.values()
    if found.truth in judged:
        raise InputError(f"{found.truth!r} is the truth: name other columns to be judged")
    for option, given in beside.items():
        if twice := next(
            (name for name in given if name is not None and name in (found.truth, *judged)), None
        ):
            raise InputError(f"{option} {twice!r} is a column of labels: name another one")


def model_and_pattern(given: str, models: Collection[str], known: Collection[Any]) -> tuple[str | None, str]:
    """Read ``MODEL=PATTERN``; a pattern that names no model, or is the name of a column, is returned with None."""
    named = [] if given in known else [model for model in models if given.startswith(f"{model}=")]
    if not named:
        return None, given
    model = max(named, key=len)
    return model, given[len(model) + 1 :]


def by_model(
    patterns: Sequence[tuple[str | None, str]], models: Sequence[str], option: str = "probabilities"
) -> dict[str, str]:
    """Return the pattern of each model that has one: of the model that it names, or one for each in their order."""
    named = [model for model, _ in patterns if model is not None]
    if twice := next((model for model in named if named.count(model) > 1), None):
        raise InputError(f"--{option} names {twice!r} twice: give one pattern for each model")
    if len(named) == len(patterns):
        found = {model: pattern for model, pattern in patterns if model is not None}
        return {model: found[model] for model in models if model in found}
    if named or len(patterns) != len(models):
        raise InputError(
            f"--{option} has {count(len(patterns), 'pattern')} for {count(len(models), 'model')}: "
            f"give one for each, in their order, or name the models that have them, as in {f'{models[0]}=COL'!r}"
        )
    return {model: pattern for model, (_, pattern) in zip(models, patterns, strict=True)}
