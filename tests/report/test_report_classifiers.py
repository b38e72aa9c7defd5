"""Classifiers on the page: by class, by probability, by group, and their differences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge import compare, evaluate, report
from adjudge._report.classifiers import MOST_POINTS, classifiers, differences, groups, recalls
from adjudge._report.render import render_report
from adjudge._report.wording import chance
from adjudge.errors import InputError
from adjudge.results.by_class import ClassifierEvaluation

RNG = np.random.default_rng(11)
N = 600
CODES = RNG.integers(0, 3, N)
TRUTH = np.array(["ant", "bee", "cow"])[CODES]
P = {
    name: np.eye(3)[CODES] * share + RNG.dirichlet([1, 1, 1], N) * (1 - share)
    for name, share in (("good", 0.4), ("bad", 0.15))
}
GROUPS = np.where(np.arange(N) % 4 == 0, "north", "south")


def judged(name: str, **options: Any) -> ClassifierEvaluation:
    found = evaluate(TRUTH, probabilities=P[name], kind="classification", **options)
    assert isinstance(found, ClassifierEvaluation)
    return found


def test_by_class_and_curves() -> None:
    evaluations = {name: judged(name, confidence=0.95) for name in P}
    first, second = classifiers(evaluations, ["good", "bad"], 0.95)
    assert (first["model"], second["model"]) == ("good", "bad")
    assert first["measures"] == ["Precision", "Recall", "F1", "Specificity", "ROC AUC"]
    for row, label in zip(first["rows"], ("ant", "bee", "cow"), strict=True):
        own = evaluations["good"].by_class[label]
        assert (row["name"], row["support"], row["predicted"]) == (label, own.support, own.predicted)
        for cell, measure in zip(
            row["cells"], ("precision", "recall", "f1", "specificity", "roc_auc"), strict=True
        ):
            score = own.score(measure)
            assert (cell["value"], cell["interval"]) == (score.value, [score.low, score.high])
    assert [curve["name"] for curve in first["roc"]] == ["ant", "bee", "cow"]
    for curve in second["roc"]:
        assert curve["area"] == pytest.approx(evaluations["bad"].by_class[curve["name"]]["roc_auc"])
        points = np.array([list(map(float, point.split(","))) for point in curve["points"].split()])
        assert len(points) <= MOST_POINTS
        assert points[0].tolist() == [0, 100]
        assert points[-1].tolist() == [100, 0]
        drawn = np.trapezoid(100 - points[:, 1], points[:, 0]) / 1e4
        assert drawn == pytest.approx(curve["area"], abs=0.01)
    bins = second["reliability"]["bins"]
    assert sum(own["n"] for own in bins) == N
    assert second["reliability"]["error"] == pytest.approx(evaluations["bad"]["top_label_calibration_error"])
    for own in bins:
        high, low = sorted(own["ends"])
        assert high <= own["y"] <= low
    assert max(own["height"] for own in bins) == 18


def test_labels_alone_have_no_curves() -> None:
    found = evaluate(TRUTH, TRUTH[::-1], kind="classification")
    assert isinstance(found, ClassifierEvaluation)
    (own,) = classifiers({"m": found}, ["m"], None)
    assert own["roc"] is None
    assert own["reliability"] is None
    assert own["measures"] == ["Precision", "Recall", "F1", "Specificity"]
    assert own["rows"][0]["cells"][0]["interval"] is None


def test_differences_and_groups() -> None:
    result = compare(TRUTH, probabilities=P, kind="classification", groups=GROUPS, confidence=0.95)
    rows = differences(result, ["good", "bad"])
    assert {row["title"] for row in rows} >= {"Accuracy", "Log loss", "Brier score"}
    loss = next(row for row in rows if row["title"] == "Log loss")
    own = result["good", "bad"].differences["log_loss"]
    assert (loss["value"], loss["p_value"], loss["better"]) == (own.value, own.p_value, "lower")
    turned = differences(result, ["bad", "good"])
    assert turned[0]["value"] == -rows[0]["value"]
    found = groups(result, ["bad", "good"])
    assert found is not None
    assert [(row["first"], row["group"]) for row in found["rows"]] == [("bad", "north"), ("bad", "south")]
    north = found["rows"][0]
    pair = result.by_group["north"]["bad", "good"]
    assert north["counts"]["wrong_right"] == pair.wrong_right
    assert north["value"] == pair.differences["accuracy"].value
    assert [row["differ"] for row in found["rows"]] == [
        row["adjusted_p_value"] <= 0.05 for row in found["rows"]
    ]
    assert north["differ"]
    twins = {"good": P["good"], "twin": P["good"]}
    alike = groups(compare(TRUTH, probabilities=twins, groups=GROUPS, confidence=0.95), ["good", "twin"])
    assert alike is not None
    assert not any(row["differ"] for row in alike["rows"])
    assert differences(compare(TRUTH, probabilities=P, kind="classification"), ["good", "bad"]) == []
    assert groups(compare(TRUTH, probabilities=P, kind="classification"), ["good", "bad"]) is None


def test_recalls_of_the_best_two() -> None:
    result = compare(TRUTH, probabilities=P, kind="classification", confidence=0.95)
    found = recalls(result, ["good", "bad"])
    assert found is not None
    assert [row["class"] for row in found["rows"]] == ["ant", "bee", "cow"]
    for row in found["rows"]:
        for model, value in zip(("good", "bad"), (row["first"], row["second"]), strict=True):
            assert value == pytest.approx(judged(model).by_class[row["class"]]["recall"])
    assert recalls(result, None) is None


@pytest.mark.full
def test_the_page(tmp_path: Path) -> None:
    made = report(TRUTH, probabilities=P, kind="classification", groups=GROUPS, output=tmp_path / "r.html")
    (section,) = made.page["sections"]
    assert section["models"] == ["good", "bad"]
    html = render_report(made.page)
    for heading in ("Differences", "By group", "Scores by class", "Probabilities"):
        assert f"<h3>{heading}</h3>" in html
    # One picture a class, with the curves of both models and their areas.
    assert html.count('<svg class="square roc"') == 4
    assert html.count("<polygon") == 6
    for name, drawn in zip(("ant", "bee", "cow"), section["roc"], strict=True):
        assert drawn["name"] == name
        assert [curve["model"] for curve in drawn["curves"]] == ["good", "bad"]
        assert f">share of {name}</text>" in html
    assert html.count(">share of all others</text>") == 3
    (both,) = re.findall(r'aria-label="Reliability([^"]*)"', html)
    assert all(f". {model}, of the likeliest class; forecast" in both for model in ("good", "bad"))
    assert section["results"]["evaluations"]["good"]["by_class"][0]["class"] == "ant"
    plain = report(TRUTH, {"m": TRUTH[::-1]}, kind="classification", output=tmp_path / "p.html")
    html = render_report(plain.page)
    assert "<h3>Scores by class</h3>" in html
    assert "<h3>Probabilities</h3>" not in html
    assert "<h3>By group</h3>" not in html


@pytest.mark.parametrize(
    ("value", "text"), [(0.04, "0.04"), (1e-9, "<\N{NO-BREAK SPACE}0.0001"), (None, "–"), ("nan", "–")]
)
def test_p_values_alone(value: Any, text: str) -> None:
    assert chance(value) == text


@pytest.mark.full
@pytest.mark.parametrize("option", ["probabilities", "scores"])
def test_columns_of_a_data_frame_and_decision_values(option: str, tmp_path: Path) -> None:
    import polars as pl

    truth = CODES > 0
    given = {name: 1 - p[:, 0] for name, p in P.items()}
    labels = {name: p > 0.5 for name, p in given.items()}
    pages = [
        report(truth, labels, kind="classification", output=tmp_path / "page.html", **{option: own}).page
        for own in (given, pl.DataFrame(given))
    ]
    assert pages[0] == pages[1]
    (section,) = pages[0]["sections"]
    assert "roc_auc" in [record["name"] for record in section["scores"]["records"]]
    assert all(model["roc"] for model in section["classifiers"])
    assert [bool(model["reliability"]) for model in section["classifiers"]] == [option != "scores"] * 2


def test_forecasts_of_one_model_without_its_name_are_refused(tmp_path: Path) -> None:
    for option in ("probabilities", "scores"):
        with pytest.raises(
            InputError, match=f"^{option}= is an ndarray: give a mapping from names of models"
        ):
            report(TRUTH, output=tmp_path / "page.html", **{option: P["good"]})


def test_counted_rows_have_no_page(tmp_path):
    models = {"p": ["a", "b", "b"], "q": ["a", "a", "b"]}
    options = {"kind": "classification", "output": tmp_path / "page.html"}
    with pytest.raises(
        InputError, match="a row stands for several: repeat each row as often as it was counted"
    ):
        report(["a", "b", "b"], models, counts=[1, 0, 2], **options)
    assert report(["a", "b", "b"], models, counts=[1, 1, 1], **options).page["sections"][0]["n"] == 3


def test_the_page_judges_each_classifier_once(tmp_path, monkeypatch):
    from adjudge.kinds.classes import ClassifierCase

    judged = []
    scored = ClassifierCase.scored
    monkeypatch.setattr(
        ClassifierCase, "scored", lambda own, *asked: judged.append(own) or scored(own, *asked)
    )
    models = {"p": ["a", "b", "b", "a"], "q": ["a", "a", "b", "a"]}
    report(["a", "b", "b", "a"], models, kind="classification", output=tmp_path / "page.html")
    assert len(judged) == len(models)


WEIGHTED = "Each row counts once here, whatever its weight; scores, intervals and the verdict are weighted."


def page_of(tmp_path: Path, **options: Any) -> str:
    models = {name: own.argmax(axis=1) for name, own in P.items()}
    compared = {"kind": "classification", **options}
    report(CODES, models, output=tmp_path / "page.html", **compared)
    return (tmp_path / "page.html").read_text()


def test_the_page_says_where_rows_are_counted(tmp_path: Path) -> None:
    weights = np.where(CODES == 0, 4, 1)
    assert WEIGHTED in page_of(tmp_path, sample_weight=weights, weights="importance")
    assert WEIGHTED not in page_of(tmp_path)


def test_large_weights_have_no_decimals_and_fit_into_the_matrix(tmp_path: Path) -> None:
    weights = 10**6 / 3 * (1 + CODES)
    page = page_of(tmp_path, sample_weight=weights, weights="importance")
    matrix = re.search(r'<table class="matrix" style="--signs: (\d+)">.*?</table>', page, re.DOTALL)
    assert matrix is not None
    assert matrix[1] == str(len(f"{weights.sum():,.0f}"))
    cells = re.findall(r'data-role="count">([^<]*)<', matrix[0])
    assert len(cells) == 4
    assert all(re.fullmatch(r"[\d,]+", cell) for cell in cells)
    assert f"2 classifiers on 600 rows that weigh {weights.sum():,.0f}, judged" in page
    assert not re.search(r">[\d.]+e\+\d+<", page)
