"""NCI: how much one more cluster raises the correlation of the distances with those between centroids."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge.indices.characteristics import centroid_correlation
from adjudge.indices.record import Noted, inf
from adjudge.indices.selection_record import Value, selection
from adjudge.statistics.moments import Moments
from adjudge.statistics.pair_distances import PairSums
from adjudge.statistics.prototypes import CentroidProfile, DistanceSquares
from adjudge.statistics.sweep import Sweep


def _gained(before: float, after: float) -> float:
    """Return the gain from one cluster over that from the next; infinite if the latter is no gain."""
    if after > 0:
        return before / after
    return math.nan if before == 0 or math.isnan(before + after) else math.copysign(inf, before)


def _relative_spread(distances: np.ndarray[Any, Any]) -> float:
    """Return the standard deviation over the range."""
    reach = float(distances.max() - distances.min())
    return float(distances.std(ddof=1)) / reach if reach > 0 else math.nan


@selection(
    title="NCI",
    better="higher",
    range=(-inf, inf),
    rule="max",
    reference="wiroonsri2024",
    formula=r"\frac{g_{K-1}}{\max(0, g_K)}, \quad g_K = \frac{NC_{K+1} - NC_K}{1 - NC_K}",
    undefined="if a correlation is undefined, or no partition has a finite value.",
    reads=(PairSums, DistanceSquares, Moments, CentroidProfile),
    neighbours=(-1, 1),
    symbols={
        "NC_K": "correlation of the distances with those of the centroids of K clusters; for K = 1 the standard "
        "deviation of the distances from the mean over their range",
        "g_K": "share of what was left to gain that one cluster more gains",
    },
    note="If g_K is not positive the quotient is infinite: it is replaced by the largest finite one (or the "
    "smallest) and g_(K-1) - g_K is added to all, as published. UniversalCVI has other values of NC_1 for "
    "several variables, and so of NCI at K = 2.",
    peers={"UniversalCVI": "NCI"},
)
def nci(s: Sweep) -> Mapping[int, Value]:
    """How much the K-th cluster raises the correlation with the centroids, over how much one more raises it."""
    sums, squares, moments = s.all(PairSums), s.all(DistanceSquares), s.all(Moments)
    profiles = s.all(CentroidProfile)
    correlations: dict[int, float] = {}
    for k in sums:
        value = (
            _relative_spread(profiles[k].own)
            if k == 1
            else centroid_correlation.function(sums[k], squares[k], moments[k])
        )
        correlations[k] = math.nan if isinstance(value, Noted) else value

    def gain(k: int) -> float:
        here, there = correlations[k], correlations[k + 1]
        return (there - here) / (1 - here) if here != 1 else math.nan

    found = [k for k in s.ks if {k - 1, k, k + 1} <= correlations.keys()]
    gains = {k: (gain(k - 1), gain(k)) for k in found}
    ratios = {k: _gained(before, after) for k, (before, after) in gains.items()}
    finite = [v for v in ratios.values() if math.isfinite(v)]
    if any(map(math.isinf, ratios.values())):
        if not finite:
            return {k: Noted(math.nan, "no partition has a finite quotient") for k in found}
        ends = {inf: max(finite), -inf: min(finite)}
        ratios = {k: ends.get(v, v) + gains[k][0] - gains[k][1] for k, v in ratios.items()}
    return {
        k: Noted(math.nan, "a correlation is undefined") if math.isnan(v) else v for k, v in ratios.items()
    }
