"""Scores as functions of numbers to which instances add: the influence of instances on any such score.

A statistic that is :class:`Linear` says which numbers formulas read of it, what it is in a population with other
numbers, and what one more instance of a cell adds to them. The slope of a formula in the numbers then gives the
influence of the instances of any cell, one that is empty included.

References
----------
Hampel (1974), The influence curve and its role in robust estimation, JASA 69, 383-393.
Danskin (1966), The theory of max-min, with applications, SIAM Journal on Applied Mathematics 14, 641-664 (the slope
of a best value is that at the best choice).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from adjudge.array_types import Floats, Ints, Limits
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence, rounding_of

#: Step of a derivative, as a part of what one instance adds: numbers depend on each other, and a longer step would
#: leave the tables that exist if a class is rare.
PART = 1e-3
#: Error of such a derivative relative to its size, which is of the order of the step's square.
ERROR = 4 * PART**2
# Most cells of a table of which each is marked if it is filled.
_MOST_MARKED = 1 << 16
# Most numbers whose statistics are held for the next score.
_MOST_HELD = 64


class Linear(Protocol):
    """Numbers to which each instance adds.

    Cells are given by the code of their instances in each labelling, as an array of shape (n_labellings, m).
    """

    def numbers(self) -> Floats:
        """Return what formulas read."""

    def alike(self) -> Ints:
        """Return, for each number, the first one in which formulas have the same slope."""

    def steps(self) -> Floats:
        """Return how much one instance may add to each number."""

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return the statistics of a population with these numbers."""

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return what one more instance of each cell adds to the numbers, along a slope."""

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the numbers with some more instances of a cell."""

    def extremes(self, slope: Floats) -> Ints:
        """Return cells, empty or not, among them those that add most and least along a slope."""


