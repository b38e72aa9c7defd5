"""The old and the new model in one table, or in two tables joined by a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.forecast_columns import ForecastColumns, with_patterns
from adjudge.given.labels import Column
from adjudge.given.matched_rows import MatchedRows, match_rows
from adjudge.given.object_labels import is_missing
from adjudge.given.options import given_names
from adjudge.presentation.numbers import count
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge.results.drawn_units import repeating_identifier
from adjudge.results.gate import NEW, OLD, places_of
from adjudge.results.notice import Notice
from adjudge.tables.dask_columns import DaskColumns
from adjudge.tables.files import FileTable, picked
from adjudge.tables.frames import Frame
from adjudge.tables.source import ReadableTable, opened_table

__all__ = ["GivenModels", "ModelsInTables", "left_out", "only_common", "table_of_one"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ModelsInTables:
    """Both models' columns as arguments of the verbs, and the rows that they come from.

    Attributes
    ----------
    given : dict
        "labels_true", "models", "units", "groups", "probabilities" and "scores".
    warnings : tuple of Notice
    are_numbers : bool
        Whether the labels come from files and are all numbers, so that options must name classes by numbers.
    """

    given: dict[str, Any]
    warnings: tuple[Notice, ...]
    are_numbers: bool
    _old: ReadableTable
    _new: ReadableTable
    _matched: MatchedRows | None

    def numbers(self, name: str, option: str) -> Any:
        """Read a column of counts or weights."""
        if self._matched is not None:
            raise InputError(
                Option(option), " is a column of one table: give the numbers, or join the tables"
            )
        return self._old.numbers(self._old.own(name)).to_numpy()

    def rows(self, comparison: Comparison, cell: str) -> Table:
        """Return the rows of a cell of the Prayatul matrix with all columns of the table, or of both tables."""
        positions, pairs = places_of(comparison, cell)
        if self._matched is None:
            columns = self._old.rows(positions)
        else:
            columns = self._old.rows(self._matched.first[positions])
            new = self._new.rows(self._matched.second[positions])
            both = set(columns) & set(new)
            apart = {name for name in both if columns[name] != new[name]}
            columns = {f"{name}_old" if name in apart else name: own for name, own in columns.items()}
            columns |= {f"{n}_new" if n in apart else n: own for n, own in new.items() if n not in columns}
        if "pairs" in columns:  # the table has a column of that name
            pairs = {f"{name}_in_cell": own for name, own in pairs.items()}
        columns = {**pairs, **columns}
        return Table(tuple(map(str, columns)), tuple(zip(*columns.values(), strict=True)))


@dataclass(frozen=True, eq=False)
class GivenModels:
    """The old and the new model of a gate, as given: vectors, columns of one table, or two tables.

    Attributes
    ----------
    first : array-like of shape (n,), data frame or path
        The truth, or the table; with a key, the table of the old model.
    second : array-like of shape (n,), str, data frame or path
        The old model, or its column; with a key, the table of the new model.
    new : array-like of shape (n,), str or None
        The new model, or its column.
    truth, prediction, key : str or None
    units, groups : array-like, names of columns, or None
    probabilities, scores : mapping of str to values or columns, or None
    drop : bool
        Whether to leave out rows of tables that lack a probability, or whose key is missing from the other table.
    """

    first: Any
    second: Any
    new: Any
    truth: Any
    prediction: Any
    key: Any
    units: Any
    groups: Any
    probabilities: Any
    scores: Any
    drop: bool

    @property
    def tables(self) -> list[Any]:
        """The table, or both of them."""
        return [self.first] if self.key is None else [self.first, self.second]

    @cached_property
    def grouping(self) -> list[str]:
        """The columns that define groups."""
        groups = self.groups
        return given_names(
            "groups", () if groups is None else (groups,) if isinstance(groups, str) else groups
        )

    @property
    def beside(self) -> list[Any]:
        """The columns of units and groups."""
        return [*([] if self.units is None else [self.units]), *self.grouping]

    @property
    def columns(self) -> list[Any]:
        """The columns that are named, but for those of probabilities."""
        own = (self.truth, self.key, self.prediction, self.second, self.new, *self.beside)
        return [name for name in own if isinstance(name, str)]

    def read(self) -> ModelsInTables:
        """Read both models from one table, or from two tables joined by a key."""
        if self.truth is None:
            raise InputError("the truth is missing: name its column with ", Option("truth"))
        named = {"truth": self.truth, "prediction": self.prediction, "key": self.key, "units": self.units}
        for name, own in (*named.items(), *(("groups", one) for one in self.grouping)):
            if own is not None and not isinstance(own, str):
                raise InputTypeError(Option(name), " names a column of the table: give its name")
        return _of_one(self) if self.key is None else _of_two(self)


def _of_one(given: GivenModels) -> ModelsInTables:
    own = opened_table(given.first, "the table", given.columns)
    named = {OLD: given.second, NEW: given.new}
    for model, name in named.items():
        if name is not None and not isinstance(name, str):
            raise InputTypeError(f"{model} is {a_type(name)}: name a column of the table")
    roles = (given.truth, *named.values(), *given.beside)
    forecasts = {
        name: _of_both(with_patterns(getattr(given, name), name, own.names, roles), name)
        for name in ("probabilities", "scores")
    }
    if isinstance(own, DaskColumns):
        own.want(
            name for of_each in forecasts.values() for one in (of_each or {}).values() for name in one.columns
        )
    lacking = [model for model, name in named.items() if name is None]
    known = forecasts["probabilities"] or {}
    if lacking and (len(known) < len(named) or len(lacking) < len(named)):
        raise InputError(f"{lacking[0]} is missing: name the column with the {lacking[0]} model's labels")
    found = table_of_one(own, given.truth, {} if lacking else named, given.units, given.grouping)
    labels = found.given["labels_true"].values
    for option, of_both in forecasts.items():
        found.given[option] = of_both and {
            model: columns.read(own.numbers, labels, gaps=given.drop) for model, columns in of_both.items()
        }
    return found


def table_of_one(
    table: Any, truth: str, models: Mapping[str, str], units: Any, grouping: Sequence[str]
) -> ModelsInTables:
    """Read the truth and the models' label columns from one table.

    Parameters
    ----------
    table : data frame or path
    truth : str
    models : mapping of str to str
        The columns, by the names of the models.
    units : str, optional
    grouping : sequence of str
    """
    named = [truth, *models.values(), *([] if units is None else [units]), *grouping]
    own: ReadableTable = (
        table if isinstance(table, (FileTable, Frame)) else opened_table(table, "the table", named)
    )
    judged = [own.own(truth), *map(own.own, models.values())]
    if len(set(judged)) < len(judged):
        twice = next(name for i, name in enumerate(judged) if name in judged[:i])
        raise InputError(f"column {twice!r} is named twice")
    labels, are_text = own.labels(judged)
    true, *columns = (Column(f"column {name!r}", labels[name], name) for name in judged)
    given: dict[str, Any] = {
        "labels_true": true,
        "models": dict(zip(models, columns, strict=True)) or None,
        "probabilities": None,
        "scores": None,
        **_beside(own, units, list(grouping)),
    }
    said = () if units is not None else _belonging_together(own, {*judged, *grouping})
    return ModelsInTables(given, said, are_text is False, own, own, None)


def _of_two(asked: GivenModels) -> ModelsInTables:
    truth, prediction, key = asked.truth, asked.prediction, asked.key
    if asked.second is None or asked.new is not None:
        raise InputError(
            Option("key"), " joins two tables: give that of the old model and that of the new one"
        )
    if len({key, truth, prediction}) < 3:
        raise InputError(
            "the key, the truth and the prediction are three columns: two of the names are the same"
        )
    tables = opened_table(asked.first, "the old table"), opened_table(asked.second, "the new table")
    with_truth = [i for i, own in enumerate(tables) if truth in own.names]
    if not with_truth:
        tables[0].own(truth)
    given_columns = {name: _found_in(tables, getattr(asked, name), name, (truth, *asked.beside))
                     for name in ("probabilities", "scores")}  # fmt: skip
    forecasts = {
        name: None if given is None else ForecastColumns.of(given, name)
        for name, given in given_columns.items()
    }
    taken = {key, truth, *asked.beside, *(c for own in forecasts.values() if own for c in own.columns)}
    with_forecasts = {name: _tables_with(tables, own) for name, own in forecasts.items()}
    if prediction is None and len(with_forecasts["probabilities"]) < len(tables):
        prediction = only_common([own.names for own in tables], taken)
    wanted = [([truth] if i in with_truth else []) + ([prediction] if prediction else []) for i in (0, 1)]
    for own in tables:
        if isinstance(own, DaskColumns):
            own.want([*taken, prediction])
    matched, said = _joined(key, tables, asked.drop)
    places = matched.first, matched.second
    labels = _of_one_type(tables, wanted)
    chosen = with_truth[0]
    true = picked(labels[chosen][truth], places[chosen])
    if len(with_truth) == 2:
        _check_same(truth, key, true, picked(labels[1][truth], places[1]))
    models = None
    if prediction is not None:
        models = {
            model: Column(f"column {prediction!r} of {own.called}", picked(values[prediction], at))
            for model, own, values, at in zip((OLD, NEW), tables, labels, places, strict=True)
        }
    given: dict[str, Any] = {"labels_true": Column(f"column {truth!r}", true, truth), "models": models}
    for name, column in _beside_of_two(tables, places, asked).items():
        given[name] = column
    for option, of_each in forecasts.items():
        given[option] = None
        if of_each is not None:
            given[option] = {
                model: of_each.read(partial(_numbers_of, own, at), true, gaps=asked.drop)
                for model, own, at in zip((OLD, NEW), tables, places, strict=True)
                if own in with_forecasts[option]
            }
    are_numbers = np.asarray(true).dtype.kind in "iu" and all(isinstance(own, FileTable) for own in tables)
    if asked.units is None:
        for own in tables:
            said += _belonging_together(own, taken | {prediction})
    return ModelsInTables(given, said, are_numbers, tables[0], tables[1], matched)


def _found_in(tables: Sequence[ReadableTable], given: Any, option: str, leave_out: Sequence[Any]) -> Any:
    """Replace a pattern by the columns of the table, of two, that has them: the new one if both do."""
    try:
        return with_patterns(given, option, tables[1].names, leave_out)
    except InputError:
        return with_patterns(given, option, tables[0].names, leave_out)


def _belonging_together(own: ReadableTable, used: set[Any]) -> tuple[Notice, ...]:
    """Warn that a column looks like units, if no units were named."""
    twice = {name for name in own.names if own.names.count(name) > 1}
    return repeating_identifier(own.names, used | twice, lambda name: own.labels([name])[0][name])


def _tables_with(tables: Sequence[ReadableTable], forecasts: ForecastColumns | None) -> list[ReadableTable]:
    """Return the tables that have the columns of probabilities or scores; all if none has, which is an error later."""
    if forecasts is None:
        return []
    return [own for own in tables if {*forecasts.columns} <= {*own.names}] or list(tables)


def _numbers_of(table: ReadableTable, positions: Ints, name: str, *, gaps: bool) -> Any:
    return table.numbers(name, gaps=gaps)[positions.tolist()]


def _joined(
    key: str, tables: tuple[ReadableTable, ReadableTable], drop: bool
) -> tuple[MatchedRows, tuple[Notice, ...]]:
    """Match the rows; report how many of them have no partner."""
    own = _of_one_type(tables, [[key], [key]])
    matched = match_rows(key, own[0][key], own[1][key], (tables[0].called, tables[1].called), drop=drop)
    return matched, left_out(matched.only_first + matched.only_second)


def left_out(n: int) -> tuple[Notice, ...]:
    """Report how many rows have no partner in the other table, if any."""
    text = f"{count(n, 'row')} without a partner in the other table {'is' if n == 1 else 'are'} left out"
    return (Notice("rows-without-a-partner", text),) if n else ()


def _of_one_type(tables: Sequence[ReadableTable], names: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Read label columns of two tables; columns of files all get the same type."""
    own = [[table.own(name) for name in some] for table, some in zip(tables, names, strict=True)]
    found = [table.labels(some) for table, some in zip(tables, own, strict=True)]
    decided = {are_text for _, are_text in found if are_text is not None}
    if len(decided) > 1:
        found = [(_as_text(table, some), True) for table, some in zip(tables, own, strict=True)]
    return [
        dict(zip(some, (labels[name] for name in mine), strict=True))
        for some, mine, (labels, _) in zip(names, own, found, strict=True)
    ]


