"""Several labels per instance: golden values, definitions instance by instance, scikit-learn, and every way in."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import adjudge
from adjudge import compare, evaluate
from adjudge.errors import InputError, InputTypeError
from adjudge.given.label_scores import read_label_scores
from adjudge.given.label_sets import read_label_sets
from adjudge.statistics.label_rankings import LabelRankings
from adjudge.statistics.label_sets import SetCounts, SetSizes
from cases import each
from conftest import raises_line

GOLDEN = sorted((Path(__file__).parents[1] / "reference/classifiers/multilabel").glob("*.json"))
SETS = st.lists(
    st.tuples(st.frozensets(st.sampled_from("abcd")), st.frozensets(st.sampled_from("abcd"))),
    min_size=1,
    max_size=8,
)
LABELS = list("abcd")


def mean(values: list[Fraction | None]) -> float:
    known = [value for value in values if value is not None]
    return float(sum(known, Fraction(0)) / len(known)) if known else math.nan


def share(top: int, bottom: int) -> Fraction | None:
    return Fraction(top, bottom) if bottom else None


@given(SETS)
def test_every_score_is_what_its_definition_says(cases: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    true, said = ([set(own) for own in side] for side in zip(*cases, strict=True))
    judged = evaluate(true, said, kind="multilabel", classes=LABELS, indices="all")
    pairs = list(zip(true, said, strict=True))
    wanted = {
        "hamming_loss": float(Fraction(sum(len(t ^ p) for t, p in pairs), len(pairs) * 4)),
        "subset_accuracy": float(Fraction(sum(t == p for t, p in pairs), len(pairs))),
        "samples_precision": mean([share(len(t & p), len(p)) for t, p in pairs]),
        "samples_recall": mean([share(len(t & p), len(t)) for t, p in pairs]),
        "samples_f1": mean([share(2 * len(t & p), len(t) + len(p)) for t, p in pairs]),
        "samples_jaccard": mean([share(len(t & p), len(t | p)) for t, p in pairs]),
        "micro_precision": mean([share(sum(len(t & p) for t, p in pairs), sum(len(p) for _, p in pairs))]),
        "micro_recall": mean([share(sum(len(t & p) for t, p in pairs), sum(len(t) for t, _ in pairs))]),
    }
    for name, value in wanted.items():
        assert judged[name] == pytest.approx(value, rel=1e-14, nan_ok=True), name
        assert math.isnan(value) == (name in judged.reasons)
    for label in LABELS:
        row = judged.by_class[label]  # type: ignore[attr-defined]
        both = sum(label in t and label in p for t, p in pairs)
        assert row.support == sum(label in t for t, _ in pairs)
        assert row.predicted == sum(label in p for _, p in pairs)
        assert row["recall"] == pytest.approx(mean([share(both, row.support)]), nan_ok=True)
        neither = sum(label not in t and label not in p for t, p in pairs)
        absent = sum(label not in t for t, _ in pairs)
        assert row["specificity"] == pytest.approx(mean([share(neither, absent)]), nan_ok=True)


@given(SETS, st.integers(1, 7))
def test_statistics_of_parts_add_up(cases: list[tuple[frozenset[str], frozenset[str]]], cut: int) -> None:
    def made(part: list[Any]) -> tuple[SetCounts, SetSizes]:
        true, said = ([set(own) for own in side] for side in zip(*part, strict=True))
        sets = read_label_sets({"true": true, "said": said}, LABELS)
        return SetCounts.make(*sets.values()), SetSizes.make(*sets.values())

    if cut < len(cases):
        whole, first, second = made(cases), made(cases[:cut]), made(cases[cut:])
        counts, sizes = first[0] + second[0], first[1] + second[1]
        assert type(counts) is SetCounts
        for name in ("true", "predicted", "right", "n"):
            assert np.array_equal(getattr(counts, name), getattr(whole[0], name))
        for name in ("both", "true", "predicted", "counts"):
            assert np.array_equal(getattr(sizes, name), getattr(whole[1], name))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_values_are_the_golden_ones(path: Path) -> None:
    case = json.loads(path.read_text())
    if case["sample_weight"]:
        pytest.skip("instances have no weights here")
    exact = case["exact"]
    true, said = np.array(case["Y_true"]), np.array(case["Y_pred"])
    judged = evaluate(true, said, kind="multilabel", indices="all")

    def close(found: float, wanted: Any) -> None:
        assert found == pytest.approx(float(str(wanted).lower()), rel=1e-12, abs=1e-14, nan_ok=True)

    close(judged["hamming_loss"], exact["hamming_loss"])
    close(judged["subset_accuracy"], exact["subset_accuracy"])
    for measure in ("precision", "recall", "f1", "jaccard"):
        index = adjudge.find_index(f"samples_{measure}")
        close(judged[f"samples_{measure}"], exact["samples"][f"{measure}_defined_only"])
        for stand_in in (0, 1):
            found = index(true, said, undefined=stand_in)
            close(found, exact["samples"][f"{measure}_undefined_as_{stand_in}"])
        close(judged[f"micro_{measure}"], exact["micro"][measure])
        by_label = exact["per_label"][measure]
        for label, wanted in enumerate(by_label):
            close(judged.by_class[label][measure], wanted)  # type: ignore[attr-defined]
        if "NaN" not in by_label:
            close(judged[f"macro_{measure}"], exact["macro"][f"{measure}_defined_only"])
            close(judged[f"weighted_{measure}"], exact["weighted"][f"{measure}_undefined_as_0"])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_rankings_are_the_golden_ones(path: Path) -> None:
    case = json.loads(path.read_text())
    exact, theirs = case["exact"], case["scikit-learn 1.9.1"]
    true, scores = np.array(case["Y_true"]), np.array(case["score"], float)
    weighed = {"sample_weight": case["sample_weight"]}

    def close(found: float, wanted: Any) -> None:
        assert found == pytest.approx(float(wanted), rel=1e-12, abs=1e-14, nan_ok=True)

    def of(name: str, **options: Any) -> float:
        index = adjudge.find_index(name)
        return index(true, scores=scores, **weighed, **options)

    judged = evaluate(
        true, np.array(case["Y_pred"]), kind="multilabel", indices="all", scores=scores, **weighed
    )
    close(judged["coverage_error"], exact["coverage_error"])
    close(judged["label_ranking_average_precision"], exact["label_ranking_average_precision"])
    close(judged["label_ranking_loss"], exact["label_ranking_loss_ties_half_defined_only"])
    close(judged["one_error"], exact["one_error_ties_averaged"])
    close(of("label_ranking_loss", ties="against", undefined=0), exact["label_ranking_loss_ties_wrong"])
    for name in ("coverage_error", "label_ranking_average_precision", "label_ranking_loss", "one_error"):
        close(of(name), judged[name])
    close(judged["micro_roc_auc"], theirs["roc_auc_micro"])
    if true.any():
        close(judged["micro_average_precision"], theirs["average_precision_micro"])
    if true.any(axis=0).all() and not true.all(axis=0).any():
        close(judged["roc_auc_ovr"], theirs["roc_auc_macro"])
        close(judged["roc_auc_ovr_weighted"], theirs["roc_auc_weighted"])
        close(judged["macro_average_precision"], theirs["average_precision_macro"])
        close(judged["weighted_average_precision"], theirs["average_precision_weighted"])


@each("seed", range(300), keep=13)
def test_rankings_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(1, 30)), int(rng.integers(2, 7))
    true = (rng.random((n, width)) < rng.random()).astype(int)
    scores = rng.random((n, width)) if seed % 2 else rng.integers(0, 4, (n, width)) / 4
    weights = None if seed % 3 else np.round(rng.random(n), 2) + 0.01 * (rng.random(n) < 0.9)
    if weights is not None and not weights.any():
        weights = None

    def same(name: str, theirs: Any, **options: Any) -> None:
        found = adjudge.find_index(name)(true, scores, sample_weight=weights, **options)
        wanted = theirs(true, scores, sample_weight=weights)
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-14), name

    same("label_ranking_average_precision", metrics.label_ranking_average_precision_score)
    same("coverage_error", metrics.coverage_error)
    same("label_ranking_loss", metrics.label_ranking_loss, ties="against", undefined=0)
    weighty = true if weights is None else true[weights > 0]
    if weighty.any() and not weighty.all():
        for name, theirs in (
            ("micro_roc_auc", metrics.roc_auc_score),
            ("micro_average_precision", metrics.average_precision_score),
        ):
            same(name, lambda *a, own=theirs, **k: own(*a, average="micro", **k))
    if weighty.any(axis=0).all() and not weighty.all(axis=0).any():
        judged = evaluate(true, probabilities=scores, kind="multilabel", indices="all", sample_weight=weights)
        for average, name in (("macro", "roc_auc_ovr"), ("weighted", "roc_auc_ovr_weighted")):
            wanted = metrics.roc_auc_score(true, scores, average=average, sample_weight=weights)
            assert judged[name] == pytest.approx(wanted, rel=1e-12)
        for average in ("macro", "weighted"):
            wanted = metrics.average_precision_score(true, scores, average=average, sample_weight=weights)
            assert judged[f"{average}_average_precision"] == pytest.approx(wanted, rel=1e-12)
        areas = [row["roc_auc"] for row in judged.by_class.values()]  # type: ignore[attr-defined]
        wanted = metrics.roc_auc_score(true, scores, average=None, sample_weight=weights)
        assert areas == pytest.approx(list(wanted), rel=1e-12)


@pytest.mark.full(keep=11)
@pytest.mark.parametrize("seed", range(40))
def test_whole_weights_are_repetition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true, said = rng.random((2, 12, 4)) < 0.4
    scores = rng.integers(0, 6, (12, 4)) / 5
    counts = rng.integers(0, 4, 12)
    counts[0] = 1
    times = np.repeat(np.arange(12), counts)
    options = {"kind": "multilabel", "indices": "all", "confidence": 0.9}
    whole = evaluate(true[times], said[times], probabilities=scores[times], **options)
    for weights in ({"counts": counts}, {"sample_weight": counts, "weights": "frequency"}):
        found = evaluate(true, said, probabilities=scores, **weights, **options)
        assert found.n == whole.n
        for name, value in whole.values.items():
            assert found[name] == pytest.approx(value, rel=1e-12, nan_ok=True), name
            assert (found.intervals.get(name) is None) == (whole.intervals.get(name) is None)
            if name in whole.intervals:
                assert found.intervals[name] == pytest.approx(whole.intervals[name], rel=1e-9), name
    half = evaluate(
        true, said, probabilities=scores, sample_weight=counts / 2, kind="multilabel", indices="all"
    )
    assert half.values == pytest.approx(whole.values, rel=1e-12, nan_ok=True)
    models = {"one": said, "two": ~said}
    pair = compare(true, models, kind="multilabel", counts=counts)["one", "two"]
    apart = compare(true[times], {name: own[times] for name, own in models.items()}, kind="multilabel")
    assert pair.agreement == apart["one", "two"].agreement
    light = compare(true, models, kind="multilabel", sample_weight=counts / 2)["one", "two"]
    assert light.right_wrong == pytest.approx(pair.right_wrong / 2)
    assert dict(light.measures) == pytest.approx(dict(pair.measures), nan_ok=True)
    cell = pair.instances("right_wrong")
    assert {int(i) for i, _ in cell} <= set(np.flatnonzero(counts).tolist())
    assert all(said[i, j] == true[i, j] for i, j in cell)


def test_probabilities_are_given_in_every_way() -> None:
    rng = np.random.default_rng(3)
    true, scores = rng.random((30, 3)) < 0.5, np.round(rng.random((30, 3)), 2)
    pandas = pytest.importorskip("pandas")
    wanted = evaluate(true, scores >= 0.5, probabilities=scores, kind="multilabel", classes=list("abc"))
    sets = [{label for label, has in zip("abc", row, strict=True) if has} for row in true]
    both = [np.column_stack([1 - scores[:, j], scores[:, j]]) for j in range(3)]
    frame = pandas.DataFrame(scores, columns=list("abc"))
    for labels, shares, classes in (
        (true, frame, None),
        (sets, frame[["c", "a", "b"]], None),
        (sets, frame[["c", "a", "b"]], ["b", "a", "c"]),
        (sets, scores, list("abc")),
        (sets, both, None),
    ):
        found = evaluate(labels, probabilities=shares, kind="multilabel", classes=classes)
        assert found.values == pytest.approx(wanted.values, rel=1e-13)
        assert found.by_class["b"]["roc_auc"] == wanted.by_class["b"]["roc_auc"]  # type: ignore[attr-defined]
        assert [notice.code for notice in found.warnings] == ["labels-from-probabilities"]
    assert not wanted.warnings
    models = {"one": frame, "two": 1 - frame}
    of_two = compare(true, probabilities=models, kind="multilabel")
    assert of_two.scores["one"]["label_ranking_average_precision"] == pytest.approx(
        wanted["label_ranking_average_precision"]
    )
    assert of_two["one", "two"].both_right == 0


@each("models", [("with", "without"), ("without", "with")])
def test_a_model_may_have_labels_alone_beside_one_with_probabilities(models: tuple[str, str]) -> None:
    rng = np.random.default_rng(5)
    true = rng.random((60, 3)) < 0.4
    said = {name: true ^ (rng.random((60, 3)) < 0.2) for name in ("with", "without")}
    shares = np.clip(said["with"] * 0.8 + rng.random((60, 3)) * 0.2, 0, 1)
    options: dict[str, Any] = {"kind": "multilabel", "confidence": 0.9}
    both = compare(true, said, probabilities=dict.fromkeys(models, shares), **options)
    found = compare(true, {name: said[name] for name in models}, probabilities={"with": shares}, **options)
    assert tuple(found.models) == models
    assert found.judged["with"] == both.judged["with"]
    alone = {
        name for name, own in found.judged["without"].items() if own.reason == "the model has labels alone"
    }
    assert alone == {"roc_auc", "average_precision", "label_ranking_average_precision"}
    for name, own in found["with", "without"].differences.items():
        if name in alone:
            assert own.reason == "the model has labels alone"
        else:
            wanted = both["with", "without"].differences[name]
            assert (own.value, own.low, own.high) == (wanted.value, wanted.low, wanted.high)
    assert [own.message for own in found.warnings] == [
        "only labels were given of without, so there is no ROC AUC, Average precision and Label ranking average "
        "precision"
    ]


def test_rankings_of_parts_add_up() -> None:
    rng = np.random.default_rng(5)
    true, scores, weights = rng.random((9, 3)) < 0.5, rng.random((9, 3)), rng.integers(1, 4, 9)

    def made(rows: slice, weighed: bool) -> LabelRankings:
        sets = read_label_sets({"true": true[rows]})["true"]
        sets = replace(sets, weights=weights[rows]) if weighed else sets
        return LabelRankings.make(sets, read_label_scores(scores[rows], probabilities=True).of(sets))

    for first, second in ((True, True), (False, False), (True, False)):
        both = made(slice(4), first) + made(slice(4, 9), second)
        counted = np.r_[weights[:4] if first else np.ones(4), weights[4:] if second else np.ones(5)]
        for name, theirs in (
            ("coverage_error", metrics.coverage_error),
            ("label_ranking_average_precision", metrics.label_ranking_average_precision_score),
        ):
            found, _ = adjudge.find_index(name).assess(both)
            assert found == pytest.approx(theirs(true, scores, sample_weight=counted))


def test_every_way_to_give_labels() -> None:
    true, said = [{"a", "b"}, {"b"}, set()], [{"a"}, {"b"}, {"a"}]
    wanted = str(evaluate(true, said, kind="multilabel").values)
    matrix, other = np.array([[1, 1], [0, 1], [0, 0]]), np.array([[1, 0], [0, 1], [1, 0]])
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    polars = pytest.importorskip("polars")
    ways = [
        ([list(own) for own in true], [tuple(own) for own in said], None),
        (matrix, other.astype(bool), None),
        (sparse.csr_matrix(matrix), sparse.coo_array(other), None),
        (pandas.DataFrame(matrix, columns=["a", "b"]), said, None),
        (
            polars.DataFrame({"b": matrix[:, 1], "a": matrix[:, 0]}),
            pandas.DataFrame(other, columns=["a", "b"]),
            None,
        ),
        (matrix, said, ["a", "b"]),
    ]
    for one, another, classes in ways:
        assert str(evaluate(one, another, kind="multilabel", classes=classes).values) == wanted
    ordered = evaluate(true, said, kind="multilabel", classes=["b", "c", "a"])
    assert list(ordered.by_class) == ["b", "c", "a"]  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(ordered)).by_class["b"]["recall"] == 0.5
    assert "labels: 3 classes" in repr(ordered)
    shown = {"macro_f1", "micro_f1", "hamming_loss", "subset_accuracy", "samples_f1"}
    assert set(evaluate(true, said, kind="multilabel").values) == shown


def test_intervals_are_over_instances() -> None:
    rng = np.random.default_rng(0)
    true = rng.random((3000, 5)) < 0.4

    def draw(n: int) -> tuple[Any, Any]:
        rows = rng.integers(0, 3000, n)
        hard = rng.random((n, 1)) < 0.3  # instances with many mistakes: their labels depend on each other
        flipped = rng.random((n, 5)) < np.where(hard, 0.5, 0.05)
        return true[rows], true[rows] ^ flipped

    def draw_scores(n: int) -> tuple[Any, Any, Any]:
        truth, said = draw(n)
        return truth, said, np.round(0.6 * said + rng.random((n, 5)), 1)

    names = ["subset_accuracy", "hamming_loss", "samples_f1", "micro_f1", "micro_recall"]
    names += ["label_ranking_average_precision", "coverage_error", "label_ranking_loss", "one_error"]

    def judge(n: int, **options: Any) -> Any:
        truth, said, scores = draw_scores(n)
        return evaluate(truth, said, kind="multilabel", indices=names, scores=scores, **options)

    everything = judge(60_000)
    hits = dict.fromkeys(names, 0)
    for _ in range(120):
        found = judge(80, confidence=0.9)
        for name in names:
            low, high = found.intervals[name]
            hits[name] += low <= everything[name] <= high
    assert all(98 <= count <= 118 for count in hits.values()), hits
    macro = evaluate(*draw(80), kind="multilabel", indices="macro_f1", confidence=0.9)
    assert "depend on each other" in macro.interval_reasons["macro_f1"]


def test_how_the_intervals_are_made_is_said() -> None:
    true, said = [["a"], ["a", "b"], ["b"], []] * 10, [["a"], ["a"], ["b"], ["b"]] * 10
    judged = evaluate(true, said, kind="multilabel", confidence=0.9)
    assert judged.interval_methods == {
        "hamming_loss": "mid-p gamma",
        "subset_accuracy": "wilson",
        "samples_f1": "mid-p gamma",
        "micro_f1": "mid-p gamma",
    }
    assert judged.to_dict()["interval_methods"] == judged.interval_methods
    words = "90 % intervals by mid-p gamma (wilson for subset_accuracy)"
    assert words in repr(judged).splitlines()
    assert f"<p>{words}</p>" in judged._repr_html_()
    assert "interval" not in repr(evaluate(true, said, kind="multilabel"))


class TestCompare:
    truth = (frozenset("ab"), frozenset("b"), frozenset("c"))
    one = (frozenset("a"), frozenset("b"), frozenset("ac"))
    two = (frozenset("ab"), frozenset("a"), frozenset())

    def test_pairs_of_instance_and_label_are_counted(self) -> None:
        found = compare(list(self.truth), {"one": list(self.one), "two": list(self.two)}, kind="multilabel")
        pair = found["one", "two"]
        cells: dict[tuple[bool, bool], list[list[int]]] = {}
        for i, (t, p, q) in enumerate(zip(self.truth, self.one, self.two, strict=True)):
            for j, label in enumerate("abc"):
                right = (label in t) == (label in p), (label in t) == (label in q)
                cells.setdefault(right, []).append([i, j])
        for cell, right in (
            ("both_right", (True, True)),
            ("right_wrong", (True, False)),
            ("wrong_right", (False, True)),
            ("both_wrong", (False, False)),
        ):
            wanted = cells.get(right, [])
            assert getattr(pair, cell) == len(wanted)
            assert pair.instances(cell).tolist() == wanted
        assert pair.agreement.total == 9
        assert found.scores["one"]["hamming_loss"] == pytest.approx(2 / 9)
        assert "pairs of an instance and a label" in repr(found)
        assert found["two", "one"].right_wrong == pair.wrong_right
        assert pickle.loads(pickle.dumps(found))["one", "two"].both_right == pair.both_right

    def test_what_is_not_there_is_said(self) -> None:
        models = {"one": list(self.one), "two": list(self.two)}
        found = compare(list(self.truth), models, kind="multilabel", indices=["macro_f1"], confidence=0.95)
        assert "depend on each other" in str(found["one", "two"].differences["macro_f1"].reason)
        assert found["one", "two"].intervals == {}
        with pytest.raises(InputError, match="patterns are of classifiers"):
            compare(list(self.truth), models, kind="multilabel").patterns  # noqa: B018


@pytest.mark.parametrize(
    ("true", "said", "message"),
    [
        (
            [{"a"}],
            [{"a"}, {"b"}],
            "labels_pred has 2 entries, labels_true has 1: they must have the same length",
        ),
        (
            ["a"],
            [{"a"}],
            "labels_true has 'a' at position 0: give a list or a set with the labels of each instance",
        ),
        (
            [[1, 0], [0, 1]],
            [{1}, {0}],
            "labels_true may be an indicator matrix or lists of the labels 0 and 1: pass a NumPy array, or sets",
        ),
        (np.array([[0, 2]]), np.array([[0, 1]]), "labels_true holds 2: an indicator matrix holds 0 and 1"),
        ([set()], [set()], "no instance has a label: name the labels with classes="),
    ],
)
def test_labels_that_are_wrong_are_named(true: Any, said: Any, message: str) -> None:
    with raises_line(InputError, message):
        evaluate(true, said, kind="multilabel")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classes": ["a", "a"]}, "classes names 'a' twice"),
        ({"indices": "accuracy"}, "accuracy is not a score of several labels per instance"),
        ({"positive": "a"}, "positive= is an option for classifiers: pass kind='classification'"),
        ({"counts": [0]}, "counts are all 0: at least one instance is needed"),
        (
            {"sample_weight": [0.5], "confidence": 0.95},
            "confidence= needs to know how rows were drawn: pass weights='importance' with the weight of each row, "
            "weights='frequency', or units=",
        ),
        ({"indices": "one_error"}, "one_error needs probabilities of the labels: give probabilities="),
        ({"noise": "drop"}, "noise= is an option for clusterings: classes are never noise"),
    ],
)
def test_options_that_are_wrong_are_named(options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        evaluate([{"a"}], [{"a"}], kind="multilabel", **options)


def test_classes_that_are_wrong_are_named() -> None:
    message = "labels_pred has 'b', which is not among the classes: name all labels with classes="
    with raises_line(InputError, message):
        evaluate([{"a"}], [{"b"}], kind="multilabel", classes=["a"])
    with raises_line(InputError, "classes names 1 labels, labels_true has 2 columns"):
        evaluate(np.eye(2), np.eye(2), kind="multilabel", classes=["a"])


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (
            [[0.2, 0.4, 0.4]] * 2,
            "probabilities has 3 columns, but there are 2 labels: name all with classes=",
        ),
        ([[0.2, 0.4]], "probabilities has 1 rows, labels_true has 2 entries: they must have the same length"),
        (
            [[0.2, 0.4], [0.2, 1.4]],
            "probabilities has 1.4 in row 1, column 1, and 25 % of all entries are outside [0, 1]: these look like "
            "logits, which the softmax turns into probabilities (or the logistic function, if there are two classes)",
        ),
        ([0.2, 0.4], "probabilities has shape (2,): (n, L), a column for each label, is needed"),
    ],
)
def test_probabilities_that_are_wrong_are_named(shares: Any, message: str) -> None:
    with raises_line(InputError, message):
        evaluate([{"a"}, {"b"}], kind="multilabel", probabilities=shares)


def test_scores_that_are_missing_are_named() -> None:
    message = "scores has a missing entry in row 0, column 1: fill it in, or leave the row out"
    with raises_line(InputError, message):
        evaluate([{"a"}, {"b"}], [{"a"}, {"b"}], kind="multilabel", scores=[[0.2, math.nan], [0.2, 1.4]])


def test_other_inputs_are_refused() -> None:
    with pytest.raises(InputTypeError, match="labels_true is a str"):
        evaluate("ab", [{"a"}], kind="multilabel")
    with pytest.raises(InputTypeError, match="an indicator matrix holds 0 and 1"):
        evaluate(np.array([["a", "b"]]), [{"a"}], kind="multilabel")
    with pytest.raises(InputError, match="pass kind='multilabel'"):
        evaluate([0, 1], [0, 1], indices="subset_accuracy")
    with pytest.raises(InputError, match="give labels_true= and labels_pred=, or probabilities="):
        evaluate([{"a"}], kind="multilabel")
