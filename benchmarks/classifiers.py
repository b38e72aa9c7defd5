"""Scores of classifiers: adjudge compared with scikit-learn, in one run.

python benchmarks/classifiers.py [--quick]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics

import adjudge
from adjudge.indices.class_measures import MEASURES, value_by_class
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import reduce_labels
from harness import Ratios, markdown, show_seconds, timed, write_page

QUICK = "--quick" in sys.argv


def labels(n: int, k: int) -> tuple[Any, Any]:
    """Draw true and predicted classes that agree on about seven of ten instances."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, k, n)
    return truth, np.where(rng.random(n) < 0.3, rng.integers(0, k, n), truth)


def all_by_class(truth: Any, said: Any) -> dict[str, Any]:
    """Return every measure by class, from one table."""
    counts = reduce_labels(truth, said).statistic(ClassCounts)
    return {name: value_by_class(name, counts) for name in MEASURES}


def confusion(truth: Any, said: Any) -> Any:
    return reduce_labels(truth, said).statistic(Confusion).matrix


def probabilities(n: int, k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, k, n)
    raw = rng.gamma(1.0, size=(n, k))
    raw[np.arange(n), truth] += 1.0
    return truth, raw / raw.sum(axis=1, keepdims=True)


def ece_by_loop(truth: Any, p: Any) -> float:
    """Return the expected calibration error over ten equal bins, as it is usually written with NumPy."""
    places = np.clip(np.ceil(p * 10).astype(int) - 1, 0, 9)
    gaps = [
        (places == b).mean() * abs(p[places == b].mean() - truth[places == b].mean())
        for b in range(10)
        if (places == b).any()
    ]
    return float(sum(gaps))


def cases(n: int, rows: int, many: int) -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Return each task, with adjudge's call and the other program's.

    Parameters
    ----------
    n : int
        Instances.
    rows, many : int
        Instances and classes of a matrix of probabilities.
    """
    found: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = []
    for k in (10, 1000):
        truth, said = labels(n, k)
        found += [
            (
                f"all scores by class, n = {n:,}, {k:,} classes (`classification_report`)",
                lambda t=truth, s=said: all_by_class(t, s),
                lambda t=truth, s=said: metrics.classification_report(t, s, output_dict=True),
            ),
            (
                f"confusion matrix, n = {n:,}, {k:,} classes (`confusion_matrix`)",
                lambda t=truth, s=said: confusion(t, s),
                lambda t=truth, s=said: metrics.confusion_matrix(t, s),
            ),
        ]
    rng = np.random.default_rng(3)
    binary = rng.integers(0, 2, n)
    p = np.clip(rng.normal(0.4 + 0.2 * binary, 0.2), 0, 1)
    found += [
        (
            f"ROC AUC, n = {n:,} (`roc_auc_score`)",
            lambda: adjudge.roc_auc(binary, p),
            lambda: metrics.roc_auc_score(binary, p),
        ),
        (
            f"average precision, n = {n:,} (`average_precision_score`)",
            lambda: adjudge.average_precision(binary, p),
            lambda: metrics.average_precision_score(binary, p),
        ),
        (
            f"log loss, n = {n:,}, two classes (`log_loss`)",
            lambda: adjudge.log_loss(binary, p),
            lambda: metrics.log_loss(binary, p),
        ),
        (
            f"expected calibration error, n = {n:,} (ten bins in NumPy)",
            lambda: adjudge.expected_calibration_error(binary, p),
            lambda: ece_by_loop(binary, p),
        ),
    ]
    truth, P = probabilities(rows, many)
    found += [
        (
            f"one-against-rest AUC, n = {rows:,}, {many:,} classes (`roc_auc_score`)",
            lambda: adjudge.roc_auc_ovr(truth, P),
            lambda: metrics.roc_auc_score(truth, P, multi_class="ovr"),
        ),
        (
            f"log loss, n = {rows:,}, {many:,} classes (`log_loss`)",
            lambda: adjudge.log_loss(truth, P),
            lambda: metrics.log_loss(truth, P),
        ),
    ]
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    # A warm-up run, which is not part of the comparison.
    for _, ours, _ in cases(300_000, 2_000, 100):
        ours()
    rows, ratios = [], Ratios()
    for name, ours, theirs in cases(*((10**6, 2_000, 100) if QUICK else (10**7, 20_000, 1000))):
        one, other = timed(ours, budget=3.0, most=25), timed(theirs, budget=12.0, most=3)
        rows.append(
            [
                name,
                show_seconds(one.smallest),
                show_seconds(other.smallest),
                ratios.add(name, "the other", other.smallest / one.smallest),
            ]
        )
        print(rows[-1], flush=True)
    body = markdown(["task", "adjudge", "the other", "ratio"], rows)
    note = "Fastest of a few runs in one process, after a first one on less data: `python benchmarks/classifiers.py`."
    write_page("classifiers", "Scores of classifiers", f"{ratios}\n\n{note}\n\n{body}")


if __name__ == "__main__":
    main()
