"""Overlapping clusterings: an instance may be in several clusters, or in none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, a_type
from adjudge.given.input_kinds import Thing
from adjudge.given.label_sets import LabelSets, may_be_a_matrix, read_label_sets
from adjudge.given.labels import Labels, code_labels
from adjudge.given.options import check_count
from adjudge.given.structures import Structure


class TrueCover(Thing):
    """The overlapping clusters that others are compared with."""

    option, words = "labels_true", "true overlapping clusters"


class PredictedCover(Thing):
    """The overlapping clusters to judge."""

    option, words = "labels_pred", "predicted overlapping clusters"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Cover(Structure):
    """An overlapping clustering of the instances 0, ..., n - 1. Empty clusters are left out.

    Parameters
    ----------
    clusters : sequence of sets, mapping of names to sets, data frame, or sparse or dense 0/1 matrix of shape (n, K)
        The instances of each cluster; or a matrix with a row for each instance and a column for each cluster.
    n : int, optional
        Number of instances. Required for sets: instances in no cluster count too.

    Raises
    ------
    InputError
        If an instance is not one of 0, ..., n - 1, or a matrix has other values than 0 and 1.

    See Also
    --------
    Cover.from_pairs : From a table with a row for each instance of each cluster.
    Cover.from_instances : From the clusters of each instance.

    Examples
    --------
    >>> from adjudge import Cover, evaluate
    >>> truth, found = Cover([{0, 1, 2}, {2, 3}], n=5), Cover([{0, 1}, {2, 3, 4}], n=5)
    >>> round(evaluate(truth, found, indices="omega")["omega"], 4)
    0.1667
    """

    places: ClassVar[Mapping[str, type[Thing]]] = MappingProxyType(
        {"labels_true": TrueCover, "labels_pred": PredictedCover}
    )

    _sets: LabelSets

    def __init__(self, clusters: Any, n: int | None = None) -> None:
        if n is not None:
            check_count("n", n)
        if getattr(clusters, "ndim", 2 * hasattr(clusters, "columns")) == 2:
            sets = read_label_sets({"clusters": clusters})["clusters"]
            if n not in (None, sets.n):
                raise InputError(f"the matrix has {sets.n} rows, and n is {n}: leave n out")
            self._store(sets.rows, sets.columns, sets.n)
        elif n is None:
            raise InputError("the number of instances is not known: give ", Option("n"))
        else:
            self._store(*_of_sets(clusters, n), int(n))

    @classmethod
    def _stored(cls, instances: Ints, clusters: Ints, n: int) -> Self:
        made = cls.__new__(cls)
        made._store(instances, clusters, n)
        return made

    def __repr__(self) -> str:
        return f"Cover(n={self.n}, n_clusters={self.n_clusters})"

    def _store(self, instances: Ints, clusters: Ints, n: int) -> None:
        """Keep each instance of a cluster once, in the order of the instances."""
        if instances.size and not (instances.min() >= 0 and instances.max() < n):
            bad = int(instances[(instances < 0) | (instances >= n)][0])
            raise InputError(f"a cluster has the instance {bad}: instances are numbered from 0 to {n - 1}")
        if not clusters.size:
            raise InputError("no instance is in a cluster: there is nothing to judge")
        filled = np.bincount(clusters) > 0
        n_clusters = int(filled.sum())
        keys = np.unique(instances * n_clusters + (np.cumsum(filled) - 1)[clusters])
        object.__setattr__(self, "_sets", LabelSets(keys, n, range(n_clusters)))

    @classmethod
    def from_pairs(cls, instances: Any, clusters: Any, n: int | None = None) -> Self:
        """Make a cover from a table with a row for each instance of each cluster.

        Parameters
        ----------
        instances : array-like of int of shape (rows,)
            Instances, numbered from 0.
        clusters : array-like of shape (rows,)
            The name of a cluster that each is in.
        n : int, optional
            Number of instances. Default: one more than the largest number.

        Examples
        --------
        >>> from adjudge import Cover
        >>> Cover.from_pairs([0, 1, 1, 2], ["a", "a", "b", "b"]).n_clusters
        2
        """
        rows, names = _as_instances(instances), code_labels(clusters, "clusters")
        if rows.size != len(names):
            raise InputError(
                f"there are {rows.size} instances and {len(names)} clusters: give one for each row"
            )
        if names.missing is not None:
            where = Position(int(np.argmax(names.missing)))
            raise InputError(Argument("clusters"), " has a missing name ", where, ": leave out such rows")
        if n is not None:
            check_count("n", n)
        return cls._stored(rows, names.dense()[0], int(rows.max(initial=-1)) + 1 if n is None else int(n))

    @classmethod
    def from_instances(cls, clusters: Any, name: str = "clusters") -> Self:
        """Make a cover from the clusters of each instance.

        Parameters
        ----------
        clusters : sequence of collections, matrix of shape (n, K), or data frame with a column for each cluster
            The names of the clusters that each instance is in; or which clusters these are, as 0 and 1.
        name : str
            What errors call it.

        Examples
        --------
        >>> from adjudge import Cover
        >>> Cover.from_instances([{"a"}, {"a", "b"}, set()]).sizes
        array([2, 1])
        """
        sets = read_label_sets({name: clusters})[name]
        return cls._stored(sets.rows, sets.columns, sets.n)

    @classmethod
    def of_labels(cls, labels: Labels) -> Self:
        """Return a partition as a cover."""
        codes = labels.dense()[0]
        return cls._stored(np.arange(codes.size), codes, int(codes.size))

    @property
    def n(self) -> int:
        """Number of instances."""
        return self._sets.n

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self._sets.labels)

    @cached_property
    def instances(self) -> Ints:
        """An instance for each cluster that it is in, ascending."""
        return self._sets.rows

    @cached_property
    def clusters(self) -> Ints:
        """The cluster of each of these."""
        return self._sets.columns

    @cached_property
    def sizes(self) -> Ints:
        """Size of each cluster."""
        return np.bincount(self.clusters, minlength=self.n_clusters).astype(np.int64)

    def take(self, order: Ints) -> Self:
        """Return the cover with its instances in another order: instance i becomes what ``order[i]`` was."""
        made = type(self).__new__(type(self))
        object.__setattr__(made, "_sets", self._sets.take(order))
        return made


def _of_sets(clusters: Any, n: int) -> tuple[Ints, Ints]:
    if isinstance(clusters, Mapping):
        clusters = clusters.values()
    if isinstance(clusters, (str, bytes)) or not isinstance(clusters, Iterable):
        raise InputTypeError(f"clusters are {a_type(clusters)}: give the instances of each cluster")
    clusters = list(clusters)
    if len(clusters) == n and may_be_a_matrix(clusters):
        raise InputError(
            "clusters may be a matrix of 0 and 1, or instances 0 and 1: pass a NumPy array, or sets"
        )
    members = []
    for cluster in clusters:
        if isinstance(cluster, (str, bytes)) or not isinstance(cluster, Iterable):
            raise InputTypeError(f"a cluster is {a_type(cluster)}: give the instances of each cluster")
        members.append(_as_instances(cluster if isinstance(cluster, np.ndarray) else list(cluster)))
    sizes = [own.size for own in members]
    instances = np.concatenate(members) if members else np.empty(0, np.int64)
    return instances, np.repeat(np.arange(len(members)), sizes).astype(np.int64)


def _as_instances(values: Any) -> Ints:
    """Return numbers of instances, which are whole."""
    found = np.asarray(values)
    if found.size == 0:
        return np.empty(0, np.int64)
    whole = found.dtype.kind in "iuf" and (np.isfinite(found) & (found == np.floor(found)))
    if found.ndim != 1 or not np.all(whole):
        bad = found[np.argmin(whole)] if np.ndim(whole) == 1 else found.ravel()[0]
        raise InputError(f"instances are numbered from 0, and one is {bad.item()!r}: give whole numbers")
    return found.astype(np.int64)
