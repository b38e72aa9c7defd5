"""From what the networks said of each image to the tables: no torch needed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from adjudge.errors import InputError, MissingExtraError
from adjudge_papers import biswas_deep, reproduce
from adjudge_papers.biswas_deep import NETWORKS, judge_outcomes
from adjudge_papers.facts import load_facts
from adjudge_papers.folds import CURVES, Outcome, collect
from adjudge_papers.images import ImageSet
from conftest import raises_line


def test_contradictions_of_the_printed_tables():
    facts = load_facts("biswas_deep")
    findings = biswas_deep._contradictions(facts)
    assert not any(finding.holds for finding in findings)
    assert findings[0].evidence.startswith(
        "9 of 12 cells break it: MNIST/MobileNet printed 0.9910, implied 0.9965"
    )
    assert "10 of 12" in findings[5].evidence
    # Tables that keep the identities are not accused.
    emnist = {table: {"eMNIST": facts[table]["eMNIST"]} for table in ("table3", "table4")}
    assert [f.holds for f in biswas_deep._contradictions(emnist)][:4] == [True] * 4


def test_without_torch(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    images = ImageSet("MNIST", np.zeros((60, 4, 4), np.uint8), np.zeros(60, np.int64), ("a",))
    monkeypatch.setattr(biswas_deep, "load_images", lambda data, folder: images)
    with raises_line(
        MissingExtraError,
        "training the networks needs the package 'torch', which is not installed: pip install 'adjudge-papers[deep]'",
    ):
        reproduce("biswas-deep")


def test_folds_that_are_missing(tmp_path):
    with raises_line(InputError, f"{str(tmp_path)!r} holds no fold 1 of Xception: train it first"):
        collect(tmp_path, "Xception")


def test_outcomes_become_tables(tmp_path):
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    images = ImageSet("MNIST", np.zeros((60, 4, 4), np.uint8), labels, ("a", "b", "c"))
    outcomes = {}
    for i, name in enumerate(NETWORKS):
        predicted = np.where(rng.random(60) < 0.6 + 0.1 * i, labels, (labels + 1) % 3)
        curves = {k: np.full((2, 3), 0.5) for k in CURVES}
        settings = {"folds": 2, "epochs": 3, "size": 32}
        outcomes[name] = Outcome(
            name, predicted, np.full(60, 0.9, np.float32), np.arange(60) % 2, curves, settings, "CPU"
        )
    result = judge_outcomes(images, outcomes)
    assert {cell.verdict for cell in result.cells} == {"not reproducible"}
    assert len(result.cells) == 15 + 12
    assert result.notes[0].startswith("REDUCED: 60 images, 2 folds, 3 epochs")
    matrix = result.tables["prayatul_matrices"].records()[0]
    p, q = outcomes["ResNet50V2"].predicted == labels, outcomes["MobileNetV2"].predicted == labels
    assert (matrix["BR"], matrix["RW"], matrix["WR"], matrix["BW"]) == (
        np.sum(p & q),
        np.sum(p & ~q),
        np.sum(~p & q),
        np.sum(~p & ~q),
    )
    result.write(tmp_path)
    frame = polars.read_parquet(tmp_path / "out_of_fold.parquet")
    assert frame["Xception"].to_list() == outcomes["Xception"].predicted.tolist()
    assert frame["class"].to_list() == [images.classes[v] for v in labels]
    assert "REDUCED" in (tmp_path / "biswas-deep.html").read_text("utf-8")
    json.dumps(result.to_dict())
    fewer = ImageSet("MNIST", images.images[:59], labels[:59], images.classes)
    with pytest.raises(InputError, match="was trained on 60 images, but the data have 59"):
        judge_outcomes(fewer, outcomes)
