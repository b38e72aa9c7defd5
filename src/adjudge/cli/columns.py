"""From the names on the command line to labels and points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from adjudge.cli.options import split_list
from adjudge.errors import InputError
from adjudge.inputs import Labels, align_labels
from adjudge.inputs.files import LabelColumn, TableFile, common_labels, find_column, open_table
from adjudge.inputs.points import Points

__all__ = ["LabelTable", "Source", "standardized"]


@dataclass(frozen=True)
class LabelTable:
    """Labels by column name, all numbers or all text.

    Attributes
    ----------
    truth : str or None
        The column that holds the truth.
    labels : dict of str to array-like
    are_text : bool
    """

    truth: str | None
    labels: dict[str, Any]
    are_text: bool

    @cached_property
    def occurring(self) -> dict[str, Labels]:
        """The labels, coded, without the rows where one is missing."""
        return dict(zip(self.labels, align_labels(self.labels, missing="drop").labels, strict=True))

    @property
    def judged(self) -> dict[str, Any]:
        """All columns but the truth."""
        return {name: labels for name, labels in self.labels.items() if name != self.truth}

    def noise_label(self, text: str | None) -> Any:
        """Return the label that stands for noise, -1 unless a text is given, as a label of these columns."""
        label: Any = "-1" if text is None else text
        if not self.are_text:
            try:
                label = int(label)
            except ValueError:
                raise InputError(f"--noise-label {text!r} is text, but the labels are numbers") from None
        if text is not None and not any(_occurs(label, column) for column in self.occurring.values()):
            raise InputError(f"--noise-label {text!r} is not among the labels: leave it out, or correct it")
        return label

    def check_classes(self) -> None:
        """Raise where a classifier has none of the true labels, and so cannot be right."""
        true_labels = self.occurring[str(self.truth)].dense()[1]
        for name in self.judged:
            found = self.occurring[name].dense()[1]
            if set(true_labels).isdisjoint(found):
                raise InputError(
                    f"column {name!r} has labels such as {found[0]}, and none of those of {self.truth!r}, "
                    f"such as {true_labels[0]}: use --kind clustering, or bring both to the same labels"
                )


class Source:
    """The file on the command line, and lists of labels beside it that an option names instead of a column."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._table = open_table(path)

    @property
    def own_list(self) -> str | None:
        """The name of the file's labels, if it is a list of them and not a table."""
        return self._table.columns[0] if self._table.is_list else None

    def names(self, given: Sequence[str] | None) -> list[str]:
        """Read an option that lists columns or files."""
        return split_list(given, _Known(self._table.columns))

    def read(self, truth: str | None, judged: Sequence[str]) -> LabelTable:
        """Read the truth and the labels that are judged."""
        wanted = list(dict.fromkeys([*([] if truth is None else [truth]), *judged]))
        if truth in judged:
            raise InputError(f"{truth!r} is the truth: name other columns to be judged")
        located = {name: self._locate(name) for name in wanted}
        here = [name for name, (table, _) in located.items() if table is self._table]
        read = self._table.label_columns([located[name][1] for name in here]) if here else []
        columns = dict(zip(here, read, strict=True))
        for name, (table, column) in located.items():
            if name not in columns:
                columns[name] = table.label_columns([column])[0]
        ordered = {name: columns[name] for name in wanted}
        _name_apart(ordered)
        labels, are_text = common_labels(ordered.values())
        return LabelTable(None if truth is None else ordered[truth].name, labels, are_text)

    def points(self, given: Sequence[str] | None, leave_out: Iterable[str]) -> Points:
        """Read points from the given columns, or from all numeric ones but those of labels."""
        names = [find_column(self._table, name) for name in self.names(given)]
        if not names:
            labels = {self._locate(name)[1] for name in leave_out}
            names = [name for name in self._table.numeric_columns() if name not in labels]
        if not names:
            raise InputError(
                f"{str(self.path)!r} has no numeric columns but those of labels: there are no points"
            )
        return Points(self._table.points(names), names)

    def _locate(self, name: str) -> tuple[TableFile, str]:
        """Find a column of the file, or a list of labels in another file."""
        if name.strip() in {column.strip() for column in self._table.columns} or not Path(name).is_file():
            return self._table, find_column(self._table, name)
        beside = open_table(name)
        if not beside.is_list:
            raise InputError(
                f"{name!r} is a table of its own: name columns of {str(self.path)!r}, or files with one label a line"
            )
        return beside, beside.columns[0]


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
    """Tell lists of one file name in different folders apart by the paths that were given."""
    names = [column.name for column in columns.values()]
    for given, column in columns.items():
        if names.count(column.name) > 1:
            column.name = given