@dataclass(frozen=True, eq=False)
class CellSums:
    """The counts of cells, of a statistic that is made from nothing else.

    Attributes
    ----------
    cells : ndarray of int64 of shape (n_labellings, m)
        Ascending; those whose counts may be above 0.
    counts : ndarray of float64 of shape (m,)
    made : callable
        Returns the statistics, given the counts.
    """

    cells: Ints
    counts: Floats
    made: Callable[[Floats], Mapping[type, Any]]

    def numbers(self) -> Floats:
        """Return the counts."""
        return self.counts

    def alike(self) -> Ints:
        """Return the position of each number."""
        return np.arange(self.counts.size)

    def steps(self) -> Floats:
        """Return 1 for each number."""
        return np.ones(self.counts.size)

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return the statistics of these counts."""
        return self.made(numbers)

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return the slope in the count of each cell."""
        return slope if cells is self.cells else slope[self._places(cells)]

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the counts with some more instances of a cell."""
        numbers = self.counts.copy()
        numbers[self._places(cell[:, None])] += amount
        return numbers

    def extremes(self, slope: Floats) -> Ints:
        """Return all cells."""
        return self.cells

    def _places(self, cells: Ints) -> Ints:
        known, sought = keys_of(self.cells, cells)
        return np.searchsorted(known, sought)


@dataclass(frozen=True, eq=False)
class Scored:
    """A score of a linear statistic, with its slope.

    Attributes
    ----------
    read : Linear
    value : float
    slope : ndarray of shape (k,)
        Derivative in each number; nan if it has none.
    one : float
        How many instances an event adds to an empty cell: 1, or :attr:`Drawn.share_of_one`.
    rounding : float
        How far rounding may move the score.
    value_at : callable
        Returns the score, given the numbers.
    """

    read: Linear
    value: float
    slope: Floats
    one: float
    rounding: float
    value_at: Callable[[Floats], float]

    @property
    def noise(self) -> float:
        """How far off what an instance adds may be."""
        parts = np.abs(self.slope * self.read.steps())
        return self.rounding / (PART * self.one) + ERROR * float(parts.max(initial=0.0))

    @property
    def known(self) -> bool:
        """Whether the score and its slope are finite."""
        return math.isfinite(self.value) and bool(np.isfinite(self.slope).all())

    def added(self, cells: Ints) -> Floats:
        """Return how much one more instance of each cell adds to the score."""
        if not cells.size:
            return np.zeros(0)
        return self.read.per_cell(self.slope, cells)

    def gain(self, cell: Ints, of_classes: Floats | None = None) -> float:
        """Return how much an event in a cell adds to the score, not extrapolated; 0 if it may be rounding."""
        amount = self.one if of_classes is None else float(of_classes[cell[0]])
        return self.gain_at(self.read.moved(cell, amount))

    def gain_at(self, numbers: Floats) -> float:
        """Return how far the score is from here in a population with these numbers; 0 if it may be rounding."""
        return self._settled(self.value_at(numbers) - self.value)

    def gain_along(self, numbers: Floats) -> float:
        """Return how far the slope says the score is from here; 0 if that may be an error of the slope."""
        # A number that the score does not read may be infinite, such as the log loss beside the Brier score.
        moved = np.subtract(
            numbers, self.read.numbers(), out=np.zeros(self.slope.size), where=self.slope != 0
        )
        gain = float(self.slope @ moved)
        return gain if abs(gain) > self.noise else 0.0

    def _settled(self, gain: float) -> float:
        return gain if abs(gain) > self.rounding else 0.0

    def influence(self, cells: Ints, counts: Floats, of_classes: Floats | None = None) -> Influence:
        """Return the influence of the instances of each cell, and what an event in an empty one would do.

        Parameters
        ----------
        cells : ndarray of int64 of shape (n_labellings, m)
            At least those that are not empty.
        counts : ndarray of shape (m,)
        of_classes : ndarray, optional
            How many instances an event adds to an empty cell, by the code of its first labelling, if not `one`.
        """
        if not self.known:
            return Influence(self.value, np.full(counts.size, math.nan), counts)
        n, empty = float(counts.sum()), _empty(self.read.extremes(self.slope), cells[:, counts > 0])
        rise, fall = _farthest(self.added(empty), lambda i: self.gain(empty[:, i], of_classes))
        return Influence.centred(
            self.value, n * self.added(cells), counts, rise=rise, fall=fall, rounding=n * self.noise
        )

    def less(self, other: Scored, cells: Ints, counts: Floats) -> Influence:
        """Return the influence on the difference of a score between two models.

        Parameters
        ----------
        other : Scored
            The same score of the other model.
        cells : ndarray of int64 of shape (3, m)
            The cells of the truth and both models that are not empty.
        counts : ndarray of shape (m,)
        """
        value = self.value - other.value
        if not (self.known and other.known):
            return Influence(value, np.full(counts.size, math.nan), counts)
        n, ends = float(counts.sum()), [own.read.extremes(own.slope) for own in (self, other)]
        here, there = _alike(ends[0][0], ends[1][0])
        empty = _empty(np.vstack([ends[0][:, here], ends[1][1, there]]), cells)

        def added(own: Ints) -> Floats:
            return self.added(own[:2]) - other.added(own[::2])

        rise, fall = _farthest(added(empty), lambda i: self.gain(empty[:2, i]) - other.gain(empty[::2, i]))
        noise = n * (self.noise + other.noise)
        return Influence.centred(value, n * added(cells), counts, rise=rise, fall=fall, rounding=noise)


def derivative(start: Any, once: Any, twice: Any, step: Any) -> Any:
    """Return a derivative from values here and one and two steps ahead, so that no number becomes negative."""
    return (4 * once - 3 * start - twice) / (2 * step)


def _alike(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """Return the positions of all pairs of equal codes."""
    order, n_codes = (
        np.argsort(other, kind="stable"),
        int(max(one.max(initial=-1), other.max(initial=-1))) + 1,
    )
    times = np.bincount(other, minlength=n_codes)
    starts, own = np.cumsum(times) - times, times[one]
    within = np.arange(int(own.sum())) - np.repeat(np.cumsum(own) - own, own)
    return np.repeat(np.arange(one.size), own), order[np.repeat(starts[one], own) + within]


def _empty(some: Ints, filled: Ints) -> Ints:
    """Return those of some cells that are not among the filled ones."""
    if not some.size or (some.shape == filled.shape and (some == filled).all()):
        return some[:, :0]
    own, known = keys_of(some, filled)
    n_keys = int(max(own.max(), known.max(initial=0))) + 1
    if n_keys > _MOST_MARKED:
        return some[:, ~np.isin(own, known)]
    is_filled = np.zeros(n_keys, np.bool_)
    is_filled[known] = True
    return some[:, ~is_filled[own]]


def keys_of(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """Return numbers of cells that are the same for the same cells of two arrays."""
    sizes = tuple(np.maximum(one.max(axis=1, initial=0), other.max(axis=1, initial=0)) + 1)
    first, second = (np.ravel_multi_index(tuple(own), sizes) for own in (one, other))
    return first, second


def all_cells(shape: tuple[int, ...]) -> Ints:
    """Return all cells of a table, of shape (n_labellings, m), the last labelling changing first."""
    return np.stack([own.ravel() for own in np.indices(shape)])


def looked_up(known: Ints, values: Floats, sought: Ints) -> Floats:
    """Return the value of each number that is sought, 0 if it is not among the known ones, which ascend."""
    at = np.minimum(np.searchsorted(known, sought), known.size - 1)
    return np.where(known[at] == sought, values[at], 0.0)


def _farthest(along: Floats, gain: Callable[[int], float]) -> tuple[float, float]:
    """Return by how much an event in one of some empty cells may raise and lower a score.

    Of those that seem to move it most, it is evaluated.
    """
    if not along.size:
        return 0.0, 0.0
    known = [own for own in map(gain, {int(along.argmax()), int(along.argmin())}) if math.isfinite(own)]
    return max([0.0, *known]), -min([0.0, *known])


class Steps:
    """A statistic, and what it is a small step away in each of its numbers: made once for all scores that read it.

    Parameters
    ----------
    read : Linear
    one : float
        See :class:`Scored`.
    """

    def __init__(self, read: Linear, one: float = 1.0) -> None:
        self.read, self.one = read, one
        self.numbers, self.alike = read.numbers(), read.alike()
        #: The numbers in which a formula is moved: all that are not alike.
        self.distinct = np.unique(self.alike)
        self._sizes, self._made = PART * one * read.steps(), dict[tuple[int, int], Mapping[type, Any]]()

    @cached_property
    def here(self) -> Mapping[type, Any]:
        """The statistics of these numbers."""
        return self.read.at(self.numbers)

    def size(self, i: int) -> float:
        """Return the size of a step in a number."""
        return float(self._sizes[i])

    def made(self, i: int, times: int) -> Mapping[type, Any]:
        """Return the statistics some steps away in a number."""
        if (found := self._made.get((i, times))) is None:
            moved = self.numbers.copy()
            moved[i] += times * self._sizes[i]
            found = self.read.at(moved)
            if self.distinct.size <= _MOST_HELD:
                self._made[i, times] = found
        return found


def scored(record: Index, steps: Steps, **parameters: Any) -> Scored:
    """Return the score of an index and its slope in the numbers of a statistic.

    Parameters
    ----------
    record : Index
    steps : Steps
        Of the statistics that the index reads.
    **parameters
        Of the index.
    """

    def formula(made: Mapping[type, Any]) -> float:
        return record.assess(*map(made.__getitem__, record.requires), **parameters)[0]

    return scored_by(formula, steps, (float(record.range[0]), float(record.range[1])))


def scored_by(formula: Callable[[Mapping[type, Any]], float], steps: Steps, limits: Limits) -> Scored:
    """Return a score and its slope, given its formula and its smallest and largest value; see :func:`scored`."""
    read, one, numbers = steps.read, steps.one, steps.numbers

    def value_at(moved: Floats) -> float:
        return formula(read.at(moved))

    value = formula(steps.here)
    if not math.isfinite(value):
        return Scored(read, value, np.full(numbers.size, math.nan), one, 0.0, value_at)
    slope, rounding = np.zeros(numbers.size), rounding_of(value, *limits)
    for i in steps.distinct.tolist():
        once = formula(steps.made(i, 1))
        if once == value:  # the formula does not read this number
            continue
        twice = formula(steps.made(i, 2))
        if max(abs(once - value), abs(twice - value)) > rounding:
            slope[i] = derivative(value, once, twice, steps.size(i))
        elif not math.isfinite(once + twice):
            slope[i] = math.nan
    return Scored(read, value, slope[steps.alike], one, rounding, value_at)
