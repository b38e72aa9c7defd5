"""Estimates for all mutants, from a sample of each module."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["stratified_share"]


def stratified_share(samples: Sequence[tuple[int, int, int]]) -> tuple[float, float]:
    """Estimate the share that has a property, and its standard error, from a sample of each group.

    Cochran (1977), Sampling techniques, chapter 5. Half a success and half a failure are added for the variance.

    Parameters
    ----------
    samples : sequence of (int, int, int)
        For each group: its size, how many were drawn, and how many of these have the property.
    """
    total = sum(size for size, _, _ in samples)
    share = variance = 0.0
    for size, drawn, having in samples:
        weight = size / total
        share += weight * having / drawn
        smoothed = (having + 0.5) / (drawn + 1)
        variance += weight**2 * (1 - drawn / size) * smoothed * (1 - smoothed) / drawn
    return share, math.sqrt(variance)
