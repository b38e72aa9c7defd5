"""What indices of two overlapping clusterings read: how many clusters instances share, and how the clusters overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.cover import Cover, PredictedCover, TrueCover

# Most entries of one array, whichever way pairs are counted.
_MOST_ENTRIES = 30_000_000
# Up to this many keys, instances are counted in an array with a place for each key.
_MOST_PLACES = 60_000_000
# Buckets that keys are spread over: a prime.
_BUCKETS = 8_388_593


@dataclass(frozen=True, eq=False, slots=True)
class CoverOverlaps:
    """Sizes of the clusters of two covers, and of the overlaps that are not empty.

    Attributes
    ----------
    n : int
        Number of instances.
    true_sizes, pred_sizes : ndarray of int64
    rows, cols, counts : ndarray of int64
        True cluster, predicted cluster and size of each overlap, in row order.
    """

    made_from: ClassVar[tuple[type, ...]] = (TrueCover, PredictedCover)

    n: int
    true_sizes: Ints
    pred_sizes: Ints
    rows: Ints
    cols: Ints
    counts: Ints

    @classmethod
    def make(cls, true: Cover, pred: Cover) -> Self:
        """Count the overlaps, in time proportional to the instances' pairs of clusters."""
        product = (_matrix(true).T.tocsr() @ _matrix(pred)).tocsr()
        product.sort_indices()
        coo = product.tocoo()
        cells = (np.asarray(own, np.int64) for own in (coo.row, coo.col, coo.data))
        return cls(true.n, true.sizes, pred.sizes, *cells)

    def swap(self) -> Self:
        """Exchange the roles of the covers."""
        order = np.lexsort((self.rows, self.cols))
        cells = (own[order] for own in (self.cols, self.rows, self.counts))
        return type(self)(self.n, self.pred_sizes, self.true_sizes, *cells)


def _matrix(cover: Cover) -> Any:
    from scipy.sparse import csr_array

    ones = np.ones(cover.instances.size, np.int64)
    return csr_array((ones, (cover.instances, cover.clusters)), (cover.n, cover.n_clusters))


@dataclass(frozen=True, eq=False, slots=True)
class SharedClusters:
    """Pairs of instances by how many clusters they share in each of two covers.

    Attributes
    ----------
    n : int
        Number of instances.
    pairs : ndarray of int64 of shape (V + 1, W + 1)
        Pairs of instances that share v true and w predicted clusters.
    equal : ndarray of int64 of shape (n,)
        Other instances with which an instance shares as many clusters in both covers.
    true_shared : ndarray of int64 of shape (n, V + 1)
        Other instances with which it shares v true clusters.
    pred_shared : ndarray of int64 of shape (n, W + 1)
    precision, recall : ndarray of float64 of shape (n,)
        Extended BCubed precision and recall of an instance; nan if it is in no cluster of that cover.
    """

    made_from: ClassVar[tuple[type, ...]] = (TrueCover, PredictedCover)

    n: int
    pairs: Ints
    equal: Ints
    true_shared: Ints
    pred_shared: Ints
    precision: Floats
    recall: Floats

    @classmethod
    def make(cls, true: Cover, pred: Cover) -> Self:
        """Count pairs by sets of clusters, or by enumerating those that share a cluster, whichever is less work."""
        own = [np.bincount(cover.instances, minlength=cover.n) for cover in (true, pred)]
        blocks = _by_sets(true, pred, own) if _takes_sets(true, pred, own) else _by_pairs(true, pred)
        found = [_reduced(block, *(one[part] for one in own)) for part, block in blocks]
        widths = [max(one.pairs.shape[axis] for one in found) for axis in (0, 1)]
        total = np.zeros(widths, np.int64)
        for one in found:
            total[: one.pairs.shape[0], : one.pairs.shape[1]] += one.pairs
        return cls(
            true.n,
            total // 2,
            np.concatenate([one.equal for one in found]),
            np.concatenate([_widened(one.true_shared, widths[0]) for one in found]),
            np.concatenate([_widened(one.pred_shared, widths[1]) for one in found]),
            np.concatenate([one.precision for one in found]),
            np.concatenate([one.recall for one in found]),
        )

    @property
    def n_pairs(self) -> int:
        """Number of pairs of instances."""
        return self.n * (self.n - 1) // 2


