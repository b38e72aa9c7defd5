"""Which of several models are right together: the 2^m patterns of m models, and their instances."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option, UnknownIndexError
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.omitted import LeftOut, OfRows, fields_of
from adjudge.saved.savable import Savable
from adjudge.statistics.patterns import OutcomePatterns

# With more models, a table of all patterns would have too many rows to read.
_MOST_TO_LIST = 12
_MARKS = ("-", "right")


@dataclass(frozen=True, eq=False, repr=False)
class Patterns(Result, Savable, Mapping[frozenset[str], int]):
    """How often each set of models is right while all others are wrong.

    ``patterns[{"a", "b"}]`` counts the instances on which exactly a and b are right, ``patterns[()]`` those on
    which no model is.

    Attributes
    ----------
    models : tuple of str
    found : OutcomePatterns
        The patterns that occur.

    Examples
    --------
    >>> from adjudge import compare
    >>> truth = ["cat", "cat", "dog", "dog"]
    >>> models = {"one": ["cat", "cat", "dog", "cat"], "two": ["cat", "dog", "cat", "cat"]}
    >>> patterns = compare(truth, models, kind="classification").patterns
    >>> patterns[{"one"}], patterns[()]
    (2, 1)
    >>> patterns.instances({"one"}), patterns.nobody()
    (array([1, 2]), array([3]))
    """

    models: tuple[str, ...]
    found: OutcomePatterns
    _codes: NDArray[np.int64] | LeftOut = field(default_factory=lambda: np.empty(0, np.int64))
    _kept: NDArray[np.int64] | LeftOut | None = None

    def _saved_fields(self) -> dict[str, Any]:
        found = fields_of(self) | {"_kept": OfRows(self._kept)}
        return found if self.is_counted else found | {"_codes": OfRows(self._codes)}

    @property
    def is_counted(self) -> bool:
        """Whether the patterns were made from counts alone."""
        return isinstance(self._codes, np.ndarray) and not self._codes.size

    @property
    def n(self) -> float:
        """Number of instances, or their weight."""
        return self.found.n

    @cached_property
    def _counts(self) -> dict[int, int]:
        return dict(zip(self.found.codes.tolist(), self.found.counts.tolist(), strict=True))

    def __getitem__(self, right: Collection[str]) -> int:
        return self._counts.get(self._code(right), 0)

    def __iter__(self) -> Iterator[frozenset[str]]:
        """Yield the sets that occur, the most frequent first."""
        order = np.argsort(-self.found.counts, kind="stable")
        for row in self.found.right[order]:
            yield frozenset(name for name, right in zip(self.models, row.tolist(), strict=True) if right)

    def __len__(self) -> int:
        return int(self.found.codes.size)

    def _code(self, right: Collection[str]) -> int:
        names = {right} if isinstance(right, str) else set(right)
        unknown = sorted(names - set(self.models))
        if unknown:
            raise UnknownIndexError(f"{unknown[0]!r} is not a model: choose one of {', '.join(self.models)}")
        return sum(1 << j for j, name in enumerate(self.models) if name in names)

    def instances(self, right: Collection[str]) -> NDArray[np.int64]:
        """Return the input positions, counted from 0, of the instances where these models are right and no others.

        Parameters
        ----------
        right : str or collection of str
            Names of models; none for the instances that nobody gets right.
        """
        if self.is_counted:
            raise InputError("the instances are not known: the patterns were made from counts alone")
        if isinstance(self._codes, LeftOut):
            self._codes.read()
        positions = np.flatnonzero(self._codes == self._code(right))
        return self._kept[positions] if isinstance(self._kept, np.ndarray) else positions

    def nobody(self) -> NDArray[np.int64]:
        """Return the instances that no model gets right."""
        return self.instances(())

    def only(self, model: str) -> NDArray[np.int64]:
        """Return the instances that one model alone gets right."""
        return self.instances((model,))

    @property
    def by_number_right(self) -> NDArray[np.int64]:
        """Numbers of instances by how many models are right, shape (m + 1,): 0, 1 ... all m."""
        return np.bincount(self.found.right.sum(axis=1), self.found.counts, len(self.models) + 1).astype(
            np.int64
        )

    def table(self, *, absent: bool = False) -> Table:
        """One row per pattern, the most frequent first: who is right, how many instances, and their share.

        Parameters
        ----------
        absent : bool, default False
            Also list the patterns that do not occur: 2^m rows for m models.
        """
        codes, counts, m = self.found.codes, self.found.counts, len(self.models)
        if absent:
            if m > _MOST_TO_LIST:
                raise InputError(
                    f"{m} models have {2**m:,} patterns: leave ",
                    Option("absent"),
                    f" out, or compare {_MOST_TO_LIST} at most",
                )
            every = np.arange(1 << m)
            all_counts = np.zeros(1 << m, np.int64)
            all_counts[codes] = counts
            codes, counts = every, all_counts
        known = OutcomePatterns(codes, counts, m)
        order = np.argsort(-counts, kind="stable")
        rows = []
        for marks, count in zip(known.right[order].tolist(), counts[order].tolist(), strict=True):
            rows.append((*(_MARKS[mark] for mark in marks), sum(marks), count, count / self.n))
        heads = (*self.models, "models right", "instances", "share")
        return Table(heads, tuple(rows), "Who is right at once")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: the patterns that occur, the most frequent first."""
        found = [{"right": [m for m in self.models if m in right], "count": self[right]} for right in self]
        return {"models": list(self.models), "n": self.n, "patterns": found}
