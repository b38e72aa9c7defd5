"""What curves of a classifier's scores need, class by class, without the instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.ranked_scores import CalibratedScores, RankedScores, ranked

#: Maximum number of thresholds that a curve keeps.
MOST_STEPS = 1000
#: With more classes, no curves are kept.
MOST_CLASSES = 100
# Bins of the reliability diagram and of its histogram end here, so that steps lie within one bin.
_ENDS = np.arange(21) / 20


@dataclass(frozen=True, eq=False)
class CurveSteps:
    """Counts of right and wrong answers at some thresholds: all of them, or as many as a plot can show.

    Every step is an exact point of the curve. With up to 1,000 distinct scores there is a step for each.

    Attributes
    ----------
    classes : sequence of length C
    sizes : ndarray of shape (C,)
        Instances of each class, or their weight.
    positive : int or None
        Index of the positive class; None if there is none.
    ranked : tuple of RankedScores
        By class; each step has the lowest of its scores.
    calibrated : RankedScores or None
        For probabilities: those of the positive class, or of the likeliest one; each step has the mean of its scores.
    """

    classes: Sequence[Any]
    sizes: NDArray[Any]
    positive: int | None
    ranked: tuple[RankedScores, ...]
    calibrated: RankedScores | None = None

    @classmethod
    def of(cls, forecasts: Forecasts) -> CurveSteps:
        """Count at each threshold, or at a selection."""
        known = forecasts.weighing()
        of_classes = tuple(_stepped(ranked_of(known, code))[0] for code in range(known.k))
        calibrated = None
        if isinstance(known, ProbabilityForecasts):
            calibrated = _stepped(CalibratedScores.make(known).ranked)[1]
        return cls(known.classes, known.sizes, known.positive, of_classes, calibrated)

    @property
    def are_probabilities(self) -> bool:
        """Whether probabilities were judged, rather than scores that only rank."""
        return self.calibrated is not None

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def weighing(self) -> CurveSteps:
        """Return itself: instances with weight 0 are not counted anyway."""
        return self


def ranked_of(known: Forecasts | CurveSteps, code: int) -> RankedScores:
    """Return the scores of one class in order."""
    if isinstance(known, CurveSteps):
        return known.ranked[code]
    return ranked(known.column(code), known.codes, code, known.weights)


def _stepped(scores: RankedScores) -> tuple[RankedScores, RankedScores]:
    """Merge neighbouring scores into steps; return these with their lowest scores, and with their means."""
    if scores.scores.size <= MOST_STEPS:
        return scores, scores
    before = np.cumsum(scores.counts) - scores.counts
    # The ends of bins need some steps of their own.
    several = np.floor(before / scores.n * (MOST_STEPS - 2 * _ENDS.size))
    sides = [np.searchsorted(_ENDS, scores.scores, side) for side in ("left", "right")]
    starts = np.flatnonzero((np.diff([several, *sides], axis=1, prepend=-1) != 0).any(axis=0))
    positives, negatives, sums, counts = (
        np.add.reduceat(own, starts)
        for own in (scores.positives, scores.negatives, scores.scores * scores.counts, scores.counts)
    )
    return (
        RankedScores(scores.scores[starts], positives, negatives),
        RankedScores(sums / counts, positives, negatives),
    )
