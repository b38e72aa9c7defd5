"""Rows of words (fixed-width text, large integers, packed strings) numbered by their values, in one pass over memory.

As a rule all distinct rows are among the first few thousand. Once these are known, each has its own slot in a small
table, and the remaining rows are looked up there without a branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.given.codes import LIMITS, renumbered
from adjudge.kernels.coding import WIDEST, fill_slots, look_up_rows, number_rows
from adjudge.parallel import in_threads, spans

__all__ = ["WIDEST", "ArrayRows", "KnownRows", "Numbered", "WordRows", "numbered", "word_of"]

Codes = NDArray[Any]
Ints = NDArray[np.int64]

# Rows that are searched for new ones at a time.
_BLOCK = 1 << 12
# Slots of the largest table, and how many factors are tried for each size.
_MOST_SLOTS = 1 << 13
_TRIALS = 16
# 2^64 over the golden ratio.
_MULTIPLIER = 0x9E3779B97F4A7C15
_WORD = 1 << 64


def word_of(size: int) -> np.dtype[Any]:
    """Return the widest word that divides a row of `size` bytes, so that fewer words are hashed and compared."""
    return next(np.dtype(f"u{b}") for b in (8, 4, 2, 1) if size % b == 0)


class WordRows(Protocol):
    """Rows of words, read some at a time."""

    @property
    def width(self) -> int:
        """Words per row."""
        ...

    def __len__(self) -> int: ...

    def blocks(self, part: slice) -> Iterator[NDArray[Any]]:
        """Yield the words of some rows, one row after the other."""
        ...

    def look_up(self, part: slice, codes: Codes, known: KnownRows) -> int | None:
        """Code known rows without converting them to words, up to the first block with an unknown row.

        Returns how many were coded; None if such rows cannot be coded this way.
        """
        ...

    def order(self, keys: NDArray[Any], places: Ints) -> Ints:
        """Return the order that sorts rows as labels; `keys` has shape (rows, width), `places` are their positions."""
        ...


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Known rows, each in its own slot, where a loop without a branch looks them up.

    Attributes
    ----------
    factors : ndarray of uint64 of shape (width,)
        One for each word of a row: the row's slot is the sum of the products without its last bits.
    shift : int
        Number of bits dropped.
    keys : ndarray of shape (slots * width,)
        The row in each slot; an empty slot holds one that belongs elsewhere.
    numbers : ndarray of int8 of shape (slots,)
        Its code.
    """

    factors: NDArray[np.uint64]
    shift: int
    keys: NDArray[Any]
    numbers: NDArray[np.int8]

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return len(self.factors) * self.keys.itemsize

    @cached_property
    def for_strings(self) -> tuple[Any, ...]:
        """Arguments of the loops over strings, including the length of each row in bytes."""
        return self.factors, self.shift, self.keys, self._lengths, self.numbers

    @property
    def _lengths(self) -> NDArray[np.uint64]:
        """Bytes of the row in each slot, without the zeros that pad it."""
        filled = self.keys.reshape(self.numbers.size, -1).view(np.uint8) != 0
        behind = np.where(filled.any(axis=1), filled[:, ::-1].argmax(axis=1), filled.shape[1])
        return np.asarray(filled.shape[1] - behind, np.uint64)


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """The entries of an array as rows of words."""

    values: NDArray[Any]

    @property
    def width(self) -> int:
        """See `WordRows`."""
        return self.values.dtype.itemsize // word_of(self.values.dtype.itemsize).itemsize

    def __len__(self) -> int:
        return self.values.size

    def blocks(self, part: slice) -> Iterator[NDArray[Any]]:
        """See `WordRows`."""
        yield np.ascontiguousarray(self.values[part]).view(word_of(self.values.dtype.itemsize))

    def look_up(self, part: slice, codes: Codes, known: KnownRows) -> int | None:
        """See `WordRows`: these rows are words already."""
        return None

    def order(self, keys: NDArray[Any], places: Ints) -> Ints:
        """See `WordRows`."""
        return np.argsort(keys.view(self.values.dtype).ravel())


@dataclass(frozen=True, eq=False)
class Numbered:
    """Rows numbered by their values, in one part per thread.

    Attributes
    ----------
    firsts : ndarray of int64 of shape (distinct rows,)
        A position of each distinct row, in arbitrary order.
    distinct : ndarray of shape (distinct rows, width)
        The rows themselves.
    """

    firsts: Ints
    distinct: NDArray[Any]
    _codes: Codes
    _parts: list[tuple[slice, Codes, NDArray[np.int32]]]

    def ranked(self, ranks: NDArray[np.int32]) -> Codes:
        """Return the rank of each row, given that of each distinct one; this works only once."""
        narrow = ranks.size <= LIMITS[np.int8]
        into = self._codes if narrow else np.empty(self._codes.size, np.int32)
        for part, codes, numbers in self._parts:
            own = ranks[numbers]
            if not (codes.dtype == into.dtype and np.shares_memory(codes, into) and _counts_up(own)):
                renumbered(codes, own, into[part])
        return into


def _counts_up(numbers: NDArray[Any]) -> bool:
    return bool((numbers == np.arange(numbers.size)).all())


def numbered(rows: WordRows) -> Numbered:
    """Enumerate rows by their values; apart from one byte per row, memory grows only with the distinct rows."""
    codes = np.empty(len(rows), np.int8)
    parts = spans(len(rows))
    found = in_threads(lambda part: _numbered_part(rows, part, codes[part]), parts)
    keys = np.concatenate([one.distinct for one in found])
    firsts = np.concatenate([one.firsts for one in found])
    again = _Numbering(rows.width, np.empty(len(keys), np.int8))
    again.learn(keys.ravel())
    numbers = np.split(again.codes.astype(np.int32), np.cumsum([len(one.distinct) for one in found])[:-1])
    joined = [(part, one.codes, own) for part, one, own in zip(parts, found, numbers, strict=True)]
    return Numbered(firsts[again.firsts], again.distinct, codes, joined)


