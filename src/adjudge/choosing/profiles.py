"""Profiles of clusters: how far their centres deviate from the centre of all points."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.results.profiles import ClusterProfile

__all__ = ["described", "profiles_of"]


# The mean says little about a column more skewed than this; an exponential distribution has skewness 2.
_SKEWED = 1.0
# The quartiles of a normal distribution are this many standard deviations apart.
_QUARTILES = 1.349


def profiles_of(
    values: Floats, names: Sequence[str], codes: NDArray[np.integer[Any]], labels: Sequence[Any]
) -> list[ClusterProfile]:
    """Describe each cluster, the largest first.

    Parameters
    ----------
    values : ndarray of float64 of shape (n, p)
        NaN for a gap.
    names : sequence of str
        Names of the columns.
    codes : ndarray of int of shape (n,)
        The cluster of each point, as a position in `labels`.
    labels : sequence
    """
    return [own for own, _ in described(values, names, codes, labels)]


def described(
    values: Floats,
    names: Sequence[str],
    codes: NDArray[np.integer[Any]],
    labels: Sequence[Any],
    n_typical: int = 1,
) -> list[tuple[ClusterProfile, Ints]]:
    """Return the profiles of :func:`profiles_of`, each with the positions of the points nearest to its centre."""
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        # A column or a cluster may consist of gaps only.
        warnings.simplefilter("ignore", RuntimeWarning)
        mean, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        skewness = np.nanmean(((values - mean) / spread) ** 3, axis=0)
        low, median, high = np.nanpercentile(values, (25, 50, 75), axis=0)
        skewed = (np.abs(skewness) > _SKEWED) & (high > low)
        centre, unit = np.where(skewed, median, mean), np.where(skewed, (high - low) / _QUARTILES, spread)
        standard = np.nan_to_num((values - centre) / unit, posinf=0.0, neginf=0.0)
        found = []
        for code in np.argsort(-np.bincount(codes, minlength=len(labels)), kind="stable").tolist():
            members = np.flatnonzero(codes == code)
            if not members.size:
                continue
            own = standard[members]
            off = np.where(skewed, np.median(own, axis=0), own.mean(axis=0))
            far = ((own - off) ** 2).sum(axis=1)
            nearest = members[np.argsort(far, kind="stable")[:n_typical]]
            offsets = dict(zip(names, off.tolist(), strict=True))
            profile = ClusterProfile(labels[code], int(members.size), offsets, int(nearest[0]))
            found.append((profile, nearest))
    return found
