"""How `compare` judges clusterings: by pairs of instances that share a cluster in one or two of the partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.labels import Labels
from adjudge.indices.record import Index
from adjudge.inference.refusals import WEIGHTED_PAIRS
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.sample import Sample
from adjudge.results.instances import Instances
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.pair_counts import PairCounts

if TYPE_CHECKING:
    from adjudge.inference.common.samples import Sample as Cells
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.differences.head_to_head import PairInference

__all__ = ["ClusteringSource", "agreement_of_pairs"]


def agreement_of_pairs(
    with_truth: Mapping[str, PairCounts], between: Mapping[tuple[str, str], PairCounts], p: str, q: str
) -> Agreement:
    """Fill the Prayatul matrix of two clusterings.

    Parameters
    ----------
    with_truth : mapping of str to PairCounts
        Pair counts of the truth with each model.
    between : mapping of (str, str) to PairCounts
        Pair counts of each pair of models, in one order only.
    p, q : str
        The primary model and the alternative.
    """
    pq = between[p, q] if (p, q) in between else between[q, p].swap()
    return JoinedPairs.of(with_truth[p], with_truth[q], pq).agreement


class ClusteringSource:
    """Pair counts of clusterings: each contingency table is counted once and shared by all pairs of models."""

    def __init__(
        self,
        truth: Labels,
        predictions: Mapping[str, Labels],
        sample: Sample,
        rows: Instances,
        tables: Mapping[str, JointCounts],
    ) -> None:
        self._sample = sample
        self._drawn_of: dict[tuple[str, ...], Drawn | None] = {}
        self._truth = truth
        self._predictions = predictions
        self.instances = rows.of_cell
        self._with_truth = {name: table.pairs for name, table in tables.items()}
        self._between = {
            (p, q): sample.table((predictions[p], predictions[q])).pairs
            for p, q in combinations(predictions, 2)
        }

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the Prayatul matrix of p against q."""
        return agreement_of_pairs(self._with_truth, self._between, p, q)

    def wrong_alike(self, p: str, q: str) -> int | None:
        """Return nothing: there is only one way to be wrong about a pair of instances."""
        return None

    def inference(
        self, agreements: Mapping[tuple[str, str], Agreement], confidence: float
    ) -> dict[tuple[str, str], PairInference]:
        """Return intervals and tests for all ordered pairs of models."""
        from adjudge.inference.differences.head_to_head import assess_clusterings, not_inferred

        if self._sample.is_weighted:
            return not_inferred(agreements, confidence, WEIGHTED_PAIRS)
        return assess_clusterings(self._samples, confidence, self._drawn)

    def differences(
        self, records: Sequence[Index], confidence: float | None
    ) -> dict[tuple[str, str], dict[str, Difference]]:
        """Infer the score differences of each pair of models."""
        if confidence is None or self._sample.is_weighted:
            return {}
        from adjudge.inference.differences.clustering_differences import differences_of_clusterings

        return {
            pair: differences_of_clusterings(records, self._samples[pair], confidence, self._drawn(pair))
            for pair in combinations(self._predictions, 2)
        }

    @cached_property
    def _samples(self) -> dict[tuple[str, str], Cells]:
        """Count the label combinations of the truth and each pair of models."""
        from adjudge.inference.common.samples import joined, three_way_of
        from adjudge.inference.differences.head_to_head import MOST_CELLS

        g, weights = self._truth, self._sample.weights
        counts = None if weights is None else np.asarray(weights, np.int64)
        samples: dict[tuple[str, str], Cells] = {}
        for p, first in self._predictions.items():
            both = joined(g, first)
            for q, second in self._predictions.items():
                # Both orders of a pair have the same cells.
                if (q, p) in samples:
                    samples[p, q] = samples[q, p].swapped()
                elif p != q:
                    samples[p, q] = three_way_of(both, first.n_codes, second, weights=counts)
        largest = max((sample.counts.size for sample in samples.values()), default=0)
        if largest > MOST_CELLS:
            raise InputError(
                Option("confidence"),
                f" would take long: a pair of models has {largest:,} combinations of labels with "
                f"the truth, more than {MOST_CELLS:,}; leave it out, or compare coarser "
                "clusterings",
            )
        return samples

    def _drawn(self, pair: tuple[str, str]) -> Drawn | None:
        """Return how rows were drawn, over the label combinations of a pair and the truth."""
        # Both orders of a pair have the same cells.
        key = tuple(sorted(pair, key=list(self._predictions).index))
        if key not in self._drawn_of:
            labels = [self._truth, *(self._predictions[name] for name in key)]
            self._drawn_of[key] = self._sample.cells(labels)
        return self._drawn_of[key]
