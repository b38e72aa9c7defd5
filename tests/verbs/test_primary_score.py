"""The score that decides is tested alone and named first; the others are corrected among themselves."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge import AdjudgeError, compare, report
from adjudge.inference import adjust_p_values
from cases import each

RNG = np.random.default_rng(3)
N = 400
TRUTH = np.where(RNG.random(N) < 0.4, "sick", "well")
OTHER = np.where(TRUTH == "sick", "well", "sick")
HARD = RNG.random(N)


def says(of_sick: float, of_well: float) -> Any:
    """Predict this share of the sick, and of the well, rightly."""
    return np.where(np.where(TRUTH == "sick", of_sick, of_well) > HARD, TRUTH, OTHER)


MODELS = {"old": says(0.80, 0.95), "new": says(0.90, 0.91), "third": says(0.85, 0.93)}
TWO = {name: MODELS[name] for name in ("old", "new")}
INDICES = ["accuracy", "f1", "recall", "specificity", "matthews_correlation"]
ASKED: dict[str, Any] = {"kind": "classification", "positive": "sick", "confidence": 0.95, "indices": INDICES}
FRAME = pd.DataFrame({"label": TRUTH, **MODELS})


def corrected(found: Any, names: Any) -> tuple[list[float | None], list[float]]:
    """Return the adjusted p-values of some scores of all pairs, and what Holm's correction of these alone gives."""
    rows = [found[pair].differences[name] for pair in combinations(found.models, 2) for name in names]
    return [row.adjusted_p_value for row in rows], adjust_p_values([row.p_value for row in rows])


@each("models", [TWO, MODELS])
def test_it_is_tested_alone_and_the_others_among_themselves(models: dict[str, Any]) -> None:
    found = compare(TRUTH, models, **ASKED, primary="recall")
    assert list(found["old", "new"].differences) == [
        "recall",
        *(name for name in INDICES if name != "recall"),
    ]
    for names in (["recall"], [name for name in INDICES if name != "recall"]):
        known, wanted = corrected(found, names)
        assert known == wanted
    usual = compare(TRUTH, models, **ASKED)
    assert (
        found["old", "new"].differences["recall"].p_value == usual["old", "new"].differences["recall"].p_value
    )
    assert found.scores == usual.scores
    assert found.settings["primary"] == found.to_dict()["settings"]["primary"] == "recall"
    assert "primary" not in usual.settings


def test_it_is_named_first_and_decides() -> None:
    found = compare(TRUTH, TWO, **ASKED, primary="recall")
    own = found["new", "old"].differences["recall"]
    assert (found.verdict.leader, found.verdict.score) == ("new", "recall")
    first, second = found.verdict.sentences[:2]
    values = f"+{own.value:.3f}: {own.first:.3f} against {own.second:.3f}, p "
    assert first.startswith(f"By the primary score, Recall of sick ({values}")
    assert first.endswith("new is better than old.")
    assert second.startswith("The other 4 scores, corrected among themselves: ")
    assert "Recall" not in second
    assert own.reason == "the primary score, tested alone"
    assert own.reason in found.differences_table().text()
    alone = compare(TRUTH, TWO, **{**ASKED, "indices": "recall"}, primary="recall")
    assert alone.verdict.sentences[0] == first
    assert not any(text.startswith("The other") for text in alone.verdict.sentences)


def test_by_another_score_another_model_leads() -> None:
    assert compare(TRUTH, TWO, **ASKED, primary="specificity").verdict.leader == "old"
    none = compare(TRUTH, TWO, **ASKED, primary="accuracy").verdict.sentences[0]
    assert "no difference between" in none
    assert none.startswith("By the primary score, Accuracy (")


def test_of_several_models_each_is_held_against_the_leader() -> None:
    found = compare(TRUTH, {**MODELS, "poor": says(0.4, 0.9)}, **ASKED, primary="recall")
    first = found.verdict.sentences[0]
    assert first.startswith("By the primary score, Recall of sick, new is better than ")
    assert "; against third, the nearest, +0.0" in first
    reason = found["new", "old"].differences["recall"].reason
    assert reason == "the primary score, corrected for the pairs of models alone"


def test_models_without_the_primary_score_come_last() -> None:
    never = np.full(N, "well")
    asked = {**ASKED, "indices": ["accuracy", "precision"], "primary": "precision"}
    found = compare(TRUTH, {"never": never, **TWO, "poor": says(0.5, 0.5)}, **asked)
    assert found.verdict.rival != "never"
    first = found.verdict.sentences[0]
    assert first.startswith("By the primary score, Precision of sick, ")
    assert "never" not in first
    said = compare(TRUTH, {"never": never, "old": MODELS["old"]}, **asked).verdict.sentences
    assert said[0] == "The primary score, Precision of sick, is undefined for never."
    assert said[1].startswith("The other score: ")


