"""The verdict of a comparison: what its sentences claim is what its tests see."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import adjudge
from adjudge import Comparison, compare, report

RNG = np.random.default_rng(5)
N = 1500
CHURNS = RNG.random(N) < 0.12
TRUTH = np.where(CHURNS, "churn", "stay")
REGION = np.array(["North", "South", "West"])[np.arange(N) % 3]


def said(found: NDArray[Any], wrong: NDArray[Any]) -> NDArray[Any]:
    """Predict churn for these churners and these who stay."""
    return np.where(np.where(CHURNS, found, wrong), "churn", "stay")


HARD = RNG.random(N)
#: Finds few churners and calls hardly anybody one by mistake.
OLD = said(HARD < 0.25, HARD < 0.02)
#: Finds more, and makes about as many more mistakes with those who stay.
NEW = said(HARD < 0.65, HARD < 0.055)
MODELS = {"old": OLD, "new": NEW}


def judged(models: dict[str, Any], **options: Any) -> Comparison:
    return compare(TRUTH, models, kind="classification", **{"confidence": 0.95, **options})


def test_what_differs_is_named_first_though_the_accuracy_does_not() -> None:
    found = judged(MODELS)
    pair = found["new", "old"]
    accuracy, balanced = pair.differences["accuracy"], pair.differences["balanced_accuracy"]
    assert accuracy.adjusted_p_value is not None
    assert balanced.adjusted_p_value is not None
    assert accuracy.adjusted_p_value > 0.05
    assert balanced.adjusted_p_value < 0.001
    first, second = found.verdict.sentences
    assert first.startswith("new and old trade: new by Balanced accuracy (+")
    assert f"(+{balanced.value:.3f}: {balanced.first:.3f} against {balanced.second:.3f}, p < 0.0001)" in first
    assert "old finds more of stay" in first
    assert first.endswith("no difference is seen in Accuracy.")
    recalls = {own.label: own.score for own in pair.recalls}
    for label in ("churn", "stay"):
        mask = label == TRUTH
        assert recalls[label].first == pytest.approx((NEW == TRUTH)[mask].mean())
        assert recalls[label].second == pytest.approx((OLD == TRUTH)[mask].mean())
    share = f"{100 * recalls['churn'].first:.1f}".removesuffix(".0")
    assert second.startswith(f"Of churn new finds {share} % and old ")
    assert (found.verdict.leader, found.verdict.rival, found.verdict.score) == (
        "new",
        "old",
        "balanced_accuracy",
    )


def test_scores_are_corrected_over_all_that_are_shown() -> None:
    found = judged(MODELS)["old", "new"].differences
    raw = [own.p_value for own in found.values()]
    assert [own.adjusted_p_value for own in found.values()] == adjudge.inference.adjust_p_values(raw)
    alone = judged(MODELS, indices=["accuracy"])["old", "new"].differences["accuracy"]
    assert alone.adjusted_p_value == alone.p_value
    three = judged({**MODELS, "same": OLD}, indices=["accuracy"])
    p_values = [
        three[pair].differences["accuracy"] for pair in (("old", "new"), ("old", "same"), ("new", "same"))
    ]
    assert [own.adjusted_p_value for own in p_values] == adjudge.inference.adjust_p_values(
        [own.p_value for own in p_values]
    )


def test_a_difference_that_no_test_sees_is_none() -> None:
    other = np.where(np.arange(N) % 97 == 0, NEW, OLD)
    verdict = judged({"old": OLD, "other": other}).verdict
    assert verdict.sentences[0].startswith("No difference between ")
    assert "comes nearest" in verdict.sentences[0]
    assert "ahead" not in str(verdict)
    assert "better" not in verdict.sentences[0]
    codes = [notice.code for notice in verdict.cautions]
    assert codes[0] == "no-difference-seen"
    assert "few-disagreements" in codes
    same = judged({"old": OLD, "again": OLD}).verdict
    assert same.sentences == (
        "old and again are right on exactly the same instances: there is no difference between them.",
    )


def test_without_tests_values_are_said_to_be_values() -> None:
    verdict = judged(MODELS, confidence=None).verdict
    assert verdict.sentences[0].startswith("By values that are not tested, ")
    assert verdict.cautions[0].text.endswith("pass confidence=0.95")
    weights: dict[str, Any] = {"sample_weight": np.ones(N), "weights": "importance"}
    weighted = judged(MODELS, confidence=None, **weights)
    assert weighted.verdict.cautions[0].text.endswith("pass confidence=0.95")
    assert "nothing says whether" not in str(judged(MODELS, **weights).verdict)


@pytest.mark.parametrize(("worse", "better"), [("North", "South"), ("South", "North")])
def test_the_group_with_the_largest_difference_in_either_direction(worse: str, better: str) -> None:
    right = RNG.random(N) < 0.9
    flipped = np.where(TRUTH == "churn", "stay", "churn")
    base = np.where(right, TRUTH, flipped)
    lost = (worse == REGION) & (np.arange(N) % 10 < 3)
    won = (better == REGION) & (np.arange(N) % 10 < 9)
    new = np.where(lost, flipped, np.where(won, TRUTH, base))
    found = judged({"old": base, "new": new}, groups=REGION, indices=["accuracy"])
    text = found.verdict.sentences[-1]
    assert text.startswith(f"Of 3 groups, Accuracy differs most in {worse} (")
    assert f", and in the other direction in {better} (" in text
    none = judged({"old": base, "again": base}, groups=REGION, indices=["accuracy"]).verdict
    assert none.sentences[-1] == "In all of 3 groups Accuracy is the same."


def test_the_largest_difference_may_be_of_too_few_rows_to_be_seen() -> None:
    flipped = np.where(TRUTH == "churn", "stay", "churn")
    region = np.where(np.arange(N) % 250 == 0, "few", REGION)
    lost = ((region == "North") & (np.arange(N) % 10 < 3)) | (np.arange(N) % 500 == 0)
    found = judged({"old": TRUTH, "new": np.where(lost, flipped, TRUTH)}, groups=region, indices=["accuracy"])
    text = found.verdict.sentences[-1]
    assert text.startswith("Of 4 groups, a difference of Accuracy is seen in North (")


def test_of_several_models_what_is_not_seen_is_between_the_first_two() -> None:
    right, chance = RNG.random(N), RNG.random(N)
    models = {"first": said(right < 0.9, chance < 0.1), "second": said(right < 0.88, chance < 0.1),
              "third": said(right < 0.2, chance < 0.1)}  # fmt: skip
    found = judged(models, groups=REGION)
    verdict = found.verdict
    assert found["first", "third"].recalls[0].score.adjusted_p_value < 0.001
    assert verdict.sentences[1].startswith(
        "No difference between first and second is seen in the recall of any class"
    )
    assert " and third " in verdict.sentences[1]
    assert verdict.sentences[2].startswith(
        "In none of 3 groups a difference of Accuracy between first and second is seen"
    )
    assert " between first and second may be anything from " in verdict.cautions[0].text
    same = judged({"old": OLD, "again": OLD, "third": OLD}, groups=REGION, confidence=None).verdict
    assert same.sentences[-1].startswith("In all of 3 groups Accuracy of ")
    assert "untested-differences" not in [notice.code for notice in same.cautions]


def test_of_several_models_the_leader_is_held_against_all() -> None:
    codes = RNG.integers(0, 4, 600)
    models = {
        name: np.where(RNG.random(600) < share, codes, (codes + 1) % 4)
        for name, share in (("tree", 0.5), ("forest", 0.9), ("svm", 0.89), ("knn", 0.7))
    }
    verdict = compare(codes, models, kind="classification", confidence=0.95).verdict
    assert {verdict.leader, verdict.rival} == {"forest", "svm"}
    assert ") is better than knn and tree; no score tells " in verdict.sentences[0]


def test_clusterings_are_told_apart_by_the_scores_that_were_asked_for() -> None:
    truth = np.arange(300) % 3
    models = {
        name: np.where(RNG.random(300) < share, truth, RNG.integers(0, 3, 300))
        for name, share in (("good", 0.9), ("bad", 0.4))
    }
    found = compare(truth, models, kind="clustering", confidence=0.95, indices=["ari", "jaccard"])
    (first,) = found.verdict.sentences
    own = found["good", "bad"].differences["adjusted_rand"]
    assert first.startswith(
        f"good is better than bad by Adjusted Rand (+{own.value:.3f}: {own.first:.3f} against {own.second:.3f}"
    )
    assert "Jaccard (+" in first
    assert " Rand" not in first.replace("Adjusted Rand", "")


def test_the_nearest_score_has_the_p_value_that_its_table_shows() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 150)
    models = {
        name: np.where(rng.random(150) < share, truth, rng.integers(0, 3, 150))
        for name, share in (("one", 0.62), ("two", 0.7))
    }
    asked = ["ari", "nmi", "jaccard", "purity"]
    found = compare(truth, models, kind="clustering", confidence=0.95, indices=asked)
    tested = found["one", "two"].differences.values()
    nearest = min(tested, key=lambda own: own.p_value)
    assert f"any of 4 scores; {nearest.index.title} comes nearest" in found.verdict.sentences[0]
    assert (
        f"p = {nearest.adjusted_p_value:.2g} after Holm's correction for 4 scores"
        in found.verdict.sentences[0]
    )


def test_classes_that_differ_while_no_score_does() -> None:
    truth = ["ill"] * 200 + ["well"] * 200
    old = ["ill"] * 260 + ["well"] * 140
    new = ["well"] * 60 + ["ill"] * 140 + ["well"] * 200
    first, second = compare(
        truth, {"old": old, "new": new}, kind="classification", confidence=0.95, indices=["accuracy"]
    ).verdict.sentences
    assert first == "No difference between old and new is seen by Accuracy."
    assert second.startswith("Yet old finds more of ill and new more of well: of ill old finds 100 %")


def test_scores_of_clusterings_without_a_test_are_named_apart() -> None:
    truth = np.arange(300) % 3
    models = {
        name: np.where(RNG.random(300) < share, truth, RNG.integers(0, k, 300))
        for name, share, k in (("good", 0.9, 3), ("bad", 0.4, 5))
    }
    indices = ["adjusted_rand", "pair_sets_index"]
    _, second = compare(truth, models, kind="clustering", confidence=0.95, indices=indices).verdict.sentences
    assert second.startswith("By values that are not tested, good is ahead by Pair sets index")


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_one_model_is_no_comparison(kind: Any) -> None:
    verdict = compare(TRUTH, {"old": OLD}, kind=kind, confidence=0.9).verdict
    assert len(verdict.sentences) == 1
    assert " with 90 % confidence)" in verdict.sentences[0]
    assert verdict.rival is None


def test_every_front_end_says_the_same(tmp_path: Any) -> None:
    found = judged(MODELS, groups=REGION)
    sentences = found.verdict.sentences
    assert len(sentences) == 3
    assert str(found.verdict) in repr(found)
    assert found.to_dict()["verdict"]["sentences"] == list(sentences)
    json.dumps(found.to_dict()["verdict"])
    html = found._repr_html_()
    made = report(TRUTH, MODELS, kind="classification", groups=REGION, output=tmp_path / "r.html")
    on_page = [own["text"] for own in made.page["sections"][0]["verdict"]]
    assert on_page[:3] == list(sentences)
    columns = {"truth": TRUTH, **MODELS, "region": REGION}
    of_table = compare(
        _frame(columns),
        truth="truth",
        models=["old", "new"],
        kind="classification",
        groups="region",
        confidence=0.95,
    )
    assert of_table.verdict == found.verdict
    for text in sentences:
        assert text.replace("'", "&#x27;").replace("<", "&lt;") in html


def _frame(columns: dict[str, Any]) -> Any:
    import polars as pl

    return pl.DataFrame(columns)


def test_columns_of_a_pair_hold_scores_and_differences() -> None:
    found = judged(MODELS)
    row = found.full_table().records()[0]
    own = found["old", "new"].differences["macro_f1"]
    assert row["macro_f1_primary"] == own.first
    assert row["macro_f1_alternative"] == own.second
    assert (row["macro_f1_difference_low"], row["macro_f1_adjusted_p_value"]) == (
        own.low,
        own.adjusted_p_value,
    )
    plain = judged(MODELS, confidence=None).full_table()
    assert "accuracy_difference" in plain.columns
    assert "accuracy_p_value" not in plain.columns


def test_a_class_that_is_a_number_does_not_run_into_the_next() -> None:
    truth = np.arange(300) % 3
    models = {"old": np.where(truth == 1, 0, truth), "new": truth}
    both = compare(truth, models, kind="classification", confidence=0.95)
    said = " ".join(both.verdict.sentences)
    assert "class “1” new finds 100 % and old 0 %" in said or "of class “1”: 100 % and 0 %" in said
    named = compare([f"type {i}" for i in truth], {m: [f"type {i}" for i in own] for m, own in models.items()},
                    kind="classification", confidence=0.95)  # fmt: skip
    assert "class “type 1”" in " ".join(named.verdict.sentences)


def test_models_that_are_better_in_different_things_trade() -> None:
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(2000) < 0.15, "churn", "stay")
    stays = np.where(rng.random(2000) < 0.8, "stay", "churn")
    models = {
        "logit": np.where((truth == "churn") & (rng.random(2000) < 0.2), "churn", "stay"),
        "llm": np.where(truth == "stay", stays, np.where(rng.random(2000) < 0.8, "churn", "stay")),
        "forest": np.where(rng.random(2000) < 0.6, truth, "stay"),
    }
    two = {name: models[name] for name in ("logit", "llm")}
    for options in ({}, {"indices": ["accuracy"]}):
        first, second = compare(
            truth, two, kind="classification", confidence=0.95, **options
        ).verdict.sentences
        assert first.startswith("logit and llm trade: logit by Accuracy (+0.0")
        assert second.startswith("Of churn logit finds ")
    untested = compare(truth, two, kind="classification", indices=["accuracy"]).verdict.sentences[0]
    assert untested.startswith("By values that are not tested, logit and llm trade: logit by Accuracy (+0.0")
    assert untested.endswith(", but llm finds more of churn.")
    three = compare(truth, models, kind="classification", confidence=0.95, indices=["accuracy"])
    first, second = three.verdict.sentences
    assert first.startswith("forest (Accuracy 0.9")
    assert (
        ") and llm trade: forest by Accuracy and llm finds more of churn; forest is better than logit;"
        in first
    )
    recalls = [float((said == truth)[truth == "churn"].mean()) for said in models.values()]
    assert all(f"{model} " in second for model in models)
    assert len([own for own in recalls if f"{100 * own:.1f} %" in second]) == 3


@pytest.mark.parametrize(
    ("kind", "options", "remedy"),
    [
        ("clustering", {}, "pass confidence=0.95"),
        ("classification", {"sample_weight": np.full(60, 0.5)}, "pass confidence=0.95"),
        ("multilabel", {}, "pass confidence=0.95"),
        (
            "clustering",
            {"sample_weight": np.full(60, 0.5), "weights": "importance", "confidence": 0.95},
            "no interval of weighted pairs of instances is known",
        ),
    ],
)
def test_untested_differences_name_what_would_test_them(
    kind: str, options: dict[str, Any], remedy: str
) -> None:
    labels = [np.repeat(list("abc"), 20), np.arange(60) % 3, np.arange(60) % 5]
    truth, *models = [[{str(own)} for own in one] for one in labels] if kind == "multilabel" else labels
    if kind == "classification":
        models = [np.array(list("abc"))[np.minimum(own, 2)] for own in models]
    found = compare(truth, dict(zip("pq", models, strict=True)), kind=kind, **options)
    (said,) = [notice for notice in found.verdict.cautions if notice.code == "untested-differences"]
    assert said.text == f"nothing says whether these differences are more than chance: {remedy}"


def test_a_class_of_one_has_one_instance() -> None:
    truth = ["a"] * 30 + ["n/a"]
    found = compare(truth, {"p": truth, "q": ["a"] * 31}, kind="classification")
    said = "the classes are unbalanced: a has 30 instances, n/a has 1 instance; "
    assert any(own.message.startswith(said) for own in found.verdict.cautions)
