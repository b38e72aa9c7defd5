"""What stands beside labels in a table and is shown with them: coordinates, texts, pictures, and all other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.class_names import are_boolean
from adjudge.presentation.numbers import shortened
from adjudge.results.notice import Notice
from adjudge.tables.compared_columns import ComparedColumns
from adjudge.tables.coordinates import coordinates_in
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Frame
from adjudge.tables.names import column_names

__all__ = ["ShownColumns", "features_are"]

# Codes of notices about columns that are said otherwise: columns of text are shown.
_SAID_OTHERWISE = ("text-as-coordinates", "points-from")


@dataclass(frozen=True)
class ShownColumns:
    """What is shown of a table beside labels.

    Attributes
    ----------
    X : mapping of str to array-like, data frame, or None
        The columns without another role, the features first.
    features : sequence of str or None
        Coordinates; None if nothing says which they are.
    text, images : sequence or anything else
        Cells of a column, if one was named; what was given otherwise.
    said : tuple of Notice
    """

    X: Any
    features: Sequence[str] | None
    text: Any
    images: Any
    said: tuple[Notice, ...]

    @classmethod
    def read(
        cls,
        table: FileTable | Frame,
        labels: ComparedColumns,
        *,
        features: Sequence[str] | None,
        text: Any,
        images: Any,
        needs_points: bool,
    ) -> ShownColumns:
        """Read the columns; those that nothing names are shown, too.

        Parameters
        ----------
        table : FileTable or Frame
        labels : ComparedColumns
            The columns with another role.
        features : sequence of str or None
        text, images : str or anything else
            Columns, if they are names.
        needs_points : bool
            Whether coordinates are needed.
        """
        named = [table.own(own) for own in (text, images) if isinstance(own, str)]
        hidden, said = [*named, *map(table.own, labels.forecasts.named)], tuple[Notice, ...]()
        shows = not labels.of_sets and table.own_list is None
        if shows and isinstance(table, FileTable):
            features, said = _features(table, features, labels, hidden, needed=needs_points)
        text, pictures = (_texts(table, own) if isinstance(own, str) else own for own in (text, images))
        if isinstance(images, str):
            folder = table.table.path.parent if isinstance(table, FileTable) else Path()
            pictures = [folder / own if own else None for own in pictures]
        X = _shown(table, features or (), labels, hidden) if shows else None
        return cls(X, features or None, text, pictures, said)


def features_are(names: Sequence[str]) -> Notice:
    """Say which columns are coordinates."""
    why = f"features are {shortened(list(names), 12)}"
    return Notice("features-are", why, (Option("features"), " chooses others"), "info")


def _features(
    table: FileTable,
    features: Sequence[str] | None,
    labels: ComparedColumns,
    hidden: Sequence[str],
    *,
    needed: bool,
) -> tuple[list[str], tuple[Notice, ...]]:
    """Find the columns of coordinates, and say which they are if nobody named them."""
    others = [*hidden, *labels.others]
    if features is not None:
        return table.coordinates(column_names("features", features), [*labels.of_labels, *others]), ()
    try:
        names, said = coordinates_in(table, labels.of_labels, others, or_all=needed)
    except InputError:
        if needed:
            raise
        return [], ()
    return names, (*(own for own in said if own.code not in _SAID_OTHERWISE), features_are(names))


def _shown(
    table: FileTable | Frame, features: Sequence[str], labels: ComparedColumns, hidden: Sequence[str]
) -> Any:
    """Read the features, and the columns to show with the labels, as numbers (NaN if missing) or text."""
    taken = [*labels.of_labels, *hidden, *features]
    if not isinstance(table, FileTable):
        taken += labels.others
    rest = [name for name in table.names if name not in taken and table.names.count(name) == 1]
    if not isinstance(table, FileTable):
        return table.shown([*features, *rest]) if rest or features else None
    numeric = [name for name in features if name in table.numeric()]
    others = table.shown([name for name in (*features, *rest) if name not in numeric])
    numeric += [name for name in features if are_boolean([own for own in others.get(name, ()) if own])]
    values = table.matrix(numeric, gaps="words").T if numeric else ()
    read = others | dict(zip(numeric, values, strict=True))
    return {name: read[name] for name in (*features, *rest)} or None


def _texts(table: FileTable | Frame, name: str) -> list[str]:
    column = table.own(name)
    if table.holds_lists(column):
        raise InputError(f"column {name!r} has lists: a text, or a picture, is one for each instance")
    return [*map(str, table.cells(column))]
