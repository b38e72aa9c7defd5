"""Indices of all records, estimated from sampled true clusters, with standard errors and intervals.

Each is a ratio of means over clusters, corrected for its bias in small samples; an instance of the sample is a cluster.

References
----------
Binette, York, Hickerson, Baek, Madhavan & Jones (2022), Estimating the performance of entity resolution algorithms:
lessons learned through PatentsView.org, The American Statistician 77, 370-380.
Cochran (1977), Sampling Techniques, chapter 6 (ratio estimators).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from adjudge.array_types import Floats
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import FEW_UNITS, NO_ESTIMATE, reason_of
from adjudge.inference.sampling_design import variance_of
from adjudge.statistics.sampled_clusters import SampledClusters

#: Names of the indices that sampled clusters tell.
ESTIMABLE = tuple(
    f"{index}_{part}"
    for index in ("pair", "bcubed", "exact_cluster")
    for part in ("precision", "recall", "f")
)


class Estimate(NamedTuple):
    """An estimate with the influence of the sampled clusters, and how many clusters of one size they are worth."""

    influence: Influence
    effective: float

    @property
    def value(self) -> float:
        """The estimate; it may exceed 1 a little."""
        return self.influence.value

    @property
    def standard_error(self) -> float:
        """Its standard error; nan if one cluster was sampled."""
        return math.sqrt(variance_of(self.influence))

    def interval(self, confidence: float) -> Interval:
        """Return the interval."""
        m = self.influence.psi.size
        if math.isnan(self.value):
            return Interval.undefined(confidence, "score", NO_ESTIMATE)
        if m == 1:
            return Interval.undefined(confidence, "score", reason_of("one sampled cluster"))
        if self.influence.psi.any() and self.effective < FEW_UNITS:
            reason = reason_of("few sampled clusters", m=m, effective=self.effective)
            return Interval.undefined(confidence, "score", reason)
        found = interval_of(self.influence, (0.0, 1.0), confidence)
        return replace(found, reason=found.reason and found.reason.replace("instance", "sampled cluster"))


def estimates(clusters: SampledClusters) -> dict[str, Estimate]:
    """Return the estimate of each index; nan for 0/0."""
    s, w = clusters, clusters.weights
    pairs = s.sizes * (s.sizes - 1) / 2
    # A predicted cluster is exact as often as a true one; their numbers differ.
    share = s.sizes * (s.n_pred / s.n)
    found = {
        "pair_precision": _ratio(w * s.joined, w * (s.joined + s.crossing)),
        "pair_recall": _ratio(w * s.joined, w * pairs),
        "pair_f": _ratio(w * s.joined, w * (s.joined + s.crossing + pairs) / 2),
        "bcubed_precision": _ratio(w * s.precise, w * s.sizes),
        "bcubed_recall": _ratio(w * s.recalled, w * s.sizes),
        "exact_cluster_precision": _ratio(w * s.exact, w * share),
        "exact_cluster_recall": _ratio(w * s.exact, w),
        "exact_cluster_f": _ratio(w * s.exact, w * (1 + share) / 2),
    }
    # No ratio of the same sums: by its slopes in precision and recall.
    (p, effective), (r, _) = found["bcubed_precision"], found["bcubed_recall"]
    both = p.value + r.value
    psi = (2 * r.value**2 * p.psi + 2 * p.value**2 * r.psi) / both**2
    found["bcubed_f"] = Estimate(Influence(2 * p.value * r.value / both, psi), effective)
    return {name: found[name] for name in ESTIMABLE}


def _ratio(above: Floats, below: Floats) -> Estimate:
    m, mean = above.size, float(below.mean())
    if mean == 0:
        return Estimate(Influence(math.nan, np.full(m, math.nan)), 0.0)
    ratio = float(above.mean()) / mean
    psi = (above - ratio * below) / mean
    bias = float((below * psi).mean()) / ((m - 1) * mean) if m > 1 else 0.0
    return Estimate(Influence(ratio + bias, psi), float(below.sum()) ** 2 / float(below @ below))
