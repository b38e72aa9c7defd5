"""The old and the new model of a gate as columns: of one table, or of two that a key joins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from adjudge.engines.frames.counting import FrameTable, loaded
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.files.columnar import is_countable, is_parquet
from adjudge.given.forecast_columns import in_order_of, with_patterns
from adjudge.given.label_options import LabelOptions
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge.results.gate import NEW, OLD, places_of
from adjudge.results.notice import Notice
from adjudge.tables.counted import what_models_need, what_scores_need
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.frames import Engine, Frame, engines_of_parquet
from adjudge.tables.joined import Joined, JoinedColumns, joined_by_engine, merged
from adjudge.tables.names import column_name
from adjudge.tables.source import is_a_table, open_given, rows_of

__all__ = ["GateColumns", "Opened", "by_model"]

_FORECASTS = ("probabilities", "scores")
Opened = Engine | FileTable | Frame


@dataclass(frozen=True, eq=False)
class GateColumns:
    """A table with both models.

    Attributes
    ----------
    table : Engine, FileTable, Frame or Joined
        A lazy frame is one whose engine counts all that the gate needs.
    models : dict of str to str, or None
        The column of each model; None if the labels are the likeliest classes.
    forecasts : dict
        "probabilities" and "scores" by model, as columns of the table.
    said : tuple of Notice
    """

    table: Opened | Joined
    models: dict[str, Any] | None
    forecasts: dict[str, Any]
    said: tuple[Notice, ...] = ()

    @classmethod
    def of_one(
        cls, given: Any, models: Mapping[str, Any], asked: Mapping[str, Any], *, needs_rows: bool
    ) -> GateColumns:
        """Open a table, whose columns the models are.

        Parameters
        ----------
        given : data frame or path
        models : mapping of str to (str or None)
            The column of each model; None if its labels are its likeliest classes.
        asked : mapping
            The options of :func:`adjudge.compare`, which name columns.
        needs_rows : bool
            Whether the rows have to be in memory.
        """
        for model, name in models.items():
            if name is not None and not isinstance(name, (str, int)):
                raise InputTypeError(f"{model} is {a_type(name)}: name a column of the table")
        table = open_given(given, "memory" if needs_rows else None)
        named = [asked["truth"], *(own for own in models.values() if own is not None), *_beside(asked)]
        forecasts = {}
        for option in _FORECASTS:
            own = asked[option]
            # The star of a single pattern stands for a model.
            own = with_patterns(own, option, table.names, named) if isinstance(own, str) else own
            own = by_model(in_order_of([*models], own), option, models=[*models])
            forecasts[option] = with_patterns(own, option, table.names, named)
        lacking = [model for model, name in models.items() if name is None]
        known = forecasts["probabilities"] or {}
        if lacking and (len(known) < len(models) or len(lacking) < len(models)):
            raise InputError(f"{lacking[0]} is missing: name the column with the {lacking[0]} model's labels")
        if isinstance(table, Engine) and (needs_rows or _needs_rows([table], asked)):
            table = rows_of(table, [*named, *_columns_in(forecasts.values())])
        return cls(table, None if lacking else dict(models), forecasts)

    @classmethod
    def of_two(
        cls, given: Sequence[Any], key: Any, prediction: Any, asked: Mapping[str, Any], *, needs_rows: bool
    ) -> GateColumns:
        """Open the old model's table and the new one's, whose rows the key matches.

        Parameters
        ----------
        given : two data frames or paths
        key : str
        prediction : str or None
            The column with the labels; None for the only one that both tables have beside those named.
        asked : mapping
            As for `of_one`.
        needs_rows : bool
        """
        truth, beside = column_name("truth", asked["truth"]), _beside(asked)
        key, prediction = column_name("key", key), column_name("prediction", prediction)
        if truth is None:
            raise InputError("the truth is missing: name its column with ", Option("truth"))
        if len({key, truth, prediction}) < len((key, truth, prediction)):
            raise InputError(
                "the key, the truth and the prediction are three columns: two of the names are the same"
            )
        tables = [_opened(*own, needs_rows=needs_rows) for own in zip(given, (OLD, NEW), strict=True)]
        names = [own.names for own in tables]
        for own in tables:
            own.own(key)
        for name in (truth, *beside):
            if name not in names[1]:
                tables[0].own(name)
        forecasts = {name: _of_each(names, asked[name], name, (truth, *beside)) for name in _FORECASTS}
        taken = {key, truth, *beside, *_columns_in(forecasts.values())}
        if prediction is None and len(forecasts["probabilities"] or ()) < len(tables):
            prediction = _only_common(names, taken)
        for own in tables if prediction is not None else ():
            own.own(prediction)
        columns = JoinedColumns.of(names, key, {prediction, *_columns_in(forecasts.values())})
        models = {model: columns.called(i, prediction) for i, model in enumerate((OLD, NEW))}
        called = {
            option: of_each and {m: _called(columns, (OLD, NEW).index(m), own) for m, own in of_each.items()}
            for option, of_each in forecasts.items()
        }
        wanted, drop = [*taken, prediction], asked["missing"] == "drop"
        with engine_failures():
            lazy = None if needs_rows else _in_engine(tables, wanted, asked)
            table: Opened | Joined
            if lazy is not None:
                table, said = joined_by_engine(lazy, key, columns, [truth, *beside], drop=drop)
            else:
                read, groups = [rows_of(own, wanted) for own in tables], columns_of_groups(asked["groups"])
                roles = [asked.get(name) for name in ("units", "runs", "judge")]
                for own in read:
                    own.want([key, truth, prediction, *roles, *groups])
                table = Joined(read, key, columns, drop=drop)
                said = table.left_out
        return cls(table, None if prediction is None else models, called, said)

    @property
    def of_models(self) -> list[Any]:
        """All columns with what a model says."""
        return [*(self.models or {}).values(), *_columns_in(self.forecasts.values())]

    @engine_failures()
    def rows(self, comparison: Comparison, cell: str) -> Table:
        """Return the rows of a cell of the Prayatul matrix with all columns of the table, or of both tables."""
        found = comparison[OLD, NEW].instances(cell)
        if isinstance(found, np.ndarray):
            assert not isinstance(self.table, Engine)
            positions, pairs = places_of(comparison, cell)
            columns = self.table.rows(positions)
        else:
            columns, pairs = _loaded(found, self.table.names)
            columns = {name: own for name, own in columns.items() if name in self.table.names}
            if isinstance(self.table, Engine):
                columns = merged(columns, self.table.twice)
            elif isinstance(self.table, FileTable):
                columns = self.table.typed(columns)
        if "pairs" in columns:  # the table has a column of that name
            pairs = {f"{name}_in_cell": own for name, own in pairs.items()}
        columns = {**pairs, **columns}
        return Table(tuple(map(str, columns)), tuple(zip(*columns.values(), strict=True)))


def _beside(asked: Mapping[str, Any]) -> list[Any]:
    """Return the columns beside labels and probabilities."""
    options = ("units", "runs", "judge", "costs", "sample_weight", "counts")
    named = [column_name(name, asked.get(name)) for name in options]
    return [*(own for own in named if own is not None), *columns_of_groups(asked["groups"])]


def _needs_rows(tables: Iterable[Opened], asked: Mapping[str, Any]) -> bool:
    """Whether counts, and sums of scores, from an engine would not suffice."""
    truth, treatment = asked["truth"], LabelOptions(asked["missing"], asked.get("noise"))
    option = next((name for name in _FORECASTS if asked[name] is not None), None)
    files = [] if option is None else [own for own in tables if isinstance(own, FileTable)]
    scored = next(filter(None, (what_scores_need(own, str(option), ()) for own in files)), None)
    if what_models_need(asked["kind"], treatment, scored, asked, asked) is not None:
        return True
    return any(truth in own.names and own.holds_lists(truth) for own in tables)


def _opened(given: Any, which: str, *, needs_rows: bool) -> Opened:
    called = f"the {which} table"
    if not is_a_table(given):
        raise InputTypeError(f"{called} is {a_type(given)}, where a data frame or a path is needed")
    table = open_given(given, "memory" if needs_rows else None)
    if not isinstance(table, FileTable):
        table.called = called
    return table


def _in_engine(
    tables: Sequence[Opened], wanted: Sequence[Any], asked: Mapping[str, Any]
) -> list[Engine] | None:
    """Return both tables in the engine that joins and counts them; None if their rows have to be read."""
    if _needs_rows(tables, asked):
        return None
    files = [own for own in tables if isinstance(own, FileTable) and is_parquet(own.table)]
    if len(files) == len(tables) and is_countable() and all(own.engine != "memory" for own in files):
        return engines_of_parquet(files, wanted)
    lazy = [own for own in tables if isinstance(own, Engine) and isinstance(own.frame.frame, nw.LazyFrame)]
    if len(lazy) < len(tables):  # rows in Dask are joined in memory
        return None
    one, other = (own.frame.frame.implementation for own in lazy)
    return lazy if one is other else None


def by_model(
    given: Any, option: str, what: str = "columns", models: Sequence[str] = (OLD, NEW)
) -> dict[str, Any] | None:
    """Return what is given of each model, the old one first; one of them may have labels alone."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or not given or not {*given} <= {*models}:
        names = " and ".join(f'"{model}"' for model in models)
        raise InputError(Option(option), f" is a mapping of {names} to {what}")
    return {model: given[model] for model in models if model in given}


