"""Which points are compared and read: noise may be left out, and of many points a sample is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.choosing.estimators import Fit
from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.presentation.numbers import percent_text
from adjudge.results.label_notices import label_notices, no_noise_found
from adjudge.results.notice import Notice

__all__ = [
    "LOW_COVERAGE",
    "USUAL_SAMPLE",
    "Compared",
    "check_sample_size",
    "codes_at",
    "compared_points",
    "points_to_read",
    "sampled_points",
]


#: A quality that ignores half of the points is never shown without a warning.
LOW_COVERAGE = 0.5
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


@dataclass(frozen=True)
class Compared:
    """Points and partitions to compare once noise is treated.

    Attributes
    ----------
    points : ndarray of shape (n, p)
        If noise is left out, only the points that no partition calls noise.
    fits : dict of int to Fit
        Their codes are of `points`; their labels remain those of all points.
    notices : tuple of Notice
    """

    points: Floats
    fits: dict[int, Fit]
    notices: tuple[Notice, ...]


def compared_points(X: Floats, fits: Mapping[int, Fit], options: LabelOptions) -> Compared:
    """Leave noise out of all partitions if requested; otherwise say where it counts as a cluster."""
    named = {f"K = {k}": fit.labels for k, fit in fits.items()}
    if not options.drops_noise:
        counted = (np.unique(labels, return_counts=True) for labels in named.values())
        clusters = {name: (found.tolist(), n) for name, (found, n) in zip(named, counted, strict=True)}
        return Compared(X, dict(fits), label_notices(clusters, options, "clustering"))
    aligned = align_labels(named, options)
    notices = no_noise_found(aligned.n_noise, options)
    if aligned.kept is None:
        return Compared(X, dict(fits), notices)
    coverage = aligned.kept.size / aligned.n_given
    if coverage < LOW_COVERAGE:
        message = f"{percent_text(1 - coverage)} of the points are left out as noise by at least one of the partitions"
        notices = (Notice("low-coverage", message, "judge partitions with less noise"),)
    codes = (labels.dense()[0].astype(np.int64) for labels in aligned.labels)
    left = {k: replace(fit, codes=own) for (k, fit), own in zip(fits.items(), codes, strict=True)}
    return Compared(np.ascontiguousarray(X[aligned.kept]), left, notices)
