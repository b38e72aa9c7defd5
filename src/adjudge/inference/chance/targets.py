"""The targets of correction for chance: an index by name or record, or a custom function."""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.options import given_names
from adjudge.indices.catalog import find_index
from adjudge.indices.label_record import LabelIndex
from adjudge.indices.record import Better, Index, Noted
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.pair_counts import PairCounts


@dataclass(frozen=True)
class Target:
    """An index to correct: its formula, the statistic that it reads, and its properties."""

    name: str
    kind: type
    formula: Callable[[Any], float | Noted]
    observed: float
    best: float | None
    better: Better | None
    record: Index | None

    @classmethod
    def of(cls, index: Any, table: Contingency, parameters: dict[str, Any]) -> Target:
        """Resolve `index`, and compute its value for the given table."""
        if isinstance(index, str):
            index = find_index(index, "external")
        if isinstance(index, Index):
            return cls._of_record(index, table, parameters)
        if callable(index):
            return cls._of_function(index, table, parameters)
        raise InputTypeError(
            Option("index", index), ": a name, an index or a function of PairCounts or Contingency is needed"
        )

    @classmethod
    def of_statistic(cls, record: Index, statistic: Any) -> Target:
        """Return a target of the only statistic that an index reads."""
        value = record.assess(statistic)[0]
        return cls(record.name, type(statistic), lambda own: record.assess(own)[0], value, None, None, record)

    @classmethod
    def of_several(cls, indices: Any, table: Contingency, parameters: dict[str, Any]) -> list[Target]:
        """Resolve each of several indices."""
        return [cls.of(index, table, parameters) for index in given_names("indices", indices)]

    @classmethod
    def _of_record(cls, record: Index, table: Contingency, parameters: dict[str, Any]) -> Target:
        if not isinstance(record, LabelIndex):
            raise InputError(
                f"{record.name} is of kind {record.kind!r}: an index that reads a contingency table is needed"
            )
        kind = record.requires[0]
        best = record.best if record.best is not None and math.isfinite(record.best) else None
        return cls(
            name=record.name,
            kind=kind,
            formula=lambda statistic: record.assess(statistic, **parameters)[0],
            observed=record.assess(*record.read(table), **parameters)[0],
            best=best,
            better=record.better,
            record=record,
        )

    @classmethod
    def _of_function(
        cls, function: Callable[..., Any], table: Contingency, parameters: dict[str, Any]
    ) -> Target:
        def formula(statistic: Any) -> float | Noted:
            try:
                return typing.cast("float | Noted", function(statistic, **parameters))
            except ZeroDivisionError:
                return math.nan

        kind = _annotated_kind(function)
        if kind is None:
            kind = PairCounts
            try:
                formula(table.pairs)
            except (AttributeError, TypeError):
                kind = Contingency
        return cls(
            name=getattr(function, "__name__", "function"),
            kind=kind,
            formula=formula,
            observed=_number(formula(table.statistic(kind))),
            best=None,
            better=None,
            record=None,
        )

    def of_table(self, table: Contingency) -> float:
        """Return the value of the index for a contingency table."""
        if isinstance(self.record, LabelIndex):
            return self(*self.record.read(table))
        return self(table.statistic(self.kind))

    def __call__(self, statistic: Any) -> float:
        """Return the value of the index; nan if it is undefined."""
        return _number(self.formula(statistic))


def _annotated_kind(function: Callable[..., Any]) -> type | None:
    """Return the type of statistic with which a function's first parameter is annotated."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
        hints = typing.get_type_hints(function)
    except (TypeError, ValueError, NameError):
        return None
    hint = hints.get(parameters[0].name) if parameters else None
    return hint if hint in (PairCounts, PartitionEntropies, Contingency) else None


def _number(value: Any) -> float:
    if isinstance(value, Noted):
        value = value.value
    if not isinstance(value, Real):
        raise InputTypeError(f"the function returned {value!r}: a number is needed")
    return float(value)


def evaluate_targets(targets: dict[int, Target], tables: Iterable[Contingency]) -> dict[int, list[float]]:
    """Return the values of each index, table by table."""
    values: dict[int, list[float]] = {i: [] for i in targets}
    for table in tables:
        for i, target in targets.items():
            values[i].append(target.of_table(table))
    return values
