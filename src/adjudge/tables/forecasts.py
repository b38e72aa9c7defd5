"""Columns that only classifiers have: of groups, and of probabilities or of scores that rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.labels import Labels
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.registry import check_roles
from adjudge.tables.names import column_names

__all__ = ["ClassifierColumns", "columns_of_groups", "needs_all_scores"]


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

    def meant(self, truth: Labels) -> ClassifierColumns:
        """Return the classes in the type of the true labels of a file, where options name them by text."""
        if any(isinstance(own, str) for own in truth.categories[:1]):
            return self
        classes = self.classes and [_whole(own, "classes") for own in self.classes]
        positive = None if self.positive is None else _whole(self.positive, "positive")
        return replace(self, classes=classes, positive=positive)

    def options(
        self,
        numbers: Callable[..., Any] | None,
        groups: Mapping[Any, Any],
        truth: Any = None,
        *,
        gaps: bool = False,
    ) -> dict[str, Any]:
        """Return the options of `evaluate` for a table in memory with the given true labels.

        Parameters
        ----------
        numbers : callable, optional
            Returns a column of numbers as a narwhals series.
        groups : mapping of str to array-like
            The columns that define groups.
        truth : array-like, optional
        gaps : bool
            Whether instances may lack probabilities.
        """
        found: dict[str, Any] = {
            "classes": self.classes,
            "positive": self.positive,
            "groups": {name: groups[name] for name in self.grouping} or None,
        }
        if self.forecasts is not None and numbers is not None:
            found[self.forecasts.option] = self.forecasts.read(numbers, truth, gaps=gaps)
        return {name: value for name, value in found.items() if value is not None}


def _whole(name: Any, option: str) -> Any:
    """Convert the name of a class to a number, as all labels are."""
    if not isinstance(name, str):
        return name
    try:
        return int(name)
    except ValueError:
        raise InputError(
            f"{name!r} is not a class: the true labels are whole numbers (",
            Option(option),
            " names others)",
        ) from None


def columns_of_groups(groups: Any) -> tuple[Any, ...]:
    """Return the names of the columns that define groups."""
    if groups is None:
        return ()
    return tuple(column_names("groups", groups))


def needs_all_scores(option: str, forecasts: str) -> InputError:
    """Return the error that an option needs the scores of all instances."""
    return InputError(
        Option(option),
        " with ",
        Option(forecasts),
        " needs the scores of all instances: collect the table first",
    )