def _widened(counts: Ints, width: int) -> Ints:
    return np.pad(counts, ((0, 0), (0, width - counts.shape[1])))


def _reduced(shared: Ints, in_true: Ints, in_pred: Ints) -> SharedClusters:
    """Reduce some instances' counts of others by shared clusters, of shape (n, V + 1, W + 1).

    Parameters
    ----------
    shared : ndarray of int64
    in_true, in_pred : ndarray of int64 of shape (n,)
        Number of clusters of each instance.
    """
    v, w = np.arange(shared.shape[1])[:, None], np.arange(shared.shape[2])[None, :]
    least = np.minimum(v, w)
    diagonal = np.arange(min(shared.shape[1:]))
    parts = []
    for of, size in ((w, in_pred), (v, in_true)):
        share = np.where(of > 0, least / np.maximum(of, 1), 0.0)
        # An instance shares all of its clusters with itself.
        itself = np.divide(np.minimum(in_true, in_pred), size, out=np.zeros(size.size), where=size > 0)
        top = np.einsum("ivw,vw->i", shared, share) + itself
        bottom = np.einsum("ivw,vw->i", shared, np.broadcast_to(of > 0, share.shape).astype(np.int64)) + 1
        parts.append(np.where(size > 0, top / bottom, math.nan))
    return SharedClusters(
        shared.shape[0],
        shared.sum(axis=0),
        shared[:, diagonal, diagonal].sum(axis=1),
        shared.sum(axis=2),
        shared.sum(axis=1),
        *parts,
    )


def _takes_sets(true: Cover, pred: Cover, own: list[Ints]) -> bool:
    """Whether counting by sets of clusters is possible, and less work than enumerating pairs."""
    most = [int(one.max(initial=0)) for one in own]
    if sum(most) > 40 or true.n * math.prod(one + 1 for one in most) > _MOST_ENTRIES:
        return False
    of_sets = float(np.ldexp(1.0, own[0] + own[1]).sum())
    of_pairs = float(sum((cover.sizes.astype(np.float64) ** 2).sum() for cover in (true, pred)))
    return of_sets < of_pairs or of_sets < _MOST_ENTRIES


@dataclass(frozen=True, eq=False, slots=True)
class _Sets:
    """Sets of s clusters that at least two instances are in.

    Attributes
    ----------
    instances : ndarray of int64 of shape (entries,)
        Ascending.
    sets : ndarray of int64 of shape (entries,)
        A number for each set.
    last : ndarray of int64 of shape (entries,)
        Position of its last cluster among the clusters of all instances.
    n_sets : int
    others : ndarray of int64 of shape (entries,)
        Other instances in all clusters of the set.
    """

    instances: Ints
    sets: Ints
    last: Ints
    n_sets: int
    others: Ints

    @classmethod
    def counted(cls, instances: Ints, keys: Ints, last: Ints, n_keys: int) -> Self:
        """Count the instances of each set, by the key of the set, and drop sets of one instance."""
        some, sets, counts = _counted_keys(keys, n_keys)
        of_set = counts.take(sets)
        kept = np.flatnonzero(of_set > 1)
        numbers = np.cumsum(counts > 1)
        left = numbers.take(sets.take(kept)) - 1
        n_left = int(numbers[-1]) if numbers.size else 0
        return cls(instances[some].take(kept), left, last[some].take(kept), n_left, of_set.take(kept) - 1)


def _counted_keys(keys: Ints, n_keys: int) -> tuple[Any, Ints, Ints]:
    """Return which keys are counted, all but some that occur once; their numbers; and how many have each number."""
    if n_keys <= _MOST_PLACES:
        return slice(None), keys, np.bincount(keys, minlength=n_keys)
    some: Any = slice(None)
    if keys.size > _BUCKETS // 10:
        # Most keys occur once, and few of these share a bucket with another: the rest need no sorting.
        buckets = keys % _BUCKETS
        some = np.flatnonzero(np.bincount(buckets, minlength=_BUCKETS).take(buckets) > 1)
    return some, *np.unique(keys[some], return_inverse=True, return_counts=True)[1:]


