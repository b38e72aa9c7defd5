"""The page's section on what changed since an earlier result."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adjudge import InputError, choose_k, compare, evaluate, gate, report

RNG = np.random.default_rng(5)
N = 400
TRUTH = np.where(RNG.random(N) < 0.4, "churn", "stay")
OLD = np.where(RNG.random(N) < 0.8, TRUTH, "stay")
NEW = np.where(RNG.random(N) < 0.6, TRUTH, OLD)
KIND = {"kind": "classification"}


def section_of(tmp_path: Path, *given, **options):
    made = report(*given, output=tmp_path / "page.html", **options)
    (section,) = made.page["sections"]
    return section, made.path.read_text("utf-8")


def saved(tmp_path: Path, instances: bool = True) -> Path:
    return evaluate(TRUTH, OLD, **KIND).save(tmp_path / "run.adjudge", instances=instances)


def said(section) -> str:
    return " ".join(sentence["text"] for sentence in section["verdict"])


def test_scores_that_moved_and_instances_that_broke(tmp_path: Path) -> None:
    for earlier in (saved(tmp_path), evaluate(TRUTH, OLD, **KIND), gate(TRUTH, NEW[::-1], OLD)):
        section, page = section_of(tmp_path, TRUTH, {"new": NEW}, **KIND, against=earlier)
        row = next(row for row in section["changes"]["rows"] if row["title"] == "Accuracy")
        before, now = np.mean(OLD == TRUTH), np.mean(NEW == TRUTH)
        assert (row["before"], row["now"]) == pytest.approx((before, now))
        assert row["change"] == pytest.approx(now - before)
        pair = compare(TRUTH, {"new": NEW, "old": OLD}, **KIND, confidence=0.95)["new", "old"]
        assert row["interval"] == pytest.approx(pair.differences["accuracy"].interval)
        assert row["status"] == "better"
        broken, fixed = section["changes"]["instances"][0]["groups"]
        places = [
            np.flatnonzero((OLD == TRUTH) & (NEW != TRUTH)),
            np.flatnonzero((OLD != TRUTH) & (NEW == TRUTH)),
        ]
        for group, own in zip((broken, fixed), places, strict=True):
            assert group["total"] == own.size
            assert [r["position"] for r in group["rows"]] == own[:24].tolist()
            assert [(r["truth"], r["primary"], r["alternative"]) for r in group["rows"]] == [
                (TRUTH[i], NEW[i], OLD[i]) for i in own[:24]
            ]
        assert f"{places[0].size} instances broke, {places[1].size} were fixed" in said(section)
        assert "Changes since the last run" in page
        assert section["models"] == ["new", "before"]


def test_models_are_found_by_their_names(tmp_path: Path) -> None:
    earlier = compare(TRUTH, {"forest": OLD, "knn": NEW, "tree": OLD}, **KIND)
    section, _ = section_of(tmp_path, TRUTH, {"knn": OLD, "forest": OLD, "net": NEW}, **KIND, against=earlier)
    rows = section["changes"]["rows"]
    changes = {row["model"]: row for row in rows if row["title"] == "Accuracy"}
    assert set(changes) == {"forest", "knn"}
    assert changes["forest"]["change"] == 0
    assert changes["forest"]["status"] == "none is seen"
    assert changes["knn"]["status"] == "worse"
    assert "net is not in the earlier result." in said(section)
    assert "tree is only in the earlier result." in said(section)
    assert section["models"] == ["knn", "forest", "net"]


def test_without_the_same_instances_there_are_no_intervals(tmp_path: Path) -> None:
    bare, whole = saved(tmp_path, instances=False), evaluate(TRUTH, OLD, **KIND)
    for earlier, rows, why in (
        (bare, slice(None), "run.adjudge: .*saved without instances"),
        (whole, slice(1, None), "the earlier result has 400 rows, the new model has 399"),
        (whole, slice(None, None, -1), "the truth of .* is not that of the earlier result"),
        (
            evaluate(TRUTH, np.where(OLD == "stay", OLD, None), **KIND, missing="drop"),
            slice(None),
            "left out rows",
        ),
    ):
        section, _ = section_of(tmp_path, TRUTH[rows], {"new": NEW[rows]}, **KIND, against=earlier)
        found = section["changes"]
        assert found["confidence"] is None
        assert found["instances"] == []
        assert all(row["interval"] is None for row in found["rows"])
        row = next(row for row in found["rows"] if row["title"] == "Accuracy")
        assert row["change"] == pytest.approx(row["now"] - row["before"]) != 0
        assert re.search(f"no intervals: .*{why}", said(section))
        assert section["models"] == ["new"]


def test_clusterings_with_and_without_the_truth(tmp_path: Path) -> None:
    X = RNG.normal(size=(60, 2)) + 6 * (np.arange(60) % 2)[:, None]
    true, old = np.arange(60) % 2, np.arange(60) % 3
    earlier = evaluate(true, old, kind="clustering")
    section, _ = section_of(tmp_path, true, {"now": true}, kind="clustering", against=earlier)
    found = section["changes"]
    assert found["instances"][0]["kind"] == "clustering"
    assert found["instances"][0]["groups"][0]["total"] == 0
    assert "0 pairs broke, " in said(section)
    points = evaluate(X=X, labels=old)
    section, page = section_of(tmp_path, models={"now": true}, X=X, against=points)
    row = next(row for row in section["changes"]["rows"] if row["title"].startswith("Silhouette"))
    assert row["before"] == pytest.approx(points["silhouette"])
    assert row["now"] > row["before"]
    assert "Changes since the last run" in page


def test_pages_of_evaluations(tmp_path: Path) -> None:
    now = evaluate(TRUTH, NEW, **KIND, confidence=0.9)
    section, _ = section_of(tmp_path, evaluation=now, against=saved(tmp_path))
    row = next(row for row in section["changes"]["rows"] if row["title"] == "Accuracy")
    pair = compare(TRUTH, {"new": NEW, "old": OLD}, **KIND, confidence=0.9)["new", "old"]
    assert row["interval"] == pytest.approx(pair.differences["accuracy"].interval)
    several = evaluate(TRUTH, {"a": NEW, "b": OLD}, **KIND)
    section, _ = section_of(tmp_path, evaluation=several, against=evaluate(TRUTH, {"b": NEW}, **KIND))
    assert {row["model"] for row in section["changes"]["rows"]} == {"b"}


def test_forecasts_change_without_being_a_model(tmp_path: Path) -> None:
    p = np.clip((TRUTH == "churn") * 0.5 + RNG.random(N) * 0.5, 0.01, 0.99)
    probabilities = {"net": np.column_stack([p, 1 - p])}
    options = {**KIND, "probabilities": probabilities, "classes": ["churn", "stay"]}
    section, _ = section_of(tmp_path, TRUTH, {"net": NEW}, **options, against=saved(tmp_path))
    assert section["models"] == ["net"]
    row = next(row for row in section["changes"]["rows"] if row["title"] == "Accuracy")
    assert row["interval"] is not None


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    page = {"output": tmp_path / "page.html"}
    X = RNG.normal(size=(30, 2))
    choice = choose_k(X, k=range(2, 4), random_state=0)
    old = evaluate(TRUTH, OLD, **KIND)
    for message, given, options in (
        ("cannot read .*nothing.adjudge", (TRUTH, {"n": NEW}), {**KIND, "against": "nothing.adjudge"}),
        ("against= is a KChoice", (TRUTH, {"n": NEW}), {**KIND, "against": choice}),
        ("a model is called 'before'", (TRUTH, {"before": NEW}), {**KIND, "against": old}),
        (
            "no score of a model is in both",
            (TRUTH, {"n": NEW}),
            {**KIND, "against": compare(TRUTH, {"a": OLD, "b": NEW}, **KIND)},
        ),
        ("against= is of models", (), {"k_choice": choice, "against": old}),
        ("against= is of models", (), {"gate": gate(TRUTH, OLD, NEW), "against": old}),
        ("against= is not an option", ([["a"]], {"n": [["a"]]}), {"kind": "multilabel", "against": old}),
    ):
        with pytest.raises((InputError, TypeError), match=message):
            report(*given, **page, **options)
        assert not page["output"].exists()


def test_the_command_says_what_changed(tmp_path: Path, monkeypatch, run) -> None:
    saved(tmp_path)
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"label": TRUTH, "new": NEW}).to_csv("p.csv", index=False)
    asked = shlex.split("report p.csv --truth label --models new --against run.adjudge -o p.html")
    assert "Since run.adjudge, new: " in run(*asked, "--kind", "classification")
    assert "Changes since the last run" in Path("p.html").read_text("utf-8")
    assert "--against is not an option" in run(*asked, "--kind", "multilabel", code=2)
