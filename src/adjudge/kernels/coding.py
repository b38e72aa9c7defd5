"""Kernels that code labels: find their range, and number distinct values in order of first occurrence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel, merged, subroutine

# 2^64 over the golden ratio: spreads consecutive integers over the table.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel()
def value_range(values: NDArray[Any]) -> tuple[int, int]:
    """Smallest and largest value in one trip to memory."""
    low = values[0]
    high = values[0]
    for i in range(values.size):
        value = values[i]
        low = min(low, value)
        high = max(high, value)
    return low, high


@kernel()
def cut_whole(values: NDArray[Any], whole: NDArray[Any], limit: float) -> tuple[int, int, bool]:
    """Cut floats to integers; the smallest and the largest of these, and whether nothing was cut off."""
    first = values[0]
    low = whole.dtype.type(first if abs(first) < limit else 0.0)
    high = low
    lost = np.int32(0)
    for i in range(values.size):
        value = values[i]
        # Not true of NaN. Without a branch the loop takes several numbers at a time.
        number = whole.dtype.type(value if abs(value) < limit else 0.0)
        whole[i] = number
        lost |= np.int32(number != value)
        low = min(low, number)
        high = max(high, number)
    return low, high, lost == 0


@kernel()
def look_up(codes: NDArray[Any], numbers: NDArray[Any], found: NDArray[Any]) -> None:
    """Fill in the number of each code; codes are not negative."""
    for i in range(codes.size):
        found[i] = numbers[np.uint64(codes[i])]


@subroutine()
def _slot_of(words: NDArray[Any], at: Any, width: int, factors: NDArray[np.uint64], mask: Any) -> Any:
    """First slot of the row of words that begins at `at`; the products of a row do not wait for each other."""
    key = np.uint64(0)
    for j in range(width):
        key += np.uint64(words[at + np.uint64(j)]) * factors[np.uint64(j)]
    # Words that differ only in their last bytes differ only in high bits of the product: once more.
    key ^= key >> np.uint64(32)
    return ((key * _MULTIPLIER) >> np.uint64(32)) & mask


@subroutine()
def _factors_of(width: int) -> NDArray[np.uint64]:
    """Return a factor for each word of a row."""
    factors = np.empty(width, np.uint64)
    factor = _MULTIPLIER
    for j in range(width):
        factors[j] = factor
        factor *= _MULTIPLIER
    return factors


@kernel()
def number_rows(
    words: NDArray[Any],
    start: int,
    codes: NDArray[Any],
    keys: NDArray[Any],
    slots: NDArray[np.int32],
    firsts: NDArray[np.int64],
    n_distinct: int,
) -> tuple[int, int]:
    """Code distinct rows in order of first occurrence by open addressing, until all are coded or `firsts` is full.

    Integers are rows of one word, fixed-width text rows of several.

    Parameters
    ----------
    words : (n * width,) rows of words, one after the other
    start : where the first of them stands among all rows
    codes : (n,) the code of each row, to be filled in
    keys : (len(firsts), width) the distinct rows, to be filled in after those that are known
    slots : (power of two,) code of the row in each slot, -1 for none; more than `firsts` has
    firsts : where each code first occurs; `n_distinct` are known

    Returns
    -------
    How many rows are coded, and how many distinct ones there are.
    """
    width = keys.shape[1]
    factors = _factors_of(width)
    # Unsigned positions: a signed one is checked for being negative at every load.
    mask = np.uint64(slots.size - 1)
    known = keys.reshape(-1)
    at = np.uint64(0)
    for i in range(codes.size):
        slot = _slot_of(words, at, width, factors, mask)
        while True:
            found = slots[slot]
            if found < 0:
                if n_distinct == firsts.size:
                    return i, n_distinct
                found = np.int32(n_distinct)
                slots[slot] = found
                firsts[n_distinct] = start + i
                for j in range(width):
                    known[n_distinct * width + j] = words[at + np.uint64(j)]
                n_distinct += 1
                break
            first = np.uint64(found) * np.uint64(width)
            unlike = np.uint64(0)
            for j in range(width):
                unlike |= np.uint64(known[first + np.uint64(j)] ^ words[at + np.uint64(j)])
            if unlike == 0:
                break
            slot = (slot + np.uint64(1)) & mask
        codes[np.uint64(i)] = found
        at += np.uint64(width)
    return codes.size, n_distinct


@kernel()
def fill_slots(keys: NDArray[Any], n_distinct: int, slots: NDArray[np.int32]) -> None:
    """Put known rows into slots that are all -1, as :func:`number_rows` looks for them."""
    width = keys.shape[1]
    factors = _factors_of(width)
    mask = np.uint64(slots.size - 1)
    known = keys.reshape(-1)
    for code in range(n_distinct):
        slot = _slot_of(known, np.uint64(code * width), width, factors, mask)
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = np.int32(code)


@kernel()
def look_up_rows(
    words: NDArray[Any],
    codes: NDArray[np.int8],
    block: int,
    factors: Any,
    shift: np.uint64,
    keys: NDArray[Any],
    numbers: NDArray[np.int8],
) -> int:
    """Code rows that are known, each of which has a slot of its own: no row is looked for in a second one.

    Parameters
    ----------
    words : (n * width,) rows of words, one after the other
    codes : (n,) the code of each row, to be filled in
    block : rows that are coded before it is seen whether all were known
    factors : tuple of one for each word of a row: the row's slot is the sum of the products, less its last bits
    shift : how many of them
    keys : (slots * width,) the row in each slot; in an empty one any that belongs elsewhere
    numbers : (slots,) its code

    Returns
    -------
    How many rows are coded: all, or those before the block in which there is another.
    """
    width = len(factors)
    for first in range(0, codes.size, block):
        unlike = np.uint64(0)
        # Without a branch, and for each width a loop of its own, several rows are looked up at a time.
        for i in range(first, min(first + block, codes.size)):
            at = np.uint64(i) * np.uint64(width)
            slot = np.uint64(0)
            for j in range(width):
                slot += np.uint64(words[at + np.uint64(j)]) * factors[j]
            slot >>= shift
            own = slot * np.uint64(width)
            for j in range(width):
                unlike |= np.uint64(keys[own + np.uint64(j)] ^ words[at + np.uint64(j)])
            codes[np.uint64(i)] = numbers[slot]
        if unlike != 0:
            return first
    return codes.size


# All ones: no text begins like this.
_NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


@merged
def _load(text: NDArray[np.uint8], at: Any) -> Any:
    """Eight bytes as a word: LLVM makes one load of them."""
    word = np.uint64(text[at])
    for k in range(1, 8):
        word |= np.uint64(text[at + np.uint64(k)]) << np.uint64(8 * k)
    return word


@subroutine()
def _first_bytes(word: Any, n: Any) -> Any:
    """Keep the first bytes of a word; all, if n is 8 or more, and none if it is not above 0."""
    half = np.uint64(32 - 4 * min(max(n, 0), 8))
    # Twice, for a shift by 64 is none.
    return word << half << half >> half >> half


@merged
def _known_in_place(
    text: NDArray[np.uint8],
    at: Any,
    length: Any,
    masks: NDArray[np.uint64],
    factors: Any,
    shift: Any,
    keys: Any,
    lengths: Any,
    unlike: Any,
) -> Any:
    """Slot of the string that begins at `at`; to `unlike` are added the bits in which it differs from that slot's."""
    width = len(factors)
    mask = min(length, np.uint64(8 * width)) * np.uint64(width)
    slot = _slot_in_place(text, at, masks, mask, factors, shift)
    unlike |= _unlike_in_place(text, at, masks, mask, width, keys, slot * np.uint64(width))
    unlike |= lengths[slot] ^ length
    return slot, unlike


