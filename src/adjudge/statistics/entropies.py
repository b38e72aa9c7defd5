"""Entropies and mutual information of two partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.errors import UndefinedStatisticError
from adjudge.kernels import hypergeometric
from adjudge.kernels.information import entropy
from adjudge.statistics.joint import JointCounts


@dataclass(frozen=True)
class PartitionEntropies:
    """Entropies of two partitions in nats, each summed without cancellation.

    Attributes
    ----------
    n : int or float
        Number or weight of the instances.
    mutual : float
        Mutual information.
    entropy_true, entropy_pred : float
        Entropies of the partitions.
    true_given_pred, pred_given_true : float
        Conditional entropies.
    identical : bool
        Whether the partitions are the same.
    row_sums, col_sums : ndarray of int64
        Cluster sizes, which the expectation under fixed margins depends on.
    """

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    n: Any
    mutual: float
    entropy_true: float
    entropy_pred: float
    true_given_pred: float
    pred_given_true: float
    identical: bool
    row_sums: NDArray[Any]
    col_sums: NDArray[Any]

    @classmethod
    def make(cls, table: JointCounts) -> PartitionEntropies:
        """Take the entropies of a table."""
        information: PartitionEntropies = table.information
        return information

    @classmethod
    def of_sums(
        cls,
        n: Any,
        mutual: float,
        entropies: tuple[float, float],
        conditional: tuple[float, float],
        n_cells: int,
        row_sums: NDArray[Any],
        col_sums: NDArray[Any],
    ) -> Self:
        """Make the entropies from sums of logarithms, except where counts alone determine them.

        If each cluster lies within one of the other partition, the conditional entropy is 0 and the mutual information
        is the smaller entropy, however a processor rounds logarithms. The entropy of a single cluster is 0.

        Parameters
        ----------
        n : int or float
        mutual : float
        entropies : tuple of float
            Entropies of the truth and of the prediction.
        conditional : tuple of float
            Entropies of the truth given the prediction, and vice versa.
        n_cells : int
            Non-empty cells of the table.
        row_sums, col_sums : ndarray
        """
        r, c = row_sums.size, col_sums.size
        true, pred = (0.0 if k == 1 else own for k, own in zip((r, c), entropies, strict=True))
        true_given_pred = 0.0 if n_cells == c else conditional[0]
        pred_given_true = 0.0 if n_cells == r else conditional[1]
        if n_cells == c:
            mutual = true
        elif n_cells == r:
            mutual = pred
        identical = n_cells == r == c
        return cls(n, mutual, true, pred, true_given_pred, pred_given_true, identical, row_sums, col_sums)

    @property
    def joint(self) -> float:
        """Joint entropy."""
        # If clusters lie within those of the other partition, it is the entropy of their own partition.
        return self.entropy_pred if self.true_given_pred == 0 else self.entropy_true + self.pred_given_true

    @property
    def variation(self) -> float:
        """Variation of information, the sum of the conditional entropies."""
        return self.true_given_pred + self.pred_given_true

    @cached_property
    def expected_mutual(self) -> float:
        """Exact mean of the mutual information over all tables with the same margins."""
        return expected_mutual_information(self.row_sums, self.col_sums, self.n)


class WeightedPartitionEntropies(PartitionEntropies):
    """Entropies of two partitions whose instances have sampling weights."""

    @property
    def expected_mutual(self) -> float:
        """Undefined: shuffled weights are not a sample of the same design."""
        raise UndefinedStatisticError(
            "the mean of the mutual information under chance is not defined for sampling weights"
        )


def expected_mutual_information(row_sums: Ints, col_sums: Ints, n: int) -> float:
    """Return the exact mean of the mutual information, in nats, over all tables with these margins."""
    if n < 2:
        return 0.0
    return hypergeometric.expected_mutual_information(*_distinct(row_sums), *_distinct(col_sums), n)


def _distinct(sums: Ints) -> tuple[Floats, Floats]:
    """Return the distinct sizes of clusters, and how often each occurs."""
    sizes, counts = np.unique(sums, return_counts=True)
    return sizes.astype(np.float64), counts.astype(np.float64)


def entropy_of_sizes(sizes: Ints, n: int) -> float:
    """Return the entropy of a partition, in nats, from the sizes of its clusters."""
    return entropy(sizes, n)
