"""The null model of fixed margins: an index over all tables with the given cluster sizes.

An index that counts pairs depends on the table only through the number of pairs joined in both partitions, and an
information index only through the mutual information. If the index is linear or quadratic in that number, its
expectation is exact; the distribution is exact for small tables, and simulated for others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import random_generator
from adjudge.inference.chance.null_distribution import NullDistribution, summarise, summarise_drawn
from adjudge.inference.chance.null_moments import (
    PairSumMoments,
    enumerate_tables,
    enumeration_cost,
    expected_squares,
    pair_sum_moments,
    table_count_bound,
)
from adjudge.inference.chance.null_pair_sums import PairCurve, PairSumLaws
from adjudge.inference.chance.null_tables import (
    MOST_SECONDS,
    N_TABLES,
    RandomTables,
    seconds_to_read,
    tables_within,
)
from adjudge.inference.chance.targets import Target, evaluate_targets
from adjudge.progress import Progress
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.pair_counts import PairCounts

# Most steps of the dynamic programme, and most enumerated tables, for "auto" (about a tenth of a second).
_FEW_STEPS = 30_000
_FEW_TABLES = 2_000
# The same limits where the user asks for the exact distribution.
_MOST_STEPS = 3_000_000
_MOST_TABLES = 1_000_000

# Indices that are sums over the cells of n_ij^2 times the weight given here have exact expectations.
_SQUARES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "bcubed_precision": lambda a, b: 1.0 / b,
    "bcubed_recall": lambda a, b: 1.0 / a,
    "element_centric": lambda a, b: 1.0 / np.maximum(a, b),
}


class FixedMargins:
    """All tables with the cluster sizes of a given one, with their probabilities under independence."""

    def __init__(
        self,
        table: Contingency,
        n_tables: int | None,
        random_state: Any,
        method: str,
        n_threads: int | None,
        progress: Progress | None,
    ) -> None:
        self._table = table
        self._wanted = n_tables
        self._n_tables = N_TABLES if n_tables is None else n_tables
        self._method = method
        self._tables = RandomTables(
            table, random_generator(random_state), n_threads=n_threads, progress=progress
        )

    def mean(self, target: Target) -> float:
        """Return the mean of an index, by a formula if there is one."""
        known = self._known_mean(target)
        return self.distributions([target])[0].mean if known is None else known

    def distributions(self, targets: Sequence[Target]) -> list[NullDistribution]:
        """Return the distribution of each index, all from the same tables."""
        found = {i: self._of_pairs(t) for i, t in enumerate(targets) if t.kind is PairCounts}
        others = {i: t for i, t in enumerate(targets) if t.kind is not PairCounts}
        if others and self._method_for_tables(others.values()) == "exact":
            found |= self._enumerated(others)
        else:
            found |= self._simulated(others)
        return [found[i] for i in range(len(targets))]

    def _known_mean(self, target: Target) -> float | None:
        """Return the mean by a formula, unless another method was requested."""
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

    def _curve(self, target: Target) -> PairCurve:
        pairs = self._table.pairs
        return PairCurve(target, pairs.joined_true, pairs.joined_pred, pairs.total)

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
        self, found: NullDistribution, numbers: list[int], values: Floats, probabilities: Floats
    ) -> NullDistribution:
        """Sharpen the mean with the first three moments of the number of joined pairs, which are known exactly.

        They are control variates: only the residual of the index from a cubic in that number is simulated.
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
            return "simulate" if self._tables.seconds(self._n_tables) <= MOST_SECONDS else "pearson3"
        if self._method == "exact" and enumeration_cost(*margins) > _MOST_STEPS:
            raise InputError(
                Option("method", "exact"),
                " would take too long for these cluster sizes: use 'simulate' or 'pearson3'",
            )
        return self._method

    @cached_property
    def _pair_sums(self) -> PairSumLaws:
        return PairSumLaws(self._table, self._moments, self._tables, self._n_tables)

    # Information indices, and all others.

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
        # Information indices share one number, the mutual information; all others need the tables.
        of_tables = {i: t for i, t in targets.items() if t.kind is not PartitionEntropies}
        values = {
            i: [t(self._information(x)) for x in self._mutual.tolist()]
            for i, t in targets.items()
            if i not in of_tables
        }
        values |= evaluate_targets(of_tables, self._tables(self._n_to_read) if of_tables else ())
        return {
            i: summarise_drawn(target, values[i], self._known_mean(target)) for i, target in targets.items()
        }

    @cached_property
    def _mutual(self) -> Floats:
        return self._tables.mutual_information(self._n_within(self._tables.seconds(1)))

    @property
    def _n_to_read(self) -> int:
        """Number of tables for indices that read their cells."""
        rows, cols = self._table.shape
        return self._n_within(self._tables.seconds(1) + seconds_to_read(rows * cols, self._table.n))

    def _n_within(self, seconds: float) -> int:
        """Return the requested number of tables, else as many as time allows if each takes `seconds`."""
        return tables_within(seconds) if self._wanted is None else self._wanted

    def _information(self, mutual: float) -> PartitionEntropies:
        """Return the entropies as if the partitions had this mutual information."""
        given = self._table.information
        a, b = given.entropy_true, given.entropy_pred
        # Partitions can be identical only with equal cluster sizes; then the mutual information equals the entropy.
        alike = sorted(given.row_sums.tolist()) == sorted(given.col_sums.tolist())
        assumed = replace(
            given,
            mutual=mutual,
            true_given_pred=max(0.0, a - mutual),
            pred_given_true=max(0.0, b - mutual),
            identical=alike and mutual >= a * (1 - 1e-12),
        )
        # The expectation depends only on the margins.
        assumed.__dict__["expected_mutual"] = given.expected_mutual
        return assumed

    def _linear_in_information(self, target: Target) -> float | None:
        """Return the exact mean of an index if it is linear in the mutual information, checked at seventeen points."""
        given = self._table.information
        # Just below the maximum, where indices treat identical partitions separately.
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
