"""How far candidates agree: all pairs in one pass, an ordering, groups of equivalent ones, and the most central one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.indices.catalog import find_index
from adjudge.statistics.contingency import Contingency

# Candidates are equivalent only if they call the same points noise, except for at most this share of all points.
_SAME_NOISE = 0.05

__all__ = ["AGREEMENTS", "Agreements", "agreements"]


#: Measures of agreement by short name: the index, and whether it is a distance.
AGREEMENTS: dict[str, tuple[str, bool]] = {
    "ari": ("adjusted_rand", False),
    "ami": ("ami", False),
    "vi": ("variation_of_information", True),
}


@dataclass(frozen=True, eq=False)
class Agreements:
    """Agreement of all pairs of candidates.

    Attributes
    ----------
    matrix : ndarray of shape (m, m)
    order : tuple of int
        Positions, ordered so that candidates that agree stand side by side.
    groups : tuple of tuple of int
        Sets of candidates any two of which agree closely, also on which points are noise; the largest first.
    central : int
        The candidate that agrees most with all others.
    """

    matrix: Floats
    order: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    central: int


def agreements(codes: Sequence[Codes], measure: str, equivalent: float) -> Agreements:
    """Compare all candidates with each other.

    Parameters
    ----------
    codes : sequence of ndarray of int64 of shape (n,)
        Starting at 0, or at -1 with noise, which is a label like any other.
    measure : {"ari", "ami", "vi"}
    equivalent : float
        Least agreement of equivalent candidates; with "vi" their largest distance, in nats.
    """
    name, is_distance = AGREEMENTS[measure]
    atoms, counts = _atoms(codes)
    matrix = _matrix(atoms, counts, find_index(name, "external"), 0.0 if is_distance else 1.0)
    apart = matrix if is_distance else 1.0 - matrix
    apart = np.maximum(np.nan_to_num(apart, nan=1.0), 0.0)
    limit = equivalent if is_distance else 1.0 - equivalent
    m = len(codes)
    if m == 1:
        return Agreements(matrix, (0,), ((0,),), 0)
    mean = (apart.sum(axis=1) - np.diagonal(apart)) / (m - 1)
    groups = _groups(np.where(_noise_apart(atoms, counts) > _SAME_NOISE, 2 * limit + 1, apart), limit)
    return Agreements(matrix, _order(apart), groups, int(np.argmin(mean)))


def _atoms(codes: Sequence[Codes]) -> tuple[Codes, Codes]:
    """Find the sets of points that no candidate splits: the candidates' labels of each set, and its size."""
    atom = np.zeros(codes[0].size, np.int64)
    for own in codes:
        shifted = own - own.min()
        atom = np.unique(atom * (int(shifted.max()) + 1) + shifted, return_inverse=True)[1].astype(np.int64)
    _, first, counts = np.unique(atom, return_index=True, return_counts=True)
    return np.array([own[first] for own in codes]), counts


def _matrix(labels: Codes, counts: Codes, index: Any, with_itself: float) -> Floats:
    m = len(labels)
    matrix = np.full((m, m), with_itself)
    for i in range(m):
        for j in range(i):
            table = Contingency.from_labels(labels[i], labels[j], counts=counts)
            value, _ = index.assess(*index.read(table))
            # If chance explains everything, there is no agreement beyond chance, except between identical partitions.
            if math.isnan(value):
                value = with_itself if table.shape[0] == table.shape[1] == 1 else 0.0
            matrix[i, j] = matrix[j, i] = value
    return matrix


def _noise_apart(labels: Codes, counts: Codes) -> Floats:
    """Return, for each pair of candidates, the share of points that only one of them calls noise."""
    noise = (labels < 0).astype(np.float64)
    both = (noise * counts) @ noise.T
    alone = np.diagonal(both)
    return np.asarray((alone[:, None] + alone - 2 * both) / counts.sum())


def _order(apart: Floats) -> tuple[int, ...]:
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    condensed = squareform(apart, checks=False)
    tree = linkage(condensed, "average")
    return tuple(map(int, leaves_list(optimal_leaf_ordering(tree, condensed))))


def _groups(apart: Floats, limit: float) -> tuple[tuple[int, ...], ...]:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    # Complete linkage: any two candidates of a group agree.
    cut = fcluster(linkage(squareform(apart, checks=False), "complete"), limit + 1e-12, "distance")
    groups = [tuple(map(int, np.flatnonzero(cut == g))) for g in np.unique(cut)]
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))
