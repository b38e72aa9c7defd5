"""Partitions from a tree of points."""

from __future__ import annotations

import numpy as np

from adjudge.array_types import Floats, Ints


def cuts_of(tree: Floats, n: int, ks: list[int]) -> dict[int, Ints]:
    """Return the codes of the partitions into each number of clusters, by merging from the bottom up."""
    parents = np.arange(2 * n - 1)
    merges = tree[:, :2].astype(np.int64)
    found: dict[int, Ints] = {}
    for k in ks:
        roots = parents.copy()
        used = n - k
        roots[merges[:used, 0]] = np.arange(n, n + used)
        roots[merges[:used, 1]] = np.arange(n, n + used)
        while True:  # each round doubles how far a point has climbed
            higher = roots[roots]
            if np.array_equal(higher, roots):
                break
            roots = higher
        found[k] = np.unique(roots[:n], return_inverse=True)[1].astype(np.int64)
    return found
