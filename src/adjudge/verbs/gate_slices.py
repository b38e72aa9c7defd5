"""Where a new model is worse than the old one by more than elsewhere: slices of the rows of a gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge.choosing.weak_slices import find_weak_slices
from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.options import random_generator
from adjudge.kinds.which_kind import are_names
from adjudge.results.gate import NEW, OLD, Gate
from adjudge.tables.columns import numbers_or_texts
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Frame
from adjudge.tables.source import is_a_table, open_given, rows_of
from adjudge.usual_seed import USUAL_SEED

__all__ = ["with_slices"]

_ALL = "all"


def with_slices(
    found: Gate, slices: Any, judged: Any, taken: Sequence[Any], labels_from: Sequence[Any]
) -> Gate:
    """Add the slices in which the new model is worse than the old one by more than elsewhere.

    Parameters
    ----------
    found : Gate
        With its rows.
    slices : "all", str, sequence of str, or data frame of n rows
        Columns of the judged table, or a table beside what was judged.
    judged : Engine, FileTable, Frame, Joined or None
        The table that was judged, if it is one.
    taken : sequence of object
        Columns of it that have another role: "all" leaves them out.
    labels_from : sequence of object
        Those with the models' labels.
    """
    named = [slices] if isinstance(slices, str) else slices
    are_named = False
    if isinstance(named, (list, tuple)) and (not named or are_names(named)):
        if not isinstance(judged, (FileTable, Frame)):
            how = (
                "give a table with these columns" if judged is None else "collect it first, or give one table"
            )
            raise InputError(Option("slices"), f" names columns of a table whose rows are at hand: {how}")
        others = {own for own in taken if isinstance(own, str)}
        are_named = list(named) != [_ALL] or _ALL in judged.names
        rest = [name for name in judged.names if name not in others]
        table, names = judged, judged.matching(named, others) if are_named else rest
    elif is_a_table(slices):
        opened = open_given(slices)
        table, names = rows_of(opened, opened.names), list(opened.names)
    else:
        raise InputTypeError(
            Option("slices"), ' is "all", names of columns, or a data frame of the same rows'
        )
    if not names:
        raise InputError(Option("slices"), " is empty: name at least one column to slice by")
    own = find_weak_slices(
        found.comparison.known_instances(),
        (OLD, NEW),
        numbers_or_texts(table, names),
        random_generator(USUAL_SEED),
        are_named=are_named,
        labels_from=labels_from,
        confidence=found.confidence,
    )
    return replace(found, weak_slices=own)
