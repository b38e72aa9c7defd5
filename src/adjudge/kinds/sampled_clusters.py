"""Clusterings of which only some true clusters are known: a sample of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError, Option, Position
from adjudge.given.alignment import align_labels, check_same_order
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels
from adjudge.given.options import as_numbers
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.partitions.sampled_clusters import ESTIMABLE, estimates
from adjudge.kinds.case import Case
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE
from adjudge.kinds.scores import with_intervals
from adjudge.presentation.numbers import listed
from adjudge.results.score import Score
from adjudge.statistics.sampled_clusters import SampledClusters

__all__ = ["SampledClustering"]


class SampledClustering(Case):
    """A partition, and the true clusters that were sampled."""

    kind: ClassVar[str] = "clustering"
    indices: ClassVar[tuple[Kind, ...]] = ("external",)
    options: ClassVar[frozenset[str]] = frozenset(("sampled", "sampling_weights"))
    reads: ClassVar[frozenset[str]] = options | {"labels_true", MODEL}
    words: ClassVar[tuple[Any, ...]] = (Option("sampled"),)
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    def __init__(self, clusters: SampledClusters) -> None:
        super().__init__(ALONE, {SampledClusters: clusters})
        self._clusters = clusters
        self._records: list[Index] = []

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Check the labels, and count the records of the sampled clusters."""
        if request.kind not in (None, cls.kind):
            raise cls.refusal("kind")
        if given.sampled is None:
            raise InputError(
                Option("sampling_weights"),
                " are of sampled clusters, which are missing: give ",
                Option("sampled"),
            )
        return cls(_read(given.truth, given.pred, given.sampled, given.sampling_weights))

    @cached_property
    def _estimates(self) -> Mapping[str, Any]:
        return estimates(self._clusters)

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, all of which can be estimated."""
        keywords, named = split_keywords(request.indices)
        self._records = select_indices([*(ESTIMABLE if keywords else ()), *named], self.indices)
        for record in self._records:
            if record.name not in ESTIMABLE:
                raise InputError(
                    f"{record.name} cannot be estimated from sampled clusters: these can: {listed(ESTIMABLE, 9)}"
                )
        return self._records

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Estimate indices of all records, with intervals on request."""
        found, confidence = self._estimates, request.confidence
        values = {record.name: found[record.name].value for record in records}
        scores = {
            record.name: Score(record, values[record.name], reason=_reason(values[record.name], record))
            for record in records
        }
        if confidence is None:
            return scores
        return with_intervals(scores, {name: found[name].interval(confidence) for name in scores})

    @property
    def n(self) -> int:
        """Number of records."""
        return self._clusters.n

    @property
    def _n_sampled(self) -> int:
        return int(self._clusters.sizes.size)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of predicted clusters, and of sampled true ones."""
        return {"labels_pred": self._clusters.n_pred, "sampled": self._n_sampled}

    @property
    def details(self) -> dict[str, Any]:
        """The standard errors of the estimates."""
        names = [record.name for record in self._records]
        return {"standard_errors": {name: self._estimates[name].standard_error for name in names}}

    def described(self, request: EvaluationRequest, scores: Mapping[str, Score]) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        own = {"indices": list(scores), "of": self.kind, "confidence": request.confidence}
        return {**own, "sampled_clusters": self._n_sampled}


def _reason(value: float, record: Index) -> str | None:
    return f"0/0: {record.undefined.removeprefix('if ').rstrip('.')}" if math.isnan(value) else None


def _read(labels_true: Any, labels_pred: Any, sampled: Any, sampling_weights: Any) -> SampledClusters:
    pred = code_labels(labels_pred, "labels_pred")
    if pred.missing is not None:
        raise InputError(
            Argument("labels_pred"),
            " has no label ",
            Position(int(np.argmax(pred.missing))),
            ": the predictions of all records are needed",
        )
    chosen = code_labels(sampled, "sampled")
    if not len(chosen) or chosen.missing is not None:
        where = () if chosen.missing is None else (" ", Position(int(np.argmax(chosen.missing))))
        raise InputError(
            Option("sampled"), " has no label", *where, ": give labels of ", Argument("labels_true")
        )
    places, labels = chosen.dense()
    names = [labels[place] for place in places.tolist()]
    known = align_labels({"labels_true": labels_true, "labels_pred": pred}, LabelOptions("drop"))
    cluster = _places(known.labels[0], names)
    check_same_order({"sampled": sampled, "sampling_weights": sampling_weights})
    weights = np.ones(len(names)) if sampling_weights is None else _weights(sampling_weights, names)
    inside = np.flatnonzero(cluster >= 0)
    rows = inside if known.kept is None else known.kept[inside]
    return SampledClusters.count(cluster[inside], rows, pred.dense()[0], weights / weights.max())


def _weights(given: Any, names: list[Any]) -> NDArray[np.float64]:
    name, m = Option("sampling_weights"), len(names)
    weights = as_numbers("sampling_weights", given)
    if weights.size != m:
        raise InputError(name, f" has {weights.size} entries: {m} clusters need one weight each")
    index: Any = getattr(given, "index", None)
    if hasattr(index, "equals") and list(index) != names and set(index) == set(names):
        raise InputError(
            name, " has the labels of ", Option("sampled"), " as its index, in another order: sort them alike"
        )
    usable = np.isfinite(weights) & (weights > 0)
    if not usable.all():
        wrong = int(np.argmin(usable))
        raise InputError(name, f" has {weights[wrong]:g} ", Position(wrong), ": a number above 0 is needed")
    return weights


def _places(truth: Labels, names: list[Any]) -> NDArray[np.int64]:
    """Return the place of each record's cluster among the sampled ones; -1 for others."""
    codes, labels = truth.dense()
    # A file with a column of text is read as text, so 7 names "7".
    number = {str(label): i for i, label in enumerate(labels)} | {label: i for i, label in enumerate(labels)}
    places = np.full(len(labels), -1)
    for place, name in enumerate(names):
        own = number.get(name, number.get(str(name)))
        if own is None:
            raise InputError(
                Option("sampled"), f" has {name!r}, of which ", Argument("labels_true"), " has no record"
            )
        if places[own] >= 0:
            raise InputError(Option("sampled"), f" has {name!r} twice: name each cluster once")
        places[own] = place
    return np.asarray(places[codes])
