"""Columns that hold several labels a row: lists, text that a sign separates, or a column for each label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.data_frames import is_pattern
from adjudge.given.forecast_columns import with_patterns
from adjudge.given.label_sets import LabelSets, read_label_sets
from adjudge.given.written import NOT_AVAILABLE, Gaps
from adjudge.presentation.numbers import count, listed
from adjudge.results.label_notices import notice_of_words
from adjudge.results.notice import Notice
from adjudge.tables.names import called

__all__ = [
    "OF_SETS",
    "as_sets",
    "check_delimiter",
    "columns_of_labels",
    "each_column",
    "holds_several",
    "matching_sets",
    "models_of_sets",
    "named_by",
    "read_sets",
]

#: Kinds of labels of which an instance may have several.
OF_SETS = ("multilabel", "overlapping")
# What separates the labels in a cell, and the signs that often do.
_SIGN, _SIGNS = ";", (";", "|", ",")
# A list that was written as text: by Python, by NumPy or in JSON.
_LIST_IN_TEXT = re.compile(r"\[.*\]|\{.*\}", re.DOTALL)
# How columns of 0 and 1 may be written besides.
_FLAGS = {"true": 1.0, "false": 0.0, True: 1.0, False: 0.0}
# Words for having a label or not, which are not read as such.
_ANSWERS = {"yes", "no", "y", "n", "t", "f", "x", "on", "off", "present", "absent"}
_NO_WORD = ("leave it out of the cells",)


class TableOfSets(Protocol):
    """A table with columns in which cells may hold several labels."""

    @property
    def names(self) -> list[Any]: ...

    def matching(self, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]: ...

    def numeric(self) -> list[Any]: ...

    def own(self, name: Any) -> Any: ...

    def holds_lists(self, name: Any) -> bool: ...


class TableInMemory(TableOfSets, Protocol):
    """Such a table whose columns can be read."""

    def matrix(self, names: Sequence[Any], *, gaps: Gaps = False) -> NDArray[Any]: ...

    def cells(self, name: Any) -> list[Any]: ...


def holds_several(table: TableOfSets, truth: Any) -> bool:
    """Whether the cells of the column with the truth are lists, so that rows have several labels."""
    return truth is not None and any(map(table.holds_lists, table.matching([truth])[:1]))


def check_delimiter(delimiter: Any, of_sets: bool) -> None:
    """Raise unless it is a sign, and cells hold several labels."""
    if delimiter is None:
        return
    if not of_sets:
        several = Option("kind", "multilabel")
        raise InputError(
            Option("delimiter"), " separates the labels in a cell: pass ", several, ", or leave it out"
        )
    if not isinstance(delimiter, str):
        raise InputTypeError(Option("delimiter"), f" is {a_type(delimiter)}: give the sign between labels")
    if not delimiter:
        raise InputError(
            Option("delimiter"), " is empty: give the sign between the labels of a cell, such as ';'"
        )


def columns_of_labels(table: TableOfSets, name: Any) -> dict[str, Any] | None:
    """Return the column of each label that a pattern such as ``true_*`` stands for; its columns hold 0 and 1.

    None for the name of a column, and for a pattern that stands for several columns of lists or text.
    """
    if isinstance(name, _LabelPattern):
        return name.columns
    if not is_pattern(name, table.names):
        return None
    found = [own for own in table.names if fnmatchcase(str(own), name)]
    if not found:
        return None
    if {*found}.isdisjoint(table.numeric()) and not (words := _words(table, found[0])) <= _FLAGS.keys():
        if words and words <= _ANSWERS:
            shown = listed([*map(repr, sorted(words))])
            raise InputError(
                f"the columns of {name!r} hold {shown}: 0 and 1, or true and false, are needed for labels"
            )
        return None
    if name.count("*") != 1:
        raise InputError(f"{name!r} stands for columns of 0 and 1: one star must stand for the label")
    columns: dict[str, Any] = with_patterns(name, "pred", table.names)
    return columns


class _LabelPattern(str):
    """A pattern whose columns are known: that of each label."""

    columns: dict[str, Any]

    def __new__(cls, pattern: str, columns: dict[str, Any]) -> Self:
        """Keep the columns with the pattern."""
        found = super().__new__(cls, pattern)
        found.columns = columns
        return found


def _words(table: TableOfSets, name: Any) -> set[Any]:
    """Return what the filled cells of a column hold, in small letters; None stands for a list, and for no rows."""
    if not hasattr(table, "cells"):  # rows in an engine, which no sets are read from
        return {None}
    return {_word(cell) for cell in table.cells(name)} - {""} or {None}


def _word(cell: Any) -> Any:
    """Return a cell to look up among the words for True and False; None for a list."""
    return cell.strip().casefold() if isinstance(cell, str) else None if isinstance(cell, list) else cell


def each_column(table: TableOfSets, names: Iterable[Any]) -> list[Any]:
    """Return columns, in the place of a pattern for the columns of each label these."""
    found = ((columns_of_labels(table, name), name) for name in names)
    return [own for each, name in found for own in ((name,) if each is None else each.values())]


def named_by(name: Any) -> Any:
    """Return what a model is called whose columns match this pattern: ``old_*`` are those of "old"."""
    if not isinstance(name, str) or "*" not in name:
        return name
    return name.replace("*", "", 1).strip("_-. ") or name


def matching_sets(table: TableOfSets, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]:
    """Find columns of sets by name or pattern; a pattern for a column of each label stays one."""
    found: list[Any] = []
    for name in names:
        columns = columns_of_labels(table, name)
        found += table.matching([name], leave_out) if columns is None else [_LabelPattern(name, columns)]
    return list(dict.fromkeys(found))


def models_of_sets(table: TableOfSets, names: Iterable[Any]) -> dict[Any, Any]:
    """Return the column, or the pattern, of each model by the model's name."""
    found: dict[Any, Any] = {}
    for name in names:
        model = named_by(name) if is_pattern(name, table.names) else name
        if model in found:
            raise InputError(f"{found[model]!r} and {name!r} are two models called {model!r}: rename one")
        found[model] = name
    return found


def read_sets(
    table: TableInMemory, names: Sequence[Any], delimiter: str | None = None
) -> tuple[dict[Any, LabelSets], tuple[Notice, ...]]:
    """Read the labels of each row from columns that `matching_sets` found.

    Parameters
    ----------
    table : FileTable or Frame
    names : sequence of str
        Columns whose cells are lists, or text with a sign between labels; an empty cell has none. Or patterns.
    delimiter : str, optional
        The sign. Default: ";".

    Returns
    -------
    sets : dict of str to LabelSets
        By name.
    notices : tuple of Notice
        Words for a missing label, and another sign that seems to separate labels.
    """
    sign = _SIGN if delimiter is None else delimiter
    found: dict[Any, LabelSets] = {}
    signs: Counter[str] = Counter()
    said: tuple[Notice, ...] = ()
    for name in names:
        columns = columns_of_labels(table, name)
        if columns is not None:
            values = _zeros_and_ones(table, [*columns.values()])
            found[name] = read_label_sets({called(name): values}, [*columns])[called(name)]
            continue
        cells = table.cells(name)
        # Rows repeat, so that each text is split once.
        texts = Counter(own for own in cells if isinstance(own, str))
        for text, n in texts.items():
            signs.update({own: n for own in {sign, *_SIGNS} if own in text})
        _check_texts(called(name), texts)
        split = {text: _split(text, sign) for text in texts}
        said += _about_words(name, [own for own in cells if not isinstance(own, str)], split, texts)
        cells = [split[own] if isinstance(own, str) else own for own in cells]
        found[name] = _of_cells(cells, called(name))
    return found, said + _about_signs(sign, signs)


def _zeros_and_ones(table: TableInMemory, names: Sequence[Any]) -> NDArray[Any]:
    """Read columns of 0 and 1, or of True and False, also as text."""
    numeric, columns = {*table.numeric()}, []
    try:
        return table.matrix(names)
    except InputError:
        for name in names:
            flags = [None] if name in numeric else [_FLAGS.get(_word(cell)) for cell in table.cells(name)]
            # A column of numbers, or of something that the table refuses.
            columns.append(table.matrix([name])[:, 0] if None in flags else np.array(flags, np.float64))
        return np.column_stack(columns)


def as_sets(cells: Sequence[Any]) -> NDArray[Any]:
    """Convert cells that hold lists to sets of labels; other cells stay and are rejected later."""
    found = np.empty(len(cells), object)
    for i, cell in enumerate(cells):
        found[i] = cell if cell is None or isinstance(cell, str) else frozenset(cell)
    return found


def _of_cells(cells: list[Any], name: str) -> LabelSets:
    if not any(own is None or len(own) for own in cells if own is None or hasattr(own, "__len__")):
        return LabelSets(np.empty(0, np.int64), len(cells), [])  # the labels come from other columns
    return read_label_sets({name: cells})[name]


def _split(cell: str, sign: str) -> list[str]:
    return [label.strip() for label in cell.split(sign) if label.strip()]


def _about_words(
    name: Any, lists: Sequence[Any], split: Mapping[str, list[str]], texts: Mapping[str, int]
) -> tuple[Notice, ...]:
    """Say how many rows have a label such as "NA"; texts repeat."""
    several = [own for own in lists if isinstance(own, (list, frozenset))]
    rows = Counter(word for own in several for word in NOT_AVAILABLE.intersection(own))
    for text, labels in split.items():
        rows.update(dict.fromkeys(NOT_AVAILABLE.intersection(labels), texts[text]))
    return notice_of_words(name, dict(sorted(rows.items())), _NO_WORD)


def _check_texts(name: str, texts: Mapping[str, int]) -> None:
    """Raise if each filled cell is a list that was written as text, whose labels no sign separates."""
    filled = [own.strip() for own in texts if own.strip()]
    if filled and all(map(_LIST_IN_TEXT.fullmatch, filled)):
        raise InputError(
            f"{name} holds lists that were written as text, such as {max(filled, key=len):.60}: write the labels with "
            f"{_SIGN!r} between them, or save the lists as Parquet or JSON lines"
        )


def _about_signs(sign: str, signs: Counter[str]) -> tuple[Notice, ...]:
    """Say that cells hold another sign than the one that separates labels, which no cell holds."""
    other, n = max(((own, signs[own]) for own in _SIGNS if own != sign), key=lambda own: own[1])
    if n <= 1 or signs[sign]:
        return ()
    message = f"no cell has {sign!r} between labels, but {count(n, 'cell')} have {other!r}"
    remedy = ("if it separates labels, pass ", Option("delimiter", other))
    return (Notice("another-delimiter", message, remedy, "info"),)
