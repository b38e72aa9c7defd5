"""How well two trees agree at each number of clusters, beside what chance gives (Fowlkes & Mallows 1983)."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.given.linkage import Linkage
from adjudge.given.options import check_confidence
from adjudge.inference.common.proportions import normal_quantile
from adjudge.presentation.tables import Table
from adjudge.statistics.join_heights import JoinedTwice


def bk_curve(first: Any, second: Any, *, confidence: float = 0.95) -> Table:
    """Compare the clusters of two trees at every number of clusters by the Fowlkes-Mallows index B_k.

    Parameters
    ----------
    first, second : Linkage or linkage matrix of shape (n - 1, 4)
    confidence : float, default 0.95
        Share of unrelated trees whose B_k is between the limits, if it is nearly normal.

    Returns
    -------
    Table
        A row for each number of clusters k from 2 to n - 1, made by the first n - k merges: `k`, `bk`, `expected` and
        `variance` if the instances of one tree change places at random, and the limits `low` and `high`. It takes
        O(n^2) time and O(n) memory.

    Raises
    ------
    InputError
        If the trees have different numbers of instances, or fewer than three.

    Examples
    --------
    >>> from adjudge.inference import bk_curve
    >>> one = [[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 5.0, 4]]
    >>> two = [[0, 2, 1.0, 2], [1, 3, 2.0, 2], [4, 5, 5.0, 4]]
    >>> [round(value, 4) for value in bk_curve(one, two).rows[0][:4]]
    [2, 0.0, 0.3333, 0.2222]
    """
    check_confidence(confidence)
    trees = Linkage.read(first), Linkage.read(second)
    n = trees[0].n
    if trees[1].n != n:
        raise InputError(f"the trees have {n} and {trees[1].n} instances: they must be the same instances")
    if n < 3:
        raise InputError("the trees have two instances: B_k needs three or more")
    joined = JoinedTwice.make(*trees)
    # After each merge but the last, which leaves one cluster.
    t, p, q = (
        2.0 * np.cumsum(own)[:-1] for own in (joined.both_joined, joined.first_joined, joined.second_joined)
    )
    triples = [_triples(tree)[:-1] for tree in trees]
    pairs = n * (n - 1.0)
    root = np.sqrt(p) * np.sqrt(q)
    variance = 2 / pairs + 4 * triples[0] / p * (triples[1] / q) / (pairs * (n - 2)) - p / pairs * (q / pairs)
    if n > 3:
        rests = [own - 2 - 4 * three / own for own, three in zip((p, q), triples, strict=True)]
        variance += rests[0] * rests[1] / (pairs * (n - 2) * (n - 3))
    # Rounding makes a variance of 0 a little smaller or larger.
    variance = np.where(variance < 1e-13, 0.0, variance)
    half = normal_quantile(confidence) * np.sqrt(variance)
    expected = root / pairs
    columns = [t / root, expected, variance, np.maximum(expected - half, 0), np.minimum(expected + half, 1)]
    rows = zip(range(n - 1, 1, -1), *(column.tolist() for column in columns), strict=True)
    return Table(("k", "bk", "expected", "variance", "low", "high"), tuple(rows)[::-1])


def _triples(tree: Linkage) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the number of ordered triples of joined instances after each merge."""

    def of(sizes: Any) -> Any:
        return sizes * (sizes - 1) * (sizes - 2)

    sizes = tree.sizes.astype(np.float64)
    return np.asarray(np.cumsum(of(sizes[tree.n :]) - of(sizes[tree.children]).sum(axis=1)))
