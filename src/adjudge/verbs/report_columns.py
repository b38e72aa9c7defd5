"""What a report shows of a table: the labels as `compare` reads them, and the other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.labels import Column, code_labels
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.frames import Engine
from adjudge.tables.names import column_names
from adjudge.tables.sets import holds_sets
from adjudge.tables.source import open_given
from adjudge.verbs.compare_columns import compare_columns

__all__ = ["ColumnsOfPage"]


@dataclass(frozen=True)
class _Read:
    """The arguments that `compare_columns` makes from the columns, in the place of a comparison."""

    labels: tuple[Any, ...]
    options: dict[str, Any]
    backend: str | None = None
    warnings: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ColumnsOfPage:
    """Columns of a table as arguments of `report`."""

    labels_true: Any
    models: dict[str, Any] | None
    X: Any
    text: Any
    kind: Any
    options: dict[str, Any]

    @classmethod
    def read(
        cls,
        given: Any,
        models: Any,
        truth: str | None,
        X: Any,
        text: Any,
        kind: Any,
        options: Mapping[str, Any],
    ) -> ColumnsOfPage:
        """Read the columns that the arguments name; those that none names are `X`.

        Raises
        ------
        InputError
            If the table is lazy, if `X` is given as well, or if no models are named.
        """
        if X is not None:
            raise InputError(
                Option("X"), " are points beside a table: leave it out, its other columns are shown"
            )
        if models is None and options.get("probabilities") is None:
            raise InputError("the models are missing: name their columns with ", Option("models"))
        table = open_given(given)
        if isinstance(table, Engine):
            raise InputError("a report shows the instances: collect the table first")
        reading: Any = lambda *labels, **own: _Read(labels, own)  # noqa: E731
        found: Any = compare_columns(
            reading, given, models, truth=truth, kind=kind, engine="memory", **options
        )
        own = {name: value for name, value in found.options.items() if value is not None}
        kind = own.pop("kind", None)
        true, judged = found.labels
        by_model = judged and {name: _coded(column) for name, column in judged.items()}
        used = [truth, text, *_models(models), *columns_of_groups(options.get("groups"))]
        used += [options.get(name) for name in ("units", "sample_weight", "counts")]
        for option in ("probabilities", "scores"):
            of_each = (options.get(option) or {}).values()
            used += [name for each in of_each for name in ForecastColumns.of(each, option).columns]
        rest = [name for name in table.names if name not in used and table.names.count(name) == 1]
        shown = table.shown(rest) if rest and kind != "multilabel" else None
        if isinstance(text, str):
            values, _ = table.labels([table.own(text)], nested=False)
            (column,) = values.values()
            text = ["" if value is None or value != value else str(value) for value in list(column)]
        return cls(_coded(true), by_model, shown, text, kind, own)


def _models(models: Any) -> Sequence[Any]:
    """Return the columns with the models' labels."""
    if models is None:
        return []
    return list(models.values()) if isinstance(models, Mapping) else column_names("models", models)


def _coded(column: Column) -> Any:
    """Return coded labels; sets of labels unchanged."""
    return column.values if holds_sets(column.values) else code_labels(column.values, column.name)
