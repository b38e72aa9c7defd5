"""What any file with a table can do, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["LabelColumn", "TableFile"]


class LabelColumn(Protocol):
    """A column of labels, before it is known what it is compared with."""

    name: str

    @property
    def is_text(self) -> bool:
        """Whether the labels are anything but numbers."""

    def check_whole(self) -> None:
        """Raise for a number that is not whole."""

    def labels(self) -> Any:
        """Labels with their type, in a form that the library accepts."""

    def as_text(self) -> Any:
        """Labels as text, numbers in their shortest form."""

    def label_lists(self) -> list[list[str]] | None:
        """Labels of each row if its cell holds a list; None if cells hold single values."""


class TableFile(Protocol):
    """A file whose columns can be read."""

    path: Path
    columns: list[str]
    is_list: bool  # one label per line: a single column that has no header

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        """Read columns of labels."""

    def numeric_columns(self) -> list[str]:
        """Names of the columns that hold numbers, as far as can be told without reading all of the file."""

    def points(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Read numeric columns as a matrix with one row per point."""
