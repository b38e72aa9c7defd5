"""Internal criteria as the R package clusterCrit 1.3.0 computes them, where it deviates from the published formulas.

This covers its formulas and conventions, but not its overflowing counters.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.indices import ranked, scatter, separation
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index, Noted, quotient, statistics_read
from adjudge.statistics.moments import (
    CentroidDistances,
    CentroidOverlaps,
    CentroidRatios,
    CentroidSums,
    EliminationSigns,
    MidpointDensities,
    Moments,
    Scatter,
)
from adjudge.statistics.pair_distances import PairRanks, PairSums, Silhouettes, SingleLinkage

# Without a pair of clusters, a minimum remains at the largest double.
_HUGE = sys.float_info.max


def as_clustercrit(index: Index) -> Index:
    """Return the index with clusterCrit's formula; the same index if the two agree."""
    return _departures().get(index.name, index)


def _pivot_sign(matrix: Floats) -> int:
    """Return the sign that the product of the pivots gets if row exchanges are ignored."""
    from scipy.linalg import lu_factor

    _, pivots = lu_factor(matrix)
    return -1 if np.count_nonzero(pivots != np.arange(pivots.size)) % 2 else 1


def _det_ratio(s: Scatter) -> float | Noted:
    if s.log_det_total == -math.inf:
        return Noted(math.nan, "0/0: the total and the within-cluster scatter matrices are singular")
    ratio = scatter.det_ratio.function(s)
    if isinstance(ratio, Noted):
        return ratio
    return float(ratio) * _pivot_sign(s.total) * _pivot_sign(s.within)


def _log_det_ratio(s: Scatter) -> float | Noted:
    ratio = _det_ratio(s)
    if isinstance(ratio, Noted):
        return ratio
    if ratio < 0:
        return Noted(
            math.nan, "the logarithm of a negative ratio: clusterCrit loses the sign of determinants"
        )
    return scatter.log_det_ratio.function(s)


def _ksq_detw(s: Scatter) -> float | Noted:
    value = scatter.ksq_detw.function(s)
    return value if isinstance(value, Noted) or value == 0 else float(value) * _pivot_sign(s.within)


def _scott_symons(d: EliminationSigns) -> float | Noted:
    if (d.signs < 0).any():
        return Noted(
            math.nan, "the logarithm of a negative value: clusterCrit loses the sign of determinants"
        )
    return scatter.scott_symons.function(d.determinants)


def _trace_wib(s: Scatter) -> float | Noted:
    value = scatter.trace_wib.function(s)
    return 0.0 if isinstance(value, Noted) else value


def _davies_bouldin(c: CentroidOverlaps) -> float | Noted:
    if c.k == 1:
        return 0.0
    return scatter.davies_bouldin.function(dataclasses.replace(c, coinciding=False))


def _pbm(c: CentroidDistances) -> float | Noted:
    return math.inf if c.k == 1 else scatter.pbm.function(c)


def _ratkowsky_lance(m: Moments) -> float | Noted:
    if (m.total_columns == 0).any():
        return Noted(math.nan, "0/0: a column is constant")
    return scatter.ratkowsky_lance.function(m)


def _ray_turi(m: Moments, c: CentroidDistances) -> float | Noted:
    return 0.0 if m.k == 1 else scatter.ray_turi.function(m, c)


def _sd_dis(c: CentroidDistances, s: CentroidSums) -> float | Noted:
    return -math.inf if c.k == 1 else scatter.sd_dis.function(c, s)


def _s_dbw(m: Moments, d: MidpointDensities) -> float | Noted:
    scattering = scatter.sd_scat.function(m)
    if isinstance(scattering, Noted):
        return scattering
    if d.empty_pairs:
        return Noted(math.nan, "0/0: there is no point near two centroids and their midpoint")
    return float(scattering + d.ratio_sum)


def _wemmert_gancarski(c: CentroidRatios) -> float | Noted:
    return 1.0 if c.sizes.size == 1 else scatter.wemmert_gancarski.function(c)


def _xie_beni(m: Moments, separated: SingleLinkage) -> float | Noted:
    return 0.0 if m.k == 1 else separation.xie_beni.function(m, separated)


def _silhouette(s: Silhouettes) -> float | Noted:
    if s.sizes.size == 1:
        return 1.0
    if (s.sizes == 1).any():
        return Noted(math.nan, "0/0: a cluster has one point")
    return separation.silhouette_macro.function(s)


def _gamma(r: PairRanks) -> float | Noted:
    plus, minus = _ranks(r)
    return quotient(plus - minus, plus + minus, ranked.NOTHING_TO_COMPARE)


def _tau(r: PairRanks) -> float | Noted:
    plus, minus = _ranks(r)
    total = r.n_within + r.n_between
    root = math.sqrt(r.n_within * r.n_between * (total // 2) * (total - 1))
    return quotient(plus - minus, root, ranked.NOTHING_TO_COMPARE)


def _ranks(r: PairRanks) -> tuple[float, float]:
    """Return s+ including ties, and s-."""
    if not r.unknown:
        return r.s_plus + r.ties, r.s_minus
    plus, minus = r.estimate
    return plus + r.ties, minus


def _halved_mean(s: PairSums) -> float:
    """Return the largest Delta_2, half the mean distance, skipping clusters of one point."""
    means = s.mean_within[s.sizes > 1]
    return float(means.max()) / 2 if means.size else math.nan


def _generalized_dunn(u: int, v: int) -> Callable[..., float | Noted]:
    _, distance, _, _ = separation.SEPARATIONS[u - 1]
    diameter = _halved_mean if v == 2 else separation.DIAMETERS[v - 1][1]

    def formula(*statistics: Any) -> float | Noted:
        numerator = distance(statistics[0])
        if math.isnan(numerator):
            numerator = _HUGE
        denominator = diameter(statistics[-1])
        if math.isnan(denominator):
            return Noted(math.nan, f"0/0: {separation.SINGLETONS_ONLY}")
        return quotient(numerator, denominator, separation.ZERO_DIAMETER)

    return formula


@cache
def _departures() -> dict[str, InternalIndex]:
    plain: tuple[tuple[InternalIndex, Callable[..., float | Noted]], ...] = (
        (scatter.det_ratio, _det_ratio),
        (scatter.log_det_ratio, _log_det_ratio),
        (scatter.ksq_detw, _ksq_detw),
        (scatter.scott_symons, _scott_symons),
        (scatter.trace_wib, _trace_wib),
        (scatter.davies_bouldin, _davies_bouldin),
        (scatter.pbm, _pbm),
        (scatter.ratkowsky_lance, _ratkowsky_lance),
        (scatter.ray_turi, _ray_turi),
        (scatter.sd_dis, _sd_dis),
        (scatter.s_dbw, _s_dbw),
        (scatter.wemmert_gancarski, _wemmert_gancarski),
        (separation.xie_beni, _xie_beni),
        # clusterCrit's Silhouette is the mean over clusters.
        (separation.silhouette, _silhouette),
        (separation.silhouette_macro, _silhouette),
        (ranked.gamma, _gamma),
        (ranked.tau, _tau),
    )
    found = {
        record.name: dataclasses.replace(record, function=formula, requires=statistics_read(formula))
        for record, formula in plain
    }
    for position, record in enumerate(separation.generalized_dunn):
        u, v = divmod(position, 3)
        if u < 5:  # it has no Hausdorff distance
            found[record.name] = dataclasses.replace(record, function=_generalized_dunn(u + 1, v + 1))
    return found
