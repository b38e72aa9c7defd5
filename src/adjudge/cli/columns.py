"""From the names on the command line to labels and points."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.cli.options import Engine, Kind, split_list
from adjudge.cli.output import tell
from adjudge.cli.streaming import CountedColumns, count_columns, is_streamed, opened_frame
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError, Option, TooManyCombinationsError
from adjudge.files.kinds import common_labels, find_column, find_columns, open_table
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.given import AlignedLabels, LabelOptions, Labels, align_labels
from adjudge.given.labels import Column, code_labels
from adjudge.given.points import Points
from adjudge.given.weights import Weighting, WeightSums
from adjudge.presentation.numbers import listed

__all__ = ["LabelTable", "Source", "noise_meant", "standardized"]

_AS_GIVEN = TreatmentFlags()


@dataclass(frozen=True)
class LabelTable:
    """Labels by column name, all numbers or all text.

    Attributes
    ----------
    truth : str or None
        The column that holds the truth.
    labels : dict of str to Labels
        Coded once, for everything that follows.
    are_text : bool
    counted : CountedColumns or None
        If the labels are distinct combinations and not rows: how many rows have each.
    weights : ndarray of float64, WeightSums or None
        The weight of each entry of the labels, if there is a column of weights.
    grouping : tuple of str
        Columns among them that make groups of rows, whatever type they are.
    """

    truth: str | None
    labels: dict[str, Labels]
    are_text: bool
    counted: CountedColumns | None = None
    weights: NDArray[np.float64] | WeightSums | None = None
    grouping: tuple[str, ...] = ()

    @property
    def counts(self) -> Any:
        """How many rows each entry of the labels stands for, None for one."""
        return None if self.counted is None else self.counted.counts

    @property
    def n_given(self) -> int | None:
        """How many rows the file has; None if a column of weights says how much each counts."""
        if self.weights is not None:
            return None
        return int(self.counts.sum()) if self.counted is not None else len(next(iter(self.labels.values())))

    def weighting(self, meaning: str | None) -> Weighting:
        """Return how much each entry counts; `meaning` says what weights mean."""
        if self.weights is None:
            return Weighting(self.counts, None, meaning)
        return Weighting(None, self.weights, meaning)

    @cached_property
    def _aligned(self) -> AlignedLabels:
        return align_labels(self._named, LabelOptions(missing="drop"))

    @property
    def _named(self) -> dict[str, Any]:
        return {f"column {name!r}": labels for name, labels in self.labels.items()}

    def column(self, name: str) -> Column:
        """Return a column under the name that errors should call it by."""
        return Column(f"column {name!r}", self.labels[name])

    @property
    def occurring(self) -> dict[str, Labels]:
        """The labels, coded, without rows in which one is missing."""
        return dict(zip(self.labels, self._aligned.labels, strict=True))

    def compared(self) -> NDArray[np.int64]:
        """Positions of the entries without a missing label."""
        try:
            aligned = self._aligned
        except InputError:  # every one has a missing label
            return np.empty(0, np.int64)
        return np.arange(aligned.n_given) if aligned.kept is None else aligned.kept

    def checked(self, path: Path, treatment: LabelOptions) -> LabelTable:
        """Raise for missing labels of counted columns that are not to be left out; return them coded if none is."""
        counts = self.counts
        kept = self.compared()
        if kept.size == counts.size:
            return replace(self, labels=self.occurring)
        for name, labels in self.labels.items():
            if treatment.missing_of(name) == "raise":
                alone = replace(self, truth=None, labels={name: labels})
                n = int(counts.sum() - counts[alone.compared()].sum())
                if n:
                    raise InputError(
                        f"column {name!r} has {n} missing labels: fill them in, or pass ",
                        Option("missing", "drop"),
                        " to leave such rows out",
                    )
        if not kept.size:
            raise InputError(f"{str(path)!r} has no row with all its labels: at least one is needed")
        return self

    def common(self, treatment: LabelOptions) -> tuple[LabelTable, NDArray[np.int64] | None]:
        """Leave out, for all columns alike, what any of them leaves out.

        Parameters
        ----------
        treatment : LabelOptions
            By the names of the columns.

        Returns
        -------
        LabelTable
        positions : ndarray of int64 or None
            Of the entries that are left; None if all are.
        """
        aligned = align_labels(
            self._named, treatment.renamed({name: f"column {name!r}" for name in self.labels})
        )
        kept = aligned.kept
        if kept is None:
            return self, None
        labels = dict(zip(self.labels, aligned.labels, strict=True))
        counted = self.counted and replace(self.counted, counts=self.counts[kept])
        weights = self.weights
        if weights is not None:
            weights = weights.take(kept)
        return replace(self, labels=labels, counted=counted, weights=weights), kept

    @property
    def judged(self) -> dict[str, Column]:
        """All columns but the truth and those of groups."""
        return {name: self.column(name) for name in self.labels if name not in (self.truth, *self.grouping)}

    @property
    def groups(self) -> dict[str, Column]:
        """The columns that make groups."""
        return {name: self.column(name) for name in self.grouping}


def noise_meant(tables: Iterable[LabelTable], text: str | None) -> Any:
    """Return the label that stands for noise, -1 unless a text is given, as a label of these columns."""
    tables = list(tables)
    label: Any = "-1" if text is None else text
    if not tables[0].are_text:
        try:
            label = int(label)
        except ValueError:
            raise InputError(f"--noise-label {text!r} is text, but the labels are numbers") from None
    columns = [column for table in tables for column in table.occurring.values()]
    if text is not None and not any(_occurs(label, column) for column in columns):
        raise InputError(f"--noise-label {text!r} is not among the labels: leave it out, or correct it")
    return label


# Files up to this size are looked through for columns of one value.
_QUICKLY_READ = 1 << 24
# What tools call the column in which they number the rows.
_NAMES_OF_ROW_NUMBERS = ("", "index", "id", "row", "rowid", "row_id", "unnamed: 0", "__index_level_0__")


class Source:
    """The file on the command line, and lists of labels beside it that an option names instead of a column."""

    def __init__(
        self,
        path: Path,
        engine: Engine = Engine.memory,
        *,
        remedy: str = "leave out --engine duckdb",
        decimal: str | None = None,
    ) -> None:
        self.path = path
        self.table = open_table(path, decimal or ".")
        self.engine = engine
        self._remedy = remedy

    @property
    def own_list(self) -> str | None:
        """The name of the file's labels, if it is a list of them and not a table."""
        return self.table.columns[0] if self.table.is_list else None

    def names(self, given: Sequence[str] | None) -> list[str]:
        """Read an option that lists columns or files."""
        return split_list(given, _Known(self.table.columns))

    def matching(self, given: Sequence[str] | None, leave_out: Container[str] = ()) -> list[str]:
        """Read an option that lists columns and patterns, which match no column that is to be left out."""
        return list(dict.fromkeys(self._expanded(given, leave_out, plain=self.column)))

    def labelled(
        self, given: Sequence[str] | None, kind: Kind | None, but: Iterable[str | None] = ()
    ) -> list[str]:
        """Read an option that lists columns of labels, patterns of them, or files; patterns match none of `but`.

        A pattern of multilabel data stays: its columns are the labels of one model.
        """
        if kind is Kind.multilabel:
            return self.names(given)
        leave_out = {name for name in but if name is not None}
        return list(dict.fromkeys(self._expanded(given, leave_out, plain=str)))

    def _expanded(
        self, given: Sequence[str] | None, leave_out: Container[str], plain: Callable[[str], str]
    ) -> Iterator[str]:
        for name in self.names(given):
            is_name = name in self.table.columns or not any(sign in name for sign in "*?[")
            if is_name or Path(name).exists():
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
        look_ahead: bool = False,
        grouping: Sequence[str] = (),
    ) -> LabelTable:
        """Read the truth and the labels that are judged, all in one table; all rows if `in_memory`.

        With `look_ahead`, labels of too many combinations are not counted before that is said. The columns of
        `grouping` are read beside the labels, and may be of another type.
        """
        (table,) = self._read(truth, [judged], treatment, weight, in_memory, look_ahead, grouping)
        return table

    def read_apart(
        self,
        truth: str | None,
        judged: Sequence[str],
        *,
        treatment: TreatmentFlags = _AS_GIVEN,
        weight: str | None = None,
        in_memory: bool = False,
    ) -> dict[str, LabelTable]:
        """Read the truth and the labels that are judged, each column in a table; all rows if `in_memory`.

        If instances may be left out, all columns are in one table: see :meth:`LabelTable.common`.
        """
        groups = [list(judged)] if treatment.options.drops else [[name] for name in judged]
        try:
            tables = self._read(truth, groups, treatment, weight, in_memory)
        except TooManyCombinationsError as error:
            self.say_all_are_read(error)
            tables = self._read(truth, groups, treatment, weight, in_memory=True)
        return {name: table for table in tables for name in table.judged}

    def say_all_are_read(self, error: TooManyCombinationsError) -> None:
        """Tell that counting has not helped; raise the error if nothing else was allowed."""
        if self.engine is Engine.duckdb:
            raise InputError(*error.parts, ", or use --engine memory") from error
        tell("too many combinations of labels to count; reading all rows")

    def read_pairs(
        self, truth: str, models: Sequence[str], *, treatment: TreatmentFlags = _AS_GIVEN
    ) -> dict[tuple[str, str], LabelTable]:
        """Count the truth with each model, and each two models, two columns at a time."""
        pairs = list(combinations([truth, *models], 2))
        found = dict(zip(pairs, self._read(None, pairs, treatment), strict=True))
        for (one, other), table in found.items():
            if table.compared().size < table.counts.size:
                raise InputError(
                    f"{one!r} or {other!r} has missing labels, and all columns together have too many "
                    "combinations of labels: compare fewer models at a time"
                )
        return found

    def streams(self, names: Iterable[str], treatment: LabelOptions, hindrance: str | None = None) -> bool:
        """Whether DuckDB streams these columns."""
        if treatment.scatters_noise:
            hindrance = "--noise singletons needs all rows in memory"
        if any(self._locate(name)[0] is not self.table for name in names):
            hindrance = "labels in several files are read into memory"
        return is_streamed(self.table, self.engine, hindrance=hindrance, remedy=self._remedy)

    def column(self, name: str) -> str:
        """Find the column that a name on the command line stands for."""
        return find_column(self.table, name)

    @contextmanager
    def frame(self, names: Sequence[str]) -> Iterator[Any]:
        """Open columns as a relation of DuckDB."""
        with opened_frame(self.table, list(dict.fromkeys(names))) as relation:
            yield relation

    def _read(
        self,
        truth: str | None,
        groups: Sequence[Sequence[str]],
        treatment: TreatmentFlags,
        weight: str | None = None,
        in_memory: bool = False,
        look_ahead: bool = False,
        grouping: Sequence[str] = (),
    ) -> list[LabelTable]:
        judged = [name for group in groups for name in group]
        if truth in judged:
            raise InputError(f"{truth!r} is the truth: name other columns to be judged")
        _check_apart(grouping, [*judged, *([] if truth is None else [truth])])
        of_truth = [] if truth is None else [truth]
        wanted = list(dict.fromkeys([*of_truth, *judged, *grouping]))
        located = {name: self._locate(name) for name in wanted}
        if weight is not None:
            weight = self.column(weight)
        if in_memory or not self.streams(wanted, treatment.options):
            weights = None if weight is None else self.table.points([weight])[:, 0]
            columns = self._columns(located)
            beside = tuple(columns[name].name for name in grouping)
            coded, are_text = _coded(columns.values(), beside)
            own = [[columns[name].name for name in (*of_truth, *group, *grouping)] for group in groups]
            return [
                LabelTable(
                    names[0] if of_truth else None,
                    {name: coded[name] for name in names},
                    are_text,
                    weights=weights,
                    grouping=beside,
                )
                for names in own
            ]
        own = [[located[name][1] for name in (*of_truth, *group, *grouping)] for group in groups]
        beside = tuple(located[name][1] for name in grouping)
        counted = count_columns(self.table, own, look_ahead=look_ahead, weight=weight)
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
            table = LabelTable(its_truth, labels, are_text, one, one.weights, beside)
            tables.append(table.checked(self.path, treatment.of_columns(its_truth, table.judged)))
        return tables

    def _columns(self, located: dict[str, tuple[TableFile, str]]) -> dict[str, LabelColumn]:
        """Read columns of the file, and lists of labels beside it."""
        here = [name for name, (table, _) in located.items() if table is self.table]
        read = self.table.label_columns([located[name][1] for name in here]) if here else []
        columns = dict(zip(here, read, strict=True))
        for name, (table, column) in located.items():
            if name not in columns:
                columns[name] = table.label_columns([column])[0]
        ordered = {name: columns[name] for name in located}
        _name_apart(ordered)
        return ordered

    def feature_names(self, given: Sequence[str] | None, leave_out: Iterable[str]) -> list[str]:
        """Find the given columns, or all numeric ones except labels."""
        labels = {self._locate(name)[1] for name in leave_out}
        names = self.matching(given, labels) or self.coordinates(labels)
        if not names:
            raise self._without_points(labels)
        return names

    def _without_points(self, labels: Container[str]) -> InputError:
        """Say what keeps the first other column from being a coordinate."""
        known = self.table.columns
        others = [name for name in known if name not in labels and known.count(name) == 1]
        try:
            self.table.points(others[:1] or known[:1])
        except InputError as error:
            return InputError("there are no points: ", *error.parts)
        return InputError(f"{str(self.path)!r} has no numeric columns except labels: there are no points")

    def coordinates(self, leave_out: Container[str]) -> list[str]:
        """List the numeric columns that may be coordinates; say which are left out as row numbers."""
        names = [name for name in self.table.numeric_columns() if name not in leave_out]
        numbers = [
            name for name in names if name.strip().lower() in _NAMES_OF_ROW_NUMBERS and self._counts(name)
        ]
        if numbers:
            said = listed([repr(name) if name.strip() else "the column without a name" for name in numbers])
            tell(
                f"{said} only numbers the rows, so it is not used as a coordinate (--columns can include it)"
                if len(numbers) == 1
                else f"{said} only number the rows, so they are not used as coordinates (--columns can include them)"
            )
        names = [name for name in names if name not in numbers]
        constant = self._constant(names)
        if constant:
            said = listed([*map(repr, constant)])
            tell(
                f"{said} has one value only, so it is not used as a coordinate (--columns can include it)"
                if len(constant) == 1
                else f"{said} have one value only, so they are not used as coordinates (--columns can include them)"
            )
        names = [name for name in names if name not in constant]
        copies = self._copies(names, leave_out)
        for name, label in copies.items():
            tell(
                f"{name!r} equals the labels {label!r}, so it is not used as a coordinate (--columns can include it)"
            )
        return [name for name in names if name not in copies]

    def _copies(self, names: list[str], labels: Container[str]) -> dict[str, str]:
        """Find columns that equal labels, in files that are quickly read; if all do, they stay."""
        path = self.table.path
        numeric = [name for name in self.table.numeric_columns() if name in labels]
        if not names or not numeric or not path.is_file() or path.stat().st_size > _QUICKLY_READ:
            return {}
        try:
            values, of_labels = self.table.points(names), self.table.points(numeric)
        except InputError:  # gaps, which are said when the columns are read
            return {}
        copies: dict[str, str] = {}
        for label, codes in zip(numeric, of_labels.T, strict=True):
            same = (values == codes[:, None]).all(axis=0).tolist()
            copies |= {name: label for name, equal in zip(names, same, strict=True) if equal}
        return copies if len(copies) < len(names) else {}

    def _constant(self, names: list[str]) -> dict[str, None]:
        """Find columns that tell no point from another, in files that are quickly read; if all are, they stay."""
        path = self.table.path
        if not names or not path.is_file() or path.stat().st_size > _QUICKLY_READ:
            return {}
        try:
            values = self.table.points(names)
        except InputError:  # gaps, which are said when the columns are read
            return {}
        one_value = (values == values[:1]).all(axis=0)
        if len(values) == 1 or one_value.all():
            return {}
        return dict.fromkeys(name for name, same in zip(names, one_value.tolist(), strict=True) if same)

    def _counts(self, name: str) -> bool:
        """Whether a column with such a name numbers the rows from 0 or 1."""
        if not name.strip():
            return True
        try:
            values = self.table.points([name])[:, 0]
        except InputError:  # a column with gaps does not number the rows
            return False
        return values.size > 1 and values[0] in (0.0, 1.0) and bool((np.diff(values) == 1).all())

    def points(self, given: Sequence[str] | None, leave_out: Iterable[str]) -> Points:
        """Read points from the given columns, or from all numeric ones except labels."""
        names = self.feature_names(given, leave_out)
        return Points.checked(self.table.points(names), names)

    def _locate(self, name: str) -> tuple[TableFile, str]:
        """Find a column of the file, or a list of labels in another file."""
        if name.strip() in {column.strip() for column in self.table.columns} or not Path(name).is_file():
            return self.table, find_column(self.table, name)
        beside = open_table(name)
        if not beside.is_list:
            raise InputError(
                f"{name!r} is a separate table: name columns of {str(self.path)!r}, or files with one label per line"
            )
        return beside, beside.columns[0]


