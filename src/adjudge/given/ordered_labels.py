"""Label codes put into the order of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.codes import renumbered, signed, signed_up_to
from adjudge.given.label_vectors import Labels

__all__ = ["ranks_of", "sorted_labels", "sorted_order"]

IntArray = NDArray[Any]


def sorted_labels(codes: IntArray, categories: list[Any]) -> Labels:
    """Renumber so that categories are in sorted order."""
    order = sorted_order(categories)
    if order != list(range(len(order))):
        codes = renumbered(codes, ranks_of(order))
        categories = [categories[i] for i in order]
    return Labels(signed_up_to(len(order) - 1, signed(codes)), 0, len(order), categories)


def sorted_order(categories: list[Any]) -> list[int]:
    """Return the sorted order of categories: by type, then text, if they cannot be compared."""
    try:
        return sorted(range(len(categories)), key=categories.__getitem__)
    except (TypeError, ArithmeticError):  # a Decimal NaN refuses in its own way
        return sorted(
            range(len(categories)), key=lambda i: (type(categories[i]).__name__, str(categories[i]))
        )


def ranks_of(order: Any) -> NDArray[np.int32]:
    """Return the place of each entry in the order."""
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks
