"""The input of criteria for choosing K: the statistics of a whole sweep over K, not of one partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from adjudge.given.input_kinds import Candidates
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.statistics.moments import Moments

S = TypeVar("S")


@dataclass(frozen=True)
class Split:
    """The one cluster of a hierarchy that splits in two between K and K + 1 clusters.

    Attributes
    ----------
    n : int
        Points of the cluster.
    p : int
        Variables.
    whole, parts : float
        Within-cluster dispersion of the cluster, and of its two parts together.
    """

    n: int
    p: int
    whole: float
    parts: float


@dataclass(frozen=True, eq=False)
class Sweep:
    """The statistics of the partitions into K clusters.

    Attributes
    ----------
    ks : tuple of int
        Numbers of clusters to compare, ascending.
    partitions : mapping of int to (mapping of type to statistic)
        By K. Partitions with one cluster fewer or more than `ks` may be included for criteria that compare neighbours.
    splits : mapping of int to Split
        By K, if the partitions are levels of a hierarchy.
    """

    made_from: ClassVar[tuple[type, ...]] = (Candidates,)

    ks: tuple[int, ...]
    partitions: Mapping[int, Mapping[type, Any]]
    splits: Mapping[int, Split] = field(default_factory=dict)

    def get(self, k: int, statistic: type[S]) -> S | None:
        """Return a statistic of the partition into k clusters; None if there is no such partition."""
        return self.partitions.get(k, {}).get(statistic)

    def all(self, statistic: type[S]) -> dict[int, S]:
        """Return a statistic of all partitions that have it, neighbours included, by K."""
        return {
            k: self.partitions[k][statistic]
            for k in sorted(self.partitions)
            if statistic in self.partitions[k]
        }


def splits_of(labels: Mapping[int, np.ndarray[Any, Any]], moments: Mapping[int, Moments]) -> dict[int, Split]:
    """Find the cluster that splits from each K to K + 1, if the partition into K + 1 clusters refines that into K.

    Parameters
    ----------
    labels : mapping of int to ndarray of int64
        Codes 0..K-1 by K.
    moments : mapping of int to Moments
    """
    found: dict[int, Split] = {}
    for k in sorted(labels):
        if k + 1 not in labels or k not in moments or k + 1 not in moments:
            continue
        coarse, fine = labels[k], labels[k + 1]
        parents = np.full(k + 1, -1, np.int64)
        parents[fine] = coarse
        if not np.array_equal(parents[fine], coarse):
            continue
        split = int(np.flatnonzero(np.bincount(parents, minlength=k) == 2)[0])
        parts = np.flatnonzero(parents == split)
        found[k] = Split(
            n=int(moments[k].sizes[split]),
            p=moments[k].p,
            whole=float(moments[k].dispersions[split]),
            parts=float(moments[k + 1].dispersions[parts].sum()),
        )
    return found


@dataclass(frozen=True, eq=False)
class GapReference:
    """Logarithms of the within-cluster dispersion of the data and of reference data without clusters.

    Attributes
    ----------
    log_within : mapping of int to float
        log W_K of the data, by K.
    reference : mapping of int to ndarray of shape (B,)
        log W_K of each reference data set.
    """

    made_from: ClassVar[tuple[type, ...]] = (Candidates,)

    log_within: Mapping[int, float]
    reference: Mapping[int, np.ndarray[Any, Any]]

    @property
    def gaps(self) -> dict[int, float]:
        """Mean of the reference minus the data."""
        return {k: float(self.reference[k].mean()) - w for k, w in self.log_within.items()}

    @property
    def errors(self) -> dict[int, float]:
        """Standard error of the simulation: s_K = sd sqrt(1 + 1/B)."""
        return {k: float(r.std() * np.sqrt(1 + 1 / r.size)) for k, r in self.reference.items()}


@dataclass(frozen=True, eq=False)
class MixtureFits:
    """The ingredients of information criteria for fitted mixtures, by K.

    Attributes
    ----------
    n : int
    log_likelihood : mapping of int to float
    n_parameters : mapping of int to int
    log_certainty : mapping of int to float
        Sum over the points of the logarithm of the largest posterior probability.
    """

    made_from: ClassVar[tuple[type, ...]] = (Candidates,)

    n: int
    log_likelihood: Mapping[int, float]
    n_parameters: Mapping[int, int]
    log_certainty: Mapping[int, float]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(ByValue):
    """Agreement between partitions of resampled points, by K.

    Attributes
    ----------
    jaccard : mapping of int to ndarray of shape (K,)
        For each cluster, its mean Jaccard similarity with the most similar cluster of a bootstrap sample.
    strength : mapping of int to float
        Prediction strength, averaged over the splits; that of one cluster is 1.
    instability : mapping of int to float
        Share of the pairs of points on which two bootstrapped partitions disagree, averaged over pairs of samples.
    ambiguity : mapping of int to float
        Share of the pairs of points joined by more than a tenth and less than nine tenths of the subsamples (PAC).
    """

    made_from: ClassVar[tuple[type, ...]] = (Candidates,)

    jaccard: Mapping[int, np.ndarray[Any, Any]]
    strength: Mapping[int, float]
    instability: Mapping[int, float]
    ambiguity: Mapping[int, float]

    def table(self) -> Table:
        """Return one row for each K, with the least stable of its clusters."""
        columns = ("K", "lowest_jaccard", "prediction_strength", "instability", "pac")
        others = (self.strength, self.instability, self.ambiguity)
        rows = (
            (k, float(own.min()), *(values.get(k) for values in others)) for k, own in self.jaccard.items()
        )
        return Table(columns, tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain JSON."""
        return {
            "jaccard": plain_json(self.jaccard),
            "prediction_strength": plain_json(self.strength),
            "instability": plain_json(self.instability),
            "pac": plain_json(self.ambiguity),
        }

    def __repr__(self) -> str:
        return self.table().text()
