"""Maker of the statistics of centroids: the passes over the points that they need, and how each is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from adjudge.engines.centroid_pass import MADE, pairs_of_centroids
from adjudge.engines.passes import Job, Pass, pass_for_moments
from adjudge.engines.protocols import Work
from adjudge.statistics.moments import CentroidOverlaps, ClusterDeterminants, EliminationSigns

__all__ = ["declare", "make"]


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics; see `Maker`."""
    yield pass_for_moments(job)
    types = {_plain(t) for t in types}
    needed = types | ({ClusterDeterminants} if EliminationSigns in types else set())
    words = [MADE[t][1] for t in needed]
    # Overlaps alone need no squares: the second pass is the one for distances.
    if "distances" in words and types != {CentroidOverlaps}:
        yield Pass(("moments",), "points", job.n)
    against_centroids = words.count("ratios") + 2 * words.count("densities")
    if against_centroids:
        yield Pass(("centroids",), "points", job.n * job.k, times=against_centroids)
    met = pairs_of_centroids(types, job.k)
    if met:
        yield Pass(("centroids",), "points", met)
    if "scatter" in words:
        yield Pass(("scatter",), "points", job.n, times=words.count("scatter"), memory=8 * job.p * job.p)


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    in_order = sorted(types, key=lambda t: t.__name__)
    made = work.central.statistics(map(_plain, in_order))
    return {type_: _weighed(type_, found) for type_, found in zip(in_order, made, strict=True)}


def _plain(type_: type) -> type:
    """Return the statistic that a weighted one derives from; any other is itself."""
    return next(base for base in type_.__mro__ if base in MADE)


def _weighed(type_: type, made: Any) -> Any:
    """Return what a pass has made as the statistic of weighted points."""
    if isinstance(made, type_):
        return made
    return type_(**{field.name: getattr(made, field.name) for field in fields(made)})
