"""The study of internal criteria: its families are what they are called, and the page has its figures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "studies"))
    import internal_criteria

    yield internal_criteria
    for name in ("internal_criteria", "tables"):
        del sys.modules[name]


def test_families_have_classes_that_neighbours_tell_apart(study: Any) -> None:
    for name, make in study.FAMILIES.items():
        points, truth = make(np.random.default_rng(2))
        assert points.shape[0] == truth.size == study.N
        assert np.isfinite(points).all()
        near = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(points, return_distance=False)[:, 1]
        kept = truth < 4 if name == "among noise" else np.full(study.N, True)
        assert (truth[near] == truth)[kept].mean() > 0.75, name


def test_a_criterion_that_ranks_as_the_truth_does_loses_nothing(
    study: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The regret of a criterion is measured against the candidates that are there."""
    points, truth = study.FAMILIES["round"](np.random.default_rng(7))
    monkeypatch.setattr(study, "candidates", lambda *_: iter([truth, np.arange(240) % 4, np.arange(240) % 3]))
    lost = study.regrets(points, truth, 0, ["silhouette"])
    assert lost["silhouette"] == lost["consensus of choose"] == 0
    assert lost["any candidate"] == pytest.approx(2 / 3, abs=0.02)


def test_the_page_has_the_figures_of_the_table(study: Any) -> None:
    page = study.PAGE.read_text("utf-8")
    with study.PAGE.with_suffix(".csv").open(encoding="utf-8") as file:
        known = {row["criterion"]: row for row in csv.DictReader(file)}
    assert set(known) == {*study.NAMES, "consensus of choose", "any candidate"}
    for name in (*study.SHOWN, *study.OTHERS):
        own = known[name]
        start = f"| [{name}]" if name in study.NAMES else f"| {name} "
        cells = next(line for line in page.splitlines() if line.startswith(start)).strip("| ").split(" | ")
        assert cells[3:] == [f"{float(own[family]):.2f}" for family in study.FAMILIES], name


def test_what_is_done_is_not_done_again(study: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(study, "FAMILIES", {"round": study.FAMILIES["round"]})
    monkeypatch.setattr(study, "NAMES", ["silhouette"])
    monkeypatch.setattr(study, "candidates", lambda *_: iter([np.arange(240) % 4, np.arange(240) % 3]))
    work = tmp_path / "work.jsonl"
    first = study.study(1, 1, work)
    assert len(first["round"][0]["votes"]) == 2
    assert set(first["round"][0]["votes"][0]) == {"verdict", "seven votes", *study.VOTERS}
    monkeypatch.setattr(study, "votes", lambda *_: pytest.fail("computed again"))
    monkeypatch.setattr(study, "regrets", lambda *_: pytest.fail("computed again"))
    assert study.study(1, 1, work) == first
