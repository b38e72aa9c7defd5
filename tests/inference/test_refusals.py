"""What inference refuses, and the whole line that says so: it names the culprit, the value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import adjudge
from adjudge import find_index
from adjudge.errors import InputError, InputTypeError
from adjudge.given.score_table import ScoreTable
from adjudge.inference import confidence
from adjudge.inference.chance import correction as chance
from adjudge.inference.chance import random_partitions
from adjudge.inference.classes import accuracy_tests
from adjudge.inference.clusters import cluster_differences, clusterers, dip, tree_splits
from adjudge.inference.clusters.cluster_differences import cluster_difference_test
from adjudge.inference.clusters.cluster_tests import clusters_test
from adjudge.inference.clusters.dip import clusters_dip_test
from adjudge.inference.clusters.tree_splits import tree_test
from adjudge.inference.common import adjustments
from adjudge.inference.common.adjustments import adjust_pairs
from adjudge.inference.confidence import comparison_intervals, confidence_intervals
from adjudge.inference.data_sets import hierarchical, posterior, rank_comparison, rank_power, two_models
from adjudge.inference.data_sets.hierarchical import hierarchical_posterior
from adjudge.inference.data_sets.ranks import nemenyi_difference
from adjudge.inference.differences import clustering_differences
from adjudge.inference.differences.clustering_differences import equal_goodness_test
from adjudge.inference.forecasts.auc import placements
from adjudge.inference.interval import Interval
from adjudge.inference.points.internal_intervals import internal_intervals
from adjudge.statistics.forecasts import read_forecasts
from conftest import raises_line
from splitters import halves

TRUTH, MODEL = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
X = np.random.default_rng(0).normal(size=(12, 2))
SCORES = ScoreTable.of(["u", "v", "w"], ["a", "b", "c"], [[1, 2, 3], [2, 3, 1], [3, 1, 2]], "higher")
RAGGED = [[True], [True, False]]


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: adjustments.adjust_p_values([0.5], "nonsense"),
        InputError,
        "correction='nonsense' is not known: choose one of " + ", ".join(adjustments.CORRECTIONS),
    ),
    (
        lambda: adjustments.adjust_pairs([0.5] * 45, 10, "bergmann-hommel"),
        InputError,
        "correction='bergmann-hommel' is too slow for 10 models: take 'shaffer', or at most 9 models",
    ),
    (
        lambda: adjustments.adjust_p_values([0.5, 1.5], "holm"),
        InputError,
        "p_values holds a number outside of [0, 1]",
    ),
    (
        lambda: chance.null_distribution("rand", TRUTH, MODEL, method="pearson3", null="all"),
        InputError,
        "method='pearson3' needs null='fixed_margins': null='all' is simulated",
    ),
    (
        lambda: chance.null_distribution("purity", TRUTH, MODEL, method="pearson3"),
        InputError,
        "method='pearson3' is for indices that count pairs: use 'simulate' for purity",
    ),
    (
        lambda: chance.null_distribution("rand", TRUTH, MODEL, best=math.inf),
        InputError,
        "best=inf: a finite number is needed",
    ),
    (
        lambda: chance.null_distribution("rand", TRUTH, MODEL).quantile(1.5),
        InputError,
        "q=1.5: a probability between 0 and 1 is needed",
    ),
    (
        lambda: chance.null_distribution("rand", [0], [0], null="num"),
        InputError,
        "null='num' needs at least 2 instances; there is 1",
    ),
    (
        lambda: random_partitions.KClusters(5, 6),
        InputError,
        "k=6: 5 instances form between 1 and 5 clusters",
    ),
    (
        lambda: clusterers.dense_points(sparse.csr_array(X)),
        InputError,
        "X is sparse: null distributions need dense points, pass X.toarray()",
    ),
    (lambda: clusterers.fits_of({}), InputError, "clusterers is empty: give one, or several by name"),
    (
        lambda: clusterers.fits_of({"mine": 3}),
        InputError,
        "mine is an int: give a clusterer, or a function X -> labels",
    ),
    (
        lambda: confidence.confidence_intervals(["rand"]),
        InputError,
        "nothing to judge: give labels_true= and labels_pred=, or X= and labels=",
    ),
    (
        lambda: confidence.confidence_intervals(["silhouette"], X=X),
        InputError,
        "labels= is missing: X= needs the labels to judge",
    ),
    (
        lambda: confidence.comparison_intervals(
            TRUTH, MODEL, TRUTH, kind="classification", method="jackknife"
        ),
        InputError,
        "method='jackknife' is an option for clusterings: leave it out",
    ),
    (
        lambda: cluster_differences.cluster_difference_test(
            X, halves, (0, 1), sigma=1.0, covariance=np.eye(2)
        ),
        InputError,
        "give either sigma or covariance",
    ),
    (
        lambda: cluster_differences.cluster_difference_test(X, halves, (0, 1), covariance=np.eye(3)),
        InputError,
        "covariance has shape (3, 3): (2, 2) is needed",
    ),
    (
        lambda: cluster_differences.cluster_difference_test(X, halves, (0, 7), sigma=1.0),
        InputError,
        "clusters has 7, which the clusterer did not find",
    ),
    (
        lambda: cluster_differences.cluster_difference_test(X[:6], halves, (0, 1)),
        InputError,
        "X has 6 points of 2 variables: too few to estimate their covariance, give sigma or covariance",
    ),
    (lambda: dip.dip_test(["a", "b", "c", "d"]), InputError, "values contains something other than numbers"),
    (lambda: dip.dip_test([1, 2, 3]), InputError, "values has shape (3,): at least four numbers are needed"),
    (
        lambda: dip.dip_test([1, 2, 3, math.inf]),
        InputError,
        "values has values that are missing or infinite",
    ),
    (
        lambda: hierarchical.hierarchical_posterior([[0.1, 0.2]], rope=0.01),
        InputError,
        "the hierarchical test needs two data sets or more, with two folds or more on each",
    ),
    (
        lambda: hierarchical.hierarchical_posterior([[0.1, 0.2], [0.2, 0.3]], rope=0.01, test_shares=1.5),
        InputError,
        "test_shares=1.5: give shares between 0 and 1, such as 0.1 for ten folds",
    ),
    (
        lambda: posterior.check_rope("wide"),
        InputError,
        "rope='wide': a number is needed, the largest difference that does not matter",
    ),
    (
        lambda: posterior.check_rope(True),
        InputError,
        "rope=True: a number is needed, the largest difference that does not matter",
    ),
    (lambda: posterior.check_rope(-0.1), InputError, "rope=-0.1: a finite number of at least 0 is needed"),
    (lambda: posterior.check_rope(math.inf), InputError, "rope=inf: a finite number of at least 0 is needed"),
    (
        lambda: posterior.sign_posterior([]),
        InputError,
        "there is no data set with a score of both models",
    ),
    (
        lambda: posterior.correlated_t_posterior([0.1, 0.2], test_share=0.0),
        InputError,
        "test_share=0.0: give the share of the instances in a fold, such as 0.1 for ten folds",
    ),
    (
        lambda: adjudge.evaluate(X=X, labels=[0, 1] * 6, indices=["silhouette"], sample_size=9),
        InputError,
        "sample_size=9: a number of points, at least 10, is needed",
    ),
    (
        lambda: rank_comparison.pairwise_tests(SCORES, test="wilcoxon", correction="nemenyi"),
        InputError,
        "correction='nemenyi' compares all pairs with test='ranks': leave out the control, or use 'holm'",
    ),
    (
        lambda: rank_comparison.pairwise_tests(SCORES, correction="nemenyi", control="a"),
        InputError,
        "correction='nemenyi' compares all pairs with test='ranks': leave out the control, or use 'holm'",
    ),
    (
        lambda: rank_comparison.pairwise_tests(SCORES, control="z"),
        InputError,
        "there is no model 'z': choose one of 'a', 'b', 'c'",
    ),
    (
        lambda: rank_comparison.friedman_test([1, 2]),
        InputTypeError,
        "scores is a list: give a mapping of models to their scores, or a data frame with one column per model",
    ),
    (
        lambda: rank_comparison.friedman_test({"a": [1, 2]}),
        InputError,
        "scores of 1 models on [2] data sets: Friedman's test needs 2 models or more, each on the same 2 data sets or "
        "more",
    ),
    (
        lambda: rank_comparison.friedman_test({"a": [1, 2], "b": [1, math.nan]}),
        InputError,
        "scores hold a value that is not finite: leave that data set out for all models",
    ),
    (
        lambda: rank_power.pair_power(20, 1.5),
        InputError,
        "probability=1.5: a probability between 0 and 1 is needed",
    ),
    (
        lambda: rank_power.datasets_needed(0.8, power=1.0),
        InputError,
        "power=1.0: a probability between 0 and 1 is needed",
    ),
    (
        lambda: rank_power.detectable(20, power=0.0),
        InputError,
        "power=0.0: a probability between 0 and 1 is needed",
    ),
    (
        lambda: rank_power.rank_test_power(20, 3, 1.5),
        InputError,
        "concordance=1.5: a number from 0 to 1 is needed",
    ),
    (
        lambda: confidence.confidence_intervals(["rand"], X=X, labels=[0, 1] * 6),
        InputError,
        "rand compares with the truth: leave X= out",
    ),
    (
        lambda: accuracy_tests.mcnemar_test([True, False]),
        InputTypeError,
        "alternative_right is missing: give an Agreement, or where each of the two models is right",
    ),
    (
        lambda: accuracy_tests.mcnemar_test(adjudge.statistics.Agreement(1, 2, 3, 4), [True]),
        InputTypeError,
        "an Agreement has the counts of both models: leave alternative_right out",
    ),
    (
        lambda: accuracy_tests.mcnemar_test(adjudge.statistics.Agreement(1, 1 << 53, 1, 4), method="exact"),
        InputError,
        "the models disagree on more than 2^53 instances: use method='asymptotic', not 'exact'",
    ),
    (
        lambda: accuracy_tests.cochran_q_test(RAGGED),
        InputError,
        "right is ragged: give a matrix of booleans with one column per model",
    ),
    (
        lambda: accuracy_tests.cochran_q_test([[True], [False]]),
        InputError,
        "right has shape (2, 1): give a matrix of booleans with one column per model, for two or more models",
    ),
    (
        lambda: accuracy_tests.cochran_q_test([[2, 1], [0, 1]]),
        InputError,
        "right has shape (2, 2): give a matrix of booleans with one column per model, for two or more models",
    ),
    (
        lambda: clustering_differences.equal_goodness_test(TRUTH, MODEL, MODEL, index="purity"),
        InputError,
        "index='purity' does not count pairs of instances: choose one that does, such as 'rand'",
    ),
    (
        lambda: tree_splits.tree_test(X, n_samples=1),
        InputError,
        "n_samples=1: at least two are needed for a spread",
    ),
    (lambda: tree_splits.tree_test(X, alpha=1.0), InputError, "alpha=1.0: a level between 0 and 1 is needed"),
    (
        lambda: tree_splits.tree_test(np.ones((5, 2))),
        InputError,
        "X needs at least three points, not all equal",
    ),
]


@pytest.mark.parametrize(("call", "error", "line"), REFUSED, ids=[line for _, _, line in REFUSED])
def test_a_refusal_names_the_culprit_and_the_remedy(
    call: Callable[[], Any], error: type[Exception], line: str
) -> None:
    with raises_line(error, line):
        call()


def test_an_undefined_interval_has_no_ends_and_says_why():
    found = Interval.undefined(0.9, "jackknife", "there is one instance")
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert 0.0 not in found
    assert (found.confidence, found.method, found.reason) == (0.9, "jackknife", "there is one instance")
    assert (found.estimate, found.one_sided) == (None, False)


POINTS = np.random.default_rng(0).normal(size=(30, 2))
TABLE = ScoreTable.of(["u", "v", "w"], ["a", "b", "c"], [[1, 2, 3], [2, 3, 1], [3, 1, 2]], "higher")
SCORES_OF_THREE = {"a": [1.0, 2, 3], "b": [2.0, 3, 1], "c": [3.0, 1, 2]}
CHANCES = [0.2, 0.6, 0.3, 0.4, 0.8, 0.1]
SETS = [["a"], ["b"], ["a", "b"]]
RANKED = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.6]]

WORDS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "null distribution": (
        lambda **o: chance.null_distribution("rand", TRUTH, MODEL, **o),
        ("null", "method", "best"),
    ),
    "p-value": (lambda **o: chance.null_distribution("rand", TRUTH, MODEL).p_value(**o), ("alternative",)),
    "clusters": (lambda **o: clusters_test(POINTS, halves, nulls=[*o.values()]), ("nulls",)),
    "nulls of a tree": (lambda **o: tree_test(POINTS, nulls=[*o.values()]), ("nulls",)),
    "tree": (lambda **o: tree_test(POINTS, **o), ("linkage",)),
    "difference of clusters": (
        lambda **o: cluster_difference_test(POINTS, halves, (0, 1), sigma=1.0, **o),
        ("method",),
    ),
    "intervals": (lambda **o: confidence_intervals(["rand"], TRUTH, MODEL, **o), ("method",)),
    "signed ranks": (lambda **o: two_models.signed_rank_test([0.1, -0.2, 0.3], **o), ("zeros",)),
    "signs": (lambda **o: two_models.sign_test([0.1, -0.2, 0.3], **o), ("zeros",)),
    "corrections of pairs": (lambda correction: adjust_pairs([0.1], 2, correction), ("correction",)),
    "models": (lambda **o: rank_comparison.friedman_test(SCORES_OF_THREE, **o), ("better", "posthoc")),
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
    "clusters": (lambda **o: clusters_test(POINTS, halves, **o), ("n_samples",)),
    "difference of clusters": (
        lambda **o: cluster_difference_test(POINTS, halves, (0, 1), sigma=1.0, **o),
        ("n_samples",),
    ),
    "tree": (lambda **o: tree_test(POINTS, **o), ("n_samples", "least_size")),
    "dip of clusters": (lambda **o: clusters_dip_test(POINTS, halves, **o), ("n_splits",)),
    "intervals": (lambda **o: confidence_intervals(["rand"], TRUTH, MODEL, **o), ("n_resamples",)),
    "intervals of points": (
        lambda **o: internal_intervals(POINTS, halves(POINTS), ["silhouette"], **o),
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
    (
        lambda: clusters_dip_test(POINTS[:7], [0, 0, 0, 1, 1, 1, 1]),
        "X has 7 points: at least eight are needed",
    ),
    (
        lambda: hierarchical_posterior([[0.1, 0.2], [0.2, float("nan")]], rope=0.01),
        "the hierarchical test needs two data sets or more, with two folds or more on each",
    ),
    (
        lambda: cluster_difference_test(POINTS, 3, (0, 1), sigma=1.0),
        "clusterer is an int: give a clusterer, or a function X -> labels",
    ),
]


@pytest.mark.parametrize(("call", "line"), LINES, ids=[line for _, line in LINES])
def test_lines(call: Callable[[], Any], line: str) -> None:
    with raises_line(InputError, line):
        call()


NAMES: list[tuple[str, Callable[..., Any]]] = [
    ("nulls", lambda given: clusters_test(POINTS, halves, nulls=given)),
    ("nulls", lambda given: tree_test(POINTS, nulls=given)),
    ("indices", lambda given: confidence_intervals(given, TRUTH, MODEL)),
    ("indices", lambda given: internal_intervals(POINTS, halves(POINTS), given)),
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
