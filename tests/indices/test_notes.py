"""What indices say when they have no value, and values of averages over classes at their ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.indices.catalog import find_index
from adjudge.indices.class_measures import MEASURES, average_of, averaged, named_classes
from adjudge.indices.record import Noted
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.label_rankings import LabelRankings

NONE_TRUE, ALL_TRUE = np.zeros((3, 2), int), np.ones((3, 2), int)
PROBABILITIES = np.array([[0.2, 0.7], [0.6, 0.6], [0.1, 0.9]])
CHANCES = [0.1, 0.2, 0.3]
MULTILABEL = {"kind": "multilabel"}
RANKED = {"probabilities": PROBABILITIES, **MULTILABEL}
NONE_POSITIVE = {"probabilities": CHANCES, "kind": "classification", "positive": 1, "classes": [0, 1]}
ALL_CLASSES = {"probabilities": np.eye(3), "kind": "classification"}
NAME_ONE = "no class is the positive one: name one as positive"

CASES: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("label_ranking_loss", (NONE_TRUE,), RANKED, "0/0: 3 instances have every label or none"),
    ("label_ranking_loss", (ALL_TRUE,), RANKED, "0/0: 3 instances have every label or none"),
    ("micro_roc_auc", (NONE_TRUE,), RANKED, "0/0: every label of every instance is true, or none"),
    ("micro_roc_auc", (ALL_TRUE,), RANKED, "0/0: every label of every instance is true, or none"),
    ("micro_average_precision", (NONE_TRUE,), RANKED, "0/0: no label of any instance is true"),
    ("samples_f1", (NONE_TRUE, NONE_TRUE), MULTILABEL, "0/0: no instance has such a label"),
    ("debiased_calibration_error", ([0, 0, 0],), NONE_POSITIVE, "no bin has two instances"),
    (
        "debiased_calibration_error",
        ([0, 1, 0],),
        {**NONE_POSITIVE, "sample_weight": [1, 2, 3]},
        "weights do not say how many instances a bin has",
    ),
    ("brier_reliability", ([0, 1, 2],), ALL_CLASSES, NAME_ONE),
    ("brier_resolution", ([0, 1, 2],), ALL_CLASSES, NAME_ONE),
    ("youden_index", ([0, 1, 2],), ALL_CLASSES, NAME_ONE),
    ("maximum_f1", ([0, 1, 2],), ALL_CLASSES, NAME_ONE),
    (
        "maximum_f1",
        ([0, 0, 0],),
        NONE_POSITIVE,
        "0/0: the truth has no instance of the positive class",
    ),
    (
        "youden_index",
        ([0, 0, 0],),
        NONE_POSITIVE,
        "0/0: the truth has no instance of the positive class, or no other",
    ),
    ("roc_auc", ([0, 0, 0],), NONE_POSITIVE, "0/0: class 1 occurs never or always in the truth"),
    ("gini", ([0, 0, 0],), NONE_POSITIVE, "0/0: class 1 occurs never or always in the truth"),
    ("average_precision", ([0, 0, 0],), NONE_POSITIVE, "0/0: class 1 does not occur in the truth"),
    (
        "precision",
        (["n", "n", "p"], ["n", "n", "n"]),
        {"kind": "classification", "positive": "p"},
        "0/0: class 'p' is never predicted",
    ),
]


@pytest.mark.parametrize(("name", "given", "options", "note"), CASES)
def test_why_there_is_no_value(name: str, given: tuple[Any, ...], options: dict[str, Any], note: str) -> None:
    found = adjudge.evaluate(*given, indices=[name], **options)
    assert math.isnan(found.scores[name].value)
    assert found.reasons == {name: note}


@pytest.mark.parametrize("name", ["label_ranking_average_precision", "coverage_error", "one_error"])
@pytest.mark.parametrize("true", [NONE_TRUE, ALL_TRUE])
def test_scores_of_ranked_labels_that_always_have_a_value(name: str, true: np.ndarray) -> None:
    expected = {"coverage_error": 2.0 * true.max(), "one_error": 1.0 - true.max()}.get(name, 1.0)
    assert adjudge.evaluate(true, indices=[name], **RANKED).scores[name].value == expected


def rankings_of(precisions: list[float]) -> LabelRankings:
    values = np.array(precisions)
    return LabelRankings(2, values, values, values, np.zeros(values.size), values, None)


def test_an_average_over_instances_says_how_many_have_no_value() -> None:
    score = find_index("label_ranking_average_precision").function
    none, some = rankings_of([math.nan] * 3), rankings_of([math.nan, math.nan, 0.5])
    assert str(score(none, undefined="skip")) == str(Noted(math.nan, "0/0: 3 instances have no true label"))
    assert str(score(some, undefined="nan")) == str(Noted(math.nan, "0/0: 2 instances have no true label"))
    one = rankings_of([math.nan, 0.5])
    assert str(score(one, undefined="nan")) == str(Noted(math.nan, "0/0: 1 instance has no true label"))
    assert score(some, undefined="skip") == 0.5
    assert score(some) == pytest.approx(2.5 / 3)
    for name in ("coverage_error", "one_error"):
        assert str(find_index(name).function(none)) == str(Noted(math.nan, "0/0: 3 instances have no value"))


def test_ties_of_ranked_labels_count_as_asked() -> None:
    tied = np.array([0.5, 0.25])
    rankings = LabelRankings(2, tied, tied, np.array([0.25, 0.0]), tied, tied, None)
    loss = find_index("label_ranking_loss").function
    assert [loss(rankings, ties=ties) for ties in ("for", "half", "against")] == [0.125, 0.3125, 0.5]


# --- averages over classes ---------------------------------------------------------------------------------------


def counts(matrix: list[list[int]], classes: Any, positive: Any = None) -> Any:
    return Confusion(list(classes), np.array(matrix)).by_class(positive=positive)


def test_classes_are_named_up_to_three() -> None:
    named = [named_classes(list("abcdef"), np.arange(6) < n) for n in (1, 2, 3, 4, 6)]
    assert named == [
        "class 'a'",
        "each of the classes 'a', 'b'",
        "each of the classes 'a', 'b', 'c'",
        "each of the classes 'a', 'b', 'c' and 1 more",
        "each of the classes 'a', 'b', 'c' and 3 more",
    ]


def test_undefined_classes_of_an_average() -> None:
    found = counts(np.diag([0, 0, 0, 0, 3]).tolist(), "abcde")
    why = "0/0: each of the classes 'a', 'b', 'c' and 1 more is never predicted"
    assert str(average_of("precision", found, "macro", "nan")) == str(Noted(math.nan, why))
    assert average_of("precision", found, "macro", "skip") == 1.0
    assert average_of("precision", found, "macro", 0) == pytest.approx(0.2)
    assert average_of("precision", found, "weighted", "nan") == 1.0
    assert average_of(MEASURES["precision"], found, "micro", "nan") == 1.0
    none = averaged(np.array([math.nan, math.nan]), ["a", "b"], "x", "nan", np.zeros(2))
    assert str(none) == str(Noted(math.nan, "0/0: no class occurs in the truth"))


@pytest.mark.parametrize("undefined", ["nan", "skip", 0, 1])
def test_one_class_that_is_undefined(undefined: Any) -> None:
    found = average_of("precision", counts([[2, 0], [0, 0]], "np", "p"), None, undefined)
    noted = Noted(math.nan, "0/0: class 'p' is never predicted")
    assert str(found) == str(noted if isinstance(undefined, str) else float(undefined))


def test_one_class_that_is_infinite() -> None:
    ratio = average_of("positive_likelihood_ratio", counts([[2, 0], [1, 3]], "np", "p"), None, "nan")
    assert isinstance(ratio, Noted)
    assert ratio.value == math.inf
    assert ratio.reason.startswith("division by zero: class 'p' occurs never or always in the truth")
    # One instance above the zero is infinite, too.
    assert MEASURES["positive_likelihood_ratio"].values(
        counts([[2, 0], [1, 1]], "np").one_versus_rest
    ).tolist() == [2.0, math.inf]


@pytest.mark.parametrize("beta", [0.5, 1, 2, 3.0])
def test_the_beta_of_f(beta: float) -> None:
    truth, found = list("pppppnnnn"), list("pppnnpnnn")
    precision, recall = adjudge.precision(truth, found), adjudge.recall(truth, found)
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert (precision, recall) == (3 / 4, 3 / 5)
    assert adjudge.f1(truth, found, beta=beta) == pytest.approx(f)


def test_of_two_classes_the_second_is_positive_and_of_three_the_mean_counts() -> None:
    assert average_of("precision", counts([[5, 1], [2, 4]], "ab"), None, "nan") == 4 / 5
    matrix = [[5, 1, 0], [2, 4, 1], [0, 0, 9]]
    assert average_of("precision", counts(matrix, "abc"), None, "nan") == pytest.approx(
        (5 / 7 + 0.8 + 0.9) / 3
    )
    for positive, expected in zip("abc", (5 / 7, 0.8, 0.9), strict=True):
        assert average_of("precision", counts(matrix, "abc", positive), None, "nan") == pytest.approx(
            expected
        )


def test_one_cluster_has_no_dispersion_between_clusters_whatever_rounding_does() -> None:
    # The mean of 150 equal numbers, as a sum of products, is not that number.
    points = np.random.default_rng(0).normal(3.7, 1.0, (150, 4))
    one = adjudge.evaluate(
        X=points, labels=[0] * 150, indices=["ratkowsky_lance", "trace_wib", "log_ss_ratio", "tau_b"]
    )
    assert one["ratkowsky_lance"] == one["trace_wib"] == 0
    assert one["log_ss_ratio"] == -math.inf
    assert one.reasons["log_ss_ratio"] == "log 0: there is only one cluster"
    assert one.reasons["tau_b"].startswith("0/0: there is no pair of distances to compare")
