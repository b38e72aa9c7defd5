"""The null models of random partitions: an index over partitions into given or any numbers of clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.inference.chance.null_distribution import NullDistribution, summarise_drawn
from adjudge.inference.chance.null_tables import (
    RandomTables,
    seconds_to_read,
    seconds_to_shuffle,
    tables_within,
)
from adjudge.inference.chance.random_partitions import (
    AnyPartition,
    FixedSizes,
    KClusters,
    PartitionModel,
    expected_mutual_information,
    joined_share,
    random_tables,
)
from adjudge.inference.chance.targets import Target, evaluate_targets
from adjudge.progress import Progress
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.pair_counts import PairCounts

# Up to this many instances, indices that read whole tables are tried on partitions into single instances.
_MOST_SINGLE = 2000


class RandomPartitions:
    """Random partitions into given or any numbers of clusters."""

    def __init__(
        self,
        table: Contingency,
        null: str,
        n_tables: int | None,
        random_state: Any,
        progress: Progress | None,
    ) -> None:
        self._table = table
        self._random_state = random_state
        self._progress = progress
        if table.n < 2:
            raise InputError(Option("null", null), f" needs at least 2 instances; there is {table.n}")
        r, c = table.shape
        any_size = null.startswith("all")
        self._n_tables = tables_within(_seconds(table, any_size)) if n_tables is None else n_tables
        self._rows: PartitionModel
        if null.endswith("1"):
            self._rows = FixedSizes(table.row_sums)
        else:
            self._rows = AnyPartition(table.n) if any_size else KClusters(table.n, r)
        self._cols: PartitionModel = AnyPartition(table.n) if any_size else KClusters(table.n, c)

    def mean(self, target: Target) -> float:
        """Return the mean of an index, by a formula if there is one."""
        known = self._known_mean(target)
        return self.distributions([target])[0].mean if known is None else known

    def distributions(self, targets: Sequence[Target]) -> list[NullDistribution]:
        """Return the distribution of each index, all from the same tables."""
        tables = random_tables(
            self._rows, self._cols, self._n_tables, self._random_state, progress=self._progress
        )
        values = evaluate_targets(dict(enumerate(targets)), tables)
        return [
            self._unless_undefined(t, summarise_drawn(t, values[i], self._known_mean(t)))
            for i, t in enumerate(targets)
        ]

    def _unless_undefined(self, target: Target, found: NullDistribution) -> NullDistribution:
        """Withdraw the mean if it does not exist, although no drawn table showed that."""
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
        """Tables of partitions into one cluster and into single instances, where these can be drawn."""
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
        """Return the exact mean of an index that is linear in the shares of pairs (Rand), as checked at many points."""
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


def _seconds(table: Contingency, any_size: bool) -> float:
    """Return how long a random table takes; partitions of any size have many clusters, so instances are shuffled."""
    if any_size:
        return seconds_to_shuffle(table.n) + seconds_to_read(table.n**2, table.n)
    rows, cols = table.shape
    return RandomTables(table).seconds(1) + seconds_to_read(rows * cols, table.n)


def _extremes(model: PartitionModel, n: int) -> list[tuple[str, list[int]]]:
    """Return the extreme partitions of a model: their descriptions and cluster sizes."""
    if isinstance(model, FixedSizes):
        return [("the given one", model.given.tolist())]
    one, single = ("one cluster", [n]), ("single instances", [1] * n)
    if isinstance(model, AnyPartition):
        return [one, single]
    return [one] * (model.k == 1) + [single] * (model.k == n)
