"""What indices of soft clusterings read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.given.memberships import Memberships, SoftClusters

__all__ = ["MembershipSums"]


@dataclass(frozen=True, eq=False, slots=True)
class MembershipSums:
    """Sums over the clusters of each instance of one soft clustering.

    Attributes
    ----------
    squares : ndarray of shape (n,)
        Sum of the squared memberships of each instance.
    entropies : ndarray of shape (n,)
        Entropy of the memberships of each instance, in nats.
    n_clusters : int
    """

    made_from: ClassVar[tuple[type, ...]] = (SoftClusters,)

    squares: NDArray[np.float64]
    entropies: NDArray[np.float64]
    n_clusters: int

    @classmethod
    def make(cls, given: Memberships) -> Self:
        """Sum over the clusters."""
        u = given.values
        logs = np.log(u, where=u > 0, out=np.zeros_like(u))
        return cls((u * u).sum(axis=1), -(u * logs).sum(axis=1), given.n_clusters)

    @property
    def n(self) -> int:
        """Number of instances."""
        return self.squares.size
