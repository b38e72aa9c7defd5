"""Positions on a line that are kept apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.array_types import Floats


def spread_apart(places: Sequence[float], gap: float | Sequence[float], low: float, high: float) -> Floats:
    """Move ordered positions as little as possible until neighbours are a gap apart, between two ends.

    Parameters
    ----------
    places : sequence of float
    gap : float or sequence of float
        Between all neighbours, or one for each pair of neighbours.
    low, high : float
    """
    offsets = np.zeros(len(places))
    np.cumsum(np.broadcast_to(gap, len(places) - 1), out=offsets[1:])
    blocks: list[tuple[float, int]] = []  # sum and number of positions moved together
    for place, offset in zip(places, offsets.tolist(), strict=True):
        total, n = place - offset, 1
        while blocks and blocks[-1][0] * n > total * blocks[-1][1]:
            before = blocks.pop()
            total, n = total + before[0], n + before[1]
        blocks.append((total, n))
    steps = np.concatenate([np.full(n, total / n) for total, n in blocks])
    top = max(high - offsets[-1], low)
    return np.asarray(np.clip(steps, low, top) + offsets)
