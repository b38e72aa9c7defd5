"""Tests of which splits of a cluster tree are real, against splits of data without clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import Argument, InputError, Option
from adjudge.given.options import check_choice, check_count, random_generator
from adjudge.inference.clusters.clusterers import dense_points
from adjudge.inference.clusters.density_valley import Valley, ValleysOfNull, valleys_between
from adjudge.inference.clusters.null_points import chosen_nulls, data_without_clusters
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.progress import StagedProgress, busy
from adjudge.saved.omitted import LeftOut, OfRows, fields_of
from adjudge.usual_seed import USUAL_SEED

Codes = NDArray[np.int64]

Linkage = Literal["ward", "average", "complete", "single"]
# Most points of a tree: 1.6 GB of distances.
_MOST = 20_000
LINKAGES: tuple[Linkage, ...] = ("ward", "average", "complete", "single")


@dataclass(frozen=True, eq=False, slots=True)
class SplitTest:
    """Test of one split of a tree.

    Attributes
    ----------
    left, right : ndarray of int64
        Positions of the points on either side.
    cluster_index : float
        Sum of squares within the two sides, as a share of that of all their points; small for two clusters.
    p_values : dict of str to float
        By null distribution, and "valley" for a density valley between the two sides, if requested.
    level : float
        Level of the test: alpha times the share of the points, so that the level of the whole tree is alpha.
    parent : int or None
        Number of the split that produced this cluster; None for the root.
    """

    left: Codes
    right: Codes
    cluster_index: float
    p_values: dict[str, float]
    level: float
    parent: int | None

    def _saved_fields(self) -> dict[str, Any]:
        return fields_of(self) | {"left": OfRows(self.left), "right": OfRows(self.right)}

    @property
    def p_value(self) -> float:
        """The largest p-value: that of the explanation without clusters that fits best."""
        return max(self.p_values.values())

    @property
    def significant(self) -> bool:
        """Whether the split is significant at its level."""
        return self.p_value <= self.level


@dataclass(frozen=True, eq=False, repr=False)
class TreeTest(ByValue):
    """Tests of the splits of a tree, from the root downwards; nothing is tested below a split that is not significant.

    Attributes
    ----------
    splits : tuple of SplitTest
    labels : ndarray of int64 of shape (n,)
        Clusters that result from cutting the tree at its significant splits, coded 0..K-1.
    alpha : float
        Probability of at least one wrong split, if there are no clusters.
    linkage : str
    n_samples : int
    """

    splits: tuple[SplitTest, ...]
    labels: Codes
    alpha: float
    linkage: str
    n_samples: int

    @property
    def n_clusters(self) -> int:
        """Number of resulting clusters."""
        return 1 + sum(split.significant for split in self.splits)

    def _saved_fields(self) -> dict[str, Any]:
        return fields_of(self) | {"labels": OfRows(self.labels)}

    @property
    def p_value(self) -> float:
        """The p-value of the first split, which tests whether there is more than one cluster."""
        return self.splits[0].p_value

    def table(self) -> Table:
        """Return one row per tested split."""
        named = tuple(self.splits[0].p_values)
        rows = tuple(
            (
                number,
                split.parent,
                split.left.size,
                split.right.size,
                split.cluster_index,
                *(split.p_values[name] for name in named),
                split.level,
                split.significant,
            )
            for number, split in enumerate(self.splits)
        )
        columns = ("split", "below", "left", "right", "cluster_index", *named, "level", "significant")
        return Table(columns, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain JSON."""
        return {
            "kind": "tree_test",
            "linkage": self.linkage,
            "alpha": self.alpha,
            "n_samples": self.n_samples,
            "n_clusters": self.n_clusters,
            "splits": plain_json(self.table().records()),
            **({} if isinstance(self.labels, LeftOut) else {"labels": self.labels.tolist()}),
        }

    def __repr__(self) -> str:
        return self.table().text()


@dataclass(frozen=True)
class _Test:
    """The options for testing a split."""

    linkage: Linkage
    nulls: Sequence[str]
    valley: bool
    n_samples: int
    rng: np.random.Generator

    def p_values(self, X: Floats, first: Bools) -> dict[str, float]:
        """Return the p-values of a split into the first points and the others."""
        value = _cluster_index(X, first)
        among_null = ValleysOfNull(_valleys(X, first)) if self.valley else None
        found: dict[str, list[float]] = {null: [] for null in self.nulls}
        for null, drawn in data_without_clusters(X, self.nulls, self.n_samples, self.rng):
            split = _first_split(drawn, self.linkage)
            found[null].append(_cluster_index(drawn, split))
            if null == self.nulls[0] and among_null is not None and among_null.open:
                among_null.add(_valleys(drawn, split))
        of_nulls = {null: _p_value(value, np.array(indices)) for null, indices in found.items()}
        return of_nulls if among_null is None else {"valley": among_null.p_value, **of_nulls}


