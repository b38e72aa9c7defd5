"""Elementwise formulas have the values of one call each, and what stands for a part that is 0/0, beside the mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import find_index
from adjudge.indices.catalog import all_indices
from adjudge.indices.label_rankings import OF_INSTANCES
from adjudge.indices.label_sets import PARTS
from adjudge.indices.record import Index
from adjudge.inference.classes.label_sums import ScoredLabels
from adjudge.inference.influence import Influence
from adjudge.inference.interval import interval_of
from adjudge.inference.linear import of_counts
from adjudge.statistics.agreement import CELLS, Agreement, WeightedAgreement
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion

TRUTH, FOUND = ["a", "a", "b", "b", "b", "c"], ["a", "b", "b", "d", "b", "c"]
CLASSES = ["a", "b", "c", "d"]
TRUE_SETS: list[set[str]] = [{"a"}, {"b"}, {"a", "b"}, set(), {"c", "a"}, set(), {"a", "b", "c"}]
FOUND_SETS: list[set[str]] = [{"a"}, {"c"}, {"b"}, set(), set(), {"a"}, {"a", "b", "c"}]
SCORES = np.random.default_rng(0).integers(0, 4, size=(7, 3)).astype(float)
WEIGHTS = [1.0, 2.0, 0.5, 3.0, 1.0, 1.5, 2.5]


def mean_of(parts: list[float], undefined: Any, weights: list[float] | None = None) -> float:
    """Mean of parts; those that are nan are replaced, or left out, or leave nothing defined."""
    weights = weights or [1.0] * len(parts)
    if undefined == "nan" and any(map(math.isnan, parts)):
        return math.nan
    if undefined not in ("nan", "skip"):
        parts = [undefined if math.isnan(part) else part for part in parts]
    known = [(part, weight) for part, weight in zip(parts, weights, strict=True) if not math.isnan(part)]
    total = sum(weight for _, weight in known)
    return sum(part * weight for part, weight in known) / total if total else math.nan


def share(top: float, bottom: float) -> float:
    return top / bottom if bottom else math.nan


def counts(label: str) -> dict[str, int]:
    pairs = [(t == label, f == label) for t, f in zip(TRUTH, FOUND, strict=True)]
    names = {"tp": (True, True), "fn": (True, False), "fp": (False, True), "tn": (False, False)}
    return {name: pairs.count(pair) for name, pair in names.items()}


OF_CLASSES: dict[str, tuple[str, str]] = {
    "recall": ("tp", "fn"),
    "precision": ("tp", "fp"),
    "specificity": ("tn", "fp"),
    "negative_predictive_value": ("tn", "fn"),
    "false_positive_rate": ("fp", "tn"),
    "false_negative_rate": ("fn", "tp"),
    "false_discovery_rate": ("fp", "tp"),
    "false_omission_rate": ("fn", "tn"),
}


#: Of the truth 0 1 1 0 1 and the prediction 0 1 0 1 1, with 0 and with 1 as the positive class.
PARTS_OF_TWO = {
    "recall": (1 / 2, 2 / 3),
    "precision": (1 / 2, 2 / 3),
    "specificity": (2 / 3, 1 / 2),
    "negative_predictive_value": (2 / 3, 1 / 2),
    "false_positive_rate": (1 / 3, 1 / 2),
    "false_negative_rate": (1 / 2, 1 / 3),
    "false_discovery_rate": (1 / 2, 1 / 3),
    "false_omission_rate": (1 / 3, 1 / 2),
}


@pytest.mark.parametrize("undefined", ["nan", "skip", 0, 1])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_means_over_classes(name: str, undefined: Any) -> None:
    top, rest = OF_CLASSES[name]
    of = [counts(label) for label in CLASSES]
    parts = [share(own[top], own[top] + own[rest]) for own in of]
    record = find_index(name, "classification")
    for average in ("macro", None):
        found = record(TRUTH, FOUND, classes=CLASSES, average=average, undefined=undefined)
        assert found == pytest.approx(mean_of(parts, undefined), nan_ok=True)
    summed = {cell: sum(own[cell] for own in of) for cell in ("tp", "fp", "fn", "tn")}
    assert record(TRUTH, FOUND, classes=CLASSES, average="micro") == share(
        summed[top], summed[top] + summed[rest]
    )
    sizes = [float(TRUTH.count(label)) for label in CLASSES]
    weighted = [0.0 if not size else part for part, size in zip(parts, sizes, strict=True)]
    found = record(TRUTH, FOUND, classes=CLASSES, average="weighted", undefined=undefined)
    assert found == pytest.approx(mean_of(weighted, undefined, sizes), nan_ok=True)
    two = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    by_class = [
        adjudge.evaluate(*two, kind="classification", indices=[name], positive=positive)[name]
        for positive in (0, 1)
    ]
    assert by_class == [PARTS_OF_TWO[name][0], PARTS_OF_TWO[name][1]]
    assert record(*two) == by_class[1]
    assert record(*two, average="macro") == pytest.approx(sum(by_class) / 2)


@pytest.mark.parametrize("undefined", ["nan", "skip", 0, 1])
def test_the_geometric_mean_of_recalls(undefined: Any) -> None:
    recalls = [1 / 2, 2 / 3, 1.0, math.nan]
    logs = [math.log(r) if r == r else r for r in recalls]
    found = adjudge.g_mean(TRUTH, FOUND, classes=CLASSES, undefined=undefined)
    if undefined == 0:
        assert found == 0
    else:
        replaced = 0.0 if undefined == 1 else undefined
        assert found == pytest.approx(math.exp(mean_of(logs, replaced)), nan_ok=True)
    with pytest.raises(adjudge.InputError, match="undefined='zero'"):
        adjudge.g_mean(TRUTH, FOUND, undefined="zero")


OF_SETS: dict[str, Callable[[set[str], set[str]], float]] = {
    "samples_precision": lambda t, f: share(len(t & f), len(f)),
    "samples_recall": lambda t, f: share(len(t & f), len(t)),
    "samples_f1": lambda t, f: share(2 * len(t & f), len(t) + len(f)),
    "samples_jaccard": lambda t, f: share(len(t & f), len(t | f)),
}


def score_of(name: str) -> Any:
    return next(r for r in adjudge.list_indices("multilabel") if r.name == name)


@pytest.mark.parametrize("undefined", ["nan", "skip", 0, 1])
@pytest.mark.parametrize("name", OF_SETS)
def test_means_over_instances(name: str, undefined: Any) -> None:
    assert list(OF_SETS) == list(PARTS)
    parts = [OF_SETS[name](t, f) for t, f in zip(TRUE_SETS, FOUND_SETS, strict=True)]
    found = score_of(name)(TRUE_SETS, FOUND_SETS, undefined=undefined)
    assert found == pytest.approx(mean_of(parts, undefined), nan_ok=True)
    # The mean is what its interval is of.
    if undefined == "skip":
        shown = adjudge.evaluate(TRUE_SETS, FOUND_SETS, kind="multilabel", indices=[name], confidence=0.9)
        own = shown.scores[name]
        if own.low is not None:
            assert own.low < own.value < own.high


def ranked(true: set[str], scores: np.ndarray) -> dict[str, float]:
    is_true = np.array([label in true for label in "abc"])
    as_high = [(scores >= s).sum() for s in scores[is_true]]
    hits = [(scores[is_true] >= s).sum() for s in scores[is_true]]
    pairs = [(t, f) for t in scores[is_true] for f in scores[~is_true]]
    best = scores == scores.max()
    return {
        "label_ranking_average_precision": share(
            sum(h / a for h, a in zip(hits, as_high, strict=True)), len(hits)
        ),
        "coverage_error": float(max(as_high, default=0)),
        "label_ranking_loss": share(sum((f > t) + 0.5 * (f == t) for t, f in pairs), len(pairs)),
        "one_error": float((best & ~is_true).sum() / best.sum()),
    }


USUAL = {"label_ranking_average_precision": 1}


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("name", OF_INSTANCES)
def test_means_over_ranked_instances(name: str, weights: list[float] | None) -> None:
    parts = [ranked(true, scores)[name] for true, scores in zip(TRUE_SETS, SCORES, strict=True)]
    record = score_of(name)

    def found(**options: Any) -> float:
        return float(
            record(TRUE_SETS, scores=SCORES, classes=["a", "b", "c"], sample_weight=weights, **options)
        )

    if "undefined" in record.parameters:
        for undefined in ("nan", "skip", 0, 1):
            expected = mean_of(parts, undefined, weights)
            assert found(undefined=undefined) == pytest.approx(expected, nan_ok=True), undefined
    usual = mean_of(parts, USUAL.get(name, "skip"), weights)
    assert found() == pytest.approx(usual)
    if weights is None:
        shown = adjudge.evaluate(
            TRUE_SETS,
            probabilities=SCORES / 4,
            classes=["a", "b", "c"],
            kind="multilabel",
            indices=[name],
            confidence=0.9,
        ).scores[name]
        assert shown.value == pytest.approx(usual)
        # The interval is that of the mean of the parts, stand-ins among them.
        alike = [USUAL.get(name, math.nan) if math.isnan(part) else part for part in parts]
        known = np.array([part for part in alike if not math.isnan(part)])
        limits = 0.0, 3.0 if name == "coverage_error" else 1.0
        mean = float(known.mean())
        fall, rise = (abs(end - mean) / (known.size + 1) for end in limits)
        psi = [0.0 if math.isnan(part) else (part - mean) * len(alike) / known.size for part in alike]
        expected = interval_of(Influence.centred(mean, np.array(psi), rise=rise, fall=fall), limits, 0.9)
        assert (shown.interval or (math.nan, math.nan)) == pytest.approx([*expected], nan_ok=True)


ELEMENTWISE = [record for record in all_indices().values() if record.elementwise]
OF_COUNTS = [record for record in ELEMENTWISE if issubclass(ClassCounts, record.requires[0])]
OF_MODELS = [record for record in ELEMENTWISE if record.requires == (Agreement,)]
# A class that is never predicted, one that is never right, one that is always, and one that does not occur.
TABLES = np.array(
    [
        [[30, 4, 1], [3, 40, 5], [2, 6, 20]],
        [[30, 4, 0], [3, 40, 0], [2, 6, 0]],
        [[0, 4, 1], [3, 40, 5], [2, 6, 20]],
        [[30, 0, 0], [0, 40, 5], [0, 6, 20]],
        [[30, 4, 1], [0, 0, 0], [2, 6, 20]],
        [[5, 0, 0], [0, 5, 0], [0, 0, 5]],
    ],
    np.float64,
)


def _counts(table: Any, positive: int | None, outside: Any) -> ClassCounts:
    """Count by class; a table of several populations has them along its last axis."""
    right = np.moveaxis(np.diagonal(table), -1, 0)
    true, predicted = table.sum(axis=1), table.sum(axis=0)
    true = true + np.stack([outside, 0 * outside, 0 * outside])
    return ClassCounts(list("abc"), true, predicted, right, true.sum(axis=0), positive, {"none": outside})


def test_records_of_classes_and_of_two_models_are_all_that_say_so() -> None:
    assert {record.name for record in (*OF_COUNTS, *OF_MODELS)} == {record.name for record in ELEMENTWISE}
    defaults = {"accuracy", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "macro_f1"}
    assert defaults <= {record.name for record in OF_COUNTS}


@pytest.mark.parametrize("undefined", ["nan", "skip", 0])
@pytest.mark.parametrize("positive", [None, 1])
@pytest.mark.parametrize("record", OF_COUNTS, ids=lambda record: record.name)
def test_scores_of_classes(record: Index, positive: int | None, undefined: Any) -> None:
    chosen = {"undefined": undefined} if "undefined" in record.parameters else {}
    outside = np.array([0.0, 2.0, 0.0, 0.0, 3.0, 0.0])
    each = [
        record.assess(_counts(table, positive, alone), **chosen)[0]
        for table, alone in zip(TABLES, outside, strict=True)
    ]
    if not np.isfinite(each[0]):
        return  # no slope is sought
    found = record.of_several(_counts(np.moveaxis(TABLES, 0, -1), positive, outside), **chosen)
    np.testing.assert_allclose(found, each, rtol=1e-12)


@pytest.mark.parametrize("record", OF_MODELS, ids=lambda record: record.name)
def test_measures_of_two_models(record: Index) -> None:
    cells = np.array([[28, 5, 3, 4], [28, 0, 0, 4], [0, 5, 3, 4], [0, 0, 0, 9], [9, 0, 0, 0]], np.float64).T
    each = [record.assess(WeightedAgreement(*own))[0] for own in cells.T.tolist()]
    np.testing.assert_allclose(record.of_several(of_counts(Agreement, CELLS, cells)), each, rtol=1e-12)


@pytest.mark.parametrize(
    "matrix", [TABLES[0].astype(int), TABLES[0] / 7, TABLES[3].astype(int), TABLES[5].astype(int)]
)
@pytest.mark.parametrize("positive", [None, "b"])
def test_slopes_are_those_of_one_call_for_each_step(matrix: Any, positive: Any) -> None:
    confusion = Confusion(list("abc"), matrix)
    for record in OF_COUNTS:
        at_once = ScoredLabels(confusion, positive).of(record)
        by_step = ScoredLabels(confusion, positive).of(replace(record, elementwise=False))
        np.testing.assert_allclose(at_once.slope, by_step.slope, rtol=1e-7, atol=1e-9, err_msg=record.name)
        assert at_once.value == by_step.value or not at_once.known
