"""One label vector as small integers, in the order of its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.kernels.coding import look_up
from adjudge.kernels.counting import count_codes
from adjudge.parallel import in_threads, spans

IntArray = NDArray[Any]

# Codes from here on need more than one byte.
_BEYOND_A_BYTE = 2**7


def counted(codes: IntArray, n_codes: int) -> Ints:
    """Count codes 0..n_codes - 1."""
    counts = np.zeros(n_codes, np.int64)
    count_codes(np.ascontiguousarray(codes), counts)
    return counts


@dataclass(frozen=True)
class Labels:
    """One label vector, coded.

    Attributes
    ----------
    codes : ndarray of integers, of shape (n,)
        Category of each instance, counted from `low`. Integer labels of a small range are their own codes
        (no copy is made), in a type that may hold no larger ones.
    low : int
        Smallest code.
    n_codes : int
        Codes lie in ``range(low, low + n_codes)``; some may not occur.
    categories : sequence
        ``categories[code - low]`` is the label as it was given; sorted if the labels can be sorted.
    missing : ndarray of bool of shape (n,), or None
        Instances without a label, whose codes have no meaning; None if all have one.
    order : sequence or None
        All labels in the order that the type of the column states, such as an ordered categorical; None without one.
    """

    codes: IntArray
    low: int
    n_codes: int
    categories: Sequence[Any]
    missing: Bools | None = None
    order: Sequence[Any] | None = None

    def __len__(self) -> int:
        return int(self.codes.size)

    def take(self, positions: NDArray[Any]) -> Labels:
        """Return the labels at some positions (or under a mask)."""
        missing = None if self.missing is None else self.missing[positions]
        if missing is not None and not missing.any():
            missing = None
        return replace(self, codes=self.codes[positions], missing=missing)

    def dense(self) -> tuple[Ints, list[Any]]:
        """Return codes 0..K-1 without gaps, and the label of each."""
        codes, labels, _ = self.counted()
        return codes, labels

    def counted(self) -> tuple[Ints, list[Any], Ints]:
        """Return codes 0..K-1 without gaps, the label of each, and how many instances have it."""
        shifted = self.codes.astype(np.int64, copy=False)
        if self.low:
            shifted = shifted - self.low
        counts = counted(shifted, self.n_codes)
        if np.count_nonzero(counts) == self.n_codes:
            return shifted, list(self.categories), counts
        present = counts > 0
        labels = [self.categories[i] for i in np.flatnonzero(present).tolist()]
        return (np.cumsum(present) - 1)[shifted], labels, counts[present]

    @cached_property
    def present(self) -> list[Any]:
        """The labels that occur, found without wide codes where the codes are narrow."""
        if self.low or self.codes.dtype.kind == "u":
            return self.dense()[1]
        counts = counted(self.codes, self.n_codes)
        return [self.categories[i] for i in np.flatnonzero(counts).tolist()]

    def occurring(self, *, numbers_as_well: bool = True) -> list[Any]:
        """Return the labels that occur; numbers, whose names tell nothing, need not all be returned."""
        some = list(self.categories[:1])
        return self.present if numbers_as_well or (some and isinstance(some[0], (str, bool))) else some

    def given(self) -> NDArray[Any]:
        """Return the label of each instance; none may be missing."""
        codes, labels = self.dense()
        return np.asarray(labels)[codes]

    def where(self, label: Any) -> Bools | None:
        """Mask the instances that have `label`, or else its text; None if none can."""
        if isinstance(self.categories, range):
            if not _is_whole(label) or int(label) not in self.categories:
                return None
            return np.asarray(self.codes == int(label))
        hits = [i for i, category in enumerate(self.categories) if _equal(category, label)]
        if not hits and not isinstance(label, str):
            hits = [i for i, category in enumerate(self.categories) if category == str(label)]
        return np.asarray(self.codes == hits[0] + self.low) if hits else None


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) or (
        isinstance(value, (float, np.floating)) and float(value).is_integer()
    )


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False


def sorted_labels(codes: IntArray, categories: list[Any]) -> Labels:
    """Renumber so that categories are in sorted order."""
    order = sorted_order(categories)
    if order != list(range(len(order))):
        ranks = np.empty(len(order), np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        codes = renumbered(codes, ranks)
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


def renumbered(codes: IntArray, numbers: NDArray[Any], into: IntArray | None = None) -> IntArray:
    """Return ``numbers[codes]``, in the narrowest type, or in the array `into`; codes are not negative."""
    if into is None:
        largest = int(numbers.max(initial=0))
        into = np.empty(codes.size, np.int8 if largest < _BEYOND_A_BYTE else np.int32)
    numbers = np.ascontiguousarray(numbers, into.dtype)
    found = into
    in_threads(lambda part: look_up(codes[part], numbers, found[part]), spans(codes.size))
    return found


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
