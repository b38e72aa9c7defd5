"""Names of columns as a verb takes them: checked, and told from patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.labels import Column
from adjudge.given.options import given_names
from adjudge.given.score_frame import has_no_name
from adjudge.results.notice import Notice

__all__ = [
    "called",
    "column_name",
    "column_names",
    "columns_with_names",
    "named_column",
    "the_one",
]


class _Named(Protocol):
    @property
    def names(self) -> list[Any]: ...

    def own(self, name: Any) -> Any: ...


def column_name(option: str, given: Any) -> Any:
    """Check the name of a column; None stays None."""
    if given is None or (isinstance(given, (str, int, np.integer)) and not isinstance(given, bool)):
        return int(given) if isinstance(given, np.integer) else given
    raise InputTypeError(Option(option), f" is {a_type(given)}: it names a column of the table")


def column_names(option: str, given: Any) -> list[Any]:
    """Check the names of columns: one, or a sequence of them."""
    if isinstance(given, (str, int, np.integer)):
        return [column_name(option, given)]
    # The columns themselves, or what models are called, are no names of columns.
    is_sequence = not isinstance(given, (Mapping, bytes)) and not hasattr(type(given), "to_frame")
    if not (is_sequence or type(given).__name__ == "Index"):
        raise InputTypeError(Option(option), f" is {a_type(given)}: it names columns of the table, in a list")
    names = [column_name(option, own) for own in given_names(option, given)]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InputError(f"column {twice!r} is named twice")
    return names


def columns_with_names(table: _Named, option: Option) -> tuple[list[Any], tuple[Notice, ...]]:
    """Return all columns that have a name, and say if others are left out; `option` can name these."""
    names = [name for name in table.names if not has_no_name(name)]
    n_others = len(table.names) - len(names)
    what = "a column without a name is" if n_others == 1 else "columns without a name are"
    said = Notice("nameless-columns", f"{what} left out", (option, " can name what is meant"), "info")
    return [*map(table.own, names)], (said,) if n_others else ()


def the_one(name: Any, found: Sequence[Any]) -> Any:
    """Return the column of a role that takes one; raise if `name` is a pattern that stands for several."""
    if len(found) > 1:
        shown = ", ".join(map(repr, found[:6])) + (" ..." if len(found) > 6 else "")
        raise InputError(f"{name!r} stands for {len(found)} columns, {shown}, where one is needed: name it")
    return found[0]


def called(name: Any) -> str:
    """Return what errors call a column, or the columns that a pattern stands for."""
    return f"the pattern {name!r}" if isinstance(name, str) and "*" in name else f"column {name!r}"


def named_column(name: Any, values: Any) -> Column:
    """Return a column of a table with the name to use in errors."""
    return Column(called(name), values, str(name))