def _check_apart(grouping: Iterable[str], labelled: Sequence[str]) -> None:
    for name in grouping:
        if name in labelled:
            raise InputError(f"--by {name!r} is a column of labels: name another one")


def _coded(columns: Iterable[LabelColumn], grouping: Sequence[str]) -> tuple[dict[str, Labels], bool]:
    """Code columns of labels, all as numbers or all as text, and those of groups as they are."""
    columns = list(columns)
    labels, are_text = common_labels(column for column in columns if column.name not in grouping)
    for column in columns:
        if column.name in grouping:
            labels |= common_labels([column])[0]
    return {name: code_labels(values, f"column {name!r}") for name, values in labels.items()}, are_text


def standardized(points: Points) -> Points:
    """Centre and scale; a constant column becomes 0."""
    spread = points.values.std(axis=0)
    spread[spread == 0] = 1.0
    return Points((points.values - points.values.mean(axis=0)) / spread, points.columns)


class _Known:
    """Names that are not split at commas: columns and files."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = set(columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns or (isinstance(name, str) and "," in name and Path(name).is_file())


def _occurs(label: Any, column: Labels) -> bool:
    mask = column.where(label)
    return mask is not None and bool(mask.any())


def _name_apart(columns: dict[str, LabelColumn]) -> None:
    """Distinguish lists with the same file name in different folders by the given paths."""
    names = [column.name for column in columns.values()]
    for given, column in columns.items():
        if names.count(column.name) > 1:
            column.name = given
