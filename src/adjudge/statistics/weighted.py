"""The contingency table of two partitions of weighted instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.alignment import align_labels
from adjudge.given.class_order import StatedOrder, joined_orders
from adjudge.given.input_kinds import Prediction, Truth, Weights
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.labels import Labels, orders_of
from adjudge.given.weights import as_weights
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.counting import added, weighed_cells
from adjudge.statistics.entropies import WeightedPartitionEntropies
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.pair_counts import PairWeights


@dataclass(frozen=True, eq=False)
class WeightedContingency(JointCounts):
    """Sums of weights, and of squared weights, in the cells of two partitions.

    Make one with :meth:`from_labels`. Clusters whose instances all have weight 0 are left out. Tables of the same two
    labellings on different instances add up with ``+``. With integer weights, every sum is exact up to 2^53.

    Attributes
    ----------
    rows, cols : ndarray of int64 of shape (m,)
        Row and column of each non-empty cell, in row order.
    weights, squares : ndarray of float64 of shape (m,)
        Sums of w and of w^2 over the instances in each cell. Under sampling weights, the pairs within a set have weight
        ``(sum(w)**2 - sum(w**2)) / 2``.
    row_labels, col_labels : sequence
        The clusters' labels.
    orders : tuple of StatedOrder
        Orders of the labels that the types of their columns state.

    Examples
    --------
    >>> from adjudge.statistics.weighted import WeightedContingency
    >>> table = WeightedContingency.from_labels([0, 0, 1, 1], ["a", "a", "a", "b"], [0.5, 1.5, 1.0, 2.0])
    >>> table.to_array()
    array([[2., 0.],
           [1., 2.]])
    >>> table.row_sums, table.row_squares, table.total
    (array([2., 3.]), array([2.5, 5. ]), 5.0)
    """

    made_from: ClassVar[tuple[type, ...]] = (Truth, Prediction, Weights)

    rows: Ints
    cols: Ints
    weights: Floats
    squares: Floats
    row_labels: Sequence[Any]
    col_labels: Sequence[Any]
    orders: tuple[StatedOrder, ...] = ()

    @classmethod
    def make(cls, truth: Labels, prediction: Labels, weights: Floats) -> WeightedContingency:
        """Weight two label vectors that are already coded."""
        return weigh_labels(truth, prediction, weights)

    @classmethod
    def from_labels(
        cls,
        labels_true: Any,
        labels_pred: Any,
        sample_weight: Any,
        **options: Unpack[LabelKeywords],
    ) -> WeightedContingency:
        """Make a weighted table from two label vectors, in O(n).

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n,)
        sample_weight : array-like of float of shape (n,)
            Finite numbers of at least 0, not all of them 0.
        **options
            `missing`, `noise` and `noise_label`, as for :func:`~adjudge.evaluate`.
        """
        vectors = {"labels_true": labels_true, "labels_pred": labels_pred}
        aligned = align_labels(vectors, LabelOptions(**options))
        rows, cols = aligned.labels
        return weigh_labels(rows, cols, as_weights(sample_weight, aligned.n_given, aligned.kept))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of clusters in the truth and in the prediction."""
        return len(self.row_labels), len(self.col_labels)

    @cached_property
    def row_sums(self) -> Floats:  # type: ignore[override]
        """Weight of each cluster of the truth."""
        return added(self.rows, self.weights, self.shape[0])

    @cached_property
    def col_sums(self) -> Floats:  # type: ignore[override]
        """Weight of each cluster of the prediction."""
        return added(self.cols, self.weights, self.shape[1])

    @cached_property
    def row_squares(self) -> Floats:
        """Sum of squared weights in each cluster of the truth."""
        return added(self.rows, self.squares, self.shape[0])

    @cached_property
    def col_squares(self) -> Floats:
        """Sum of squared weights in each cluster of the prediction."""
        return added(self.cols, self.squares, self.shape[1])

    @cached_property
    def total(self) -> float:
        """W, the sum of the weights."""
        return float(self.weights.sum())

    @property
    def n(self) -> float:  # type: ignore[override]
        """W, which takes the place of the number of instances."""
        return self.total

    @cached_property
    def total_squares(self) -> float:
        """Sum of the squared weights."""
        return float(self.squares.sum())

    @cached_property
    def pairs(self) -> PairWeights:
        """Pairs of different instances, each with the product of their weights: (W^2 - sum of w^2) / 2 in a set."""
        found: PairWeights = PairWeights.from_joined(
            both=_pair_weight(self.weights, self.squares),
            in_true=_pair_weight(self.row_sums, self.row_squares),
            in_pred=_pair_weight(self.col_sums, self.col_squares),
            total=(self.total**2 - self.total_squares) / 2,
        )
        return found

    @cached_property
    def information(self) -> WeightedPartitionEntropies:
        """Entropies and mutual information of the shares of the weight."""
        w, a, b = self.weights, self.row_sums[self.rows], self.col_sums[self.cols]
        share = w / self.total
        return WeightedPartitionEntropies.of_sums(
            self.total,
            _mean_log(share, w * self.total / (a * b)),
            (_entropy(self.row_sums), _entropy(self.col_sums)),
            (_mean_log(share, b / w), _mean_log(share, a / w)),
            w.size,
            self.row_sums,
            self.col_sums,
        )

    @cached_property
    def identical(self) -> bool:
        """Whether the two partitions are the same up to the names of their clusters."""
        r, c = self.shape
        return r == c == self.weights.size

    def cells(self) -> tuple[Ints, Ints, Floats]:  # type: ignore[override]
        """Return the row, column and weight of every non-empty cell, in row order."""
        return self.rows, self.cols, self.weights

    def to_array(self) -> Floats:
        """Return the weights as a dense matrix."""
        dense = np.zeros(self.shape)
        dense[self.rows, self.cols] = self.weights
        return dense

    def transpose(self) -> WeightedContingency:
        """Swap truth and prediction."""
        order = np.lexsort((self.rows, self.cols))
        return WeightedContingency(
            self.cols[order],
            self.rows[order],
            self.weights[order],
            self.squares[order],
            self.col_labels,
            self.row_labels,
            self.orders,
        )

    def __add__(self, other: WeightedContingency) -> WeightedContingency:
        if not isinstance(other, WeightedContingency):
            return NotImplemented
        rows, row_labels = _joined(self.rows, self.row_labels, other.rows, other.row_labels)
        cols, col_labels = _joined(self.cols, self.col_labels, other.cols, other.col_labels)
        keys, inverse = np.unique(rows * len(col_labels) + cols, return_inverse=True)
        return WeightedContingency(
            keys // len(col_labels),
            keys % len(col_labels),
            added(inverse, np.concatenate([self.weights, other.weights]), keys.size),
            added(inverse, np.concatenate([self.squares, other.squares]), keys.size),
            row_labels,
            col_labels,
            joined_orders(self.orders, other.orders),
        )

    def __repr__(self) -> str:
        r, c = self.shape
        return f"WeightedContingency({r} x {c} clusters, total={self.total:g})"


