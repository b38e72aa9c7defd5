"""Points and their clusters, judged without a truth: statistics in one run, intervals, estimates from samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any, ClassVar, Self

from adjudge.engines.sources import MemoryPoints, PointSource
from adjudge.errors import InputError, Option
from adjudge.given.alignment import Rows
from adjudge.given.coordinates import as_coordinates
from adjudge.given.gower import GOWER, gower_points
from adjudge.given.input_kinds import Weights
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.points import DataMatrix, as_points, is_data_frame, naming_what_drops_gaps
from adjudge.given.scaling import standardized
from adjudge.indices.internal_record import InternalIndex, neighbours_read
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import reason_of
from adjudge.kinds.case import Case, Shown
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import chosen_indices
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Sample
from adjudge.kinds.scores import scores_of, with_bounds, with_intervals
from adjudge.progress import busy, reporting
from adjudge.results.label_notices import label_notices, n_without_noise, no_noise_found
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_axes, notices_of_columns, notices_of_use, points_without
from adjudge.results.score import Score
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.making import Made, why_unweighted
from adjudge.statistics.reduced import ReducedPoints

__all__ = ["PointCase"]


class PointCase(Case):
    """A partition of points.

    Parameters
    ----------
    source : PointSource
    settings : mapping of str to object
        What a result says about weights and units.
    """

    kind: ClassVar[str] = "clustering"
    indices: ClassVar[tuple[Kind, ...]] = ("internal",)
    names_are_arbitrary: ClassVar[bool] = True

    def __init__(self, source: PointSource, settings: Mapping[str, Any] = MappingProxyType({})) -> None:
        sample = Sample(Rows(0), settings=settings)
        if isinstance(source, MemoryPoints):
            own = source.partitioned
            sample = Sample(Rows(own.codes.size), units=own.units, settings=settings)
        super().__init__(sample, {})
        self.source: PointSource = source
        self._reduced: ReducedPoints | None = None
        self._records: list[InternalIndex] = []
        self._treatment: LabelOptions | None = None

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Check the points, and the labels that are judged from them."""
        vector, judged = (MODEL, given.pred) if given.labels is None else ("labels", given.labels)
        treatment, X = request.labels.of_one(vector), given.X
        vectors = {**given.vectors, "units": given.weighting.units}
        beside = {
            name: own
            for name, own in vectors.items()
            if name != "X" and own is not None and not isinstance(own, Contingency)
        }
        gaps = treatment.drops_missing or given.weighting.absent is not None
        with naming_what_drops_gaps():
            if request.points.metric == GOWER:
                X = gower_points(X, beside, gaps=gaps)
            elif is_data_frame(X) and request.points.metric != "precomputed":
                X = as_coordinates(X, beside, memory_limit=request.points.memory_limit, gaps=gaps)
        are_distances = request.points.metric == "precomputed"
        with nullcontext() if are_distances else naming_what_drops_gaps():
            if request.scaling is not None:
                X = as_points(X, memory_limit=request.points.memory_limit, gaps=gaps)
                X = standardized(X, request.scaling, given.weighting.of(Rows(X.shape[0])))
            points = PartitionedPoints.of(X, judged, treatment, request.points, given.weighting)
        if points.weights is not None:
            _check_weighted(request)
        return cls(MemoryPoints(points), given.weighting.settings())

    def left_out(self, request: EvaluationRequest) -> tuple[Notice, ...]:
        """Say which points and columns are left out, and what distances between the points measure."""
        assert isinstance(self.source, MemoryPoints)
        points, found = self.source.partitioned, tuple[Notice, ...]()
        if points.n_gaps:
            found = (points_without(points.n_gaps, points.n_gaps + points.left_out + points.codes.size),)
        if points.given is not None and request.points.metric == GOWER:
            found += notices_of_use(
                points.given.columns, points.given.left_out, of_file=False, has_features=False
            )
        elif points.given is not None and request.points.metric != "precomputed":
            found += notices_of_columns(points.given, has_features=False, weights=points.weights_given)
        return found

    @property
    def inputs(self) -> list[type]:
        """Nothing is known of a truth."""
        return []

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant and can be computed; the points are judged alone."""
        self._treatment = request.labels
        of_truth: Kind = "classification" if request.kind == "classification" else "external"
        return chosen_indices(request, (of_truth, *self.indices), self.inputs, points)

    @property
    def reduced(self) -> ReducedPoints:
        """The statistics that the scores were computed from."""
        assert self._reduced is not None
        return self._reduced

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals on request; only then the numbers of points and clusters are known."""
        self._records = [record for record in records if isinstance(record, InternalIndex)]
        scores, self._reduced = _scores_of_points(self.source, self._records, request)
        return scores

    @property
    def n(self) -> Any:
        """Number of points."""
        return self.reduced.n

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of clusters; noise is none for indices that are defined with it."""
        name, reduced = "labels", self.reduced
        if self._treatment is not None and all(record.knows_noise for record in self._records):
            return {name: n_without_noise((reduced.clusters, reduced.sizes), self._treatment, name)}
        return {name: reduced.n_clusters}

    @property
    def details(self) -> dict[str, Any]:
        """What statistics hold by cluster or point."""
        return self.reduced.details

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say how noise was treated."""
        of_noise = [record.name for record in self._records if record.knows_noise]
        no_others = len(of_noise) == len(self._records)
        clusters = {"labels": (self.reduced.clusters, self.reduced.sizes)}
        found = label_notices(
            clusters, shown.request.labels, shown.request.kind, shown.called, of_noise, no_others=no_others
        )
        if self.reduced.n_noise is not None:
            found += no_noise_found(self.reduced.n_noise, shown.request.labels)
        return found + self.said_beside(shown.request) + self.sample.notices(shown.request.confidence)

    def said_beside(self, request: EvaluationRequest) -> tuple[Notice, ...]:
        """Say what determinants leave out."""
        return () if request.compat else notices_of_axes(self._records, self.reduced.statistics.values())


