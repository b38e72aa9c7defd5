"""Two tables whose rows a key matches, read as one: in memory, or by the engine that holds both."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable, loaded, number_of_rows
from adjudge.errors import InputError, in_words
from adjudge.files.columnar import has_types
from adjudge.given.label_values import is_missing
from adjudge.given.matched_rows import check_keys, match_rows, no_common_key, no_partner
from adjudge.given.written import Gaps
from adjudge.presentation.numbers import count
from adjudge.results.notice import Notice
from adjudge.tables.files import FileTable, picked
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.sets import as_sets
from adjudge.tables.streaming import listed

__all__ = ["Joined", "JoinedColumns", "joined_by_engine", "merged"]

Ints = NDArray[np.int64]

#: What the columns of the two tables are called where they differ.
WHICH = ("old", "new")


@dataclass(frozen=True)
class JoinedColumns:
    """The columns of two tables as those of one.

    Attributes
    ----------
    places : dict
        By the name of a column, the table that has it, 0 or 1, and its name there.
    twice : dict
        The names of both columns, by the name that they have in the two tables.
    """

    places: Mapping[Any, tuple[int, Any]]
    twice: Mapping[Any, tuple[Any, Any]]

    @classmethod
    def of(cls, names: Sequence[Sequence[Any]], key: Any, apart: Collection[Any]) -> JoinedColumns:
        """Name the columns of both tables.

        Parameters
        ----------
        names : two sequences of str
        key : str
        apart : collection of str
            Columns of which each table has its own values: they are called NAME_old and NAME_new.
        """
        taken = {*names[0], *names[1]}
        twice = {}
        for name in names[0]:
            if name in names[1] and name != key:
                first = _free(name, 0, taken) if name in apart else name
                twice[name] = (first, _free(name, 1, taken))
        places: dict[Any, tuple[int, Any]] = {}
        for i, own in enumerate(names):
            for name in own:
                if name != key or i == 0:
                    places[twice[name][i] if name in twice else name] = (i, name)
        return cls(places, twice)

    def called(self, table: int, name: Any) -> Any:
        """Return the name of a column of one table."""
        return self.twice[name][table] if name in self.twice else name

    def twin(self, name: Any) -> Any | None:
        """Return the name of the new table's column that must hold the same as this one; None without one."""
        first, second = self.twice.get(name, (None, None))
        return second if first == name else None


def _free(name: Any, table: int, taken: set[Any]) -> str:
    """Return a name for a column of one table that no column has."""
    found = f"{name}_{WHICH[table]}"
    while found in taken:
        found += "_"
    taken.add(found)
    return found


def merged(columns: Mapping[Any, Sequence[Any]], twice: Mapping[Any, tuple[Any, Any]]) -> dict[Any, Any]:
    """Show a column of both tables once if it is the same in these rows, else as NAME_old and NAME_new."""
    shown, left_out = {}, set()
    for name, (first, second) in twice.items():
        if columns[first] == columns[second]:
            shown[first] = name
            left_out.add(second)
        else:
            shown[first], shown[second] = (f"{name}_{which}" for which in WHICH)
    return {shown.get(name, name): own for name, own in columns.items() if name not in left_out}


