"""The definitions behind adjudge.inference, slow and readable."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np


def mutual_information(x, y):
    n = len(x)
    in_x, in_y = Counter(x), Counter(y)
    return sum(
        k / n * math.log(k * n / (in_x[a] * in_y[b])) for (a, b), k in Counter(zip(x, y, strict=True)).items()
    )


def labels_of(sizes):
    return [cluster for cluster, size in enumerate(sizes) for _ in range(size)]


def all_shuffles(rows, cols):
    """Yield all ways of assigning the labels of one partition to the instances of the other."""
    x = labels_of(rows)
    return ((x, list(y)) for y in itertools.permutations(labels_of(cols)))


def joined_pairs(x, y):
    return sum(x[i] == x[j] and y[i] == y[j] for i, j in itertools.combinations(range(len(x)), 2))


def partitions(n, k=None):
    """Return all partitions of n instances (into k clusters), as labels in order of first appearance."""

    def grow(labels, used):
        if len(labels) == n:
            if k is None or used == k:
                yield tuple(labels)
            return
        for label in range(used + 1):
            yield from grow([*labels, label], max(used, label + 1))

    return list(grow([], 0))


def jackknife_error(values):
    """Return the jackknife standard error from the n leave-one-out values."""
    values = np.asarray(values)
    n = len(values)
    return math.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())


def without(labels, i):
    return [label for j, label in enumerate(labels) if j != i]
