"""Cells that hold several labels each, as sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_sets", "holds_sets"]


def as_sets(cells: Sequence[Any]) -> NDArray[Any]:
    """Convert cells that hold lists to sets of labels; other cells stay and are rejected later."""
    found = np.empty(len(cells), object)
    for i, cell in enumerate(cells):
        found[i] = cell if cell is None or isinstance(cell, str) else frozenset(cell)
    return found


def holds_sets(values: Any) -> bool:
    """Whether the labels are sets made by `as_sets`."""
    is_made = isinstance(values, np.ndarray) and values.dtype == object
    return is_made and any(isinstance(own, frozenset) for own in values[:1000])
