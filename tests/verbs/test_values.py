"""One number for each row, and predicted numbers, through every door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, InputTypeError, compare, evaluate, gate
from conftest import raises_line

RNG = np.random.default_rng(11)
N = 240
COST = RNG.lognormal(size=N)
FRAME = pd.DataFrame(
    {
        "old": COST + RNG.exponential(size=N),
        "new": COST + 0.8 * RNG.exponential(size=N),
        "truth": COST,
        "patient": np.arange(N) // 2,
        "region": RNG.choice(["north", "south"], N),
        "row": RNG.permutation(N),
    }
)
DOORS = ["pandas", "polars", "pyarrow", "csv", "parquet", "folder"]


def opened(door: str, frame: pd.DataFrame, folder: Path) -> Any:
    if door == "pandas":
        return frame
    if door in ("polars", "pyarrow"):
        table = pl.from_pandas(frame)
        return table if door == "polars" else table.to_arrow()
    if door == "csv":
        frame.to_csv(folder / "table.csv", index=False)
        return folder / "table.csv"
    if door == "parquet":
        frame.to_parquet(folder / "table.parquet")
        return str(folder / "table.parquet")
    whole = folder / "parts"
    whole.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(N), 3)):
        frame.iloc[rows].to_parquet(whole / f"part{i}.parquet")
    return whole


@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_the_same(door: str, tmp_path: Path) -> None:
    table = opened(door, FRAME, tmp_path)
    asked: dict[str, Any] = {"confidence": 0.95}
    alone = evaluate(values=FRAME["new"], units=FRAME["patient"], indices="all", **asked)
    found = evaluate(table, values="new", units="patient", indices="all", **asked)
    assert found.values == alone.values
    assert found.intervals == alone.intervals
    both = compare(
        values=FRAME[["old", "new"]], better="lower", units=FRAME["patient"], groups=FRAME["region"], **asked
    )
    tabled = compare(table, values=["old", "new"], better="lower", units="patient", groups="region", **asked)
    assert tabled.scores == both.scores
    assert [own.score.p_value for own in tabled.group_differences] == [
        own.score.p_value for own in both.group_differences
    ]
    assert (
        tabled["old", "new"].instances("right_wrong").tolist()
        == both["old", "new"].instances("right_wrong").tolist()
    )
    errors = compare(FRAME["truth"], FRAME[["old", "new"]], kind="regression", **asked)
    read = compare(table, ["old", "new"], truth="truth", kind="regression", **asked)
    assert read.scores == errors.scores
    assert read["old", "new"].test == errors["old", "new"].test
    judged = evaluate(table, truth="truth", pred=["old", "new"], kind="regression")
    assert judged["old"].values == errors.scores["old"]


@pytest.mark.parametrize("door", DOORS)
def test_gates_of_every_door(door: str, tmp_path: Path) -> None:
    table = opened(door, FRAME, tmp_path)
    named = {"old": FRAME["old"], "new": FRAME["new"]}
    asked: dict[str, Any] = {"better": "lower", "margin": {"mean": 0.05, "median": "3%"}, "max_broken": 0.6}
    alone = gate(values=named, units=FRAME["patient"], groups=FRAME["region"], **asked)
    for values in (["old", "new"], {"old": "old", "new": "new"}):
        found = gate(table, values=values, units="patient", groups="region", **asked)
        assert found.verdict == alone.verdict
        assert found.checks.rows == alone.checks.rows
    change = (FRAME["new"] - FRAME["old"]).to_numpy()
    assert alone.n_broken == int((change > 0).sum())
    worst = alone.rows("broken") if hasattr(alone, "rows") else alone.broken
    assert worst["row"].tolist()[:3] == np.argsort(-change)[:3].tolist()
    errors = gate(FRAME["truth"], FRAME["old"], FRAME["new"], kind="regression", margin=0.1)
    read = gate(table, "old", "new", truth="truth", kind="regression", margin=0.1)
    assert read.checks.rows == errors.checks.rows
    assert (
        [own.name for own in errors.results] == ["mean_absolute_error"]
        if hasattr(errors, "results")
        else True
    )


def test_a_gate_joins_two_tables_on_a_key(tmp_path: Path) -> None:
    first = FRAME[["row", "truth", "old"]].rename(columns={"old": "said"})
    second = FRAME[["row", "new"]].rename(columns={"new": "said"}).sample(frac=1, random_state=1)
    first.to_csv(tmp_path / "old.csv", index=False)
    second.to_csv(tmp_path / "new.csv", index=False)
    expected = gate(FRAME["truth"], FRAME["old"], FRAME["new"], kind="regression", margin=0.1)
    asked: dict[str, Any] = {"key": "row", "truth": "truth", "kind": "regression", "margin": 0.1}
    for given in ((first, second), (tmp_path / "old.csv", tmp_path / "new.csv")):
        assert gate(*given, **asked).checks.rows == expected.checks.rows


def test_rows_without_a_number(tmp_path: Path) -> None:
    frame = FRAME.copy()
    frame.loc[[3, 8], "old"] = np.nan
    for door in ("pandas", "csv", "parquet"):
        table = opened(door, frame, tmp_path)
        with raises_line(
            InputError,
            "column 'old' has no number at position 3 (2 in all): fill it in, or pass missing='drop' to leave such "
            "rows out",
        ):
            compare(table, values=["old", "new"], better="lower")
        found = compare(table, values=["old", "new"], better="lower", missing="drop")
        assert found.n == N - 2
        each = evaluate(table, values=["old", "new"], missing="drop")
        assert (each["new"].n, each["old"].n) == (N, N - 2)
        assert found.scores["new"]["mean"] == pytest.approx(frame.dropna()["new"].mean())
    (tmp_path / "words.csv").write_text("x\n1\nabc\n\n4\n")
    with raises_line(
        InputError,
        "column 'x' has 'abc' at position 1, which is not a number: empty the cell and pass missing='drop'",
    ):
        evaluate(tmp_path / "words.csv", values="x", missing="drop")


def test_better_says_which_model_wins() -> None:
    low = compare(values=FRAME[["old", "new"]], better="lower", confidence=0.95)
    high = compare(values=FRAME[["old", "new"]], better="higher", confidence=0.95)
    assert low.verdict.leader == "new"
    assert high.verdict.leader == "old"
    assert (low["new", "old"].right_wrong, high["new", "old"].right_wrong) == (
        int((FRAME["new"] < FRAME["old"]).sum()),
        int((FRAME["new"] > FRAME["old"]).sum()),
    )
    negated = compare(values=-FRAME[["old", "new"]], better="higher", confidence=0.95)
    assert negated["new", "old"].test == low["new", "old"].test
    p_values = [[own.p_value for own in one["new", "old"].differences.values()] for one in (low, negated)]
    assert p_values[0] == pytest.approx(p_values[1])
    equal = compare(values={"a": [1, 2, 3], "b": [1, 0, 5]}, better="higher")["a", "b"]
    assert (equal.right_wrong, equal.both_right, equal.wrong_right) == (1, 1, 1)
    assert "1" in repr(equal)
    assert "a equal" in repr(equal)
    assert list(equal.measures) == ["comparative_deviation"]


def test_results_are_saved(tmp_path: Path) -> None:
    found = compare(values=FRAME[["old", "new"]], better="lower", confidence=0.95)
    path = found.save(tmp_path / "values.adjudge", instances=True)
    again = adjudge.load(path)
    assert again == found
    assert again.verdict == found.verdict
    assert again["old", "new"].instances("wrong_right").size == found["old", "new"].wrong_right
    bare = adjudge.load(found.save(tmp_path / "bare.adjudge"))
    assert bare.judged["old"]["mean"].index.better == "lower"


def test_errors() -> None:
    x = COST.tolist()
    for call, message in (
        (
            lambda: compare(values={"a": x}),
            "better= is missing: say which end of values= is better, 'higher' or 'lower'",
        ),
        (lambda: evaluate(kind="values"), "values= is missing: give a number for each row"),
        (
            lambda: evaluate(x, kind="regression"),
            "numbers are predicted of true ones: give labels_true= and labels_pred=",
        ),
        (lambda: evaluate(values=x, X=[[1.0]] * N), "X= is not an option for values=: leave it out"),
        (
            lambda: evaluate(values=x, indices="accuracy"),
            "accuracy scores classifiers: pass kind='classification'",
        ),
        (lambda: evaluate([1, 2], [1, 2], indices="mean"), "mean is about one number per row: pass values="),
        (
            lambda: evaluate(x, x, kind="regression", values=x),
            "values= are numbers without a truth: leave out kind='regression'",
        ),
        (
            lambda: evaluate(values="cost"),
            "other arguments name columns, but there is no table: pass it as labels_true",
        ),
        (
            lambda: evaluate(values=x, groups=["a"] * N),
            "groups= of numbers are for models that are compared: use compare()",
        ),
        (
            lambda: compare(x, {"a": x}, kind="regression", better="lower"),
            "better= says which end of values= is better: leave it out",
        ),
        (
            lambda: gate(values=[x, x], better="lower"),
            'values= is a mapping of "old" and "new" to their numbers',
        ),
        (
            lambda: evaluate(pl.DataFrame({"a": x}).lazy(), values="a"),
            "kind='values' needs the instances: collect the table first",
        ),
    ):
        with raises_line(InputError, message):
            call()
    with raises_line(InputTypeError, "column 'region' has 'south' at position 0, which is not a number"):
        evaluate(FRAME.sort_values("region", ascending=False), values="region")


def test_a_gate_of_numbers_needs_a_margin() -> None:
    asked: dict[str, Any] = {"values": FRAME[["old", "new"]].to_dict("list"), "better": "lower"}
    missing = "margin= is missing: say how much worse the mean may be, such as '2%' of the old one, or in units of the"
    with raises_line(InputError, f"{missing} numbers"):
        gate(**asked)
    with pytest.raises(
        InputError, match="margin= is missing: say how much worse the mean absolute error may be"
    ):
        gate(FRAME["truth"], FRAME["old"], FRAME["new"], kind="regression")
    # Neither of these needs one.
    assert gate(**asked, superior="median").settings["margin"] is None
    assert [own.claim for own in gate(**asked, indices=[], max_broken=0.9).tested] == ["broken"]
    with raises_line(InputError, "better='low' is not known: choose one of 'higher', 'lower'"):
        gate(**{**asked, "better": "low"}, margin="2%")


def test_a_pattern_stands_for_the_columns_of_both_models(tmp_path: Path) -> None:
    frame = FRAME.rename(columns={"old": "ms_old", "new": "ms_new"})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    named = gate(frame, values=["ms_old", "ms_new"], better="lower", margin="2%")
    for table in (frame, tmp_path / "rows.csv"):
        for pattern in ("ms_*", ["ms_*"]):
            found = gate(table, values=pattern, better="lower", margin="2%")
            assert found.checks == named.checks
    with raises_line(
        InputError, "values= names 1 of the 2 columns that are compared: those of the old and the new model"
    ):
        gate(frame, values="ms_o*", better="lower", margin="2%")


def test_true_and_false_are_numbers_at_every_door(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": FRAME["old"] > FRAME["old"].median(), "b": FRAME["new"] > 20})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    expected = {name: {"mean": pytest.approx(float(frame[name].mean()))} for name in frame}
    for table in (frame, *(tmp_path / f"rows.{ending}" for ending in ("csv", "parquet", "jsonl"))):
        found = compare(table, values=["a", "b"], better="higher", indices=["mean"])
        assert found.scores == expected
    (tmp_path / "gaps.csv").write_text("x\nTRUE\n\nFALSE\nTRUE\n")
    assert evaluate(tmp_path / "gaps.csv", values="x", missing="drop")["mean"] == pytest.approx(2 / 3)
    for cells, remedy in (
        (
            "correct\nwrong",
            "'correct' at position 0, which is not a number: no cell has one: write words as numbers",
        ),
        ("1\nTrue", "'True' at position 1, which is not a number: empty the cell and pass missing='drop'"),
        ('"1,5"\n2', r"'1,5' at position 0, which is not a number: a decimal comma\? pandas.read_csv"),
    ):
        (tmp_path / "words.csv").write_text(f"x\n{cells}\n")
        with pytest.raises(InputError, match=remedy):
            evaluate(tmp_path / "words.csv", values="x")


def test_rows_without_a_number_are_counted_alike_for_arrays_and_tables() -> None:
    """Of arrays nothing was said, and of tables that a label was missing."""
    table = pd.DataFrame({"a": [1.0, 2.0, None, 4.0], "b": [1.0, 2.0, 3.0, 5.0]})
    said = "1 of the 4 rows is left out, without a number"
    for found in (
        adjudge.evaluate(values=table["a"], missing="drop"),
        adjudge.evaluate(table, values="a", missing="drop"),
        adjudge.compare(table, values=["a", "b"], better="higher", missing="drop"),
    ):
        assert said in [notice.message for notice in found.warnings]