def _as_text(table: ReadableTable, names: Sequence[str]) -> dict[str, Any]:
    assert isinstance(table, FileTable)
    return {column.name: column.as_text() for column in table.table.label_columns(names)}


def only_common(names: Sequence[Sequence[str]], taken: set[Any]) -> str:
    """Return the only column that both tables have and that has no other role."""
    common = [name for name in names[0] if name in names[1] and name not in taken]
    if len(common) != 1:
        which = "no other column" if not common else ", ".join(map(repr, common))
        raise InputError(
            f"both tables have {which}: name the one with the labels with ", Option("prediction")
        )
    return common[0]


def _check_same(truth: str, key: str, first: Any, second: Any) -> None:
    one, other = np.asarray(first, object), np.asarray(second, object)
    absent = [np.array([is_missing(value) for value in own.tolist()], bool) for own in (one, other)]
    differ = np.flatnonzero(absent[0] != absent[1])
    if not differ.size:
        there = np.flatnonzero(~absent[0])
        differ = there[one[there] != other[there]]
    if differ.size:
        i = int(differ[0])
        raise InputError(
            f"column {truth!r} differs between the tables in {count(differ.size, 'row')}, such as {one[i]!r} and "
            f"{other[i]!r}: {key!r} must name the same instances"
        )


