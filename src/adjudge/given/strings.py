"""Strings of Arrow, Polars and pandas as rows of words: read in place, packed block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.given.numbering import KnownRows, Numbered, numbered
from adjudge.kernels.coding import look_up_strings, look_up_views, pack_strings, place_views

__all__ = ["NumberedStrings", "numbered_strings"]

Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

# Words that are packed at a time: as many as stay in the second-level cache.
_ROOM = 1 << 15
# Strings that are looked up before checking whether all were known.
_LOOKED_UP = 1 << 12
# Strings that determine the first width of rows.
_SAMPLE = 1 << 12
# Most words of a packed string: longer strings are compared byte by byte elsewhere.
_MOST_WORDS = 8
_NO_BYTES = np.empty(0, np.uint8)


class _Chunk(Protocol):
    """A run of strings that is one Arrow array in memory."""

    @property
    def array(self) -> Any:
        """The array itself."""
        ...

    def __len__(self) -> int: ...

    def longest(self, part: slice) -> int:
        """Return the length in bytes of the longest of some strings."""
        ...

    def pack(self, part: slice, width: int, packed: Words) -> tuple[int, bool]:
        """Pack some strings into rows; return the length in bytes of the longest, and whether one ends in a zero."""
        ...

    def look_up(self, part: slice, codes: NDArray[Any], known: KnownRows, masks: Words) -> int:
        """Code known strings up to the first block with an unknown one; return how many. None of them is null."""
        ...


@dataclass(frozen=True)
class _WithOffsets:
    """Strings one after the other, and where each begins."""

    array: Any

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def offsets(self) -> NDArray[Any]:
        """Where each string begins, and where the last ends."""
        import pyarrow as pa

        kind = np.int64 if pa.types.is_large_string(self.array.type) else np.int32
        first = self.array.offset
        return np.frombuffer(self.array.buffers()[1], kind)[first : first + len(self.array) + 1]

    @cached_property
    def text(self) -> Bytes:
        """The bytes of all strings."""
        text = self.array.buffers()[2]
        return _NO_BYTES if text is None else np.frombuffer(text, np.uint8)

    @cached_property
    def _text(self) -> Bytes:
        """The same, padded to at least one word."""
        return _at_least_a_word(self.text)

    def longest(self, part: slice) -> int:
        """See `_Chunk`."""
        return int(np.diff(self.offsets[part.start : part.stop + 1]).max(initial=0))

    def pack(self, part: slice, width: int, packed: Words) -> tuple[int, bool]:
        """See `_Chunk`."""
        offsets = self.offsets[part.start : part.stop + 1]
        starts, lengths = offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64, copy=False)
        return _pack(starts, lengths, self.array, part, self._text, width, packed)

    def look_up(self, part: slice, codes: NDArray[Any], known: KnownRows, masks: Words) -> int:
        """See `_Chunk`."""
        offsets = self.offsets[part.start : part.stop + 1]
        # A whole row of words is read for each: for the last ones, it would end beyond the buffer.
        last = offsets.dtype.type(min(self.text.size - known.row_bytes, int(offsets[-1])))
        n = int(np.searchsorted(offsets[:-1], last, side="right"))
        return look_up_strings(offsets, self.text, masks, codes[:n], _LOOKED_UP, *known.for_strings)


@dataclass(frozen=True)
class _Views:
    """Views of 16 bytes, which contain short strings."""

    array: Any

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def views(self) -> Words:
        """Two words for each string."""
        first = 2 * self.array.offset
        return np.frombuffer(self.array.buffers()[1], np.uint64)[first : first + 2 * len(self.array)]

    @cached_property
    def _buffers(self) -> list[Any]:
        return [buffer for buffer in self.array.buffers()[2:] if buffer is not None and buffer.size]

    @property
    def are_rows(self) -> bool:
        """Whether equal strings have equal views, and none is null."""
        return self.array.null_count == 0 and not self._buffers

    @cached_property
    def _memory(self) -> tuple[Bytes, int, NDArray[np.int64]]:
        """One array over the views and all buffers, with gaps that are never read, and where each begins."""
        from ctypes import c_ubyte

        buffers = self.array.buffers()[2:]
        held = [self.array.buffers()[1], *self._buffers]
        first = min(buffer.address for buffer in held)
        size = max(buffer.address + buffer.size for buffer in held) - first
        memory = np.frombuffer((c_ubyte * size).from_address(first), np.uint8)
        starts = [0 if buffer is None else buffer.address - first for buffer in buffers]
        return memory, held[0].address - first, np.array(starts, np.int64)

    def longest(self, part: slice) -> int:
        """See `_Chunk`."""
        return int(self.views[2 * part.start : 2 * part.stop].view(np.uint32)[::4].max(initial=0))

    def pack(self, part: slice, width: int, packed: Words) -> tuple[int, bool]:
        """See `_Chunk`."""
        views = self.views[2 * part.start : 2 * part.stop]
        text, first, buffers = self._memory
        starts, lengths = np.empty((2, part.stop - part.start), np.int64)
        place_views(views, first + 16 * (self.array.offset + part.start), buffers, starts, lengths)
        return _pack(starts, lengths, self.array, part, text, width, packed)

    def look_up(self, part: slice, codes: NDArray[Any], known: KnownRows, masks: Words) -> int:
        """See `_Chunk`."""
        views = self.views[2 * part.start : 2 * part.stop]
        text, first, buffers = self._memory
        if text.size < known.row_bytes or not buffers.size:
            return 0
        own = first + 16 * (self.array.offset + part.start)
        return look_up_views(views, own, buffers, text, masks, codes, _LOOKED_UP, *known.for_strings)


def _pack(
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    array: Any,
    part: slice,
    text: Bytes,
    width: int,
    packed: Words,
) -> tuple[int, bool]:
    """Pack the strings of a part of an array, some of which may be null."""
    if array.null_count:
        first, last = array.offset + part.start, array.offset + part.stop
        bits = np.frombuffer(array.buffers()[0], np.uint8)[first // 8 : -(-last // 8)]
        valid = np.unpackbits(bits, bitorder="little")[first % 8 :][: lengths.size]
        lengths[valid == 0] = -1
    return int(lengths.max()), pack_strings(starts, lengths, text, width, packed)


@cache
def _masks(width: int) -> Words:
    """Return a mask for each string length: the bytes that belong to the string in a row of `width` words."""
    row = np.arange(8 * width)
    return ((row < np.arange(8 * width + 1)[:, None]) * np.uint8(255)).view(np.uint64).ravel()


def _at_least_a_word(text: Bytes) -> Bytes:
    return np.append(text, np.zeros(8 - text.size, np.uint8)) if text.size < 8 else text


class _NotPacked(Exception):  # noqa: N818 - never seen outside: rows become wider
    """A string is too long for its row (`longest` bytes), or ends in a zero (0)."""

    def __init__(self, longest: int) -> None:
        self.longest = longest


@dataclass(frozen=True)
class _PackedRows:
    """Strings packed into rows of words; see `WordRows`."""

    chunks: Sequence[_Chunk]
    width: int

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def blocks(self, part: slice) -> Iterator[Words]:
        """See `WordRows`."""
        room, step = np.empty(_ROOM, np.uint64), _ROOM // self.width
        for chunk, own in _cut(self.chunks, part):
            for start in range(own.start, own.stop, step):
                some = slice(start, min(start + step, own.stop))
                packed = room[: (some.stop - some.start) * self.width]
                longest, zero_ends = chunk.pack(some, self.width, packed)
                if longest > 8 * self.width or zero_ends:
                    raise _NotPacked(longest if longest > 8 * self.width else 0)
                yield packed

    def look_up(self, part: slice, codes: NDArray[Any], known: KnownRows) -> int | None:
        """See `WordRows`."""
        if any(chunk.array.null_count for chunk in self.chunks):
            return None
        masks, done = _masks(self.width), 0
        for chunk, own in _cut(self.chunks, part):
            n = own.stop - own.start
            found = chunk.look_up(own, codes[done : done + n], known, masks)
            done += found
            if found < n:
                break
        return done

    def order(self, keys: Words, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `WordRows`."""
        return np.argsort(_as_bytes(keys))

    def texts(self, keys: Words) -> list[str | None]:
        """Return the strings of rows; None for a null."""
        null = b"\xff" * (8 * self.width)
        return [None if text == null else text.decode() for text in _as_bytes(keys).tolist()]


