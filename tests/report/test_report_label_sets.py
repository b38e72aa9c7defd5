"""Several labels per instance on the page: outcomes by label, instances, scores by label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge import InputError, compare, evaluate, report

RNG = np.random.default_rng(8)
LABELS = ["ant", "bee", "cow"]
TRUE = RNG.random((60, 3)) < 0.4
MODELS = {"good": TRUE ^ (RNG.random((60, 3)) < 0.1), "bad": TRUE ^ (RNG.random((60, 3)) < 0.4)}


def section(tmp_path: Path, *given: Any, **options: Any) -> dict[str, Any]:
    made = report(*given, kind="multilabel", classes=LABELS, output=tmp_path / "r.html", **options)
    (found,) = made.page["sections"]
    return dict(found)


def test_outcomes_by_label_and_instances(tmp_path: Path) -> None:
    found = section(tmp_path, TRUE, MODELS)
    right = {name: own == TRUE for name, own in MODELS.items()}
    assert found["best"] == ["good", "bad"]
    for j, row in enumerate(found["sets"]["by_label"]):
        assert (row["name"], row["size"]) == (LABELS[j], TRUE[:, j].sum())
        good, bad = right["good"][:, j], right["bad"][:, j]
        assert row["counts"] == {
            "both_right": (good & bad).sum(),
            "right_wrong": (good & ~bad).sum(),
            "wrong_right": (~good & bad).sum(),
            "both_wrong": (~good & ~bad).sum(),
        }
    for group, (winner, loser) in zip(
        found["sets"]["disagreements"], (("good", "bad"), ("bad", "good")), strict=True
    ):
        alone = (right[winner] & ~right[loser]).sum(axis=1)
        assert (group["model"], group["total"]) == (winner, np.count_nonzero(alone))
        assert [row["labels"] for row in group["rows"]] == sorted(alone[alone > 0].tolist(), reverse=True)[
            :12
        ]
        for row in group["rows"]:
            assert alone[row["position"]] == row["labels"]
            for name, own in (("truth", TRUE), ("primary", MODELS["good"]), ("alternative", MODELS["bad"])):
                has = [label for label, h in zip(LABELS, own[row["position"]], strict=True) if h]
                assert row[name] == (", ".join(has) or "none")


def test_scores_by_label_have_intervals(tmp_path: Path) -> None:
    found = section(tmp_path, TRUE, MODELS, confidence=0.9)
    judged = evaluate(TRUE, MODELS["good"], kind="multilabel", classes=LABELS, confidence=0.9)
    own = found["classifiers"][0]
    assert (own["model"], own["confidence"]) == ("good", 0.9)
    score = judged.by_class["bee"].score("recall")  # type: ignore[attr-defined]
    assert own["rows"][1]["cells"][1]["interval"] == [score.low, score.high]
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "each label by itself, with 90&nbsp;% confidence intervals" in page


def test_probabilities_and_weights(tmp_path: Path) -> None:
    shares = {name: np.where(own, 0.8, 0.3) for name, own in MODELS.items()}
    counts = RNG.integers(1, 4, 60)
    found = section(tmp_path, TRUE, probabilities=shares, counts=counts)
    wanted = compare(TRUE, kind="multilabel", classes=LABELS, probabilities=shares, counts=counts)
    assert found["n"] == counts.sum()
    pair = next(own for own in found["pairs"] if own["primary"] == "good")
    assert pair["counts"]["right_wrong"] == wanted["good", "bad"].right_wrong
    assert found["classifiers"][0]["measures"][-1] == "ROC AUC"


def test_one_model_has_no_rival(tmp_path: Path) -> None:
    found = section(tmp_path, TRUE, {"good": MODELS["good"]})
    assert found["sets"] is None
    assert len(found["classifiers"][0]["rows"]) == 3


def test_what_does_not_belong_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="X= is not an option for several labels per instance: leave it out"):
        section(tmp_path, TRUE, MODELS, X=np.zeros((60, 2)))
    with pytest.raises(InputError, match="give labels_true"):
        section(tmp_path, None, MODELS)