@merged
def _slot_in_place(
    text: NDArray[np.uint8], at: Any, masks: NDArray[np.uint64], mask: Any, factors: Any, shift: Any
) -> Any:
    """Slot of the string that begins at `at`, of whose words `masks` keep what belongs to it."""
    slot = np.uint64(0)
    for j in range(len(factors)):
        word = _load(text, at + np.uint64(8 * j)) & masks[mask + np.uint64(j)]
        slot += word * factors[j]
    return slot >> shift


@merged
def _unlike_in_place(
    text: NDArray[np.uint8], at: Any, masks: NDArray[np.uint64], mask: Any, width: int, keys: Any, own: Any
) -> Any:
    """Bits in which a string differs from the row of `keys` that begins at `own`."""
    unlike = np.uint64(0)
    for j in range(width):
        word = _load(text, at + np.uint64(8 * j)) & masks[mask + np.uint64(j)]
        unlike |= keys[own + np.uint64(j)] ^ word
    return unlike


@kernel()
def look_up_strings(
    offsets: NDArray[Any],
    text: NDArray[np.uint8],
    masks: NDArray[np.uint64],
    codes: NDArray[np.int8],
    block: int,
    factors: Any,
    shift: np.uint64,
    keys: NDArray[np.uint64],
    lengths: NDArray[np.uint64],
    numbers: NDArray[np.int8],
) -> int:
    """Code strings that are known where they lie; see :func:`look_up_rows`.

    Parameters
    ----------
    offsets : (n + 1,) where each string begins, and the last ends
    text : bytes, so many that a row of words may be read from where each string begins
    masks : ((8 * width + 1) * width,) for each length the bytes of a row that belong to a string of that length
    codes, block, factors, shift, keys, numbers : as there
    lengths : (slots,) bytes of the string in each slot

    Returns
    -------
    How many strings are coded: all, or those before the block in which there is another.
    """
    for first in range(0, codes.size, block):
        unlike = np.uint64(0)
        for i in range(np.uint64(first), np.uint64(min(first + block, codes.size))):
            at = np.uint64(offsets[i])
            length = np.uint64(offsets[i + np.uint64(1)]) - at
            slot, unlike = _known_in_place(text, at, length, masks, factors, shift, keys, lengths, unlike)
            codes[i] = numbers[slot]
        if unlike != 0:
            return first
    return codes.size