@dataclass(frozen=True)
class _ViewRows:
    """Views, all with their strings inside, as rows of two words; see `WordRows`."""

    chunks: Sequence[_Views]
    width: int = field(default=2, init=False)

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def blocks(self, part: slice) -> Iterator[Words]:
        """See `WordRows`."""
        for chunk, own in _cut(self.chunks, part):
            yield chunk.views[2 * own.start : 2 * own.stop]

    def look_up(self, part: slice, codes: NDArray[Any], known: KnownRows) -> int | None:
        """See `WordRows`: these rows are words already."""
        return None

    def order(self, keys: Words, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `WordRows`."""
        texts = self.texts(keys)
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)

    def texts(self, keys: Words) -> list[str]:
        """Return the strings of rows."""
        return [row[4 : 4 + int.from_bytes(row[:4], "little")].decode() for row in map(bytes, keys)]


def _cut(chunks: Sequence[Any], part: slice) -> Iterator[tuple[Any, slice]]:
    """Yield the chunks that hold some strings, with the positions of these in each."""
    ends = accumulate(map(len, chunks))
    for chunk, end in zip(chunks, ends, strict=True):
        start = end - len(chunk)
        own = slice(max(part.start, start) - start, min(part.stop, end) - start)
        if own.start < own.stop:
            yield chunk, own


def _as_bytes(keys: Words) -> NDArray[np.bytes_]:
    return keys.view(f"S{8 * keys.shape[1]}").ravel()


@dataclass(frozen=True, eq=False)
class NumberedStrings:
    """Strings numbered by their values.

    Attributes
    ----------
    found : Numbered
    texts : list of str or None
        The distinct strings; None stands for a null.
    """

    found: Numbered
    texts: list[Any]


def numbered_strings(arrays: Sequence[Any]) -> NumberedStrings | None:
    """Enumerate the strings of Arrow arrays; return None if there are none, or some are very long or end in a zero.

    Parameters
    ----------
    arrays : sequence of pyarrow.Array
        All of one type: string, large_string or string_view.
    """
    import pyarrow as pa

    filled = [array for array in arrays if len(array)]
    if not filled:
        return None
    if pa.types.is_string_view(filled[0].type):
        views = [_Views(array) for array in filled]
        if all(chunk.are_rows for chunk in views):
            rows = _ViewRows(views)
            found = numbered(rows)
            return NumberedStrings(found, rows.texts(found.distinct))
        return _packed(views)
    return _packed([_WithOffsets(array) for array in filled])


def _packed(chunks: Sequence[_Chunk]) -> NumberedStrings | None:
    """Pack strings into rows, wider ones whenever a string turns out to be too long."""
    longest = max(chunk.longest(slice(0, min(len(chunk), _SAMPLE))) for chunk in chunks)
    while True:
        width = max(1, -(-longest // 8))
        if width > _MOST_WORDS:
            return None
        rows = _PackedRows(chunks, width)
        try:
            found = numbered(rows)
        except _NotPacked as stop:
            if stop.longest == 0:
                return None
            longest = stop.longest
            continue
        return NumberedStrings(found, rows.texts(found.distinct))
