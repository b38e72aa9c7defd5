"""The influence of each instance on entropies, and on indices computed from them.

Entropies are estimated for the population (:mod:`adjudge.inference.partitions.entropy_estimate`). An index is treated
as linear in the entropies of the truth, of the prediction and of both. Where it is not - at independence, with even
clusters, with most cells not drawn - there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.inference.arrays import Floats, Limits, Numbers
from adjudge.inference.common.samples import Sample
from adjudge.inference.influence import Influence, rounding_of
from adjudge.inference.interval import Asked
from adjudge.inference.partitions.entropy_estimate import EntropyEstimate
from adjudge.inference.partitions.pair_influence import event_of
from adjudge.inference.refusals import refuse, round_up
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.joint import JointCounts

__all__ = ["Entropies"]


#: Upper bound of an index without a finite range, from the largest entropies of the two partitions.
_LARGEST: dict[str, Callable[[float, float], float]] = {
    "entropy_true": lambda true, pred: true,
    "entropy_pred": lambda true, pred: pred,
    "joint_entropy": lambda true, pred: true + pred,
    "mutual_information": min,
    "variation_of_information": lambda true, pred: true + pred,
}
_OF_ONE = ("entropy_true", "entropy_pred")
# Least total probability of the cells that were drawn, by Good & Turing (1953): below it, the other cells decide.
_LEAST_COVERED = 0.7
# Least number of instances per cluster for the entropy of one partition not to depend on clusters that were not drawn.
_ENOUGH_A_CLUSTER = 10
# Level of the chi-square test (Wilks 1938) that separates an index from its extreme value.
_LEVEL = 0.01
# Relative step of derivatives in the entropies.
_STEP = 1e-6


def _information(table: JointCounts, at: Floats) -> PartitionEntropies:
    """Return the statistic that the indices read, for a population with other entropies than the table's."""
    true, pred, joint = at.tolist()
    made = PartitionEntropies(
        n=table.n,
        mutual=true + pred - joint,
        entropy_true=true,
        entropy_pred=pred,
        true_given_pred=joint - pred,
        pred_given_true=joint - true,
        identical=False,
        row_sums=table.row_sums,
        col_sums=table.col_sums,
    )
    # The value expected by chance vanishes as the number of instances grows.
    made.__dict__["expected_mutual"] = 0.0
    return made


def _entropy_of_two(share: float) -> float:
    return -sum(part * math.log(part) for part in (share, 1 - share) if part > 0)


