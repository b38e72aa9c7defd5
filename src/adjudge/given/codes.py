"""Codes of many labels, found and renumbered in as few passes over memory as possible, in the type that they have.

Labels of a narrow type stay in it. Loops that need a wider type widen block by block (:func:`loop_blocks`), in the
cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels.coding import cut_whole, look_up, value_range
from adjudge.kernels.counting import count_codes
from adjudge.parallel import in_threads, spans

__all__ = [
    "LIMITS",
    "code_range",
    "counted",
    "cut_floats",
    "for_loops",
    "loop_blocks",
    "renumbered",
    "signed",
    "signed_up_to",
]

Codes = NDArray[Any]

# Labels that are widened or looked up at a time: as many as stay in the second-level cache.
_BLOCK = 1 << 15
# Floats that are truncated before checking whether they all fit.
_TRIAL = 1 << 18
# Whole floats below these limits are codes of the type.
LIMITS: dict[type, float] = {np.int8: 2.0**7, np.int32: 2.0**31, np.int64: 9.2e18}


def for_loops(codes: Codes) -> Codes:
    """Return codes in a wide type: compiled loops over two vectors support few pairs of types."""
    return codes if codes.dtype.itemsize >= 4 else codes.astype(np.int32)


def loop_blocks(span: slice, *vectors: Codes) -> Iterator[tuple[Codes, ...]]:
    """Yield parts of code vectors in types that compiled loops take; no copy is larger than the cache.

    Vectors of int8 are read as they are; narrow ones of other types become int32.
    """
    narrow = np.dtype(np.int8 if all(codes.dtype == np.int8 for codes in vectors) else np.int32)
    kinds = [codes.dtype if codes.dtype.itemsize >= 4 else narrow for codes in vectors]
    as_given = all(codes.dtype == kind for codes, kind in zip(vectors, kinds, strict=True))
    step = span.stop - span.start if as_given else _BLOCK
    for start in range(span.start, span.stop, max(1, step)):
        part = slice(start, min(start + step, span.stop))
        yield tuple(codes[part].astype(kind, copy=False) for codes, kind in zip(vectors, kinds, strict=True))


def signed(numbers: Codes) -> Codes:
    """Read wide unsigned numbers as signed: compiled loops support no wide unsigned type."""
    if numbers.dtype.kind != "u" or numbers.dtype.itemsize < 4:
        return numbers
    return numbers.view(np.int32 if numbers.dtype.itemsize == 4 else np.int64)


def signed_up_to(largest: int, codes: Codes) -> Codes:
    """Read codes as signed if the largest still fits, so that fewer types meet in one loop."""
    if codes.dtype.kind != "u" or largest >> (8 * codes.itemsize - 1):
        return codes
    return codes.view(f"i{codes.itemsize}")


def code_range(codes: Codes) -> tuple[int, int]:
    """Return the smallest and the largest of at least one code."""
    ranges = in_threads(lambda part: value_range(codes[part]), spans(codes.size))
    return min(r[0] for r in ranges), max(r[1] for r in ranges)


def counted(codes: Codes, n_codes: int) -> NDArray[np.int64]:
    """Count codes 0..n_codes - 1."""
    counts = np.zeros(n_codes, np.int64)
    count_codes(np.ascontiguousarray(codes), counts)
    return counts


def _blocks(part: slice, size: int = _BLOCK) -> Iterator[slice]:
    for start in range(part.start, part.stop, size):
        yield slice(start, min(start + size, part.stop))


def cut_floats(values: NDArray[Any]) -> tuple[Codes, int, int] | None:
    """Return whole floats as the narrowest codes that hold them, and their range; None if some are not whole."""
    for kind, limit in LIMITS.items():
        codes: Codes = np.empty(values.size, kind)
        cut = partial(_cut, values, codes, values.dtype.type(limit))
        lows, highs, fits = zip(*in_threads(cut, spans(values.size)), strict=True)
        if min(fits) == 1:
            return codes, min(lows), max(highs)
        if min(fits) < 0:
            return None
    return None


def _cut(values: NDArray[Any], codes: Codes, limit: float, part: slice) -> tuple[int, int, int]:
    """Truncate a part of the values, block by block, until one does not fit.

    Returns their range and 1; instead of 1, 0 if a number reaches the limit, or -1 if one is not whole.
    """
    ranges = []
    for block in _blocks(part, _TRIAL):
        low, high, fits = cut_whole(values[block], codes[block], limit)
        if not fits:
            return 0, 0, 0 if (np.trunc(values[block]) == values[block]).all() else -1
        ranges.append((int(low), int(high)))
    return min(r[0] for r in ranges), max(r[1] for r in ranges), 1


def renumbered(codes: Codes, numbers: NDArray[Any], into: Codes | None = None) -> Codes:
    """Return ``numbers[codes]``, in the narrowest type, or in the array `into`; codes are not negative."""
    if into is None:
        largest = int(numbers.max(initial=0))
        into = np.empty(codes.size, np.int8 if largest < LIMITS[np.int8] else np.int32)
    numbers = np.ascontiguousarray(numbers, into.dtype)
    found = into
    in_threads(lambda part: look_up(codes[part], numbers, found[part]), spans(codes.size))
    return found
