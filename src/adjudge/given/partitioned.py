"""Points and their clusters, also partitions by their numbers of clusters: checked together, coded once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Codes, Floats, Ints
from adjudge.errors import Argument, InputError, InputTypeError, in_words
from adjudge.given.alignment import align_labels, check_same_order, of_other_length
from adjudge.given.arrays import take_rows
from adjudge.given.gower import GOWER, gower_points, over_ranges
from adjudge.given.input_kinds import Coordinates, Distances, Partition, Weights
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.metrics import keeps_centroids
from adjudge.given.point_options import PointOptions
from adjudge.given.points import DataMatrix, as_points
from adjudge.given.points_file import Stored
from adjudge.given.units import Units
from adjudge.given.weights import PointWeights, Weighting

_LABELS_AS_GIVEN = LabelOptions()
_DEFAULT = PointOptions()
_EQUAL = Weighting()


@dataclass(frozen=True, eq=False)
class PartitionedPoints:
    """Points and their clusters.

    Attributes
    ----------
    points : ndarray of float of shape (n, p), or scipy sparse CSR matrix
        With ``metric="precomputed"`` distances, of shape (n, n).
    codes : ndarray of int64 of shape (n,)
        Cluster of each point, 0..K-1 without gaps.
    clusters : list
        Label of each cluster.
    counts : ndarray of int64 of shape (K,)
        Number of points in each cluster, whatever their weights.
    kept : ndarray of int64 or None
        Input positions of the remaining points; None if all remain.
    options : PointOptions
    left_out : int
        Number of points left out because they are noise, have no label, or have weight 0.
    weights : PointWeights or None
        None if each point counts once.
    stored : Stored or None
        Where the points are stored, including those left out, if another machine may read them there.
    noise : int or None
        Code of the cluster that is noise for statistics that are defined with noise; None if there is none, or if the
        caller chose how to treat noise.
    given : DataMatrix or None
        All points as they were given, if their columns have names, or they look like distances.
    units : Units or None
        Which unit each point belongs to, if units were given.
    n_gaps : int
        Number of points left out because a coordinate is missing.
    coded : ndarray of float of shape (n, p), or None
        With Gower's distance the points before their columns are divided by ranges.
    weights_given : ndarray of float of shape of the points given, or None
        Their weights, 0 for those left out; None if each point counts once.
    n_noise : int or None
        Number of points that were left out as noise, or made clusters of their own; None if noise is a cluster.
    """

    points: Any
    codes: Ints
    clusters: list[Any]
    counts: Ints
    kept: Ints | None
    options: PointOptions
    left_out: int = 0
    weights: PointWeights | None = None
    stored: Stored | None = None
    noise: int | None = None
    given: DataMatrix | None = None
    units: Units | None = None
    n_gaps: int = 0
    coded: Floats | None = None
    weights_given: Floats | None = None
    n_noise: int | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        labels: Any,
        treatment: LabelOptions = _LABELS_AS_GIVEN,
        options: PointOptions = _DEFAULT,
        weighting: Weighting = _EQUAL,
    ) -> PartitionedPoints:
        """Check points, or distances between them, and code their labels.

        Raises
        ------
        InputError
            If points or labels cannot be used, or their numbers differ.
        """
        check_same_order({"X": X, "labels": labels})
        absent = weighting.absent
        gaps = treatment.drops_missing or absent is not None
        if options.metric == GOWER:
            given = gower_points(X, gaps=gaps)
        else:
            given = as_points(X, memory_limit=options.memory_limit, gaps=gaps)
        if not treatment.drops_missing:
            given.check_gaps(absent)
        points = given.values
        aligned = align_labels({"labels": labels}, treatment, weighting.beside, absent)
        n, n_gaps = int(points.shape[0]), 0
        if aligned.n_given != n:
            raise _of_other_length(points, aligned.n_given, options)
        labels, kept, weights = aligned.labels[0], aligned.kept, weighting.of(aligned.rows)
        units, _ = Units.beside(aligned)
        is_used = np.ones(len(labels), bool) if weights is None else weights != 0
        gap_rows = given.gaps
        if given.gaps is not None:
            n_gaps = int(np.count_nonzero(given.gaps if absent is None else given.gaps & ~absent))
            is_used &= ~(given.gaps if kept is None else given.gaps[kept])
            given = given.complete()
        if not is_used.all():
            some = np.flatnonzero(is_used)
            labels, weights = labels.take(some), None if weights is None else weights[some]
            units = None if units is None else units.take(some)
            kept = some if kept is None else kept[some]
        weights_given = None
        if weights is not None:
            weights_given = np.zeros(n)
            weights_given[slice(None) if kept is None else kept] = weights
            weights_given = weights_given if gap_rows is None else weights_given[~gap_rows]
        codes, clusters, counts = labels.counted()
        if kept is not None:
            points = _taken(points, kept, options)
        coded = points if options.metric == GOWER else None
        if coded is not None:
            points = over_ranges(coded, kept)
        own = None
        if weights is not None and not (weights.dtype.kind == "i" and (weights == 1).all()):
            own = PointWeights.of(weights)
        noise = None
        if treatment.leaves_noise_to_index("labels"):
            noise = next((i for i, label in enumerate(clusters) if treatment.is_noise(label)), None)
        return cls(
            points,
            codes,
            clusters,
            counts,
            kept,
            options,
            n - n_gaps - codes.size,
            own,
            given.stored,
            noise,
            given
            if given.columns or (options.metric != "precomputed" and given.look_like_distances)
            else None,
            units,
            n_gaps,
            coded,
            weights_given,
            aligned.n_noise if treatment.treats_noise else None,
        )

    def without_noise(self) -> PartitionedPoints:
        """Return the points and clusters without the noise cluster, unless it is the only one."""
        if self.noise is None or len(self.clusters) == 1:
            return self
        rows = np.flatnonzero(self.codes != self.noise)
        codes, kept = self.codes[rows], rows if self.kept is None else self.kept[rows]
        if self.coded is not None:
            points = over_ranges(self.coded[rows], kept)
        else:
            points = _taken(self.points, rows, self.options)
        return replace(
            self,
            points=points,
            codes=codes - (codes > self.noise),
            clusters=[*self.clusters[: self.noise], *self.clusters[self.noise + 1 :]],
            counts=np.delete(self.counts, self.noise),
            kept=kept,
            left_out=self.left_out + self.codes.size - rows.size,
            noise=None,
        )

    @property
    def sizes(self) -> Ints:
        """Number of points in each cluster; if weights are counts, of the points that they stand for."""
        if self.weights is not None and self.weights.repeats:
            return self.weights.of_clusters(self.codes).astype(np.int64)
        return self.counts

    @property
    def things(self) -> dict[type, Any]:
        """The inputs that statistics can be computed from."""
        has_centroids = keeps_centroids(self.points, self.options.metric)
        weights: dict[type, Any] = {} if self.weights is None else {Weights: self.weights}
        return {Coordinates if has_centroids else Distances: self, Partition: self, **weights}


def _taken(points: Any, rows: Ints, options: PointOptions) -> Any:
    """Return some points, or the distances between them."""
    if options.metric == "precomputed":
        return points[np.ix_(rows, rows)]
    return take_rows(points, rows, options.memory_limit)


def _of_other_length(points: Any, n_labels: int, options: PointOptions) -> InputError:
    n = int(points.shape[0])
    is_condensed = points.size == n == n_labels * (n_labels - 1) // 2
    if is_condensed and options.metric == "precomputed":
        return InputError(
            Argument("X"),
            f" has the distances of the {n:,} pairs of {n_labels:,} points, one after another: pass "
            "scipy.spatial.distance.squareform(X)",
        )
    return of_other_length("labels", n_labels, "X", n)


def check_numbers_of_clusters(labels: Any) -> list[int]:
    """Return the numbers of clusters of a mapping of partitions, ascending; raise for any other input."""
    if not isinstance(labels, Mapping):
        raise InputTypeError(Argument("labels"), " must be given by number of clusters: {K: labels}")
    for k in labels:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
            raise InputTypeError(
                Argument("labels"), f" has the key {in_words(k)}: labels must be given by number of clusters"
            )
    return sorted(int(k) for k in labels)


def coded_partitions(labels: Mapping[int, Any], ks: Iterable[int], n: int) -> dict[int, Codes]:
    """Check and code the partitions of n points into `ks` clusters; numbers without a partition are left out."""
    found: dict[int, Codes] = {}
    for k in ks:
        if k in labels:
            found[k] = dense_codes(np.asarray(labels[k]), n, f"labels[{k}]")
            if found[k].max() + 1 != k:
                raise InputError(
                    f"labels[{k}] has {found[k].max() + 1} clusters: its key must be its number of clusters"
                )
    return found


def labels_of_points(labels: Any, n: int, name: str) -> Labels:
    """Code labels; raise unless there is one for each of n points."""
    aligned = align_labels({name: labels})
    if aligned.n_given != n:
        raise of_other_length(name, aligned.n_given, "X", n)
    return aligned.labels[0]


def dense_codes(labels: Any, n: int, name: str) -> Codes:
    """Check labels of n points and code them 0..K-1."""
    codes, _ = labels_of_points(labels, n, name).dense()
    return np.ascontiguousarray(codes, dtype=np.int64)
