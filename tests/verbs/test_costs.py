"""What a mistake on each row costs: the mean cost of a row, in every verb, is that of the numbers amount x wrong."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, compare, evaluate, gate

RNG = np.random.default_rng(31)
N = 300
TRUTH = RNG.integers(0, 3, N)
OLD, NEW = (np.where(RNG.random(N) < share, TRUTH, (TRUTH + 1) % 3) for share in (0.8, 0.85))
AMOUNTS = RNG.lognormal(3, 1, N).round(2)
UNITS = np.arange(N) // 3
LOST = {"old": AMOUNTS * (OLD != TRUTH), "new": AMOUNTS * (NEW != TRUTH)}
ASKED: dict[str, Any] = {"kind": "classification", "confidence": 0.95, "indices": "expected_cost"}

DESIGNS: list[dict[str, Any]] = [
    {},
    {"units": UNITS},
    {"units": UNITS, "runs": np.arange(N) % 3},
    {"sample_weight": RNG.gamma(2, 1, N), "weights": "importance"},
    {"counts": RNG.integers(0, 4, N)},
]


@pytest.mark.parametrize("design", DESIGNS, ids=["rows", "units", "runs", "importance", "counts"])
def test_it_is_the_mean_of_what_each_row_costs(design: dict[str, Any]) -> None:
    found = evaluate(TRUTH, OLD, costs=AMOUNTS, **ASKED, **design).scores["expected_cost"]
    wanted = evaluate(values=LOST["old"], indices="mean", confidence=0.95, **design).scores["mean"]
    assert found.value == pytest.approx(wanted.value)
    assert found.low == pytest.approx(max(wanted.low, 0))
    assert found.high == pytest.approx(wanted.high)
    weights = design.get("counts", design.get("sample_weight", np.ones(N)))
    assert found.value == pytest.approx(np.average(LOST["old"], weights=weights))
    pair = compare(TRUTH, {"old": OLD, "new": NEW}, costs=AMOUNTS, **ASKED, **design)["old", "new"]
    other = compare(values=LOST, better="lower", indices="mean", confidence=0.95, **design)["old", "new"]
    own, mean = pair.differences["expected_cost"], other.differences["mean"]
    assert own.interval == pytest.approx(mean.interval)
    assert own.p_value == pytest.approx(mean.p_value)


def test_a_default_shows_it_and_a_matrix_stays_in_the_name() -> None:
    found = evaluate(TRUTH, OLD, costs=AMOUNTS, kind="classification")
    assert [*found.scores][-1] == "expected_cost"
    assert found["expected_cost"] == pytest.approx(adjudge.expected_cost(TRUTH, OLD, costs=AMOUNTS))
    matrix = "expected_cost(costs=[[0, 1, 2], [5, 0, 1], [1, 1, 0]])"
    both = evaluate(TRUTH, OLD, costs=AMOUNTS, kind="classification", indices=["expected_cost", matrix])
    assert both[matrix] == adjudge.expected_cost(TRUTH, OLD, costs=[[0, 1, 2], [5, 0, 1], [1, 1, 0]])
    again = pickle.loads(pickle.dumps(found))
    assert again.values == found.values


def test_by_group_and_with_gaps() -> None:
    groups = np.where(np.arange(N) % 2, "odd", "even")
    found = evaluate(TRUTH, OLD, costs=AMOUNTS, groups=groups, **ASKED)
    for label, own in found.by_group.items():
        assert own["expected_cost"] == pytest.approx(LOST["old"][groups == label].mean())
    by_group = compare(TRUTH, {"old": OLD, "new": NEW}, costs=AMOUNTS, groups=groups, **ASKED).by_group
    own = by_group["odd"]["old", "new"].differences["expected_cost"]
    odd = groups == "odd"
    assert own.value == pytest.approx((LOST["old"] - LOST["new"])[odd].mean())
    gaps = OLD.astype(object)
    gaps[:20] = None
    kept = evaluate(TRUTH, gaps, costs=AMOUNTS, missing="drop", **ASKED)
    assert kept["expected_cost"] == pytest.approx(LOST["old"][20:].mean())


@pytest.mark.parametrize("door", ["arrays", "pandas", "polars", "csv", "parquet"])
def test_rows_without_an_amount(door: str, tmp_path: Path) -> None:
    amounts = np.where(np.arange(N) < 12, np.nan, AMOUNTS)
    table = pd.DataFrame({"y": TRUTH, "old": OLD, "new": NEW, "euros": amounts, "odd": -AMOUNTS})
    table["word"] = [*["free"], *AMOUNTS[1:].astype(str)]
    given: Any = pl.from_pandas(table) if door == "polars" else table
    if door in ("csv", "parquet"):
        given = tmp_path / f"t.{door}"
        table.to_csv(given, index=False) if door == "csv" else table.to_parquet(given)

    def judged(verb: Any, models: Any, costs: str, **more: Any) -> Any:
        if door == "arrays":
            said = {name: table[name] for name in models}
            said = said["old"] if verb is evaluate else said
            return verb(TRUTH, said, costs=table[costs].to_numpy(), kind="classification", **more)
        models = models[0] if verb is evaluate else models
        return verb(given, models, truth="y", costs=costs, kind="classification", **more)

    both = ["old", "new"]
    found = judged(evaluate, both, "euros", missing="drop")
    assert found["expected_cost"] == pytest.approx(LOST["old"][12:].mean())
    assert found["accuracy"] == pytest.approx((TRUTH == OLD)[12:].mean())
    assert "12 of the 300 rows are left out, without a label or a cost" in repr(found)
    compared = judged(compare, both, "euros", missing="drop")
    assert compared.judged["new"]["expected_cost"].value == pytest.approx(LOST["new"][12:].mean())
    name = "costs" if door == "arrays" else "column 'euros'"
    for verb in (evaluate, compare):
        with pytest.raises(
            InputError, match=f"^{name} has no number at position 0 .12 in all.: fill it in, or pass"
        ):
            judged(verb, both, "euros")
        with pytest.raises(InputError, match=f"^{name.replace('euros', 'odd')} has -.* are not negative"):
            judged(verb, both, "odd")
        with pytest.raises(
            (InputError, adjudge.InputTypeError),
            match=f"^{name.replace('euros', 'word')} has 'free' at position 0, which",
        ):
            judged(verb, both, "word", missing="drop")
    # A row that does not count needs no amount.
    weights = np.where(np.arange(N) < 12, 0.0, 1.0)
    found = evaluate(
        TRUTH, OLD, costs=amounts, kind="classification", sample_weight=weights, weights="importance"
    )
    assert found["expected_cost"] == pytest.approx(LOST["old"][12:].mean())


def test_a_gate_needs_a_margin_of_money() -> None:
    asked: dict[str, Any] = {"costs": AMOUNTS, "margin": {"expected_cost": "50%", "accuracy": 0.1}}
    found = gate(TRUTH, OLD, NEW, **asked)
    pair = compare(TRUTH, {"old": OLD, "new": NEW}, costs=AMOUNTS, **{**ASKED, "confidence": 0.9})[
        "old", "new"
    ]
    own = pair.differences["expected_cost"]
    check = found.tested[0]
    assert check.change is not None
    assert (check.change.low, check.change.high) == pytest.approx(own.interval)
    assert check.margin == pytest.approx(LOST["old"].mean() / 2)
    with pytest.raises(InputError, match="margin= is missing: say how much worse the expected cost may be"):
        gate(TRUTH, OLD, NEW, costs=AMOUNTS, indices="expected_cost")


def test_columns_of_tables_in_the_shell(tmp_path: Path, run: Any, shell: Any) -> None:
    path = tmp_path / "t.csv"
    table = pd.DataFrame({"y": TRUTH, "old": OLD, "new": NEW, "euros": AMOUNTS})
    table.to_csv(path, index=False)
    assert compare(table, truth="y", costs="euros", **ASKED).models == ("old", "new")
    words = [path, "--truth", "y", "--costs", "euros"]
    assert f"{LOST['old'].mean():.4f}" in run("evaluate", *words, "--pred", "old", "--kind", "classification")
    gated = shell("gate", *words, "--old", "old", "--new", "new", "--margin", "expected_cost=5", code=None)
    assert "Expected cost" in gated.out


def test_what_cannot_be_used_is_said() -> None:
    for asked, said in (
        (
            {"costs": [[0, 1], [1, 0]]},
            "costs= has an amount for each row: a matrix by class is a parameter of the index",
        ),
        ({"costs": AMOUNTS[:5]}, "costs has 5 entries, labels_true has 300"),
        ({"costs": -AMOUNTS}, "costs by instance are not negative"),
        ({"costs": AMOUNTS, "kind": "clustering"}, "costs= is an option for classifiers"),
    ):
        with pytest.raises(InputError, match=said):
            evaluate(TRUTH, OLD, **{**ASKED, "indices": "default", **asked})
