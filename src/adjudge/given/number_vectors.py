"""Vectors of numbers, one for each row: measurements, numeric targets, and predictions of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, a_type, in_words
from adjudge.given.alignment import AlignedLabels, align_labels, common_length
from adjudge.given.arrays import number_array
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.weights import Weighting
from adjudge.given.written import is_number

# Squares of differences up to here, and sums of very many of them, stay within floating point.
_LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class NumberVector:
    """Numbers, and how much each counts.

    Attributes
    ----------
    values : ndarray of float64 of shape (n,)
    weights : ndarray of shape (n,) or None
        How many instances each row stands for (integers), or its sampling weight (floats); None for 1 each.
    """

    values: Floats
    weights: NDArray[Any] | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.values.size

    @property
    def are_answers(self) -> bool:
        """Whether each number is 1, for a right answer, or 0."""
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    def given(self) -> Floats:
        """Return the numbers as they were given."""
        return self.values

    def take(self, positions: NDArray[Any]) -> NumberVector:
        """Return some rows."""
        weights = None if self.weights is None else self.weights[positions]
        return NumberVector(self.values[positions], weights)

    def weighing(self, weights: NDArray[Any] | None) -> NumberVector:
        """Return the same numbers with weights."""
        return replace(self, weights=weights)


def read_numbers(given: Any, name: str) -> Floats:
    """Check a vector of numbers; gaps are nan.

    Parameters
    ----------
    given : array-like of shape (n,), or Column
    name : str
        What errors call it, unless it is a :class:`Column`.

    Raises
    ------
    InputError
        If numbers are infinite, very large, or not one for each row.
    InputTypeError
        If it is not a sequence of numbers.
    """
    if isinstance(given, Column):
        name, given = given.name, given.values
    if isinstance(given, (str, bytes, Mapping, set, frozenset)) or given is None:
        raise InputTypeError(Argument(name), f" is {a_type(given)}: give one number for each row")
    if isinstance(given, Iterator):
        given = list(given)
    if hasattr(given, "given"):  # labels that were coded
        given = given.given()
    found = number_array(given, name, " is nested: give one number for each row")
    if found.dtype.kind not in "iubf":
        if found.size and found.dtype.kind in "OU":
            texts = [(own, i) for i, own in enumerate(found.reshape(-1).tolist()) if isinstance(own, str)]
            if texts:
                worst, where = next((one for one in texts if not is_number(one[0])), texts[0])
                said = f" has {in_words(worst)} ", Position(where), ", which is not a number"
                raise InputTypeError(Argument(name), *said)
        raise InputTypeError(Argument(name), f" has dtype {found.dtype}: give one number for each row")
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise InputError(Argument(name), f" has shape {found.shape}: give one number for each row")
    if found.size == 0:
        raise InputError(Argument(name), " is empty: at least one number is needed")
    values = np.asarray(found, np.float64)
    bad = np.abs(values) > _LARGEST
    if bad.any():
        where = int(np.argmax(bad))
        raise InputError(
            Argument(name),
            f" has {in_words(float(values[where]))} ",
            Position(where),
            ": give a finite number",
        )
    return values


def read_amounts(given: Any, name: str) -> Floats:
    """Check a vector of numbers that are not negative; gaps are nan."""
    values = read_numbers(given, name)
    bad = np.flatnonzero(values < 0)
    if bad.size:
        raise InputError(
            Argument(name),
            f" has {in_words(float(values[bad[0]]))} ",
            Position(bad[0]),
            ": costs by instance are not negative",
        )
    return values


def gaps_of(values: Floats, name: str, absent: Bools | None, *, drops: bool) -> Bools:
    """Mask the rows that lack a number, but for `absent` ones; raise if any does, and is not to be dropped."""
    gaps = np.isnan(values)
    if absent is not None and absent.size == values.size:
        gaps &= ~absent
    if gaps.any() and not drops:
        raise InputError(
            Argument(name),
            " has no number ",
            Position(int(np.argmax(gaps))),
            f" ({int(gaps.sum())} in all): fill it in, or pass ",
            Option("missing", "drop"),
            " to leave such rows out",
        )
    return gaps


def align_numbers(
    named: Mapping[str, Any], treatment: LabelOptions, weighting: Weighting, groups: Mapping[str, Any]
) -> tuple[dict[str, NumberVector], AlignedLabels]:
    """Read several vectors of the same rows without rows that lack a number, and align their units and groups."""
    read = {name: read_numbers(own, name) for name, own in named.items()}
    n = common_length(read)
    absent = weighting.absent
    incomplete = np.zeros(n, np.bool_)
    for name, own in read.items():
        gaps = gaps_of(own, name, absent, drops=treatment.missing_of(name) == "drop")
        if gaps.all():
            raise InputError(Argument(name), " has no number in any row: give its numbers, or leave it out")
        incomplete |= gaps
    # Rows are aligned as labels are, and these are all alike.
    alike = {next(iter(read)): np.zeros(n, np.int8)}
    drops = LabelOptions("drop" if treatment.drops_missing else "raise")
    aligned = align_labels(alike, drops, weighting.beside, absent, incomplete, groups)
    kept = slice(None) if aligned.kept is None else aligned.kept
    return {name: NumberVector(own[kept]) for name, own in read.items()}, aligned
