"""Sums of losses of probabilities, and what one more instance adds to them, be it of any class.

Nearly all losses of a good model are small, and a sample may have none of the few large ones. The probabilities say how
often each loss occurs: an instance that was not seen is as large as the mean of the largest losses of which they expect
one in all. Skill scores compare with forecasting the class shares, so what an instance adds depends on its class, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.inference.influence import Influence
from adjudge.inference.linear import Scored
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses, brier_if, log_loss_if

# Number of probabilities that are read at a time: the first of them say which of the others are worth sorting.
_BLOCK = 1 << 14
# Mass of probability that is 1 but for rounding.
_ONE = 1 - 1e-9
# The losses whose sums come first.
_LOSSES = (log_loss_if, brier_if)


class _Block(NamedTuple):
    """Some instances: probabilities, and what each adds if it were of each class, both of shape (m, C)."""

    first: int
    shares: Floats
    added: Floats


@dataclass(frozen=True, eq=False)
class LossSums:
    """The log losses, the Brier scores, and the number of instances of each class: C + 2 numbers.

    A cell is an instance and a class: the loss of its probabilities if it were of that class.

    Attributes
    ----------
    forecasts : ProbabilityForecasts
    """

    forecasts: ProbabilityForecasts

    @cached_property
    def _sums(self) -> ProbabilityLosses:
        return ProbabilityLosses.make(self.forecasts)

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
        return self._with_more(cell[:, None], np.array([amount]))

    def _with_more(self, cells: Ints, amounts: Floats) -> Floats:
        """Return the numbers with an amount more of each cell."""
        rows, codes = cells
        shares, numbers = self.forecasts.shares_of(rows), self.numbers()
        numbers[:2] += [amounts @ loss(shares)[np.arange(rows.size), codes] for loss in _LOSSES]
        numbers[2:] += np.bincount(codes, amounts, self.forecasts.k)
        return numbers

    def extremes(self, slope: Floats) -> Ints:
        """Return the instances that add most and least, of those of which the probabilities expect one."""
        return np.concatenate([cells for cells, _ in self._expected_once(slope)], axis=1)

    def with_unseen(self, slope: Floats, amounts: Floats, *, known_sizes: bool) -> Iterator[Floats]:
        """Yield the numbers with more of what adds most, and of what adds least, of which one instance is expected.

        It is the mean of these instances: the largest losses are rare, and one of them alone hardly ever occurs.

        Parameters
        ----------
        slope : ndarray
        amounts : ndarray of shape (C,)
            How much of an instance of each class an event adds.
        known_sizes : bool
            Whether the shares of the classes are known, and stay.
        """
        along = np.concatenate([slope[:2], np.zeros(slope.size - 2)]) if known_sizes else slope
        for cells, shares in self._expected_once(along):
            numbers = self._with_more(cells, amounts[cells[1]] * shares)
            if known_sizes:
                numbers[2:] = self.numbers()[2:]
            yield numbers

    def _expected_once(self, slope: Floats) -> Iterator[tuple[Ints, Floats]]:
        """Yield the cells that add most, of which one is expected in all, and their shares; then those of the least."""
        ends = {1: _Farthest.none(), -1: _Farthest.none()}
        for block in self._blocks(slope):
            places = block.first * self.forecasts.k + np.arange(block.added.size)
            for sign, own in ends.items():
                ends[sign] = own.with_more(sign * block.added.ravel(), block.shares.ravel(), places)
        for own in ends.values():
            yield np.stack(np.divmod(own.places, self.forecasts.k)), own.of_one

    def _blocks(self, slope: Floats) -> Iterator[_Block]:
        """Yield what each instance adds if it were of each class, some instances at a time."""
        step = max(1, _BLOCK // self.forecasts.k)
        for first in range(0, self.forecasts.n, step):
            shares = self.forecasts.shares_of(slice(first, first + step))
            yield _Block(first, shares, _along(slope, shares))


def _along(slope: Floats, shares: Floats) -> Floats:
    """Return what instances add along a slope if they were of each class, of shape (m, C)."""
    found = np.broadcast_to(slope[2:], shares.shape)
    for times, loss in zip(slope[:2].tolist(), _LOSSES, strict=True):
        # Losses that a score does not read may be infinite.
        found = found + times * loss(shares) if times else found
    return found


class _Farthest(NamedTuple):
    """The largest values, of which an instance is expected in all; in descending order."""

    values: Floats
    shares: Floats
    places: Ints

    @property
    def of_one(self) -> Floats:
        """The shares of the first ones, 1 in all: the last of them counts in part."""
        beyond = np.cumsum(self.shares) - self.shares
        parts = np.minimum(self.shares, np.maximum(1 - beyond, 0))
        return np.asarray(parts / parts.sum())

    @classmethod
    def none(cls) -> _Farthest:
        return cls(np.empty(0), np.empty(0), np.empty(0, np.int64))

    def with_more(self, values: Floats, shares: Floats, places: Ints) -> _Farthest:
        """Return the largest of these and of more values."""
        enough = float(self.shares.sum()) >= _ONE
        some = (shares > 0) & (values > (self.values[-1] if enough else -math.inf))
        merged = _Farthest(
            np.concatenate([self.values, values[some]]),
            np.concatenate([self.shares, shares[some]]),
            np.concatenate([self.places, places[some]]),
        )
        order = np.argsort(-merged.values, kind="stable")
        order = order[: np.searchsorted(np.cumsum(merged.shares[order]), _ONE) + 1]
        return _Farthest(merged.values[order], merged.shares[order], merged.places[order])


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
        amounts = np.full(forecasts.k, score.one) if of_classes is None else of_classes
        # A step changes a rare class's share by much: the farther of what it does and of what its slope says.
        gains = [
            gain
            for numbers in score.read.with_unseen(score.slope, amounts, known_sizes=of_classes is not None)
            for gain in (score.gain_at(numbers), score.gain_along(numbers))
        ]
        found = replace(found, rise=max(0.0, *gains), fall=-min(0.0, *gains))
    # A weight says how an instance was sampled; it does not change the number of instances.
    return replace(found, counts=None)
