"""Values numbered where they lie, in order of first occurrence: rows of an array, and strings of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from adjudge.given.codes import LIMITS, renumbered
from adjudge.kernels.coding import number_rows, number_strings, number_views
from adjudge.parallel import in_threads, n_cores, spans

__all__ = ["Distinct", "distinct_entries", "distinct_strings"]

Codes = NDArray[Any]
Ints = NDArray[np.int64]
T = TypeVar("T", bound=Sized)

_ALL_VALID = _NO_BYTES = np.empty(0, np.uint8)


@dataclass(frozen=True, eq=False)
class Distinct(Generic[T]):
    """The distinct values, and the code of each value.

    Attributes
    ----------
    values : array or sequence of shape (distinct values,)
        In order of first occurrence within the parts that were numbered by themselves.
    """

    values: T
    _narrow: Codes
    _codes: Sequence[Codes]
    _numbers: Sequence[Ints]

    def ranked(self, ranks: NDArray[np.int32]) -> Codes:
        """Return the rank of each value, given that of each distinct one; this works only once."""
        # Narrow codes of parts are in one array, where narrow ranks replace them.
        into = self._narrow if ranks.size <= LIMITS[np.int8] else np.empty(self._narrow.size, np.int32)
        ends = np.cumsum([0, *(own.size for own in self._codes)]).tolist()
        for codes, numbers, (start, end) in zip(self._codes, self._numbers, pairwise(ends), strict=True):
            renumbered(codes, ranks[numbers], into[start:end])
        return into


def distinct_entries(values: NDArray[Any]) -> Distinct[NDArray[Any]]:
    """Return the distinct entries of an array of shape (n,), of any type of a fixed size."""
    parts = [np.ascontiguousarray(values[part]) for part in spans(values.size)]
    return _distinct(parts, _entries, lambda part, firsts: part[firsts], np.concatenate)


def distinct_strings(arrays: Sequence[Any]) -> Distinct[Any]:
    """Return the distinct strings of Arrow arrays; a null is a value, too.

    Parameters
    ----------
    arrays : sequence of pyarrow.Array
        All of one type: string, large_string or string_view.

    Returns
    -------
    Distinct
        Its values are an array of Arrow's.
    """
    import pyarrow as pa

    def taken(part: Any, firsts: Ints) -> Any:
        if pa.types.is_string_view(part.type):
            return pa.array([part[i].as_py() for i in firsts.tolist()], pa.large_string())
        return part.take(pa.array(firsts)).cast(pa.large_string())

    parts = [
        array.slice(part.start, part.stop - part.start) for array in arrays for part in spans(len(array))
    ]
    return _distinct(parts, _strings, taken, pa.concat_arrays)


def _distinct(
    parts: Sequence[T],
    number: Callable[[T, Codes], tuple[int, Ints]],
    taken: Callable[[T, Ints], T],
    joined: Callable[[list[T]], T],
) -> Distinct[T]:
    """Return the distinct values of all parts: each is numbered by itself, and then their distinct values."""
    narrow = np.empty(sum(map(len, parts)), np.int8)
    pieces = list(zip(parts, np.split(narrow, np.cumsum([len(own) for own in parts])[:-1]), strict=True))

    def numbered(run: slice) -> list[tuple[Codes, Ints]]:
        return [_numbered(own, codes, number) for own, codes in pieces[run]]

    runs = in_threads(numbered, spans(len(parts), min(len(parts), n_cores())))
    found = [own for run in runs for own in run]
    values = [taken(part, firsts) for part, (_, firsts) in zip(parts, found, strict=True)]
    codes = [own for own, _ in found]
    if len(parts) == 1:
        return Distinct(values[0], narrow, codes, [np.arange(found[0][1].size)])
    every = joined(values)
    again, firsts = _numbered(every, np.empty(len(every), np.int8), number)
    ends = np.cumsum([own.size for _, own in found])[:-1]
    return Distinct(taken(every, firsts), narrow, codes, np.split(again, ends))


def _numbered(
    part: Any, codes: Codes, number: Callable[[Any, Codes], tuple[int, Ints]]
) -> tuple[Codes, Ints]:
    """Return the codes of the values, in these narrow codes if they hold them, and where each occurs first."""
    done, firsts = number(part, codes)
    if done < len(part):
        codes = np.empty(len(part), np.int32)
        _, firsts = number(part, codes)
    return codes, firsts


def _entries(values: NDArray[Any], codes: Codes) -> tuple[int, Ints]:
    return number_rows(values.view(np.uint8), values.itemsize, _ALL_VALID, 0, codes)


def _strings(array: Any, codes: Codes) -> tuple[int, Ints]:
    import pyarrow as pa

    first, n = array.offset, len(array)
    bits, *buffers = array.buffers()
    valid = _ALL_VALID if bits is None or not array.null_count else np.frombuffer(bits, np.uint8)
    if pa.types.is_string_view(array.type):
        views = np.frombuffer(buffers[0], np.uint8)[16 * first : 16 * (first + n)]
        if all(own is None or not own.size for own in buffers[1:]):  # equal strings have equal views
            return number_rows(views, 16, valid, first, codes)
        texts = [_NO_BYTES if own is None else np.frombuffer(own, np.uint8) for own in buffers[1:]]
        return number_views(views, texts, valid, first, codes)
    kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
    offsets = np.frombuffer(buffers[0], kind)[first : first + n + 1]
    text = _NO_BYTES if buffers[1] is None else np.frombuffer(buffers[1], np.uint8)
    return number_strings(offsets, text, valid, first, codes)