def tree_test(
    X: Any,
    *,
    linkage: Linkage = "ward",
    alpha: float = 0.05,
    nulls: Sequence[str] = ("gaussian",),
    valley: bool = True,
    n_samples: int = 100,
    least_size: int = 10,
    random_state: Any = USUAL_SEED,
    progress: StagedProgress | bool | None = None,
) -> TreeTest:
    """Test the splits of a tree of clusters, from the root downwards.

    Each split is compared with the first splits that the same linkage makes in Gaussian data without clusters, with as
    many points and the same covariance. There also has to be a density valley between the two sides. The larger p-value
    counts.

    Parameters
    ----------
    X : array-like of shape (n, p)
    linkage : {"ward", "average", "complete", "single"}, default "ward"
    alpha : float, default 0.05
        Level of the whole tree: a node is tested at the part of it that corresponds to its share of the points.
    nulls : sequence of {"gaussian", "copula", "elliptical", "uniform"}, default the first
        Data without clusters, see :func:`~adjudge.inference.clusters_test`. More kinds cost power: to "elliptical", for
        instance, three clusters at the same distance from their mean are a ring, whose first split is as good.
    valley : bool, default True
        Whether there has to be a valley of density, see :func:`~adjudge.inference.clusters_test`.
    n_samples : int, default 100
        Number of data sets of each kind for each split.
    least_size : int, default 10
        Smaller clusters are not split.
    random_state : int, Generator, SeedSequence or None, default 0
        The same call gives the same answer; with None it varies.
    progress : callable or bool, optional
        See :func:`~adjudge.inference.clusters_test`; a callable is not called, because nobody knows how many splits
        there will be.

    Returns
    -------
    TreeTest

    Raises
    ------
    InputError
        If an input cannot be used, or there are more than 20,000 points.

    Notes
    -----
    P. K. Kimes, Y. Liu, D. N. Hayes, J. S. Marron (2017), Statistical significance for hierarchical clustering,
    Biometrics 73; their test is ``nulls=["gaussian"], valley=False``. It takes shells, curves and skewed data for
    clusters. The p-value for a null distribution is that of a normal distribution fitted to its cluster indices. The
    Gaussian data have exactly the covariance of the points; the paper draws from an estimate of it, with which the test
    rejects far too seldom if there are few variables. A tree needs all n (n - 1) / 2 distances in memory: 1.6 GB for
    20,000 points, the most that it accepts.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference import tree_test
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.normal(m, 0.3, size=(30, 2)) for m in (0, 3, 6)])
    >>> found = tree_test(X, random_state=0)
    >>> found.n_clusters, len(found.splits)
    (3, 5)
    """
    check_choice("linkage", linkage, LINKAGES)
    check_count("n_samples", n_samples)
    check_count("least_size", least_size)
    if n_samples < 2:
        raise InputError(Option("n_samples", n_samples), ": at least two are needed for a spread")
    if not 0 < alpha < 1:
        raise InputError(Option("alpha", alpha), ": a level between 0 and 1 is needed")
    chosen = chosen_nulls(nulls)
    points = dense_points(X)
    n = points.shape[0]
    if n > _MOST:
        raise InputError(
            Argument("X"),
            f" has {n:,} points: a tree of more than {_MOST:,} needs too much memory, give a random sample of them",
        )
    if n < 3 or not np.ptp(points, axis=0).any():
        raise InputError(Argument("X"), " needs at least three points, not all equal")
    test = _Test(linkage, chosen, valley, n_samples, random_generator(random_state))
    with busy(progress, "splits of the tree"):
        splits, labels = _tested(points, test, alpha, least_size)
    return TreeTest(tuple(splits), labels, float(alpha), linkage, n_samples)


def _tested(points: Floats, test: _Test, alpha: float, least_size: int) -> tuple[list[SplitTest], Codes]:
    """Descend the tree as long as splits are significant."""
    n = points.shape[0]
    tree = _tree(points, test.linkage)
    splits: list[SplitTest] = []
    labels = np.zeros(n, np.int64)
    # Nodes of the tree to test, with the split above each.
    waiting: list[tuple[int, int | None]] = [(2 * n - 2, None)]
    while waiting:
        node, parent = waiting.pop(0)
        left, right = (_members(tree, int(child)) for child in tree[node - n, :2])
        both = np.concatenate([left, right])
        own = points[both]
        if (both.size < max(least_size, 3) and parent is not None) or not np.ptp(own, axis=0).any():
            continue
        first = np.arange(both.size) < left.size
        level = alpha * (both.size - 1) / (n - 1)
        split = SplitTest(left, right, _cluster_index(own, first), test.p_values(own, first), level, parent)
        splits.append(split)
        if split.significant:
            labels[right] = labels.max() + 1
            waiting += [(int(child), len(splits) - 1) for child in tree[node - n, :2] if child >= n]
    return splits, labels


def _tree(X: Floats, linkage: Linkage) -> Floats:
    from scipy.cluster.hierarchy import linkage as grow

    return np.asarray(grow(X - X.mean(axis=0), linkage))


def _members(tree: Floats, node: int) -> Codes:
    """Return the positions of the points below a node."""
    n = tree.shape[0] + 1
    found, waiting = [], [node]
    while waiting:
        current = waiting.pop()
        if current < n:
            found.append(current)
        else:
            waiting += [int(child) for child in tree[current - n, :2]]
    return np.sort(np.array(found, np.int64))


def _cluster_index(X: Floats, first: Bools) -> float:
    total = float(((X - X.mean(axis=0)) ** 2).sum())
    within = sum(float(((side - side.mean(axis=0)) ** 2).sum()) for side in (X[first], X[~first]))
    return within / total


def _first_split(X: Floats, linkage: Linkage) -> Bools:
    """Return a mask of the points on one side of the first split."""
    tree = _tree(X, linkage)
    first = np.zeros(X.shape[0], np.bool_)
    first[_members(tree, int(tree[-1, 0]))] = True
    return first


def _valleys(X: Floats, first: Bools) -> list[Valley]:
    return valleys_between(X, np.where(first, 0, 1))


def _p_value(value: float, null: Floats) -> float:
    """Return the lower tail probability of a value under a normal distribution fitted to the null values."""
    from scipy.special import ndtr

    deviation = float(null.std(ddof=1))
    if deviation == 0:
        return 1.0 if value >= null[0] else 0.0
    return float(ndtr((value - float(null.mean())) / deviation))
