"""Is there a valley of density between clusters? The dip of points along the way from one cluster to the next.

The way leads from neighbour to neighbour, so that bending a shape changes nothing: evenly spread points on a curve or
on a shell have no valley, however well they split.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.dip import dip_test

__all__ = ["Valley", "valley_p_value", "valleys_between"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
#: Two clusters, and the p-value of the valley between them.
Valley = tuple[int, int, float]

# Points of a pair of clusters that are looked at. From here on the dip's table no longer depends on their number.
_MOST = 1000
# The dip needs four on either side.
_FEWEST = 4
# Members that may become a cluster's centre, and members there whose distances are averaged: one alone is too noisy in
# many dimensions, many of them blur the far end of a circle.
_CANDIDATES, _AROUND = 30, 2
# The clusterer chose the border, and places are not exact: Hartigan's test alone would reject even shapes two to three
# times as often as its level says.
_FACTOR = 3
_LEAST_NEIGHBOURS = 7


def valley_p_value(valleys: list[Valley]) -> float:
    """P-value of all valleys: whether at least one is real (Bonferroni)."""
    return min(1.0, len(valleys) * min(p for *_, p in valleys)) if valleys else 1.0


def valleys_between(X: Floats, codes: Codes) -> list[Valley]:
    """Test the valley between each two neighbouring clusters: K - 1 pairs, a tree of the nearest ones.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
        Clusters, coded 0..K-1.
    """
    return [(a, b, _between(X[codes == a], X[codes == b])) for a, b in _neighbouring(X, codes)]


def _neighbouring(X: Floats, codes: Codes) -> list[tuple[int, int]]:
    """Edges of the minimum spanning tree of the clusters by the distances of their nearest points."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import cKDTree

    clusters = [_thinned(X[codes == c]) for c in range(int(codes.max()) + 1)]
    trees = [cKDTree(own) for own in clusters]
    gaps = np.zeros((len(clusters), len(clusters)))
    for b, tree in enumerate(trees):
        for a in range(b):
            gaps[a, b] = np.min(tree.query(clusters[a])[0])
    # A gap of zero would be no edge.
    gaps += np.triu(np.full(gaps.shape, max(gaps.max(), 1.0) * 1e-12), 1)
    edges = minimum_spanning_tree(gaps).tocoo()
    return sorted((int(a), int(b)) for a, b in zip(edges.row, edges.col, strict=True))


def _thinned(X: Floats, most: int = _MOST) -> Floats:
    """Evenly taken points, if there are more than `most`."""
    return X if X.shape[0] <= most else X[np.linspace(0, X.shape[0] - 1, most).astype(np.int64)]


def _between(first: Floats, second: Floats) -> float:
    """P-value of the valley between two clusters."""
    n = first.shape[0] + second.shape[0]
    if n > _MOST:
        shares = [max(2 * _FEWEST, round(_MOST * side.shape[0] / n)) for side in (first, second)]
        first, second = _thinned(first, shares[0]), _thinned(second, shares[1])
    if min(first.shape[0], second.shape[0]) < _FEWEST:
        return 1.0
    places = _places(first, second)
    border = _balanced(places[: first.shape[0]], places[first.shape[0] :])
    return min(1.0, _FACTOR * dip_test(border).p_value)


def _places(first: Floats, second: Floats) -> Floats:
    """Places along the way: for points in a flat space, their projections on the line between both centres.

    Half the difference of the squared distances from two points is the place on the line through them, whatever the
    distance from the line; along a curve it is the length of the curve.
    """
    from scipy.sparse.csgraph import dijkstra

    points = np.concatenate([first, second])
    graph = _graph(points)

    def squares(of: Codes) -> Floats:
        return np.asarray(dijkstra(graph, directed=False, indices=of)) ** 2

    found = []
    for start, size in ((0, first.shape[0]), (first.shape[0], second.shape[0])):
        members = np.arange(start, start + size)
        candidates = members[np.linspace(0, size - 1, min(size, _CANDIDATES)).astype(np.int64)]
        distances = squares(candidates)[:, members]
        around = distances[distances.sum(axis=1).argmin()].argsort(kind="stable")[: min(_AROUND, size // 3)]
        found.append(squares(members[around]).mean(axis=0))
    return np.asarray(found[0] - found[1])


def _graph(X: Floats) -> Any:
    """Distances of near neighbours, and of the minimum spanning tree, which connects all points."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    distances = squareform(pdist(X))
    # Copies are near, but not without a way.
    np.maximum(distances, 1e-12 * distances.max(), out=distances)
    n = X.shape[0]
    k = min(n - 1, max(_LEAST_NEIGHBOURS, math.isqrt(n)))
    np.fill_diagonal(distances, 0.0)
    near = np.argpartition(distances, k, axis=1)[:, : k + 1]
    rows = np.repeat(np.arange(n), k + 1)
    neighbours = csr_matrix((distances[rows, near.ravel()], (rows, near.ravel())), shape=(n, n))
    neighbours.eliminate_zeros()
    return neighbours.maximum(minimum_spanning_tree(distances))


def _balanced(first: Floats, second: Floats) -> Floats:
    """Places of the smaller cluster, and beyond it those of as many points of the larger one, next to it.

    A small cluster beside a large one hardly changes the dip of all points; in a part of the line one mode stays one.
    """
    small, large = (first, second) if first.size <= second.size else (second, first)
    sign = 1.0 if small.mean() <= large.mean() else -1.0
    small, large = sign * small, sign * large
    last = np.partition(large, small.size - 1)[small.size - 1]
    both = np.concatenate([small, large])
    return np.asarray(both[both <= last])
