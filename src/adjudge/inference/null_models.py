"""The null models: how an index is distributed over partitions that have nothing to do with each other.

Under fixed margins an index that counts pairs depends on the table through the one number of pairs joined in both
partitions, and one made of information through the mutual information alone. If the index is linear or
quadratic in that number its expectation is exact; the distribution is exact for small tables, simulated for others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.options import random_generator
from adjudge.inference.null_distribution import NullDistribution, summarise, summarise_drawn
from adjudge.inference.null_moments import (
    PairSumMoments,
    enumerate_tables,
    enumeration_cost,
    expected_squares,
    pair_sum_distribution,
    pair_sum_moments,
    table_count_bound,
)
from adjudge.inference.null_tables import RandomTables
from adjudge.inference.random_partitions import (
    AnyPartition,
    FixedSizes,
    KClusters,
    PartitionModel,
    expected_mutual_information,
    joined_share,
    random_tables,
)
from adjudge.inference.targets import Target, evaluate_targets
from adjudge.progress import Progress
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.pair_counts import PairCounts

__all__ = ["FixedMargins", "RandomPartitions"]

Float64s = NDArray[np.float64]

# Steps of the dynamic programme, or tables enumerated, that "auto" is ready to take (about a tenth of a second).
_FEW_STEPS = 30_000
_FEW_TABLES = 2_000
# The same for a user who asks for the exact distribution.
_MOST_STEPS = 3_000_000
_MOST_TABLES = 1_000_000
# Seconds of one core that "auto" is ready to simulate for before it turns to the Pearson III approximation.
_MOST_SECONDS = 8.0

# Indices that are sums over the cells of n_ij^2 by the weight given here have exact expectations.
_SQUARES: dict[str, Callable[[Float64s, Float64s], Float64s]] = {
    "bcubed_precision": lambda a, b: 1.0 / b,
    "bcubed_recall": lambda a, b: 1.0 / a,
    "element_centric": lambda a, b: 1.0 / np.maximum(a, b),
}


def _support(joined_true: int, joined_pred: int, total: int) -> tuple[int, int]:
    return max(0, joined_true + joined_pred - total), min(joined_true, joined_pred)


@dataclass(frozen=True)
class _Curve:
    """An index as a function of the number a of pairs joined in both partitions, the margins being fixed."""

    target: Target
    joined_true: int
    joined_pred: int
    total: int

    @property
    def support(self) -> tuple[int, int]:
        """Numbers between which a lies."""
        return _support(self.joined_true, self.joined_pred, self.total)

    def __call__(self, a: int) -> float:
        return self.target(
            PairCounts.from_joined(
                both=a, in_true=self.joined_true, in_pred=self.joined_pred, total=self.total
            )
        )

    @cached_property
    def polynomial(self) -> tuple[int, float, float, float] | None:
        """Centre m and coefficients of c0 + c1 (a - m) + c2 (a - m)^2, if the index is such a polynomial.

        It counts as one if it agrees with the polynomial through three points at seventeen others.
        """
        low, high = self.support
        if high - low < 2:
            return None
        middle = (low + high) // 2
        at_low, at_middle, at_high = self(low), self(middle), self(high)
        left, right = (at_middle - at_low) / (middle - low), (at_high - at_middle) / (high - middle)
        curvature = (right - left) / (high - low)
        scale = max(abs(at_low), abs(at_middle), abs(at_high))
        if not math.isfinite(scale):
            return None
        if abs(curvature) * (high - low) ** 2 <= 1e-12 * scale:
            curvature = 0.0
            slope = (at_high - at_low) / (high - low)
        else:
            slope = left + curvature * (middle - low)
        for step in range(1, 18):
            a = low + (high - low) * step // 18
            by_polynomial = at_middle + (a - middle) * (slope + curvature * (a - middle))
            if not abs(self(a) - by_polynomial) <= 1e-12 * scale:
                return None
        return middle, at_middle, slope, curvature

    def mean(self, moments: PairSumMoments) -> float | None:
        """Exact mean, if the index is linear or quadratic."""
        if self.polynomial is None:
            return None
        middle, _, slope, curvature = self.polynomial
        # Rounding the mean of a to a whole number keeps the digits of the index there.
        near = min(max(round(moments.mean), self.support[0]), self.support[1])
        offset = float(moments.mean - near)
        slope += 2 * curvature * (near - middle)
        return self(near) + slope * offset + curvature * (float(moments.variance) + offset**2)

    def std(self, moments: PairSumMoments) -> float | None:
        """Exact standard deviation, if the index is linear."""
        if self.polynomial is None or self.polynomial[3] != 0:
            return None
        return abs(self.polynomial[2]) * math.sqrt(moments.variance)


class FixedMargins:
    """All tables with the cluster sizes of a given one, weighted as independent partitions weigh them."""

    def __init__(
        self,
        table: Contingency,
        n_tables: int,
        random_state: Any,
        method: str,
        n_threads: int | None,
        progress: Progress | None,
    ) -> None:
        self._table = table
        self._n_tables = n_tables
        self._method = method
        self._tables = RandomTables(
            table, random_generator(random_state), n_threads=n_threads, progress=progress
        )

    def mean(self, target: Target) -> float:
        """Mean of an index, by formula if there is one."""
        known = self._known_mean(target)
        return self.distributions([target])[0].mean if known is None else known

    def distributions(self, targets: Sequence[Target]) -> list[NullDistribution]:
        """Distribution of each index, all from the same tables."""
        found = {i: self._of_pairs(t) for i, t in enumerate(targets) if t.kind is PairCounts}
        others = {i: t for i, t in enumerate(targets) if t.kind is not PairCounts}
        if others and self._method_for_tables(others.values()) == "exact":
            found |= self._enumerated(others)
        else:
            found |= self._simulated(others)
        return [found[i] for i in range(len(targets))]

    def _known_mean(self, target: Target) -> float | None:
        """Mean by formula, unless another method was requested."""
        if self._method not in ("auto", "exact"):
            return None
        table = self._table
        if target.kind is PairCounts:
            return self._curve(target).mean(self._moments)
        if target.kind is PartitionEntropies:
            return self._linear_in_information(target)
        if target.record is not None and target.record.name in _SQUARES and target.record.variant_of is None:
            a, b = (x.astype(np.float64) for x in (table.row_sums[:, None], table.col_sums[None, :]))
            squares = expected_squares(table.row_sums, table.col_sums, table.n)
            return float((squares * _SQUARES[target.record.name](a, b)).sum() / table.n)
        return None

    # Indices that count pairs.

    @cached_property
    def _moments(self) -> PairSumMoments:
        return pair_sum_moments(self._table.row_sums, self._table.col_sums, self._table.n)

    def _curve(self, target: Target) -> _Curve:
        pairs = self._table.pairs
        return _Curve(target, pairs.joined_true, pairs.joined_pred, pairs.total)

    def _of_pairs(self, target: Target) -> NullDistribution:
        curve = self._curve(target)
        method = self._method_for_pairs()
        numbers, probabilities = self._pair_sums[method]
        values = np.array([curve(a) for a in numbers])
        found = summarise(
            target,
            values,
            probabilities,
            method=method,
            n_tables=self._n_tables if method == "simulate" else None,
            exact_mean=self._known_mean(target),
            exact_std=curve.std(self._moments) if self._method in ("auto", "exact") else None,
        )
        if found.mean_method == "exact" or math.isnan(found.mean):
            return found
        return self._with_known_moments(found, numbers, values, probabilities)

    def _with_known_moments(
        self, found: NullDistribution, numbers: list[int], values: Float64s, probabilities: Float64s
    ) -> NullDistribution:
        """Sharpen the mean by what is known exactly: the first three moments of the number of joined pairs.

        They are control variates: only what a cubic in that number leaves of the index is left to chance.
        """
        moments = self._moments
        scale = math.sqrt(moments.variance)
        centre = round(moments.mean)
        z = np.array([(a - centre) / scale for a in numbers]) - float(moments.mean - centre) / scale
        powers = np.stack([np.ones_like(z), z, z**2, z**3], axis=1)
        known = np.array([1.0, 0.0, 1.0, moments.skewness])
        weights = np.sqrt(probabilities)[:, None]
        fit, *_ = np.linalg.lstsq(powers * weights, values * weights[:, 0], rcond=None)
        rest = values - powers @ fit
        spread = math.sqrt(float(probabilities @ rest**2))
        error = found.error if found.method == "pearson3" else spread / math.sqrt(self._n_tables)
        return replace(found, mean=float(known @ fit + probabilities @ rest), error=error)

    def _method_for_pairs(self) -> str:
        margins = self._table.row_sums, self._table.col_sums
        if self._moments.variance == 0:
            return "exact"
        if self._method == "auto":
            if enumeration_cost(*margins) <= _FEW_STEPS:
                return "exact"
            return "simulate" if self._tables.seconds(self._n_tables) <= _MOST_SECONDS else "pearson3"
        if self._method == "exact" and enumeration_cost(*margins) > _MOST_STEPS:
            raise InputError(
                Option("method", "exact"),
                " would take too long for these cluster sizes: use 'simulate' or 'pearson3'",
            )
        return self._method

    @cached_property
    def _pair_sums(self) -> _PairSums:
        return _PairSums(self._table, self._moments, self._tables, self._n_tables)

    # Indices made of information, and all others.

    def _method_for_tables(self, targets: Iterable[Target]) -> str:
        margins = self._table.row_sums, self._table.col_sums
        if self._method == "pearson3":
            names = ", ".join(target.name for target in targets)
            raise InputError(
                Option("method", "pearson3"), f" is for indices that count pairs: use 'simulate' for {names}"
            )
        if self._method == "auto":
            return "exact" if table_count_bound(*margins) <= _FEW_TABLES else "simulate"
        if self._method == "exact" and table_count_bound(*margins) > _MOST_TABLES:
            raise InputError(
                Option("method", "exact"), " would take too long for these cluster sizes: use 'simulate'"
            )
        return self._method

    def _enumerated(self, targets: dict[int, Target]) -> dict[int, NullDistribution]:
        like = self._table
        weighted = list(enumerate_tables(like.row_sums, like.col_sums))
        margins = like.row_sums, like.col_sums, like.row_labels, like.col_labels, like.n
        values = evaluate_targets(targets, (Contingency(*margins, dense, None) for dense, _ in weighted))
        weights = [weight for _, weight in weighted]
        total = sum(weights)
        probabilities = np.array([weight / total for weight in weights])
        return {
            i: summarise(
                target,
                np.array(values[i]),
                probabilities,
                method="exact",
                n_tables=None,
                exact_mean=self._known_mean(target),
            )
            for i, target in targets.items()
        }

    def _simulated(self, targets: dict[int, Target]) -> dict[int, NullDistribution]:
        # Indices of information share one number, the mutual information; all others need the tables.
        of_tables = {i: t for i, t in targets.items() if t.kind is not PartitionEntropies}
        values = {
            i: [t(self._information(x)) for x in self._mutual.tolist()]
            for i, t in targets.items()
            if i not in of_tables
        }
        values |= evaluate_targets(of_tables, self._tables(self._n_tables) if of_tables else ())
        return {
            i: summarise_drawn(target, values[i], self._known_mean(target)) for i, target in targets.items()
        }

    @cached_property
    def _mutual(self) -> Float64s:
        return self._tables.mutual_information(self._n_tables)

    def _information(self, mutual: float) -> PartitionEntropies:
        """Return what the entropies are if the partitions had this mutual information."""
        given = self._table.information
        a, b = given.entropy_true, given.entropy_pred
        # Only equal cluster sizes can be identical, and then the mutual information is the entropy.
        alike = sorted(given.row_sums.tolist()) == sorted(given.col_sums.tolist())
        assumed = replace(
            given,
            mutual=mutual,
            true_given_pred=max(0.0, a - mutual),
            pred_given_true=max(0.0, b - mutual),
            identical=alike and mutual >= a * (1 - 1e-12),
        )
        # The expectation depends on the margins alone.
        assumed.__dict__["expected_mutual"] = given.expected_mutual
        return assumed

    def _linear_in_information(self, target: Target) -> float | None:
        """Exact mean of an index that is linear in the mutual information: it must be so at seventeen points."""
        given = self._table.information
        # Short of the end, where indices set identical partitions apart.
        top = 0.999 * min(given.entropy_true, given.entropy_pred)
        if top <= 0:
            return None
        at_low, at_top = (target(self._information(x)) for x in (0.0, top))
        slope = (at_top - at_low) / top
        scale = max(abs(at_low), abs(at_top))
        for step in range(1, 18):
            x = top * step / 18
            if not abs(target(self._information(x)) - (at_low + slope * x)) <= 1e-11 * scale:
                return None
        return at_low + slope * given.expected_mutual


# Indices that read whole tables are tried on partitions into single instances up to this many.
_MOST_SINGLE = 2000
# Up to this many cells all swaps of two instances are looked at.
_MOST_SWAPPED = 400


class _PairSums:
    """Distributions of the number of pairs joined in both partitions, by method, each made once."""

    def __init__(
        self, table: Contingency, moments: PairSumMoments, tables: RandomTables, n_tables: int
    ) -> None:
        self._table = table
        self._moments = moments
        self._tables = tables
        self._n_tables = n_tables

    def __getitem__(self, method: str) -> tuple[list[int], Float64s]:
        if method == "exact":
            return self._exact
        return self._simulated if method == "simulate" else self._pearson3

    @cached_property
    def _exact(self) -> tuple[list[int], Float64s]:
        if self._moments.variance == 0:
            return [round(self._moments.mean)], np.ones(1)
        values, probabilities = pair_sum_distribution(self._table.row_sums, self._table.col_sums)
        return values.tolist(), probabilities

    @cached_property
    def _simulated(self) -> tuple[list[int], Float64s]:
        base, offsets = self._tables.pair_sums(self._n_tables)
        values, counts = np.unique(offsets, return_counts=True)
        return [base + offset for offset in values.tolist()], counts / self._n_tables

    @cached_property
    def _pearson3(self) -> tuple[list[int], Float64s]:
        """Whole numbers and their chances: a fine grid if the law is wide, with a cell around the observed."""
        from scipy.stats import pearson3

        moments, pairs = self._moments, self._table.pairs
        base = round(moments.mean)
        law = pearson3(moments.skewness, loc=float(moments.mean - base), scale=math.sqrt(moments.variance))
        low, high = _support(pairs.joined_true, pairs.joined_pred, pairs.total)
        reach = law.ppf(1e-15), law.isf(1e-15)
        observed = pairs.yy - base
        below, above = _gaps(self._table)
        # Half the way to the numbers that the next tables have: few clusters leave gaps between them.
        first, last = observed - (below - 1) // 2, observed + (above - 1) // 2 + 1
        edges = {*np.linspace(*reach, 4001).round().astype(np.int64).tolist()}
        edges = {e for e in edges if not first < e < last}
        edges |= {low - base, high - base + 1, first, last}
        # An edge e stands for e - 1/2: cells hold the whole numbers from one edge to the next, less one.
        steps = np.array(sorted(e for e in edges if low - base <= e <= high - base + 1), dtype=object)
        ends = steps.astype(np.float64) - 0.5
        chances = np.where(ends[1:] < 0, np.diff(law.cdf(ends)), -np.diff(law.sf(ends)))
        chances = np.nan_to_num(np.maximum(chances, 0.0))
        numbers = [
            pairs.yy if a <= observed < b else base + (int(a) + int(b) - 1) // 2 for a, b in pairwise(steps)
        ]
        return numbers, chances / chances.sum()


def _gaps(table: Contingency) -> tuple[int, int]:
    """How far the number of pairs joined in both partitions is from the next lower and the next higher one.

    Looked for among the tables in which two instances have swapped clusters; 1 if there are many cells, because the
    numbers then leave no gaps.
    """
    r, c = table.shape
    if r * c > _MOST_SWAPPED:
        return 1, 1
    counts = table.to_array()
    rows = counts[:, None, :] - counts[None, :, :]
    # Instances of the cells (i, j) and (k, l) move to (i, l) and (k, j).
    changes = 2 - (rows[:, :, :, None] - rows[:, :, None, :])
    possible = (counts > 0)[:, None, :, None] & (counts > 0)[None, :, None, :]
    possible &= ~np.eye(r, dtype=bool)[:, :, None, None] & ~np.eye(c, dtype=bool)
    steps = changes[possible]
    lower, higher = -steps[steps < 0], steps[steps > 0]
    return int(lower.min(initial=1 << 62 if lower.size else 1)), int(
        higher.min(initial=1 << 62 if higher.size else 1)
    )


class RandomPartitions:
    """Random partitions with given numbers of clusters, or any."""

    def __init__(
        self, table: Contingency, null: str, n_tables: int, random_state: Any, progress: Progress | None
    ) -> None:
        self._table = table
        self._n_tables = n_tables
        self._random_state = random_state
        self._progress = progress
        if table.n < 2:
            raise InputError(Option("null", null), f" needs at least 2 instances; there is {table.n}")
        r, c = table.shape
        any_size = null.startswith("all")
        self._rows: PartitionModel
        if null.endswith("1"):
            self._rows = FixedSizes(table.row_sums)
        else:
            self._rows = AnyPartition(table.n) if any_size else KClusters(table.n, r)
        self._cols: PartitionModel = AnyPartition(table.n) if any_size else KClusters(table.n, c)

    def mean(self, target: Target) -> float:
        """Mean of an index, by formula if there is one."""
        known = self._known_mean(target)
        return self.distributions([target])[0].mean if known is None else known

    def distributions(self, targets: Sequence[Target]) -> list[NullDistribution]:
        """Distribution of each index, all from the same tables."""
        tables = random_tables(
            self._rows, self._cols, self._n_tables, self._random_state, progress=self._progress
        )
        values = evaluate_targets(dict(enumerate(targets)), tables)
        return [
            self._unless_undefined(t, summarise_drawn(t, values[i], self._known_mean(t)))
            for i, t in enumerate(targets)
        ]

    def _unless_undefined(self, target: Target, found: NullDistribution) -> NullDistribution:
        """Take the mean back if it does not exist, though no table was drawn that would have shown it."""
        if found.reason is not None or found.mean_method == "exact":
            return found
        if target.kind not in (PairCounts, PartitionEntropies) and self._table.n > _MOST_SINGLE:
            return found
        for words, table in self._extreme_tables:
            if not math.isfinite(target.of_table(table)):
                reason = f"{target.name} is undefined for some partitions, such as {words}"
                return replace(found, mean=math.nan, std=math.nan, error=math.nan, reason=reason)
        return found

    @cached_property
    def _extreme_tables(self) -> list[tuple[str, Contingency]]:
        """Tables of partitions into one cluster, and into single instances, as far as they can be drawn."""
        sides = [_extremes(model, self._table.n) for model in (self._rows, self._cols)]
        return [
            (
                f"{one} and {other}",
                Contingency.from_labels(np.repeat(range(len(a)), a), np.repeat(range(len(b)), b)),
            )
            for (one, a), (other, b) in product(*sides)
        ]

    def _known_mean(self, target: Target) -> float | None:
        if target.kind is PairCounts:
            return self._linear_in_pairs(target)
        if target.record is not None and target.record.name == "mutual_information":
            return expected_mutual_information(self._rows, self._cols)
        return None

    def _linear_in_pairs(self, target: Target) -> float | None:
        """Exact mean of an index that is linear in the shares of the pairs (Rand): it must be so at many points."""
        total = self._table.pairs.total
        corners = [(total, 0, 0, 0), (0, total, 0, 0), (0, 0, total, 0), (0, 0, 0, total)]
        at_corners = np.array([target(PairCounts(*corner)) for corner in corners])
        if not np.isfinite(at_corners).all():
            return None
        generator = np.random.default_rng(0)
        for _ in range(17):
            cuts = sorted(int(x * total) for x in generator.random(3))
            counts = [b - a for a, b in pairwise([0, *cuts, total])]
            linear = float(np.array([count / total for count in counts]) @ at_corners)
            if not abs(target(PairCounts(*counts)) - linear) <= 1e-12 * float(np.abs(at_corners).max()):
                return None
        p, q = joined_share(self._rows), joined_share(self._cols)
        return float(np.array([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)]) @ at_corners)


def _extremes(model: PartitionModel, n: int) -> list[tuple[str, list[int]]]:
    """Sizes of the clusters of the extreme partitions of a model, with words for them."""
    if isinstance(model, FixedSizes):
        return [("the given one", model.given.tolist())]
    one, single = ("one cluster", [n]), ("single instances", [1] * n)
    if isinstance(model, AnyPartition):
        return [one, single]
    return [one] * (model.k == 1) + [single] * (model.k == n)
