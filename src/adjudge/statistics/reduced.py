"""The statistics that points and labels were reduced to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from adjudge.array_types import Ints
from adjudge.statistics.moments import Moments
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
)


class _Formula(Protocol):
    """The interface of an index that this module uses."""

    @property
    def name(self) -> str: ...

    @property
    def requires(self) -> tuple[type, ...]: ...

    def assess(self, *statistics: Any) -> tuple[float, str | None]: ...


@dataclass(frozen=True, eq=False)
class ReducedPoints(Mapping[type, Any]):
    """Statistics by type.

    Attributes
    ----------
    statistics : dict
        From each requested type to the statistic.
    clusters : list
        Label of each cluster, in the order of the statistics.
    sizes : ndarray of int64 of shape (K,)
    kept : ndarray of int64 or None
        Input positions of the points that remain; None if all do.
    n_noise : int or None
        Number of points that were left out as noise, or made clusters of their own; None if noise is a cluster.
    """

    statistics: dict[type, Any]
    clusters: list[Any]
    sizes: Ints
    kept: Ints | None
    n_noise: int | None = None

    def __getitem__(self, type_: type) -> Any:
        return self.statistics[type_]

    def __iter__(self) -> Iterator[type]:
        return iter(self.statistics)

    def __len__(self) -> int:
        return len(self.statistics)

    @property
    def n(self) -> int:
        """Points."""
        return int(self.sizes.sum())

    @property
    def n_clusters(self) -> int:
        """Clusters."""
        return int(self.sizes.size)

    @property
    def details(self) -> dict[str, Any]:
        """Values per point, per cluster and per pair of clusters that the statistics hold."""
        found: dict[str, Any] = {"clusters": self.clusters, "sizes": self.sizes, "positions": self.kept}
        s = self.statistics
        if Moments in s:
            found["centroids"] = s[Moments].centroids + s[Moments].origin
            found["dispersions"] = s[Moments].dispersions
        if Silhouettes in s:
            found["silhouette_widths"] = s[Silhouettes].values
            found["silhouette_of_clusters"] = s[Silhouettes].of_clusters
        if Diameters in s:
            found["diameters"] = s[Diameters].values
        if PairSums in s:
            found["mean_distances"] = s[PairSums].means
        for type_, name in (
            (SingleLinkage, "separation"),
            (CompleteLinkage, "complete_linkage"),
            (Hausdorff, "hausdorff"),
        ):
            if type_ in s and s[type_].matrix is not None:
                found[name] = s[type_].matrix
        for own in s.values():
            found |= getattr(own, "details", {})
        return {name: value for name, value in found.items() if value is not None}

    def error_bounds(self, indices: Iterable[_Formula]) -> dict[str, float]:
        """Bound the error of the indices whose statistics are not exact; the others are left out."""
        return error_bounds(indices, self)


def error_bounds(indices: Iterable[_Formula], statistics: Mapping[type, Any]) -> dict[str, float]:
    """Bound the error of the indices whose statistics are not exact; the others are left out.

    The formulas are monotone along every edge of the set of possible values, so the extremes lie at its corners.

    Parameters
    ----------
    indices : iterable of _Formula
    statistics : mapping of type to object
        The inexact ones have `extremes`.
    """
    bounds: dict[str, float] = {}
    for index in indices:
        own = [statistics[t] for t in index.requires]
        corners = [[*s.extremes()] if hasattr(s, "extremes") else [] for s in own]
        if not any(corners):
            continue
        value, _ = index.assess(*own)
        possible = itertools.product(*(c or [s] for c, s in zip(corners, own, strict=True)))
        distances = [abs(index.assess(*some)[0] - value) for some in possible]
        bounds[index.name] = math.inf if any(map(math.isnan, distances)) else max(distances)
    return bounds
