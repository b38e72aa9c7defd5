"""Trees of clusters, as hierarchical clustering returns them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError, Row
from adjudge.given.input_kinds import Thing
from adjudge.given.structures import Structure

_SHAPE = "give a linkage matrix of shape (n - 1, 4), as scipy.cluster.hierarchy.linkage returns it"


class ReferenceTree(Thing):
    """A tree of clusters that another one is compared with."""

    option, words = "labels_true", "a tree to compare with"


@dataclass(frozen=True, eq=False)
class Linkage(Structure):
    """A tree of clusters: the two clusters that each step merges, and the height of the step.

    Parameters
    ----------
    values : array-like of shape (n - 1, 4), or fitted estimator
        A linkage matrix of SciPy: each row has the two clusters that it merges, the height, and the number of instances
        of the new cluster, which may be left out. Instances are clusters 0 to n - 1; row i makes cluster n + i. Or an
        AgglomerativeClustering of scikit-learn, fitted with distances.

    Attributes
    ----------
    children : ndarray of int64 of shape (n - 1, 2)
    heights : ndarray of float64 of shape (n - 1,)
        Later clusters may be lower, as with centroids. Among equal heights, the order of the rows counts.
    sizes : ndarray of int64 of shape (2 n - 1,)
        Number of instances of each cluster.

    Examples
    --------
    >>> from adjudge import Linkage, evaluate
    >>> tree = Linkage([[0, 1, 1.0, 2], [2, 3, 2.5, 3]])
    >>> evaluate(["a", "a", "b"], linkage=tree, indices="dendrogram_purity")["dendrogram_purity"]
    1.0
    """

    option, words = "linkage", "a tree of clusters"
    places: ClassVar[Mapping[str, type[Thing]]] = MappingProxyType({"labels_true": ReferenceTree})

    values: Any
    children: Ints = field(init=False, repr=False)
    heights: Floats = field(init=False, repr=False)
    sizes: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        values = _of_estimator(self.values) if hasattr(self.values, "children_") else self.values
        try:
            values = np.asarray(values, np.float64)
        except (TypeError, ValueError):
            raise InputError(f"linkage is no matrix of numbers: {_SHAPE}") from None
        if values.ndim != 2 or values.shape[1] not in (3, 4) or not values.size:
            raise InputError(f"linkage has shape {values.shape}: {_SHAPE}")
        wrong = np.argwhere(~np.isfinite(values))
        if wrong.size:
            i, j = wrong[0].tolist()
            raise InputError(f"linkage has {values[i, j]} ", Row(i), f", column {j}: give finite numbers")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "children", _children(values[:, :2]))
        object.__setattr__(self, "heights", values[:, 2])
        object.__setattr__(self, "sizes", _sizes(self.children, values[:, 3:]))

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.values.shape[0]) + 1

    @cached_property
    def starts(self) -> Ints:
        """Where each cluster starts in an order of the instances in which each cluster stands together."""
        starts, sizes = [0] * (2 * self.n - 1), self.sizes.tolist()
        for i, (first, second) in reversed(list(enumerate(self.children.tolist(), self.n))):
            starts[first], starts[second] = starts[i], starts[i] + sizes[first]
        return np.array(starts, np.int64)

    def cuts(self, ks: Iterable[int]) -> Iterator[tuple[int, Ints]]:
        """Cut the tree into each number of clusters, ascending, by undoing the last merges one after the other.

        The smaller part of each cluster that is undone gets a new label; all other labels stay.

        Parameters
        ----------
        ks : iterable of int
            Numbers of clusters from 1 to n.

        Yields
        ------
        k : int
        labels : ndarray of int64 of shape (n,)
            Starting at 0.

        Examples
        --------
        >>> from adjudge import Linkage
        >>> [(k, labels.tolist()) for k, labels in Linkage([[0, 1, 1.0], [2, 3, 2.5]]).cuts([2, 3])]
        [(2, [0, 0, 1]), (3, [0, 2, 1])]
        """
        n, starts = self.n, self.starts.tolist()
        leaves = np.argsort(self.starts[:n])
        labels, wanted, found = np.zeros(n, np.int64), set(ks), 1
        for k in sorted(wanted):
            for new in range(found, k):
                one, other = self.children[n - 1 - new].tolist()
                less = other if self.sizes[other] <= self.sizes[one] else one
                labels[leaves[starts[less] : starts[less] + int(self.sizes[less])]] = new
            found = k
            yield k, labels.copy()

    def take(self, order: Ints) -> Self:
        """Return the same tree with its instances in another order."""
        names = np.arange(2 * self.n - 1)
        names[order] = np.arange(self.n)
        return type(self)(np.column_stack([names[self.children], self.values[:, 2:]]))


def _of_estimator(fitted: Any) -> Floats:
    """Return the linkage matrix, without numbers of instances, of a clusterer of scikit-learn."""
    children = np.asarray(fitted.children_)
    heights = getattr(fitted, "distances_", None)
    if heights is None:
        raise InputError("the fitted clusterer has no distances_: set its compute_distances before fitting")
    if len(children) != getattr(fitted, "n_leaves_", len(children) + 1) - 1:
        raise InputError(
            "the fitted clusterer stopped before all instances were merged: set its compute_full_tree before fitting"
        )
    return np.column_stack([children, heights])


def _children(given: Floats) -> Ints:
    """Check that each row merges two clusters that exist by then, and each cluster is merged once."""
    n = given.shape[0] + 1
    exist = np.arange(n, 2 * n - 1)[:, None]
    wrong = np.argwhere((given < 0) | (given >= exist) | (given != np.floor(given)))
    if wrong.size:
        i, j = wrong[0].tolist()
        raise InputError(
            f"linkage merges cluster {given[i, j]:g} ",
            Row(i),
            f": there are clusters 0 to {n + i - 1} by then",
        )
    children = given.astype(np.int64)
    merged = np.bincount(children.ravel(), minlength=2 * n - 2)
    if merged.max() > 1:
        twice = int(np.argmax(merged > 1))
        i = int(np.flatnonzero(children.ravel() == twice)[1]) // 2
        raise InputError(
            f"linkage merges cluster {twice} a second time ", Row(i), ": merge each cluster once"
        )
    return children


def _sizes(children: Ints, given: Floats) -> Ints:
    """Return the number of instances of each cluster, and check those that were given."""
    n = len(children) + 1
    if given.size:
        sizes = np.concatenate([np.ones(n), given[:, 0]])
        wrong = np.flatnonzero(sizes[children].sum(axis=1) != given[:, 0])
        if wrong.size:
            i = int(wrong[0])
            raise InputError(
                f"linkage has {given[i, 0]:g} instances ",
                Row(i),
                f", which merges clusters of {sizes[children[i, 0]]:g} and {sizes[children[i, 1]]:g}: "
                "make the last column their sum, or leave it out",
            )
        return sizes.astype(np.int64)
    found = [1] * n
    for first, second in children.tolist():
        found.append(found[first] + found[second])
    return np.array(found, np.int64)
