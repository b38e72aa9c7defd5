"""Criteria of integrated data: whether batches mix among near neighbours, and cell types do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.given.options import check_weight
from adjudge.indices.internal_record import internal
from adjudge.indices.neighbours import few_neighbours, lisi_of_points
from adjudge.indices.record import Noted, quotient
from adjudge.statistics.neighbours import NeighbourLabels

__all__ = ["kbet", "scaled_clisi", "scaled_ilisi"]

# Most counts of clusters around points at a time.
_COUNTS = 1 << 22

_LISI_SYMBOLS = {"L": "median over the points of the effective number of clusters around a point: see lisi"}
_LISI_UNDEFINED = (
    "if there is one cluster, too few points for `n_neighbors`, or too many neighbours of every point are equally "
    "near."
)


def _median_lisi(n: NeighbourLabels, n_neighbors: int) -> float | Noted:
    if problem := few_neighbours(n, n_neighbors):
        return problem
    values = lisi_of_points(n, n_neighbors=n_neighbors)
    values = values[~np.isnan(values)]
    if values.size == 0:
        return Noted(math.nan, "too many neighbours of every point are equally near")
    return float(np.median(values))


@internal(
    title="Scaled iLISI",
    better="higher",
    range=(0, 1),
    best_k=None,
    reference="luecken2022",
    formula=r"\frac{L - 1}{K - 1}",
    symbols=_LISI_SYMBOLS,
    undefined=_LISI_UNDEFINED,
    note="The labels are batches, which should mix, so 'all' leaves it out. If the last neighbours are as near as "
    "others, all of these share their places.",
    labels_are="batches",
    peers={"scib-metrics": "ilisi_knn"},
    asks="mixing of batches",
)
def scaled_ilisi(n: NeighbourLabels, *, n_neighbors: int = 90) -> float | Noted:
    """Median effective number of batches around a point, from 0 for one batch to 1 for all of them.

    >>> import numpy as np
    >>> from adjudge import scaled_ilisi
    >>> X = np.array([[0.0], [1.0], [2.5], [4.0], [6.0], [9.0], [13.0]])
    >>> round(scaled_ilisi(X, [0, 1, 0, 1, 0, 1, 0], n_neighbors=6), 4)
    0.0957
    """
    median = _median_lisi(n, n_neighbors)
    return (
        median if isinstance(median, Noted) else quotient(median - 1, n.sizes.size - 1, "there is one batch")
    )


@internal(
    title="Scaled cLISI",
    better="higher",
    range=(0, 1),
    best_k=None,
    reference="luecken2022",
    formula=r"\frac{K - L}{K - 1}",
    symbols=_LISI_SYMBOLS,
    undefined=_LISI_UNDEFINED,
    note="The labels are cell types, which should not mix.",
    peers={"scib-metrics": "clisi_knn"},
    asks="density",
)
def scaled_clisi(n: NeighbourLabels, *, n_neighbors: int = 90) -> float | Noted:
    """1 if only one cell type is around each point, 0 if all of them are; by the median effective number.

    >>> import numpy as np
    >>> from adjudge import scaled_clisi
    >>> X = np.array([[0.0], [1.0], [2.5], [4.0], [6.0], [9.0], [13.0]])
    >>> round(scaled_clisi(X, [0, 0, 0, 0, 1, 1, 1], n_neighbors=6), 4)
    0.892
    """
    median = _median_lisi(n, n_neighbors)
    k = n.sizes.size
    return median if isinstance(median, Noted) else quotient(k - median, k - 1, "there is one cluster")


@internal(
    title="kBET acceptance rate",
    better="higher",
    range=(0, 1),
    best_k=None,
    reference="buttner2019",
    formula=r"\frac1N |\{i : P(\chi^2_{K-1} \ge T_i) \ge \alpha\}|, \quad T_i = \sum_k \frac{(o_{ik} - e_k)^2}{e_k}",
    symbols={
        "P": "probability",
        r"\alpha": "level of the tests, `alpha`",
        r"\chi^2_{K-1}": "a chi-squared variable with K - 1 degrees of freedom",
        "T_i": "chi-squared statistic of the batches around point i",
        "o_{ik}": "points of batch k among point i and its nearest neighbours",
        "e_k": "points of batch k expected there, by its share of all points",
    },
    undefined="if there is one batch, or too few points for `n_neighbors`.",
    labels_are="batches",
    note="The labels are batches, so 'all' leaves it out. A point belongs to its own neighbourhood, as in scib-metrics "
    "and Pegasus, which count it among the neighbours: their number is `n_neighbors` + 1. The tests of near points "
    "depend on each other: the rate is no error rate. The first program, kBET, draws a tenth of the points and adapts "
    "how many are near. If the last neighbours are as near as others, all of these share their places.",
    peers={"scib-metrics": "kbet"},
    asks="mixing of batches",
)
def kbet(n: NeighbourLabels, *, n_neighbors: int = 25, alpha: float = 0.05) -> float | Noted:
    """Share of the points around which a chi-squared test finds the batches mixed as in all data.

    >>> kbet([[0.0], [1.0], [2.0], [3.0], [9.0], [9.5], [9.7]], [0, 1, 0, 1, 1, 1, 1], n_neighbors=2, alpha=0.2)
    0.7142857142857143
    """
    from scipy.special import chdtrc

    if problem := few_neighbours(n, n_neighbors):
        return problem
    check_weight("alpha", alpha)
    k = n.sizes.size
    if k < 2:
        return Noted(math.nan, "there is one batch")
    expected = (n_neighbors + 1) * n.sizes / n.n
    labels = n.labels(n_neighbors)
    height = max(1, _COUNTS // k)

    def is_mixed(counts: NDArray[Any]) -> Bools:
        statistic = ((counts - expected) ** 2 / expected).sum(axis=1)
        return np.asarray(chdtrc(k - 1, statistic) >= alpha)

    mixed = np.empty(n.n, np.bool_)
    for first in range(0, n.n, height):
        rows = slice(first, first + height)
        mixed[rows] = is_mixed(_counts(np.column_stack([labels[rows], n.codes[rows]]), k))
    for tied, inside, shares in n.ties(n_neighbors):
        # A column for those that are not nearer, which is left out.
        around = np.where(np.arange(n_neighbors) < inside[:, None], labels[tied], k)
        counts = _counts(np.column_stack([around, n.codes[tied]]), k + 1)[:, :k]
        mixed[tied] = is_mixed(counts + shares)
    return float(mixed.mean())


def _counts(labels: Ints, k: int) -> Ints:
    """Count each label in each row."""
    keys = labels + k * np.arange(labels.shape[0])[:, None]
    return np.bincount(keys.ravel(), minlength=k * labels.shape[0]).reshape(-1, k)
