"""Scores by people for some rows, corrected by a judge's labels of the others, beside the formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import Classifier, InputError, compare, evaluate, gate
from adjudge.cli import main
from conftest import raises_line

RNG = np.random.default_rng(9)
N, ALL = 150, 2000
TRUTH = (RNG.random(ALL) < 0.3).astype(int)
P = np.clip(0.3 + 0.4 * TRUTH + 0.2 * RNG.normal(size=ALL), 0.01, 0.99)
SAID = (P > 0.5).astype(int)
JUDGE = np.where(RNG.random(ALL) < 0.9, TRUTH, 1 - TRUTH)
KNOWN = TRUTH.astype(object)
KNOWN[N:] = None
ASKED: dict[str, Any] = {"kind": "classification", "confidence": 0.95}


def test_a_mean_is_corrected_by_the_formula() -> None:
    right, by_judge = SAID[:N] == TRUTH[:N], SAID == JUDGE
    here, there = by_judge[:N], by_judge[N:]
    cov = np.cov(right, here, bias=True)
    share = cov[0, 1] / cov[1, 1] / (1 + N / (ALL - N))
    expected = right.mean() + share * (there.mean() - here.mean())
    found = evaluate(KNOWN, SAID, judge=JUDGE, indices=["accuracy"], **ASKED)
    assert found["accuracy"] == pytest.approx(expected)
    low, high = found.scores["accuracy"].interval
    error = np.sqrt(np.var(right - share * here) / N + share**2 * np.var(there) / (ALL - N))
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.08)
    alone = evaluate(TRUTH[:N], SAID[:N], indices=["accuracy"], **ASKED).scores["accuracy"].interval
    assert high - low < 0.8 * (alone[1] - alone[0])


def test_brier_score_and_area() -> None:
    found = evaluate(KNOWN, SAID, judge=JUDGE, probabilities=P, indices=["brier_score", "roc_auc"], **ASKED)
    by_people, by_judge = (P[:N] - TRUTH[:N]) ** 2, (P - JUDGE) ** 2
    cov = np.cov(by_people, by_judge[:N], bias=True)
    share = cov[0, 1] / cov[1, 1] / (1 + N / (ALL - N))
    expected = by_people.mean() + share * (by_judge[N:].mean() - by_judge[:N].mean())
    assert found["brier_score"] == pytest.approx(expected)
    alone = evaluate(TRUTH[:N], SAID[:N], probabilities=P[:N], indices=["roc_auc"], **ASKED)
    assert found["roc_auc"] == pytest.approx(alone["roc_auc"], abs=0.05)


def test_a_judge_by_chance_changes_nothing() -> None:
    coin = RNG.integers(0, 2, ALL)
    found = evaluate(KNOWN, SAID, judge=coin, **ASKED)
    alone = evaluate(TRUTH[:N], SAID[:N], **ASKED)
    for name in ("accuracy", "cohen_kappa", "macro_f1"):
        assert found[name] == pytest.approx(alone[name], abs=0.03)
        width = [high - low for low, high in (own.scores[name].interval for own in (found, alone))]
        assert width[0] < 1.1 * width[1]


def test_text_classes_order_and_what_people_see() -> None:
    names = np.array(["no", "yes"])
    known = [None if own is None else names[own] for own in KNOWN]
    text = evaluate(known, names[SAID], judge=names[JUDGE], positive="yes", indices=["recall", "f1"], **ASKED)
    numbers = evaluate(KNOWN, SAID, judge=JUDGE, positive=1, indices=["recall", "f1"], **ASKED)
    assert text.values == pytest.approx(numbers.values)
    order = RNG.permutation(ALL)
    mixed = evaluate(
        KNOWN[order], SAID[order], judge=JUDGE[order], positive=1, indices=["recall", "f1"], **ASKED
    )
    assert mixed.values == pytest.approx(numbers.values)
    assert mixed.intervals["f1"] == pytest.approx(numbers.intervals["f1"])
    assert numbers.n == N
    assert "people labelled 150 rows of 2,000" in repr(numbers)
    assert "classes" in repr(numbers).splitlines()[0]
    assert numbers.details["judge"]["accuracy"] == pytest.approx((JUDGE[:N] == TRUTH[:N]).mean())


def test_units() -> None:
    unit = np.arange(ALL) // 5
    found = evaluate(KNOWN, SAID, judge=JUDGE, units=unit, indices=["accuracy"], **ASKED)
    alone = evaluate(KNOWN, SAID, judge=JUDGE, indices=["accuracy"], **ASKED)
    assert found["accuracy"] == pytest.approx(alone["accuracy"])
    assert found.n_units is not None
    assert found.scores["accuracy"].interval != alone.scores["accuracy"].interval


def test_errors() -> None:
    for given, message in (
        (
            {"labels_true": TRUTH},
            "judge= is for rows that people did not label, and there are none: leave it out",
        ),
        (
            {"judge": JUDGE[:-1]},
            "judge has 1999 entries, labels_true has 2000: they must have the same length",
        ),
        ({"labels_true": None}, "labels_true is missing: give it beside judge="),
        ({"sample_weight": np.ones(ALL)}, "sample_weight= is not an option for judge=: leave it out"),
        (
            {"labels_true": [*TRUTH[:5], *[None] * (ALL - 5)]},
            "judge= needs at least 20 rows that people labelled to be judged itself, and there are 5",
        ),
        (
            {"judge": [None, *JUDGE[1:]]},
            "judge has a missing label at position 0: the judge labels every row",
        ),
    ):
        asked: dict[str, Any] = {"labels_true": KNOWN, "judge": JUDGE, **given}
        with raises_line(InputError, message):
            evaluate(labels_pred=SAID, kind="classification", **asked)


def test_rows_that_drop_out_take_their_labels_along() -> None:
    gaps = SAID.astype(object)
    for place in (0, N, 700):
        gaps[place] = None
    kept = np.flatnonzero([own is not None for own in gaps])
    by_hand = evaluate(KNOWN[kept], SAID[kept], judge=JUDGE[kept], **ASKED)
    found = evaluate(KNOWN, gaps, judge=JUDGE, missing="drop", **ASKED)
    assert found.values == pytest.approx(by_hand.values)
    assert found.details["judge"] == pytest.approx(by_hand.details["judge"])
    units = np.arange(ALL).astype(float)
    units[700] = np.nan
    kept = np.flatnonzero(~np.isnan(units))
    by_hand = evaluate(KNOWN[kept], SAID[kept], judge=JUDGE[kept], units=units[kept], **ASKED)
    found = evaluate(KNOWN, SAID, judge=JUDGE, units=units, missing="drop", **ASKED)
    assert found.values == pytest.approx(by_hand.values)
    assert found.details["judge"] == pytest.approx(by_hand.details["judge"])


def test_rows_in_another_order_and_other_words_are_refused() -> None:
    truth, said, judge = (pd.Series(own) for own in (KNOWN, SAID, JUDGE))
    with pytest.raises(InputError, match="in different orders"):
        evaluate(truth, said, judge=judge.sample(frac=1, random_state=0), **ASKED)
    with pytest.raises(
        InputError, match=r"judge says '(in)?correct' at position 0 .* people gave no such label"
    ):
        evaluate(KNOWN, SAID, judge=np.where(JUDGE == 1, "correct", "incorrect"), **ASKED)
    gap = JUDGE.astype(object)
    gap[3] = None
    with pytest.raises(InputError, match="judge has a missing label at position 3"):
        evaluate(KNOWN, SAID, judge=gap, **ASKED)
    with pytest.raises(InputError, match="groups= is not an option for judge=: leave it out"):
        evaluate(KNOWN, SAID, judge=JUDGE, groups=np.arange(ALL) % 2, **ASKED)


def test_a_classifier_by_name_keeps_its_probabilities_beside_a_judge() -> None:
    table = pd.DataFrame({"y": KNOWN, "a": SAID, "b": JUDGE, "p_0": 1 - P, "p_1": P, "j": JUDGE})
    models = {"one": Classifier(labels="a", probabilities="p_*"), "other": "b"}
    found = evaluate(table, truth="y", pred=models, judge="j", **ASKED)
    wanted = evaluate(KNOWN, SAID, probabilities=np.column_stack([1 - P, P]), judge=JUDGE, **ASKED)
    assert found["one"].values == wanted.values
    assert "brier_score" in wanted.values
    assert found["other"].values == evaluate(KNOWN, JUDGE, judge=JUDGE, **ASKED).values


@pytest.mark.parametrize("door", ["arrays", "pandas", "polars", "csv", "parquet"])
def test_an_empty_text_is_no_label(door: str, tmp_path: Path) -> None:
    names = np.array(["well", "ill"])
    people = np.where([own is None for own in KNOWN], "", names[TRUTH]).astype(object)
    people[N + 1] = "  "
    table = pd.DataFrame({"y": people, "a": names[SAID], "j": names[JUDGE]})
    wanted = evaluate(np.where(people == people, people, ""), names[SAID], judge=names[JUDGE], **ASKED)
    assert wanted.n == N

    def found(frame: pd.DataFrame) -> Any:
        if door == "arrays":
            return evaluate(frame["y"], frame["a"], judge=frame["j"], **ASKED)
        given: Any = pl.from_pandas(frame) if door == "polars" else frame
        if door in ("csv", "parquet"):
            given = tmp_path / f"t.{door}"
            frame.to_csv(given, index=False) if door == "csv" else frame.to_parquet(given)
        return evaluate(given, truth="y", pred="a", judge="j", **ASKED)

    assert found(table).values == wanted.values
    table.loc[7, "j"] = ""
    with pytest.raises(
        InputError, match=r"has a missing label (at position|in row) \d+: the judge labels every row"
    ):
        found(table)


def test_a_label_that_is_no_class_is_named(tmp_path: Path, run: Any) -> None:
    names = np.array(["well", "ill"])
    people = np.where([own is None for own in KNOWN], None, names[TRUTH])
    judge = names[JUDGE].astype(object)
    judge[[300, 400]] = "unsure"
    message = (
        "judge says 'unsure' at position 300 (2 in all), but people gave no such label: if it is a class, name all in "
        "classes=; else relabel such rows, or leave them out"
    )
    for judged in (evaluate, compare):
        with raises_line(InputError, message):
            judged(
                people,
                {"a": names[SAID]} | ({"b": people} if judged is compare else {}),
                judge=judge,
                **ASKED,
            )
    # A class that people have not met yet.
    found = evaluate(people, names[SAID], judge=judge, classes=["ill", "unsure", "well"], **ASKED)
    assert "unsure" in found.by_class
    with pytest.raises(
        InputError, match=r"says 'unsure' .* but classes= has no such label: if it is a class"
    ):
        evaluate(people, names[SAID], judge=judge, classes=["ill", "well"], **ASKED)
    path = tmp_path / "t.csv"
    pd.DataFrame({"y": people, "a": names[SAID], "j": judge}).to_csv(path, index=False)
    asked = ["evaluate", str(path), "--truth", "y", "--pred", "a", "--judge", "j"]
    assert "column 'j' says 'unsure' in row 301" in run(*asked, code=2)
    assert main([*asked, "--classes", "ill,unsure,well"]) == 0


def test_a_result_says_which_rows_are_whose() -> None:
    unit = np.arange(ALL) // 5
    found = evaluate(KNOWN, SAID, judge=JUDGE, units=unit, **ASKED)
    assert (found.n, found.n_units) == (N, N // 5)
    assert "Evaluation of 150 rows of 30 units" in repr(found)
    assert "matrices and figures by class are of people's labels alone" in repr(found)
    both = compare(KNOWN, {"a": SAID, "b": OTHER}, judge=JUDGE, units=unit, **ASKED)
    assert both.n_units == N // 5
    # Five units say nothing of how units vary, however many the judge labelled.
    unit[:N] = np.arange(N) // 30
    found = evaluate(KNOWN, SAID, judge=JUDGE, units=unit, **ASKED)
    assert "150 rows of 5 units vary as 5.0" in found.scores["accuracy"].note
    pair = compare(KNOWN, {"a": SAID, "b": OTHER}, judge=JUDGE, units=unit, **ASKED)["a", "b"]
    assert pair.differences["accuracy"].interval is None
    undecided = gate(KNOWN, SAID, OTHER, judge=JUDGE, margin=0.05, indices="accuracy")
    assert "There are 150 rows that people labelled; about" in repr(undecided)
    assert "by people, and the judge's in proportion, would be enough" in repr(undecided)


def test_where_nothing_is_corrected_a_judge_is_refused() -> None:
    one, other = (evaluate(KNOWN, own, judge=JUDGE, **ASKED) for own in (SAID, JUDGE))
    with pytest.raises(InputError, match="corrected by a judge's labels"):
        compare(one, other, confidence=0.95)


OTHER = np.where(RNG.random(ALL) < 0.8, TRUTH, 1 - TRUTH)


def test_a_difference_is_that_of_both_corrected_scores() -> None:
    """Its variance is that of both corrections, over the same rows, row by row."""
    names = ["accuracy", "f1"]
    found = compare(KNOWN, {"a": SAID, "b": OTHER}, judge=JUDGE, indices=names, confidence=0.95)
    alone = {
        name: evaluate(KNOWN, own, judge=JUDGE, indices=names, **ASKED)
        for name, own in (("a", SAID), ("b", OTHER))
    }
    own = found["a", "b"].differences
    for name in names:
        assert (own[name].first, own[name].second) == (alone["a"][name], alone["b"][name])
        assert found.judged["a"][name].interval == alone["a"].scores[name].interval

    def corrected(said: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        right, by_judge = (said[:N] == TRUTH[:N]) * 1.0, (said == JUDGE) * 1.0
        cov = np.cov(right, by_judge[:N], bias=True)
        share = cov[0, 1] / cov[1, 1] / (1 + N / (ALL - N))
        return right - share * by_judge[:N], share * by_judge[N:]

    (here, there), (here_b, there_b) = corrected(SAID), corrected(OTHER)
    value = (here - here_b).mean() + (there - there_b).mean()
    error = np.sqrt(np.var(here - here_b) / N + np.var(there - there_b) / (ALL - N))
    low, high = own["accuracy"].interval
    assert own["accuracy"].value == pytest.approx(value)
    assert 0.95 < (high - low) / (2 * 1.96 * error) < 1.2  # an event that was not seen widens it
    by_people = compare(TRUTH[:N], {"a": SAID[:N], "b": OTHER[:N]}, indices=names, **ASKED)["a", "b"]
    ends = by_people.differences["accuracy"].interval
    assert high - low < 0.9 * (ends[1] - ends[0])
    # Matrices are of the rows that people labelled.
    assert found.n == N
    assert found["a", "b"].agreement == by_people.agreement


def test_a_gate_is_of_the_corrected_difference(tmp_path: Path) -> None:
    found = gate(KNOWN, SAID, OTHER, judge=JUDGE, indices="accuracy", margin=0.02, confidence=0.975)
    pair = compare(KNOWN, {"old": SAID, "new": OTHER}, judge=JUDGE, indices="accuracy", confidence=0.95)
    own = pair["old", "new"].differences["accuracy"]
    (check,) = found.tested
    assert check.change is not None
    assert (check.change.low, check.change.high) == pytest.approx((-own.high, -own.low))
    assert any(notice.code == "judge" for notice in found.warnings)
    table = pd.DataFrame({"y": KNOWN, "old": SAID, "new": OTHER, "j": JUDGE, "key": np.arange(ALL)})
    table.to_parquet(tmp_path / "t.parquet")
    asked: dict[str, Any] = {"judge": "j", "indices": "accuracy", "margin": 0.02, "confidence": 0.975}
    for source in (table, tmp_path / "t.parquet"):
        assert gate(source, truth="y", old="old", new="new", **asked).tested[0].change == check.change
    two = [
        table.rename(columns={name: "p"}).drop(columns=other)
        for name, other in (("old", "new"), ("new", "old"))
    ]
    joined = gate(
        two[0], two[1].sample(frac=1, random_state=0), truth="y", key="key", prediction="p", **asked
    )
    assert joined.tested[0].change is not None
    assert joined.tested[0].change.low == pytest.approx(check.change.low)


def test_what_a_judge_does_not_go_with_is_said(tmp_path: Path) -> None:
    models = {"a": SAID, "b": OTHER}
    with pytest.raises(InputError, match="groups= is not an option for judge=: leave it out"):
        compare(KNOWN, models, judge=JUDGE, groups=np.arange(ALL) % 2)
    with pytest.raises(InputError, match="judge= is an option for classifiers"):
        compare(KNOWN, models, judge=JUDGE, kind="clustering")
    with pytest.raises(InputError, match="judge= is for classifiers: leave out kind='clustering'"):
        evaluate(KNOWN, SAID, judge=JUDGE, kind="clustering")
    with pytest.raises(InputError, match="history= does not work with judge="):
        gate(KNOWN, SAID, OTHER, judge=JUDGE, history=tmp_path / "a.adjudge")
    table = pl.DataFrame({"y": TRUTH, "a": SAID, "b": OTHER, "j": JUDGE}).lazy()
    with pytest.raises(InputError, match="judge= needs the instances: collect the table first"):
        compare(table, ["a", "b"], truth="y", judge="j", kind="classification")


def test_the_shell_takes_a_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run: Any, shell: Any
) -> None:
    people = np.where([own is None for own in KNOWN], None, np.array(["well", "ill"])[TRUTH])
    names = np.array(["well", "ill"])
    path = tmp_path / "t.csv"
    pd.DataFrame({"y": people, "a": names[SAID], "b": names[OTHER], "j": names[JUDGE]}).to_csv(
        path, index=False
    )
    given = [str(path), "--truth", "y", "--judge", "j"]
    assert main(["evaluate", *given, "--pred", "a", "--confidence", "0.95"]) == 0
    wanted = evaluate(people, names[SAID], judge=names[JUDGE], **ASKED)["accuracy"]
    assert f"{wanted:.4f}" in capsys.readouterr().out
    assert f"{wanted:.3f}" in run("compare", *given, "--models", "a,b", "--confidence", "0.95")
    assert (
        "people labelled 150 rows of 2,000"
        in shell("gate", *given, "--old", "a", "--new", "b", "--margin", "0.2").err
    )
    assert "--judge 'j' is a column of labels" in run(
        "evaluate", path, "--truth", "y", "--pred", "j", "--judge", "j", code=2
    )


def test_differences_hold_their_level() -> None:
    """No difference is seen where there is none, with few labels and a judge that favours one model."""
    rng, seen = np.random.default_rng(3), 0
    for _ in range(60):
        truth = rng.integers(0, 3, 800)
        one, other, judge = (
            np.where(rng.random(800) < share, truth, rng.integers(0, 3, 800)) for share in (0.8, 0.8, 0.8)
        )
        judge = np.where(rng.random(800) < 0.5, one, judge)
        known = truth.astype(float)
        known[120:] = np.nan
        found = compare(known, {"a": one, "b": other}, judge=judge, indices="accuracy", confidence=0.95)
        seen += found["a", "b"].differences["accuracy"].p_value < 0.05
    assert seen <= 8