@kernel()
def look_up_views(
    views: NDArray[np.uint64],
    own: int,
    buffers: NDArray[np.int64],
    text: NDArray[np.uint8],
    masks: NDArray[np.uint64],
    codes: NDArray[np.int8],
    block: int,
    factors: Any,
    shift: np.uint64,
    keys: NDArray[np.uint64],
    lengths: NDArray[np.uint64],
    numbers: NDArray[np.int8],
) -> int:
    """Code strings of views that are known where they lie; see :func:`look_up_strings` and :func:`place_views`.

    Parameters
    ----------
    views, own, buffers : as there; at least one buffer
    text : bytes, at least as many as a row has; strings from whose beginning no row may be read are taken as unknown
    masks, codes, block, factors, shift, keys, lengths, numbers : as there
    """
    last = np.uint64(text.size) - np.uint64(8 * len(factors))
    low = np.uint64(0xFFFFFFFF)
    for first in range(0, codes.size, block):
        unlike = np.uint64(0)
        for i in range(np.uint64(first), np.uint64(min(first + block, codes.size))):
            length = views[np.uint64(2) * i] & low
            tail = views[np.uint64(2) * i + np.uint64(1)]
            outside = length > 12
            begin = np.uint64(buffers[tail & low if outside else np.uint64(0)]) + (tail >> np.uint64(32))
            begin = begin if outside else np.uint64(own) + np.uint64(16) * i + np.uint64(4)
            at = min(begin, last)
            slot, unlike = _known_in_place(text, at, length, masks, factors, shift, keys, lengths, unlike)
            unlike |= begin ^ at
            codes[i] = numbers[slot]
        if unlike != 0:
            return first
    return codes.size


@kernel()
def pack_strings(
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    text: NDArray[np.uint8],
    width: int,
    packed: NDArray[np.uint64],
) -> bool:
    """Pack strings into rows of `width` words, filled up with zeros; a null becomes a row of ones.

    The loops are written out: an array that is passed on for each string would be counted as in use each time.

    Parameters
    ----------
    starts, lengths : (n,) where each string begins, and its bytes; -1 for a null
    text : bytes, at least eight
    packed : (n * width,) to be filled in

    Returns
    -------
    Whether a string ends in a zero, which looks like filling.
    """
    zero_ends = False
    for i in range(starts.size):
        at = starts[i]
        length: Any = lengths[i]
        row = i * width
        if length < 0:
            for j in range(width):
                packed[np.uint64(row + j)] = _NOTHING
        elif at + 8 * width <= text.size:
            for j in range(width):
                word = _load(text, np.uint64(at + 8 * j))
                packed[np.uint64(row + j)] = _first_bytes(word, length - 8 * j)
        else:
            # The last words would end beyond the memory.
            for j in range(width):
                start: Any = min(at + 8 * j, np.int64(text.size - 8))
                word = _load(text, np.uint64(start)) >> np.uint64(8 * min(at + 8 * j - start, 7))
                packed[np.uint64(row + j)] = _first_bytes(word, length - 8 * j)
        if length > 0:
            zero_ends |= text[np.uint64(at + length - 1)] == 0
    return zero_ends


@kernel()
def place_views(
    views: NDArray[np.uint64],
    own: int,
    buffers: NDArray[np.int64],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> None:
    """Fill in where the strings of views begin: up to twelve bytes are in the view itself, more in one of some buffers.

    Parameters
    ----------
    views : (2 * n,) length and first bytes; the others, or buffer and offset
    own : where the first view begins
    buffers : where each buffer begins
    starts, lengths : (n,) to be filled in
    """
    half = np.uint64(32)
    low = np.uint64(0xFFFFFFFF)
    for i in range(starts.size):
        length = np.int64(views[np.uint64(2 * i)] & low)
        lengths[i] = length
        starts[i] = own + 16 * i + 4
        tail = views[np.uint64(2 * i + 1)]
        # The view of a null may say anything.
        if length > 12 and (tail & low) < np.uint64(buffers.size):
            starts[i] = buffers[np.int64(tail & low)] + np.int64(tail >> half)
