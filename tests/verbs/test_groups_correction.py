"""Tests of groups are corrected by Holm's method, or Benjamini and Hochberg's, wherever groups are tested."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge import AdjudgeError, compare, evaluate, report
from adjudge.inference import adjust_p_values
from cases import each

RNG = np.random.default_rng(8)
N = 1200
GROUPS = np.array(list("abcdefghij"))[np.arange(N) % 10]
TRUTH = RNG.integers(0, 2, N)
BROKEN = np.isin(GROUPS, ["a", "b", "c", "d"]) & (RNG.random(N) < 0.15)
OLD = np.where(RNG.random(N) < 0.9, TRUTH, 1 - TRUTH)
NEW = np.where(BROKEN | (RNG.random(N) < 0.03), 1 - TRUTH, OLD)
MODELS = {"old": OLD, "new": NEW, "other": np.where(RNG.random(N) < 0.8, TRUTH, 1 - TRUTH)}
FRAME = pd.DataFrame({"label": TRUTH, **MODELS, "group": GROUPS})
ASKED: dict[str, Any] = {"kind": "classification", "confidence": 0.95, "indices": ["accuracy", "macro_f1"]}


def naive(p_values: list[float]) -> list[float]:
    """Of all thresholds at or above each p-value: the least share of false claims that is expected below it."""
    m = len(p_values)
    return [min(1.0, *(m * t / sum(q <= t for q in p_values) for t in p_values if t >= p)) for p in p_values]


@each("m", [1, 2, 7, 40])
def test_benjamini_and_hochbergs_by_definition(m: int) -> None:
    rng = np.random.default_rng(m)
    for p_values in (rng.random(m), rng.random(m) ** 4, rng.integers(0, 4, m) / 20, np.ones(m)):
        found = adjust_p_values(p_values, "fdr")
        assert found == pytest.approx(naive(list(map(float, p_values))), rel=1e-12)
        holm = adjust_p_values(p_values)
        assert all(fdr <= own for fdr, own in zip(found, holm, strict=True))


def test_published_p_values() -> None:
    """Those of Benjamini & Hochberg (1995), 4.1: four of fifteen are claimed, and Bonferroni's and Hochberg's three."""
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
                0.6528, 0.7590, 1.0]  # fmt: skip
    claims = {
        name: sum(p <= 0.05 for p in adjust_p_values(p_values, name)) for name in ("fdr", "holm", "hochberg")
    }
    assert claims == {"fdr": 4, "holm": 3, "hochberg": 3}


def by_index(rows: Any, correction: str) -> dict[str, tuple[list[Any], list[Any]]]:
    """Return by score the adjusted p-values, and those that the correction of all of the score's tests gives."""
    found: dict[str, tuple[list[Any], list[Any]]] = {}
    for name in dict.fromkeys(row.score.index.name for row in rows):
        own = [row.score for row in rows if row.score.index.name == name and row.score.p_value is not None]
        found[name] = (
            [score.adjusted_p_value for score in own],
            adjust_p_values([score.p_value for score in own], correction),
        )
    return found


@each("correction", ["holm", "fdr"])
def test_of_each_score_over_all_groups_and_pairs(correction: Any) -> None:
    found = compare(TRUTH, MODELS, **ASKED, groups=GROUPS, groups_correction=correction)
    of_pairs = by_index(found.group_differences, correction)
    assert len(of_pairs["accuracy"][0]) == 30
    assert all(known == wanted for known, wanted in of_pairs.values())
    judged = evaluate(TRUTH, NEW, **ASKED, groups=GROUPS, groups_correction=correction)
    for rows in (judged.differences, judged.pair_differences):
        assert all(known == wanted for known, wanted in by_index(rows, correction).values())
    heads = {"holm": "p (Holm)", "fdr": "p (FDR)"}
    tables = found.group_differences_table(), judged.differences_table(), judged.pair_differences_table()
    assert all(table.columns[-2] == heads[correction] for table in tables)
    # Scores of all rows, and recalls, are no tests of groups.
    assert found.differences_table().columns[-2] == "p (Holm)"
    known = {"fdr": "fdr", "holm": None}[correction]
    assert found.settings.get("groups_correction") == judged.settings.get("groups_correction") == known


