"""Columns by name or pattern, lists in other files, and large files through DuckDB: in Python as in the shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, compare, evaluate

N = 200
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 3, N)


def _noisy(share: float) -> Any:
    return np.where(RNG.random(N) < share, TRUTH, RNG.integers(0, 3, N))


FRAME = pl.DataFrame(
    {
        "truth": TRUTH,
        "model_a": _noisy(0.8),
        "model_b": np.where(np.arange(N) % 20 == 3, -1, _noisy(0.6)),
        "x": RNG.normal(size=N) + TRUTH,
        "y": 9 * RNG.normal(size=N),
        "id": np.arange(N) + 1000,
        "place": RNG.choice(["n", "s"], N),
    }
)


@pytest.fixture(params=["eager", "lazy", "csv", "parquet"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    path = tmp_path / f"t.{request.param}"
    if request.param == "csv":
        FRAME.write_csv(path)
    elif request.param == "parquet":
        FRAME.write_parquet(path)
    return {"eager": FRAME, "lazy": FRAME.lazy()}.get(request.param, path)


def test_a_pattern_stands_for_the_columns_that_match(table: Any) -> None:
    asked: dict[str, Any] = {"truth": "truth", "kind": "clustering"}
    found = evaluate(table, pred="model_*", **asked)
    assert list(found) == ["model_a", "model_b"]
    assert found["model_a"].values == evaluate(table, pred="model_a", **asked).values
    assert compare(table, ["model_*"], **asked).models == ("model_a", "model_b")
    with pytest.raises(InputError, match=r"'modal_\*' matches no column of "):
        evaluate(table, pred="modal_*", **asked)
    dropped = evaluate(table, pred="model_*", noise={"model_b": "drop"}, **asked)
    assert [own.n for own in dropped.evaluations.values()] == [N, N - 10]
    with pytest.raises(
        InputError, match="noise= names 'model_c': the columns of labels are 'truth', 'model_a'"
    ):
        evaluate(table, pred="model_*", noise={"model_c": "drop"}, **asked)


def test_all_columns_that_look_like_coordinates(table: Any) -> None:
    asked: dict[str, Any] = {"labels": "truth", "features": "all", "indices": "trace_w"}
    if isinstance(table, pl.LazyFrame):
        with pytest.raises(InputError, match="collect the table first, or name them with features="):
            evaluate(table, **asked)
        return
    found = evaluate(table, **asked)
    features = found.settings["features"]
    assert features == ["x", "y"]  # one model hardly differs from the truth, noise tells of the other
    wanted = evaluate(X=FRAME.select(features).to_numpy(), labels=TRUTH, indices="trace_w")
    assert found["trace_w"] == pytest.approx(wanted["trace_w"])
    assert {"identifiers-as-coordinates", "points-from"} <= {own.code for own in found.warnings}
    scaled = evaluate(table, **{**asked, "features": ["x", "y"]}, standardize=True)
    assert scaled["trace_w"] < 2 * N


def test_lists_of_labels_in_files(tmp_path: Path) -> None:
    for name in ("truth", "model_a"):
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, FRAME[name])))
    wanted = evaluate(FRAME["truth"], FRAME["model_a"], kind="clustering")
    lists = tmp_path / "truth.txt", str(tmp_path / "model_a.txt")
    assert evaluate(*lists, kind="clustering").values == wanted.values
    assert compare(lists[0], [lists[1]], kind="clustering").models == ("model_a",)
    FRAME.write_csv(tmp_path / "t.csv")
    found = evaluate(tmp_path / "t.csv", truth="truth", pred=lists[1], kind="clustering")
    assert found.values == wanted.values


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_a_large_file_is_counted_with_the_same_answer(tmp_path: Path, ending: str, kind: Any) -> None:
    pytest.importorskip("duckdb")
    path = tmp_path / f"t.{ending}"
    (FRAME.write_csv if ending == "csv" else FRAME.write_parquet)(path)
    asked: dict[str, Any] = {"truth": "truth", "kind": kind}
    read, counted = (
        evaluate(path, pred=["model_a", "model_b"], **asked, engine=engine) for engine in ("memory", "duckdb")
    )
    for name in read:
        assert counted[name].values == read[name].values
        with pytest.raises(InputError, match="instances are not known"):
            counted[name].known_instances()
    pair, of_counts = (
        compare(path, ["model_a", "model_b"], **asked, engine=engine)["model_a", "model_b"]
        for engine in ("memory", "duckdb")
    )
    assert of_counts.to_dict()["counts"] == pair.to_dict()["counts"]
    rows = pl.from_arrow(of_counts.instances("right_wrong"))
    assert isinstance(rows, pl.DataFrame)
    ids = rows["id"].cast(pl.Int64)
    if kind == "classification":
        assert sorted(ids) == (pair.instances("right_wrong") + 1000).tolist()
    else:
        assert dict(zip(ids, rows["pairs"], strict=True)) == dict(
            zip(FRAME["id"], pair.instances("right_wrong").tolist(), strict=True)
        )
    with pytest.raises(InputError, match="needs all rows in memory: leave out engine='duckdb'"):
        evaluate(path, pred="model_b", noise="singletons", truth="truth", engine="duckdb")


def test_what_reads_a_file_is_no_option_for_arrays() -> None:
    with pytest.raises(InputError, match="engine= says what reads a file"):
        compare(TRUTH, {"a": TRUTH}, engine="duckdb")
    with pytest.raises(InputError, match="engine"):
        adjudge.evaluate(TRUTH, TRUTH, engine="duckdb")


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: evaluate(table, {"m": "m_*"}, truth="y"),
        lambda table: evaluate(table, "y", truth="m_*"),
        lambda table: compare(table, {"m": "m_*"}, truth="y", kind="classification"),
        lambda table: compare(table, ["y"], truth="m_*", kind="classification"),
    ],
)
def test_a_pattern_for_several_columns_is_no_name_of_one(ask: Callable[[pl.DataFrame], Any]) -> None:
    """The first of them is not taken in silence; a pattern for one column is its name."""
    table = pl.DataFrame({"y": [0, 1] * 5, "m_a": [0, 1] * 5, "m_b": [1, 0] * 5})
    with pytest.raises(InputError, match=r"'m_\*' stands for 2 columns, 'm_a', 'm_b', where one is needed"):
        ask(table)
    ask(table.drop("m_b"))


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.DataFrame])
def test_text_that_may_mean_a_gap_is_spoken_of(convert: Any) -> None:
    """Text such as "nan" is what pandas makes of gaps: frames say so as files do."""
    frame = convert({"truth": ["a", "nan", "b", "nan"] * 5, "model": ["a", "b", "b", "a"] * 5})
    asked: dict[str, Any] = {"truth": "truth", "kind": "classification"}
    text = "'nan' is a label of column 'truth', in 10 rows: if it means that the label is missing, empty the cells"
    for found in (evaluate(frame, pred="model", **asked), compare(frame, models=["model"], **asked)):
        assert sum(text in str(own) for own in found.warnings) == 1
