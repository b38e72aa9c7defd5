"""Internal and classification indices against scikit-learn, on ordinary data and where it gets difficult.

`EXCEPTIONS` says where scikit-learn gives something else, and why; one that no longer differs is an error, so that
the list stays true. Labels against labels: test_external_golden.py.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import datasets, metrics

import adjudge
from adjudge.indices.forecast_record import ForecastIndex

IRIS, SPECIES = datasets.load_iris(return_X_y=True)
POINTS: dict[str, tuple[Any, Any]] = {
    "iris, species": (IRIS, SPECIES),
    "iris + 1e8, species": (IRIS + 1e8, SPECIES),
    "a cluster of one point": ([[0], [1], [4], [6], [9]], [0, 0, 1, 1, 2]),
    "two centroids coincide": ([[0, 0], [2, 0], [1, 1], [1, -1], [5, 5], [6, 5]], [0, 0, 1, 1, 2, 2]),
    "two clusters of equal points coincide": ([[1], [1], [1], [1], [5], [6]], [0, 0, 1, 1, 2, 2]),
    "equal points in each cluster": ([[0], [0], [3], [3]], [0, 0, 1, 1]),
    "all points equal": ([[1], [1], [1], [1]], [0, 0, 1, 1]),
    "one cluster": ([[0], [1], [4], [6]], [0, 0, 0, 0]),
    "every point a cluster": ([[0], [1], [4], [6]], [0, 1, 2, 3]),
}
LABELS: dict[str, tuple[Any, Any]] = {
    "three classes": ([0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 2, 0, 2]),
    "all right": ([0, 0, 1, 1], [0, 0, 1, 1]),
    "one label in truth and prediction": ([0, 0, 0], [0, 0, 0]),
    "one label in the truth": ([0, 0, 0, 0], [0, 0, 1, 0]),
    "one label in the prediction": ([0, 0, 1, 1], [0, 0, 0, 0]),
    "a label that is only predicted": ([0, 0, 1, 1], [0, 2, 1, 1]),
    "a label that is never predicted": ([0, 1, 1, 2], [0, 1, 1, 0]),
    "one instance": ([0], [0]),
}
INTERNAL: dict[str, tuple[str, Callable[..., float]]] = {
    "silhouette_score": ("silhouette", metrics.silhouette_score),
    "calinski_harabasz_score": ("calinski_harabasz", metrics.calinski_harabasz_score),
    "davies_bouldin_score": ("davies_bouldin", metrics.davies_bouldin_score),
}
CLASSIFICATION: dict[str, tuple[str, Callable[..., float]]] = {
    "accuracy_score": ("accuracy", metrics.accuracy_score),
    "balanced_accuracy_score": ("balanced_accuracy", metrics.balanced_accuracy_score),
    "recall_score(labels=unique(y_true), average='macro')": (
        "balanced_accuracy",
        lambda a, b: metrics.recall_score(a, b, labels=np.unique(a), average="macro"),
    ),
    "cohen_kappa_score": ("cohen_kappa", metrics.cohen_kappa_score),
    "matthews_corrcoef": ("matthews_correlation", metrics.matthews_corrcoef),
}
SCORES_BY_CLASS = {
    "precision_score": metrics.precision_score,
    "recall_score": metrics.recall_score,
    "f1_score": metrics.f1_score,
    "jaccard_score": metrics.jaccard_score,
}
# Where a class has no score: an average over the classes is undefined here, and there a class counts 0.
AVERAGED: dict[str, tuple[str, Callable[..., float]]] = {
    f"{name}(average='{average}')": (
        f"{average}_{name.removesuffix('_score')}",
        partial(score, average=average, zero_division=0),
    )
    for name, score in SCORES_BY_CLASS.items()
    for average in ("macro", "micro", "weighted")
}
CLASSIFICATION |= AVERAGED
MEASURES = {**INTERNAL, **CLASSIFICATION}
REFUSED = "refused"

# measure, data, why the values differ there
FAR = "its distances come from squared norms, which far from the origin lose their digits"
ZERO = "0/0 is undefined here; it takes 0 for it"
INFINITE = "a quotient c/0 is infinite here; it leaves the pair of clusters out"
NO_DISPERSION = "no cluster has any dispersion: c/0 is infinite and 0/0 undefined here; it gives 1"
SINGLETONS = "it refuses as many clusters as points; here a cluster of one point has width and radius 0"
ONE_LABEL = "0/0 is undefined here: one label has no correlation with anything; it gives 0"
OUTSIDE = (
    "an answer that is no true label is wrong here, but no class in the mean; there it is a class of its own"
)
EXCEPTIONS: list[tuple[str, str, str]] = [
    ("silhouette_score", "iris + 1e8, species", FAR),
    ("davies_bouldin_score", "iris + 1e8, species", FAR),
    ("calinski_harabasz_score", "iris + 1e8, species", FAR),
    ("silhouette_score", "two clusters of equal points coincide", ZERO),
    ("silhouette_score", "all points equal", ZERO),
    ("davies_bouldin_score", "two clusters of equal points coincide", ZERO),
    ("davies_bouldin_score", "all points equal", ZERO),
    ("davies_bouldin_score", "two centroids coincide", INFINITE),
    ("calinski_harabasz_score", "equal points in each cluster", NO_DISPERSION),
    ("calinski_harabasz_score", "all points equal", NO_DISPERSION),
    ("silhouette_score", "every point a cluster", SINGLETONS),
    ("davies_bouldin_score", "every point a cluster", SINGLETONS),
    ("matthews_corrcoef", "one label in truth and prediction", ONE_LABEL),
    ("matthews_corrcoef", "one label in the truth", ONE_LABEL),
    ("matthews_corrcoef", "one label in the prediction", ONE_LABEL),
    ("matthews_corrcoef", "one instance", ONE_LABEL),
    *((f"{name}(average='macro')", "a label that is only predicted", OUTSIDE) for name in SCORES_BY_CLASS),
]


def theirs(measure: str, case: str) -> float | str:
    """The value that scikit-learn gives, or that it refuses the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(MEASURES[measure][1](*(POINTS | LABELS)[case]))
        except ValueError:
            return REFUSED


