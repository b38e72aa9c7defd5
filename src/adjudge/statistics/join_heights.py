"""Heights at which a tree joins pairs of instances, beside distances or another tree; no pair is stored."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.input_kinds import Coordinates
from adjudge.given.linkage import Linkage, ReferenceTree
from adjudge.statistics.cluster_joins import LeafOrder

# Pairs at a time.
_BLOCK = 1 << 18
# Deviations this small relative to the values are rounding errors.
_ROUNDING = 1e-14


class JointMoments(NamedTuple):
    """Sums over pairs of instances: squared deviations of two quantities from their means, and products of these.

    A sum of squares is 0 if the quantity is constant, apart from rounding.
    """

    first: float
    second: float
    product: float


@dataclass(frozen=True, eq=False, slots=True)
class CopheneticMoments:
    """Joint moments of the distances between points and of the heights at which a tree joins them."""

    made_from: ClassVar[tuple[type, ...]] = (Linkage, Coordinates)

    moments: JointMoments

    @classmethod
    def make(cls, tree: Linkage, points: Any) -> Self:
        """Go through all pairs once: O(n^2 p) time and O(n) memory."""
        from scipy.spatial.distance import cdist

        order = LeafOrder.of(tree)
        heights, spread = _centred(tree.heights, _weights(tree))
        points = np.asarray(points, np.float64)[order.instances]
        padded = np.append(heights, 0.0)
        # Distances are counted from a rough mean, so that their squares keep their digits.
        about = float(cdist(points[:100], points[-100:]).mean())
        sums: list[tuple[float, float, float]] = []
        largest = 0.0
        for a, b, rows in _joining_rows(order):
            apart = cdist(points[a:b], points[a + 1 :])
            largest = max(largest, float(apart.max()))
            apart -= about
            apart[rows < 0] = 0.0
            flat = apart.ravel()
            sums.append((float(flat.sum()), float(flat @ flat), float(flat @ padded[rows].ravel())))
        total, squares, product = (math.fsum(column) for column in zip(*sums, strict=True))
        n_pairs = tree.n * (tree.n - 1) // 2
        squares -= total * total / n_pairs
        if squares <= n_pairs * (_ROUNDING * largest) ** 2:
            squares = 0.0
        return cls(JointMoments(squares, spread, product))


@dataclass(frozen=True, eq=False, slots=True)
class JoinedTwice:
    """Pairs of instances by where each of two trees joins them.

    Attributes
    ----------
    heights, ranks : JointMoments
        Of the heights of both trees; and of the ranks of their merges, where pairs that one merge joins share a rank.
    first_joined, second_joined, both_joined : ndarray of int64 of shape (n - 1,)
        Pairs joined by each row of either tree; and pairs by the row after which both trees have joined them.
    """

    made_from: ClassVar[tuple[type, ...]] = (ReferenceTree, Linkage)

    heights: JointMoments
    ranks: JointMoments
    first_joined: Ints
    second_joined: Ints
    both_joined: Ints

    @classmethod
    def make(cls, first: Linkage, second: Linkage) -> Self:
        """Go through all pairs once: O(n^2) time and O(n) memory."""
        n, order, other = first.n, LeafOrder.of(first), LeafOrder.of(second)
        weights = _weights(first), _weights(second)
        scales = [
            [_centred(tree.heights, own) for tree, own in zip((first, second), weights, strict=True)],
            [_centred((np.cumsum(own) - own / 2) / own.sum(), own) for own in weights],
        ]
        padded = [[np.append(values, 0.0) for values, _ in pair] for pair in scales]
        places = other.starts[order.instances]
        both = np.zeros(n, np.int64)
        sums: list[list[float]] = []
        for a, b, rows in _joining_rows(order):
            beside = _rows_to_all(other.joins, places[a:b])[:, places[a + 1 :]]
            sums.append([float(one[rows].ravel() @ two[beside].ravel()) for one, two in padded])
            joined = np.where(rows < 0, -1, np.maximum(rows, beside))
            both += np.bincount(joined.ravel() + 1, minlength=n)
        products = [math.fsum(column) for column in zip(*sums, strict=True)]
        heights, ranks = (
            JointMoments(one[1], two[1], product)
            for (one, two), product in zip(scales, products, strict=True)
        )
        return cls(heights, ranks, *weights, both[1:])


def _weights(tree: Linkage) -> Ints:
    """Return the number of pairs that each row joins."""
    joined: Ints = tree.sizes[tree.children].prod(axis=1)
    return joined


def _centred(values: Floats, weights: Ints) -> tuple[Floats, float]:
    """Return deviations from the weighted mean, and the sum of their squares; all are 0 if they are rounding errors."""
    mean = math.fsum((values * weights).tolist()) / int(weights.sum())
    off = values - mean
    if np.abs(off).max() <= _ROUNDING * np.abs(values).max():
        return np.zeros_like(off), 0.0
    return off, math.fsum((off * off * weights).tolist())


def _joining_rows(order: LeafOrder) -> Iterator[tuple[int, int, Ints]]:
    """Yield blocks of positions a to b - 1, and the rows that join each with the positions from a + 1.

    An entry for a position that is not after the block's own one is -1.
    """
    n = order.instances.size
    a = 0
    while a < n - 1:
        width = n - 1 - a
        b = min(n - 1, a + max(1, _BLOCK // n))
        rows = np.tile(order.joins[a:], (b - a, 1))
        rows[np.tri(b - a, width, -1, dtype=bool)] = -1
        yield a, b, np.maximum.accumulate(rows, axis=1, out=rows)
        a = b


def _rows_to_all(joins: Ints, places: Ints) -> Ints:
    """Return the rows that join some positions with every position; -1 for a position with itself."""
    gaps = np.arange(joins.size)
    after = np.where(gaps >= places[:, None], joins, -1)
    before = np.where(gaps < places[:, None], joins, -1)[:, ::-1]
    found = np.full((places.size, joins.size + 1), -1)
    found[:, 1:] = np.maximum.accumulate(after, axis=1)
    np.maximum(found[:, :-1], np.maximum.accumulate(before, axis=1)[:, ::-1], out=found[:, :-1])
    return found