def _of_each(
    names: Sequence[Sequence[Any]], given: Any, option: str, leave_out: Sequence[Any]
) -> dict[str, Any] | None:
    """Return the columns of probabilities or scores by model: those of the tables that have them."""
    if given is None:
        return None
    try:
        found = with_patterns(given, option, names[1], leave_out)
    except InputError:
        found = with_patterns(given, option, names[0], leave_out)
    if isinstance(found, Mapping) and any(isinstance(own, Mapping) for own in found.values()):
        said = " name the same columns of both tables: give a pattern, or one mapping of classes to columns"
        raise InputError(Option(option), said)
    columns = {*_names_in(found)}
    having = [model for model, own in zip((OLD, NEW), names, strict=True) if columns <= {*own}]
    return dict.fromkeys(having or (OLD, NEW), found)


def _columns_in(of_each: Iterable[Mapping[str, Any] | None]) -> list[Any]:
    """Return all columns of probabilities and scores."""
    return [name for one in of_each for own in (one or {}).values() for name in _names_in(own)]


def _names_in(given: Any) -> list[Any]:
    """Return the columns that one model's probabilities or scores name."""
    if isinstance(given, Mapping):
        return list(given.values())
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _called(columns: JoinedColumns, table: int, given: Any) -> Any:
    """Return columns of one table by their names in both."""
    if isinstance(given, Mapping):
        return {label: columns.called(table, name) for label, name in given.items()}
    if isinstance(given, (list, tuple)):
        return [columns.called(table, name) for name in given]
    return columns.called(table, given)


def _only_common(names: Sequence[Sequence[Any]], taken: set[Any]) -> Any:
    """Return the only column that both tables have and that has no other role."""
    common = [name for name in names[0] if name in names[1] and name not in taken]
    if len(common) != 1:
        which = "no other column" if not common else ", ".join(map(repr, common))
        raise InputError(
            f"both tables have {which}: name the one with the labels with ", Option("prediction")
        )
    return common[0]


def _loaded(native: Any, known: Sequence[Any]) -> tuple[dict[Any, Any], dict[str, Any]]:
    """Load the rows of a cell: their columns, and their numbers of pairs, in descending order, if these count."""
    found = FrameTable.of(native)
    frame = loaded(found.frame) if found.is_lazy else found.frame
    of_pairs = "pairs" not in known and "pairs" in found.names
    if of_pairs:
        (pairs,) = found.own(["pairs"])
        frame = frame.filter(nw.col(pairs) > 0).sort(pairs, descending=True)
    columns = {name: frame[own].to_list() for name, own in found.own_names.items()}
    return columns, {"pairs": columns.pop("pairs")} if of_pairs else {}
