"""Calls of compiled kernels with whatever their signatures let through.

`python tests/kernel_calls.py SUBJECT SEED CALLS` calls every kernel of a subject in a process that may crash, and
prints what it found. What to pass is searched for: what gets further, that is to another message or to a result, is
varied next.
"""

from __future__ import annotations

import faulthandler
import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from adjudge.inference.common.event_sums import incomplete_gamma

DTYPES = tuple(np.dtype(code) for code in "?bhilBHILfd")
# No kernel takes these.
FOREIGN = tuple(np.dtype(code) for code in ("F", "e", "O", "U2", ">f8", ">i8", "M8[s]"))
# Kernels want lengths that go together: of few short ones many do by chance.
SHORT = (1, 2, 2, 3, 4, 4)
LENGTHS = (0, 5, 7, 8, 12, 16, 64)
FAR = 1 << 61
MANY = 1 << 40
WHOLE = (-FAR, -1, 0, 1, 2, 3, 4, 8, 61, 62, 63, 64, FAR)
REAL = (-np.inf, -1.0, 0.0, 5e-324, 1e-9, 0.5, 1.0, 2.0, 1e16, 1e308, np.inf, np.nan)
# Shapes of arrays, and numbers, that are not found soon enough.
_BLOCKS = {"rows": (128, 2), "tiles": (2, 2, 64), "boxes": (2, 2, 2), "widths": (2,), "of_block": (2,)}
_SPARSE = {
    f"{rows}_rows[{part}]": (length,)
    for rows in ("row", "column")
    for part, length in enumerate((3, 4, 4, 2, 2))
}
_GROUPS = {
    f"groups[{part}]": shape for part, shape in ((1, (1,)), (3, (0,)), (4, (4, 8)), (5, (2,)), (6, (4, 8)))
}
STARTS: dict[str, dict[str, Any]] = {
    "add_half_squares": _SPARSE,
    "add_probabilities": {
        "values": (4, 2),
        **dict.fromkeys(("codes", "groups", "named", "weights"), (4,)),
        "n_bins": 2,
        "sums": (12, 5),
    },
    "cosine_distances": _SPARSE,
    "draw_chain": {"limits": (3,)},
    "find_candidates": {
        "bounds": (3,),
        **dict.fromkeys(("lows", "low_pairs", "highs", "high_pairs"), (4,)),
        **dict.fromkeys(("distances", "least", "most"), (2, 2)),
        **dict.fromkeys(("row_errors", "column_errors", "row_cluster"), (2,)),
    },
    "least_reach_of_blocks": _BLOCKS,
    "nearest_of_blocks": {"nearest": (128,), **_BLOCKS},
    "neighbours_in_blocks": {
        "rows": (4, 2),
        "tiles": (1, 2, 4),
        "boxes": (2, 1, 2),
        "starts": (2,),
        "first": 0,
        "last": 1,
        **dict.fromkeys(("squares", "positions"), (1, 2)),
    },
    "sum_tails": {"windows": (2, 2), **dict.fromkeys(("counts", "sums"), (2, 3)), **_GROUPS},
    "number_rows": {"rows": (4,), "size": 1, "codes": (4,)},
    "number_strings": {"offsets": (5,), "text": (16,), "codes": (4,), "valid": (2,), "first": 8},
    "number_views": {"views": (64,), "codes": (4,), "valid": (2,), "first": 8},
}
# What is no array and no number, by name.
OBJECTS = {"functions": incomplete_gamma(), "buffers": [np.arange(16, dtype=np.uint8), np.zeros(0, np.uint8)]}
# Values that are kept of those that led to one message.
KEPT = 8
# Sums of these are no larger than there are instances.
COUNTS = {"counts", "lanes", "sizes", "row_sums", "col_sums", "weights"}
# A kernel takes as long, or as much memory, as these say.
AMOUNTS = {"n_warm_up", "max_iter", "times", "most_cells"}


@dataclass(frozen=True)
class Leaf:
    """What is passed as a parameter, or as a part of one that is a tuple."""

    name: str
    kind: str  # "array", "int", "float", "bool" or "object"
    dtype: np.dtype[Any] | None = None
    ndim: int = 0
    writable: bool = False
    contiguous: bool = False
    any_shape: bool = False