def _numbered_part(rows: WordRows, part: slice, codes: Codes) -> _Numbering:
    found = _Numbering(rows.width, codes, part.start)
    done = part.start
    while done < part.stop:
        looked_up = found.look_up(rows, slice(done, part.stop))
        stop = part.stop
        if looked_up is not None:
            done += looked_up
            stop = min(done + _BLOCK, stop)
        for words in rows.blocks(slice(done, stop)):
            found.add(words, rows)
        done = stop
    return found


class _Numbering:
    """Numbers rows as they come.

    Attributes
    ----------
    codes : ndarray
        The number of each row: the array that was given, unless the numbers outgrow its type.
    """

    def __init__(self, width: int, codes: Codes, start: int = 0) -> None:
        self.codes = codes
        self._width = width
        self._start = start
        self._done = 0
        self._known = 0
        self._firsts = np.empty(int(LIMITS[np.int8]), np.int64)
        self._keys: NDArray[Any] = np.empty((0, width))
        self._slots = np.full(4 * self._firsts.size, -1, np.int32)
        self._table: KnownRows | None = None

    @property
    def firsts(self) -> Ints:
        """Where each distinct row occurs first."""
        return self._firsts[: self._known]

    @property
    def distinct(self) -> NDArray[Any]:
        """The distinct rows."""
        return self._keys[: self._known]

    @property
    def _may_look_up(self) -> bool:
        """Whether rows may be looked up without a branch, once they are known."""
        return self._width <= WIDEST and self.codes.dtype == np.int8

    def look_up(self, rows: WordRows, part: slice) -> int | None:
        """Enumerate known rows in place; return how many, or None if there is no point in asking again."""
        if self._table is None:
            return 0 if self._may_look_up and not self._done else None
        own = self.codes[self._done : self._done + part.stop - part.start]
        found = rows.look_up(part, own, self._table)
        self._done += found or 0
        return found

    def add(self, words: NDArray[Any], rows: WordRows) -> None:
        """Enumerate further rows."""
        done, n, width = 0, words.size // self._width, self._width
        while done < n:
            if self._table is not None:
                own = self.codes[self._done : self._done + n - done]
                table = self._table
                found = look_up_rows(
                    words[done * width :],
                    own,
                    _BLOCK,
                    table.factors,
                    table.shift,
                    table.keys,
                    table.numbers,
                )
                done += found
                self._done += found
            if done < n:
                may_look_up, known = self._may_look_up, self._known
                stop = min(n, done + _BLOCK) if may_look_up else n
                self.learn(words[done * width : stop * width])
                done = stop
                if may_look_up and self._known > known:
                    self._arrange(rows)

    def learn(self, words: NDArray[Any]) -> None:
        """Enumerate further rows, some of which may be new."""
        if self._known == 0:
            self._keys = np.empty((self._firsts.size, self._width), words.dtype)
        done, n = 0, words.size // self._width
        while True:
            some, self._known = number_rows(
                words[done * self._width :],
                self._start + self._done,
                self.codes[self._done : self._done + n - done],
                self._keys.ravel(),
                self._slots,
                self._firsts,
                self._known,
            )
            done += some
            self._done += some
            if done == n:
                return
            size = 4 * self._firsts.size
            self._firsts = np.concatenate([self._firsts, np.empty(size - self._firsts.size, np.int64)])
            more = np.empty((size - len(self._keys), self._width), self._keys.dtype)
            self._keys = np.concatenate([self._keys, more])
            self._slots = np.full(4 * size, -1, np.int32)
            fill_slots(self._keys.ravel(), self._width, self._known, self._slots)
            if self.codes.dtype != np.int32:
                self.codes = self.codes.astype(np.int32)

    def _arrange(self, rows: WordRows) -> None:
        """Give the known rows their slots; the first time, sort them as labels, as no others may follow."""
        if self._done <= _BLOCK:
            order = rows.order(self.distinct, self.firsts)
            ranks = np.empty(order.size, self.codes.dtype)
            ranks[order] = np.arange(order.size)
            self.codes[: self._done] = ranks[self.codes[: self._done]]
            self._keys[: self._known] = self.distinct[order]
            self._firsts[: self._known] = self.firsts[order]
            self._slots.fill(-1)
            fill_slots(self._keys.ravel(), self._width, self._known, self._slots)
        self._table = _table_without_collisions(self.distinct) if self.codes.dtype == np.int8 else None


def _table_without_collisions(keys: NDArray[Any]) -> KnownRows | None:
    """Give each row its own slot; return None if some rows always share one."""
    n, width = keys.shape
    factor = _MULTIPLIER
    slots = 1 << (2 * n - 1).bit_length()
    while slots <= _MOST_SLOTS:
        shift = 65 - slots.bit_length()
        for _ in range(_TRIALS):
            factors = np.empty(width, np.uint64)
            for j in range(width):
                factors[j] = factor
                factor = factor * _MULTIPLIER % _WORD
            own = np.multiply(keys, factors, dtype=np.uint64).sum(axis=1) >> np.uint64(shift)
            if np.unique(own).size == n:
                table, numbers = np.empty((slots, width), keys.dtype), np.zeros(slots, np.int8)
                table[:] = keys[0]
                table[own], numbers[own] = keys, np.arange(n)
                return KnownRows(factors, shift, table.ravel(), numbers)
        slots *= 2
    return None
