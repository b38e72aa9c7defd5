"""Sums of losses of probabilities, and what one more instance adds to them, be it of any class.

Nearly all losses of a good model are small, and a sample may have none of the few large ones. The probabilities say how
often each loss occurs: an instance that was not seen is as large as the mean of the largest losses of which they expect
one in all. Skill scores compare with forecasting the class shares, so what an instance adds depends on its class, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.inference.influence import Influence
from adjudge.inference.linear import Scored
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses, brier_if, log_loss_if

# Number of probabilities that are read at a time: the first of them say which of the others are worth sorting.
_BLOCK = 1 << 14
# Most values of which one instance is expected that are kept apart.
_MOST_KEPT = 1 << 18
# Mass of probability that is 1 but for rounding.
_ONE = 1 - 1e-9
# The losses whose sums come first.
_LOSSES = (log_loss_if, brier_if)


@dataclass(frozen=True, eq=False)
class LossSums:
    """The log losses, the Brier scores, and the number of instances of each class: C + 2 numbers.

    A cell is an instance and a class: the loss of its probabilities if it were of that class.

    Attributes
    ----------
    forecasts : ProbabilityForecasts
        Of all instances, or of some of them.
    totals : ProbabilityLosses, optional
        Of all instances; default: those of the forecasts.
    """

    forecasts: ProbabilityForecasts
    totals: ProbabilityLosses | None = None

    @cached_property
    def _sums(self) -> ProbabilityLosses:
        return ProbabilityLosses.make(self.forecasts) if self.totals is None else self.totals

    @property
    def cells(self) -> Ints:
        """The instances, each of its own class."""
        return np.stack([np.arange(self.forecasts.n), self.forecasts.codes])

    def numbers(self) -> Floats:
        """Return the sums of both losses, and the number of instances of each class."""
        sums = self._sums
        return np.concatenate([[sums.log_loss, sums.brier], np.asarray(sums.sizes, np.float64)])

    def alike(self) -> Ints:
        """Return, for each number, the first one with the same slope: classes of one size are exchangeable."""
        _, first, which = np.unique(self._sums.sizes, return_index=True, return_inverse=True)
        return np.concatenate([[0, 1], 2 + first[which.ravel()]])

    def steps(self) -> Floats:
        """Return 1 for each number."""
        return np.ones(self.forecasts.k + 2)

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return losses with these sums."""
        log_loss, brier = numbers[:2].tolist()
        return {ProbabilityLosses: ProbabilityLosses(log_loss, brier, numbers[2:], self._sums.classes)}

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return what each instance would add if it were of a class."""
        n_parts = 1 + cells.shape[1] * self.forecasts.k // _BLOCK
        return np.concatenate([self._added(slope, part) for part in np.array_split(cells, n_parts, axis=1)])

    def _added(self, slope: Floats, cells: Ints) -> Floats:
        rows, codes = cells
        return np.asarray(_along(slope, self.forecasts.shares_of(rows))[np.arange(rows.size), codes])

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the numbers with some more instances that have the probabilities of one, and a class."""
        rows, code = cell[:1], cell[1]
        shares, numbers = self.forecasts.shares_of(rows), self.numbers()
        numbers[:2] += [amount * loss(shares)[0, code] for loss in _LOSSES]
        numbers[2 + code] += amount
        return numbers

    def extremes(self, slope: Floats) -> Ints:
        """Return no cell: an instance that was not seen is the mean of several, see :class:`Unseen`."""
        return np.empty((2, 0), np.int64)

    def unseen(self, slope: Floats, before: Unseen | None = None) -> Unseen:
        """Return what adds most and least along a slope, of which the probabilities expect one instance.

        `before` is what other instances add.
        """
        step, found = max(1, _BLOCK // self.forecasts.k), before or Unseen()
        for first in range(0, self.forecasts.n, step):
            found = found.with_more(slope, self.forecasts.shares_of(slice(first, first + step)))
        return found


def _along(slope: Floats, shares: Floats) -> Floats:
    """Return what instances add along a slope if they were of each class, of shape (m, C)."""
    found = np.broadcast_to(slope[2:], shares.shape)
    for times, loss in zip(slope[:2].tolist(), _LOSSES, strict=True):
        # Losses that a score does not read may be infinite.
        found = found + times * loss(shares) if times else found
    return found


class _Farthest(NamedTuple):
    """The largest values, of which an instance is expected in all; in descending order.

    Attributes
    ----------
    values, shares : ndarray of shape (m,)
        What each adds, and how probable it is.
    codes : ndarray of int64 of shape (m,)
        The class of each.
    losses : ndarray of shape (2, m)
    """

    values: Floats
    shares: Floats
    codes: Ints
    losses: Floats

    @property
    def of_one(self) -> Floats:
        """The shares of the first ones, 1 in all: the last of them counts in part."""
        beyond = np.cumsum(self.shares) - self.shares
        parts = np.minimum(self.shares, np.maximum(1 - beyond, 0))
        return np.asarray(parts / parts.sum())

    @classmethod
    def none(cls) -> _Farthest:
        return cls(np.empty(0), np.empty(0), np.empty(0, np.int64), np.empty((2, 0)))

    def take(self, some: Any) -> _Farthest:
        return _Farthest(self.values[some], self.shares[some], self.codes[some], self.losses[:, some])

    def beyond(self, values: Floats, shares: Floats) -> Bools:
        """Return which of more values are among the largest."""
        enough = float(self.shares.sum()) >= _ONE
        return np.asarray((shares > 0) & (values > (self.values[-1] if enough else -math.inf)))

    def __add__(self, other: _Farthest) -> _Farthest:  # type: ignore[override]
        """Return the largest of these and of other values."""
        merged = _Farthest(*(np.concatenate(both, axis=-1) for both in zip(self, other, strict=True)))
        order = np.argsort(-merged.values, kind="stable")
        return merged.take(order[: np.searchsorted(np.cumsum(merged.shares[order]), _ONE) + 1])._merged()

    def _merged(self) -> _Farthest:
        """Put neighbours of a class together, of which each hardly counts, to keep fewer."""
        if self.values.size <= _MOST_KEPT:
            return self
        order = np.lexsort((-self.values, self.codes))
        own = self.take(order)
        is_first = np.r_[True, own.codes[1:] != own.codes[:-1]]
        within = np.arange(own.codes.size) - np.maximum.accumulate(
            np.where(is_first, np.arange(is_first.size), 0)
        )
        starts = np.flatnonzero(within % 2 == 0)
        shares = np.add.reduceat(own.shares, starts)
        values, *losses = (
            np.add.reduceat(each * own.shares, starts) / shares for each in (own.values, *own.losses)
        )
        merged = _Farthest(values, shares, own.codes[starts], np.stack(losses))
        return merged.take(np.argsort(-values, kind="stable"))


@dataclass(frozen=True, eq=False)
class Unseen:
    """What adds most to a score, and what adds least, of which one instance is expected; of disjoint rows, add up.

    It is the mean of such instances: the largest losses are rare, and one of them alone hardly ever occurs.
    """

    most: _Farthest = field(default_factory=_Farthest.none)
    least: _Farthest = field(default_factory=_Farthest.none)

    def __add__(self, other: Unseen) -> Unseen:
        return Unseen(self.most + other.most, self.least + other.least)

    def with_more(self, slope: Floats, shares: Floats) -> Unseen:
        """Return the same with more instances, given what they add along a slope and their probabilities."""
        added = _along(slope, shares)
        ends = []
        for sign, own in ((1, self.most), (-1, self.least)):
            rows, codes = some = np.nonzero(own.beyond(sign * added, shares))
            if not rows.size:
                ends.append(own)
                continue
            losses = np.stack([loss(shares[rows])[np.arange(rows.size), codes] for loss in _LOSSES])
            ends.append(own + _Farthest(sign * added[some], shares[some], codes, losses))
        return Unseen(*ends)

    def numbers(self, start: Floats, amounts: Floats, *, known_sizes: bool) -> Iterator[Floats]:
        """Yield the numbers with more of what adds most, and of what adds least.

        Parameters
        ----------
        start : ndarray of shape (C + 2,)
            The numbers without it.
        amounts : ndarray of shape (C,)
            How much of an instance of each class an event adds.
        known_sizes : bool
            Whether the shares of the classes are known, and stay.
        """
        for own in (self.most, self.least):
            more, numbers = amounts[own.codes] * own.of_one, start.copy()
            numbers[:2] += own.losses @ more
            if not known_sizes:
                numbers[2:] += np.bincount(own.codes, more, amounts.size)
            yield numbers


def influence_of_losses(score: Scored, of_classes: Floats | None = None) -> Influence:
    """Return the influence of instances on a score of a :class:`LossSums`.

    Parameters
    ----------
    score : Scored
    of_classes : ndarray of shape (C,), optional
        What an instance of each class weighs, if that differs by class.
    """
    assert isinstance(score.read, LossSums)
    forecasts = score.read.forecasts
    counts = np.ones(forecasts.n) if forecasts.weights is None else forecasts.weights
    found = score.influence(score.read.cells, counts)
    if score.known:
        slope, known_sizes = score.slope, of_classes is not None
        along = np.concatenate([slope[:2], np.zeros(slope.size - 2)]) if known_sizes else slope
        amounts = np.full(forecasts.k, score.one) if of_classes is None else of_classes
        ends = gains_of_unseen(score, score.read.unseen(along), amounts, known_sizes=known_sizes)
        found = replace(found, rise=ends[0], fall=ends[1])
    # A weight says how an instance was sampled; it does not change the number of instances.
    return replace(found, counts=None, classes=forecasts.codes)


def gains_of_unseen(
    score: Scored, unseen: Unseen, amounts: Floats, *, known_sizes: bool = False
) -> tuple[float, float]:
    """Return by how much an instance that was not seen may raise and lower a score; see :meth:`Unseen.numbers`."""
    # A step changes a rare class's share by much: the farther of what it does and of what its slope says.
    away = [*unseen.numbers(score.read.numbers(), amounts, known_sizes=known_sizes)]
    gains = [*score.gains_at(np.column_stack(away)).tolist(), *map(score.gain_along, away)]
    return max(0.0, *gains), -min(0.0, *gains)
