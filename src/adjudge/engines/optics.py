"""The order in which OPTICS reaches points: O(n²) time, O(n p) memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.errors import InputError, Option
from adjudge.given.metrics import Metric, as_metric
from adjudge.given.options import check_count
from adjudge.given.points import as_points
from adjudge.kernels.reachability import reach_row

__all__ = ["ReachabilityOrder", "reachability_order"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReachabilityOrder:
    """Points in the order in which OPTICS reaches them.

    Attributes
    ----------
    order : ndarray of int64 of shape (n,)
        Positions of the points.
    reachability : ndarray of shape (n,)
        Reachability distance of each point, in the order of the input, from the points before it in `order`;
        infinite for the first.
    core : ndarray of shape (n,)
        Core distances.
    """

    order: NDArray[np.int64]
    reachability: Floats
    core: Floats


def reachability_order(X: Any, *, min_samples: int = 5, metric: Metric = "euclidean") -> ReachabilityOrder:
    """Order points by OPTICS without a largest distance (Ankerst, Breunig, Kriegel, Sander 1999).

    The next point is the one with the smallest max(core, distance) from a reached point; the first among ties.

    Parameters
    ----------
    X : array-like of shape (n, p), or distances of shape (n, n)
    min_samples : int, default 5
        Points within the core distance, including the point itself.
    metric : str or callable

    Examples
    --------
    >>> found = reachability_order([[0.0], [1.0], [5.0], [2.0]], min_samples=2)
    >>> found.order.tolist(), found.reachability.tolist()
    ([0, 1, 3, 2], [inf, 1.0, 3.0, 1.0])
    """
    check_count("min_samples", min_samples)
    metric, values = as_metric(metric), as_points(X).values
    n = values.shape[0]
    if min_samples > n:
        raise InputError(Option("min_samples", min_samples), f" is more than the {n} points")
    block = checked_blocks(values, metric)
    everyone = np.arange(n)
    order, reached = np.empty(n, np.int64), np.zeros(n, np.bool_)
    reachability, core = np.full(n, np.inf), np.empty(n)
    current = 0
    for i in range(n):
        order[i] = current
        line = block(everyone[current : current + 1], everyone)[0]
        # From the same distances, so that points at the core distance tie with it exactly.
        line[current] = 0.0
        core[current] = np.partition(line, min_samples - 1)[min_samples - 1]
        current = reach_row(line, core[current], current, reached, reachability)
    return ReachabilityOrder(order, reachability, core)
