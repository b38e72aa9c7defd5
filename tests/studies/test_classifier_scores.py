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
        truth, likely = study.draw(rng, 200_000, 0.2, noise)
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
    assert (
        study.scores(truth, *study.spoilt(rng)["too high"](likely))[study.NAMES.index("recall")] > before[8]
    )


def test_the_page_has_the_figures_of_the_table(study: Any) -> None:
    page = study.PAGE.read_text("utf-8")
    with study.PAGE.with_suffix(".csv").open(encoding="utf-8") as file:
        known = {row["score"]: row for row in csv.DictReader(file)}
    assert tuple(known) == study.NAMES
    for name, record in zip(study.NAMES, study.RECORDS, strict=True):
        sign = 1 if record.better == "higher" else -1
        values, faults, sizes = (
            line.split(" | ")[1:] for line in page.splitlines() if line.startswith(f"| [{name}]")
        )
        own = known[name]
        assert [own.rstrip(" |") for own in values] == [
            f"{sign * float(own[f'at {p:g}']):.3f}" for p in study.PREVALENCES
        ]
        assert len(faults) == 5
        assert len(sizes) == 2
