"""Partitions from a tree of points."""

from __future__ import annotations

import numpy as np

from adjudge.array_types import Floats, Ints


def cuts_of(tree: Floats, n: int, ks: list[int]) -> dict[int, Ints]:
    """Return the codes of the partitions into each number of clusters, by merging from the bottom up."""
    merges, parents = tree[:, :2].astype(np.int64), np.arange(2 * n - 1)
    used = n - max(ks, default=n)
    parents[merges[:used]] = np.arange(n, n + used)[:, None]
    while True:  # each round doubles how far a point has climbed
        higher = parents[parents]
        if np.array_equal(higher, parents):
            break
        parents = higher
    # The finest partition has few clusters: coarser ones merge these, not points.
    nodes, finest = np.unique(parents[:n], return_inverse=True)
    found: dict[int, Ints] = {}
    for k in sorted(ks, reverse=True):
        for node, (one, other) in enumerate(merges[used : n - k].tolist(), n + used):
            nodes[(nodes == one) | (nodes == other)] = node
        used = n - k
        found[k] = np.unique(nodes, return_inverse=True)[1][finest].astype(np.int64)
    return {k: found[k] for k in ks}
