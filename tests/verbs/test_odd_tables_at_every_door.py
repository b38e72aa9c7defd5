"""What tables hold besides plain labels says the same in arrays, frames, files, engines and the shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import InputError, compare, evaluate, gate
from adjudge.tables import streaming
from table_engines import in_engine

RNG = np.random.default_rng(3)
N = 240
TRUTH = RNG.integers(0, 2, N)
OLD, NEW = (np.where(RNG.random(N) < share, TRUTH, 1 - TRUTH) for share in (0.9, 0.8))
FRAMES = ["pandas", "polars", "pyarrow"]
LAZY = ["polars-lazy", "duckdb", "dask", "ibis"]
FILES = ["csv", "parquet"]
COUNTED = ["counted csv", "counted parquet"]


@pytest.fixture
def at_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Callable[..., Any]:
    """Return a function that puts a table behind a door; small files are counted, too, if the door says so."""

    def put(frame: pd.DataFrame, door: str, name: str = "table") -> Any:
        how, _, kind = door.rpartition(" ")
        if how == "counted":
            monkeypatch.setattr(streaming, "SMALL_PARQUET", 0)
            monkeypatch.setattr(streaming, "SMALL_TEXT", 0)
        path = tmp_path / f"{name}.{kind}"
        if kind == "csv":
            frame.to_csv(path, index=False)
        elif kind == "parquet":
            frame.to_parquet(path, index=False)
        else:
            return frame if kind == "pandas" else in_engine(pl.from_pandas(frame), kind, request)
        return path

    return put


def _n_rows(found: Any) -> int:
    native = found.collect() if hasattr(found, "collect") else found
    if hasattr(native, "to_arrow_table"):
        native = native.to_arrow_table()
    return len(native.to_pyarrow() if hasattr(native, "to_pyarrow") else native)


WEIGHTED = pd.DataFrame({"truth": TRUTH, "old": OLD, "new": NEW, "times": RNG.integers(0, 4, N)}).assign(
    weight=lambda own: np.where(own.times == 0, 0.0, 0.5 * own.times),
    gaps=lambda own: own.new.where(own.index % 11 != 5).astype("Int64"),
    # Rows of weight 0 may lack a label.
    absent=lambda own: own.new.where(own.times != 0).astype("Int64"),
)


@pytest.mark.parametrize("door", [*FRAMES, *FILES, *COUNTED, *LAZY])
@pytest.mark.parametrize("meaning", ["frequency", "importance"])
def test_rows_of_weight_0_are_as_if_they_were_not_there(
    meaning: Any, door: str, at_door: Callable[..., Any]
) -> None:
    weight = {"frequency": "times", "importance": "weight"}[meaning]
    given: dict[str, Any] = {"weights": meaning, "kind": "classification"}
    table = at_door(WEIGHTED, door)
    there = WEIGHTED[WEIGHTED.times > 0]
    for model, missing in (("new", "raise"), ("absent", "raise"), ("gaps", "drop")):
        own = {**given, "missing": missing}
        of_arrays = compare(
            WEIGHTED.truth,
            {"old": WEIGHTED.old, model: WEIGHTED[model]},
            sample_weight=WEIGHTED[weight],
            **own,
        )
        found = compare(table, ["old", model], truth="truth", sample_weight=weight, **own)
        wanted = of_arrays["old", model]
        assert found.n == pytest.approx(of_arrays.n)
        assert found.settings["n_given"] == of_arrays.settings["n_given"]
        assert found.settings["n_given"] == (there.times.sum() if meaning == "frequency" else len(there))
        said = [[own.message for own in one.warnings] for one in (of_arrays, found)]
        assert said[0] == said[1]
        pair = found["old", model]
        assert pair.right_wrong == pytest.approx(wanted.right_wrong)
        assert _n_rows(pair.instances("right_wrong")) == len(wanted.instances("right_wrong")) > 0
    with pytest.raises(InputError, match="is 0 everywhere: at least one weight must be positive"):
        compare(
            at_door(WEIGHTED.assign(times=0), door, "zeros"),
            ["old", "new"],
            truth="truth",
            sample_weight="times",
            **given,
        )


SHOWN = pd.DataFrame({"id": np.arange(N), "truth": TRUTH, "old": OLD, "new": NEW}).assign(
    whole=lambda own: own.id.where(own.id % 3 != 0).astype("Int64"), name=lambda own: "a" + own.id.astype(str)
)


@pytest.mark.parametrize("door", ["polars", "pyarrow", "parquet", "counted parquet", *LAZY])
def test_whole_numbers_of_broken_rows_stay_whole_where_some_are_missing(
    door: str, at_door: Callable[..., Any]
) -> None:
    if door == "dask":
        pytest.skip("a frame of pandas holds such a column as it likes")
    found = gate(at_door(SHOWN, door), "old", "new", truth="truth", margin=0.1)
    wanted = SHOWN[(SHOWN.old == SHOWN.truth) & (SHOWN.new != SHOWN.truth)]
    assert len(wanted.whole.dropna()) < len(wanted)
    rows = {row["id"]: row["whole"] for row in found.rows_of("right_wrong").records()}
    assert rows == {own.id: None if own.id % 3 == 0 else own.id for own in wanted.itertuples()}
    assert {type(own) for own in rows.values()} == {int, type(None)}


def test_broken_rows_come_in_the_library_of_the_table_and_else_in_the_first_that_is_installed(
    at_door: Callable[..., Any],
) -> None:
    libraries = {"polars": pl, "polars-lazy": pl, "pandas": pd, **dict.fromkeys([*FILES, *COUNTED], pd)}
    for door, library in libraries.items():
        found = gate(at_door(SHOWN, door), "old", "new", truth="truth", margin=0.1)
        assert isinstance(found.broken, library.DataFrame), door
        if not door.startswith("counted"):
            two = [at_door(own, door, f"of{i}") for i, own in enumerate(_two(SHOWN))]
            found = gate(*two, truth="truth", key="id", margin=0.1)
            assert isinstance(found.broken, library.DataFrame), door
    assert isinstance(gate(list(TRUTH), list(OLD), list(NEW), margin=0.1).broken, pd.DataFrame)


def _two(frame: pd.DataFrame, *types: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    old, new = (frame[["id", "truth", own]].rename(columns={own: "said"}) for own in ("old", "new"))
    first, second = types or ("int64", "int64")
    return old.assign(id=old.id.astype(first)), new.assign(id=new.id.astype(second))


TWO = [*FRAMES, *FILES, *LAZY]
BROKEN = int(((OLD == TRUTH) & (NEW != TRUTH)).sum())


@pytest.mark.parametrize("door", [*TWO, "read parquet"])
def test_keys_of_any_whole_numbers_match_and_those_of_text_do_not_match_numbers(
    door: str, at_door: Callable[..., Any], shell: Any
) -> None:
    asked: dict[str, Any] = {"truth": "truth", "key": "id", "margin": 0.1}
    asked |= {"engine": "memory"} if door.startswith("read") else {}
    door = door.removeprefix("read ")
    for types in (("int64", "int32"), ("int16", "int64"), ("uint8", "int64"), ("str", "str")):
        tables = [at_door(own, door, f"t{i}") for i, own in enumerate(_two(SHOWN, *types))]
        assert gate(*tables, **asked).n_broken == BROKEN, types
    for types in (("int64", "str"), ("str", "int32"), ("float64", "str"), ("int64", "float64")):
        tables = [at_door(own, door, f"t{i}") for i, own in enumerate(_two(SHOWN, *types))]
        if door == "csv" and set(types) <= {"int64", "int32", "str"}:  # whose text is what its cells say
            assert gate(*tables, **asked).n_broken == BROKEN
            continue
        with pytest.raises(InputError, match=r"^key 'id' is .* in .* and .* in .*: give both the same type$"):
            gate(*tables, **asked)
        if door in FILES and "engine" not in asked:
            words = f"gate {tables[0]} {tables[1]} --key id --truth truth".split()
            shell(words[0], words[1], "--old", words[1], "--new", words[2], *words[3:], code=2)


@pytest.mark.parametrize("door", ["csv", "parquet", "read parquet"])
def test_options_name_labels_of_two_files_as_text(door: str, at_door: Callable[..., Any]) -> None:
    asked: dict[str, Any] = {"truth": "truth", "key": "id", "margin": 0.1}
    asked |= {"engine": "memory"} if door.startswith("read") else {}
    tables = [at_door(own, door.removeprefix("read "), f"t{i}") for i, own in enumerate(_two(SHOWN))]
    by_name: dict[str, Any] = {"positive": "0", "indices": ["recall"]}
    assert gate(*tables, **asked, **by_name).tested[0].old == pytest.approx(np.mean(OLD[TRUTH == 0] == 0))
    assert gate(*tables, **asked, classes=["0", "1"]).n_broken == BROKEN
    noisy = {"kind": "clustering", "noise": "drop", "noise_label": "1", "indices": ["rand"]}
    wanted = gate(TRUTH, OLD, NEW, margin=0.1, **{**noisy, "noise_label": 1})
    found = gate(*tables, **asked, **noisy)
    assert (found.n_broken, found.comparison.n) == (wanted.n_broken, wanted.comparison.n)
    assert len(found.broken) == len(wanted.broken)


@pytest.mark.parametrize("door", ["parquet", "read parquet"])
def test_labels_of_two_files_get_one_type_and_words_for_missing_are_named(
    door: str, at_door: Callable[..., Any]
) -> None:
    asked: dict[str, Any] = {"truth": "truth", "key": "id", "margin": 0.1}
    asked |= {"engine": "memory"} if door.startswith("read") else {}
    old, new = _two(SHOWN)
    new = new.assign(said=new.said.astype(str).where(new.id != 7, "NA")).drop(columns="truth")
    tables = [at_door(own, door.removeprefix("read "), f"t{i}") for i, own in enumerate((old, new))]
    found = gate(*tables, **asked)
    broken = {int(own) for own in np.flatnonzero((OLD == TRUTH) & ((NEW != TRUTH) | (old.id == 7)))}
    assert {row["id"] for row in found.rows_of("right_wrong").records()} == broken
    assert any("'NA' is a label of column 'said_new'" in own.message for own in found.comparison.warnings)
    with pytest.raises(InputError, match=r"t0.* has no column 'nowhere': it has 'id', 'truth', 'said'"):
        gate(*tables, **asked, groups="nowhere")


def test_probabilities_of_two_tables_are_named_once(at_door: Callable[..., Any]) -> None:
    old, new = (own.assign(p_0=0.4, p_1=0.6) for own in _two(SHOWN))
    of_each = {"old": "p_*", "new": "p_*"}
    for door in TWO:
        tables = [at_door(own, door, f"t{i}") for i, own in enumerate((old, new))]
        with pytest.raises(InputError, match="name the same columns of both tables: give a pattern"):
            gate(*tables, truth="truth", key="id", prediction="said", probabilities=of_each)


FLAGS = pd.DataFrame({f"{side}_{label}": RNG.random(N) < 0.5 for side in "tab" for label in ("war", "drama")})


@pytest.mark.parametrize("door", [*FRAMES, *FILES, "jsonl", "xlsx"])
@pytest.mark.parametrize("said", [bool, int, {True: "True", False: "False"}, {True: "TRUE", False: "FALSE"}])
def test_columns_of_true_and_false_stand_for_labels(
    said: Any, door: str, at_door: Callable[..., Any], tmp_path: Path, run: Any
) -> None:
    t, a, b = (FLAGS[[f"{side}_war", f"{side}_drama"]].to_numpy() for side in "tab")
    frame = FLAGS.apply(lambda own: own.map(said))
    table: Any = tmp_path / f"flags.{door}"
    if door == "jsonl":
        frame.to_json(table, orient="records", lines=True)
    elif door == "xlsx":
        frame.to_excel(table, index=False)
    else:
        table = at_door(frame, door)
    wanted = evaluate(t, a, kind="multilabel")
    assert evaluate(table, truth="t_*", pred="a_*", kind="multilabel").values == pytest.approx(wanted.values)
    both = compare(table, ["a_*", "b_*"], truth="t_*", kind="multilabel")
    pair = compare(t, {"a": a, "b": b}, kind="multilabel")["a", "b"]
    assert both["a", "b"].right_wrong == pair.right_wrong
    assert gate(table, "a_*", "b_*", truth="t_*", kind="multilabel").n_broken == pair.right_wrong
    if door in ("csv", "parquet", "jsonl", "xlsx"):
        words = f"evaluate {table} --truth t_* --pred a_* --kind multilabel -f json"
        (found,) = json.loads(run(*words.split()))["evaluations"].values()
        assert found["values"] == pytest.approx(wanted.values)


SCORED = pd.DataFrame({"truth": TRUTH}).assign(
    p_1=np.clip(0.3 * TRUTH + 0.7 * RNG.random(N), 0.01, 0.99),
    q_1=np.clip(0.2 * TRUTH + 0.8 * RNG.random(N), 0.01, 0.99),
    p_0=lambda own: 1 - own.p_1,
    q_0=lambda own: 1 - own.q_1,
    word=np.where(TRUTH == 1, "high", "low"),
)


@pytest.mark.parametrize("door", [*FRAMES, *FILES, *COUNTED, *LAZY])
def test_the_order_of_a_mapping_chooses_no_positive_class(
    door: str, at_door: Callable[..., Any], run: Any
) -> None:
    table = at_door(SCORED, door)
    asked: dict[str, Any] = {"truth": "truth", "indices": ["recall"]}
    wanted = evaluate(SCORED.truth, probabilities=SCORED.p_1, indices=["recall"])
    for one, zero in ((1, 0), ("1", "0")):
        for names in ({one: "p_1", zero: "p_0"}, {zero: "p_0", one: "p_1"}):
            found = evaluate(table, probabilities=names, **asked)
            assert found["recall"] == wanted["recall"]
            assert [str(own) for own in found.confusion.labels] == ["0", "1"]
            assert not any(own.code == "positive-by-order" for own in found.warnings)
        given = {m: {one: f"{m}_1", zero: f"{m}_0"} for m in "pq"}
        both = compare(table, probabilities=given, **asked)
        assert both.scores["p"]["recall"] == wanted["recall"]
    by_class = evaluate(table, probabilities={0: "p_0", 1: "p_1"}, classes=[1, 0], **asked)
    assert by_class["recall"] != wanted["recall"]  # an order that was given
    if door in FILES:
        words = f"evaluate {table} --truth truth --probabilities p_* --indices recall -f json"
        (found,) = json.loads(run(*words.split()))["evaluations"].values()
        assert found["values"]["recall"] == pytest.approx(wanted["recall"])


@pytest.mark.parametrize("door", ["pandas", "polars", "parquet", "polars-lazy", "dask"])
def test_an_order_that_the_type_of_the_labels_states_chooses_the_positive_class(
    door: str, at_door: Callable[..., Any]
) -> None:
    words = pd.Categorical(SCORED.word, ["low", "high"], ordered=True)
    frame = SCORED.assign(word=words)
    table = at_door(frame, door)
    if door.startswith("polars"):  # which reads an ordered categorical as one without an order
        table = pl.from_pandas(SCORED).with_columns(pl.col("word").cast(pl.Enum(["low", "high"])))
        table = table.lazy() if door == "polars-lazy" else table
    elif door == "dask":
        table = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=2)
    said = np.where(SCORED.p_0 >= 0.5, "low", "high")
    recall = np.mean(said[SCORED.word == "high"] == "high")
    for names in ({"high": "p_1", "low": "p_0"}, {"low": "p_0", "high": "p_1"}):
        found = evaluate(table, truth="word", probabilities=names, indices=["recall"])
        assert list(found.confusion.labels) == ["low", "high"]
        assert found["recall"] == pytest.approx(recall)