def weigh_labels(
    rows: Labels, cols: Labels, weights: Floats, squares: Floats | None = None
) -> WeightedContingency:
    """Make the weighted table of two coded label vectors.

    Parameters
    ----------
    rows, cols : Labels
    weights : ndarray of float64 of shape (n,)
    squares : ndarray of float64 of shape (n,), optional
        Sums of squared weights, if an entry stands for several instances and its weight is the sum of theirs.
    """
    of_row, of_col, sums, squares = weighed_cells(rows, cols, weights, squares)
    filled = sums > 0
    if not filled.all():
        of_row, of_col, sums, squares = of_row[filled], of_col[filled], sums[filled], squares[filled]
    of_row, row_labels = _present(of_row, rows.categories)
    of_col, col_labels = _present(of_col, cols.categories)
    return WeightedContingency(of_row, of_col, sums, squares, row_labels, col_labels, orders_of(rows, cols))


def _pair_weight(sums: Floats, squares: Floats) -> float:
    # Exactly rounded: the same clusters in a different order have the same sum, and the difference is 0.
    return math.fsum(sums * sums - squares) / 2


def _entropy(sums: Floats) -> float:
    shares = sums / sums.sum()
    return -_mean_log(shares, shares)


def _mean_log(shares: Floats, values: Floats) -> float:
    """Return the mean of logarithms; a product of vectors would add in an order that depends on the processor."""
    return float((shares * logarithms(values)).sum())


def _present(codes: Ints, labels: Sequence[Any]) -> tuple[Ints, Sequence[Any]]:
    """Drop clusters without a cell, and number the rest without gaps."""
    filled = np.bincount(codes, minlength=len(labels)) > 0
    if filled.all():
        return codes, labels
    return (np.cumsum(filled) - 1)[codes], [labels[i] for i in np.flatnonzero(filled).tolist()]


def _joined(
    codes: Ints, labels: Sequence[Any], others: Ints, other_labels: Sequence[Any]
) -> tuple[Ints, list[Any]]:
    """Return the codes of the cells of two tables in the union of their labels."""
    place = {label: i for i, label in enumerate(dict.fromkeys([*labels, *other_labels]))}
    to_place = np.array([place[label] for label in other_labels], np.int64)
    return np.concatenate([codes, to_place[others]]), list(place)