def test_models_that_are_the_same_have_one_sentence() -> None:
    same = compare(TRUTH, {"old": MODELS["old"], "again": MODELS["old"]}, **ASKED, primary="recall")
    assert "there is no difference between them" in same.verdict.sentences[0]


def test_without_tests_it_is_said_to_be_untested() -> None:
    found = compare(TRUTH, TWO, **{**ASKED, "confidence": None}, primary="recall")
    assert found.verdict.sentences[0].endswith("new is ahead of old; this is not tested.")
    assert found.verdict.sentences[1].startswith("The other 4 scores: by values that are not tested, ")


@each("given", ["ari", "adjusted_mutual_information", adjudge.find_index("rand")])
@each("level", [None, 0.95])
def test_of_clusterings(level: float | None, given: Any) -> None:
    indices = ["adjusted_rand", "adjusted_mutual_information", "rand"]
    found = compare(TRUTH, MODELS, kind="clustering", indices=indices, confidence=level, primary=given)
    name = found.settings["primary"]
    assert next(iter(found.judged["old"])) == name
    assert found.verdict.sentences[0].startswith(f"By the primary score, {found.title_of(name)}")


def test_of_label_sets() -> None:
    true = [{"a"}, {"a", "b"}, {"b"}, set()] * 20
    models = {"one": [{"a"}, {"a"}, {"b"}, {"b"}] * 20, "other": [{"b"}, {"a", "b"}, {"b"}, {"b"}] * 20}
    found = compare(true, models, kind="multilabel", primary="hamming_loss")
    assert next(iter(found.judged["one"])) == "hamming_loss"
    assert found.verdict.sentences[0].startswith("By the primary score, Hamming loss (")


def test_of_results() -> None:
    results = [adjudge.evaluate(TRUTH, own, kind="classification") for own in TWO.values()]
    found = compare(*results, indices=["accuracy", "kappa"], confidence=0.95, primary="kappa")
    assert found.settings["primary"] == "cohen_kappa"


@each("primary", ["log_loss", "accuracy"])
def test_of_forecasts_in_a_lazy_table_it_comes_first(primary: str) -> None:
    pl = pytest.importorskip("polars")
    sick = {f"p_{name}": np.where(own == "sick", 0.8, 0.3) for name, own in TWO.items()}
    frame = pd.DataFrame({"label": TRUTH, **sick, "g": np.arange(N) % 2})
    given = {"probabilities": {name: f"p_{name}" for name in TWO}, "positive": "sick", "groups": ["g"]}
    asked = {"indices": ["accuracy", "log_loss", "roc_auc"], "confidence": 0.95, "primary": primary}
    eager, lazy = (
        compare(own, truth="label", kind="classification", **given, **asked)
        for own in (frame, pl.from_pandas(frame).lazy())
    )
    for found in (eager, lazy):
        assert next(iter(found.judged["old"])) == next(iter(found["old", "new"].differences)) == primary
        assert found.settings["primary"] == found.verdict.score == primary
        assert next(iter(found.by_group.values())).settings["primary"] == primary
    with pytest.raises(AdjudgeError, match="not among the scores that are shown"):
        compare(pl.from_pandas(frame).lazy(), truth="label", **given, **{**asked, "primary": "brier_score"})


@each("primary, said", [
    ("rcall", "did you mean recall"),
    ("kappa", "primary='cohen_kappa' is not among the scores that are shown (accuracy, f1, recall, "),
    ("all", "primary='all' stands for several scores"),
    (["recall", "f1"], "name one score"),
    (0.95, "primary=0.95: name one score"),
])  # fmt: skip
def test_what_is_no_score_of_the_comparison_is_refused(primary: Any, said: str) -> None:
    with pytest.raises(AdjudgeError) as error:
        compare(TRUTH, TWO, **ASKED, primary=primary)
    assert said in str(error.value)


def test_a_score_without_a_direction_is_refused() -> None:
    with pytest.raises(AdjudgeError, match="better neither if higher nor if lower"):
        compare(TRUTH, TWO, **{**ASKED, "indices": ["accuracy", "selection_rate"]}, primary="selection_rate")


def test_the_page_says_it(tmp_path: Path) -> None:
    made = report(TRUTH, MODELS, **ASKED, primary="recall", output=tmp_path / "page.html")
    (section,) = made.page["sections"]
    assert section["headline"].startswith("By Recall of sick, the primary score, new is better than ")
    assert (
        section["verdict"][0]["text"]
        == compare(TRUTH, MODELS, **ASKED, primary="recall").verdict.sentences[0]
    )
    assert section["settings"]["primary"] == "recall"
    text = made.path.read_text(encoding="utf-8")
    assert (
        "except Recall of sick, the primary score, which is corrected for the pairs of models alone" in text
    )
    usual = report(TRUTH, MODELS, **ASKED, output=tmp_path / "usual.html")
    assert "primary score" not in usual.path.read_text(encoding="utf-8")
