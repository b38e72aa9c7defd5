"""A sample of the points, for criteria that need only be estimated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.results.notice import Notice

__all__ = ["USUAL_SAMPLE", "check_sample_size", "codes_at", "points_to_read", "sampled_points"]

Codes = NDArray[np.int64]

#: Of more points, this many are read unless all are asked for: distances of all pairs would take longer than the fits.
USUAL_SAMPLE = 5000
_LEAST = 10
# Points that a sample keeps of each cluster, if it has that many: a single point has no spread.
_OF_CLUSTER = 5


def check_sample_size(sample_size: int | None) -> None:
    """Raise unless it is None or a number of points."""
    if sample_size is None:
        return
    if isinstance(sample_size, bool) or not isinstance(sample_size, int | np.integer) or sample_size < _LEAST:
        raise InputError(
            Option("sample_size", sample_size), f": a number of points, at least {_LEAST}, is needed"
        )


def points_to_read(
    codes: Mapping[Any, Codes], asked: int | None, seed: np.random.SeedSequence, *, many: bool = False
) -> tuple[Codes | None, tuple[Notice, ...]]:
    """Return the positions of the points from which criteria are computed, and say if they are a sample unasked.

    Parameters
    ----------
    codes : mapping of int or str to ndarray of int64 of shape (n,)
        Partitions of the same points, as for :func:`sampled_points`.
    asked : int, optional
        The option `sample_size`.
    seed : SeedSequence
    many : bool
        Whether there may be many partitions, or partitions of many clusters: then at most twice as many points are
        drawn as asked for, and a partition of too many clusters loses some.

    Returns
    -------
    ndarray of int64, or None
        None for all points.
    tuple of Notice
    """
    n = next(iter(codes.values())).size
    size = USUAL_SAMPLE if asked is None else asked
    if size >= n:
        return None, ()
    chosen = sampled_points(codes, size, seed, size / len(codes) if many else math.inf)
    if asked is not None:
        return chosen, ()
    message = f"the criteria are estimated from {chosen.size:,} of the {n:,} points"
    remedy = ("to read all points, which takes far longer, use ", Option("sample_size", n))
    return chosen, (Notice("criteria-of-a-sample", message, remedy, "info"),)


def codes_at(codes: Codes, places: Codes | None) -> Codes:
    """Return the codes of some points, or of all; clusters without any of them have no code."""
    if places is None:
        return codes
    found = codes[places]
    is_noise = found < 0
    found[~is_noise] = np.unique(found[~is_noise], return_inverse=True)[1]
    return found


def sampled_points(
    codes: Mapping[Any, Codes], sample_size: int, seed: np.random.SeedSequence, most: float = math.inf
) -> Codes:
    """Draw positions without replacement, and a few more from each cluster that would be lost.

    Parameters
    ----------
    codes : mapping of int or str to ndarray of int64 of shape (n,)
        Partitions of the same points, each coded 0..K-1, or -1 for noise, which counts as a cluster.
    sample_size : int
    seed : SeedSequence
    most : float
        Most points that are drawn for the clusters of one partition: of more clusters, some may be lost.

    Returns
    -------
    ndarray of int64
        In ascending order; all points if there are no more than `sample_size`.
    """
    n = next(iter(codes.values())).size
    if n <= sample_size:
        return np.arange(n)
    order = np.random.default_rng(seed).permutation(n)
    chosen = np.zeros(n, np.bool_)
    chosen[order[:sample_size]] = True
    for own in codes.values():
        shuffled = own[order] - own.min()
        n_clusters = int(shuffled.max()) + 1
        if n_clusters * _OF_CLUSTER > most:
            continue
        by_cluster = np.argsort(shuffled, kind="stable")
        starts = np.searchsorted(shuffled[by_cluster], np.arange(n_clusters))
        place_in_cluster = np.arange(n) - starts[shuffled[by_cluster]]
        chosen[order[by_cluster[place_in_cluster < _OF_CLUSTER]]] = True
    return np.flatnonzero(chosen)
