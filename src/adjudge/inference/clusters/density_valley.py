"""Is there a density valley between clusters? The dip of points along the path from one cluster to the next.

The path leads from neighbour to neighbour, so bending a shape changes nothing: evenly spread points on a curve or on a
shell have no valley, however well they split.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Numbers
from adjudge.inference.clusters.dip import dip_test
from adjudge.kernels.reachability import tree_in_order

Codes = NDArray[np.int64]
# The points of each cluster.
Clusters = list[Floats]
#: Two clusters, and the p-value of the valley between them.
Valley = tuple[int, int, float]

# Most points of two clusters that are used, and about as many of the others near them. Beyond this number, the table of
# dips no longer depends on it.
_MOST = 1000
# The dip needs four points on either side.
_FEWEST = 4
# Number of members that may become a cluster's centre, and of members there whose distances are averaged: a single one
# is too noisy in many dimensions, and many blur the far end of a circle.
_CANDIDATES, _AROUND = 30, 2
# Points beyond the centres show that the density has a peak there. Farther away than this, in units of the distance of
# the centres, a cluster may come back round a bend.
_BEYOND = 0.5
# The clusterer chose the border, places are not exact, and paths do not follow the middle of a shape. Hartigan's test
# alone rejects curves, rolls and stars without clusters up to four times as often as its level allows.
_FACTOR = 10
_LEAST_NEIGHBOURS = 7
# Only p-values up to this are compared with those of data without clusters.
_COMPARED = 0.1
# Data without clusters are drawn until this many data sets have as deep a valley.
_AS_DEEP = 10


def valley_p_value(valleys: list[Valley]) -> float:
    """Return the p-value for at least one real valley (Simes)."""
    ascending = sorted(p for *_, p in valleys)
    return min((len(ascending) * p / (rank + 1) for rank, p in enumerate(ascending)), default=1.0)


def valleys_between(X: Floats, codes: Codes) -> list[Valley]:
    """Test the valley between each pair of neighbouring clusters: K - 1 pairs, the edges of a spanning tree.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
        Clusters, coded 0..K-1.
    """
    order = np.argsort(codes, kind="stable")
    clusters = np.split(X[order], np.cumsum(np.bincount(codes))[:-1])
    centroids = np.array([own.mean(axis=0) for own in clusters])
    return [(a, b, _between(*_at_hand(clusters, centroids, a, b))) for a, b in _neighbouring(clusters)]


class ValleysOfNull:
    """The p-value of valleys in comparison with those that the clusterer finds in data without clusters.

    In many variables a clusterer finds a direction in which even Gaussian points seem to have a valley.

    Parameters
    ----------
    valleys : list of Valley
    """

    def __init__(self, valleys: list[Valley]) -> None:
        self.alone = valley_p_value(valleys)
        self._drawn = self._as_deep = 0

    @property
    def open(self) -> bool:
        """Whether more data without clusters would be informative."""
        return self.alone <= _COMPARED and self._as_deep < _AS_DEEP

    def add(self, valleys: list[Valley]) -> None:
        """Count one more data set without clusters, given the valleys found in it."""
        self._drawn += 1
        self._as_deep += valley_p_value(valleys) <= self.alone

    @property
    def p_value(self) -> float:
        """The p-value of the valleys alone or, if larger, the share of data without clusters that have as deep ones.

        The share is of the draws up to the tenth such data set (Besag); without any, it is too small to be measured.
        """
        if self._as_deep == 0:
            return self.alone
        more = 0 if self._as_deep == _AS_DEEP else 1
        return max(self.alone, (self._as_deep + more) / (self._drawn + more))


def _neighbouring(clusters: Clusters) -> list[tuple[int, int]]:
    """Return the minimum spanning tree of the clusters, by the distances of their nearest points."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import cKDTree
    from scipy.stats import rankdata

    points = [_thinned(own) for own in clusters]
    trees = [cKDTree(own) for own in points]
    first, second = np.triu_indices(len(points), 1)
    gaps = [np.min(trees[b].query(points[a])[0]) for a, b in zip(first, second, strict=True)]
    # Ranks give the same tree as the gaps, but a gap of nearly zero would not count as an edge.
    ranks = rankdata(gaps, method="ordinal")
    edges = minimum_spanning_tree(csr_matrix((ranks, (first, second)), shape=2 * (len(points),))).tocoo()
    return sorted((int(a), int(b)) for a, b in zip(edges.row, edges.col, strict=True))


def _thinned(X: Numbers, most: int = _MOST) -> Numbers:
    """Thin points evenly, if there are more than `most`."""
    return X if X.shape[0] <= most else X[np.linspace(0, X.shape[0] - 1, most).astype(np.int64)]


