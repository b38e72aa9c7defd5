"""Values coded where they lie, text first of all: rows of an array, and strings of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.given.label_vectors import Labels, renumbered
from adjudge.kernels.coding import number_rows, number_strings, number_views
from adjudge.parallel import in_threads, n_cores, spans

Codes = NDArray[Any]

_ALL_VALID = _NO_BYTES = np.empty(0, np.uint8)
_MOST_IN_A_BYTE = 2**7


def code_entries(values: NDArray[Any]) -> Labels:
    """Code the entries of an array of shape (n,), of any type of a fixed size."""
    parts = [np.ascontiguousarray(values[part]) for part in spans(values.size)]
    return _coded(parts, _number_entries, lambda part, firsts: part[firsts])


def code_strings(arrays: Sequence[Any]) -> Labels | None:
    """Code Arrow arrays of strings, all of one type; return None if there are none. Nulls are missing."""
    parts = [
        array.slice(part.start, part.stop - part.start) for array in arrays for part in spans(len(array))
    ]
    parts = [part for part in parts if len(part)]
    return _coded(parts, _number_strings, _strings_at) if parts else None


def _coded(
    parts: Sequence[Any],
    number: Callable[[Any, Codes], tuple[int, Ints]],
    values_at: Callable[[Any, Ints], NDArray[Any]],
) -> Labels:
    """Code parts that are numbered each by itself, with the distinct values of all in one order."""
    narrow = np.empty(sum(map(len, parts)), np.int8)
    ends = list(pairwise(np.cumsum([0, *map(len, parts)]).tolist()))

    def numbered(i: int) -> tuple[Codes, NDArray[Any]]:
        codes = narrow[slice(*ends[i])]
        done, firsts = number(parts[i], codes)
        if done < len(parts[i]):  # more than a byte can number
            codes = np.empty(len(parts[i]), np.int32)
            _, firsts = number(parts[i], codes)
        return codes, values_at(parts[i], firsts)

    runs = spans(len(parts), min(len(parts), n_cores()))
    of_runs = in_threads(lambda run: [numbered(i) for i in range(len(parts))[run]], runs)
    found = list(chain.from_iterable(of_runs))
    categories, places = _in_order(np.concatenate([values for _, values in found]))
    n_codes = 1 + int(places.max())
    # Narrow codes are replaced where they are.
    codes = narrow if n_codes <= _MOST_IN_A_BYTE else np.empty(narrow.size, np.int32)
    of_parts = np.split(places, np.cumsum([values.size for _, values in found])[:-1])
    for end, (numbers, _), own in zip(ends, found, of_parts, strict=True):
        renumbered(numbers, own, codes[slice(*end)])
    if n_codes == len(categories):
        return Labels(codes, 0, len(categories), categories)
    missing = codes == len(categories)
    codes[missing] = 0
    return Labels(codes, 0, max(1, len(categories)), categories or [None], missing)


def _in_order(values: NDArray[Any]) -> tuple[list[Any], Ints]:
    """Return the distinct values, sorted, and the place of each value; that of None is behind all others."""
    if values.dtype != object:
        known, places = np.unique(values, return_inverse=True)
        return known.tolist(), places
    texts = values.tolist()
    categories = sorted(set(texts) - {None})
    place_of = {text: place for place, text in enumerate(categories)} | {None: len(categories)}
    return categories, np.array([place_of[text] for text in texts])


def _number_entries(values: NDArray[Any], codes: Codes) -> tuple[int, Ints]:
    return number_rows(values.view(np.uint8), values.itemsize, codes)


def _number_strings(array: Any, codes: Codes) -> tuple[int, Ints]:
    import pyarrow as pa

    first, n = array.offset, len(array)
    bits, *buffers = array.buffers()
    valid = _ALL_VALID if bits is None or not array.null_count else np.frombuffer(bits, np.uint8)
    texts = [_NO_BYTES if own is None else np.frombuffer(own, np.uint8) for own in buffers[1:]]
    if pa.types.is_string_view(array.type):
        views = np.frombuffer(buffers[0], np.uint8)[16 * first : 16 * (first + n)]
        return number_views(views, texts, valid, first, codes)
    kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
    offsets = np.frombuffer(buffers[0], kind)[first : first + n + 1]
    return number_strings(offsets, texts[0], valid, first, codes)


def _strings_at(array: Any, places: Ints) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_string_view(array.type):  # which old versions of Arrow do not take
        return np.array([array[i].as_py() for i in places.tolist()], object)
    # Made of its memory, because Arrow would import pandas to look at an array.
    at = pa.Array.from_buffers(pa.int64(), places.size, [None, pa.py_buffer(places.astype(np.int64))])
    return np.array(array.take(at).to_pylist(), object)


def numbers_of_arrow(array: Any) -> NDArray[Any]:
    """Return numbers of Arrow, of which none is missing, as an array; its own way imports pandas."""
    chunks = getattr(array, "chunks", [array])
    parts = [np.from_dlpack(own) for own in chunks] or [np.zeros(0)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
