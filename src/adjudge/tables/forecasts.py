"""Columns that only classifiers have: of groups, and of probabilities or of scores that rank."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.errors import Argument, InputError, Option
from adjudge.given.class_names import alike, are_boolean
from adjudge.given.data_frames import is_pattern
from adjudge.given.forecast_columns import ForecastColumns, in_order_of, with_patterns
from adjudge.given.labels import Labels
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.model_forecasts import check_are_models
from adjudge.kinds.registry import check_roles
from adjudge.tables.names import column_names
from adjudge.tables.sets import named_by

__all__ = ["ClassifierColumns", "ModelForecasts", "columns_of_groups", "shares_meant"]


@dataclass(frozen=True)
class ClassifierColumns:
    """The options of classifiers as columns of a table.

    Attributes
    ----------
    forecasts : ForecastColumns or None
    grouping : tuple of str
    classes : sequence or None
    positive : object
    """

    forecasts: ForecastColumns | None = None
    grouping: tuple[Any, ...] = ()
    classes: Sequence[Any] | None = None
    positive: Any = None

    @classmethod
    def of(
        cls,
        probabilities: Any,
        scores: Any,
        classes: Sequence[Any] | None,
        positive: Any,
        groups: Any,
        kind: str | None,
    ) -> ClassifierColumns:
        """Check the options and read the names of their columns."""
        options = ClassifierOptions(probabilities, scores, classes, positive, groups)
        check_roles(kind, options.named())
        forecasts = None
        if options.has_forecasts:
            option = "scores" if probabilities is None else "probabilities"
            forecasts = ForecastColumns.of(getattr(options, option), option, classes)
        return cls(forecasts, columns_of_groups(groups), classes, positive)

    @property
    def named(self) -> list[Any]:
        """All columns that the options name."""
        return [*self.grouping, *(() if self.forecasts is None else self.forecasts.columns)]

    @property
    def are_given(self) -> bool:
        """Whether any of the options was given."""
        return self != ClassifierColumns()

    def found_in(self, known: Sequence[Any], taken: Sequence[Any]) -> ClassifierColumns:
        """Find the columns that a pattern such as ``p_*`` stands for, of those that are not `taken`."""
        own = self.forecasts
        if own is None or len(own.columns) != 1 or not is_pattern(own.columns[0], known):
            return self
        found = with_patterns(own.columns[0], own.option, known, taken)
        return replace(self, forecasts=ForecastColumns.of(found, own.option, self.classes))

    def meant(self, truth: Labels) -> ClassifierColumns:
        """Return the classes in the type of the true labels of a file, where options name them by text."""
        if self.forecasts is not None:
            self.forecasts.check_classes(truth)
        if any(isinstance(own, str) for own in truth.categories[:1]):
            return self
        classes, forecasts = self.classes and _classes(self.classes, truth), self.forecasts
        if forecasts is not None and forecasts.classes is not None:
            forecasts = replace(forecasts, classes=_classes(forecasts.classes, truth))
        positive = None if self.positive is None else _class(self.positive, "positive", truth)
        return replace(self, classes=classes, positive=positive, forecasts=forecasts)

    def options(
        self, groups: Mapping[Any, Any], read: Callable[[ForecastColumns], Any] | None = None
    ) -> dict[str, Any]:
        """Return the options of `evaluate` for a table in memory.

        Parameters
        ----------
        groups : mapping of str to array-like
            The columns that define groups.
        read : callable, optional
            Reads the columns of probabilities, or of scores.
        """
        found: dict[str, Any] = {
            "classes": self.classes,
            "positive": self.positive,
            "groups": {name: groups[name] for name in self.grouping} or None,
        }
        if self.forecasts is not None and read is not None:
            found[self.forecasts.option] = read(self.forecasts)
        return {name: value for name, value in found.items() if value is not None}


def _classes(classes: Sequence[Any], truth: Labels) -> list[Any]:
    """Convert the names of classes to the type of the true labels, which are no text."""
    return [_class(own, "classes", truth) for own in classes]


def shares_meant(prevalence: Any, truth: Labels) -> Any:
    """Return the shares of classes by their names in the type of the true labels of a file; a share alone unchanged."""
    if not isinstance(prevalence, Mapping) or any(isinstance(own, str) for own in truth.categories[:1]):
        return prevalence
    return {_class(name, "prevalence", truth): share for name, share in prevalence.items()}


def _class(name: Any, option: str, truth: Labels) -> Any:
    """Convert the name of a class to a number, or to True or False, as all labels are."""
    ((meant,),) = alike([name])
    if not isinstance(meant, str):
        return meant
    try:
        return int(meant)
    except ValueError:
        labels = "True and False" if are_boolean(truth.categories) else "whole numbers"
        raise InputError(
            f"{name!r} is not a class: the true labels are {labels} (",
            Option(option),
            " names others)",
        ) from None


def columns_of_groups(groups: Any) -> tuple[Any, ...]:
    """Return the names of the columns that define groups."""
    if groups is None:
        return ()
    return tuple(column_names("groups", groups))


def of_models(models: Collection[Any] | None, given: Any) -> Any:
    """Return columns or patterns by model: of the label columns in their order, or without these of their own names.

    Examples
    --------
    >>> from adjudge.tables.forecasts import of_models
    >>> of_models(None, ["p_old", "new_*"])
    {'p_old': 'p_old', 'new': 'new_*'}
    """
    if models is not None:
        return in_order_of(list(models), given)
    several = isinstance(given, (list, tuple)) and len(given) > 1 and all(isinstance(o, str) for o in given)
    return in_order_of([named_by(own) for own in given], given) if several else given


@dataclass(frozen=True)
class ModelForecasts:
    """The columns with each model's probabilities or decision values.

    Attributes
    ----------
    option : {"probabilities", "scores"}
    columns : dict of str to ForecastColumns
        Columns of the models that have them; empty if none were given.
    """

    option: str
    columns: dict[str, ForecastColumns]

    @classmethod
    def of(
        cls,
        probabilities: Any,
        scores: Any,
        classes: Sequence[Any] | None,
        models: Sequence[str] | None,
        kind: str | None,
    ) -> ModelForecasts:
        """Check the options; `models` are the label columns, if these were named."""
        check_roles(kind, ClassifierOptions(probabilities, scores).named())
        option = "probabilities" if scores is None else "scores"
        given = probabilities if scores is None else scores
        if given is None:
            return cls(option, {})
        if not isinstance(given, Mapping) or not given:
            raise InputError(
                Argument(option),
                " name the columns of each model: give a mapping from models to columns, "
                "or one for each in their order",
            )
        if models is None and option == "scores":
            raise InputError(
                Option("scores"),
                " only rank the instances: name the columns with the models' labels as well, as ",
                Option("models"),
            )
        if models is not None:
            check_are_models(option, given, models)
        found = {name: ForecastColumns.of(own, option, classes) for name, own in given.items()}
        return cls(option, {name: found[name] for name in models or found if name in found})

    @property
    def what(self) -> str | None:
        """What was given besides labels, in words."""
        given = self.columns or None
        return (
            ClassifierOptions(given) if self.option == "probabilities" else ClassifierOptions(None, given)
        ).what

    @property
    def named(self) -> list[Any]:
        """All columns that the options name."""
        return list(dict.fromkeys(name for own in self.columns.values() for name in own.columns))

    def meant(self, truth: Labels) -> ModelForecasts:
        """Return the classes of the columns in the type of the true labels of a file."""
        for own in self.columns.values():
            own.check_classes(truth)
        if any(isinstance(own, str) for own in truth.categories[:1]):
            return self
        typed = {
            name: own if own.classes is None else replace(own, classes=_classes(own.classes, truth))
            for name, own in self.columns.items()
        }
        return replace(self, columns=typed)

    def options(self, read: Callable[[ForecastColumns], Any]) -> dict[str, Any]:
        """Return the options of `compare` for a table in memory, of which `read` reads the columns of a model."""
        if not self.columns:
            return {}
        return {self.option: {model: read(own) for model, own in self.columns.items()}}
