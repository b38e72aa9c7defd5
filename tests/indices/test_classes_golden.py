"""Scores of hard labels against exact values, and where other programs differ."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.indices.class_measures import MEASURES, average_of, f_measure_of_classes, value_by_class
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.weighted import WeightedContingency
from conftest import as_number, case_name, read_reference, reference_cases
from naive_classes import BY_CLASS

CASES = reference_cases("classifiers/hard")
NAMES = {
    "negative_predictive_value": "npv",
    "false_positive_rate": "fpr",
    "false_negative_rate": "fnr",
    "false_discovery_rate": "fdr",
    "false_omission_rate": "for",
    "matthews_correlation": "mcc",
    "positive_likelihood_ratio": "lr_plus",
    "negative_likelihood_ratio": "lr_minus",
    "diagnostic_odds_ratio": "dor",
}
OVERALL = {
    "accuracy": "accuracy_listed_rows",
    "balanced_accuracy": "balanced_accuracy_present_classes",
    "macro_recall": "balanced_accuracy_strict",
    "adjusted_balanced_accuracy": "balanced_accuracy_adjusted_present_classes",
    "g_mean": "gmean_of_recalls",
    "cohen_kappa": "cohen_kappa",
    "scott_pi": "scott_pi",
    "gwet_ac1": "gwet_ac1",
    "brennan_prediger": "brennan_prediger",
    "linear_weighted_kappa": "weighted_kappa_linear",
    "quadratic_weighted_kappa": "weighted_kappa_quadratic",
    "matthews_correlation": "mcc_multiclass",
}


def counted(case: dict[str, Any]) -> tuple[ClassCounts, Confusion]:
    """Counts by class over all rows, and the confusion matrix of the listed classes."""
    every = sorted({*case["labels_true"], *case["labels_pred"], *case["labels"]}, key=str)
    labels, weights = (case["labels_true"], case["labels_pred"]), case["sample_weight"]
    table = (
        Contingency.from_labels(*labels)
        if weights is None
        else WeightedContingency.from_labels(*labels, weights)
    )
    counts = ClassCounts.make(table, classes=every)
    confusion = Confusion.make(table, classes=every)
    return counts.take(case["labels"]), confusion.take(case["labels"])


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, np.vectorize(as_number)(wanted), rtol=1e-12, atol=1e-12)


def by_definition(name: str, exact: dict[str, Any]) -> list[float]:
    """Compute a measure that the stored values do not have."""
    assert name in BY_CLASS, f"{name} is not in tests/reference: add its definition to tests/naive_classes.py"
    cells = zip(*(map(Fraction, exact[cell]) for cell in ("tp", "fp", "fn", "tn")), strict=True)
    return [float(BY_CLASS[name](*own)) for own in cells]


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_by_class(path: Path) -> None:
    case = read_reference(path)
    exact = case["exact"]["per_class"]
    counts, confusion = counted(case)
    close(confusion.matrix, case["exact"]["confusion"])
    close(counts.true, exact["support"])
    close(counts.predicted, exact["predicted"])
    rest = counts.one_versus_rest
    for name in ("tp", "fp", "fn", "tn"):
        close(getattr(rest, name).astype(float), exact[name])
    for name in MEASURES:
        if name == "positive_likelihood_ratio" and len(case["labels"]) == 1:
            # The reference divides by a false positive rate that is itself 0/0.
            assert math.isnan(value_by_class(name, counts)[0])
        elif name in (
            of_size := {"selection_rate": "predicted", "prevalence": "support", "detection_rate": "tp"}
        ):
            shares = [as_number(size) / float(counts.n) for size in exact[of_size[name]]]
            close(value_by_class(name, counts), shares)
        else:
            close(
                value_by_class(name, counts), exact.get(NAMES.get(name, name)) or by_definition(name, exact)
            )
    for beta in (0.5, 2):
        close(value_by_class(f_measure_of_classes(beta), counts), exact[f"f{beta}"])


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_averages(path: Path) -> None:
    case = read_reference(path)
    counts, _ = counted(case)

    def value(result: Any) -> float:
        return result.value if isinstance(result, adjudge.indices.record.Noted) else result

    for name, exact in case["exact"]["averages"].items():
        ours = next((long for long, short in NAMES.items() if short == name), name)
        measure = f_measure_of_classes(float(name[1:])) if name[:1] == "f" and name[1:2].isdigit() else ours
        for average in ("micro", "macro", "weighted"):
            close(value(average_of(measure, counts, average, "nan")), exact[average])
        for average in ("macro", "weighted"):
            close(value(average_of(measure, counts, average, "skip")), exact[f"{average}_defined_only"])
            close(value(average_of(measure, counts, average, 0)), exact[f"{average}_zero"])


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_overall(path: Path) -> None:
    case = read_reference(path)
    _, confusion = counted(case)
    for ours, theirs in OVERALL.items():
        record = adjudge.find_index(ours, "classification")
        statistic = confusion if record.requires == (Confusion,) else confusion.by_class()
        close(record.of(statistic), case["exact"]["overall"].get(theirs))


def test_macro_average_names_the_classes_for_which_it_is_undefined() -> None:
    table = Contingency.from_labels(["a", "b", "c", "d", "e"], ["a", "a", "a", "a", "a"])
    value, reason = adjudge.macro_precision.assess(ClassCounts.make(table))
    assert math.isnan(value)
    assert reason == "0/0: each of the classes 'b', 'c', 'd' and 1 more is never predicted"
    assert adjudge.macro_precision(["a", "b"], ["a", "a"], undefined=0) == 0.25
    assert adjudge.macro_precision(["a", "b"], ["a", "a"], undefined=1) == 0.75
    assert adjudge.macro_precision(["a", "b"], ["a", "a"], undefined="skip") == 0.5
    with pytest.raises(adjudge.InputError, match="undefined='zero' is not known"):
        adjudge.macro_precision(["a", "b"], ["a", "a"], undefined="zero")


def test_the_positive_class_is_the_second_of_two_or_the_one_named() -> None:
    table = Contingency.from_labels(["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"])
    recall = adjudge.find_index("recall", "classification")
    assert recall.of(ClassCounts.make(table)) == 1.0
    assert recall.of(ClassCounts.make(table, positive="no")) == 0.5
    assert recall.of(ClassCounts.make(table, classes=["yes", "no"])) == 0.5
    with pytest.raises(
        adjudge.InputError, match="positive='maybe' is not a class: choose one of 'no', 'yes'"
    ):
        ClassCounts.make(table, positive="maybe")
    three = Contingency.from_labels([0, 1, 2], [0, 1, 1])
    assert recall.of(ClassCounts.make(three)) == pytest.approx(2 / 3)
    assert recall.of(ClassCounts.make(three, positive=2)) == 0
    asked = recall.assess(ClassCounts.make(three), average="binary")
    assert asked[1] is not None
    assert asked[1].startswith("there are 3 classes: name one as positive")
    alone = recall.assess(ClassCounts.make(Contingency.from_labels([0, 0], [0, 0])))
    assert alone[1] == "the truth has one class, and it is not named as positive"


def test_classes_that_are_asked_for_fix_the_order_and_may_be_empty() -> None:
    table = Contingency.from_labels(["a", "b", "b"], ["a", "a", "b"])
    counts = ClassCounts.make(table, classes=["b", "c", "a"])
    assert counts.true.tolist() == [2, 0, 1]
    assert counts.predicted.tolist() == [1, 0, 2]
    with pytest.raises(
        adjudge.InputError, match="labels_true has 'b' 2 times, which is not among the classes"
    ):
        ClassCounts.make(table, classes=["a"])
    with pytest.raises(adjudge.InputError, match="classes names 'a' twice"):
        Confusion.make(table, classes=["a", "b", "a"])


def test_counts_are_exact_where_products_pass_an_int64() -> None:
    n = 10**10
    counts = ClassCounts(
        ["a", "b"], np.array([n, n]), np.array([n - 1, n + 1]), np.array([n - 1, n]), 2 * n, 1
    )
    assert adjudge.matthews_correlation.of(counts) == pytest.approx(1 - 1 / n, rel=1e-15)
    assert value_by_class("informedness", counts)[1] == 1 - 1 / n
    assert value_by_class("matthews_correlation", counts)[0] == pytest.approx(1 - 1 / n, rel=1e-15)


def test_counts_of_parts_add_up() -> None:
    rng = np.random.default_rng(0)
    truth, said = rng.integers(0, 3, 50), rng.integers(0, 3, 50)
    whole = ClassCounts.make(Contingency.from_labels(truth, said))
    parts = [
        ClassCounts.make(Contingency.from_labels(truth[s], said[s]), classes=[0, 1, 2])
        for s in (slice(0, 20), slice(20, 50))
    ]
    total = parts[0] + parts[1]
    for name in ("true", "predicted", "right"):
        assert getattr(total, name).tolist() == getattr(whole, name).tolist()
    assert total.n == whole.n


def test_most_confused_pairs_of_classes() -> None:
    table = Contingency.from_labels([0, 0, 0, 1, 1, 2], [1, 1, 0, 2, 1, 2])
    assert Confusion.make(table).most_confused() == [(0, 1, 2), (1, 2, 1)]
