"""Classifiers compared by their probabilities, and within groups."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, recall_score

import adjudge
from adjudge import compare, evaluate
from adjudge.errors import InputError, UnknownIndexError
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.inference.interval import METHOD
from adjudge.results import Comparison
from adjudge.statistics.forecasts import read_forecasts
from cases import each
from conftest import as_number, case_name, raises_line, read_reference, reference_cases

RNG = np.random.default_rng(7)
N = 240
TRUTH = RNG.integers(0, 2, N)
NEAR = 1 / (1 + np.exp(-(2 * TRUTH - 1 + RNG.normal(size=N))))
FAR = 1 / (1 + np.exp(-(2 * TRUTH - 1 + 2 * RNG.normal(size=N))))
BOTH = {"near": NEAR, "far": FAR}
SAID = {name: (p >= 0.5).astype(int) for name, p in BOTH.items()}


def judge(*args: Any, **options: Any) -> Comparison:
    return compare(*args, kind="classification", **options)


@pytest.mark.parametrize("path", reference_cases("classifiers/paired_scores"), ids=case_name)
def test_differences_of_probabilities(path: Path) -> None:
    case = read_reference(path)
    if "log_loss" not in case["exact"]:
        return
    models = {name: case[name] for name in ("first", "second")}
    result = judge(
        case["labels_true"],
        probabilities=models,
        classes=[0, 1],
        indices=["roc_auc", "log_loss", "brier_score"],
        confidence=0.95,
    )
    differences = result["first", "second"].differences
    delong = case["exact"]["delong"]
    of_areas = compare_areas(
        *(placements(read_forecasts(case["labels_true"], p, classes=[0, 1])) for p in models.values())
    )
    wanted = {
        "roc_auc": (delong["difference"], delong["ci_95"], delong["p_two_sided"]),
        **{
            name: (own["difference"], own.get("paired_t_ci_95"), own.get("paired_t_p"))
            for name, own in (
                ("log_loss", case["exact"]["log_loss"]),
                ("brier_score", case["exact"]["brier"]),
            )
        },
    }
    for name, (value, ends, p_value) in wanted.items():
        own = differences[name]
        assert own.value == pytest.approx(as_number(value), rel=1e-10, abs=1e-12, nan_ok=True), name
        p = math.nan if p_value is None else as_number(p_value)
        if math.isnan(p) or math.isinf(own.value):
            assert own.reason
            continue
        if name == "roc_auc":
            assert own.interval == tuple(of_areas.interval)
            by_delong = of_areas.test.method == "delong"
            assert own.p_value == pytest.approx(p if by_delong else of_areas.test.p_value, rel=1e-10)
            if by_delong:
                assert own.interval == pytest.approx(tuple(as_number(v) for v in ends), rel=1e-6)
            continue
        # At least that of the paired t, which supposes a normal mean.
        assert own.p_value is not None
        assert p <= own.p_value <= p + 0.2, name
        if own.interval is not None:
            low, high = (as_number(v) for v in ends)
            assert own.high - own.low == pytest.approx(high - low, rel=0.75), name
            assert -25 < own.low < own.value < own.high < 25, name


def test_decision_values_are_compared_as_their_ranks() -> None:
    logits = {name: np.log(p / (1 - p)) for name, p in BOTH.items()}
    found = judge(TRUTH, SAID, scores=logits, indices=["accuracy", "roc_auc", "gini"], confidence=0.95)
    wanted = judge(TRUTH, SAID, probabilities=BOTH, indices=["accuracy", "roc_auc", "gini"], confidence=0.95)
    assert found.scores == wanted.scores
    for name, own in found["near", "far"].differences.items():
        other = wanted["near", "far"].differences[name]
        assert (own.value, own.interval, own.p_value) == (other.value, other.interval, other.p_value)
    assert {"roc_auc", "average_precision"} <= judge(TRUTH, SAID, scores=logits).scores["near"].keys()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scores": BOTH, "probabilities": BOTH}, "probabilities= and scores= were given: give one of them"),
        (
            {"scores": BOTH, "indices": "log_loss"},
            "log_loss needs predicted probabilities: give probabilities=",
        ),
        (
            {"scores": NEAR},
            "scores= is an ndarray: give a mapping from names of models to scores",
        ),
    ],
)
def test_decision_values_that_cannot_be_compared(given: dict[str, Any], said: str) -> None:
    with raises_line(InputError, said):
        judge(TRUTH, SAID, **given)


def test_columns_of_a_data_frame_are_models() -> None:
    for frame in (pd.DataFrame(BOTH), pl.DataFrame(BOTH)):
        assert judge(TRUTH, probabilities=frame).scores == judge(TRUTH, probabilities=BOTH).scores
        assert judge(TRUTH, SAID, scores=frame).scores == judge(TRUTH, SAID, scores=BOTH).scores


def test_decision_values_alone_have_no_labels() -> None:
    with pytest.raises(InputError, match="scores= only rank the instances: give the models' labels as well"):
        judge(TRUTH, scores=BOTH)


@pytest.mark.parametrize("path", reference_cases("classifiers/paired_labels"), ids=case_name)
def test_the_difference_of_accuracies(path: Path) -> None:
    case = read_reference(path)
    result = judge(case["labels_true"], case["predictions"], indices="accuracy", confidence=0.95)
    for own in case["exact"]["pairs"]:
        p, q = own["pair"]
        found = result[p, q].differences["accuracy"]
        assert found.value == pytest.approx(as_number(own["accuracy_difference"]), abs=1e-12)
        p_value = as_number(own["mcnemar"]["mid_p"])
        assert found.p_value == pytest.approx(1.0 if math.isnan(p_value) else p_value)
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.value <= found.high
        other = result[q, p].differences["accuracy"]
        assert (other.value, other.low, other.high) == pytest.approx((-found.value, -found.high, -found.low))


def test_the_jackknife_of_a_difference_leaves_out_one_instance_at_a_time() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 40)
    one, other = (np.where(rng.random(40) < share, truth, rng.integers(0, 3, 40)) for share in (0.8, 0.6))
    result = judge(truth, {"one": one, "other": other}, indices="macro_f1", confidence=0.95)
    found = result["one", "other"].differences["macro_f1"]

    def difference(kept: Any) -> float:
        scores = judge(truth[kept], {"one": one[kept], "other": other[kept]}, indices="macro_f1").scores
        return scores["one"]["macro_f1"] - scores["other"]["macro_f1"]

    without = np.array([difference(np.arange(40) != i) for i in range(40)])
    error = math.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    assert found.low is not None
    assert found.high is not None
    # Student's t of 39 degrees of freedom, and one more instance.
    assert (found.high - found.low) / (2 * 2.02 * error) == pytest.approx(1.05, abs=0.06)
    assert found.low <= found.value <= found.high


def test_probabilities_bring_labels_and_scores() -> None:
    result = judge(TRUTH, probabilities=BOTH)
    assert result.models == ("near", "far")
    assert result["near", "far"].agreement == judge(TRUTH, SAID)["near", "far"].agreement
    alone = evaluate(TRUTH, probabilities=NEAR, kind="classification", indices="all")
    for name, value in result.scores["near"].items():
        assert value == alone[name], name
    assert {"roc_auc", "log_loss", "brier_score"} < set(result.scores["near"])
    assert result["near", "far"].differences["roc_auc"].interval is None
    given = judge(TRUTH, {name: 1 - said for name, said in SAID.items()}, probabilities=BOTH)
    assert given.scores["near"]["accuracy"] == pytest.approx(1 - alone["accuracy"])
    assert given.scores["near"]["log_loss"] == alone["log_loss"]


def test_every_score_of_several_classes_has_a_difference() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 90)
    models = {
        name: np.eye(3)[truth] * share + rng.dirichlet([1, 1, 1], 90) * (1 - share)
        for name, share in (("a", 0.5), ("b", 0.3), ("c", 0.1))
    }
    result = judge(truth, probabilities=models, indices="all", confidence=0.9)
    pair = result["a", "c"]
    assert list(pair.differences) == list(result.scores["a"])
    for name, own in pair.differences.items():
        assert own.value == pytest.approx(result.scores["a"][name] - result.scores["c"][name], nan_ok=True), (
            name
        )
        assert own.interval is not None or own.reason, name
        if own.interval is not None:
            assert own.interval[0] <= own.value <= own.interval[1], name
    assert pair.differences["roc_auc_ovo"].first == 1
    for own in (pair, result["b", "c"]):
        assert own.differences["roc_auc_ovo"].method == METHOD
    assert "too large in a sample" in str(pair.differences["top_label_calibration_error"].reason)
    ps = [result[pair].differences["log_loss"] for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert all(3 * (own.p_value or 1) < (own.adjusted_p_value or 0) < 0.05 for own in ps)
    assert result["a", "c"].differences["log_loss"].gain > 0


GROUPS = np.where(np.arange(N) % 3 == 0, "small", "large")


def test_within_groups() -> None:
    result = judge(TRUTH, probabilities=BOTH, groups=GROUPS, confidence=0.95)
    assert list(result.by_group) == ["large", "small"]
    for group, own in result.by_group.items():
        mask = group == GROUPS
        alone = judge(TRUTH[mask], probabilities={m: p[mask] for m, p in BOTH.items()}, confidence=0.95)
        assert own.n == mask.sum()
        assert own.scores == alone.scores
        assert own.score_intervals == alone.score_intervals
        pair, other = own["near", "far"], alone["near", "far"]
        assert pair.agreement == other.agreement
        assert pair.differences == other.differences
        assert (
            pair.instances("right_wrong").tolist()
            == np.flatnonzero(mask)[other.instances("right_wrong")].tolist()
        )
    total = [
        sum(getattr(own["near", "far"], cell) for own in result.by_group.values())
        for cell in ("both_right", "right_wrong")
    ]
    whole = result["near", "far"]
    assert total == [whole.both_right, whole.right_wrong]
    rows = [own for own in result.group_differences if own.score.index.name == "roc_auc"]
    assert [own.group for own in rows] == ["large", "small"]
    least = min(own.score.p_value or 0 for own in rows)
    assert min(own.score.adjusted_p_value or 0 for own in rows) == pytest.approx(2 * least)


def test_better_over_all_and_worse_for_these() -> None:
    truth = np.zeros(20, int)
    old = np.r_[np.zeros(10, int), np.ones(10, int)]
    new = np.r_[np.zeros(6, int), np.ones(4, int), np.zeros(10, int)]
    truth[0] = old[0] = new[0] = 1
    where = ["here"] * 10 + ["there"] * 10
    result = judge(truth, {"new": new, "old": old}, groups=where, confidence=0.95)
    assert result["new", "old"].differences["accuracy"].value == pytest.approx(0.3)
    (turned,) = result.reversals()
    assert (turned.group, turned.score.value) == ("here", pytest.approx(-0.4))
    assert "not so over all" in result.group_differences_table().text()
    with raises_line(
        UnknownIndexError,
        "'log_loss' was not computed: choose one of accuracy, balanced_accuracy, cohen_kappa, "
        "matthews_correlation, macro_f1",
    ):
        result.group_differences_table("log_loss")
    told = json.loads(json.dumps(result.to_dict()))
    assert [row["group"] for row in told["by_group"]] == ["here", "there"]
    assert any(row["is_reversed"] for row in told["group_differences"])
    for heading in (
        "Differences of the scores",
        "Head to head, by group",
        "Differences of accuracy, by group",
    ):
        assert heading in repr(result)


@pytest.mark.parametrize(
    ("classes", "positive", "index", "head"),
    [
        (("b", "m"), "m", "recall", "truly m"),
        (("b", "m"), "b", "f1", "truly b"),
        ((0, 1), None, "precision", "truly 1"),
        ((0, 1), 0, "recall", "truly 0"),
        (("b", "m"), "m", "accuracy", None),
        ((0, 1), None, "macro_recall", None),
        (("a", "b", "c"), None, "recall", None),
    ],
)
def test_a_score_of_one_class_by_group_says_how_many_are_of_it(classes, positive, index, head) -> None:
    rng = np.random.default_rng(0)
    truth = np.array(classes)[rng.integers(0, len(classes), 300)]
    group = np.where(rng.random(300) < 0.2, "few", "many")
    models = {name: np.where(rng.random(300) < 0.8, truth, classes[0]) for name in ("old", "new")}
    result = compare(truth, models, positive=positive, groups=group, indices=[index])
    table = result.group_differences_table(index)
    wanted = [] if head is None else [head]
    assert list(table.columns) == ["models", "group", "n", *wanted, "first", "second", "difference", "note"]
    if head is not None:
        of = np.array([str(label) for label in truth]) == head.removeprefix("truly ")
        assert [row[3] for row in table.rows] == [np.sum(of & (group == row[1])) for row in table.rows]


def test_groups_of_several_columns_and_missing_ones() -> None:
    sex = np.where(np.arange(N) % 2, "f", "m")
    crossed = judge(TRUTH, SAID, groups={"size": GROUPS, "sex": sex})
    assert list(crossed.by_group) == [("large", "f"), ("large", "m"), ("small", "f"), ("small", "m")]
    frame = pd.DataFrame({"size": GROUPS, "sex": sex})
    assert list(judge(TRUTH, SAID, groups=frame).by_group) == list(crossed.by_group)
    some = [None, *GROUPS[1:]]
    with pytest.raises(InputError, match="groups has a missing label at position 0"):
        judge(TRUTH, SAID, groups=some)
    dropped = judge(TRUTH, SAID, groups=some, missing="drop")
    assert dropped.n == N - 1
    assert 0 not in dropped.by_group["small"]["near", "far"].instances("both_right")
    # A model may be called as the groups are.
    assert judge(TRUTH, {"groups": SAID["near"]}, groups=GROUPS).by_group["small"].n == N / 3


def test_counts_and_frames() -> None:
    weights = np.arange(N) % 4
    counted = judge(TRUTH, SAID, counts=weights, groups=GROUPS, confidence=0.95)
    repeated = judge(
        np.repeat(TRUTH, weights),
        {m: np.repeat(s, weights) for m, s in SAID.items()},
        groups=np.repeat(GROUPS, weights),
        confidence=0.95,
    )
    for group, own in repeated.by_group.items():
        assert counted.by_group[group]["near", "far"].differences == own["near", "far"].differences
    counted = judge(TRUTH, SAID, counts=np.where(GROUPS == "small", 0, 1), groups=GROUPS)
    assert list(counted.by_group) == ["large"]
    two = pl.DataFrame({"0": 1 - NEAR, "1": NEAR})
    text = TRUTH.astype(str)
    named = judge(text, probabilities={"near": two, "far": np.c_[1 - FAR, FAR]}, classes=["0", "1"])
    assert named.scores["far"]["log_loss"] == pytest.approx(
        judge(TRUTH, probabilities=BOTH).scores["far"]["log_loss"]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"probabilities": [0.5] * N},
            "probabilities= is a list: give a mapping from names of models to probabilities",
        ),
        ({"probabilities": {}}, "probabilities= is empty: at least one model is needed"),
        (
            {"models": SAID, "probabilities": {**BOTH, "fra": FAR}},
            "probabilities has 'fra', which is not a model: choose from 'near', 'far'",
        ),
        (
            {"models": SAID, "indices": "log_loss"},
            "log_loss needs predicted probabilities: give probabilities=",
        ),
    ],
)
def test_errors(options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        judge(TRUTH, **options)


def test_groups_of_a_lazy_table_have_no_instances() -> None:
    table = pl.DataFrame({"truth": TRUTH, **SAID, "size": GROUPS}).lazy()
    found = compare(table, truth="truth", models=list(SAID), kind="classification", groups="size")
    with pytest.raises(InputError, match="the comparison was made from counts alone"):
        found.by_group["small"]["near", "far"].instances("both_right")


def test_very_many_classes_take_no_square_of_memory() -> None:
    truth = np.arange(30_000)
    said = truth.copy()
    said[:100] = truth[100:200]
    result = judge(truth, {"a": said, "b": truth}, confidence=0.95)
    own = result["a", "b"].differences["accuracy"]
    assert own.value == pytest.approx(-100 / 30_000)
    assert own.interval is not None
    assert "more than 1,000" in str(result.judged["a"]["macro_f1"].interval_reason)


def test_a_p_value_below_floating_point_is_shown_as_a_bound() -> None:
    truth = [0] * 3000 + [1] * 3000
    result = compare(truth, {"p": truth, "q": truth[::-1]}, kind="classification", confidence=0.9)
    assert "< 2.3e-308" in result.tests_table().text()
    assert "p < 2.3e-308, < 2.3e-308 after Holm's correction" in repr(result["p", "q"])
    assert "< 2.3e-308" in result.differences_table().text()


def test_differences_of_one_pair_say_which_average_they_are() -> None:
    models = {"p": ["a", "b", "c", "a"], "q": ["a", "b", "b", "c"]}
    pair = compare(["a", "b", "c", "c"], models, kind="classification", indices=["accuracy", "f1"])["p", "q"]
    assert [row[1] for row in pair.differences_table().rows] == ["accuracy", "f1 (macro)"]


def test_a_model_may_have_labels_alone_beside_others_with_probabilities(tmp_path: Path) -> None:
    near = judge(TRUTH, SAID, probabilities=BOTH, confidence=0.95, groups=TRUTH)
    for models in ({"near": SAID["near"], "far": SAID["far"]}, {"far": SAID["far"], "near": None}):
        found = judge(TRUTH, models, probabilities={"near": NEAR}, confidence=0.95, groups=TRUTH)
        assert tuple(found.models) == tuple(models)
        assert found.judged["near"] == near.judged["near"]
        for name, score in found.judged["far"].items():
            if score.reason == "the model has labels alone":
                assert name in ("log_loss", "brier_score", "roc_auc", *list(found.judged["far"])[-2:])
            else:
                assert score == near.judged["far"][name]
        pair = found["near", "far"].differences
        assert pair["accuracy"] == near["near", "far"].differences["accuracy"] or pair["accuracy"].value
        assert pair["log_loss"].reason == "the model has labels alone"
        (notice,) = (own for own in found.warnings if own.code == "labels-alone")
        assert notice.message.startswith("only labels were given of far, so there is no Log loss, ")
        assert not any(own.code == "undefined-scores" for own in found.verdict.cautions)
        assert adjudge.load(found.save(tmp_path / "found.adjudge")) == found


GAPS = pd.DataFrame({"truth": TRUTH, "p": NEAR, "p_0": 1 - NEAR, "p_1": NEAR, "q": FAR} | SAID)
GAPS.loc[[3, 7], ["p", "p_1"]] = np.nan
GAPS.loc[10, "q"] = np.nan
GAPS.loc[20, "near"] = np.nan
COMPLETE = GAPS.dropna().astype({"near": int}).reset_index(drop=True)
DROPPED = "4 of the 240 rows are left out, without a label or a probability"


def in_file(frame: pd.DataFrame, folder: Path, name: str) -> Path:
    getattr(frame, f"to_{name}")(folder / f"t.{name}", index=False)
    return folder / f"t.{name}"


@each("kind", ["pandas", "polars", "arrow", "csv", "parquet", "lazy"])
def test_a_row_without_a_probability_is_left_out_as_one_without_a_label(kind: str, tmp_path: Path) -> None:
    def table(frame: pd.DataFrame) -> Any:
        own = pl.from_pandas(frame, nan_to_null=True)
        made = {"pandas": frame, "polars": own, "arrow": own.to_arrow(), "lazy": own.lazy()}
        return made[kind] if kind in made else in_file(frame, tmp_path, kind)

    options: dict[str, Any] = {"truth": "truth", "positive": 1, "kind": "classification"}
    for columns in ("p", {0: "p_0", 1: "p_1"}):
        both = {"near": columns, "far": "q"}
        given = {**options, "probabilities": both, "models": ["near", "far"]}
        found, wanted = compare(table(GAPS), missing="drop", **given), compare(table(COMPLETE), **given)
        assert (found.n, found.settings["n_given"]) == (236, 240)
        assert found.scores == wanted.scores
        assert [own.message for own in found.warnings if own.code == "rows-left-out"] == [DROPPED]
        passed = {"old": columns, "new": "q"}
        gates = [
            adjudge.gate(table(own), "near", "far", probabilities=passed, missing=missing, **options)
            for own, missing in ((GAPS, "drop"), (COMPLETE, "raise"))
        ]
        assert [own.to_dict() for own in gates[0].tested] == [own.to_dict() for own in gates[1].tested]
        assert DROPPED in [own.message for own in gates[0].warnings]
        alone = evaluate(table(GAPS), pred="near", probabilities=columns, missing="drop", **options)
        rows = GAPS.dropna(subset=["near", "p"]).astype({"near": int})
        assert alone.n == len(rows)
        assert alone.values == evaluate(table(rows), pred="near", probabilities=columns, **options).values
        with pytest.raises(InputError, match=r"missing|empty"):
            compare(table(GAPS.assign(near=SAID["near"])), **given)


def test_a_row_of_arrays_without_a_probability_is_left_out() -> None:
    matrix, vector = GAPS[["p_0", "p_1"]].to_numpy(), GAPS["q"].to_numpy()
    there = ~GAPS[["p", "q"]].isna().any(axis=1).to_numpy()
    options: dict[str, Any] = {"classes": [0, 1], "positive": 1}
    found = judge(TRUTH, probabilities={"near": matrix, "far": vector}, missing="drop", **options)
    wanted = judge(TRUTH[there], probabilities={"near": matrix[there], "far": vector[there]}, **options)
    assert found.scores == wanted.scores
    page = adjudge.report(
        TRUTH, probabilities={"near": matrix, "far": vector}, missing="drop", kind="classification", **options
    ).page
    assert page["sections"][0]["n"] == wanted.n == 237
    there = ~np.isnan(vector)
    for option in ("probabilities", "scores"):
        alone = evaluate(TRUTH, SAID["far"], **{option: vector}, missing={"labels_pred": "drop"})
        rest = evaluate(TRUTH[there], SAID["far"][there], **{option: vector[there]}, kind="classification")
        assert alone.values == rest.values
        with raises_line(
            InputError, f"{option} has a missing entry in row 10: fill it in, or leave the row out"
        ):
            evaluate(TRUTH, SAID["far"], **{option: vector})
        with raises_line(
            InputError, f"{option} has a missing entry in row 10: fill it in, or leave the row out"
        ):
            evaluate(TRUTH, SAID["far"], **{option: vector}, missing={"labels_true": "drop"})
    worse = np.where(np.arange(N) == 12, 1.5, vector)
    with raises_line(InputError, "probabilities has 1.5 in row 12: probabilities lie between 0 and 1"):
        evaluate(TRUTH, SAID["far"], probabilities=worse, missing="drop")
    matrix = np.column_stack([matrix[:, 0], np.where(np.arange(N) == 12, 0.001, matrix[:, 1])])
    with pytest.raises(InputError, match=r"in row 12"):
        evaluate(TRUTH, probabilities=matrix, missing="drop")


def test_classifiers_of_both_kinds_are_compared_gated_and_reported(tmp_path: Path) -> None:
    models = {"old": adjudge.Classifier(probabilities=NEAR), "new": adjudge.Classifier(labels=SAID["far"])}
    wanted = judge(TRUTH, {"old": SAID["near"], "new": SAID["far"]})
    for given in (models, {**models, "new": SAID["far"]}):
        assert judge(TRUTH, given).scores["new"]["accuracy"] == wanted.scores["new"]["accuracy"]
        found = adjudge.gate(TRUTH, given["old"], given["new"])
        assert [own.name for own in found.tested] == ["accuracy", "balanced_accuracy"]
        assert found.tested[0].old == wanted.scores["old"]["accuracy"]
        page = adjudge.report(TRUTH, given, kind="classification", output=tmp_path / "page.html").page
        assert any("Only labels were given of new" in own["text"] for own in page["sections"][0]["verdict"])
    both = {"old": adjudge.Classifier(probabilities=NEAR), "new": adjudge.Classifier(probabilities=FAR)}
    found, plain = (
        adjudge.gate(TRUTH, both["old"], both["new"]),
        adjudge.gate(TRUTH, probabilities=dict(zip(both, BOTH.values(), strict=True))),
    )
    assert [own.to_dict() for own in found.tested] == [own.to_dict() for own in plain.tested]
    assert "log_loss" in [own.name for own in found.tested]


def test_an_answer_of_one_model_that_names_no_class_is_wrong_and_no_class_of_a_mean() -> None:
    truth = np.repeat([0, 1, 2], 40)
    first = np.where(RNG.random(120) < 0.8, truth, (truth + 1) % 3)
    second = np.where(RNG.random(120) < 0.8, truth, 3)
    models = {"first": first, "second": second}
    found = judge(truth, models, confidence=0.95)
    turned = judge(truth, dict(reversed(models.items())), confidence=0.95)
    n = int((second == 3).sum())
    assert [own.message for own in found.warnings] == [f"{n} answers of second name no class: 3 {n}"]
    for name, score in {
        "macro_f1": lambda said: f1_score(truth, said, labels=[0, 1, 2], average="macro"),
        "balanced_accuracy": lambda said: recall_score(truth, said, labels=[0, 1, 2], average="macro"),
        "accuracy": lambda said: accuracy_score(truth, said),
        "cohen_kappa": lambda said: cohen_kappa_score(truth, said),
    }.items():
        own = found["first", "second"].differences[name]
        assert own.value == pytest.approx(score(first) - score(second))
        assert own.interval is not None
        assert own.interval[0] < own.value < own.interval[1]
        back = turned["second", "first"].differences[name]
        assert (back.value, back.interval) == (
            -own.value,
            pytest.approx((-own.interval[1], -own.interval[0])),
        )
    alone = evaluate(truth, second, kind="classification", confidence=0.95)
    for name, score in alone.scores.items():
        assert (score.value, score.interval) == (
            found.judged["second"][name].value,
            found.judged["second"][name].interval,
        )


def test_a_group_of_one_instance_has_no_intervals_of_scores_that_need_more() -> None:
    truth, groups = [*"abababab", "a"], [*"xxxxxxxx", "z"]
    models = {"right": truth, "same": ["a"] * 9}
    found = adjudge.compare(truth, models, kind="classification", confidence=0.95, groups=groups)
    of_one = {row.score.index.name: row.score for row in found.group_differences if row.group == "z"}
    assert of_one["balanced_accuracy"].value == 0
    assert of_one["balanced_accuracy"].low is None
    assert "'b' does not occur" in str(of_one["balanced_accuracy"].reason)
    alone = adjudge.compare(["a"], {"p": ["a"], "q": ["b"]}, kind="classification", confidence=0.95)
    assert alone["p", "q"].differences["balanced_accuracy"].value == 1


def test_few_units_leave_tests_that_are_printed() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 700)
    models = {name: np.where(rng.random(700) < share, truth, 0) for name, share in (("a", 0.6), ("b", 0.7))}
    found = compare(truth, models, kind="classification", units=np.arange(700) // 100, confidence=0.95)
    table = found.differences_table()
    assert all(row["low"] is None and row["p"] is not None for row in table.records())
    assert table.title in [own.title for own in found.tables()]
    assert "Differences of the scores" in repr(found)
    assert "fewer than 10 do not tell how units vary" in repr(found)
    assert "accuracy_p_value" in found.full_table().columns
