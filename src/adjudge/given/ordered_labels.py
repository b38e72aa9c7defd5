"""Label codes put into the order of the labels, and read in as few types as possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.codes import renumbered
from adjudge.given.label_vectors import Labels

__all__ = ["ranks_of", "signed", "signed_up_to", "sorted_labels", "sorted_order"]

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


def signed(numbers: IntArray) -> IntArray:
    """Read wide unsigned numbers as signed: compiled loops support no wide unsigned type."""
    if numbers.dtype.kind != "u" or numbers.dtype.itemsize < 4:
        return numbers
    return numbers.view(np.int32 if numbers.dtype.itemsize == 4 else np.int64)


def signed_up_to(largest: int, codes: IntArray) -> IntArray:
    """Read codes as signed if the largest still fits, so that fewer types meet in one loop."""
    if codes.dtype.kind != "u" or largest >> (8 * codes.itemsize - 1):
        return codes
    return codes.view(f"i{codes.itemsize}")


def ranks_of(order: Any) -> NDArray[np.int32]:
    """Return the place of each entry in the order."""
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks
