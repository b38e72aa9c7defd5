"""Partitions against a true one: the names of clusters are arbitrary, and pairs of instances are right or wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.labels import Labels
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.refusals import WEIGHTED_PAIRS
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.by_class import scores_by_cluster
from adjudge.kinds.case import Case, Pair, Pairs, Shown
from adjudge.kinds.given import Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, Sample
from adjudge.kinds.scores import check_design, scores_of, with_intervals, with_nulls
from adjudge.results.label_notices import about_names, label_notices, no_noise_found
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.pair_counts import PairCounts
from adjudge.statistics.weighted import WeightedContingency

if TYPE_CHECKING:
    from adjudge.inference.common.samples import CrossTabulation
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.differences.head_to_head import PairInference
    from adjudge.inference.interval import Interval

__all__ = ["Clustering", "PairsOfCounts"]


class Clustering(Case):
    """One partition against the truth, or only the table of both.

    Parameters
    ----------
    table : JointCounts
    sample : Sample
    labels : tuple of Labels
        The true labels and those of the model; empty if only the table is known.
    """

    kind: ClassVar[str] = "clustering"
    indices: ClassVar[tuple[Kind, ...]] = ("external",)
    reads: ClassVar[frozenset[str]] = Case.reads | {"noise", "adjust"}
    gated: ClassVar[tuple[str, ...]] = ("adjusted_rand", "ami")
    names_are_arbitrary: ClassVar[bool] = True
    may_have_points: ClassVar[bool] = True

    def __init__(self, table: JointCounts, sample: Sample = ALONE, labels: tuple[Labels, ...] = ()) -> None:
        super().__init__(sample, {type(table): table})
        self.table, self.labels = table, labels

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Align the labels of several models with the truth."""
        own = given.weighting
        aligned = align_labels(given.judged, given.treatment, own.beside, own.absent, groups=given.groups)
        sample, (truth, *labels) = Sample.of(aligned, own, cls.kind), aligned.labels
        return {name: cls.of(truth, said, sample) for name, said in zip(given.said, labels, strict=True)}

    @classmethod
    def of_counts(cls, given: Given) -> Self:
        """Take a table of counts in the place of the truth, of which the rows are not known."""
        return cls(*given.table())

    @classmethod
    def of(cls, truth: Labels, prediction: Labels, sample: Sample) -> Self:
        """Count the table of two label vectors."""
        return cls(sample.table((truth, prediction)), sample, (truth, prediction))

    @property
    def n(self) -> Any:
        """Number of instances, or their weight."""
        return self.table.n

    @cached_property
    def cells(self) -> Drawn | None:
        """The combinations of the labels as inference reads them; None if rows were drawn independently."""
        return self.sample.cells(self.labels)

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the rows, which are the rows of a sample."""
        truth, prediction = (own.take(positions) for own in self.labels)
        return self.of(truth, prediction, sample)

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals and corrections on request."""
        if isinstance(self.table, WeightedContingency):
            check_design(request, is_known=self.sample.is_known)
        scores = scores_of(records, self)
        if request.confidence is not None:
            scores = with_intervals(scores, self._intervals(records, request.confidence))
        return self._with_chance(scores, request) if request.adjust else scores

    def _intervals(self, records: Sequence[Index], confidence: float) -> dict[str, Interval]:
        from adjudge.inference.partitions.intervals import external_intervals, weighted_intervals

        if isinstance(self.table, WeightedContingency):
            assert self.cells is not None
            return weighted_intervals(records, self.table, confidence, self.cells)
        return external_intervals(records, self.table, confidence=confidence, drawn=self.cells)

    def _with_chance(self, scores: dict[str, Score], request: EvaluationRequest) -> dict[str, Score]:
        """Correct the scores for chance, if there is a best value to adjust towards."""
        from adjudge.inference.chance.correction import null_distributions

        nulls = null_distributions(
            [score.index for score in scores.values() if score.index.has_perfect_value],
            self.table,
            n_tables=request.n_tables,
            random_state=request.random_state,
            progress=request.progress,
        )
        return with_nulls(scores, nulls)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of clusters of each vector."""
        return dict(zip(("labels_true", "labels_pred"), self.table.shape, strict=True))

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say how noise was treated, and that names may be those of classes."""
        of_noise = [score.name for score in shown.scores.values() if score.index.knows_noise]
        found = label_notices(
            self.sides("labels_pred"),
            shown.request.labels,
            self.kind,
            shown.called,
            of_noise,
            no_others=len(of_noise) == len(shown.scores),
        )
        if self.sample.n_rows:
            found += no_noise_found(self.sample.n_noise, shown.request.labels)
        if shown.request.may_be_classes:
            found = about_names(self.table.row_labels, self.table.col_labels) + found
        of_points = tuple(notice for case in shown.beside for notice in case.said_beside(shown.request))
        return found + of_points + self.sample.notices(shown.request.confidence)

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return the scores by cluster, and the rows."""
        cells = None if request.confidence is None else self.cells
        found: dict[str, Any] = {
            "_by_cluster": partial(scores_by_cluster, self.table, request.confidence, cells)
        }
        if self.labels:
            truth, prediction = self.labels
            found["_instances"] = self.sample.instances(self.kind, truth, {"labels_pred": prediction})
        return found

    def sides(self, model: str) -> dict[str, tuple[Sequence[Any], Any]]:
        """Return the clusters of the truth and of the model, with their sizes."""
        table = self.table
        return {"labels_true": (table.row_labels, table.row_sums), model: (table.col_labels, table.col_sums)}

    @classmethod
    def about(
        cls, cases: Mapping[str, Clustering], judged: Any, request: EvaluationRequest
    ) -> tuple[Notice, ...]:
        """Say how noise was treated."""
        sides = {name: case.sides(name)[name] for name, case in cases.items()}
        sides["labels_true"] = next(iter(cases.values())).sides("")["labels_true"]
        return label_notices(sides, request.labels, cls.kind)

    @classmethod
    def pairs(cls, cases: Mapping[str, Clustering]) -> _ClusterPairs:
        """Count the pairs of instances that two models join."""
        return _ClusterPairs(cases)


class PairsOfCounts(Pairs):
    """Pairs of models of which only pair counts are known.

    Parameters
    ----------
    with_truth : mapping of str to PairCounts
        Of the truth with each model.
    between : mapping of (str, str) to PairCounts
        Of each pair of models, in one order only.
    """

    def __init__(self, with_truth: Mapping[str, PairCounts], between: Mapping[Pair, PairCounts]) -> None:
        super().__init__(list(with_truth))
        self._with_truth, self._between = with_truth, between

    def agreement(self, p: str, q: str) -> Agreement:
        """Fill the Prayatul matrix of p against q."""
        pq = self._between[p, q] if (p, q) in self._between else self._between[q, p].swap()
        return JoinedPairs.of(self._with_truth[p], self._with_truth[q], pq).agreement

    def inference(self, confidence: float) -> Mapping[Pair, PairInference]:
        """Raise: intervals need more than pair counts."""
        raise InputError(Option("confidence"), " needs the combinations of all labels")


class _ClusterPairs(PairsOfCounts):
    """Each contingency table is counted once and shared by all pairs of models."""

    def __init__(self, cases: Mapping[str, Clustering]) -> None:
        first = next(iter(cases.values()))
        self._sample, self._truth = first.sample, first.labels[0]
        self._predictions = {name: case.labels[1] for name, case in cases.items()}
        self._drawn_of: dict[Pair, Drawn | None] = {}
        self.rows = self._sample.instances("clustering", self._truth, self._predictions)
        both = combinations(self._predictions.items(), 2)
        between = {(p, q): self._sample.table((one, other)).pairs for (p, one), (q, other) in both}
        super().__init__({name: case.table.pairs for name, case in cases.items()}, between)

    def inference(self, confidence: float) -> Mapping[Pair, PairInference]:
        """Return intervals of the measures and a test for all ordered pairs."""
        from adjudge.inference.differences.head_to_head import assess_clusterings, not_inferred

        if self._sample.is_weighted:
            return not_inferred(self, confidence, WEIGHTED_PAIRS)
        return assess_clusterings(self._cells, confidence, self._drawn)

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, in the order of the models."""
        if self._sample.is_weighted:
            return {}
        from adjudge.inference.differences.clustering_differences import differences_of_clusterings

        return {
            pair: differences_of_clusterings(records, self._cells[pair], confidence, self._drawn(pair))
            for pair in combinations(self.models, 2)
        }

    @cached_property
    def _cells(self) -> dict[Pair, CrossTabulation]:
        """Count the label combinations of the truth and each pair of models."""
        from adjudge.inference.common.samples import joined, three_way_of
        from adjudge.inference.differences.head_to_head import MOST_CELLS

        weights = self._sample.weights
        counts = None if weights is None else np.asarray(weights, np.int64)
        cells: dict[Pair, CrossTabulation] = {}
        for p, first in self._predictions.items():
            both = joined(self._truth, first)
            for q, second in self._predictions.items():
                # Both orders of a pair have the same cells.
                if (q, p) in cells:
                    cells[p, q] = cells[q, p].swapped()
                elif p != q:
                    cells[p, q] = three_way_of(both, first.n_codes, second, weights=counts)
        largest = max((own.counts.size for own in cells.values()), default=0)
        if largest > MOST_CELLS:
            raise InputError(
                Option("confidence"),
                f" would take long: a pair of models has {largest:,} combinations of labels with "
                f"the truth, more than {MOST_CELLS:,}; leave it out, or compare coarser "
                "clusterings",
            )
        return cells

    def _drawn(self, pair: Pair) -> Drawn | None:
        """Return how rows were drawn, over the label combinations of a pair and the truth."""
        p, q = sorted(pair, key=self.models.index)  # both orders of a pair have the same cells
        if (p, q) not in self._drawn_of:
            labels = self._truth, self._predictions[p], self._predictions[q]
            self._drawn_of[p, q] = self._sample.cells(labels)
        return self._drawn_of[p, q]
