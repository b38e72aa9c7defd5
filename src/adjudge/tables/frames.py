"""Data frames as tables: eager ones, whose rows are in memory, and lazy ones, whose engine counts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.alike_units import count_units
from adjudge.engines.frames.counting import (
    FrameTable,
    LabelCells,
    count_cells,
    number_of_rows,
    too_many_in_units,
)
from adjudge.errors import InputError, InputTypeError, TooManyCombinationsError, a_type
from adjudge.files.columnar import typed_column
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.files.text import DelimitedTable
from adjudge.given.data_frames import from_dask, is_pattern, numbers_in, read_data_frame
from adjudge.given.gower import gower_points
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_values import is_missing
from adjudge.given.labels import Labels, code_labels
from adjudge.given.points import DataMatrix, as_points
from adjudge.given.written import Gaps
from adjudge.tables.files import FileTable
from adjudge.tables.labels import coded_alike
from adjudge.tables.sets import as_sets
from adjudge.tables.streaming import of_parquet, opened_relations, opened_text

__all__ = ["Engine", "Frame", "engine_of_file", "engines_of_parquet"]

Ints = NDArray[np.int64]

#: Up to this many rows, the labels of each unit come back; of more, units that are alike are one.
MOST_APART = 1_000_000


class _Framed:
    """What eager and lazy frames have in common."""

    frame: FrameTable
    own_list = None
    from_file = False

    @property
    def names(self) -> list[Any]:
        """Its columns."""
        return self.frame.names

    def own(self, name: Any) -> Any:
        """Find a column."""
        self.frame.own([name])
        return name

    def matching(self, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]:
        """Find columns by name or pattern; patterns do not match columns in `leave_out`."""
        found: list[Any] = []
        for name in names:
            if not is_pattern(name, self.names):
                found.append(self.own(name))
                continue
            own = [one for one in self.names if fnmatchcase(str(one), name) and one not in leave_out]
            if not own:
                raise InputError(
                    f"{name!r} matches no column of the table: it has {', '.join(map(repr, self.names))}"
                )
            found += own
        return list(dict.fromkeys(found))

    #: Labels and coordinates are found alike.
    coordinates = matching

    def holds_lists(self, name: Any) -> bool:
        """Whether the cells of a column are lists of labels."""
        return self.frame.holds_lists(name)

    def numeric(self) -> list[Any]:
        """Return the columns of numbers."""
        schema = self.frame.frame.collect_schema()
        return [name for name in self.names if schema[self.frame.own_names[name]].is_numeric()]


class Frame(_Framed):
    """A data frame; the rows of a lazy one are loaded into memory."""

    def __init__(self, frame: FrameTable, called: str) -> None:
        self.frame, self.called = frame, called

    @classmethod
    def read(cls, native: Any, called: str) -> Frame:
        """Load the rows of a data frame into memory."""
        # Polars warns if the columns of a lazy frame are accessed, so only the type is checked.
        known = ("columns", "column_names", "collect_schema")
        if from_dask(native) is None and not any(hasattr(type(native), name) for name in known):
            raise InputTypeError(f"{called} is {a_type(native)}, where a data frame or a path is needed")
        return cls(FrameTable.of(read_data_frame(native, called)), called)

    def want(self, names: Iterable[Any]) -> None:
        """Rows are in memory, whatever is read of them."""

    def labels(self, names: Sequence[str]) -> tuple[dict[str, Any], bool | None]:
        """Read label columns, each of its own type."""
        return {name: self.series(name).to_native() for name in names}, None

    def cells(self, name: Any) -> list[Any]:
        """Return the cells of a column that may hold several labels each; an empty one has none."""
        cells = self.series(name).to_list()
        if self.holds_lists(name):
            return list(as_sets(cells))
        return ["" if is_missing(own) else own for own in cells]

    def numbers(self, name: str, *, gaps: Gaps = False) -> Any:
        """Read a column of numbers; with `gaps`, some may be missing."""
        return self.series(name)

    def series(self, name: Any) -> Any:
        """Return a column."""
        return self.frame.series(name)

    def points(self, names: Sequence[str], *, gaps: bool = False) -> DataMatrix:
        """Read columns of coordinates; with `gaps`, rows may have some."""
        return as_points(self.shown(names), gaps=gaps)

    def mixed_points(
        self, names: Sequence[str], labels: Mapping[str, Any] | None = None, *, gaps: bool = False
    ) -> DataMatrix:
        """Read columns of any kind, for Gower's distance; with `gaps`, rows may be empty."""
        return gower_points(self.shown(names), labels, gaps=gaps)

    def matrix(self, names: Sequence[Any], *, gaps: Gaps = False) -> NDArray[Any]:
        """Read columns of numbers, whatever they are; with `gaps`, some may be missing."""
        found = {name: numbers_in(self.series(name)) for name in names}
        if word := next((name for name, own in found.items() if own is None), None):
            raise InputError(f"column {word!r} of {self.called} has no numbers")
        return np.column_stack([np.asarray(own) for own in found.values()])

    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.series(self.names[0]))

    def shown(self, names: Sequence[str]) -> Any:
        """Return a data frame with columns to show beside labels."""
        return self.frame.given_back(self.frame.frame.select(*self.frame.own(names)))

    def rows(self, positions: Ints) -> dict[str, Any]:
        """Return some rows with all columns; names of rows, as in an index of pandas, come first."""
        import narwhals as nw

        found = {name: self.frame.series(name)[positions.tolist()].to_list() for name in self.names}
        index = nw.maybe_get_index(self.frame.frame)
        name = "index" if index is None or index.name is None else index.name
        if index is None or isinstance(name, tuple) or name in found or _only_counts(index):
            return found
        return {name: index[positions.tolist()].tolist(), **found}

    def some(self, name: Any, n: int) -> Any:
        """Return a column."""
        return self.labels([name])[0][name]

    def is_streamed(self, names: Iterable[Any], hindrance: Sequence[Any] | None = None) -> bool:
        """Rows are in memory."""
        return False


