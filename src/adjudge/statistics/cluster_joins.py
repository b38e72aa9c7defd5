"""Where the instances of each class are joined in a tree of clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.input_kinds import Truth
from adjudge.given.labels import Labels
from adjudge.given.linkage import Linkage


class LeafOrder(NamedTuple):
    """Instances in an order in which each cluster of a tree is contiguous.

    Attributes
    ----------
    instances : ndarray of int64 of shape (n,)
        The instance at each position.
    starts : ndarray of int64 of shape (2 n - 1,)
        First position of each cluster; for the first n, the position of the instance.
    joins : ndarray of int64 of shape (n - 1,)
        The row of the tree that joins the instances at positions i and i + 1. Those at positions i < j are joined by
        the largest row from i to j - 1.
    parents : ndarray of int64 of shape (2 n - 1,)
        The cluster into which each is merged; the last one is its own.
    """

    instances: Ints
    starts: Ints
    joins: Ints
    parents: Ints

    @classmethod
    def of(cls, tree: Linkage) -> Self:
        """Arrange the instances of a tree, in O(n log n)."""
        n = tree.n
        first, second = tree.children.T
        parents = np.full(2 * n - 1, 2 * n - 2)
        parents[first] = parents[second] = np.arange(n, 2 * n - 1)
        starts = np.zeros(2 * n - 1, np.int64)
        starts[second] = tree.sizes[first]
        # Add up the steps to the top; each round doubles how far they reach.
        above = parents
        while (above != 2 * n - 2).any():
            starts += starts[above]
            above = above[above]
        instances = np.empty(n, np.int64)
        instances[starts[:n]] = np.arange(n)
        joins = np.empty(n - 1, np.int64)
        joins[starts[second] - 1] = np.arange(n - 1)
        return cls(instances, starts, joins, parents)


@dataclass(frozen=True, eq=False, slots=True)
class ClassJoins:
    """Where pairs of one class are joined, and the cluster that fits each class best.

    Attributes
    ----------
    n_pairs : int
        Pairs of instances of one class.
    shares : float
        Over these pairs, the sum of the class's share among the instances of the smallest cluster with both.
    shares_by_height : float
        The same, if merges at equal heights are one merge of several clusters.
    class_sizes : ndarray of int64 of shape (K,)
    best_f, best_inner_f : ndarray of float64 of shape (K,)
        For each class, the largest F of a cluster; and of one of at least two instances.
    """

    made_from: ClassVar[tuple[type, ...]] = (Truth, Linkage)

    n_pairs: int
    shares: float
    shares_by_height: float
    class_sizes: Ints
    best_f: Floats
    best_inner_f: Floats

    @classmethod
    def make(cls, labels: Labels, tree: Linkage) -> Self:
        """Find the clusters in which instances of one class meet, in O(n log n).

        In the order of the leaves, two neighbours of one class are joined where a part of the class meets another one,
        and each of these places has one such pair of neighbours.
        """
        codes, _, class_sizes = labels.counted()
        n, order = tree.n, LeafOrder.of(tree)
        placed = codes[order.instances]
        by_class = np.argsort(placed, kind="stable")
        keys = placed[by_class] * n + by_class
        left = np.flatnonzero(placed[by_class[:-1]] == placed[by_class[1:]])
        own = placed[by_class[left]]
        rows = _joining(order.joins, by_class[left], by_class[left + 1])

        def members(clusters: Ints) -> tuple[Ints, Ints]:
            """Return the ends of the range, in the order by class, of the members of the class in a cluster."""
            first = own * n + order.starts[clusters]
            return np.searchsorted(keys, first), np.searchsorted(keys, first + tree.sizes[clusters])

        low, high = members(n + rows)
        met = (left + 1 - low) * (high - left - 1)
        best, inner = 2.0 / (1 + class_sizes), np.full(class_sizes.size, 2 * n)
        np.minimum.at(inner, codes, tree.sizes[order.parents[:n]])
        best_inner = 2.0 / (class_sizes + inner)
        f = 2.0 * (high - low) / (class_sizes[own] + tree.sizes[n + rows])
        np.maximum.at(best, own, f)
        np.maximum.at(best_inner, own, f)
        tops = n + _tops(tree, order)[rows]
        first, last = members(tops)
        return cls(
            int((class_sizes * (class_sizes - 1) // 2).sum()),
            math.fsum((met * ((high - low) / tree.sizes[n + rows])).tolist()),
            math.fsum((met * ((last - first) / tree.sizes[tops])).tolist()),
            class_sizes,
            best,
            best_inner,
        )


def _joining(joins: Ints, first: Ints, last: Ints) -> Ints:
    """Return the rows that join instances at two positions: the maximum of two windows that cover what is between."""
    found = np.empty(first.size, np.int64)
    power = np.frexp(last - first)[1] - 1
    window = joins
    for own in range(int(power.max(initial=-1)) + 1):
        asked = np.flatnonzero(power == own)
        found[asked] = np.maximum(window[first[asked]], window[last[asked] - (1 << own)])
        window = np.maximum(window[: -(1 << own)], window[1 << own :])
    return found


def _tops(tree: Linkage, order: LeafOrder) -> Ints:
    """Return for each row the last one above it that is reached by merges at equal heights."""
    rows = np.arange(tree.n - 1)
    above = order.parents[tree.n :] - tree.n
    above = np.where(tree.heights[above] == tree.heights, above, rows)
    while not np.array_equal(further := above[above], above):
        above = further
    return above
