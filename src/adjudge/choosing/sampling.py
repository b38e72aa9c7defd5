"""A sample of the points, for criteria that need only be estimated."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option

__all__ = ["USUAL_SAMPLE", "check_sample_size", "sampled_points"]

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


def sampled_points(codes: Mapping[int, Codes], sample_size: int, seed: np.random.SeedSequence) -> Codes:
    """Draw positions without replacement, and a few more from each cluster that would be lost.

    Parameters
    ----------
    codes : mapping of int to ndarray of int64 of shape (n,)
        Partitions of the same points, each coded 0..K-1.
    sample_size : int
    seed : SeedSequence

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
        shuffled = own[order]
        by_cluster = np.argsort(shuffled, kind="stable")
        starts = np.searchsorted(shuffled[by_cluster], np.arange(int(own.max()) + 1))
        place_in_cluster = np.arange(n) - starts[shuffled[by_cluster]]
        chosen[order[by_cluster[place_in_cluster < _OF_CLUSTER]]] = True
    return np.flatnonzero(chosen)
