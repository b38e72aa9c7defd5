"""External indices that average, over instances, how much the two clusters of an instance share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import check_weight
from adjudge.indices.label_record import external
from adjudge.indices.record import Noted
from adjudge.statistics.counting import cell_sizes
from adjudge.statistics.joint import JointCounts


def _bcubed(table: JointCounts, sizes: Ints) -> float:
    """Return the mean over instances of the share of their cluster (with `sizes`, by cell) that lies in their cell."""
    counts = table.cells()[2]
    return min(1.0, math.fsum((counts * (counts / sizes)).tolist()) / table.n)


@external(
    title="BCubed precision",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac1n \sum_{ij} \frac{n_{ij}^2}{b_j}",
)
def bcubed_precision(table: JointCounts) -> float | Noted:
    """Mean over instances of the share of their cluster that is of their class.

    >>> bcubed_precision([0, 0, 1, 1], [0, 0, 0, 0])
    0.5
    """
    return _bcubed(table, table.col_sums[table.cells()[1]])


@external(
    title="BCubed recall",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac1n \sum_{ij} \frac{n_{ij}^2}{a_i}",
)
def bcubed_recall(table: JointCounts) -> float | Noted:
    """Mean over instances of the share of their class that is in their cluster.

    >>> bcubed_recall([0, 0, 1, 1], [0, 0, 1, 2])
    0.75
    """
    return _bcubed(table, table.row_sums[table.cells()[0]])


@external(
    title="BCubed F",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac{(1 + \beta^2) P R}{\beta^2 P + R}",
    symmetric=True,
    aliases=("bcubed", "bcubed_f1"),
    note="Symmetric at beta = 1.",
    symbols={"P": "BCubed precision", "R": "BCubed recall"},
)
def bcubed_f(table: JointCounts, *, beta: float = 1.0) -> float | Noted:
    """Harmonic mean of BCubed precision and recall; recall has beta times the weight.

    >>> round(bcubed_f([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.857143
    """
    check_weight("beta", beta)
    rows, cols, _ = table.cells()
    p, r = _bcubed(table, table.col_sums[cols]), _bcubed(table, table.row_sums[rows])
    return (1 + beta**2) * p * r / (beta**2 * p + r)


@external(
    title="Element-centric similarity",
    better="higher",
    range=(0, 1),
    reference="gates2019",
    formula=r"\frac1n \sum_{ij} \frac{n_{ij}^2}{\max(a_i, b_j)}",
    symmetric=True,
    aliases=("ecs", "element_sim"),
    peers={"clusim": "element_sim"},
    note="The closed form for two partitions, in which the restart parameter alpha cancels; "
    "element_centric_scores gives the value of each instance.",
)
def element_centric(table: JointCounts) -> float | Noted:
    """Mean over instances of the similarity of their two clusters.

    >>> element_centric([0, 0, 1, 1], [0, 0, 1, 2])
    0.75
    """
    rows, cols, _ = table.cells()
    return _bcubed(table, np.maximum(table.row_sums[rows], table.col_sums[cols]))


def element_centric_scores(
    labels_true: Any, labels_pred: Any, *, noise: str = "cluster", noise_label: Any = -1
) -> Floats:
    """Return the element-centric similarity of each instance, n_ij / max(a_i, b_j).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
    noise : {"cluster", "singletons"}, default "cluster"
    noise_label : default -1

    Returns
    -------
    ndarray of float64 of shape (n,)
        In [0, 1]; its mean is ``element_centric(labels_true, labels_pred)``.

    References
    ----------
    Gates, Wood, Hetrick & Ahn (2019), Scientific Reports 9, 8574.

    Examples
    --------
    >>> from adjudge.indices import element_centric_scores
    >>> element_centric_scores([0, 0, 1, 1], [0, 0, 1, 2])
    array([1. , 1. , 0.5, 0.5])
    """
    if noise == "drop":
        raise InputError(
            Option("noise", "drop"), " would leave instances without a score: use 'cluster' or 'singletons'"
        )
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred}
    a, b = align_labels(vectors, LabelOptions(noise=noise, noise_label=noise_label)).labels
    return cell_sizes(a, b) / np.maximum(cell_sizes(a, a), cell_sizes(b, b))