def _levels(cover: Cover) -> list[_Sets]:
    """Return the sets of one, two, ... clusters."""
    ends = np.cumsum(np.bincount(cover.instances, minlength=cover.n))
    places = np.arange(cover.clusters.size)
    level = _Sets.counted(cover.instances, cover.clusters, places, cover.n_clusters)
    found = []
    while level.instances.size:
        found.append(level)
        # Each set grows by every later cluster of its instance.
        more = ends[level.instances] - level.last - 1
        entry = np.repeat(np.arange(more.size), more)
        last = level.last[entry] + 1 + _within(more)
        keys = level.sets[entry] * cover.n_clusters + cover.clusters[last]
        level = _Sets.counted(level.instances[entry], keys, last, level.n_sets * cover.n_clusters)
    return found


def _within(sizes: Ints) -> Ints:
    """Return 0, 1, ... within each of several runs."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(starts, sizes)


def _by_sets(true: Cover, pred: Cover, own: list[Ints]) -> Iterator[tuple[slice, Ints]]:
    """Count by the binomial moments of the numbers of shared clusters.

    An instance shares C(v, s) sets of s clusters with one with which it shares v, so that the number of other instances
    in each of its sets gives the moments, and inclusion and exclusion the counts.
    """
    n, levels = true.n, [_levels(true), _levels(pred)]
    moments = np.zeros((len(levels[0]) + 1, len(levels[1]) + 1, n), np.int64)
    moments[0, 0] = n - 1
    for s, level in enumerate(levels[0], 1):
        moments[s, 0] = _sums(level, n)
    for r, level in enumerate(levels[1], 1):
        moments[0, r] = _sums(level, n)
    for s, one in enumerate(levels[0], 1):
        for r, other in enumerate(levels[1], 1):
            moments[s, r] = _joint_sums(one, other, n)
            if not moments[s, r].any():
                break
    # Inclusion and exclusion, in place. Integers wrap around alike in sums: the counts come out exactly.
    for counts in (moments, moments.swapaxes(0, 1)):
        for last in range(len(counts) - 1):
            for v in range(len(counts) - 2, last - 1, -1):
                counts[v] -= counts[v + 1]
    yield slice(0, n), moments.transpose(2, 0, 1)


def _sums(level: _Sets, n: int) -> Ints:
    """Return, for each instance, the number of other instances in each of its sets, added up."""
    return np.bincount(level.instances, level.others, n).astype(np.int64)


def _joint_sums(one: _Sets, other: _Sets, n: int) -> Ints:
    """Return the same for the pairs of a set of true and a set of predicted clusters."""
    starts = np.searchsorted(other.instances, np.arange(n + 1))
    first = starts[one.instances]
    more = starts[one.instances + 1] - first
    keys = np.repeat(one.sets * other.n_sets, more)
    keys += other.sets.take(np.repeat(first, more) + _within(more))
    some, pairs, counts = _counted_keys(keys, one.n_sets * other.n_sets)
    instances = np.repeat(one.instances, more)[some]
    return np.bincount(instances, counts.take(pairs) - 1, n).astype(np.int64)


def _by_pairs(true: Cover, pred: Cover) -> Iterator[tuple[slice, Ints]]:
    """Enumerate the pairs that share a cluster, in blocks of instances."""
    a, b = _matrix(true), _matrix(pred)
    work = sum(m @ cover.sizes for m, cover in ((a, true), (b, pred)))
    start, n = 0, true.n
    ends = np.cumsum(work)
    while start < n:
        reached = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, reached + _MOST_ENTRIES // 4, "right")))
        block = slice(start, stop)
        first, second = (m[block] @ m.T for m in (a, b))
        width, other = (int(m.max()) + 1 for m in (first, second))
        both = (first * other + second).tocoo()
        rows, cols, shared = both.row.astype(np.int64), both.col, both.data
        apart = cols != rows + start
        counts = np.bincount(
            rows[apart] * (width * other) + shared[apart], minlength=(stop - start) * width * other
        ).reshape(stop - start, width, other)
        counts[:, 0, 0] = n - 1 - counts.sum(axis=(1, 2))
        yield block, counts
        start = stop
