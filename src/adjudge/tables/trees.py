"""Columns whose labels are classes in a tree: paths such as a/b/c, or a column for each level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.errors import InputError, InputTypeError, Option, Row, a_type
from adjudge.given.labels import Column
from adjudge.given.taxonomy import Taxonomy
from adjudge.tables.names import column_names
from adjudge.tables.sets import TableInMemory, TableOfSets

__all__ = ["TreeColumns"]

# What joins classes of levels, also in the names of columns: a/b/c.
_SIGN = "/"


@dataclass(frozen=True)
class TreeColumns:
    """How labels are written that are classes in a tree.

    Attributes
    ----------
    separator : str or None
        The sign in paths; None if the truth has a column for each level.
    levels : tuple of str
        These columns, the highest level first.
    """

    separator: str | None = None
    levels: tuple[Any, ...] = ()

    @classmethod
    def of(cls, separator: Any, levels: Any, truth: Any) -> TreeColumns | None:
        """Check the options; None if none is given."""
        if separator is None and levels is None:
            return None
        if separator is not None and levels is not None:
            raise InputError(
                Option("path_separator"), " does not work with ", Option("levels"), ": leave it out"
            )
        if levels is None:
            if not isinstance(separator, str):
                said = f" is {a_type(separator)}: give the text between the names in a path"
                raise InputTypeError(Option("path_separator"), said)
            if not separator:
                raise InputError(
                    Option("path_separator"), " is empty: give the text between the names in a path"
                )
            return cls(separator)
        if truth is not None:
            raise InputError(Option("levels"), " names the columns of the truth: leave out ", Option("truth"))
        found = column_names("levels", levels)
        if len(found) < 2:
            raise InputError(Option("levels"), " needs at least two columns, the highest level first")
        return cls(None, tuple(found))

    @property
    def option(self) -> str:
        """The option that says that labels are classes in a tree."""
        return "path_separator" if self.separator is not None else "levels"

    @property
    def truth(self) -> str:
        """What the truth is called that has a column for each level."""
        return _SIGN.join(map(str, self.levels))

    def columns(self, table: TableOfSets, name: Any) -> list[Any]:
        """Return the column of labels, or one for each level if a name joins them."""
        if self.separator is not None or name in table.names:
            return [table.own(name)]
        names = self.levels if name == self.truth else str(name).split(_SIGN)
        return [table.own(own) for own in names]

    def read(self, table: TableInMemory, names: Sequence[Any], *, check_levels: bool) -> dict[Any, Column]:
        """Read columns of paths; join those by level.

        Parameters
        ----------
        table : FileTable or Frame
        names : sequence of str
            The truth first.
        check_levels : bool
            Whether columns with gaps may be levels of one prediction by mistake, which is an error.
        """
        found = {name: self._column(table, name) for name in names}
        if check_levels and self.separator is None:
            _check_not_levels(*found.values(), names=[str(name) for name in names[1:]])
        return found

    def taxonomy(self, columns: Sequence[Column]) -> Taxonomy:
        """Return the tree of all classes that occur."""
        labels = [own.values.dense()[1] for own in columns]
        # Beside columns by level, a column may have last names, which are in the tree already.
        paths = [path for own in labels for path in own if self.separator is not None or _SIGN in path]
        return self.taxonomy_of(paths or labels[0])

    def taxonomy_of(self, paths: Sequence[str]) -> Taxonomy:
        """Return the tree of these paths."""
        return Taxonomy.from_paths(paths, _SIGN if self.separator is None else self.separator)

    def _column(self, table: TableInMemory, name: Any) -> Column:
        names = self.columns(table, name)
        cells = [_texts(table, own) for own in names]
        if len(cells) == 1:
            return Column.of(cells[0], f"column {names[0]!r}")
        rows = zip(*cells, strict=True)
        return Column.of([_joined(i, own, names) for i, own in enumerate(rows)], f"the columns {name}")


def _texts(table: TableInMemory, name: Any) -> list[str | None]:
    if table.holds_lists(name):
        raise InputError(
            f"column {name!r} has lists: several paths in a row need ", Option("kind", "multilabel")
        )
    return [None if own == "" else str(own) for own in table.cells(name)]


def _joined(row: int, cells: tuple[str | None, ...], names: Sequence[Any]) -> str | None:
    """Join the classes of a row; None if there are none."""
    filled = [cell for cell in cells if cell is not None]
    # If no level is missing, the filled ones come first.
    for cell, name in zip(cells[: len(filled)], names, strict=False):
        if cell is None:
            raise InputError(
                f"column {name!r} is empty ", Row(row), ", where a lower level is not: fill it in"
            )
        if _SIGN in cell:
            raise InputError(
                f"column {name!r} has {cell!r} ", Row(row), f": names of classes must have no {_SIGN!r}"
            )
    return _SIGN.join(filled) or None


def _check_not_levels(truth: Column, *judged: Column, names: Sequence[str]) -> None:
    """Raise if predictions have gaps, and are of one level each from the top: together they may be one prediction."""
    lacking = next((own for own in judged if own.values.missing is not None), None)
    if lacking is None or len(judged) == 1:
        return
    paths = [str(path).split(_SIGN) for path in truth.values.occurring()]
    levels = ({path[depth] for path in paths if len(path) > depth} for depth in range(len(judged)))
    predicted = (own.values.occurring() for own in judged)
    if all(level.issuperset(own) for level, own in zip(levels, predicted, strict=True)):
        raise InputError(
            f"{lacking.name} lacks a class in some rows, and each column has classes of one level: did you mean ",
            Option("pred", _SIGN.join(names)),
            "? If not, pass ",
            Option("missing", "drop"),
        )
