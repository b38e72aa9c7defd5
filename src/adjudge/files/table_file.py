"""The interface of every file with a table, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from adjudge.array_types import Floats
from adjudge.given.written import Gaps


class LabelColumn(Protocol):
    """A column of labels, before it is known which columns it is compared with."""

    name: str

    @property
    def is_text(self) -> bool:
        """Whether the labels are anything but numbers."""

    def check_whole(self) -> None:
        """Raise if a number is not whole."""

    def labels(self) -> Any:
        """Return the labels with their type, in a form that the library accepts."""

    def as_text(self) -> Any:
        """Return the labels as text, with numbers in their shortest form."""

    def label_lists(self) -> list[list[str] | None] | None:
        """Return the labels of each row if cells hold lists; None if they hold single values."""


class TableFile(Protocol):
    """A file whose columns can be read."""

    path: Path
    columns: list[str]
    is_list: bool  # one label per line: a single column that has no header

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        """Read columns of labels."""

    def is_nested(self, name: str) -> bool:
        """Whether the cells of a column hold lists or records."""

    def numeric_columns(self) -> list[str]:
        """Return the names of the columns whose first filled cells are mostly numbers."""

    def points(self, names: Sequence[str], *, gaps: Gaps = False) -> Floats:
        """Read columns of numbers as a matrix with one row per point; some cells may have `gaps`, which are NaN."""
