"""Overlapping clusterings: an instance may be in several clusters, or in none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, a_type
from adjudge.given.input_kinds import Thing
from adjudge.given.label_sets import read_label_sets
from adjudge.given.labels import Labels
from adjudge.given.structures import Structure

__all__ = ["Cover", "PredictedCover", "TrueCover"]

Ints = NDArray[np.int64]


class TrueCover(Thing):
    """The overlapping clusters that others are compared with."""

    option, words = "labels_true", "true overlapping clusters"


class PredictedCover(Thing):
    """The overlapping clusters to judge."""

    option, words = "labels_pred", "predicted overlapping clusters"


@dataclass(frozen=True, eq=False, init=False)
class Cover(Structure):
    """An overlapping clustering of the instances 0, ..., n - 1. Empty clusters are left out.

    Parameters
    ----------
    clusters : sequence of sets, mapping of names to sets, or sparse or dense 0/1 matrix of shape (n, K)
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

    instances: Ints
    clusters: Ints
    _n: int
    _n_clusters: int

    def __init__(self, clusters: Any, n: int | None = None) -> None:
        if hasattr(clusters, "tocoo") or (isinstance(clusters, np.ndarray) and clusters.ndim == 2):
            rows, columns, size = _of_matrix(clusters)
            if n is not None and n != size:
                raise InputError(f"the matrix has {size} rows, and n is {n}: leave n out")
            self._store(rows, columns, size)
            return
        if n is None:
            raise InputError("the number of instances is not known: give n=")
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError(f"n is {n!r}: give the number of instances, a whole number of at least 1")
        self._store(*_of_sets(clusters), int(n))

    def _store(self, instances: Ints, clusters: Ints, n: int) -> None:
        """Keep each instance of a cluster once, in the order of the instances."""
        if instances.size and not (instances.min() >= 0 and instances.max() < n):
            bad = int(instances[(instances < 0) | (instances >= n)][0])
            raise InputError(f"a cluster has the instance {bad}: instances are numbered from 0 to {n - 1}")
        if not clusters.size:
            raise InputError("no instance is in a cluster: there is nothing to judge")
        filled = np.bincount(clusters) > 0
        n_clusters = int(filled.sum())
        keys = instances * n_clusters + (np.cumsum(filled) - 1)[clusters]
        keys.sort()
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
        fields = {
            "instances": keys // n_clusters,
            "clusters": keys % n_clusters,
            "_n": n,
            "_n_clusters": n_clusters,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

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
        rows, names = _as_instances(instances), np.asarray(clusters)
        if rows.shape != names.shape:
            raise InputError(
                f"there are {rows.size} instances and {names.size} clusters: give one for each row"
            )
        made = cls.__new__(cls)
        codes = np.unique(names, return_inverse=True)[1].reshape(-1)
        made._store(rows, codes.astype(np.int64), int(rows.max(initial=-1)) + 1 if n is None else n)
        return made

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
        made = cls.__new__(cls)
        made._store(sets.rows, sets.columns, sets.n)
        return made

    @classmethod
    def of_labels(cls, labels: Labels) -> Self:
        """Return a partition as a cover."""
        codes = labels.dense()[0]
        made = cls.__new__(cls)
        made._store(np.arange(codes.size), codes.astype(np.int64), int(codes.size))
        return made

    @property
    def n(self) -> int:
        """Number of instances."""
        return self._n

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self._n_clusters

    @cached_property
    def sizes(self) -> Ints:
        """Size of each cluster."""
        return np.bincount(self.clusters, minlength=self.n_clusters).astype(np.int64)

    def take(self, order: Ints) -> Self:
        """Return the cover with its instances in another order: instance i becomes what ``order[i]`` was."""
        places = np.empty(self.n, np.int64)
        places[order] = np.arange(self.n)
        made = type(self).__new__(type(self))
        made._store(places[self.instances], self.clusters, self.n)
        return made


def _of_matrix(matrix: Any) -> tuple[Ints, Ints, int]:
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        rows, columns, values = coo.row, coo.col, coo.data
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    if not np.isin(values, (0, 1)).all():
        raise InputError(
            "the matrix has values other than 0 and 1: for shares of an instance give Memberships"
        )
    there = np.asarray(values) != 0
    return rows[there].astype(np.int64), columns[there].astype(np.int64), int(matrix.shape[0])


def _of_sets(clusters: Any) -> tuple[Ints, Ints]:
    if isinstance(clusters, Mapping):
        clusters = clusters.values()
    if isinstance(clusters, (str, bytes)) or not isinstance(clusters, Iterable):
        raise InputTypeError(f"clusters are {a_type(clusters)}: give the instances of each cluster")
    members = []
    for own in clusters:
        if isinstance(own, (str, bytes)) or not isinstance(own, Iterable):
            raise InputTypeError(f"a cluster is {a_type(own)}: give the instances of each cluster")
        members.append(_as_instances(own if isinstance(own, np.ndarray) else list(own)))
    sizes = [own.size for own in members]
    instances = np.concatenate(members) if members else np.empty(0, np.int64)
    return instances, np.repeat(np.arange(len(members)), sizes).astype(np.int64)


def _as_instances(values: Any) -> Ints:
    """Return numbers of instances, which are whole."""
    found = np.asarray(values)
    if found.size == 0:
        return np.empty(0, np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iuf" or not (found == np.floor(found)).all():
        raise InputError(
            f"instances are numbered from 0, and one is {found.ravel()[0]!r}: give whole numbers"
        )
    return found.astype(np.int64)
