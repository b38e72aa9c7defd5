"""External indices that match clusters one to one, and the matchings themselves."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from adjudge.array_types import Ints
from adjudge.given.options import check_choice
from adjudge.indices.label_record import external
from adjudge.indices.record import Noted
from adjudge.statistics.contingency import reduce_labels
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.matchings import CountMatching, Matching, OverlapMatching, ShareMatching

Criterion = Literal["pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index"]
_MATCHINGS: dict[str, type[Matching]] = {
    "pivoted_accuracy": CountMatching,
    "adjusted_asymmetric_accuracy": ShareMatching,
    "pair_sets_index": OverlapMatching,
}


def best_matching(table: JointCounts, criterion: str) -> Matching:
    """Return the matching of rows with columns that attains an index."""
    check_choice("criterion", criterion, tuple(_MATCHINGS))
    found: Matching = table.statistic(_MATCHINGS[criterion])
    return found


@external(
    title="Pivoted accuracy",
    better="higher",
    range=(0, 1),
    reference="gagolewski2025",
    formula=r"\max_\sigma \frac1n \sum_i n_{i\,\sigma(i)}",
    symmetric=True,
    aliases=("pa", "clustering_accuracy", "classification_rate", "max_matching_accuracy"),
    peers={"clue": "diag", "torchmetrics": "cluster_accuracy"},
    family="matching",
)
def pivoted_accuracy(matching: CountMatching) -> float | Noted:
    """Accuracy under the best one-to-one matching of predicted with true clusters.

    >>> pivoted_accuracy([[12, 37, 1], [40, 0, 0], [0, 0, 30]])
    0.8916666666666667
    """
    return float(matching.total / matching.table.n)


@external(
    title="Normalised accuracy",
    better="higher",
    range=(0, 1),
    reference="gagolewski2025",
    formula=r"\frac{PA - 1/k}{1 - 1/k}",
    symmetric=True,
    aliases=("normalised_accuracy", "normalised_pivoted_accuracy", "npa"),
    peers={"genieclust": "normalized_pivoted_accuracy"},
    note="genieclust refuses partitions of different numbers of clusters; here the smaller one is padded.",
    family="matching",
    symbols={"PA": "pivoted accuracy"},
)
def normalized_accuracy(matching: CountMatching) -> float | Noted:
    """Pivoted accuracy, rescaled so that its smallest value 1/k becomes 0.

    >>> round(normalized_accuracy([[12, 37, 1], [40, 0, 0], [0, 0, 30]]), 6)
    0.8375
    """
    table = matching.table
    k = max(table.shape)
    if table.identical:
        return 1.0
    return float((k * matching.total / table.n - 1) / (k - 1))


@external(
    title="Adjusted asymmetric accuracy",
    better="higher",
    range=(-0.5, 1),
    reference="gagolewski2025",
    formula=r"\frac{\max_\sigma \sum_i n_{i\,\sigma(i)} / a_i - 1}{k - 1}",
    aliases=("aaa", "normalized_clustering_accuracy", "nca"),
    peers={"genieclust": "normalized_clustering_accuracy"},
    note="Not symmetric: the truth comes first. Below 0 only if there are more predicted than true clusters.",
    family="matching",
    asks="agreement",
    default="Share of the instances in the right place after clusters and classes are matched, the one to "
    "read as an accuracy; small classes count as much as large ones (Gagolewski 2025).",
)
def adjusted_asymmetric_accuracy(matching: ShareMatching) -> float | Noted:
    """Mean over the true clusters of the recovered share under the best matching, corrected for chance.

    >>> round(adjusted_asymmetric_accuracy([[12, 37, 1], [40, 0, 0], [0, 0, 30]]), 6)
    0.87
    """
    if matching.table.identical:
        return 1.0
    return (matching.total - 1) / (max(matching.table.shape) - 1)


@external(
    title="Pair sets index",
    better="higher",
    range=(0, 1),
    reference="rezaei2016",
    formula=r"\max\left\{0, \frac{S - E}{k - E}\right\},\quad "
    r"S = \max_\sigma \sum_i \frac{n_{i\,\sigma(i)}}{\max(a_i, b_{\sigma(i)})},\quad "
    r"E = \sum_i \frac{a_{(i)} b_{(i)}}{n \max(a_{(i)}, b_{(i)})}",
    symmetric=True,
    aliases=("psi", "ps"),
    peers={"genieclust": "pair_sets_index"},
    note="Negative values are cut off at 0 unless `clipped` is False.",
    family="matching",
    symbols={
        "S": "overlap of the matched clusters",
        "E": "the overlap expected for clusters of these sizes",
    },
    no_interval="bend",
)
def pair_sets_index(
    matching: OverlapMatching, *, simplified: bool = False, clipped: bool = True
) -> float | Noted:
    """Mean overlap of matched clusters relative to the larger of the two, corrected for chance.

    >>> round(pair_sets_index([[12, 37, 1], [40, 0, 0], [0, 0, 30]]), 6)
    0.741715
    """
    table = matching.table
    if table.identical:
        return 1.0
    k = max(table.shape)
    expected = 1.0 if simplified else _expected_overlap(table)
    value = (matching.total - expected) / (k - expected)
    return max(0.0, value) if clipped else value


def _expected_overlap(table: JointCounts) -> float:
    common = min(table.shape)
    a = np.sort(table.row_sums)[::-1][:common]
    b = np.sort(table.col_sums)[::-1][:common]
    # a b / (n max(a, b)) = min(a, b) / n
    return float(np.minimum(a, b).sum() / table.n)


simplified_pair_sets_index = pair_sets_index.variant(
    "simplified_pair_sets_index",
    title="Simplified pair sets index",
    fixed={"simplified": True},
    formula=r"\max\left\{0, \frac{S - 1}{k - 1}\right\}",
    symbols={"S": "overlap of the matched clusters: see pair_sets_index"},
    aliases=("spsi", "sps"),
    peers={"genieclust": "pair_sets_index(simplified=True)"},
)


@external(
    title="Classification error",
    better="lower",
    range=(0, 1),
    reference="meila2001",
    formula=r"1 - \max_\sigma \frac1n \sum_i n_{i\,\sigma(i)}",
    symmetric=True,
    aliases=("classification_error_distance",),
    peers={"partitionComparison": "classificationErrorDistance"},
    note="1 - pivoted accuracy. clusim's and mclust's classification error lets several clusters share a class.",
    family="matching",
)
def classification_error(matching: CountMatching) -> float | Noted:
    """Share of the instances misplaced under the best matching.

    >>> classification_error([0, 0, 1, 1], [0, 0, 1, 2])
    0.25
    """
    return float((matching.table.n - matching.total) / matching.table.n)


def matched_clusters(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    criterion: Criterion = "pivoted_accuracy",
    **options: Any,
) -> dict[Any, Any]:
    """Return the predicted cluster matched with each true one by the matching that attains an index.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,), or a contingency table instead of the first
    criterion : {"pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index"}
        The index that the matching attains.
    **options
        `counts`, `missing`, `noise`, `noise_label`, as for every external index.

    Returns
    -------
    dict
        True label -> predicted label; None for unmatched true clusters.

    Examples
    --------
    >>> from adjudge.indices import matched_clusters
    >>> matched_clusters(["a", "a", "b", "b"], [7, 7, 3, 3])
    {'a': 7, 'b': 3}
    """
    table = reduce_labels(labels_true, labels_pred, **options)
    matched = best_matching(table, criterion).columns
    return {
        label: table.col_labels[j] if j >= 0 else None
        for label, j in zip(table.row_labels, matched.tolist(), strict=True)
    }


def normalizing_permutation(
    labels_true: Any, labels_pred: Any = None, *, criterion: Criterion = "pivoted_accuracy", **options: Any
) -> Ints:
    """Return the order of the columns that puts the matched cells of a confusion matrix on its diagonal.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,), or a contingency table instead of the first
    criterion : {"pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index"}
        Which sum over the diagonal to maximise: counts, shares of the rows, or overlaps.
    **options
        `counts`, `missing`, `noise`, `noise_label`, as for every external index.

    Returns
    -------
    ndarray of int64 of shape (max(R, C),)
        Column positions, counted from 0; positions >= C are empty columns that pad a table with more rows than
        columns. Unmatched columns come last.

    References
    ----------
    Gagolewski's genieclust, the function of the same name.

    Examples
    --------
    >>> from adjudge.indices import normalizing_permutation
    >>> normalizing_permutation([[12, 37, 1], [40, 0, 0], [0, 0, 30]])
    array([1, 0, 2])
    """
    table = reduce_labels(labels_true, labels_pred, **options)
    r, c = table.shape
    matched = best_matching(table, criterion).columns
    # A row that shares no instance with any column left over takes one of those nonetheless.
    free = sorted({*range(max(r, c))}.difference(matched.tolist()))
    spare = iter(free)
    order = [j if j >= 0 else next(spare) for j in matched.tolist()]
    return np.array([*order, *spare], dtype=np.int64)


def normalized_confusion_matrix(
    labels_true: Any, labels_pred: Any = None, *, criterion: Criterion = "pivoted_accuracy", **options: Any
) -> Ints:
    """Confusion matrix with its columns in the order of :func:`~adjudge.indices.normalizing_permutation`.

    Parameters
    ----------
    labels_true, labels_pred, criterion, **options
        As for :func:`~adjudge.indices.normalizing_permutation`.

    Returns
    -------
    ndarray of int64 of shape (R, max(R, C))

    Examples
    --------
    >>> from adjudge.indices import normalized_confusion_matrix
    >>> normalized_confusion_matrix([[12, 37, 1], [40, 0, 0], [0, 0, 30]])
    array([[37, 12,  1],
           [ 0, 40,  0],
           [ 0,  0, 30]])
    """
    table = reduce_labels(labels_true, labels_pred, **options)
    order = normalizing_permutation(table, criterion=criterion)
    dense = table.to_array()
    padded = np.zeros((dense.shape[0], order.size), np.int64)
    padded[:, : dense.shape[1]] = dense
    return padded[:, order]