def _only_counts(index: Any) -> bool:
    """Whether an index of pandas numbers the rows, as it does where nobody names them."""
    return bool(getattr(index, "step", 0) == 1 and index[:1].tolist() in ([], [0]))


class Engine(_Framed):
    """A lazy frame: its engine returns counts and sums.

    Parameters
    ----------
    frame : FrameTable
    twice : mapping, optional
        The names of the columns that both of two joined tables had, by the name that they had there.
    files : mapping, optional
        The Parquet file of each column, and the column's name there, if the rows are those of files.
    database : object, optional
        What has to be kept as long as rows are read.
    whole : FrameTable, optional
        The same rows with all columns, to be shown; default: `frame`.
    """

    def __init__(
        self,
        frame: FrameTable,
        twice: Mapping[Any, tuple[Any, Any]] | None = None,
        files: Mapping[Any, tuple[TableFile, str]] | None = None,
        database: Any = None,
        whole: FrameTable | None = None,
    ) -> None:
        self.frame, self.twice, self.files, self.database = frame, dict(twice or {}), files, database
        self.called, self.from_file = "the table", files is not None
        self.whole = frame if whole is None else whole

    def with_rows(self, frame: FrameTable, whole: FrameTable | None = None) -> Engine:
        """Return the same table with other rows: with the columns that are counted, and with all."""
        return Engine(frame, self.twice, self.files, self.database, whole)

    def is_streamed(self, names: Iterable[Any], hindrance: Sequence[Any] | None = None) -> bool:
        """Rows stay in the engine."""
        return True

    def some(self, name: Any, n: int) -> Any:
        """Return the first rows of a column."""
        (own,) = self.frame.own([name])
        return self.frame.frame.lazy().select(own).head(n).collect()[own].to_native()

    def codes(self, name: Any) -> Labels:
        """Return the label of a first row that has one, which tells the type of all."""
        import narwhals as nw

        (own,) = self.frame.own([name])
        known = self.frame.frame.lazy().select(own).filter(~nw.col(own).is_null())
        return code_labels(known.head(1).collect()[own].to_native(), "labels_true")

    @contextmanager
    def frame_of(self, names: Iterable[Any]) -> Iterator[FrameTable]:
        """Return the table for a pass of its engine."""
        yield self.frame

    def count(
        self,
        labels: Sequence[Sequence[Any]],
        beside: Sequence[Any] = (),
        *,
        treatment: LabelOptions,
        weight: Any = None,
        units: Any = None,
        look_ahead: bool = False,
    ) -> list[LabelCells]:
        """Count the rows of each combination of some labels and of other columns, such as groups, in each unit."""
        missing = treatment.missing_of("labels_true")
        parts = [self._counted([*own, *beside], weight, units, missing) for own in labels]
        if not self.from_file:
            return parts
        columns = [[self._column(*own) for own in part.labels.items()] for part in parts]
        coded = coded_alike(columns, {name for own in labels for name in own})
        return [replace(part, labels=dict(own)) for part, own in zip(parts, coded, strict=True)]

    def _counted(self, columns: Sequence[Any], weight: Any, units: Any, missing: str) -> LabelCells:
        found = None
        if units is not None and weight is None:
            named = list(dict.fromkeys([*columns, units]))
            read = self.frame.with_rows(self.frame.frame.select(*self.frame.own(named)))
            if number_of_rows(read) > MOST_APART:
                found = count_units(read, columns, units, missing=missing)
        if found is not None or units is None:
            return found or count_cells(self.frame, columns, missing=missing, weight=weight)
        try:
            return count_cells(self.frame, [*columns, units], missing=missing, weight=weight)
        except TooManyCombinationsError as error:
            raise too_many_in_units(units) from error

    def _column(self, name: Any, values: Any) -> LabelColumn:
        """Return counted labels as those of the file that they are from."""
        assert self.files is not None
        if name not in self.files:  # the likeliest classes, and what text means
            return typed_column(name, values, None)
        found = of_parquet(*self.files[name], values, name)
        found.check_whole()
        return found


def engine_of_file(table: FileTable, labels: Sequence[Any], numbers: Sequence[Any]) -> Engine:
    """Open a Parquet file, or a file of text, in DuckDB, of which columns of labels and of numbers are read."""
    if not isinstance(table.table, DelimitedTable):
        return engines_of_parquet([table], [*labels, *numbers])[0]
    import narwhals as nw

    relation, database = opened_text(table.table, list(dict.fromkeys(labels)), numbers)
    own_names = {name: f"c{i}" for i, name in enumerate(table.names)}
    found = Engine(FrameTable(nw.from_native(relation), own_names), files={}, database=database)
    found.called = table.called
    return found


def engines_of_parquet(tables: Sequence[FileTable], names: Sequence[Any]) -> list[Engine]:
    """Open Parquet files in one DuckDB database, of which the columns with these names are read."""
    engines = []
    relations, database = opened_relations([own.table for own in tables], names)
    for own, relation in zip(tables, relations, strict=True):
        columns = {name: (own.table, name) for name in own.names}
        engines.append(Engine(FrameTable.of(relation), files=columns, database=database))
        engines[-1].called = own.called
    return engines