class Joined:
    """Two tables, whose rows a key matches, in the order of the first.

    A column that both have must hold the same in both when it is read, unless they have it apart.

    Parameters
    ----------
    tables : two of FileTable or Frame
    key : str
    columns : JoinedColumns
    drop : bool
        Whether rows without a partner are left out; otherwise they are an error.
    """

    own_list = None

    def __init__(
        self, tables: Sequence[FileTable | Frame], key: Any, columns: JoinedColumns, *, drop: bool
    ) -> None:
        self._tables, self._key, self._columns = tables, key, columns
        self.called = f"{tables[0].called} and {tables[1].called}"
        keys = _keys(tables, key)
        found = match_rows(key, keys[0][key], keys[1][key], (tables[0].called, tables[1].called), drop=drop)
        self._rows = found.first, found.second
        self.left_out = _left_out(found.only_first + found.only_second)

    @property
    def names(self) -> list[Any]:
        """The columns of both tables."""
        return list(self._columns.places)

    def own(self, name: Any) -> Any:
        """Find a column."""
        if name not in self._columns.places:
            self._tables[0].own(name)
            raise InputError(f"column {name!r} says what each model said: name another one")
        return name

    def matching(self, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]:
        """Find columns by name."""
        return [self.own(name) for name in names]

    def holds_lists(self, name: Any) -> bool:
        """Whether the cells of a column are lists of labels."""
        i, own = self._columns.places[name]
        return self._tables[i].holds_lists(own)

    def labels(self, names: Sequence[Any]) -> tuple[dict[str, Any], bool | None]:
        """Read label columns, all of one type."""
        twins = {name: self._columns.twin(name) for name in names}
        places = {
            name: self._columns.places[name] for one in twins.items() for name in one if name is not None
        }
        wanted = [[own for i, own in places.values() if i == table] for table in (0, 1)]
        found, are_text = _of_one_type(self._tables, wanted)
        read = {name: picked(found[i][own], self._rows[i]) for name, (i, own) in places.items()}
        for name, twin in twins.items():
            if twin is not None:
                self._check_same(name, read[name], read[twin])
        return {name: read[name] for name in names}, are_text

    def numbers(self, name: Any, *, gaps: Gaps = False) -> Any:
        """Read a column of numbers; with `gaps`, some may be missing."""
        i, own = self._columns.places[name]
        found = self._tables[i].numbers(own, gaps=gaps)[self._rows[i].tolist()]
        if (twin := self._columns.twin(name)) is not None:
            self._check_same(name, found.to_numpy(), self.numbers(twin, gaps=gaps).to_numpy())
        return found

    def matrix(self, names: Sequence[Any], *, gaps: Gaps = False) -> NDArray[Any]:
        """Read columns of numbers, whatever they are; with `gaps`, some may be missing."""
        places = [self._columns.places[name] for name in names]
        return np.hstack([self._tables[i].matrix([own], gaps=gaps)[self._rows[i]] for i, own in places])

    def cells(self, name: Any) -> list[Any]:
        """Return the cells of a column, each a list of labels, text, or None."""
        i, own = self._columns.places[name]
        every = self._tables[i].cells(own)
        cells = [every[row] for row in self._rows[i].tolist()]
        if (twin := self._columns.twin(name)) is not None:
            self._check_same(name, as_sets(cells), as_sets(self.cells(twin)))
        return cells

    def numeric(self) -> list[Any]:
        """Return the columns of numbers."""
        known = [{*own.numeric()} for own in self._tables]
        return [name for name, (i, own) in self._columns.places.items() if own in known[i]]

    def some(self, name: Any, n: int) -> Any:
        """Return a column."""
        i, own = self._columns.places[name]
        return self._tables[i].labels([own])[0][own]

    def rows(self, positions: Ints) -> dict[Any, Any]:
        """Return some rows with all columns of both tables."""
        every = [own.rows(rows[positions]) for own, rows in zip(self._tables, self._rows, strict=True)]
        columns = {name: every[i][own] for name, (i, own) in self._columns.places.items()}
        return merged(columns, self._columns.twice)

    def is_streamed(self, names: Iterable[Any], hindrance: Sequence[Any] | None = None) -> bool:
        """Rows are in memory."""
        return False

    def _check_same(self, name: Any, first: Any, second: Any) -> None:
        """Raise if the rows of the two tables differ in a column."""
        one, other = (np.array(listed(own), object) for own in (first, second))
        absent = [np.array([is_missing(value) for value in own.tolist()], bool) for own in (one, other)]
        differs = absent[0] != absent[1]
        there = np.flatnonzero(~absent[0] & ~absent[1])
        differs[there] = one[there] != other[there]
        if differs.any():
            i = int(np.argmax(differs))
            raise _differs(name, self._key, int(differs.sum()), one[i], other[i])


