"""Models of every kind are compared within groups: each group says what its rows alone say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from cases import each

RNG = np.random.default_rng(7)
N = 240
TRUTH = RNG.integers(0, 4, N)
MODELS = {
    name: np.where(RNG.random(N) < share, TRUTH, RNG.integers(0, 4, N))
    for name, share in (("a", 0.8), ("b", 0.6), ("c", 0.6))
}
GROUPS = np.array(["east", "north", "west"])[RNG.integers(0, 3, N)]
WEIGHTS = np.where(RNG.random(N) < 0.1, 0.0, RNG.random(N) + 0.5)
ROWS: dict[str, Any] = {
    "units": {"units": RNG.integers(0, 40, N)},
    "counts": {"counts": RNG.integers(0, 3, N)},
    "weights": {"sample_weight": WEIGHTS, "weights": "importance"},
}


def sets_of(labels: Any) -> list[set[str]]:
    return [{"abcd"[k], "abcd"[(k + i) % 4]} if i % 3 else set() for i, k in enumerate(labels.tolist())]


KINDS = {
    "clustering": (TRUTH, MODELS),
    "classification": (TRUTH, MODELS),
    "multilabel": (sets_of(TRUTH), {name: sets_of(own) for name, own in MODELS.items()}),
}


def taken(values: Any, rows: Any) -> Any:
    return values[rows] if isinstance(values, np.ndarray) else [values[i] for i in rows]


def said(found: adjudge.Comparison) -> dict[str, Any]:
    """All that is said of models, but for the settings and notices of the call."""
    return {k: v for k, v in found.to_dict().items() if k not in ("settings", "warnings")}


@each("kind, name", [(kind, name) for kind in KINDS for name in (*ROWS, "plain", "exact")])
def test_a_group_says_what_its_rows_say(kind: str, name: str) -> None:
    truth, models = KINDS[kind]
    options = {"confidence": 0.95, **ROWS.get(name, {})} if name != "plain" else {}
    found = adjudge.compare(truth, models, kind=kind, groups=GROUPS, **options)
    assert list(found.by_group) == ["east", "north", "west"]
    for group, own in found.by_group.items():
        rows = np.flatnonzero(group == GROUPS)
        part = {k: taken(v, rows) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        alone = adjudge.compare(
            taken(truth, rows), {n: taken(v, rows) for n, v in models.items()}, kind=kind, **part
        )
        assert said(own) == said(alone)
    whole = adjudge.compare(truth, models, kind=kind, **options)
    assert {k: v for k, v in said(found).items() if k in said(whole) and k != "verdict"} == {
        k: v for k, v in said(whole).items() if k != "verdict"
    }


def test_tests_of_clusterings_are_corrected_over_groups_and_pairs() -> None:
    found = adjudge.compare(TRUTH, MODELS, kind="clustering", groups=GROUPS, confidence=0.95)
    rows = [own for own in found.group_differences if own.score.index.name == "adjusted_rand"]
    assert len(rows) == 9
    p = [own.score.p_value for own in rows]
    holm = adjudge.inference.adjust_p_values(p)
    assert [own.score.adjusted_p_value for own in rows] == pytest.approx(list(holm))
    table = found.group_differences_table("adjusted_rand")
    assert [row[1] for row in table.rows[:3]] == ["east", "north", "west"]


def test_without_a_name_the_score_of_the_verdict_is_shown_by_group() -> None:
    # In the east the first is better, over all instances the second: by clusters and by classes.
    truth = ["x", "x", "y", "y"] * 6
    first, second = ["x", "x", "y", "y"] + ["x", "y", "x", "y"] * 5, ["x", "y", "x", "y", *truth[4:]]
    where = ["east"] * 4 + ["west"] * 20
    for kind, indices in (("clustering", ["v_measure"]), ("classification", ["macro_f1"])):
        found = adjudge.compare(
            truth, {"first": first, "second": second}, kind=kind, indices=indices, groups=where
        )
        assert (
            found.group_differences_table().title == f"Differences of {found.heading_of(*indices)}, by group"
        )
        assert [own.group for own in found.reversals()] == ["east"]
        with pytest.raises(adjudge.UnknownIndexError, match=f"not computed: choose one of {indices[0]}"):
            found.reversals("accuracy")


def test_noise_in_groups_is_a_name() -> None:
    groups = np.where(GROUPS == "east", -1, 1)
    found = adjudge.compare(TRUTH, MODELS, kind="clustering", groups=groups, noise="drop", noise_label=-1)
    assert found.n == N
    assert list(found.by_group) == [-1, 1]


def test_a_gate_checks_groups_of_every_kind() -> None:
    for kind, (truth, models) in KINDS.items():
        found = adjudge.gate(truth, models["a"], models["b"], kind=kind, groups=GROUPS)
        assert {check.group for check in found.tested} == {None, "east", "north", "west"}
        rows = np.flatnonzero(GROUPS == "west")
        alone = adjudge.gate(
            taken(truth, rows), taken(models["a"], rows), taken(models["b"], rows), kind=kind
        )
        here = [check for check in found.tested if check.group == "west"]
        for check, other in zip(here, alone.tested, strict=True):
            assert (check.name, check.old, check.new) == (other.name, other.old, other.new)
            assert check.change == other.change


def test_tables_have_groups_of_clusterings(tmp_path: Path) -> None:
    frame = pd.DataFrame({"truth": TRUTH, **MODELS, "group": GROUPS})
    frame.to_csv(tmp_path / "f.csv", index=False)
    wanted = adjudge.compare(TRUTH, MODELS, kind="clustering", groups={"group": GROUPS}, confidence=0.95)
    for table in (frame, tmp_path / "f.csv", pl.from_pandas(frame).lazy()):
        found = adjudge.compare(
            table, list(MODELS), truth="truth", kind="clustering", groups="group", confidence=0.95
        )
        assert [said(own) for own in found.by_group.values()] == [
            said(own) for own in wanted.by_group.values()
        ]
        verdict = adjudge.gate(table, "a", "b", truth="truth", kind="clustering", groups="group").verdict
        assert verdict == "fail"


def test_groups_without_an_instance_are_left_out() -> None:
    weights = np.where(GROUPS == "east", 0, 1)
    for kind, (truth, models) in KINDS.items():
        found = adjudge.compare(truth, models, kind=kind, groups=GROUPS, counts=weights)
        assert list(found.by_group) == ["north", "west"], kind


def test_one_clustering_has_no_groups() -> None:
    with pytest.raises(adjudge.InputError, match="groups= is an option for classifiers"):
        adjudge.evaluate(TRUTH, MODELS["a"], kind="clustering", groups=GROUPS)


def test_what_groups_of_sets_lack() -> None:
    truth, models = KINDS["multilabel"]
    with pytest.raises(adjudge.InputError, match="groups has 2 entries, labels_true has 240"):
        adjudge.compare(truth, models, kind="multilabel", groups=["x", "y"])
    gaps = [None, *GROUPS[1:]]
    with pytest.raises(
        adjudge.InputError, match=r"groups has a missing value at position 0 .*every row a group"
    ):
        adjudge.compare(truth, models, kind="multilabel", groups=gaps)


def test_a_group_of_one_cluster_is_undecided() -> None:
    groups = np.where(TRUTH == 0, "one", "others")
    same = MODELS["a"]
    found = adjudge.gate(TRUTH, same, same, kind="clustering", groups=groups, indices=["ami"])
    undecided = next(check for check in found.tested if check.group == "one")
    assert undecided.status == "undecided"
    assert "a partition has one cluster" in str(undecided.reason)
