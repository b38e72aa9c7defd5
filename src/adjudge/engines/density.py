"""Maker of the statistics of neighbours, trees and medoids: the passes that they need, and how each is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from adjudge.engines.medoids import are_bounded
from adjudge.engines.neighbours import points_looked_at
from adjudge.engines.other_cluster_distances import extremes_looked_at
from adjudge.engines.passes import Job, Pass, pass_for_moments, reads_of
from adjudge.engines.protocols import Work
from adjudge.engines.running.executor import Crew
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.prototypes import DistanceSquares, MedoidProfile, OutsideExtremes
from adjudge.statistics.reachability import DensityConnections, DensityTrees, LinkageGaps

__all__ = ["declare", "make"]

T = TypeVar("T")
R = TypeVar("R")


def _neighbours(job: Job) -> tuple[Pass, ...]:
    kept = min(job.options.neighbours_to_find, job.n - 1)
    return _search(job, kept), Pass(("neighbours kept",), "points", job.n * kept)


def _search(job: Job, kept: int, more: int = 0) -> Pass:
    """Return the search for neighbours, which needs `more` bytes for each point beyond them."""
    memory = job.n * (16 * kept + 3 * job.row_bytes + more)
    looked = points_looked_at(job.n, job.p, kept) if job.has_image else job.n
    # Points of distant clusters are skipped; how many is not known in advance, so half of them count.
    looked = min(looked, (job.n + job.n // job.k) // 2)
    return Pass(("neighbours",), "pairs", -(-job.n * looked // 2), memory=memory)


def _connections(job: Job) -> tuple[Pass, ...]:
    # The line of points, of which lists of Python hold the ends, and some clusters along it.
    search = _search(job, min(job.options.min_points, job.n) - 1, 400)
    return search, Pass(("reachability",), "pairs", job.n_pairs, memory=1 << 27)


def _trees(job: Job) -> tuple[Pass, ...]:
    # All pairs within clusters, and those among about half of the points, the inner nodes of the trees.
    reads = job.n_pairs // job.k + job.n_pairs // 8
    return (Pass(("reachability",), "pairs", reads, memory=job.n * (3 * job.row_bytes + 64)),)


def _gaps(job: Job) -> tuple[Pass, ...]:
    return (Pass(("gaps",), "pairs", job.n_pairs // job.k, memory=job.n * (job.row_bytes + 64)),)


def _medoids(job: Job) -> tuple[Pass, ...]:
    size = job.n // job.k
    to_medoids = Pass(("centroids",), "points", job.n * job.k)
    if job.has_image and job.squared:
        # The image, its centroids twice, and the distances from them.
        return Pass(("moments",), "points", job.n, times=10, memory=2 * job.n * job.row_bytes), to_medoids
    if job.has_image and are_bounded(size, job.p):
        # As many blocks as points in each of them, and as many points that remain; twice that, as measured.
        reads = 4 * job.n * math.isqrt(size)
        return Pass(("medoids",), "pairs", reads, memory=job.n * 2 * job.row_bytes), to_medoids
    return Pass(("sums",), "pairs", job.n * size, memory=1 << 24), to_medoids


def _outside(job: Job) -> tuple[Pass, ...]:
    looked = extremes_looked_at(job.n, job.p, job.k) if job.has_image else job.n_pairs
    return (Pass(("outside",), "pairs", looked, memory=job.n * (2 * job.row_bytes + 16)),)


def _squares(job: Job) -> tuple[Pass, ...]:
    if job.has_centroids:
        return (pass_for_moments(job),)
    if job.has_image:
        # Products of the variables give the images, or the sums.
        return (Pass(("products",), "points", job.n * min(job.n, job.p), memory=2 * job.n * job.row_bytes),)
    return (Pass(("sums",), "pairs", job.n_pairs),)


_PASSES: dict[type, Callable[[Job], tuple[Pass, ...]]] = {
    NeighbourLabels: _neighbours,
    DensityConnections: _connections,
    DensityTrees: _trees,
    LinkageGaps: _gaps,
    MedoidProfile: _medoids,
    OutsideExtremes: _outside,
    DistanceSquares: _squares,
}


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics; see `Maker`."""
    for type_ in sorted(types, key=lambda t: t.__name__):
        yield from _PASSES[type_](job)


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    found: dict[type, Any] = {}
    for type_ in sorted(types, key=lambda t: t.__name__):
        declared = _PASSES[type_](work.job)
        # The pass for the moments reports its own progress.
        own = (p for p in declared if p != pass_for_moments(work.job))
        share = _Share(work.crew, reads_of(own))
        found[type_] = _MAKERS[type_](work, share)
        share.finish()
    return found