def ours(measure: str, case: str) -> float:
    return float(getattr(adjudge, MEASURES[measure][0])(*(POINTS | LABELS)[case]))


def same(one: float | str, other: float) -> bool:
    if isinstance(one, str) or math.isnan(one):
        return math.isnan(other)
    return one == pytest.approx(other, rel=1e-10, abs=1e-12)


@pytest.mark.full(keep=92)
@pytest.mark.parametrize(
    ("measure", "case"),
    [*((m, c) for m in INTERNAL for c in POINTS), *((m, c) for m in CLASSIFICATION for c in LABELS)],
)
def test_values_are_those_of_scikit_learn(measure: str, case: str) -> None:
    reason = next((why for its, data, why in EXCEPTIONS if (its, data) == (measure, case)), None)
    one, other = theirs(measure, case), ours(measure, case)
    if measure in AVERAGED and math.isnan(other):
        reason = "0/0 of a class is undefined here, and the average with it; there it counts 0"
    assert same(one, other) == (reason is None), f"{one!r} there, {other!r} here ({reason})"


def test_every_index_that_scikit_learn_has_is_compared() -> None:
    compared = {record for record, _ in MEASURES.values()}
    for kind in ("internal", "classification"):
        # Those of probabilities: tests/metrics/test_beside_scikit_learn.py.
        records = [r for r in adjudge.list_indices(kind) if not isinstance(r, ForecastIndex)]
        has = {record.name for record in records if "scikit-learn" in record.peers}
        # Of two classes alone: the same file.
        binary = {"precision", "recall", "f1", "class_jaccard"}
        assert has - binary == {name for name in compared if adjudge.find_index(name).kind == kind}


def test_exceptions_are_of_data_that_are_compared() -> None:
    for measure, case, _ in EXCEPTIONS:
        assert case in (POINTS if measure in INTERNAL else LABELS)
