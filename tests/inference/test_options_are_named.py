"""A value that an option cannot have is refused with the option's name and the value, wherever it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError, find_index
from adjudge.errors import InputTypeError
from adjudge.given.score_table import ScoreTable
from adjudge.inference.chance import correction as chance
from adjudge.inference.clusters.cluster_differences import cluster_difference_test
from adjudge.inference.clusters.cluster_tests import clusters_test
from adjudge.inference.clusters.dip import clusters_dip_test
from adjudge.inference.clusters.tree_splits import tree_test
from adjudge.inference.common.adjustments import adjust_pairs
from adjudge.inference.confidence import comparison_intervals, confidence_intervals
from adjudge.inference.data_sets import posterior, rank_comparison, rank_power, two_models
from adjudge.inference.data_sets.hierarchical import hierarchical_posterior
from adjudge.inference.data_sets.ranks import nemenyi_difference
from adjudge.inference.differences.clustering_differences import equal_goodness_test
from adjudge.inference.forecasts.auc import placements
from adjudge.inference.points.internal_intervals import internal_intervals
from adjudge.statistics.forecasts import read_forecasts
from conftest import raises_line
from splitters import halves

TRUTH, MODEL = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
X = np.random.default_rng(0).normal(size=(30, 2))
TABLE = ScoreTable.of(["u", "v", "w"], ["a", "b", "c"], [[1, 2, 3], [2, 3, 1], [3, 1, 2]], "higher")
SCORES = {"a": [1.0, 2, 3], "b": [2.0, 3, 1], "c": [3.0, 1, 2]}
CHANCES = [0.2, 0.6, 0.3, 0.4, 0.8, 0.1]
SETS = [["a"], ["b"], ["a", "b"]]
RANKED = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.6]]

WORDS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "null distribution": (
        lambda **o: chance.null_distribution("rand", TRUTH, MODEL, **o),
        ("null", "method", "best"),
    ),
    "p-value": (lambda **o: chance.null_distribution("rand", TRUTH, MODEL).p_value(**o), ("alternative",)),
    "clusters": (lambda **o: clusters_test(X, halves, nulls=[*o.values()]), ("nulls",)),
    "nulls of a tree": (lambda **o: tree_test(X, nulls=[*o.values()]), ("nulls",)),
    "tree": (lambda **o: tree_test(X, **o), ("linkage",)),
    "difference of clusters": (
        lambda **o: cluster_difference_test(X, halves, (0, 1), sigma=1.0, **o),
        ("method",),
    ),
    "intervals": (lambda **o: confidence_intervals(["rand"], TRUTH, MODEL, **o), ("method",)),
    "signed ranks": (lambda **o: two_models.signed_rank_test([0.1, -0.2, 0.3], **o), ("zeros",)),
    "signs": (lambda **o: two_models.sign_test([0.1, -0.2, 0.3], **o), ("zeros",)),
    "corrections of pairs": (lambda correction: adjust_pairs([0.1], 2, correction), ("correction",)),
    "models": (lambda **o: rank_comparison.friedman_test(SCORES, **o), ("better", "posthoc")),
    "pairs of models": (lambda **o: rank_comparison.pairwise_tests(TABLE, **o), ("test", "correction")),
    "power": (lambda **o: rank_power.pair_power(9, 0.8, **o), ("test",)),
    "goodness": (lambda **o: equal_goodness_test(TRUTH, MODEL, MODEL, **o), ("method",)),
    "calibration": (
        lambda **o: find_index("expected_calibration_error")([0, 1] * 3, CHANCES, **o),
        ("bins", "norm"),
    ),
    "ranked labels": (
        lambda **o: adjudge.label_ranking_loss(SETS, RANKED, classes=["a", "b"], **o),
        ("ties", "undefined"),
    ),
    "likeliest classes": (lambda **o: adjudge.top_k_accuracy([0, 1] * 3, CHANCES, **o), ("ties",)),
    "areas": (lambda **o: adjudge.roc_auc([0, 1] * 3, CHANCES, **o), ("average",)),
    "recalls": (lambda **o: adjudge.recall(TRUTH, MODEL, **o), ("average", "undefined")),
}
COUNTS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "null distribution": (lambda **o: chance.null_distribution("rand", TRUTH, MODEL, **o), ("n_tables",)),
    "clusters": (lambda **o: clusters_test(X, halves, **o), ("n_samples",)),
    "difference of clusters": (
        lambda **o: cluster_difference_test(X, halves, (0, 1), sigma=1.0, **o),
        ("n_samples",),
    ),
    "tree": (lambda **o: tree_test(X, **o), ("n_samples", "least_size")),
    "dip of clusters": (lambda **o: clusters_dip_test(X, halves, **o), ("n_splits",)),
    "intervals": (lambda **o: confidence_intervals(["rand"], TRUTH, MODEL, **o), ("n_resamples",)),
    "intervals of points": (
        lambda **o: internal_intervals(X, halves(X), ["silhouette"], **o),
        ("n_resamples",),
    ),
    "posterior": (lambda **o: posterior.signed_rank_posterior([0.1, 0.2], **o), ("n_draws",)),
    "posterior of folds": (
        lambda **o: hierarchical_posterior([[0.1, 0.2], [0.2, 0.3]], rope=0.01, **o),
        ("n_draws",),
    ),
    "power": (lambda **o: rank_power.pair_power(9, 0.8, **o), ("n_comparisons",)),
    "goodness": (lambda **o: equal_goodness_test(TRUTH, MODEL, MODEL, **o), ("n_resamples",)),
    "likeliest classes": (lambda **o: adjudge.top_k_accuracy([0, 1] * 3, CHANCES, **o), ("k",)),
}


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name, (_, options) in WORDS.items() for option in options]
)
def test_words_that_are_not_known(name: str, option: str) -> None:
    with pytest.raises(InputError, match=rf"^{option}='nonsense' is not known: choose one of '?\w"):
        WORDS[name][0](**{option: "nonsense"})


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name, (_, options) in COUNTS.items() for option in options]
)
@pytest.mark.parametrize("wrong", [0, -3, 2.5])
def test_counts_that_are_none(name: str, option: str, wrong: Any) -> None:
    with pytest.raises(InputError, match=rf"^{option}={wrong}: "):
        COUNTS[name][0](**{option: wrong})


LINES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: adjudge.label_ranking_loss(SETS, classes=["a", "b"]),
        "give either probabilities or scores=",
    ),
    *(
        (
            lambda wrong=wrong: adjudge.partial_auc([0, 1] * 3, CHANCES, max_fpr=wrong),  # type: ignore[misc]
            f"max_fpr={wrong}: a number above 0 and up to 1 is needed",
        )
        for wrong in (0, 1.5, 2)
    ),
    (
        lambda: placements(read_forecasts([0, 1, 2], np.eye(3), classes=[0, 1, 2])),
        "no class is the positive one: name it with positive=",
    ),
    (
        lambda: chance.null_distribution(lambda t: float(t.pairs.yy), [[1, 2], [2, 1]]).adjusted,
        "<lambda> has no finite best value, which the adjustment needs: give best=",
    ),
    (
        lambda: chance.null_distribution("rand", np.full((9, 9), 50), method="exact"),
        "method='exact' would take too long for these cluster sizes: use 'simulate' or 'pearson3'",
    ),
    (
        lambda: chance.null_distribution("purity", np.full((9, 9), 50), method="exact"),
        "method='exact' would take too long for these cluster sizes: use 'simulate'",
    ),
    (lambda: nemenyi_difference(9, 3, alpha=0), "alpha=0: a level between 0 and 1 is needed, such as 0.05"),
    (lambda: nemenyi_difference(9, 3, alpha=1), "alpha=1: a level between 0 and 1 is needed, such as 0.05"),
    (
        lambda: equal_goodness_test(TRUTH, MODEL, MODEL, method="permutation"),
        "method='permutation' is not valid for clusterings, whose labels have no common names to swap: use 'jackknife' "
        "or 'bootstrap'",
    ),
    (lambda: clusters_dip_test(X[:7], [0, 0, 0, 1, 1, 1, 1]), "X has 7 points: at least eight are needed"),
    (
        lambda: hierarchical_posterior([[0.1, 0.2], [0.2, float("nan")]], rope=0.01),
        "the hierarchical test needs two data sets or more, with two folds or more on each",
    ),
    (
        lambda: cluster_difference_test(X, 3, (0, 1), sigma=1.0),
        "clusterer is an int: give a clusterer, or a function X -> labels",
    ),
]


@pytest.mark.parametrize(("call", "line"), LINES, ids=[line for _, line in LINES])
def test_lines(call: Callable[[], Any], line: str) -> None:
    with raises_line(InputError, line):
        call()


NAMES: list[tuple[str, Callable[..., Any]]] = [
    ("nulls", lambda given: clusters_test(X, halves, nulls=given)),
    ("nulls", lambda given: tree_test(X, nulls=given)),
    ("indices", lambda given: confidence_intervals(given, TRUTH, MODEL)),
    ("indices", lambda given: internal_intervals(X, halves(X), given)),
    ("indices", lambda given: chance.null_distributions(given, TRUTH, MODEL)),
]


@pytest.mark.parametrize(("option", "call"), NAMES)
def test_one_name_is_no_sequence_of_names(option: str, call: Callable[..., Any]) -> None:
    with raises_line(InputTypeError, f"{option}='rand': a sequence of names is needed"):
        call("rand")


@pytest.mark.parametrize("name", ["primary", "alternative"])
def test_vectors_of_different_lengths_are_named(name: str) -> None:
    given = {"primary": MODEL, "alternative": MODEL} | {name: MODEL[:5]}
    said = rf"{name} has .*5.*labels_true|labels_true has .*6.*{name}"
    with pytest.raises(InputError, match=said):
        comparison_intervals(TRUTH, **given, kind="clustering")
    with pytest.raises(InputError, match=said):
        equal_goodness_test(TRUTH, **given)
