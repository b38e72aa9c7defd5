"""Every function of adjudge.metrics compared with scikit-learn's, in one run.

python benchmarks/metrics.py [--quick] [--containers]

With `--containers`, only the second page is made: labels as text, in lists and in data frames.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import adjudge.kernels  # noqa: F401 - a process that has judged little, as here, would not load them yet
from adjudge import metrics
from adjudge.metrics.checks import HOMES
from harness import Ratios, Timing, installed, markdown, timed, write_page

LABELS = (10**3, 10**5, 10**7)
HELD = (10**3, 10**5, 10**6)
POINTS = (10**3, 2 * 10**4, 10**5)
# From this many points on, distances take scikit-learn minutes: one run is enough.
ONCE = 2 * 10**4
BUDGET = 1.5

OF_CLUSTERINGS = (
    "adjusted_rand_score", "rand_score", "pair_confusion_matrix", "fowlkes_mallows_score", "contingency_matrix",
    "mutual_info_score", "normalized_mutual_info_score", "adjusted_mutual_info_score", "homogeneity_score",
    "completeness_score", "v_measure_score", "homogeneity_completeness_v_measure",
)  # fmt: skip
OF_CLASSES = (
    "accuracy_score", "balanced_accuracy_score", "confusion_matrix", "multilabel_confusion_matrix",
    "cohen_kappa_score", "matthews_corrcoef", "hamming_loss", "zero_one_loss", "precision_score", "recall_score",
    "f1_score", "jaccard_score", "fbeta_score", "precision_recall_fscore_support", "classification_report",
)  # fmt: skip
AVERAGED = ("precision_score", "recall_score", "f1_score", "jaccard_score", "fbeta_score")
OF_TWO_CLASSES = (
    "class_likelihood_ratios", "roc_auc_score", "roc_curve", "precision_recall_curve", "average_precision_score",
    "det_curve", "confusion_matrix_at_thresholds", "brier_score_loss", "calibration_curve",
)  # fmt: skip
OF_PROBABILITIES = ("log_loss", "d2_log_loss_score", "d2_brier_score", "top_k_accuracy_score")
OF_POINTS = ("silhouette_score", "silhouette_samples", "calinski_harabasz_score", "davies_bouldin_score")

Case = tuple[str, str, Callable[[Callable[..., Any]], Any], bool]


def call(args: tuple[Any, ...], **options: Any) -> Callable[[Callable[..., Any]], Any]:
    return lambda function: function(*args, **options)


def cases_of_labels(n: int) -> Iterator[Case]:
    rng = np.random.default_rng(n)
    truth, other = rng.integers(0, 10, n), rng.integers(0, 12, n)
    pred = np.where(rng.random(n) < 0.4, rng.integers(0, 10, n), truth)
    for name in OF_CLUSTERINGS:
        yield name, "10 x 12", call((truth, other)), False
    for name in OF_CLASSES:
        more = {"average": "macro"} if name in AVERAGED else {}
        yield (
            name,
            "10 classes",
            call((truth, pred), **more, **({"beta": 2.0} if name == "fbeta_score" else {})),
            False,
        )
    two, score = (truth >= 5).astype(np.int64), rng.random(n)
    score[two == 1] **= 0.5
    for name in OF_TWO_CLASSES:
        second = (score > 0.6).astype(np.int64) if name == "class_likelihood_ratios" else score
        yield name, "2 classes", call((two, second)), False
    three, P = truth % 3, rng.dirichlet([1.0, 1.0, 1.0], n)
    for name in OF_PROBABILITIES:
        yield name, "3 classes", call((three, P)), False
    yield "roc_auc_score", "3 classes, ovr", call((three, P), multi_class="ovr"), False
    yield "roc_auc_score", "3 classes, ovo", call((three, P), multi_class="ovo"), False


def cases_of_points(n: int, p: int = 8) -> Iterator[Case]:
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 10, n)
    X = rng.normal(size=(n, p)) + labels[:, None]
    for name in OF_POINTS:
        yield name, f"10 clusters, {p} variables", call((X, labels)), name.startswith("silhouette")


def cases_of_containers(n: int) -> Iterator[Case]:
    """Yield cases with text labels, and integers outside plain arrays, in the containers that people use."""
    rng = np.random.default_rng(n)
    names = np.array([f"class number {i:02d}" for i in range(10)], object)
    truth = rng.integers(0, 10, n)
    pred = np.where(rng.random(n) < 0.4, rng.integers(0, 10, n), truth)
    two, score = truth % 2, rng.random(n)
    for title, held in CONTAINERS.items():
        given = names if "text" in title else np.arange(10)
        both = held(given[truth]), held(given[pred])
        for name in ("accuracy_score", "f1_score", "adjusted_rand_score", "normalized_mutual_info_score"):
            yield name, title, call(both, **({"average": "macro"} if name in AVERAGED else {})), False
        yield "roc_auc_score", title, call((held(given[two]), score)), False


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "objects of text": lambda labels: labels,
    "NumPy's text": lambda labels: labels.astype(str),
    "list of text": lambda labels: labels.tolist(),
    "pandas, text": lambda labels: pd.Series(labels, dtype="str"),
    "pandas, categories of text": lambda labels: pd.Series(labels).astype("category"),
    "Polars, text": lambda labels: pl.Series(labels.tolist()),
    "Arrow, text": pa.array,
    "list of integers": lambda labels: labels.tolist(),
    "pandas, integers": pd.Series,
    "Polars, integers": pl.Series,
    "whole floats": lambda labels: labels.astype(np.float64),
}


def measure(case: Case, n: int) -> tuple[Timing, Timing]:
    name, _, made, is_slow = case
    ours, theirs = getattr(metrics, name), getattr(import_module(HOMES[name]), name)
    made(ours)
    budget = 0.0 if is_slow and n >= ONCE else BUDGET
    return timed(lambda: made(ours), budget=budget), timed(lambda: made(theirs), budget=budget)


def table(sizes: tuple[int, ...], cases: Callable[[int], Iterator[Case]], ratios: Ratios) -> str:
    """Measure all cases at all sizes; return a table with one row per case."""
    rows: dict[tuple[str, str], list[str]] = {}
    for n in sizes:
        for case in cases(n):
            ours, theirs = measure(case, n)
            ratio = theirs.smallest / ours.smallest
            key = case[:2]
            rows.setdefault(key, [f"`{key[0]}`", key[1]])
            added = ratios.add(f"`{key[0]}` of {n:,}, {key[1]}", "scikit-learn", ratio)
            rows[key] += [f"{ours} / {theirs}", added]
            slower = ratio < (1.0 if n >= 10**5 else 1 / 1.2)
            print(
                n, *key, str(ours), str(theirs), f"{ratio:.3g}x", "slower than the goal" * slower, flush=True
            )
    return markdown(
        ["function", "data", *(h for n in sizes for h in (f"n = {n:,}", "ratio"))], list(rows.values())
    )


def main() -> None:
    sizes = slice(1) if "--quick" in sys.argv else slice(None)
    said = "adjudge / scikit-learn, and how many times as fast.\n\n"
    peer = f"\n\nPeer: scikit-learn {installed('scikit-learn')}. The medians are shown; ratios are of the best times."
    if "--containers" not in sys.argv:
        ratios = Ratios()
        body = f"## Labels, scores and probabilities\n\n{table(LABELS[sizes], cases_of_labels, ratios)}\n\n"
        body += f"## Points\n\n{table(POINTS[sizes], cases_of_points, ratios)}"
        write_page("metrics", "adjudge.metrics beside scikit-learn", f"{ratios}\n\n{said}{body}{peer}")
    ratios = Ratios()
    body = "Labels of ten classes, of 15 characters if they are text. " + said
    body += table(HELD[sizes], cases_of_containers, ratios)
    write_page(
        "metrics_containers", "adjudge.metrics: text, lists and data frames", f"{ratios}\n\n{body}{peer}"
    )


if __name__ == "__main__":
    main()
