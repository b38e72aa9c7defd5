"""The study of classifiers' scores: its classifier is calibrated, and the page has its figures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "studies"))
    import classifier_scores

    yield classifier_scores
    for name in ("classifier_scores", "tables"):
        del sys.modules[name]


def test_the_classifier_gives_true_probabilities(study: Any) -> None:
    rng = np.random.default_rng(5)
    for noise in (0.0, 0.5):
        truth = (rng.random(200_000) < 0.2).astype(int)
        signal = study.SIGNAL * truth + rng.normal(size=truth.size)
        likely = study.calibrated(signal, 0.2, noise, rng)
        for low in (0.05, 0.2, 0.5, 0.8):
            near = (likely > low) & (likely < low + 0.1)
            assert truth[near].mean() == pytest.approx(likely[near].mean(), abs=0.015)


def test_proper_scores_notice_each_fault_of_probabilities(study: Any) -> None:
    rng = np.random.default_rng(6)
    truth, likely = study.draw(rng, 50_000, 0.2)
    before = study.scores(truth, likely)
    for name in ("log_loss", "brier_score"):
        place = study.NAMES.index(name)
        for fault, change in study.spoilt(rng).items():
            lost = before[place] - study.scores(truth, *change(likely))[place]
            assert lost > 0 or fault == "threshold 0.2", (name, fault)
    recall = study.NAMES.index("recall")
    assert study.scores(truth, *study.spoilt(rng)["too high"](likely))[recall] > before[recall]


def test_the_page_has_the_figures_of_the_table(study: Any) -> None:
    page = study.PAGE.read_text("utf-8")
    with study.PAGE.with_suffix(".csv").open(encoding="utf-8") as file:
        known = {row["score"]: row for row in csv.DictReader(file)}
    assert list(known) == study.NAMES
    for name in study.SHOWN:
        rows = [
            line.rstrip(" |").split(" | ")[1:] for line in page.splitlines() if line.startswith(f"| [{name}]")
        ]
        values, faults, sizes = (rows[i] for i in (0, 1, -1))
        own = known[name]
        assert values == [f"{abs(float(own[f'at {p:g}'])):.3f}" for p in study.PREVALENCES]
        assert len(faults) == 6
        assert len(sizes) == 2


def test_more_classes_leave_accuracy_alone_and_raise_kappa(study: Any) -> None:
    rows = {
        row[0].split("]")[0][1:]: [float(own) for own in row[1:]]
        for row in study.by_classes(np.random.default_rng(8))
    }
    assert rows["accuracy"] == pytest.approx([0.7] * 4, abs=0.02)
    assert rows["cohen_kappa"] == pytest.approx([1 - 0.3 / (1 - 1 / k) for k in study.MANY], abs=0.02)
    assert rows["log_loss"] == pytest.approx(
        [-0.7 * np.log(0.7) - 0.3 * np.log(0.3 / (k - 1)) for k in study.MANY], abs=0.05
    )
