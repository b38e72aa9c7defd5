"""scikit-learn's functions that compare two clusterings, on the statistics of adjudge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from adjudge.array_types import Ints
from adjudge.callers import warn_caller
from adjudge.indices import information as by_information
from adjudge.indices import pairs as by_pairs
from adjudge.indices.label_record import ExternalIndex
from adjudge.metrics.checks import (
    UnusualInputError,
    coded,
    coded_clusterings,
    drop_in,
    named,
    pairs_of_clusterings,
    table_of_clusterings,
)
from adjudge.statistics import entropies
from adjudge.statistics.contingency import Contingency, count_labels

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "contingency_matrix",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]

_HOME = "sklearn.metrics.cluster._supervised"


def _or_else(value: float, conventional: float) -> float:
    """Replace an undefined value by the one that scikit-learn gives for it."""
    return conventional if math.isnan(value) else value


@drop_in(_HOME)
def contingency_matrix(
    labels_true: Any,
    labels_pred: Any,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: Any = np.int64,
) -> Any:
    """Count the instances in each pair of clusters.

    >>> contingency_matrix([0, 0, 1, 1], ["a", "b", "b", "b"])
    array([[1, 1],
           [0, 2]])
    """
    true, pred = np.asarray(labels_true), np.asarray(labels_pred)
    if true.ndim != 1 or true.shape != pred.shape or (eps is not None and sparse):
        raise UnusualInputError
    table = count_labels(coded(true), coded(pred)) if true.size else None
    if sparse:
        return _sparse(table, dtype)
    counts = table.to_array() if table is not None else np.zeros((0, 0), np.int64)
    return counts.astype(dtype, copy=False) if eps is None else counts.astype(dtype, copy=False) + eps


def _sparse(table: Contingency | None, dtype: Any) -> Any:
    """Return a table as the kind of sparse matrix that scikit-learn is set to return."""
    from scipy.sparse import csr_array, csr_matrix
    from sklearn import get_config

    kind = csr_array if get_config().get("sparse_interface") == "sparray" else csr_matrix
    return kind(table.to_sparse() if table is not None else (0, 0), dtype=dtype)


@drop_in(_HOME)
def pair_confusion_matrix(labels_true: Any, labels_pred: Any) -> Ints:
    """Count ordered pairs of instances by whether each of two clusterings joins them.

    >>> pair_confusion_matrix([0, 0, 1, 2], [0, 0, 1, 1])
    array([[8, 2],
           [0, 2]])
    """
    pairs = pairs_of_clusterings(labels_true, labels_pred)
    return 2 * np.array([[pairs.nn, pairs.ny], [pairs.yn, pairs.yy]], np.int64)


class _OfTwoClusterings(Protocol):
    def __call__(self, labels_true: Any, labels_pred: Any) -> float: ...


def _score(
    name: str,
    record: ExternalIndex,
    statistic: Callable[[Any, Any], Any],
    undefined: float,
    documentation: str,
) -> _OfTwoClusterings:
    """Return the function for an index, which is `undefined` where it has no value."""

    def score(labels_true: Any, labels_pred: Any) -> float:
        return _or_else(record.of(statistic(labels_true, labels_pred)), undefined)

    return drop_in(_HOME)(named(score, name, documentation))


def _information(labels_true: Any, labels_pred: Any) -> Any:
    return table_of_clusterings(labels_true, labels_pred).information


rand_score = _score(
    "rand_score",
    by_pairs.rand,
    pairs_of_clusterings,
    1.0,
    """Share of the pairs of instances that both clusterings join or both separate; 1 if there is no pair.

    >>> round(rand_score([0, 0, 1, 2], [0, 0, 1, 1]), 6)
    0.833333
    """,
)
adjusted_rand_score = _score(
    "adjusted_rand_score",
    by_pairs.adjusted_rand,
    pairs_of_clusterings,
    1.0,
    """Rand index, corrected for chance; 1 for any two identical clusterings.

    >>> round(adjusted_rand_score([0, 0, 1, 2], [0, 0, 1, 1]), 6)
    0.571429
    """,
)
fowlkes_mallows_score = _score(
    "fowlkes_mallows_score",
    by_pairs.fowlkes_mallows,
    pairs_of_clusterings,
    0.0,
    """Geometric mean of the pairs' precision and recall; 0 if no pair is joined in both.

    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.707107
    """,
)
homogeneity_score = _score(
    "homogeneity_score",
    by_information.homogeneity,
    _information,
    1.0,
    """Degree to which each cluster holds instances of one class only; 1 if there is one class.

    >>> homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """,
)
completeness_score = _score(
    "completeness_score",
    by_information.completeness,
    _information,
    1.0,
    """Degree to which the instances of each class stay in one cluster; 1 if there is one cluster.

    >>> round(completeness_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.666667
    """,
)


@drop_in(_HOME)
def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any = None) -> float:
    """Mutual information of two clusterings, in nats.

    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.693147
    """
    if contingency is None:
        table = table_of_clusterings(labels_true, labels_pred)
    else:
        from sklearn.utils import check_array

        counts = check_array(
            contingency, accept_sparse=["csr", "csc", "coo"], dtype=[int, np.int32, np.int64]
        )
        table = Contingency.from_matrix(counts)
    return by_information.mutual_information.of(table.information)


@drop_in(_HOME)
def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Homogeneity, completeness, and their weighted harmonic mean.

    >>> [round(score, 6) for score in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.666667, 0.8]
    """
    information = _information(labels_true, labels_pred)
    return (
        _or_else(by_information.homogeneity.of(information), 1.0),
        _or_else(by_information.completeness.of(information), 1.0),
        _or_else(by_information.v_measure.of(information, beta=beta), 0.0),
    )


@drop_in(_HOME)
def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness.

    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    found = _information(labels_true, labels_pred)
    return _or_else(by_information.v_measure.of(found, beta=beta), 0.0)


@drop_in(_HOME)
def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: Any = "arithmetic"
) -> float:
    """Mutual information, as a share of an average of the two entropies; 0 if one clustering has one cluster.

    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    found = _information(labels_true, labels_pred)
    return _or_else(by_information.nmi.of(found, average=average_method), 0.0)


@drop_in(_HOME)
def adjusted_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: Any = "arithmetic"
) -> float:
    """Mutual information, corrected for chance with fixed cluster sizes.

    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    table = table_of_clusterings(labels_true, labels_pred)
    conventional = 0.0 if 1 in table.shape else 1.0
    return _or_else(by_information.ami.of(table.information, average=average_method), conventional)


@drop_in(_HOME)
def expected_mutual_information(contingency: Any, n_samples: int) -> float:
    """Mean of the mutual information, in nats, over all tables with the margins of this one.

    >>> import numpy as np
    >>> round(expected_mutual_information(np.array([[2, 0], [0, 2]]), 4), 6)
    0.231049
    """
    rows, cols = (np.ravel(contingency.sum(axis=axis)).astype(np.int64) for axis in (1, 0))
    return entropies.expected_mutual_information(rows[rows > 0], cols[cols > 0], int(n_samples))


@drop_in(_HOME)
def entropy(labels: Any) -> float:
    """Entropy of a clustering, in nats; 1 if it is empty. scikit-learn removes this name in 1.10."""
    one, _ = coded_clusterings(labels, labels)
    warn_caller(
        "Function entropy is deprecated; `entropy` is deprecated in 1.8 and will be removed in 1.10.",
        FutureWarning,
    )
    return entropies.entropy_of_sizes(count_labels(one, one).row_sums, len(one))
