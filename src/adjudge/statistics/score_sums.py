"""A classifier's scores in narrow bins: sums over disjoint rows add up, and make statistics with bounds."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints, Numbers
from adjudge.given.positive import shown_class
from adjudge.kernels.score_cells import add_probabilities, add_scores, probability_bins
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
from adjudge.statistics.ranked_scores import CalibratedScores, TopLabels

# Up to this many places an entry, keys are found in a full array rather than sorted.
_PLACES = 8
#: Up to this many cells, which take 128 MB, scores are summed in place.
MOST_PLACES = 1 << 22
# The columns of sums: of scores, and of those with weights, whose squares come last.
_COUNTED, _WEIGHTED = 4, 5
_NO_WEIGHTS = np.zeros(0)
# Otherwise, the cells of the last chunks are put together when they are as many as this, and as those before.
_MOST_RECENT = 1 << 20


def bin_of_probability(x: Floats) -> Ints:
    """Return the bin (i / BINS, (i + 1) / BINS] of each probability, 0 in the first, as for any coarser bins.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.statistics.score_sums import bin_of_probability
    >>> bin_of_probability(np.array([0.0, 1 / 50_400, 0.5, 1.0])).tolist()
    [0, 0, 25199, 50399]
    """
    return probability_bins(x, BINS)


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


def places_of_scores(n_classes: int, positive: int | None, n_groups: int, *, ranks: bool) -> int:
    """Return how many cells there are, of all columns that are kept: of probabilities, also of the likeliest class."""
    return n_groups * 2 * (BINS + 1) * (len(scored_columns(n_classes, positive)) + (not ranks))


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Scores for one class, or for the likeliest, by group, by whether that class is the true one, and by bin.

    Attributes
    ----------
    keys : ndarray of int64 of shape (c,)
        Ascending: (group * 2 + hit) * (BINS + 1) + bin.
    counts : ndarray of shape (c,)
        Integers; floats, if instances are weighted.
    total, least, greatest : ndarray of float64 of shape (c,)
        Sum, minimum and maximum of the scores.
    squares : ndarray of float64 of shape (c,) or None
        Sums of squared weights, if instances are weighted.
    """

    keys: Ints
    counts: Numbers
    total: Floats
    least: Floats
    greatest: Floats
    squares: Floats | None = None

    @classmethod
    def of(cls, keys: Ints, x: Floats, weights: Floats | None) -> ScoreCells:
        """Sum the scores of each cell, given the cell of each score."""
        distinct, at = np.unique(keys, return_inverse=True)
        sums = _no_sums(distinct.size, is_weighted=weights is not None)
        add_scores(x, at, _NO_WEIGHTS if weights is None else weights, sums)
        return cls.of_sums(distinct, sums)

    @classmethod
    def of_sums(cls, keys: Ints, sums: Floats) -> ScoreCells:
        """Take the sums of cells: how many scores each has, or their weight, the total, the least, the greatest ..."""
        counts, *others = np.ascontiguousarray(sums.T)
        return cls(keys, counts if len(others) == _WEIGHTED - 1 else counts.astype(np.int64), *others)

    def __add__(self, other: ScoreCells) -> ScoreCells:
        keys, here, there = _united(self.keys, other.keys)
        counts, total = np.zeros(keys.size, self.counts.dtype), np.zeros(keys.size)
        squares = None if self.squares is None else np.zeros(keys.size)
        least, greatest = np.full(keys.size, math.inf), np.full(keys.size, -math.inf)
        for own, at in ((self, here), (other, there)):
            counts[at] += own.counts
            total[at] += own.total
            least[at] = np.minimum(least[at], own.least)
            greatest[at] = np.maximum(greatest[at], own.greatest)
            if squares is not None and own.squares is not None:
                squares[at] += own.squares
        return ScoreCells(keys, counts, total, least, greatest, squares)

    @property
    def _hits(self) -> Bools:
        return np.asarray(self.keys // (BINS + 1) % 2 == 1)

    def where(self, groups: Sequence[int]) -> ScoreCells:
        """Return the cells of some groups."""
        kept = np.isin(self.keys // (2 * (BINS + 1)), groups)
        keys, counts, total = self.keys[kept], self.counts[kept], self.total[kept]
        squares = None if self.squares is None else self.squares[kept]
        return ScoreCells(keys, counts, total, self.least[kept], self.greatest[kept], squares)

    def outcomes(self) -> tuple[Floats, Bools, Floats]:
        """Return the mean score of each cell, whether its class is the true one, and its instances, or their weight."""
        # Rounding must not move the mean out of the bin.
        means = np.clip(self.total / self.counts, self.least, self.greatest)
        return means, self._hits, self.counts.astype(np.float64)

    def bins(self) -> ScoreBins:
        """Return the cells as bins."""
        bins = (self.keys % (BINS + 1)).astype(np.float64)
        return ScoreBins.of(bins, self._hits, self.counts, self.least, self.greatest, self.squares)


def _no_sums(size: int, *, is_weighted: bool) -> Floats:
    return np.zeros((size, _WEIGHTED if is_weighted else _COUNTED))


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
    sizes : ndarray of shape (n_groups, C)
        Instances of each class, or their weight.
    cells : tuple of ScoreCells
        Of the classes of :func:`scored_columns`, and for probabilities of the likeliest class, which comes last.
    losses : ndarray of float64 of shape (3, n_groups, C), or None
        Logarithmic losses without those that are infinite, squared losses, and how many losses are infinite; None if
        scores only rank.
    """

    classes: Sequence[Any]
    positive: int | None
    sizes: Numbers
    cells: tuple[ScoreCells, ...]
    losses: Floats | None = None

    def __add__(self, other: ScoreSums) -> ScoreSums:
        losses = None if self.losses is None or other.losses is None else self.losses + other.losses
        cells = tuple(own + others for own, others in zip(self.cells, other.cells, strict=True))
        return replace(self, sizes=self.sizes + other.sizes, cells=cells, losses=losses)

    def where(self, groups: Sequence[int]) -> ScoreSums:
        """Return the sums of some groups."""
        losses = None if self.losses is None else self.losses[:, groups]
        cells = tuple(own.where(groups) for own in self.cells)
        return replace(self, sizes=self.sizes[groups], cells=cells, losses=losses)

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
        top, is_weighted = self.cells[-1], sizes.dtype.kind == "f"
        # Weights do not say how many instances a bin has.
        labels = TopLabels if is_weighted else BinnedTopLabels
        found[labels] = labels(*top.outcomes())
        # The probabilities of the positive class if there is one, else those of the likeliest class.
        if self.positive is not None:
            columns = scored_columns(len(self.classes), self.positive)
            top = self.cells[columns.index(self.positive)]
        calibrated = CalibratedScores if is_weighted else BinnedCalibratedScores
        found[calibrated] = calibrated(*top.outcomes(), of_class=shown)
        return found

    def _bins(self) -> list[ScoreBins]:
        """Return the scores of each class in bins; with two classes, those of one serve for both."""
        columns = scored_columns(len(self.classes), self.positive)
        own = [cells.bins() for cells in self.cells[: len(columns)]]
        if len(columns) == len(self.classes):
            return own
        return [own[0].turned(), own[0]] if columns == [1] else [own[0], own[0].turned()]


class ScoreTally:
    """Adds up scores, chunk after chunk, in place: memory does not grow with the instances.

    Parameters
    ----------
    classes : sequence of length C
    positive : int or None
    n_groups : int
    ends : (float, float), optional
        Least and greatest of scores that rank; none for probabilities.
    is_weighted : bool
        Whether instances have weights, all above 0.
    """

    def __init__(
        self,
        classes: Sequence[Any],
        positive: int | None,
        n_groups: int,
        ends: tuple[float, float] | None = None,
        *,
        is_weighted: bool = False,
    ) -> None:
        self._classes, self._positive, self._ends = classes, positive, ends
        self._columns = scored_columns(len(classes), positive)
        n_columns, shape = len(self._columns) + (ends is None), (n_groups, len(classes))
        self._sizes = np.zeros(shape, np.float64 if is_weighted else np.int64)
        self._losses = np.zeros((3, *shape))
        size = n_groups * 2 * (BINS + 1)
        places = places_of_scores(len(classes), positive, n_groups, ranks=ends is not None)
        in_place = places <= MOST_PLACES
        self._cells: list[_Places | _Found] = [
            _Places(_no_sums(size, is_weighted=is_weighted)) if in_place else _Found(is_weighted)
            for _ in range(n_columns)
        ]

    def take(self, forecasts: Forecasts, groups: Ints) -> None:
        """Add the scores of some instances, which are in these groups."""
        at, shape = groups * forecasts.k + forecasts.codes, self._sizes.shape

        weights = forecasts.weights

        def summed(each: Any = None) -> Any:
            return np.bincount(at, each, self._sizes.size).reshape(shape)

        def weighed(each: Floats) -> Any:
            return summed(each if weights is None else each * weights)

        self._sizes += summed(weights)
        if self._ends is not None:
            for code, cells in zip(self._columns, self._cells, strict=True):
                x, hits = forecasts.column(code).astype(np.float64, copy=False), forecasts.codes == code
                cells.add((groups * 2 + hits) * (BINS + 1) + bin_of_score(x, *self._ends), x, weights)
            return
        assert isinstance(forecasts, ProbabilityForecasts)
        named = [np.array([code]) for code in self._columns] + [forecasts.best]
        matrix = np.ascontiguousarray(forecasts.matrix, np.float64)
        for own, cells in zip(named, self._cells, strict=True):
            cells.add_probabilities(matrix, forecasts.codes, groups, own, weights)
        logs = log_loss_of_each(forecasts)
        lost = np.isinf(logs)
        if lost.any():
            logs = np.where(lost, 0.0, logs)
            self._losses[2] += summed(lost.astype(np.float64))
        self._losses[0] += weighed(logs)
        self._losses[1] += weighed(brier_of_each(forecasts))

    def sums(self) -> ScoreSums:
        """Return the sums."""
        cells = tuple(own.cells() for own in self._cells)
        losses = self._losses if self._ends is None else None
        return ScoreSums(self._classes, self._positive, self._sizes, cells, losses)


class _Places:
    """Sums of scores with a place for each cell."""

    def __init__(self, sums: Floats) -> None:
        self._sums = sums

    def add(self, keys: Ints, x: Floats, weights: Floats | None) -> None:
        """Add scores to their cells."""
        add_scores(x, keys, _NO_WEIGHTS if weights is None else weights, self._sums)

    def add_probabilities(
        self, matrix: Floats, codes: Ints, groups: Ints, named: Ints, weights: Floats | None
    ) -> None:
        """Add the probability of the class that is named in each row, or for all rows."""
        given = _NO_WEIGHTS if weights is None else weights
        add_probabilities(matrix, codes, groups, named, BINS, given, self._sums)

    def cells(self) -> ScoreCells:
        """Return the cells that have scores."""
        there = np.flatnonzero(self._sums[:, 0])
        return ScoreCells.of_sums(there, self._sums[there])


class _Found:
    """Sums of scores of the cells that have some: with many groups, places for all cells would not fit."""

    def __init__(self, is_weighted: bool) -> None:
        nothing = _no_sums(0, is_weighted=is_weighted)
        self._before, self._recent = ScoreCells.of_sums(np.zeros(0, np.int64), nothing), list[ScoreCells]()

    def add(self, keys: Ints, x: Floats, weights: Floats | None) -> None:
        """Add scores to their cells."""
        self._recent.append(ScoreCells.of(keys, x, weights))
        if sum(own.keys.size for own in self._recent) > max(_MOST_RECENT, self._before.keys.size):
            self._before, self._recent = self.cells(), []

    def add_probabilities(
        self, matrix: Floats, codes: Ints, groups: Ints, named: Ints, weights: Floats | None
    ) -> None:
        """Add the probability of the class that is named in each row, or for all rows."""
        x = np.ascontiguousarray(matrix[np.arange(codes.size), named])
        self.add((groups * 2 + (codes == named)) * (BINS + 1) + bin_of_probability(x), x, weights)

    def cells(self) -> ScoreCells:
        """Return the cells that have scores."""
        return reduce(operator.add, self._recent, self._before)
