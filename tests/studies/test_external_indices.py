"""The study of external indices: its changes are those that its page names, and the page has its figures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "studies"))
    import external_indices

    yield external_indices
    for name in ("external_indices", "tables"):
        del sys.modules[name]


def test_changes_are_what_they_are_called(study: Any) -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
    found = {name: change(rng, labels) for name, change in study.CHANGES.items()}
    sizes = {name: sorted(np.unique(own, return_counts=True)[1].tolist()) for name, own in found.items()}
    assert sizes["merge"] == [10, 20, 70]
    assert sizes["lose the smallest"] == [20, 30, 50]
    assert sizes["move as many"] == [10, 20, 30, 40]
    assert (found["move as many"] != labels).sum() == 10
    assert len(sizes["split"]) == 5
    assert adjudge.homogeneity(labels, found["split"]) == pytest.approx(1)
    assert sizes["alone"].count(1) == (found["alone"] > 3).sum() > 0
    assert set(found["into largest"][found["into largest"] != labels]) == {0}
    assert 0 < (found["move"] != labels).mean() < 0.2


def test_adjusted_indices_do_not_drift_and_others_do(study: Any) -> None:
    drift = dict(zip(study.NAMES, study.drift(np.random.default_rng(4), 5), strict=True))
    assert drift["adjusted_rand"] < 0.02
    assert drift["ami"] < 0.03
    assert drift["rand"] > 0.5


def test_chance_correction_holds_for_any_evenness_and_not_for_any_quality(study: Any) -> None:
    law = study.LAWS["chosen"]
    found = study.drift_otherwise(np.random.default_rng(5), 20, law)
    own = {name: {kind: shares[i] for kind, shares in found.items()} for i, name in enumerate(study.NAMES)}
    assert own["adjusted_rand"]["evenness"] < 0.02 < 0.2 < own["rand"]["evenness"]
    assert own["adjusted_rand"]["equal quality"] < own["muc_f"]["equal quality"]


def test_the_page_has_the_figures_of_the_table(study: Any) -> None:
    page = study.PAGE.read_text("utf-8")
    with study.PAGE.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["half"] for row in rows] == [half for half in study.LAWS for _ in study.NAMES]
    known = {row["index"]: row for row in rows if row["half"] == "chosen"}
    assert known.keys() == set(study.NAMES)
    assert f"# What external indices reward\n\n{_in_words(len(known))} indices" in page
    for name in study.SHOWN:
        row = next(line for line in page.splitlines() if line.startswith(f"| [{name}]"))
        cells = [cell.strip() for cell in row.split("|")[2:-1]]
        own = known[name]
        shares = [own["drift"], *(own[change] for change in study.CHANGES)]
        shares += [own[fact] for fact in ("opposite", "equal quality", "evenness")]
        written = [cells[0], *cells[3:]]
        assert written == [study.percent(float(share)) for share in shares], name


def _in_words(count: int) -> str:
    return {73: "Seventy-three"}.get(count, str(count))


def test_influence_predicts_the_instances_that_simulations_need(study: Any) -> None:
    """Where both are known, they agree within a quarter: neither counts more than a hundred samples."""
    with study.PAGE.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    both = [(float(row["needed"]), float(row["needed by influence"])) for row in rows]
    ratios = np.array([b / a for a, b in both if np.isfinite([a, b]).all() and a < 5000])
    assert ratios.size > 60
    assert np.median(np.abs(np.log(ratios))) < 0.25


def test_examples_of_disagreement_disagree(study: Any) -> None:
    _, examples = study.opposite(np.random.default_rng(9), 60)
    assert examples
    for pair, (truth, preds) in examples.items():
        one, two = (adjudge.evaluate(truth, own, indices=pair, kind="clustering") for own in preds.values())
        assert (one[pair[0]] - two[pair[0]]) * (one[pair[1]] - two[pair[1]]) < 0
