"""Labels and points from the names on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.cli.label_table import LabelTable, tell_words_for_missing
from adjudge.cli.options import Engine, WeightFlags, split_names
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError
from adjudge.files.kinds import common_labels, find_column, find_columns, open_table
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels
from adjudge.tables.streaming import count_columns, is_streamed, opened_frame

if TYPE_CHECKING:
    from adjudge.results.notice import Notice

__all__ = ["Source"]

_AS_GIVEN = TreatmentFlags()
# Rows of a large file in which repeated identifiers are looked for.
_LOOKED_AT = 100_000


class Source:
    """The file on the command line, and separate lists of labels that options name instead of columns."""

    def __init__(
        self,
        path: Path,
        engine: Engine = Engine.memory,
        *,
        remedy: str = "leave out --engine duckdb",
        decimal: str | None = None,
    ) -> None:
        self.path = path
        self.decimal = decimal or "."
        self.table = open_table(path, self.decimal)
        self.engine = engine
        self._remedy = remedy

    @property
    def own_list(self) -> str | None:
        """The name of the file's labels, if the file is a list of labels and not a table."""
        return self.table.columns[0] if self.table.is_list else None

    def names(self, given: Sequence[str] | None) -> list[str]:
        """Read an option that lists columns or files."""
        return split_names(given, _Known(self.table.columns))

    def matching(self, given: Sequence[str] | None, leave_out: Container[str] = ()) -> list[str]:
        """Read an option that lists columns and patterns; patterns do not match columns in `leave_out`."""
        return list(dict.fromkeys(self._expanded(given, leave_out, plain=self.column)))

    def labelled(
        self, given: Sequence[str] | None, kind: str | None, but: Iterable[str | None] = ()
    ) -> list[str]:
        """Read an option that lists columns of labels, patterns, or files; patterns do not match columns in `but`.

        If a row has several labels, patterns are not expanded: their columns are the labels of one model.
        """
        if kind in ("multilabel", "overlapping"):
            return self.names(given)
        leave_out = {name for name in but if name is not None}
        return list(dict.fromkeys(self._expanded(given, leave_out, plain=str)))

    def _expanded(
        self, given: Sequence[str] | None, leave_out: Container[str], plain: Callable[[str], str]
    ) -> Iterator[str]:
        for name in self.names(given):
            is_name = name in self.table.columns or not any(sign in name for sign in "*?[")
            if is_name or _is_there(name):
                yield plain(name)
            else:
                yield from find_columns(self.table, name, leave_out)

    def read(
        self,
        truth: str | None,
        judged: Sequence[str],
        *,
        treatment: TreatmentFlags = _AS_GIVEN,
        weight: str | None = None,
        in_memory: bool = False,
        grouping: Sequence[str] = (),
        units: str | None = None,
    ) -> LabelTable:
        """Read the truth and the judged labels into one table; read all rows if `in_memory`.

        The columns of `grouping` and `units` are read along with the labels, and may have another type.
        """
        (table,) = self._read(truth, [judged], treatment, weight, in_memory, grouping, units)
        return table

    def streams(
        self, names: Iterable[str], treatment: LabelOptions, hindrance: Sequence[Any] | None = None
    ) -> bool:
        """Whether DuckDB streams these columns."""
        if treatment.scatters_noise:
            hindrance = ("--noise singletons needs all rows in memory",)
        if any(self._locate(name)[0] is not self.table for name in names):
            hindrance = ("labels in several files are read into memory",)
        return is_streamed(self.table, self.engine, hindrance=hindrance, remedy=(self._remedy,))

    def column(self, name: str) -> str:
        """Find the column that a name on the command line stands for."""
        return find_column(self.table, name)

    @contextmanager
    def frame(self, names: Sequence[str]) -> Iterator[Any]:
        """Open columns as a relation of DuckDB."""
        with opened_frame(self.table, list(dict.fromkeys(names))) as relation:
            yield relation

    def repeating_identifier(self, weights: WeightFlags, used: Iterable[str | None]) -> tuple[Notice, ...]:
        """Return a notice if no units were named but an unused column looks like them; `used` are other columns."""
        from adjudge.results.drawn_units import repeating_identifier

        if weights.units is not None or self.own_list is not None:
            return ()
        known = self.table.columns
        twice = (name for name in known if known.count(name) > 1)
        taken = {*used, weights.weight, *twice}
        return repeating_identifier(known, taken, self._some)

    def _some(self, name: str) -> Any:
        """Read a column; if the file is streamed, only its first rows."""
        if not self.streams([name], LabelOptions()):
            return self.table.label_columns([name])[0].labels()
        with self.frame([name]) as relation:
            return relation.limit(_LOOKED_AT).arrow().read_all().column(0)

    def _read(
        self,
        truth: str | None,
        groups: Sequence[Sequence[str]],
        treatment: TreatmentFlags,
        weight: str | None = None,
        in_memory: bool = False,
        grouping: Sequence[str] = (),
        units: str | None = None,
    ) -> list[LabelTable]:
        judged = [name for group in groups for name in group]
        if truth in judged:
            raise InputError(f"{truth!r} is the truth: name other columns to be judged")
        of_truth = [] if truth is None else [truth]
        _check_apart("--by", grouping, [*judged, *of_truth])
        of_units = [] if units is None else [self.column(units)]
        _check_apart("--units", of_units, [*judged, *of_truth])
        others = list(dict.fromkeys([*grouping, *of_units]))
        wanted = list(dict.fromkeys([*of_truth, *judged, *others]))
        located = {name: self._locate(name) for name in wanted}
        if weight is not None:
            weight = self.column(weight)
        if in_memory or not self.streams(wanted, treatment.options):
            weights = None if weight is None else self.table.points([weight])[:, 0]
            columns = self._columns(located)
            coded, are_text = _coded(columns.values(), [columns[name].name for name in others])
            own = [[columns[name].name for name in (*of_truth, *group, *others)] for group in groups]
            tables = [
                LabelTable(
                    names[0] if of_truth else None,
                    {name: coded[name] for name in names},
                    are_text,
                    weights=weights,
                    grouping=tuple(columns[name].name for name in grouping),
                    units=next((columns[name].name for name in of_units), None),
                )
                for names in own
            ]
            tell_words_for_missing(tables)
            return tables
        own = [[located[name][1] for name in (*of_truth, *group, *others)] for group in groups]
        beside = tuple(located[name][1] for name in others)
        by = tuple(located[name][1] for name in grouping)
        counted = count_columns(self.table, own, weight=weight)
        are_text = any(
            column.is_text for one in counted for column in one.columns if column.name not in beside
        )
        tables = []
        for one in counted:
            labels = {}
            for c in one.columns:
                as_text = c.is_text if c.name in beside else are_text
                labels[c.name] = code_labels(c.as_text() if as_text else c.labels(), f"column {c.name!r}")
            its_truth = None if truth is None else next(iter(labels))
            unit = next((located[name][1] for name in of_units), None)
            table = LabelTable(its_truth, labels, are_text, one, one.weights, by, unit)
            tables.append(table.checked(self.path, treatment.of_columns(its_truth, table.judged)))
        tell_words_for_missing(tables)
        return tables

    def _columns(self, located: dict[str, tuple[TableFile, str]]) -> dict[str, LabelColumn]:
        """Read columns of the file, and separate lists of labels."""
        here = [name for name, (table, _) in located.items() if table is self.table]
        read = self.table.label_columns([located[name][1] for name in here]) if here else []
        columns = dict(zip(here, read, strict=True))
        for name, (table, column) in located.items():
            if name not in columns:
                columns[name] = table.label_columns([column])[0]
        ordered = {name: columns[name] for name in located}
        _name_apart(ordered)
        return ordered

    def _locate(self, name: str) -> tuple[TableFile, str]:
        """Find a column of the file, or a list of labels in another file."""
        if name.strip() in {column.strip() for column in self.table.columns} or not _is_there(name):
            return self.table, find_column(self.table, name)
        beside = open_table(name)
        if not beside.is_list:
            raise InputError(
                f"{name!r} is a separate table: name columns of {str(self.path)!r}, or files with one label per line"
            )
        return beside, beside.columns[0]


def _is_there(name: str) -> bool:
    """Whether a file has this name. `Path.is_file` would raise OSError for a list longer than a file name."""
    return os.path.isfile(name)


def _check_apart(option: str, names: Iterable[str], labelled: Sequence[str]) -> None:
    for name in names:
        if name in labelled:
            raise InputError(f"{option} {name!r} is a column of labels: name another one")


def _coded(columns: Iterable[LabelColumn], grouping: Sequence[str]) -> tuple[dict[str, Labels], bool]:
    """Code columns of labels, all as numbers or all as text; code columns of groups by their own type."""
    columns = list(columns)
    labels, are_text = common_labels(column for column in columns if column.name not in grouping)
    for column in columns:
        if column.name in grouping:
            labels |= common_labels([column])[0]
    return {name: code_labels(values, f"column {name!r}") for name, values in labels.items()}, are_text


class _Known:
    """Names that are not split at commas: those of columns and files."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = set(columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns or (isinstance(name, str) and "," in name and _is_there(name))


def _name_apart(columns: dict[str, LabelColumn]) -> None:
    """Name lists by the given paths if they have the same file name in different folders."""
    names = [column.name for column in columns.values()]
    for given, column in columns.items():
        if names.count(column.name) > 1:
            column.name = given
