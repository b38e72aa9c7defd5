"""Answers that name no class of the truth: wrong everywhere, a class nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef, precision_score

import adjudge
from adjudge import compare, evaluate, gate
from adjudge.errors import InputError
from adjudge.statistics import Confusion
from cases import each

RNG = np.random.default_rng(3)
N = 400
CLASSES = ["churn", "maybe", "stay"]
TRUTH = RNG.choice(CLASSES, N, p=[0.3, 0.2, 0.5])
OLD = np.where(RNG.random(N) < 0.7, TRUTH, RNG.choice(CLASSES, N))
LLM = np.where(RNG.random(N) < 0.8, TRUTH, RNG.choice(CLASSES, N)).astype("<U6")
LLM[:: N // 10] = "unsure"
LLM[[5, 6]] = "n/a"
REGION = RNG.choice(["n", "s"], N)
FRAME = pd.DataFrame({"truth": TRUTH, "old": OLD, "llm": LLM, "region": REGION, "unit": np.arange(N) // 4})
SAID = "12 answers{} name no class: 'unsure' 10, 'n/a' 2"
OPTIONS: dict[str, Any] = {"kind": "classification"}


def told(result: Any) -> list[str]:
    return [own.message for own in result.warnings if own.code == "answers-outside-the-classes"]


def test_every_score_counts_them_as_wrong_and_no_mean_as_a_class() -> None:
    found = evaluate(TRUTH, LLM, indices="all", **OPTIONS)
    assert told(found) == [SAID.format("")]
    assert found["accuracy"] == found["micro_f1"] == found["micro_precision"] == np.mean(TRUTH == LLM)
    kept = {"labels": CLASSES, "average": "macro"}
    assert found["macro_f1"] == pytest.approx(f1_score(TRUTH, LLM, **kept))
    assert found["macro_precision"] == pytest.approx(precision_score(TRUTH, LLM, **kept))
    assert found["macro_recall"] == found["balanced_accuracy"]
    assert found["matthews_correlation"] == pytest.approx(matthews_corrcoef(TRUTH, LLM))
    assert found.reasons["linear_weighted_kappa"] == "the order of the classes is not known"
    found = evaluate(TRUTH, LLM, indices="linear_weighted_kappa", classes=CLASSES, **OPTIONS)
    assert found.reasons["linear_weighted_kappa"] == "'n/a' has no place in the order of the classes"
    assert list(found.by_class) == CLASSES
    assert found.n_clusters == {"labels_true": 3, "labels_pred": 3}


def test_the_functions_of_indices_and_the_table_follow_the_same_rule() -> None:
    whole = evaluate(TRUTH, LLM, indices="all", **OPTIONS)
    from_sums = evaluate(Confusion.from_labels(TRUTH, LLM), indices="all")
    for name, value in whole.values.items():
        assert getattr(adjudge, name)(TRUTH, LLM) == pytest.approx(value, nan_ok=True)
        assert from_sums[name] == pytest.approx(value, nan_ok=True)
    assert told(from_sums) == [SAID.format("")]


def test_the_confusion_matrix_shows_them_after_the_classes(tmp_path: Path) -> None:
    found = evaluate(TRUTH, LLM, **OPTIONS)
    assert list(found.confusion.labels) == [*CLASSES, "n/a", "unsure"]
    assert list(found.confusion.classes) == CLASSES
    assert found.confusion.matrix[:, 4].sum() == 10
    table = found.confusion_table()
    assert (table.columns[1:], [row[0] for row in table.rows]) == ((*CLASSES, "n/a", "unsure"), CLASSES)
    assert found.to_dict()["confusion"]["n_outside"] == 2
    assert adjudge.load(found.save(tmp_path / "found.adjudge")) == found


def test_of_two_classes_one_stays_the_positive_one() -> None:
    truth, said = ["no", "yes", "yes", "no"], ["no", "yes", "hm", "yes"]
    found = evaluate(truth, said, **OPTIONS, indices=["recall", "precision"])
    assert (found["recall"], found["precision"]) == (0.5, 0.5)
    assert found.of_classes == {"recall": "yes", "precision": "yes"}


@each(
    "truth, said, options, classes",
    [
        (["b", "a"], ["a", "x"], {}, ["a", "b"]),
        ([1, 1], [0, 1], {}, [0, 1]),  # of a usual pair
        ([True], [False], {}, [False, True]),
        (["a", "a"], ["b", "a"], {}, ["a"]),
        (["a", "a"], ["b", "a"], {"positive": "b"}, ["a", "b"]),
        (["a", "b"], ["x", "a"], {"classes": ["x", "b", "a"]}, ["x", "b", "a"]),
    ],
)
def test_which_labels_are_classes(truth: Any, said: Any, options: Any, classes: Any) -> None:
    assert list(evaluate(truth, said, **options, **OPTIONS).by_class) == classes


def test_a_true_label_outside_of_the_classes_that_are_named_is_an_error() -> None:
    with pytest.raises(InputError, match=r"labels_true has 'stay' .* which is not among the classes"):
        evaluate(TRUTH, LLM, classes=["churn", "maybe"], **OPTIONS)


@each("options", [{}, {"groups": REGION}, {"units": FRAME.unit}, {"classes": CLASSES}])
def test_no_value_of_a_comparison_depends_on_the_other_model_or_on_the_order(options: Any) -> None:
    given = {"indices": "all", "confidence": 0.95, **OPTIONS, **options}
    models = {"old": OLD, "llm": LLM}
    one, other = (compare(TRUTH, dict(own), **given) for own in (models.items(), [*models.items()][::-1]))
    assert told(one) == [SAID.format(" of llm")]
    for name, said in models.items():
        alone = evaluate(TRUTH, said, **given)
        assert one.scores[name] == pytest.approx(other.scores[name], nan_ok=True)
        assert one.scores[name] == pytest.approx(alone.values, nan_ok=True)
        for group, own in one.by_group.items():
            assert own.scores[name] == pytest.approx(dict(alone.by_group[group]), nan_ok=True)
    for index, own in one["old", "llm"].differences.items():
        assert own.value == pytest.approx(-other["llm", "old"].differences[index].value, nan_ok=True)


def test_groups_have_the_classes_of_all_instances() -> None:
    found = evaluate(TRUTH, LLM, groups=np.where(LLM == "unsure", "asked", "rest"), **OPTIONS)
    assert found.by_group["asked"]["accuracy"] == 0
    assert told(found) == [SAID.format("")]


def test_a_gate_judges_and_says_them() -> None:
    for options in ({}, {"groups": REGION}, {"units": FRAME.unit}):
        found = gate(TRUTH, OLD, LLM, margin=0.1, **options)
        assert told(found) == [SAID.format(" of new")]
        assert found.tested[0].new == np.mean(TRUTH == LLM)


@each("weights", ["frequency", "importance"])
def test_weights_weigh_them_and_the_notice_counts_rows(weights: str) -> None:
    weight = RNG.integers(1, 4, N)
    given = {"sample_weight": weight, "weights": weights, **OPTIONS}
    found = evaluate(TRUTH, LLM, **given)
    assert found["accuracy"] == pytest.approx(np.average(TRUTH == LLM, weights=weight))
    unsure, other = (int(weight[said == LLM].sum()) for said in ("unsure", "n/a"))
    counted = f"{unsure + other} answers name no class: 'unsure' {unsure}, 'n/a' {other}"
    assert told(found) == [counted if weights == "frequency" else SAID.format("")]


def test_labels_beside_probabilities_may_name_no_class() -> None:
    matrix = RNG.dirichlet([1, 1, 1], N)
    found = evaluate(TRUTH, LLM, probabilities=matrix, classes=CLASSES, **OPTIONS)
    assert told(found) == [SAID.format("")]
    assert found["accuracy"] == np.mean(TRUTH == LLM)


def test_many_are_named_by_the_commonest() -> None:
    said = np.array([f"text {i}" for i in range(N)])
    said[:200] = TRUTH[:200]
    (message,) = told(evaluate(TRUTH, pl.Series(said), **OPTIONS))
    assert message.startswith("200 answers name no class: 'text 200' 1, ")
    assert message.endswith(", and 195 others")


def test_a_gate_names_the_column_whose_answers_are_none() -> None:
    frame = pl.DataFrame({"t": ["a", "b"] * 20, "v1": ["a", "x"] + ["a", "b"] * 19, "v2": ["a", "b"] * 20})
    for table in (frame, frame.lazy()):
        found = adjudge.gate(table, truth="t", old="v1", new="v2", margin=0.1).comparison.warnings
        assert found[0].message == "1 answer of old (column 'v1') names no class: 'x' 1"


# --- answers that name no class as abstentions -----------------------------------------------------------------------

ABSTAINING = [
    record.name
    for record in adjudge.list_indices("classification")
    if "outside" in record.parameters_of_names
]
ANSWERED = np.isin(LLM, CLASSES)


def where_answered(name: str) -> str:
    return f"{name}(outside='abstain')"


@each(
    "options", [{}, {"units": FRAME.unit}, {"sample_weight": RNG.integers(1, 4, N), "weights": "importance"}]
)
def test_scores_where_answered_are_those_of_the_other_rows(options: dict[str, Any]) -> None:
    """Also their intervals, but that how many are answered varies."""
    given = {"classes": CLASSES, "positive": "stay", "confidence": 0.95, **OPTIONS}
    names = [where_answered(name) for name in ABSTAINING]
    found = evaluate(TRUTH, LLM, indices=names, **given, **options)
    kept = {
        name: value if name == "weights" else np.asarray(value)[ANSWERED] for name, value in options.items()
    }
    wanted = evaluate(TRUTH[ANSWERED], LLM[ANSWERED], indices=ABSTAINING, **given, **kept)
    assert len(names) > 40
    for name in ABSTAINING:
        assert found[where_answered(name)] == pytest.approx(wanted[name], nan_ok=True), name
        (low, high), here = found.intervals[where_answered(name)], wanted.intervals[name]
        assert (low, high) == pytest.approx(here, abs=4e-3, nan_ok=True), name


def test_what_a_row_changes_where_answered_is_what_leaving_it_out_changes() -> None:
    """Two models that abstain on different rows: each score is of its own answers, the difference of all rows."""
    from adjudge.inference.classes.label_sums import ScoredLabels

    name = where_answered("macro_f1")
    record = adjudge.find_index(name)
    model = ScoredLabels(Confusion.from_labels(TRUTH, LLM), None)
    influence = model.of(record).influence(model.cells, model.counts)
    for (true, said), psi in zip(model.cells.T, influence.psi, strict=True):
        labels = model.confusion.labels
        rows = np.flatnonzero((labels[true] == TRUTH) & (labels[said] == LLM))
        without = record(np.delete(TRUTH, rows[0]), np.delete(LLM, rows[0]))
        assert psi == pytest.approx((N - 1) * (influence.value - without), rel=0.03, abs=0.02)
    own = compare(TRUTH, {"llm": LLM, "old": OLD}, indices=name, confidence=0.95, **OPTIONS)
    difference = own["llm", "old"].differences[name]
    assert difference.value == pytest.approx(record(TRUTH, LLM) - adjudge.macro_f1(TRUTH, OLD))
    assert difference.low < difference.value < difference.high


def test_every_door_takes_scores_where_answered(tmp_path: Path, shell: Any) -> None:
    name = where_answered("macro_f1")
    wanted = adjudge.find_index(name)(TRUTH, LLM)
    asked = ["answered_share", name]
    FRAME.to_csv(tmp_path / "said.csv", index=False)
    for table in (FRAME, pl.from_pandas(FRAME).lazy(), str(tmp_path / "said.csv")):
        found = evaluate(table, truth="truth", pred="llm", indices=asked, confidence=0.95, **OPTIONS)
        assert found[name] == pytest.approx(wanted)
        assert found.intervals[name][0] < wanted < found.intervals[name][1]
    judged = gate(TRUTH, OLD, LLM, indices=asked, margin={"answered_share": 0.1, name: 0.05})
    assert [(check.index.name, check.new) for check in judged.tested] == [
        ("answered_share", np.mean(ANSWERED)),
        (name, pytest.approx(wanted)),
    ]
    counted = evaluate(Confusion.from_labels(TRUTH, LLM), indices=asked, confidence=0.95)
    assert counted[name] == pytest.approx(wanted)
    saved = adjudge.load(found.save(tmp_path / "found.adjudge"))
    assert saved == found
    assert saved.score(name).index.name == name

    assert (
        f"{wanted:.4f}"
        in shell(
            "evaluate",
            tmp_path / "said.csv",
            "--truth",
            "truth",
            "--pred",
            "llm",
            "--indices",
            name,
            code=None,
        ).out
    )


def test_the_reason_says_that_nothing_is_answered() -> None:
    found = evaluate(["a", "b"], ["?", "?"], indices=where_answered("macro_f1"), **OPTIONS)
    assert found.reasons == {where_answered("macro_f1"): "no class is predicted"}
    found = evaluate(["a", "b"], ["a", "?"], indices=where_answered("macro_recall"), **OPTIONS)
    (reason,) = found.reasons.values()
    assert reason == "0/0: class 'b' does not occur in the truth, where a class is predicted"


@each(
    "name, said",
    [
        ("f1(outside='maybe')", r"outside='maybe' is not known: choose one of 'wrong', 'abstain'$"),
        ("lr_plus(outside='abstain')", r"positive_likelihood_ratio has no parameter 'outside'"),
        ("answered_share(outside='abstain')", r"answered_share has no parameters$"),
        ("log_loss(outside='abstain')", r"log_loss has no parameters$"),
        ("macro_f1(outside='abstain')", None),
        ("accuracy(outside='wrong')", None),
    ],
)
def test_which_scores_take_outside(name: str, said: str | None) -> None:
    if said is None:
        assert evaluate(TRUTH, LLM, indices=name, **OPTIONS).values[name] > 0.5
        return
    with pytest.raises(InputError, match=said):
        evaluate(TRUTH, LLM, indices=name, **OPTIONS)
