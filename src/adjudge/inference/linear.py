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
from collections.abc import Callable, Mapping, Sequence
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
# Of many events that seem to move a score alike, the rarest and the commonest that are tried.
_TRIED = 32
# Most numbers of all populations, each with one such event, in which a formula is evaluated at once.
_MOST_MOVED = 1 << 18


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
    values_at : callable
        Returns the scores of several populations, given the numbers of each, of shape (k, s).
    """

    read: Linear
    value: float
    slope: Floats
    one: float
    rounding: float
    values_at: Callable[[Floats], Floats]

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

    def gains(self, cells: Ints, of_classes: Floats | None = None) -> Floats:
        """Return how much an event in each cell adds to the score, not extrapolated; 0 if it may be rounding."""
        amounts = [self.one] * cells.shape[1] if of_classes is None else of_classes[cells[0]].tolist()
        return self.gains_at(
            np.column_stack([self.read.moved(*own) for own in zip(cells.T, amounts, strict=True)])
        )

    def gains_at(self, numbers: Floats) -> Floats:
        """Return how far the score is from here in populations with these numbers; 0 if it may be rounding."""
        found = self.values_at(numbers) - self.value
        return np.where(np.abs(found) > self.rounding, found, 0.0)

    def gain_along(self, numbers: Floats) -> float:
        """Return how far the slope says the score is from here; 0 if that may be an error of the slope."""
        # A number that the score does not read may be infinite, such as the log loss beside the Brier score.
        moved = np.subtract(
            numbers, self.read.numbers(), out=np.zeros(self.slope.size), where=self.slope != 0
        )
        gain = float(self.slope @ moved)
        return gain if abs(gain) > self.noise else 0.0

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
        rise, fall = _farthest(
            self._along(self.added(empty), empty, of_classes),
            self.noise,
            lambda: _sizes(self.read, empty),
            lambda at: self.gains(empty[:, at], of_classes),
            self.slope.size,
        )
        return Influence.centred(
            self.value, n * self.added(cells), counts, rise=rise, fall=fall, rounding=n * self.noise
        )

    def _along(self, added: Floats, cells: Ints, of_classes: Floats | None) -> Floats:
        """Return what an event in each cell adds along the slope, relative to one of the usual size."""
        return added if of_classes is None else added * of_classes[cells[0]] / self.one

    def less(self, other: Scored, cells: Ints, counts: Floats, of_classes: Floats | None = None) -> Influence:
        """Return the influence on the difference of a score between two models.

        Parameters
        ----------
        other : Scored
            The same score of the other model.
        cells : ndarray of int64 of shape (3, m)
            The cells of the truth and both models that are not empty.
        counts : ndarray of shape (m,)
        of_classes : ndarray, optional
            As for :meth:`influence`.
        """
        value = self.value - other.value
        if not (self.known and other.known):
            return Influence(value, np.full(counts.size, math.nan), counts)
        n, ends = float(counts.sum()), [own.read.extremes(own.slope) for own in (self, other)]
        here, there = _alike(ends[0][0], ends[1][0])
        empty = _empty(np.vstack([ends[0][:, here], ends[1][1, there]]), cells)

        def added(own: Ints) -> Floats:
            return self.added(own[:2]) - other.added(own[::2])

        def gains(at: list[int]) -> Floats:
            return self.gains(empty[:2, at], of_classes) - other.gains(empty[::2, at], of_classes)

        noise = self.noise + other.noise
        rise, fall = _farthest(
            self._along(added(empty), empty, of_classes),
            noise,
            lambda: _sizes(self.read, empty[:2]) + _sizes(other.read, empty[::2]),
            gains,
            self.slope.size,
        )
        return Influence.centred(value, n * added(cells), counts, rise=rise, fall=fall, rounding=n * noise)


def of_counts(kind: type, names: Sequence[str], counts: Floats) -> Any:
    """Return a statistic of counts that are not whole, and just below 0 where a derivative needs that."""
    found: Any = object.__new__(kind)
    for name, value in zip(names, counts.tolist() if counts.ndim == 1 else counts, strict=True):
        object.__setattr__(found, name, value)
    return found


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


def _sizes(read: Linear, cells: Ints) -> Floats:
    """Return how common the numbers of each cell are: sums of roots, which are equal for equal numbers alone."""
    return read.per_cell(np.sqrt(np.nan_to_num(read.numbers())), cells)


def _farthest(
    along: Floats,
    noise: float,
    sizes: Callable[[], Floats],
    gains: Callable[[list[int]], Floats],
    n_numbers: int,
) -> tuple[float, float]:
    """Return by how much an event in one of some empty cells may raise and lower a score.

    Of those that seem to move it most, it is evaluated. Those that seem to move it alike may not do so in truth: of
    many, the rarest and the commonest are tried, so that names and order of classes do not matter.
    """
    if not along.size:
        return 0.0, 0.0
    tried, most = list[int](), max(1, min(_TRIED, _MOST_MOVED // n_numbers))
    for alike in (along >= along.max() - noise, along <= along.min() + noise):
        at = np.flatnonzero(alike)
        if at.size > 2 * most:
            at = at[np.argsort(sizes()[at], kind="stable")[[*range(most), *range(-most, 0)]]]
        tried += at.tolist()
    known = [own for own in gains(tried).tolist() if math.isfinite(own)]
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
        self.distinct = np.flatnonzero(self.alike == np.arange(self.alike.size))
        #: The size of a step in each of them.
        self.sizes = PART * one * read.steps()[self.distinct]
        self._made = dict[tuple[int, int], Mapping[type, Any]]()

    @cached_property
    def here(self) -> Mapping[type, Any]:
        """The statistics of these numbers."""
        return self.read.at(self.numbers)

    @cached_property
    def around(self) -> Mapping[type, Any] | None:
        """The statistics here, and one and two steps away in each distinct number; None if they are too many."""
        if self.distinct.size > _MOST_HELD:
            return None
        each = np.arange(self.distinct.size)
        moved = np.repeat(self.numbers[:, None], 1 + 2 * each.size, axis=1)
        for times in (1, 2):
            columns = 1 + each + (times - 1) * each.size
            moved[self.distinct, columns] += times * self.sizes
        return self.read.at(moved)

    def made(self, i: int, times: int) -> Mapping[type, Any]:
        """Return the statistics some steps away in one of the distinct numbers."""
        if (found := self._made.get((i, times))) is None:
            moved = self.numbers.copy()
            moved[self.distinct[i]] += times * self.sizes[i]
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

    def of_several(made: Mapping[type, Any]) -> Floats:
        return record.of_several(*map(made.__getitem__, record.requires), **parameters)

    limits = float(record.range[0]), float(record.range[1])
    return scored_by(formula, steps, limits, of_several if record.elementwise else None)


def scored_by(
    formula: Callable[[Mapping[type, Any]], float],
    steps: Steps,
    limits: Limits,
    of_several: Callable[[Mapping[type, Any]], Floats] | None = None,
) -> Scored:
    """Return a score and its slope, given its formula and its smallest and largest value; see :func:`scored`.

    With `of_several`, the formula for several populations at once, that takes one call.
    """
    read, one, numbers = steps.read, steps.one, steps.numbers

    def values_at(moved: Floats) -> Floats:
        if of_several is not None:
            return of_several(read.at(moved))
        return np.array([formula(read.at(own)) for own in moved.T])

    value = formula(steps.here)
    if not math.isfinite(value):
        return Scored(read, value, np.full(numbers.size, math.nan), one, 0.0, values_at)
    around = None if of_several is None else steps.around
    if of_several is None or around is None:
        away = _away(formula, steps, value) - value
    else:
        values = of_several(around)
        away = values[1:].reshape(2, -1) - values[0]
    rounding = rounding_of(value, *limits)
    with np.errstate(invalid="ignore"):  # both may be infinite
        slope = np.asarray(derivative(0.0, away[0], away[1], steps.sizes))
        # A formula does not read the other numbers.
        slope[(np.abs(away).max(axis=0) <= rounding) | (away[0] == 0)] = 0.0
    if slope.size < numbers.size:
        slope = slope[np.searchsorted(steps.distinct, steps.alike)]
    return Scored(read, value, slope, one, rounding, values_at)


def _away(formula: Callable[[Mapping[type, Any]], float], steps: Steps, value: float) -> Floats:
    """Return the score one and two steps away in each distinct number, but once if that does not move it."""
    once = [formula(steps.made(i, 1)) for i in range(steps.distinct.size)]
    twice = [now if now == value else formula(steps.made(i, 2)) for i, now in enumerate(once)]
    return np.array([once, twice])