@dataclass(frozen=True)
class Entropies:
    """Entropies of the truth, of the prediction and of both, for the population from which a table is sampled."""

    table: JointCounts
    sample: Sample
    true: EntropyEstimate
    pred: EntropyEstimate
    joint: EntropyEstimate

    @classmethod
    def of(cls, table: JointCounts, sample: Sample) -> Entropies:
        """Estimate the entropies from a table."""
        parts = (table.row_sums, table.col_sums, sample.counts)
        return cls(table, sample, *(EntropyEstimate.of(np.asarray(counts)) for counts in parts))

    def asked(self, name: str, formula: Callable[[Any], float], limits: Limits, observed: float) -> Asked:
        """Return the ingredients of the interval of an index.

        Raises
        ------
        RefusedError
        """
        r, c = self.table.shape
        if name in _OF_ONE and (r, c)[name == "entropy_pred"] <= 2:
            return self._of_two(self.table.row_sums if name == "entropy_true" else self.table.col_sums, name)
        if min(r, c) == 1 and (name not in _LARGEST or name == "mutual_information"):
            refuse("one cluster")
        at = np.array([self.true.value, self.pred.value, self.joint.value])
        value = formula(_information(self.table, at))
        slope = self._slope(formula, at, rounding_of(value, *limits))
        if not (math.isfinite(value) and np.isfinite(slope).all()):
            refuse("no slope")
        self._check(name, formula, slope)
        bounded = name not in _LARGEST
        if bounded and self.table.identical:
            value = observed
        rows, cols = self.sample.codes
        psi = slope[0] * self.true.psi[rows] + slope[1] * self.pred.psi[cols] + slope[2] * self.joint.psi
        own = Influence.centred(value, psi, self.sample.counts)
        low = limits[0] if math.isfinite(limits[0]) else 0.0
        limits = (low, limits[1] if bounded else math.inf)
        return Asked(self._with_empty_cells(own, slope, limits), limits, highest=self._highest(name))

    def _slope(self, formula: Callable[[Any], float], at: Floats, rounding: float) -> Floats:
        """Return the derivatives of an index in the entropies; 0 if it changes by no more than rounding."""
        slope = np.empty(3)
        for i in range(3):
            step = np.zeros(3)
            step[i] = _STEP * max(1.0, float(at.max()))
            ahead, behind = (formula(_information(self.table, at + sign * step)) for sign in (1, -1))
            slope[i] = 0.0 if abs(ahead - behind) <= rounding else (ahead - behind) / (2 * step[i])
        return slope

    def _with_empty_cells(self, own: Influence, slope: Floats, limits: Limits) -> Influence:
        """Add the variance at the table without empty cells, and the change by one more instance anywhere."""
        filled = self.sample.filled
        if filled is None:
            return own
        full, spread = filled
        logs = [logarithms(part / full.n) for part in full.partners()[:3]]
        psi = -sum(s * log for s, log in zip(slope, logs, strict=True))
        everywhere = Influence.centred(own.value, np.asarray(psi), full.counts)
        least = everywhere.moment(2) / full.n**2
        return Influence(own.value, own.psi, own.counts, least, event_of(everywhere, spread, limits))

    def _check(self, name: str, formula: Callable[[Any], float], slope: Floats) -> None:
        """Raise if an index is near its extreme value, or depends on cells that were not drawn."""
        n, (r, c) = self.table.n, self.table.shape
        if self.sample.counts.dtype.kind == "f":
            return
        if name in _OF_ONE:
            sizes = self.table.row_sums if name == "entropy_true" else self.table.col_sums
            if n < _ENOUGH_A_CLUSTER * sizes.size:
                enough = round_up(_ENOUGH_A_CLUSTER * sizes.size)
                refuse("clusters not drawn", k=sizes.size, enough=enough)
            if not _tells(n, math.log(sizes.size) - self._plain(name), sizes.size - 1):
                refuse("even clusters")
            return
        if not abs(slope[2]) > 0:
            return
        once = self.joint.once
        if 1 - once / n < _LEAST_COVERED:
            refuse(
                "cells not drawn", r=r, c=c, enough=round_up(max(2.0, once / n / (1 - _LEAST_COVERED)) * n)
            )
        if name == "joint_entropy" and not _tells(n, math.log(r * c) - self._plain(name), r * c - 1):
            refuse("even clusters")
        if self._flat_at_independence(formula) and not _tells(
            n, self.table.information.mutual, (r - 1) * (c - 1)
        ):
            refuse("independent")

    def _plain(self, name: str) -> float:
        information = self.table.information
        return float(information.joint if name == "joint_entropy" else getattr(information, name))

    def _flat_at_independence(self, formula: Callable[[Any], float]) -> bool:
        """Whether an index has the same value for all independent partitions, as the mutual information has."""
        true, pred = self.true.value, self.pred.value

        def at(stretched: float) -> float:
            return formula(
                _information(self.table, np.array([stretched * true, pred, stretched * true + pred]))
            )

        return abs(at(1.01) - at(1.0)) <= _STEP

    def _of_two(self, sizes: Numbers, name: str) -> Asked:
        """Treat the entropy of two clusters as an increasing function of the share of the smaller one."""
        n = float(sizes.sum())
        codes = self.sample.codes[name == "entropy_pred"]
        smaller = codes == int(np.argmin(sizes)) if sizes.size == 2 else np.zeros(codes.size, bool)
        share = float(sizes.min()) / n if sizes.size == 2 else 0.0
        own = Influence.centred(share, smaller.astype(np.float64), self.sample.counts, event=1 / n)
        return Asked(own, (0.0, 1.0), highest=0.5, back=_entropy_of_two, fewest_events=0.0)

    def _highest(self, name: str) -> float:
        """Return the largest value for the clusters that were drawn and the estimated number that were not."""
        if name not in _LARGEST:
            return math.inf
        true, pred = (math.log(part.psi.size + part.missing) for part in (self.true, self.pred))
        return _LARGEST[name](true, pred)


def _tells(n: float, divergence: float, freedom: int) -> bool:
    """Whether 2 n times a divergence is significant as chi-square with these degrees of freedom."""
    from scipy.special import chdtrc

    return freedom == 0 or bool(chdtrc(freedom, 2 * n * max(divergence, 0.0)) <= _LEVEL)