def _of_one_type(
    tables: Sequence[FileTable | Frame], names: Sequence[Sequence[Any]]
) -> tuple[list[dict[str, Any]], bool | None]:
    """Read label columns of two tables; columns of files all get the same type."""
    found = [table.labels(own) for table, own in zip(tables, names, strict=True)]
    known = {are_text for _, are_text in found if are_text is not None}
    if len(known) > 1:
        found = [(_as_text(table, own), True) for table, own in zip(tables, names, strict=True)]
    return [labels for labels, _ in found], max(known, default=None)


def _keys(tables: Sequence[FileTable | Frame], key: Any) -> list[dict[str, Any]]:
    """Read the key of two tables; only in files of text may numbers be those that the other file has as text."""
    if all(isinstance(own, FileTable) and has_types(own.table) for own in tables):
        return [own.labels([key])[0] for own in tables]
    return _of_one_type(tables, [[key], [key]])[0]


def _as_text(table: FileTable | Frame, names: Sequence[Any]) -> dict[str, Any]:
    assert isinstance(table, FileTable)
    return {column.name: column.as_text() for column in table.table.label_columns(names)}


def joined_by_engine(
    tables: Sequence[Engine], key: Any, columns: JoinedColumns, same: Iterable[Any], *, drop: bool
) -> tuple[Engine, tuple[Notice, ...]]:
    """Let the engine of two lazy tables join them; also say how many rows have no partner.

    Parameters
    ----------
    tables : two of Engine
    key : str
    columns : JoinedColumns
    same : iterable of str
        Columns that have to hold the same in both tables, if both have them.
    drop : bool
        Whether rows without a partner are left out; otherwise they are an error.
    """
    import narwhals as nw

    called = tables[0].called, tables[1].called
    keys = [own.frame.frame.select(key=own.frame.own([key])[0]) for own in tables]
    n_rows = check_keys(key, keys, called)
    own_names = {name: "key" if name == key else f"c{i}" for i, name in enumerate(columns.places)}
    sides = []
    for i, table in enumerate(tables):
        named = {own_names[name]: own for name, (at, own) in columns.places.items() if at == i}
        named["key"] = key
        sides.append(table.frame.frame.select(**{to: table.frame.own([own])[0] for to, own in named.items()}))
    joined = FrameTable(sides[0].join(sides[1], on="key", how="inner"), own_names)
    matched = number_of_rows(joined)
    only = [n - matched for n in n_rows]
    if any(only) and not drop:
        has, lacks = (0, 1) if only[0] else (1, 0)
        example = loaded(keys[has].join(keys[lacks], on="key", how="anti").head(1))["key"].to_list()[0]
        raise no_partner(only[has], called[has], called[lacks], example)
    if not matched:
        raise no_common_key(key, called)
    for name in same:
        if (twin := columns.twin(name)) is not None:
            one, other = own_names[name], own_names[twin]
            absent = nw.col(one).is_null() != nw.col(other).is_null()
            differing = joined.frame.filter((nw.col(one) != nw.col(other)) | absent).select(one, other)
            if n := number_of_rows(joined.with_rows(differing)):
                row = loaded(differing.head(1))
                raise _differs(name, key, n, row[one].to_list()[0], row[other].to_list()[0])
    files = None
    of_first, of_second = (own.files for own in tables)
    if of_first is not None and of_second is not None:
        files = {name: (of_first, of_second)[i][own] for name, (i, own) in columns.places.items()}
    return Engine(joined, columns.twice, files, tables[0].database), _left_out(sum(only))


def _differs(name: Any, key: Any, n: int, one: Any, other: Any) -> InputError:
    return InputError(
        f"column {name!r} differs between the tables in {count(n, 'row')}, such as {in_words(one)} and "
        f"{in_words(other)}: {key!r} must name the same instances"
    )


def _left_out(n: int) -> tuple[Notice, ...]:
    """Report how many rows have no partner in the other table, if any."""
    text = f"{count(n, 'row')} without a partner in the other table {'is' if n == 1 else 'are'} left out"
    return (Notice("rows-without-a-partner", text),) if n else ()
