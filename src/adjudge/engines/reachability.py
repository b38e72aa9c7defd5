"""Mutual reachability within and between clusters: no distance is stored, and memory is O(n p)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.engines.pairs.euclidean_embeddings import euclidean_points
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import (
    SortedPoints,
    by_cluster,
    by_cluster_and_place,
    finer_ranks,
    spans,
    strips,
)
from adjudge.given.metrics import Metric
from adjudge.given.point_options import Tree
from adjudge.kernels.linkage import isolation, join_within
from adjudge.kernels.reachability import core_squares, join_row, separate, tree_as_listed, tree_in_order
from adjudge.statistics.reachability import DensityTrees, LinkageGaps

__all__ = ["density_trees", "linkage_gaps", "nearest_outside", "reachability_tree"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Points of a cluster among which to look for one that is far from all others.
_OUTERMOST = 16
# Coordinates that one call compares.
_AT_ONCE = 1 << 27
# Bits of a core distance, or of its square: enough for 12 digits.
_BITS = 40


@dataclass(frozen=True, eq=False)
class _Edges:
    """Minimum spanning tree of one cluster: an edge from each point but the first to its parent."""

    parents: Ints
    lengths: Floats

    def degrees(self) -> Ints:
        counts = np.bincount(self.parents[1:], minlength=self.parents.size)
        counts[1:] += 1
        return np.asarray(counts)


class _Source:
    """Distances of points sorted by cluster, squared or not."""

    order: Ints
    n: int

    def core(self, cluster: slice, crew: Crew) -> Floats:
        """Return the core distances within a cluster."""
        raise NotImplementedError

    def densest_first(self, cluster: slice, core: Floats) -> Ints:
        """Return the positions within a cluster by ascending core distance; of ties the first point comes first."""
        return np.argsort(core, kind="stable")

    def tree(self, cluster: slice, core: Floats, kind: Tree) -> _Edges:
        """Return the minimum spanning tree of a cluster."""
        raise NotImplementedError

    def longest_edge(self, cluster: slice) -> float:
        """Return the longest edge of a minimum spanning tree under the distances themselves."""
        size = cluster.stop - cluster.start
        return float(self.tree(cluster, np.zeros(size), "ordered").lengths[1:].max())

    def separation(self, chosen: Ints, of_chosen: Ints, core: Floats, crew: Crew) -> Floats:
        """Return the smallest mutual reachability of each chosen point to chosen points of other clusters."""
        raise NotImplementedError

    def roots(self, values: Floats) -> Floats:
        """Return distances from values that may be their squares."""
        raise NotImplementedError


class _Points(_Source):
    """Euclidean distances of dense points, or their squares; all values are squared.

    A power of the squared distance is a power of the distance with twice the exponent.
    """

    def __init__(self, X: NDArray[Any], order: Ints, exponent: int, rooted: bool = True) -> None:
        self.X, self.order = X, order
        self.n, self.rooted = order.size, rooted
        self.exponent = exponent if rooted else 2 * exponent

    def core(self, cluster: slice, crew: Crew) -> Floats:
        points = SortedPoints.of(self.X, self.order[cluster])
        found = np.zeros(points.n)

        def work(rows: slice) -> None:
            core_squares(
                points.run(rows),
                rows.stop - rows.start,
                rows.start,
                points.n,
                self.exponent,
                points.tiles,
                found[rows],
            )

        for rows, _ in crew.map(work, spans(points.n)):
            crew.advance((rows.stop - rows.start) * points.n)
        return found

    def tree(self, cluster: slice, core: Floats, kind: Tree) -> _Edges:
        points = np.ascontiguousarray(self.X[self.order[cluster]].T, np.float64)
        n = points.shape[1]
        parents, lengths, squares = np.empty(n, np.int64), np.empty(n), np.empty(n)
        build = tree_in_order if kind == "ordered" else tree_as_listed
        build(points, core.copy(), parents, lengths, squares)
        return _Edges(parents, lengths)

    def longest_edge(self, cluster: slice) -> float:
        points = np.asarray(self.X[self.order[cluster]], np.float64)
        # The outermost points come first, since the most isolated point may be one of them.
        radii = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
        columns = np.ascontiguousarray(points[np.argsort(-radii, kind="stable")].T)
        n = radii.size
        left, waiting, reach = n - 1, 1, isolation(columns, min(_OUTERMOST, n))
        best = np.full(n, np.inf)
        while left:
            left, waiting, reach = join_within(
                columns, best, left, waiting, reach, _AT_ONCE // columns.shape[0]
            )
        return float(reach)

    def separation(self, chosen: Ints, of_chosen: Ints, core: Floats, crew: Crew) -> Floats:
        points = SortedPoints.of(self.X, self.order[chosen])
        own = core[chosen]
        ends = np.searchsorted(of_chosen, of_chosen, "right")
        nearest = np.full(chosen.size, np.inf)

        def work(rows: slice) -> tuple[Floats, Floats]:
            lines, columns = np.full(rows.stop - rows.start, np.inf), np.full(chosen.size, np.inf)
            separate(
                points.run(rows),
                lines.size,
                own[rows],
                ends[rows],
                chosen.size,
                points.tiles,
                own,
                lines,
                columns,
            )
            return lines, columns

        for rows, (lines, columns) in crew.map(work, spans(chosen.size)):
            nearest[rows] = np.minimum(nearest[rows], lines)
            np.minimum(nearest, columns, out=nearest)
            crew.advance((rows.stop - rows.start) * chosen.size // 2)
        return nearest

    def roots(self, values: Floats) -> Floats:
        return np.sqrt(values) if self.rooted else values


class _Blocks(_Source):
    """Distances that a function of row and column positions gives; values are distances."""

    def __init__(self, X: Any, metric: Metric, order: Ints, dimension: float, tree: Tree = "ordered") -> None:
        self.order, self.n, self.dimension = order, order.size, dimension
        self.block = checked_blocks(X, metric)
        self.leave_out_equal = tree == "index"
        # Points without coordinates have no place to be ordered by: what is read of them are their sorted distances.
        self.by_rows = tree == "densest_first" and metric == "precomputed"

    def _between(self, rows: Ints, columns: Ints) -> Floats:
        return self.block(self.order[rows], self.order[columns])

    def core(self, cluster: slice, crew: Crew) -> Floats:
        members = np.arange(cluster.start, cluster.stop)
        found = np.zeros(members.size)

        def leave_out_equal(rows: slice) -> None:
            """Take the mean as hdbscan does: points that coincide add 0 to it."""
            block = self._between(members[rows], members)
            with np.errstate(all="ignore"):
                powers = np.where(block != 0, (1.0 / block) ** self.dimension, 0.0)
                means = powers.sum(axis=1) / (members.size - 1)
                found[rows] = np.where(means > 0, means ** (-1.0 / self.dimension), 0.0)

        def work(rows: slice) -> None:
            block = self._between(members[rows], members)
            block[np.arange(block.shape[0]), np.arange(rows.start, rows.stop)] = np.inf
            nearest = block.min(axis=1)
            apart = nearest > 0
            with np.errstate(under="ignore"):
                powers = (nearest[apart, None] / block[apart]) ** self.dimension
            if self.by_rows:
                powers.sort(axis=1)
            mean = powers.sum(axis=1) / (members.size - 1)
            found[np.flatnonzero(apart) + rows.start] = nearest[apart] * mean ** (-1 / self.dimension)

        made = leave_out_equal if self.leave_out_equal else work
        for rows, _ in crew.map(made, strips(members.size, members.size)):
            crew.advance((rows.stop - rows.start) * members.size)
        return found

    def densest_first(self, cluster: slice, core: Floats) -> Ints:
        if not self.by_rows:
            return super().densest_first(cluster, core)
        _, ranks, counts = np.unique(core, return_inverse=True, return_counts=True)
        tied = np.flatnonzero(counts[ranks] > 1)
        rows = np.zeros(core.size, np.int64)
        rows[tied] = self._rank_by_rows(cluster, tied + cluster.start)
        return np.lexsort((rows, ranks))

    def _rank_by_rows(self, cluster: slice, members: Ints) -> Ints:
        """Rank points of a cluster by their sorted distances to its points, then by those to the others."""
        inside, outside = np.split(np.roll(np.arange(self.n), -cluster.start), [cluster.stop - cluster.start])

        def lines(some: Ints) -> Iterator[Floats]:
            for run in strips(some.size, self.n):
                own, others = (np.sort(self._between(some[run], c), axis=1) for c in (inside, outside))
                yield from np.hstack([own, others])

        # Equal rows are told by their hashes, so that the rows that are compared differ somewhere.
        hashes = [hash(line.tobytes()) for line in lines(members)]
        _, first, same = np.unique(hashes, return_index=True, return_inverse=True)
        ranks = np.zeros(first.size, np.int64)
        for run in strips(self.n, first.size):
            if ranks.max(initial=0) + 1 >= first.size:
                break
            some = np.array([line[run].copy() for line in lines(members[first])])
            ranks = finer_ranks(ranks, some.T)
        return np.asarray(ranks[same])

    def tree(self, cluster: slice, core: Floats, kind: Tree) -> _Edges:
        members = np.arange(cluster.start, cluster.stop)
        parents, lengths = np.full(members.size, -1, np.int64), np.full(members.size, np.inf)
        distances, joined = np.full(members.size, np.inf), np.zeros(members.size, np.bool_)
        current = 0
        while current >= 0:
            line = self._between(members[current : current + 1], members)[0]
            if kind == "index" and current > 0:
                # hdbscan hangs a point on the first point of the tree that is about as near as the nearest.
                reach = np.maximum(np.maximum(line, core), core[current])
                near = np.isclose(reach, lengths[current]) & joined
                parents[current] = int(np.argmax(near))
            current = join_row(line, core, current, joined, kind == "ordered", parents, lengths, distances)
        lengths[0] = 0.0
        return _Edges(parents, lengths)

    def separation(self, chosen: Ints, of_chosen: Ints, core: Floats, crew: Crew) -> Floats:
        own = core[chosen]
        nearest = np.full(chosen.size, np.inf)
        ends = np.searchsorted(of_chosen, of_chosen, "right")

        def work(rows: slice) -> tuple[Floats, int, Floats]:
            first = int(ends[rows.start])
            if first >= chosen.size:
                return np.full(rows.stop - rows.start, np.inf), first, np.empty(0)
            block = self._between(chosen[rows], chosen[first:])
            np.maximum(block, own[rows, None], out=block)
            np.maximum(block, own[None, first:], out=block)
            block[of_chosen[rows, None] == of_chosen[None, first:]] = np.inf
            return block.min(axis=1), first, block.min(axis=0)

        for rows, (lines, first, columns) in crew.map(work, strips(chosen.size, chosen.size)):
            nearest[rows] = np.minimum(nearest[rows], lines)
            nearest[first:] = np.minimum(nearest[first:], columns)
            crew.advance((rows.stop - rows.start) * chosen.size // 2)
        return nearest

    def roots(self, values: Floats) -> Floats:
        return values


def _source(X: Any, metric: Metric, order: Ints, dimension: float, tree: Tree = "ordered") -> _Source:
    """Return the distances; `dimension` is the exponent of core distances, nan if these are not needed."""
    if tree == "index":
        return _Blocks(X, metric, order, dimension, tree)
    exponent = 1.0 if math.isnan(dimension) else dimension
    # The compiled loops compute powers by multiplication.
    placed = euclidean_points(X, metric) if exponent.is_integer() else None
    if placed is None:
        return _Blocks(X, metric, order, dimension, tree)
    points, rooted = placed
    return _Points(points, order, int(exponent), rooted)


def nearest_outside(X: NDArray[Any], order: Ints, of_sorted: Ints, crew: Crew) -> Floats:
    """Return the squared distance of each point to the nearest one of another cluster; `order` sorts by cluster."""
    return _Points(X, order, X.shape[1]).separation(
        np.arange(order.size), of_sorted, np.zeros(order.size), crew
    )


def density_trees(
    X: Any,
    codes: Ints,
    metric: Metric,
    crew: Crew,
    *,
    left_out: int = 0,
    dimension: float | None = None,
    tree: Tree = "densest_first",
) -> DensityTrees:
    """Reduce clusters to their trees under mutual reachability.

    Parameters
    ----------
    X : ndarray of shape (n, p), or of distances (n, n), or scipy sparse CSR matrix
    codes : ndarray of int64 of shape (n,)
        Clusters, coded 0..K-1.
    metric : str or callable
    crew : Crew
    left_out : int, default 0
        Noise points that are not in X.
    dimension : float, optional
        Exponent of the core distances; default: the number of variables, unknown for precomputed distances.
    tree : {"densest_first", "ordered", "prim", "index"}, default "densest_first"
        Which of several minimum spanning trees: as Prim's algorithm finds it, with the points of each cluster by
        ascending core distance; with ties broken by (reachability, distance, positions); as Prim's algorithm finds
        it from the first point of each cluster; or that of hdbscan, with its core distances.
    """
    if tree == "densest_first" and metric != "precomputed":
        # The order in which core distances are summed is that of the places, too, whatever the order of the rows.
        order, bounds = by_cluster_and_place(X, codes)
    else:
        order, bounds = by_cluster(codes)
    sizes = np.diff(bounds)
    p = math.nan if metric == "precomputed" else float(X.shape[1])
    if dimension is not None:
        p = float(dimension)
    n = codes.size
    core, separation = np.zeros(n), np.full(n, np.nan)
    inner, hangs_on = np.zeros(n, np.bool_), np.arange(n)
    sparseness = np.full(sizes.size, np.nan)

    def unsorted(values: NDArray[Any]) -> NDArray[Any]:
        found = np.empty_like(values)
        found[order] = values
        return found

    if not math.isnan(p):
        source = _source(X, metric, order, p, tree)
        _grow(source, bounds, tree, crew, core, inner, hangs_on, sparseness)
        chosen = np.flatnonzero(inner)
        if sizes.size > 1:
            of_chosen = codes[order][chosen]
            found = np.full(n, np.nan)
            crew.expect(chosen.size**2 // 2)
            found[chosen] = source.roots(source.separation(chosen, of_chosen, core, crew))
            separation = unsorted(found)
        core, sparseness = source.roots(core), source.roots(sparseness)
    return DensityTrees(
        sizes,
        codes,
        left_out,
        unsorted(core),
        unsorted(inner),
        unsorted(order[hangs_on]),
        sparseness,
        separation,
        p,
    )


def reachability_tree(X: Any, metric: Metric, core: Floats) -> tuple[Ints, Floats]:
    """Return a minimum spanning tree of all points: the parent of each but the first, and how far it is.

    `core` are the core distances, in any sense.
    """
    source = _source(X, metric, np.arange(core.size), math.nan)
    own = np.square(core) if isinstance(source, _Points) and source.rooted else core
    edges = source.tree(slice(0, core.size), own, "ordered")
    return edges.parents, source.roots(edges.lengths)


def _settled(values: Floats) -> Floats:
    """Round to 12 digits, so that core distances that differ only by the order of summation tie."""
    fraction, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(np.ldexp(fraction, _BITS)), exponent - _BITS))


def _grow(
    source: _Source,
    bounds: Ints,
    kind: Tree,
    crew: Crew,
    core: Floats,
    inner: NDArray[np.bool_],
    hangs_on: Ints,
    sparseness: Floats,
) -> None:
    clusters = [slice(int(a), int(b)) for a, b in pairwise(bounds)]
    large = [(k, c) for k, c in enumerate(clusters) if c.stop - c.start > 1]
    crew.expect(sum(3 * (c.stop - c.start) ** 2 // 2 for _, c in large))
    for _, cluster in large:
        core[cluster] = source.core(cluster, crew)
    core[:] = _settled(core)
    if kind == "densest_first":
        for _, cluster in large:
            first = source.densest_first(cluster, core[cluster])
            source.order[cluster], core[cluster] = source.order[cluster][first], core[cluster][first]

    def grow(task: tuple[int, slice]) -> tuple[_Edges, int]:
        _, cluster = task
        return source.tree(cluster, core[cluster], kind), cluster.stop - cluster.start

    # The largest first, so that all threads end at about the same time.
    for (k, cluster), (edges, size) in crew.map(grow, sorted(large, key=lambda t: t[1].start - t[1].stop)):
        degrees = edges.degrees()
        own = degrees > 1
        branching = own[1:] & own[edges.parents[1:]]
        lengths = edges.lengths[1:]
        # Without inner edges, all edges count; without inner points, all points.
        sparseness[k] = (lengths[branching] if branching.any() else lengths).max()
        leaves = np.flatnonzero(~own[1:]) + 1
        place = np.arange(size)
        place[leaves] = edges.parents[leaves]
        if not own[0]:
            place[0] = int(np.flatnonzero(edges.parents == 0)[0])
        if not own.any():
            # Of two points, hdbscan takes the first.
            own[: 1 if kind == "index" else None] = True
            place = np.where(own, np.arange(size), 0)
        inner[cluster], hangs_on[cluster] = own, place + cluster.start
        crew.advance(size**2 // 2)


def linkage_gaps(X: Any, codes: Ints, metric: Metric, crew: Crew) -> LinkageGaps:
    """Find the longest edge of each cluster's minimum spanning tree under the distances themselves."""
    order, bounds = by_cluster(codes)
    sizes = np.diff(bounds)
    source = _source(X, metric, order, math.nan)
    values = np.zeros(sizes.size)
    large = [k for k in np.argsort(-sizes, kind="stable").tolist() if sizes[k] > 1]
    crew.expect(int((sizes[large] ** 2 // 2).sum()))

    def longest(k: int) -> float:
        return source.longest_edge(slice(int(bounds[k]), int(bounds[k + 1])))

    for k, length in crew.map(longest, large):
        values[k] = length
        crew.advance(int(sizes[k]) ** 2 // 2)
    return LinkageGaps(sizes, source.roots(values))