def _beside(own: ReadableTable, units: Any, grouping: list[str]) -> dict[str, Any]:
    """Read the columns of units and groups."""
    names = [own.own(name) for name in ([] if units is None else [units]) + grouping]
    read = {name: own.labels([name])[0][name] for name in dict.fromkeys(names)}
    given: dict[str, Any] = {"units": None, "groups": None}
    if units is not None:
        given["units"] = Column(f"column {names[0]!r}", read[names[0]], names[0])
    if grouping:
        own_names = names[0 if units is None else 1 :]
        given["groups"] = {name: Column(f"column {name!r}", read[name], name) for name in own_names}
    return given


def _beside_of_two(
    tables: tuple[ReadableTable, ReadableTable], places: tuple[Ints, Ints], asked: GivenModels
) -> dict[str, Any]:
    """Read the columns of units and groups from the table that has them; if both do, they must agree."""
    given: dict[str, Any] = {"units": None, "groups": None}
    for name in asked.beside:
        i = 1 if name in tables[1].names else 0
        own = tables[i].own(name)
        values = picked(tables[i].labels([own])[0][own], places[i])
        if i == 1 and name in tables[0].names:
            _check_same(name, asked.key, picked(tables[0].labels([name])[0][name], places[0]), values)
        if name == asked.units:
            given["units"] = Column(f"column {own!r}", values, own)
        if name in asked.grouping:
            given["groups"] = (given["groups"] or {}) | {name: Column(f"column {own!r}", values, own)}
    return given


def _of_both(given: Any, option: str) -> dict[str, ForecastColumns] | None:
    """Read the columns of the models' probabilities or scores; one of them may have labels alone."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or not given or not {*given} <= {OLD, NEW}:
        raise InputError(Option(option), ' is a mapping of "old" and "new" to columns')
    return {model: ForecastColumns.of(given[model], option) for model in (OLD, NEW) if model in given}
