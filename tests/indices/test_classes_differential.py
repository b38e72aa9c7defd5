"""Scores by class of random labels and weights against scikit-learn's, undefined classes treated alike."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from sklearn import metrics

import adjudge
from adjudge.indices.class_measures import average_of, f_measure_of_classes, value_by_class
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.weighted import WeightedContingency
from cases import each

CASES = 200 * settings.default.max_examples // 60
SCORES: dict[str, Callable[..., Any]] = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
}


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 6)), int(rng.integers(2, 40))
    truth = rng.integers(0, k, n)
    said = np.where(rng.random(n) < rng.random(), truth, rng.integers(0, k, n))
    said[0] = truth[0]  # some class is common to both
    weights = None if seed % 2 else rng.integers(0, 4, n) * rng.choice([1.0, 0.25])
    if weights is not None:
        weights[0] = 1.0
    return truth, said, weights


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(getattr(ours, "value", ours), theirs, rtol=1e-12, atol=1e-14)


@each("seed", range(CASES), keep=8)
def test_scores_by_class(seed: int) -> None:
    truth, said, weights = drawn(seed)
    if weights is None:
        table: Any = Contingency.from_labels(truth, said)
        kept: Any = slice(None)
    else:
        table = WeightedContingency.from_labels(truth, said, weights)
        kept = weights > 0
    classes = np.unique(truth[kept]).tolist()
    outside = np.setdiff1d(said[kept], classes).tolist()
    counts = ClassCounts.make(table)
    assert list(counts.classes) == classes
    given = {"labels": classes, "sample_weight": weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, score in SCORES.items():
            theirs = score(truth, said, average=None, zero_division=0, **given)
            close(np.nan_to_num(value_by_class(name, counts)), theirs)
            # An answer that names no class is wrong in micro averages, which scikit-learn takes over `labels` alone.
            for average in ("macro", "weighted") if outside else ("macro", "micro", "weighted"):
                close(
                    average_of(name, counts, average, 0),
                    score(truth, said, average=average, zero_division=0, **given),
                )
        beta = float(seed % 5) / 2 + 0.25
        close(
            average_of(f_measure_of_classes(beta), counts, "macro", 0),
            metrics.fbeta_score(truth, said, beta=beta, average="macro", zero_division=0, **given),
        )
        confusion = Confusion.make(table)
        if len(classes) > 1 and not outside:  # an answer that names no class has no place in the order
            for record, how in (
                (adjudge.linear_weighted_kappa, "linear"),
                (adjudge.quadratic_weighted_kappa, "quadratic"),
            ):
                theirs = metrics.cohen_kappa_score(
                    truth[kept],
                    said[kept],
                    weights=how,
                    sample_weight=None if weights is None else weights[kept],
                )
                close(record.of(confusion), theirs)
        np.testing.assert_allclose(
            confusion.matrix,
            metrics.confusion_matrix(truth, said, labels=[*classes, *outside], sample_weight=weights),
            rtol=1e-13,
        )


@each("seed", range(0, 2 * CASES, 2), keep=20)
def test_scores_of_two_classes(seed: int) -> None:
    """Without an average they are of the second class, as in scikit-learn of class 1."""
    rng = np.random.default_rng(seed)
    truth = np.r_[0, 1, rng.integers(0, 2, 12)]
    said = np.r_[1, 0, rng.integers(0, 2, 12)]
    for record, score in (
        (adjudge.precision, metrics.precision_score),
        (adjudge.recall, metrics.recall_score),
        (adjudge.f1, metrics.f1_score),
        (adjudge.class_jaccard, metrics.jaccard_score),
    ):
        assert record(truth, said) == pytest.approx(score(truth, said), rel=1e-14)