@dataclass
class _Share:
    """A crew that reports its work in the units in which it was declared.

    How many distances the trees need depends on the cluster sizes, which are unknown at declaration.
    """

    crew: Crew
    declared: int
    total: int = 0
    done: int = 0
    told: int = 0

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[tuple[T, R]]:
        """See `Crew`; everything stays in this process."""
        return self.crew.map(function, tasks)

    def expect(self, work: int) -> None:
        """Announce work to come."""
        self.total += work

    def advance(self, work: int) -> None:
        """Report this much work as done."""
        self.done += work
        self._tell(self.declared * self.done // max(self.total, 1))

    def finish(self) -> None:
        """Report all work as done."""
        self._tell(self.declared)

    def _tell(self, until: int) -> None:
        until = min(until, self.declared)
        if until > self.told:
            self.crew.advance(until - self.told)
            self.told = until


def _make_neighbours(work: Work, crew: Any) -> NeighbourLabels:
    from adjudge.engines.neighbours import distances_from, nearest_neighbours

    options = work.options
    found = nearest_neighbours(work.X, options.metric, options.neighbours_to_find, crew, ties=True)
    return NeighbourLabels.of(found, work.codes, partial(distances_from, work.X, options.metric))


def _make_trees(work: Work, crew: Any) -> DensityTrees:
    from adjudge.engines.reachability import density_trees

    options = work.options
    return density_trees(
        work.X,
        work.codes,
        options.metric,
        crew,
        left_out=work.left_out,
        dimension=options.dimension,
        tree=options.tree,
    )


def _make_connections(work: Work, crew: Any) -> DensityConnections:
    from adjudge.engines.density_connections import density_connections

    options = work.options
    return density_connections(
        work.X, work.codes, options.metric, crew, noise=work.noise, min_points=options.min_points
    )


def _make_gaps(work: Work, crew: Any) -> LinkageGaps:
    from adjudge.engines.reachability import linkage_gaps

    return linkage_gaps(work.X, work.codes, work.options.metric, crew)


def _make_medoids(work: Work, crew: Any) -> MedoidProfile:
    from adjudge.engines.prototypes import medoid_profile

    return medoid_profile(work.X, work.codes, work.options.metric, crew, work.own_sums)


def _make_outside(work: Work, crew: Any) -> OutsideExtremes:
    from adjudge.engines.other_cluster_distances import outside_extremes

    return outside_extremes(work.X, work.codes, work.options.metric, crew, work.closest)


def _make_squares(work: Work, crew: Any) -> DistanceSquares:
    from adjudge.engines.distance_squares import squares_from_moments, squares_of_distances

    if work.has_centroids:
        return squares_from_moments(work.central.moments)
    return squares_of_distances(work.X, work.options.metric, crew)


_MAKERS: dict[type, Callable[[Work, Any], Any]] = {
    NeighbourLabels: _make_neighbours,
    DensityConnections: _make_connections,
    DensityTrees: _make_trees,
    LinkageGaps: _make_gaps,
    MedoidProfile: _make_medoids,
    OutsideExtremes: _make_outside,
    DistanceSquares: _make_squares,
}
