"""A classifier judged as a whole, by class, by probability and by group."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import compare, evaluate
from adjudge.errors import InputError, UnknownIndexError
from adjudge.inference.common.proportions import wilson
from adjudge.inference.differences.groups import compare_independent, newcombe, pooled_z
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.statistics import Contingency
from conftest import as_number, case_name, raises_line, read_reference, reference_cases

TRUTH = ["b", "a", "c", "a", "b", "c", "a", "b"]
SAID = ["b", "a", "c", "b", "b", "a", "a", "c"]
RNG = np.random.default_rng(0)
P = RNG.dirichlet([1, 1, 1], 8)


def judge(*args: Any, **options: Any) -> ClassifierEvaluation:
    found = evaluate(*args, kind="classification", **{"indices": "all", **options})
    assert isinstance(found, ClassifierEvaluation)
    return found


def test_by_class() -> None:
    result = judge(TRUTH, SAID)
    assert list(result.by_class) == ["a", "b", "c"]
    a = result.by_class["a"]
    assert (a.support, a.predicted) == (3, 3)
    assert a["recall"] == a["sensitivity"] == pytest.approx(2 / 3)
    assert a["precision"] == a["ppv"] == pytest.approx(2 / 3)
    assert a["specificity"] == pytest.approx(4 / 5)
    assert a.score("npv").value == pytest.approx(4 / 5)
    with raises_line(UnknownIndexError, "'d' is not a class: choose one of 'a', 'b', 'c'"):
        result.by_class["d"]
    with pytest.raises(UnknownIndexError, match="'lift' is not a measure by class"):
        a["lift"]
    assert result.class_table("recall").columns == ("class", "support", "predicted", "recall", "note")


def test_classes_fix_the_order_and_may_be_empty() -> None:
    result = judge(TRUTH, SAID, classes=["c", "b", "a", "z"])
    assert result.confusion is not None
    assert list(result.confusion.labels) == ["c", "b", "a", "z"]
    assert result.confusion.matrix.tolist() == [[1, 0, 1, 0], [1, 2, 0, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
    z = result.by_class["z"].score("recall")
    assert math.isnan(z.value)
    assert z.reason == "0/0: class 'z' does not occur in the truth"
    assert result.reasons["macro_recall"] == z.reason
    with pytest.raises(InputError, match="labels_true has 'b' 3 times, which is not among the classes"):
        judge(TRUTH, SAID, classes=["a", "c"])


def test_the_positive_class() -> None:
    truth, said = ["no", "yes", "yes", "no"], ["no", "yes", "no", "no"]
    recall = "recall"
    assert judge(truth, said)[recall] == 0.5
    assert judge(truth, said, positive="no")[recall] == 1.0
    assert judge(TRUTH, SAID, positive="b")[recall] == pytest.approx(2 / 3)


def test_shares_of_the_confusion_matrix() -> None:
    result = judge(TRUTH, SAID)
    rows = [row[1:] for row in result.confusion_table("true").rows]
    assert np.sum(rows, axis=1) == pytest.approx([1, 1, 1])
    rows = [row[1:] for row in result.confusion_table("predicted").rows]
    assert np.sum(rows, axis=0) == pytest.approx([1, 1, 1])
    assert np.sum([row[1:] for row in result.confusion_table("all").rows]) == pytest.approx(1)
    with pytest.raises(InputError, match="normalize='rows' is not known"):
        result.confusion_table("rows")


def test_probabilities_bring_labels_and_more_scores() -> None:
    result = judge(TRUTH, probabilities=P)
    labels = np.array(["a", "b", "c"])[P.argmax(axis=1)]
    assert result["accuracy"] == adjudge.accuracy(TRUTH, labels)
    assert result["log_loss"] == adjudge.log_loss(TRUTH, P)
    assert result["roc_auc_ovo"] == adjudge.roc_auc_ovo(TRUTH, P)
    codes = [notice.code for notice in result.warnings]
    assert codes == ["labels-from-probabilities", "order-not-known"]
    assert result.by_class["a"]["auc"] == adjudge.roc_auc(np.array(TRUTH) == "a", scores=P[:, 0])
    other = judge(TRUTH, SAID, probabilities=pl.DataFrame(P[:, [2, 0, 1]], schema=["c", "a", "b"]))
    assert other["log_loss"] == pytest.approx(result["log_loss"])
    assert other["accuracy"] == adjudge.accuracy(TRUTH, SAID)
    assert list(other.by_class) == ["c", "a", "b"]
    # The labels are another model's, and those of three classes.
    assert [notice.code for notice in other.warnings] == ["order-not-known", "labels-contradict-scores"]


def test_scores_that_rank_are_judged_by_ranks_alone() -> None:
    result = judge([0, 1, 1, 0], scores=[-3.0, 2.0, 9.0, 4.0])
    assert result["roc_auc"] == 0.75
    assert "log_loss" not in result
    assert "accuracy" not in result
    assert result.confusion is None
    assert result.by_class[1]["roc_auc"] == 0.75
    with raises_line(InputError, "accuracy needs predicted labels: give labels_pred="):
        judge([0, 1, 1, 0], scores=[-3.0, 2.0, 9.0, 4.0], indices="accuracy")
    with raises_line(InputError, "log_loss needs predicted probabilities: give probabilities="):
        judge([0, 1], [0, 1], indices="log_loss")
    with raises_line(InputError, "probabilities= and scores= were given: give one of them"):
        judge([0, 1], probabilities=[0.5, 0.5], scores=[1.0, 2.0])
    # Each error leads on, and none back: labels that are no classes are clusters, which another verb judges by group.
    labels, groups = [["a", "b", "a", "b"], [0, 1, 0, 1]], [0, 0, 1, 1]
    with pytest.raises(InputError, match="pass kind='clustering'"):
        evaluate(*labels, groups=groups)
    elsewhere = "judge models of other kinds by group with compare()"
    with raises_line(InputError, f"groups= is an option for classifiers: {elsewhere}"):
        evaluate(*labels, groups=groups, kind="clustering")
    assert set(compare(labels[0], {"p": labels[1]}, groups=groups, kind="clustering").by_group) == {0, 1}


def test_a_table_stands_in_for_labels() -> None:
    table = Contingency.from_labels(TRUTH, SAID)
    assert judge(table).values == judge(TRUTH, SAID).values
    assert judge(table).by_class["b"]["precision"] == judge(TRUTH, SAID).by_class["b"]["precision"]


def test_weights() -> None:
    w = np.array([1, 2, 0, 3, 1, 1, 2, 0])
    weighted = judge(TRUTH, SAID, probabilities=P, classes=["a", "b", "c"], sample_weight=w)
    repeated = judge(
        np.repeat(TRUTH, w),
        np.repeat(SAID, w),
        probabilities=np.repeat(P, w, axis=0),
        classes=["a", "b", "c"],
    )
    for name, value in repeated.values.items():
        if name != "debiased_calibration_error":
            assert weighted[name] == pytest.approx(value, rel=1e-12, nan_ok=True), name
    counted = judge(TRUTH, SAID, counts=w)
    assert counted["macro_f1"] == judge(np.repeat(TRUTH, w), np.repeat(SAID, w))["macro_f1"]


def test_groups() -> None:
    groups = ["x", "y", "x", "y", "x", "y", "x", "y"]
    result = judge(TRUTH, SAID, probabilities=P, groups=groups, classes=["a", "b", "c"])
    for group in ("x", "y"):
        mask = np.array(groups) == group
        own = judge(
            np.array(TRUTH)[mask], np.array(SAID)[mask], probabilities=P[mask], classes=["a", "b", "c"]
        )
        assert dict(result.by_group[group]) == pytest.approx(own.values, nan_ok=True)
        assert result.by_group[group].n == 4
    assert result.worst_groups() == ["y"]
    assert result.worst_groups("log_loss") != []
    (x, y) = result.differences
    assert x.score.value == -y.score.value == 0.75
    crossed = judge(TRUTH, SAID, groups={"first": groups, "second": [1, 1, 1, 1, 2, 2, 2, 2]})
    assert list(crossed.by_group) == [("x", 1), ("x", 2), ("y", 1), ("y", 2)]
    frame = judge(TRUTH, SAID, groups=pd.DataFrame({"first": groups, "second": [1, 1, 1, 1, 2, 2, 2, 2]}))
    assert list(frame.by_group) == list(crossed.by_group)
    assert frame.differences == crossed.differences


def test_every_score_of_a_group_beside_the_rest() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    where = np.repeat(["near", "far", "away"], [100, 150, 50])
    noise = np.where(where == "far", 3.0, 1.0)
    p = 1 / (1 + np.exp(-(2 * truth - 1 + noise * rng.normal(size=300))))
    result = judge(
        truth,
        probabilities=p,
        groups=where,
        confidence=0.95,
        indices=["log_loss", "roc_auc", "macro_f1", "average_precision"],
    )
    for name in ("log_loss", "roc_auc", "macro_f1", "average_precision"):
        for row in (row for row in result.differences if row.score.index.name == name):
            mask = where == row.group
            here = judge(truth[mask], probabilities=p[mask], classes=[0, 1])
            elsewhere = judge(truth[~mask], probabilities=p[~mask], classes=[0, 1])
            assert row.score.first == pytest.approx(here[name])
            assert row.score.value == pytest.approx(here[name] - elsewhere[name])
            low, high = row.score.interval or (1, 0)
            assert low < row.score.value < high
            assert (row.score.p_value is not None and row.score.p_value < 0.05) == (low > 0 or high < 0)
    assert result.worst_groups("log_loss") == ["far"]
    far = next(row for row in result.differences if row.group == "far" and row.score.index.name == "log_loss")
    assert far.score.adjusted_p_value is not None
    assert far.score.adjusted_p_value < 0.001
    assert {(row.group, row.against) for row in result.pair_differences} == {
        ("away", "far"),
        ("away", "near"),
        ("far", "near"),
    }
    assert "log_loss_low" in result.group_table("log_loss").columns
    assert result.differences_table("log_loss").rows[0][0] == "away"
    with pytest.raises(UnknownIndexError, match="groups were not compared by 'recall'"):
        result.pair_differences_table("recall")


def test_missing_labels_leave_the_same_instances_everywhere() -> None:
    truth = [*TRUTH[:3], None, *TRUTH[4:]]
    result = judge(
        truth, SAID, probabilities=P, groups=list("xyxyxyxy"), missing="drop", classes=["a", "b", "c"]
    )
    left = [0, 1, 2, 4, 5, 6, 7]
    expected = judge(
        [TRUTH[i] for i in left], [SAID[i] for i in left], probabilities=P[left], classes=["a", "b", "c"]
    )
    assert result.values == pytest.approx(expected.values, nan_ok=True)
    assert sum(own.n for own in result.by_group.values()) == 7


def test_intervals() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 200)
    said = np.where(rng.random(200) < 0.8, truth, rng.integers(0, 3, 200))
    P = np.eye(3)[said] * 0.6 + rng.dirichlet([1, 1, 1], 200) * 0.4
    result = judge(truth, said, probabilities=P, confidence=0.95)
    for name, score in result.scores.items():
        if score.interval is not None:
            assert score.interval[0] <= score.value <= score.interval[1], name
    assert result.score("accuracy").interval is not None
    assert "too large in a sample" in result.interval_reasons["expected_calibration_error"]
    recall = result.by_class[1].score("recall")
    assert recall.low is not None
    assert recall.high is not None
    assert recall.low < recall.value < recall.high
    weighted = judge(truth, said, sample_weight=rng.random(200), confidence=0.95)
    assert weighted.interval_reasons["accuracy"] == "weights do not say how many instances there are"
    # The columns of the intervals are there, so that the note is about them.
    assert weighted.table().columns[1:4] == ("value", "low", "high")


def test_plain_json_and_shown() -> None:
    result = judge(TRUTH, SAID, probabilities=P, groups=list("xxxxyyyy"), confidence=0.9)
    told = json.loads(json.dumps(result.to_dict()))
    assert told["confusion"]["classes"] == ["a", "b", "c"]
    assert told["by_class"][0]["values"]["recall"] == pytest.approx(2 / 3)
    assert [row["group"] for row in told["by_group"]] == ["x", "y"]
    shown = repr(result)
    for heading in ("By class", "Confusion matrix", "By group", "Each group against the rest"):
        assert heading in shown
    assert "<table" in result._repr_html_()


def test_points_are_judged_beside_classes() -> None:
    X = RNG.normal(size=(8, 2))
    both = judge(TRUTH, SAID, X=X, indices=["accuracy", "silhouette"])
    assert dict(both) == {
        "accuracy": adjudge.accuracy(TRUTH, SAID),
        "silhouette": adjudge.silhouette(X, SAID),
    }


@pytest.mark.parametrize("path", reference_cases("classifiers/slices"), ids=case_name)
def test_groups_against_the_rest(path: Path) -> None:
    case = read_reference(path)
    groups = {name: (own["correct"], own["n"]) for name, own in case["groups"].items()}
    exact = case["exact"]

    def close(found: float, wanted: Any) -> None:
        assert found == pytest.approx(as_number(wanted), rel=1e-10, abs=1e-12, nan_ok=True)

    n = sum(total for _, total in groups.values())
    told = [name for name, (_, total) in groups.items() for _ in range(total)]
    truth = np.zeros(n, int)
    said = np.concatenate(
        [np.r_[np.zeros(right), np.ones(total - right)] for right, total in groups.values()]
    )
    result = judge([*truth, 1], [*said.astype(int), 1], groups=[*told, "one more"], indices="accuracy")
    assert len(result.by_group) == len(groups) + 1
    result = judge(truth, said.astype(int), classes=[0, 1], groups=told, indices="accuracy")
    for row in result.differences:
        wanted = exact["versus_rest"].get(row.group)
        if wanted is not None:
            close(row.score.value, wanted["difference"])
            close(math.nan if row.score.p_value is None else row.score.p_value, wanted["p"])
            held = row.score.adjusted_p_value
            close(math.nan if held is None else held, wanted.get("holm_p", "NaN"))
    between = {(row.group, row.against): row.score for row in result.pair_differences}
    for wanted in exact["pairs"]:
        pair, sign = tuple(wanted["pair"]), 1
        if pair not in between:
            pair, sign = pair[::-1], -1
        close(sign * between[pair].value, wanted["difference"])
        held = between[pair].adjusted_p_value
        close(math.nan if held is None else held, wanted.get("holm_p", "NaN"))
    for wanted in exact["pairs"]:
        one, other = (groups[name] for name in wanted["pair"])
        for found, bound in zip(newcombe(*one, *other), wanted["newcombe"], strict=True):
            close(found, bound)
        shares = [(x / total, wilson(x / total, total, 1.959963984540054)) for x, total in (one, other)]
        mover = compare_independent(*shares[0], *shares[1], 0.95).interval
        close(max(-1.0, mover.low), wanted["newcombe"][0])
        close(min(1.0, mover.high), wanted["newcombe"][1])
        if "pooled_z" in wanted:
            close(pooled_z(*one, *other)[0], wanted["pooled_z"])
