"""Columns whose cells hold several values: lists are label sets of multilabel data; anything else raises an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.files.text import plain_text


@dataclass
class NestedColumn:
    """A column of lists, or of records.

    Attributes
    ----------
    name : str
    cells : list
        A list, a dict or None for each row.
    """

    name: str
    cells: list[Any]

    @property
    def is_text(self) -> bool:
        """Raise: the cells do not hold single labels."""
        raise self._refused()

    def check_whole(self) -> None:
        """Raise: the cells do not hold single labels."""
        raise self._refused()

    def labels(self) -> Any:
        """Raise: the cells do not hold single labels."""
        raise self._refused()

    def as_text(self) -> Any:
        """Raise: the cells do not hold single labels."""
        raise self._refused()

    def label_lists(self) -> list[list[str] | None]:
        """Return the labels of each row as text, with numbers in their shortest form; None for a missing list."""
        found: list[list[str] | None] = []
        for i, cell in enumerate(self.cells):
            if cell is not None and not isinstance(cell, list):
                raise self._mixed(i) if any(isinstance(own, list) for own in self.cells) else self._refused()
            found.append(None if cell is None else [self._label(label, i) for label in cell])
        return found

    def _label(self, label: Any, row: int) -> str:
        if isinstance(label, (list, tuple, dict)):
            raise self._refused()
        text = plain_text(label, self.name)
        if text is None:
            raise InputError(
                f"column {self.name!r} has a list with a missing label in row {row + 1}: leave it out"
            )
        return text

    def _mixed(self, row: int) -> InputError:
        return InputError(
            f"column {self.name!r} holds lists, but {self.cells[row]!r} in row {row + 1}: give a list in each row"
        )

    def _refused(self) -> InputError:
        cell = next((own for own in self.cells if own is not None), None)
        if not isinstance(cell, list) or any(isinstance(own, (list, tuple, dict)) for own in cell):
            return InputError(
                f"column {self.name!r} holds objects such as {cell!s:.60}: a cell needs one label or number, so "
                "give a column for each part"
            )
        return InputError(
            f"column {self.name!r} holds lists such as {cell!s:.60}: a cell needs one label or number, and lists "
            "of labels need ",
            Option("kind", "multilabel"),
        )