def test_more_groups_are_found() -> None:
    claimed = {
        correction: {row.group for row in found.group_differences
                     if row.score.index.name == "accuracy" and row.score.adjusted_p_value <= 0.05}
        for correction in ("holm", "fdr")
        if (found := compare(TRUTH, {"old": OLD, "new": NEW}, **ASKED, groups=GROUPS, groups_correction=correction))
    }  # fmt: skip
    assert claimed["holm"] < claimed["fdr"]


def test_tables_say_what_arrays_say(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    path = tmp_path / "rows.csv"
    FRAME.to_csv(path, index=False)
    asked = {**ASKED, "groups": ["group"], "groups_correction": "fdr"}
    for table in (FRAME, path, pl.from_pandas(FRAME).lazy()):
        found = compare(table, list(MODELS), truth="label", **asked)
        assert all(known == wanted for known, wanted in by_index(found.group_differences, "fdr").values())
        assert found.settings["groups_correction"] == "fdr"
        judged = evaluate(table, truth="label", pred="new", **asked)
        assert all(known == wanted for known, wanted in by_index(judged.differences, "fdr").values())
        assert judged.settings["groups_correction"] == "fdr"


def test_of_several_classifiers_and_of_forecasts_in_a_lazy_table() -> None:
    pl = pytest.importorskip("polars")
    several = evaluate(TRUTH, MODELS, **ASKED, groups=GROUPS, groups_correction="fdr")
    for judged in several.evaluations.values():
        assert all(known == wanted for known, wanted in by_index(judged.differences, "fdr").values())
    frame = pl.from_pandas(FRAME.assign(p=np.where(NEW == 1, 0.8, 0.3))).lazy()
    asked = {"truth": "label", "probabilities": "p", "groups": "group", "groups_correction": "fdr"}
    judged = evaluate(frame, **asked, indices=["accuracy", "log_loss"], confidence=0.95)
    assert all(known == wanted for known, wanted in by_index(judged.differences, "fdr").values())
    assert judged.settings["groups_correction"] == "fdr"


def test_what_has_no_tests_of_groups_refuses_it() -> None:
    pl = pytest.importorskip("polars")
    lazy = pl.from_pandas(FRAME).lazy()
    calls = [
        (lambda: compare(TRUTH, MODELS, **ASKED, groups_correction="fdr"), "give groups= as well"),
        (lambda: evaluate(TRUTH, NEW, **ASKED, groups_correction="fdr"), "give groups= as well"),
        (lambda: evaluate(lazy, truth="label", pred="new", groups_correction="fdr"), "give groups= as well"),
        (
            lambda: evaluate(X=np.arange(20.0)[:, None], labels=[0, 1] * 10, groups_correction="fdr"),
            "give groups=",
        ),
        (
            lambda: compare(TRUTH, MODELS, kind="classification", groups=GROUPS, groups_correction="fdr"),
            "corrects the tests of groups: give confidence= as well",
        ),
        (
            lambda: evaluate(TRUTH, NEW, **ASKED, groups=GROUPS, groups_correction="bh"),
            "groups_correction='bh' is not known: choose one of 'holm', 'fdr'",
        ),
    ]
    for call, said in calls:
        with pytest.raises(AdjudgeError) as error:
            call()
        assert said in str(error.value)


def test_the_page_names_it(tmp_path: Path) -> None:
    asked = {**ASKED, "groups": GROUPS, "output": tmp_path / "page.html"}
    text = report(TRUTH, MODELS, **asked, groups_correction="fdr").path.read_text(encoding="utf-8")
    assert "p is corrected (Benjamini and Hochberg: a share of the claims is false) for all groups" in text
    assert "p, FDR" in text
    usual = report(TRUTH, MODELS, **asked).path.read_text(encoding="utf-8")
    assert "p is corrected (Holm) for all groups" in usual
    assert "p, FDR" not in usual


def test_over_data_sets_a_table_warns() -> None:
    scores = {
        "a": [0.9, 0.8, 0.85, 0.7, 0.9],
        "b": [0.8, 0.7, 0.8, 0.6, 0.7],
        "c": [0.7, 0.72, 0.6, 0.5, 0.6],
    }
    found = adjudge.benchmark(scores).pairwise(correction="fdr").table()
    assert "limits the share of false claims among all claims" in found.foot
