"""A classifier's scores in narrow bins: sums over disjoint rows add up, and make statistics with bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.given.positive import shown_class
from adjudge.statistics.binned_scores import (
    BINS,
    BinnedAreas,
    BinnedCalibratedScores,
    BinnedPositiveScores,
    BinnedTopLabels,
    ScoreBins,
)
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses, brier_of_each, log_loss_of_each

# Up to this many places an entry, entries are summed in a full array rather than sorted.
_PLACES = 8


def bin_of_probability(x: Floats) -> Ints:
    """Return the bin (i / BINS, (i + 1) / BINS] of each probability, 0 in the first, as for any coarser bins.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.statistics.score_sums import bin_of_probability
    >>> bin_of_probability(np.array([0.0, 1 / 50_400, 0.5, 1.0])).tolist()
    [0, 0, 25199, 50399]
    """
    below = np.floor(x * BINS)
    found = np.where(x <= below / BINS, below - 1, np.where(x <= (below + 1) / BINS, below, below + 1))
    return np.maximum(found, 0).astype(np.int64)


def bin_of_score(x: Floats, low: float, high: float) -> Ints:
    """Return the bin of each score between two ends; it never falls as the score rises."""
    width = high / BINS - low / BINS
    if not width > 0:
        return np.zeros(x.size, np.int64)
    scaled = (x - low) / width if math.isfinite(high - low) else x / width - low / width
    return np.minimum(np.floor(scaled), BINS).astype(np.int64)


def scored_columns(n_classes: int, positive: int | None) -> list[int]:
    """Return the classes whose scores are kept: all, or of two the positive one, which says all about the other."""
    if n_classes > 2:
        return list(range(n_classes))
    return [1 if positive is None else positive]


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Scores by group, class of the score, whether that class is the true one, and bin.

    Attributes
    ----------
    n_columns : int
    keys : ndarray of int64 of shape (c,)
        Ascending: ((group * n_columns + column) * 2 + hit) * (BINS + 1) + bin.
    counts : ndarray of int64 of shape (c,)
    total, least, greatest : ndarray of float64 of shape (c,)
        Sum, minimum and maximum of the scores.
    """

    n_columns: int
    keys: Ints
    counts: Ints
    total: Floats
    least: Floats
    greatest: Floats

    @classmethod
    def of(cls, n_columns: int, places: Sequence[tuple[Ints, int, Bools, Ints, Floats]]) -> ScoreCells:
        """Sum scores, given the groups, the column, the hits, the bins and the scores of each column."""
        keys = np.concatenate(
            [
                ((groups * n_columns + column) * 2 + hits) * (BINS + 1) + bins
                for groups, column, hits, bins, _ in places
            ]
        )
        x = np.concatenate([own[-1] for own in places])
        size = int(keys.max(initial=-1)) + 1
        if size > _PLACES * keys.size:
            distinct, at = np.unique(keys, return_inverse=True)
        else:
            distinct, at = np.arange(size), keys
        counts = np.bincount(at, minlength=distinct.size)
        total = np.asarray(np.bincount(at, x, distinct.size), np.float64)
        least, greatest = np.full(distinct.size, math.inf), np.full(distinct.size, -math.inf)
        np.minimum.at(least, at, x)
        np.maximum.at(greatest, at, x)
        kept = np.flatnonzero(counts)
        return cls(n_columns, distinct[kept], counts[kept], total[kept], least[kept], greatest[kept])

    def __add__(self, other: ScoreCells) -> ScoreCells:
        keys, here, there = _united(self.keys, other.keys)
        counts, total = np.zeros(keys.size, np.int64), np.zeros(keys.size)
        least, greatest = np.full(keys.size, math.inf), np.full(keys.size, -math.inf)
        for own, at in ((self, here), (other, there)):
            counts[at] += own.counts
            total[at] += own.total
            least[at] = np.minimum(least[at], own.least)
            greatest[at] = np.maximum(greatest[at], own.greatest)
        return ScoreCells(self.n_columns, keys, counts, total, least, greatest)

    @property
    def _groups(self) -> Ints:
        return self.keys // (2 * (BINS + 1) * self.n_columns)

    @property
    def _columns(self) -> Ints:
        return self.keys // (2 * (BINS + 1)) % self.n_columns

    @property
    def _hits(self) -> Bools:
        return np.asarray(self.keys // (BINS + 1) % 2 == 1)

    def take(self, mask: Bools) -> ScoreCells:
        """Return some of the cells."""
        keys, counts = self.keys[mask], self.counts[mask]
        return ScoreCells(
            self.n_columns, keys, counts, self.total[mask], self.least[mask], self.greatest[mask]
        )

    def where(self, groups: Sequence[int]) -> ScoreCells:
        """Return the cells of some groups."""
        return self.take(np.isin(self._groups, groups))

    def of_column(self, column: int) -> ScoreCells:
        """Return the cells of one column."""
        return self.take(self._columns == column)

    def outcomes(self) -> tuple[Floats, Bools, Floats]:
        """Return the mean score of each cell, whether its class is the true one, and how many instances it has."""
        # Rounding must not move the mean out of the bin.
        means = np.clip(self.total / self.counts, self.least, self.greatest)
        return means, self._hits, self.counts.astype(np.float64)

    def bins(self) -> ScoreBins:
        """Return the cells of one column as bins."""
        bins = (self.keys % (BINS + 1)).astype(np.float64)
        return ScoreBins.of(bins, self._hits, self.counts, self.least, self.greatest)


def _united(one: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the keys of both, ascending, and the places of each one's; neither has a key twice."""
    size = int(max(one.max(initial=-1), other.max(initial=-1))) + 1
    if size > _PLACES * (one.size + other.size):
        keys = np.union1d(one, other)
        return keys, np.searchsorted(keys, one), np.searchsorted(keys, other)
    there = np.zeros(size, np.bool_)
    there[one] = there[other] = True
    place = np.cumsum(there) - 1
    return np.flatnonzero(there), place[one], place[other]


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """A classifier's probabilities, or scores that rank, added up. Sums over disjoint instances add up with ``+``.

    Its size is bounded by the number of bins, however many instances there are.

    Attributes
    ----------
    classes : sequence of length C
    positive : int or None
        Code of the positive class.
    sizes : ndarray of int64 of shape (n_groups, C)
        Instances of each class.
    cells : ScoreCells
        Their columns are :func:`scored_columns`, and for probabilities the likeliest class, which comes last.
    losses : ndarray of float64 of shape (3, n_groups, C), or None
        Logarithmic losses without those that are infinite, squared losses, and how many losses are infinite; None if
        scores only rank.
    """

    classes: Sequence[Any]
    positive: int | None
    sizes: Ints
    cells: ScoreCells
    losses: Floats | None = None

    @classmethod
    def make(
        cls, forecasts: Forecasts, groups: Ints, n_groups: int, bins: Callable[[Floats], Ints]
    ) -> ScoreSums:
        """Sum the scores of some instances.

        Parameters
        ----------
        forecasts : Forecasts
        groups : ndarray of int64 of shape (n,)
        n_groups : int
        bins : callable
            Returns the bin of each score.
        """
        codes, k = forecasts.codes, forecasts.k
        columns = scored_columns(k, forecasts.positive)
        probable = isinstance(forecasts, ProbabilityForecasts)
        places = []
        for i, code in enumerate(columns):
            x = forecasts.column(code).astype(np.float64, copy=False)
            places.append((groups, i, codes == code, bins(x), x))
        if isinstance(forecasts, ProbabilityForecasts):
            said = forecasts.best
            x = np.asarray(forecasts.matrix[np.arange(codes.size), said], np.float64)
            places.append((groups, len(columns), codes == said, bins(x), x))
        cells, n_cells = groups * k + codes, n_groups * k

        def summed(each: Any = None) -> Any:
            return np.bincount(cells, each, n_cells).reshape(n_groups, k)

        losses = None
        if isinstance(forecasts, ProbabilityForecasts):
            logs = log_loss_of_each(forecasts)
            lost = np.isinf(logs)
            each = (np.where(lost, 0.0, logs), brier_of_each(forecasts), lost.astype(np.float64))
            losses = np.stack([summed(own) for own in each])
        sums = ScoreCells.of(len(columns) + probable, places)
        return cls(forecasts.classes, forecasts.positive, summed().astype(np.int64), sums, losses)

    def __add__(self, other: ScoreSums) -> ScoreSums:
        losses = None if self.losses is None or other.losses is None else self.losses + other.losses
        return replace(self, sizes=self.sizes + other.sizes, cells=self.cells + other.cells, losses=losses)

    def where(self, groups: Sequence[int]) -> ScoreSums:
        """Return the sums of some groups."""
        losses = None if self.losses is None else self.losses[:, groups]
        return replace(self, sizes=self.sizes[groups], cells=self.cells.where(groups), losses=losses)

    def statistics(self) -> Mapping[type, Any]:
        """Make the statistics for which the sums suffice, by type."""
        sizes, shown = self.sizes.sum(axis=0), shown_class(self.classes, self.positive)
        bins = self._bins()
        found: dict[type, Any] = {BinnedAreas: BinnedAreas.of(self.classes, self.positive, sizes, bins)}
        if self.positive is not None:
            found[BinnedPositiveScores] = BinnedPositiveScores.of(bins[self.positive], shown)
        if self.losses is None:
            return found
        logs, squares, lost = self.losses.reshape(3, -1)
        impossible = int(lost.sum())
        log_loss = math.inf if impossible else math.fsum(logs.tolist())
        found[ProbabilityLosses] = ProbabilityLosses(
            log_loss, math.fsum(squares.tolist()), sizes, self.classes, impossible
        )
        top = self.cells.of_column(self.cells.n_columns - 1)
        found[BinnedTopLabels] = BinnedTopLabels(*top.outcomes())
        # The probabilities of the positive class if there is one, else those of the likeliest class.
        if self.positive is not None:
            columns = scored_columns(len(self.classes), self.positive)
            top = self.cells.of_column(columns.index(self.positive))
        found[BinnedCalibratedScores] = BinnedCalibratedScores(*top.outcomes(), of_class=shown)
        return found

    def _bins(self) -> list[ScoreBins]:
        """Return the scores of each class in bins; with two classes, those of one serve for both."""
        columns = scored_columns(len(self.classes), self.positive)
        own = [self.cells.of_column(i).bins() for i in range(len(columns))]
        if len(columns) == len(self.classes):
            return own
        return [own[0].turned(), own[0]] if columns == [1] else [own[0], own[0].turned()]