def _scores_of_points(
    source: PointSource, records: Sequence[InternalIndex], request: EvaluationRequest
) -> tuple[dict[str, Score], ReducedPoints]:
    if request.sample_size is not None and isinstance(source, MemoryPoints):
        return _estimated(source.partitioned, records, request)
    if request.compat is not None:
        from adjudge.indices.compat import as_clustercrit

        records = [one for r in records if isinstance(one := as_clustercrit(r), InternalIndex)]
    unweighed = _without_weights(records) if Weights in source.at_hand else {}
    asked, records = records, [record for record in records if record.name not in unweighed]
    wanted = dict.fromkeys(kind for record in records for kind in record.requires)
    with reporting(request.progress, "distances") as told:
        reduced = source.reduce(wanted, told, neighbours_read(records))
    scores = with_bounds(scores_of(records, Made(reduced)), reduced) | unweighed
    scores = {record.name: scores[record.name] for record in asked}
    if request.confidence is not None and isinstance(source, MemoryPoints):
        with busy(request.progress, "intervals"):
            scores = _with_point_intervals(scores, source.partitioned, reduced, request)
    return scores, reduced


def _without_weights(records: Iterable[InternalIndex]) -> dict[str, Score]:
    """Return undefined scores for the indices whose statistics take no weights."""
    found = {}
    for record in records:
        reason = next(filter(None, map(why_unweighted, record.requires)), None)
        if reason is not None:
            found[record.name] = Score(record, math.nan, reason=reason)
    return found


def _check_weighted(request: EvaluationRequest) -> None:
    """Raise for options that do not work with weighted points."""
    options = request.points
    given = {
        "confidence": request.confidence is not None,
        "sample_size": request.sample_size is not None,
        "compat": request.compat is not None,
        "checkpoint": options.checkpoint is not None,
        "engine": options.engine != "memory",
    }
    option = next((name for name, is_given in given.items() if is_given), None)
    if option is not None:
        raise InputError(Option(option), " takes no weights of points: leave it out, or repeat the points")


def _with_point_intervals(
    scores: dict[str, Score], points: PartitionedPoints, reduced: ReducedPoints, request: EvaluationRequest
) -> dict[str, Score]:
    from adjudge.inference.points.internal_intervals import internal_intervals
    from adjudge.statistics.pair_distances import Silhouettes

    assert request.confidence is not None
    if points.units is not None and points.units.n_units < points.codes.size:
        none = Interval.undefined(request.confidence, "jackknife", reason_of("points of units"))
        return with_intervals(scores, dict.fromkeys(scores, none))
    intervals = internal_intervals(
        DataMatrix(points.points, None),
        Labels(points.codes, 0, len(points.clusters), points.clusters),
        [score.index for score in scores.values() if isinstance(score.index, InternalIndex)],
        confidence=request.confidence,
        random_state=request.random_state,
        metric=points.options.metric,
        widths=reduced.statistics.get(Silhouettes),
        n_jobs=points.options.n_jobs,
    )
    return with_intervals(scores, intervals)


def _estimated(
    points: PartitionedPoints, records: Sequence[InternalIndex], request: EvaluationRequest
) -> tuple[dict[str, Score], ReducedPoints]:
    """Estimate distance-based indices from samples; compute all others from all points."""
    from adjudge.inference.points.sampled_estimates import quick_look

    assert request.sample_size is not None
    with reporting(request.progress, "samples") as told:
        reduced, estimates = quick_look(
            points,
            records,
            request.sample_size,
            confidence=0.95 if request.confidence is None else request.confidence,
            random_state=request.random_state,
            progress=told,
        )
    exact = [record for record in records if record.name not in estimates]
    scores = with_bounds(scores_of(exact, Made(reduced)), reduced)
    for record in records:
        if (estimate := estimates.get(record.name)) is None:
            continue
        undefined = math.isnan(estimate.value)
        low, high = (None, None) if math.isnan(estimate.low) else (estimate.low, estimate.high)
        scores[record.name] = Score(
            record,
            estimate.value,
            reason=estimate.reason if undefined else None,
            low=low,
            high=high,
            interval_reason=None if undefined else estimate.reason,
        )
    return {record.name: scores[record.name] for record in records}, reduced