@dataclass
class Entry:
    """One overload of a kernel."""

    name: str
    call: Callable[..., Any]
    parameters: list[Leaf | tuple[Leaf, ...]]
    leaves: list[Leaf] = field(init=False)

    def __post_init__(self) -> None:
        self.leaves = [
            leaf
            for parameter in self.parameters
            for leaf in (parameter if isinstance(parameter, tuple) else (parameter,))
        ]

    def __call__(self, values: list[Any]) -> Any:
        """Call with a value for each leaf."""
        left = iter(values)
        return self.call(
            *(
                tuple(next(left) for _ in parameter) if isinstance(parameter, tuple) else next(left)
                for parameter in self.parameters
            )
        )


def parts_of(text: str) -> list[str]:
    """Split what commas part, where no bracket is open."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def leaf_of(name: str, text: str) -> Leaf:
    """Read the type of a parameter."""
    if not text.startswith("ndarray"):
        return Leaf(name, {"int": "int", "float": "float", "bool": "bool"}.get(text, "object"))
    dtype = re.search(r"dtype=(\w+)", text)
    shape = re.search(r"shape=\(([^)]*)\)", text)
    return Leaf(
        name,
        "array",
        np.dtype(dtype[1]) if dtype else None,
        shape[1].count("*") if shape else 1,  # or of any shape
        "writable=False" not in text,
        "order='C'" in text,
        shape is None,
    )


def entries_of(module: ModuleType) -> Iterator[Entry]:
    """Yield all overloads of all kernels of a subject."""
    for name, function in vars(module).items():
        for signature, *_ in getattr(function, "__nb_signature__", ()):
            inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
            parameters: list[Leaf | tuple[Leaf, ...]] = []
            for part in parts_of(inside):
                own, _, text = part.partition(": ")
                if text.startswith("tuple["):
                    parameters.append(
                        tuple(leaf_of(f"{own}[{i}]", one) for i, one in enumerate(parts_of(text[6:-1])))
                    )
                else:
                    parameters.append(leaf_of(own, text))
            yield Entry(name, function, parameters)


class Search:
    """Looks for what a kernel takes, and for what it does wrong."""

    def __init__(self, entry: Entry, seed: int) -> None:
        self.entry = entry
        self.rng = random.Random(f"{entry.name} {seed}")
        self.numbers = np.random.default_rng(self.rng.getrandbits(64))
        # By message, values that led there; those of None returned.
        self.seen: dict[str | None, list[list[Any]]] = {}
        self.faults: list[str] = []

    def run(self, calls: int) -> None:
        """Call with ever other values."""
        for size in (1, 2, 4, 8):
            for dtype in (np.float64, np.int64, np.uint64):
                self.keep([self.first_value(leaf, size, np.dtype(dtype)) for leaf in self.entry.leaves])
        for _ in range(calls):
            # What was found last got furthest.
            (found,) = self.rng.choices(list(self.seen.values()), range(1, len(self.seen) + 1))
            values = list(self.rng.choice(found))
            for _ in range(self.rng.choice((1, 1, 1, 2, 3, 5))):
                place = self.rng.randrange(len(values))
                values[place] = self.varied(self.entry.leaves[place], values[place], values)
                if self.rng.random() < 0.3:
                    self.liken(place, values)
            self.keep(values)

    def liken(self, place: int, values: list[Any]) -> None:
        """Give some arrays the shape of one with as many dimensions."""
        for other, leaf in enumerate(self.entry.leaves):
            alike = leaf.kind == "array" and leaf.ndim == self.entry.leaves[place].ndim
            if alike and self.rng.random() < 0.5:
                values[other] = np.resize(values[other], values[place].shape)

    def keep(self, values: list[Any]) -> None:
        """Call, and keep the values if few have led where these do."""
        found = self.seen.setdefault(self.outcome(values), [])
        if len(found) < KEPT:
            found.append(values)
        elif self.rng.random() < 0.2:
            found[self.rng.randrange(KEPT)] = values

    def outcome(self, values: list[Any], *, copied: bool = True) -> str | None:
        """Return what a kernel says of some values; None if it returns."""
        try:
            self.entry(
                [value.copy() if copied and isinstance(value, np.ndarray) else value for value in values]
            )
        except (TypeError, ValueError) as error:
            message = str(error)
            # The binding lists the types that a kernel takes, one a line.
            if not message or ("\n" in message and "incompatible function arguments" not in message):
                self.faults.append(f"{self.entry.name} does not say in one line what is wrong: {message!r}")
            return f"{type(error).__name__}: {message.partition(chr(10))[0]}"
        except Exception as error:
            self.faults.append(f"{self.entry.name} raises {type(error).__name__}: {error}; of {values}")
            return type(error).__name__
        return None

    def first_value(self, leaf: Leaf, size: int, dtype: np.dtype[Any]) -> Any:
        """Make up something of one length on all sides."""
        given = STARTS.get(self.entry.name, {}).get(leaf.name)
        if leaf.kind == "array":
            return self.filled(leaf, given or (size,) * leaf.ndim, leaf.dtype or dtype, [size])
        if leaf.kind == "int":
            return self.rng.choice((0, 1, size)) if given is None else given
        return self.any_value(leaf, [])

    def any_value(self, leaf: Leaf, values: list[Any]) -> Any:
        """Make up something that the binding lets through."""
        if leaf.kind == "array":
            dtype = leaf.dtype or self.rng.choice(DTYPES)
            shape = tuple(self.any_length(values) for _ in range(leaf.ndim))
            return self.filled(leaf, shape, dtype, values)
        if leaf.kind == "int":
            return self.rng.choice((1, 2, 4) if leaf.name in AMOUNTS else (*WHOLE, *sizes_of(values)))
        if leaf.kind == "float":
            return self.rng.choice(REAL)
        if leaf.kind == "bool":
            return self.rng.random() < 0.5
        return OBJECTS.get(leaf.name) or np.random.default_rng(self.rng.randrange(100))

    def varied(self, leaf: Leaf, value: Any, values: list[Any]) -> Any:
        """Return another value; of an array mostly one with the same shape, type or numbers."""
        how = self.rng.random()
        if leaf.kind != "array" or how < 0.1:
            return self.any_value(leaf, values)
        if how < 0.5:
            shape = list(value.shape)
            axis = self.rng.randrange(leaf.ndim)
            shape[axis] = self.any_length(values)
            return np.resize(value, shape)
        if how < 0.6 and leaf.dtype is None:
            return cast(value, self.rng.choice(DTYPES))
        if how < 0.7 and value.size:
            spoiled = value.copy()
            worst = self.filled(leaf, (1,), value.dtype, values, "worst")
            spoiled.reshape(-1)[self.rng.randrange(value.size)] = worst[0]
            return spoiled
        return self.filled(leaf, value.shape, value.dtype, values)

    def any_length(self, values: list[Any]) -> int:
        """Return a length: often that of another array, or one that has to do with it."""
        sizes = [size for size in sizes_of(values) if 0 <= size <= 256]
        how = self.rng.random()
        if how < 0.4 or not sizes:
            return self.rng.choice(SHORT if how < 0.3 else LENGTHS)
        size, other = self.rng.choice(sizes), self.rng.choice(sizes)
        near = (size, size, size + 1, size - 1, 2 * size, 2 * (size - 1), -(-size // 4) * 4, size * other)
        return min(256, max(0, self.rng.choice(near)))

    def filled(
        self, leaf: Leaf, shape: tuple[int, ...], dtype: np.dtype[Any], values: list[Any], how: str = ""
    ) -> Any:
        """Return an array of some kind of numbers."""
        numbers = self.numbers
        n = int(np.prod(shape))
        most = max(1, self.rng.choice((2, 3, *(size for size in sizes_of(values) if 0 < size <= 256))))
        far = MANY if leaf.writable or leaf.name in COUNTS else 4 * FAR
        how = how or self.rng.choice(("few", "rising", "equal", "counting", "worst", "normal"))
        if how == "few":
            made = numbers.integers(0, most, n)
        elif how == "rising":
            made = (
                np.linspace(0, most, n).round()
                if self.rng.random() < 0.5
                else np.sort(numbers.normal(size=n))
            )
        elif how == "equal":
            made = np.full(n, self.rng.choice((0, 1, most)))
        elif how == "counting":
            made = np.arange(n)
        elif how == "normal":
            made = numbers.normal(size=n) if dtype.kind == "f" else numbers.integers(0, far, n)
        elif dtype.kind == "f":
            made = numbers.choice(REAL, n)
        else:
            ends = np.iinfo(dtype) if dtype.kind in "iu" else np.iinfo(np.int8)
            low, high = max(ends.min, -far), min(ends.max, far - 1)
            worst = [low, high, high // 2, 0, min(most, high)]
            made = np.array(worst, dtype)[numbers.integers(0, len(worst), n)]
        return cast(np.asarray(made), dtype).reshape(shape)

    def refuses_what_is_wrong(self, taken: list[set[Any]]) -> None:
        """Pass what the binding has to refuse, and off lengths, one at a time; `taken` are the types of each leaf."""
        some = next(iter(self.seen.values()))[0]
        for place, leaf in enumerate(self.entry.leaves):
            for wrong in wrong_values(leaf, taken[place]):
                self.must_refuse(some, place, wrong)
            if leaf.kind == "array" and leaf.dtype is None:
                for values in self.seen.get(None, []):
                    for dtype in FOREIGN:
                        self.must_refuse(values, place, np.zeros(values[place].shape, dtype))

    def must_refuse(self, values: list[Any], place: int, wrong: Any) -> None:
        """Call with one wrong value."""
        message = self.outcome([*values[:place], wrong, *values[place + 1 :]], copied=False)
        if message is None:
            what = f"{type(wrong).__name__} {getattr(wrong, 'dtype', wrong)} {getattr(wrong, 'strides', '')}"
            self.faults.append(f"{self.entry.name} takes {what} for {self.entry.leaves[place].name}")


def cast(values: Any, dtype: np.dtype[Any]) -> Any:
    """Return numbers in another type, whatever becomes of them."""
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def sizes_of(values: list[Any]) -> list[int]:
    """Return the lengths of all arrays, and all whole numbers."""
    sizes: list[int] = []
    for value in values:
        if isinstance(value, np.ndarray):
            sizes.extend(value.shape)
        elif type(value) is int:
            sizes.append(value)
    return sizes


def wrong_values(leaf: Leaf, taken: set[Any]) -> list[Any]:
    """Return what no kernel may take for a leaf, whatever else it is given."""
    if leaf.kind == "object":
        return [None, 1, "text"]
    if leaf.kind == "bool":
        return [None, 1.5, "text"]
    if leaf.kind == "float":
        return [None, "1", 1j, [1.0]]
    if leaf.kind == "int":
        return [None, "1", 1.5, 1 << 63, [1]]
    if leaf.any_shape:  # what is only read may also be converted
        return [None, "text", 1j]
    dtype = leaf.dtype or np.dtype(np.float64)
    shape = (4,) * leaf.ndim
    wrong: list[Any] = [None, [0] * 4, "text", np.zeros((*shape, 4), dtype), np.zeros(shape[1:], dtype)]
    if leaf.dtype is not None:
        wrong += [np.zeros(shape, other) for other in (*DTYPES, *FOREIGN) if other not in taken]
    if leaf.contiguous:
        apart = np.zeros((*shape[1:], 8), dtype)[..., ::2]
        wrong += [apart, np.zeros(shape, dtype)[::-1], np.zeros(shape, dtype)[..., ::-1]]
        if leaf.ndim > 1:
            wrong.append(np.zeros(shape, dtype, order="F"))
    if leaf.writable:
        fixed = np.zeros(shape, dtype)
        fixed.flags.writeable = False
        wrong.append(fixed)
    return wrong


def main(subject: str, seed: str, calls: str) -> None:
    """Call all kernels of a subject, and print which were reached, and what was wrong."""
    faulthandler.enable()
    module = import_module("adjudge.kernels") and sys.modules[f"adjudge.kernels.{subject}"]
    entries = list(entries_of(module))
    unreached, faults = [], []
    for number, entry in enumerate(entries):
        print(f"calling {entry.name}", file=sys.stderr, flush=True)
        search = Search(entry, int(seed) + number)
        faulthandler.dump_traceback_later(120, exit=True)
        search.run(int(calls))
        alike = [one.leaves for one in entries if one.name == entry.name]
        search.refuses_what_is_wrong(
            [{leaves[i].dtype for leaves in alike} for i in range(len(entry.leaves))]
        )
        faulthandler.cancel_dump_traceback_later()
        faults += search.faults
        if None not in search.seen:
            unreached.append([entry.name, *map(str, search.seen)])
    print(json.dumps({"kernels": len(entries), "unreached": unreached, "faults": faults[:20]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
