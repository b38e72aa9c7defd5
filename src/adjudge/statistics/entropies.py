"""Entropies and mutual information of two partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics import few_cells
from adjudge.statistics.joint import JointCounts

__all__ = ["Information"]


@dataclass(frozen=True)
class Information:
    """Entropies of two partitions in nats, each summed without cancellation.

    Attributes
    ----------
    n : int
        Number of instances.
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

    n: int
    mutual: float
    entropy_true: float
    entropy_pred: float
    true_given_pred: float
    pred_given_true: float
    identical: bool
    row_sums: NDArray[np.int64]
    col_sums: NDArray[np.int64]

    @classmethod
    def make(cls, table: JointCounts) -> Information:
        """Take the entropies of a table."""
        information: Information = table.information
        return information

    @property
    def joint(self) -> float:
        """Joint entropy."""
        return self.entropy_true + self.pred_given_true

    @property
    def variation(self) -> float:
        """Variation of information, the sum of the conditional entropies."""
        return self.true_given_pred + self.pred_given_true

    @cached_property
    def expected_mutual(self) -> float:
        """Exact mean of the mutual information over all tables with these margins."""
        sizes = (self.row_sums, self.col_sums, self.n)
        if few_cells.suffices_for_expectation(*sizes):
            return few_cells.expected_mutual_information(*sizes)
        from adjudge.kernels.hypergeometric import expected_mutual_information

        return expected_mutual_information(*sizes)