def _at_hand(clusters: Clusters, centroids: Floats, a: int, b: int) -> tuple[Floats, Codes]:
    """Return points of two clusters (sides 0 and 1) and of others near them (side 2), all thinned alike.

    Where clusters meet at a corner, points of other clusters also lie on the path. Without them, there would seem to be
    a valley.
    """
    share = min(1.0, _MOST / (clusters[a].shape[0] + clusters[b].shape[0]))

    def some(c: int) -> Floats:
        return _thinned(clusters[c], max(2 * _FEWEST, round(share * clusters[c].shape[0])))

    middle = (centroids[a] + centroids[b]) / 2
    others: list[Floats] = [np.empty((0, centroids.shape[1]))]
    for c in np.argsort(_squares(centroids, middle), kind="stable"):
        if c not in (a, b) and sum(map(len, others)) < _MOST:
            others.append(some(c))
    near = np.concatenate(others)
    if len(near) > _MOST:
        near = near[np.argsort(_squares(near, middle), kind="stable")[:_MOST]]
    groups = [some(a), some(b), near]
    return np.concatenate(groups), np.repeat([0, 1, 2], [len(group) for group in groups])


def _squares(points: Floats, of: Floats) -> Floats:
    """Return the squared distances of points from one point."""
    return np.asarray(((points - of) ** 2).sum(axis=1))


def _between(points: Floats, sides: Codes) -> float:
    """Return the p-value of the valley between the clusters on sides 0 and 1."""
    if min(np.count_nonzero(sides == side) for side in (0, 1)) < _FEWEST:
        return 1.0
    places = _on_the_way(*_places(points, sides), sides)
    first, second = places[places < 0.5], places[places >= 0.5]
    if min(first.size, second.size) < _FEWEST:
        return 1.0
    return min(1.0, _FACTOR * dip_test(_balanced(first, second)).p_value)


def _places(points: Floats, sides: Codes) -> tuple[Floats, Floats]:
    """Return places along the path, 0 at one centre and 1 at the other, and squared distances from it in the same unit.

    In a flat space, half the difference of the squared distances from two points gives the place on the line through
    them, whatever the distance from the line; along a curve, it gives the length along the curve.
    """
    from scipy.sparse.csgraph import dijkstra

    graph = _graph(points)

    def squares(of: Codes) -> Floats:
        return np.asarray(dijkstra(graph, directed=False, indices=of)) ** 2

    found, centres = [], []
    for side in (0, 1):
        members = np.flatnonzero(sides == side)
        candidates = _thinned(members, _CANDIDATES)
        distances = squares(candidates)[:, members]
        near = distances[distances.sum(axis=1).argmin()].argsort(kind="stable")
        centres.append(members[near[: min(_AROUND, members.size // 3)]])
        found.append(squares(centres[-1]).mean(axis=0))
    first, second = found
    apart = first[centres[1]].mean()
    places = (first - second) / (2 * apart) + 0.5
    return places, first / apart - places**2


def _on_the_way(places: Floats, aside: Floats, sides: Codes) -> Floats:
    """Return the places of all points between the centres, and of each cluster's points slightly beyond its centre.

    Between the centres, points of other clusters count if they are no farther from the path than those of the two.
    """
    between = (places >= 0) & (places <= 1)
    widest = aside[between & (sides < 2)].max(initial=-np.inf)
    before = (sides == 0) & (places < 0) & (places >= -_BEYOND)
    after = (sides == 1) & (places > 1) & (places <= 1 + _BEYOND)
    return np.asarray(places[(between & (aside <= widest)) | before | after])


def _graph(X: Floats) -> Any:
    """Return a graph of near neighbours and the minimum spanning tree, which connects all points."""
    from scipy.sparse import csr_matrix
    from scipy.spatial.distance import pdist, squareform

    distances = squareform(pdist(X))
    # Copies of a point are near, but must remain connected.
    np.maximum(distances, 1e-12 * distances.max(), out=distances)
    n = X.shape[0]
    k = min(n - 1, max(_LEAST_NEIGHBOURS, math.isqrt(n)))
    near = np.argpartition(distances, k, axis=1)[:, : k + 1]
    rows = np.concatenate([np.repeat(np.arange(n), k + 1), np.arange(1, n)])
    columns = np.concatenate([near.ravel(), _parents(X)[1:]])
    edges = np.unique(np.minimum(rows, columns) * n + np.maximum(rows, columns))
    return csr_matrix((distances[edges // n, edges % n], (edges // n, edges % n)), shape=(n, n))


def _parents(X: Floats) -> Codes:
    """Grow the minimum spanning tree; return, for each point but the first, a point that it is joined to."""
    n = X.shape[0]
    parents = np.empty(n, np.int64)
    tree_in_order(np.ascontiguousarray(X.T), np.zeros(n), parents, np.empty(n), np.empty(n))
    return parents


def _balanced(first: Floats, second: Floats) -> Floats:
    """Return the places of the smaller cluster, and of as many points of the larger one, those next to it.

    A small cluster beside a large one hardly changes the dip of all points; a part of a unimodal line stays unimodal.
    """
    small, large = (first, second) if first.size <= second.size else (second, first)
    sign = 1.0 if small.mean() <= large.mean() else -1.0
    small, large = sign * small, sign * large
    last = np.partition(large, small.size - 1)[small.size - 1]
    both = np.concatenate([small, large])
    return np.asarray(both[both <= last])
