"""Forecasts that the engine of a table has aggregated, from whose sums statistics with bounds are made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.positive import shown_class
from adjudge.statistics.binned_scores import (
    BinnedAreas,
    BinnedCalibratedScores,
    BinnedPositiveScores,
    BinnedTopLabels,
    ScoreBins,
)
from adjudge.statistics.losses import ProbabilityLosses

__all__ = ["LossSums", "ScoreCells", "ScoreSums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Instances by true class, column of scores, and bin of these scores.

    Attributes
    ----------
    truth, column : ndarray of int64 of shape (c,)
        Codes of the true class, and of the column's class.
    groups : ndarray of int64 of shape (c,)
    bins : ndarray of float64 of shape (c,)
    counts : ndarray of int64 of shape (c,)
    least, greatest, total : ndarray of float64 of shape (c,)
        Minimum, maximum and sum of the scores.
    """

    truth: Ints
    column: Ints
    groups: Ints
    bins: Floats
    counts: Ints
    least: Floats
    greatest: Floats
    total: Floats

    def take(self, mask: NDArray[np.bool_]) -> ScoreCells:
        """Return some of the cells."""
        return ScoreCells(*(own[mask] for own in vars(self).values()))

    def outcomes(self) -> tuple[Floats, NDArray[np.bool_], Floats]:
        """Return the mean score of each cell, whether its class is the true one, and how many instances it has."""
        # Rounding must not move the mean out of the bin.
        means = np.clip(self.total / self.counts, self.least, self.greatest)
        return means, self.truth == self.column, self.counts.astype(np.float64)

    def of_column(self, code: int) -> ScoreBins:
        """Return the scores of one class in bins."""
        own = self.take(self.column == code)
        return ScoreBins.of(own.bins, own.truth == code, own.counts, own.least, own.greatest)


@dataclass(frozen=True, eq=False)
class LossSums:
    """Losses by true class.

    Attributes
    ----------
    truth, groups : ndarray of int64 of shape (c,)
    log_loss, brier : ndarray of float64 of shape (c,)
        Sums over the instances; the first without instances whose true class had probability 0.
    impossible : ndarray of int64 of shape (c,)
        Number of these.
    """

    truth: Ints
    groups: Ints
    log_loss: Floats
    brier: Floats
    impossible: Ints

    def take(self, mask: NDArray[np.bool_]) -> LossSums:
        """Return some of the sums."""
        return LossSums(*(own[mask] for own in vars(self).values()))

    def made(self, sizes: Ints, classes: Sequence[Any]) -> ProbabilityLosses:
        """Sum the losses."""
        lost = int(self.impossible.sum())
        logs = math.inf if lost else math.fsum(self.log_loss.tolist())
        return ProbabilityLosses(logs, math.fsum(self.brier.tolist()), sizes, classes, lost)


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Everything that an engine has aggregated about a classifier's scores.

    Attributes
    ----------
    classes : sequence of length C
    positive : int or None
        Code of the positive class.
    cells : ScoreCells
    losses : LossSums or None
        None if scores only rank.
    top : ScoreCells or None
        Cells by the likeliest class, as the column, and its probability; None if scores only rank.
    """

    classes: Sequence[Any]
    positive: int | None
    cells: ScoreCells
    losses: LossSums | None = None
    top: ScoreCells | None = None

    def where(self, code: int, *, outside: bool = False) -> ScoreSums:
        """Return the sums of one group, or of all others."""

        def part(own: Any) -> Any:
            return None if own is None else own.take((own.groups == code) != outside)

        return replace(self, cells=part(self.cells), losses=part(self.losses), top=part(self.top))

    @property
    def sizes(self) -> Ints:
        """Instances of each class."""
        own = self.cells.take(self.cells.column == self.cells.column.max(initial=0))
        return np.bincount(own.truth, own.counts, len(self.classes)).astype(np.int64)

    def statistics(self) -> Mapping[type, Any]:
        """Make the statistics for which the sums suffice, by type."""
        sizes = self.sizes
        bins, shown = self._bins(), shown_class(self.classes, self.positive)
        found: dict[type, Any] = {BinnedAreas: BinnedAreas.of(self.classes, self.positive, sizes, bins)}
        if self.positive is not None:
            found[BinnedPositiveScores] = BinnedPositiveScores.of(bins[self.positive], shown)
        if self.losses is not None:
            found[ProbabilityLosses] = self.losses.made(sizes, self.classes)
        if self.top is not None:
            found[BinnedTopLabels] = BinnedTopLabels(*self.top.outcomes())
            outcomes = self._calibrated(self.top).outcomes()
            found[BinnedCalibratedScores] = BinnedCalibratedScores(*outcomes, of_class=shown)
        return found

    def _bins(self) -> list[ScoreBins]:
        """Return the scores of each class in bins; with two classes, those of one serve for both."""
        if len(self.classes) == 2:
            wanted = 1 if self.positive is None else self.positive
            code = wanted if (self.cells.column == wanted).any() else 1 - wanted
            own = self.cells.of_column(code)
            return [own.turned(), own] if code == 1 else [own, own.turned()]
        return [self.cells.of_column(code) for code in range(len(self.classes))]

    def _calibrated(self, top: ScoreCells) -> ScoreCells:
        """Return the probabilities of the positive class if there is one, else those of the likeliest class."""
        if self.positive is None:
            return top
        return self.cells.take(self.cells.column == self.positive)
