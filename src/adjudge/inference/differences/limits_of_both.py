"""Differences of scores of two classes by two models, from the intervals of both.

A score of a class with few instances is neither normal nor smooth, and no more is a difference of two: by its standard
error an interval of F1 held in 0.46 of the samples of 50 instances, two of a class. But each of the scores has an
interval that holds. Both are put together by how the scores vary with each other if instances are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from adjudge.indices.record import Index
from adjudge.inference.classes.scored_labels import ScoredLabels
from adjudge.inference.common.mover import correlations, limits_of_difference
from adjudge.inference.differences.exchanged_labels import LabelsOfTwo
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import WITHOUT_ONE

__all__ = ["differences_from_both"]


def differences_from_both(
    records: Sequence[Index],
    seen: LabelsOfTwo,
    models: tuple[ScoredLabels, ScoredLabels],
    confidence: float,
) -> list[tuple[float, Interval]]:
    """Make the difference of each score, the first model's less the second's, and its interval.

    Parameters
    ----------
    records : sequence of Index
    seen : LabelsOfTwo
        Of two classes.
    models : (ScoredLabels, ScoredLabels)
        The same labels.
    confidence : float
    """
    of_both = [model.intervals(records, confidence) for model in models]
    kept = _kept_correlation(seen)
    found = []
    for record in records:
        one, other = (own[record.name] for own in of_both)
        values = [model.value(record) for model in models]
        left = np.array(seen.of_each(*(partial(model.without_one, record) for model in models)))
        refused = next((own for own in (one, other) if math.isnan(own.low)), None)
        if refused is not None:
            interval = Interval.undefined(confidence, "mover", refused.reason)
        elif not np.isfinite(left).all():
            interval = Interval.undefined(confidence, "mover", WITHOUT_ONE)
        else:
            correlation = kept * float(correlations(left, seen.counts)[0, 1])
            limits = [(own.low, own.high) for own in (one, other)]
            ends = limits_of_difference(values[0], limits[0], values[1], limits[1], correlation)
            interval = Interval(*ends, confidence, "mover")
        found.append((values[0] - values[1], interval))
    return found


def _kept_correlation(seen: LabelsOfTwo) -> float:
    """How much of the correlation to believe: little, if it is that of few instances, or if few tell the models apart.

    Two instances of a class seem perfectly correlated, and models do that differ on no instance of the sample.
    """
    outside = int(seen.counts.sum() - np.bincount(seen.truth, seen.counts).max())
    return (1 - 1 / max(1, outside)) * (1 - 1 / (1 + seen.n_different))
