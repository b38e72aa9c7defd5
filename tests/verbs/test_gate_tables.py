"""The verb `gate` on tables: one with both models, two that a key joins, in files and in frames of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge import InputError, compare, gate
from adjudge.errors import AdjudgeError, InputTypeError
from conftest import raises_line
from gates import CLASSES, gate_probabilities, gate_rows, known
from table_engines import in_engine, in_engines

PLANTED = gate_rows(900, planted=True)
GIVEN: dict[str, Any] = {"margin": 0.03, "max_broken": 0.1}
ENGINES = ["pandas", "polars", "pyarrow", "polars-lazy", "duckdb", "dask"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def of_vectors(frame: pd.DataFrame = PLANTED, **options: Any) -> Any:
    given = {name: frame[options.pop(name)] for name in ("units",) if name in options}
    groups = options.pop("groups", None)
    if groups is not None:
        given["groups"] = {name: frame[name] for name in groups}
    return gate(frame["truth"], frame["v1"], frame["v2"], **GIVEN, **given, **options)


def two(frame: pd.DataFrame = PLANTED, seed: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The old model's table with truth and groups, and the new one's in another order of rows and columns."""
    old = frame[["id", "truth", "country", "device", "ward", "v1"]].rename(columns={"v1": "said"})
    new = frame[["v2", "id"]].rename(columns={"v2": "said"})
    return old, new.iloc[np.random.default_rng(seed).permutation(len(frame))].reset_index(drop=True)


def broken_ids(frame: pd.DataFrame) -> list[int]:
    return frame.loc[(frame.v1 == frame.truth) & (frame.v2 != frame.truth), "id"].tolist()


# One table


@pytest.mark.full
@in_engines(ENGINES)
def test_rows_come_in_the_library_of_the_table(engine: str, request: pytest.FixtureRequest) -> None:
    table = in_engine(pl.DataFrame(PLANTED.to_dict("list")), engine, request)
    found = gate(table, "v1", "v2", truth="truth", groups=["country", "device"], **GIVEN)
    rows = found.rows_of("right_wrong")
    assert rows.columns == tuple(PLANTED.columns)
    assert [row[0] for row in rows.rows] == broken_ids(PLANTED)
    package = {"pyarrow": "pyarrow", "duckdb": "pyarrow", "polars": "polars", "polars-lazy": "polars"}.get(
        engine, "pandas"
    )
    assert type(found.broken).__module__.startswith(package)
    assert type(found.to_frame()).__module__.startswith(package)


def write(frame: pd.DataFrame, name: str) -> None:
    if name.endswith(".parquet"):
        frame.to_parquet(name)
    elif name.endswith(".jsonl"):
        frame.to_json(name, orient="records", lines=True)
    else:
        frame.to_csv(name, index=False, sep="\t" if name.endswith(".tsv") else ",")


def test_the_order_of_columns_and_rows_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    other = PLANTED[list(rng.permutation(PLANTED.columns))].iloc[rng.permutation(len(PLANTED))]
    for given in ({}, {"units": "ward"}):
        one, two_ = (
            gate(t, "v1", "v2", truth="truth", groups="country", **GIVEN, **given) for t in (PLANTED, other)
        )
        assert [row[:6] for row in known(one)] == [row[:6] for row in known(two_)]
        assert sorted(one.broken["id"]) == sorted(two_.broken["id"])


def test_probabilities_and_scores_are_columns() -> None:
    frame, classes = PLANTED.copy(), sorted(CLASSES)
    for model, column in (("old", "v1"), ("new", "v2")):
        p = gate_probabilities(PLANTED, column)
        for i, name in enumerate(classes):
            frame[f"{model}_{name}"] = p[:, i]
    columns = {model: {name: f"{model}_{name}" for name in classes} for model in ("new", "old")}
    expected = gate(
        frame["truth"],
        *(gate_probabilities(PLANTED, name) for name in ("v1", "v2")),
        indices=["accuracy", "log_loss"],
        **GIVEN,
    )
    shared: dict[str, Any] = {"truth": "truth", "indices": ["accuracy", "log_loss"], **GIVEN}
    frame.to_csv("p.csv", index=False)
    frame.to_parquet("p.parquet")
    for table in (
        frame,
        pl.DataFrame(frame.to_dict("list")),
        pa.table(frame.to_dict("list")),
        "p.csv",
        "p.parquet",
    ):
        found = gate(table, probabilities=columns, **shared)
        assert [row[:4] for row in known(found)] == [row[:4] for row in known(expected)]
        for one, other in zip(found.tested, expected.tested, strict=True):
            assert (one.new, one.change.low) == pytest.approx((other.new, other.change.low))
        labelled = gate(table, "v1", "v2", probabilities=columns, **shared)
        assert labelled.tested[1].new == pytest.approx(expected.tested[1].new)
    # One column of a binary truth.
    frame["is_churn"] = (frame["truth"] == "churn").astype(int)
    for name, options in (("probabilities", {}), ("scores", {"old": "b1", "new": "b2"})):
        frame["b1"] = (frame["old_churn"] > 0.5).astype(int)
        frame["b2"] = (frame["new_churn"] > 0.5).astype(int)
        given = {name: {"old": "old_churn", "new": "new_churn"}}
        found = gate(frame, **options, truth="is_churn", indices=["roc_auc"], margin=0.01, **given)
        assert found.tested[0].change is not None
        assert found.tested[0].name == "roc_auc"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("v1",), "new is missing: name the column with the new model's labels"),
        ((None, "v2"), "old is missing: name the column with the old model's labels"),
        (("v1", "v1"), "column 'v1' is named twice"),
        (("truth", "v2"), "column 'truth' is named twice"),
    ],
)
def test_columns_that_are_missing_or_the_same(given: Any, message: str) -> None:
    with raises_line(InputError, message):
        gate(PLANTED, *given, truth="truth")


@pytest.mark.parametrize("table", ["frame", "file"])
@pytest.mark.parametrize("option", ["truth", "old", "new", "units", "groups"])
def test_a_column_that_is_not_there_is_named(option: str, table: str) -> None:
    write(PLANTED, "t.csv")
    given = {"truth": "truth", "old": "v1", "new": "v2", option: "vv"}
    with pytest.raises(InputError, match="has no column 'vv'"):
        gate("t.csv" if table == "file" else PLANTED, **given)


@pytest.mark.parametrize("option", ["truth", "units", "groups", "key", "prediction"])
def test_columns_of_tables_are_named_by_text(option: str) -> None:
    given: dict[str, Any] = {"truth": "truth", "key": "id", "prediction": "said", option: 5.5}
    if option == "groups":
        given["groups"] = [PLANTED["country"]]
    is_a = "a Series" if option == "groups" else "a float"
    with raises_line(InputTypeError, f"{option}= is {is_a}: it names a column of the table"):
        gate(*two(), **given)
    with pytest.raises(InputTypeError, match="old is a Series: name a column of the table"):
        gate(PLANTED, PLANTED["v1"], PLANTED["v2"], truth="truth")


def test_tables_need_a_truth_and_two_tables_a_key() -> None:
    with raises_line(InputError, "the truth is missing: name its column with truth="):
        gate(PLANTED, "v1", "v2")
    with pytest.raises(InputTypeError, match="old is a DataFrame: name a column of the table"):
        gate(*two(), truth="truth")
    with raises_line(InputError, "prediction= is of two tables: pass key= as well"):
        gate(PLANTED, "v1", "v2", truth="truth", prediction="v1")
    message = "key= joins two tables: give that of the old model and that of the new one"
    for given in ((PLANTED,), (*two(), "said"), ("a.csv", "b.csv", "v2")):
        with raises_line(InputError, message):
            gate(*given, truth="truth", key="id")
    with pytest.raises(AdjudgeError, match="the new table is an int, where a data frame or a path is needed"):
        gate(PLANTED, 5, truth="truth", key="id")
    with pytest.raises(InputError, match=r"there is no file 'none.csv'"):
        gate("none.csv", "v1", "v2", truth="truth")


# Two tables


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("keys", ["integers", "text"])
@pytest.mark.parametrize("new_engine", ENGINES)
@pytest.mark.parametrize("old_engine", ["pandas", "polars", "pyarrow"])
def test_two_tables_of_any_kind_and_order(
    old_engine: str, new_engine: str, keys: str, request: pytest.FixtureRequest
) -> None:
    frame = PLANTED if keys == "integers" else PLANTED.assign(id=[f"k{i}" for i in PLANTED["id"]])
    old, new = (pl.DataFrame(own.to_dict("list")) for own in two(frame))
    found = gate(
        in_engine(old, old_engine, request), in_engine(new, new_engine, request),
        truth="truth", key="id", units="ward", groups=["country", "device"], **GIVEN,
    )  # fmt: skip
    assert known(found) == known(of_vectors(units="ward", groups=["country", "device"]))
    rows = found.rows_of("right_wrong")
    assert rows.columns == ("id", "truth", "country", "device", "ward", "said_old", "said_new")
    kept = frame.set_index("id")
    assert [row[0] for row in rows.rows] == broken_ids(frame)
    for row in rows.rows:
        assert row[-2:] == (kept.loc[row[0], "v1"], kept.loc[row[0], "v2"])
        assert row[1:5] == tuple(kept.loc[row[0], ["truth", "country", "device", "ward"]])


@pytest.mark.full
@pytest.mark.parametrize("names", [("o.csv", "n.csv"), ("o.parquet", "n.csv"), ("o.tsv", "n.parquet")])
def test_two_files(names: tuple[str, str]) -> None:
    old, new = two()
    for own, name in zip((old, new), names, strict=True):
        write(own, name)
    expected = known(of_vectors(groups=["country"]))
    given: dict[str, Any] = {"truth": "truth", "key": "id", "groups": "country", **GIVEN}
    assert known(gate(*names, **given)) == expected
    assert known(gate(names[0], new, **given)) == expected
    assert known(gate(Path(names[0]), Path(names[1]), **given)) == expected
    found = gate(*names, **given).rows_of("right_wrong")
    assert [int(row[found.columns.index("id")]) for row in found.rows] == broken_ids(PLANTED)


def test_numbers_of_files_are_classes_whatever_the_files_say() -> None:
    codes = {name: i for i, name in enumerate(CLASSES)}
    frame = PLANTED.assign(**{name: PLANTED[name].map(codes) for name in ("truth", "v1", "v2")})
    old, new = two(frame)
    write(old, "o.csv")
    write(new, "n.csv")
    write(frame, "t.csv")
    given: dict[str, Any] = {"truth": "truth", "kind": "classification", "margin": 0.03}
    one = gate("t.csv", "v1", "v2", **given, indices=["recall[1]"], max_broken={"1": 3})
    two_ = gate("o.csv", "n.csv", key="id", **given, indices=["recall[1]"], max_broken={"1": 3})
    assert known(one) == known(two_)
    assert one.tested[0].name == "recall[1]"
    # If one file has text, both are text.
    write(new.assign(said=new["said"].map({0: "0", 1: "1", 2: "two"})), "n.csv")
    named = gate("o.csv", "n.csv", key="id", **given, indices=["recall[1]"])
    assert named.tested[0].old == one.tested[0].old


def test_the_truth_may_be_in_either_table_or_both() -> None:
    old, new = two()
    expected = known(of_vectors())
    truth = new.merge(old[["id", "truth"]], on="id", how="left")
    given: dict[str, Any] = {"truth": "truth", "key": "id", **GIVEN}
    assert known(gate(old, truth, **given)) == expected
    without = known(gate(old.drop(columns="truth"), truth, **given))
    assert without == expected
    with pytest.raises(InputError, match="has no column 'truth'"):
        gate(old.drop(columns="truth"), new, **given)
    other = truth.assign(truth=np.where(truth["id"] == 1003, "else", truth["truth"]))
    with pytest.raises(
        InputError, match=r"^column 'truth' differs between the tables in 1 row, such as '.*' and 'else'"
    ):
        gate(old, other, **given)


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
def test_a_truth_that_is_missing_in_both_tables_is_missing(hole: Any) -> None:
    frame = PLANTED.astype(object)
    frame.loc[7, "truth"] = hole
    old, new = two(frame)
    new = new.merge(old[["id", "truth"]], on="id", how="left")
    given: dict[str, Any] = {"truth": "truth", "key": "id", "prediction": "said", **GIVEN}
    with pytest.raises(InputError, match="missing label at position 7"):
        gate(old, new, **given)
    found = gate(old, new, **given, missing="drop")
    assert known(found) == known(of_vectors(PLANTED.drop(index=7)))
    filled = new.assign(truth=new["truth"].where(new["id"] != 1007, "churn"))
    with pytest.raises(InputError, match="differs between the tables in 1 row"):
        gate(old, filled, **given, missing="drop")


def test_rows_without_a_partner_are_named_or_counted() -> None:
    old, new = two()
    given: dict[str, Any] = {"truth": "truth", "key": "id", **GIVEN}
    with pytest.raises(InputError, match=r"^3 keys of the new table are not in the old table, such as"):
        gate(old[3:], new, **given)
    found = gate(old[3:], new[new["id"] != 1100], **given, missing="drop")
    kept = PLANTED[3:].drop(index=100)
    assert known(found) == known(of_vectors(kept))
    assert str(found.warnings[0]) == "warning: 4 rows without a partner in the other table are left out"
    assert found.broken["id"].tolist() == broken_ids(kept)
    one = gate(old[1:], new, **given, missing="drop")
    assert str(one.warnings[0]) == "warning: 1 row without a partner in the other table is left out"


def test_keys_that_repeat_are_missing_or_of_other_types_are_named() -> None:
    old, new = two()
    given: dict[str, Any] = {"truth": "truth", "key": "id"}
    with pytest.raises(InputError, match="key 'id' is repeated in the old table: 1000 occurs 2 times"):
        gate(pd.concat([old, old[:1]]), new, **given)
    with pytest.raises(InputError, match="key 'id' is missing in 1 row of the new table"):
        gate(old, new.assign(id=new["id"].where(new["id"] != 1003)), **given)
    with pytest.raises(InputError, match="whole numbers in the old table and text in the new table"):
        gate(old, new.assign(id=new["id"].astype(str)), **given)
    write(pd.concat([old, old[:1]]), "o.csv")
    write(new, "n.csv")
    with raises_line(InputError, "key 'id' is repeated in 'o.csv': 1000 occurs 2 times"):
        gate("o.csv", "n.csv", **given)


def test_the_column_with_the_labels_is_the_only_common_one_or_named() -> None:
    old, new = two()
    given: dict[str, Any] = {"truth": "truth", "key": "id", **GIVEN}
    both = new.assign(note="x")
    with raises_line(
        InputError, "both tables have 'said', 'note': name the one with the labels with prediction="
    ):
        gate(old.assign(note="y"), both, **given)
    assert known(gate(old.assign(note="y"), both, **given, prediction="said")) == known(of_vectors())
    with pytest.raises(InputError, match="both tables have no other column: name the one"):
        gate(old, new.rename(columns={"said": "other"}), **given)
    for name in ("truth", "id"):
        with raises_line(
            InputError,
            "the key, the truth and the prediction are three columns: two of the names are the same",
        ):
            gate(old, new.assign(truth=new["said"]), truth="truth", key="id", prediction=name)


def test_units_and_groups_may_be_in_either_table() -> None:
    old, new = two()
    moved = new.merge(old[["id", "country", "ward"]], on="id", how="left")
    given: dict[str, Any] = {
        "truth": "truth",
        "key": "id",
        "units": "ward",
        "groups": ["country", "device"],
    }
    found = gate(old.drop(columns=["country", "ward"]), moved, **given, **GIVEN)
    assert known(found) == known(of_vectors(units="ward", groups=["country", "device"]))
    with pytest.raises(InputError, match="has no column 'clinic'"):
        gate(old, new, truth="truth", key="id", units="clinic")


def test_probabilities_of_two_tables() -> None:
    old, new = two()
    classes = sorted(CLASSES)
    p = {
        name: pd.DataFrame(gate_probabilities(PLANTED, name), PLANTED["id"], classes) for name in ("v1", "v2")
    }
    old = old.drop(columns="said").join(p["v1"].add_prefix("p_"), on="id")
    new = new.drop(columns="said").join(p["v2"].add_prefix("p_"), on="id")
    columns = {name: f"p_{name}" for name in classes}
    expected = gate(PLANTED["truth"], p["v1"].to_numpy(), p["v2"].to_numpy(), **GIVEN)
    write(old, "o.parquet")
    write(new, "n.csv")
    for tables in ((old, new), (pl.DataFrame(old.to_dict("list")), new), ("o.parquet", "n.csv")):
        found = gate(*tables, truth="truth", key="id", probabilities=columns, **GIVEN)
        assert [row[:4] for row in known(found)] == [row[:4] for row in known(expected)]
        for one, other in zip(found.tested, expected.tested, strict=True):
            assert (one.new, one.change.low) == pytest.approx((other.new, other.change.low))


def test_a_model_of_a_gate_may_have_labels_alone() -> None:
    classes, p = sorted(CLASSES), gate_probabilities(PLANTED, "v2")
    of_new = {own: f"p_{own}" for own in classes}
    frame = PLANTED.assign(**{of_new[own]: p[:, i] for i, own in enumerate(classes)})
    old, new = two()
    new = new.merge(frame[["id", *of_new.values()]], on="id")
    plain = gate(frame, "v1", "v2", truth="truth", **GIVEN)
    for found, who in (
        (gate(frame, "v1", "v2", truth="truth", probabilities={"new": of_new}, **GIVEN), "old"),
        (gate(old, new, truth="truth", key="id", prediction="said", probabilities=of_new, **GIVEN), "old"),
        (gate(new, old, truth="truth", key="id", probabilities=of_new, **GIVEN), "new"),
    ):
        assert [own.name for own in found.tested] == [own.name for own in plain.tested]
        assert [own.message for own in found.warnings if own.code == "labels-alone"] == [
            f"only labels were given of {who}, so there is no Log loss"
        ]
        if who != "new":
            assert [own.change for own in found.tested] == [own.change for own in plain.tested]
    asked = gate(
        frame, "v1", "v2", truth="truth", probabilities={"new": of_new}, indices=["accuracy", "log_loss"]
    )
    assert [own.status for own in asked.tested if own.name == "log_loss"] == ["undecided"]
    with raises_line(InputError, 'probabilities= is a mapping of "old" and "new" to columns'):
        gate(frame, "v1", "v2", truth="truth", probabilities={"newer": of_new})
    with raises_line(InputError, "old is missing: name the column with the old model's labels"):
        gate(frame, truth="truth", probabilities={"new": of_new})


def test_clusterings_in_two_tables_find_each_other() -> None:
    frame = PLANTED.replace({"stay": 1, "churn": 2, "move": 3})
    old, new = two(frame)
    given: dict[str, Any] = {"kind": "clustering", "margin": 0.02}
    found = gate(old, new, truth="truth", key="id", **given)
    expected = gate(frame["truth"], frame["v1"], frame["v2"], **given)
    assert known(found) == known(expected)
    rows = found.rows_of("right_wrong")
    assert rows.columns[:2] == ("pairs", "id")
    assert [row[0] for row in rows.rows] == expected.broken["pairs"].tolist()
    assert [row[1] for row in rows.rows] == frame["id"].to_numpy()[expected.broken["row"]].tolist()


def test_missing_labels_of_two_tables_are_left_out() -> None:
    old, new = two()
    new.loc[new["id"] == 1005, "said"] = None
    given: dict[str, Any] = {"truth": "truth", "key": "id", **GIVEN}
    with pytest.raises(InputError, match="missing label"):
        gate(old, new, **given)
    found = gate(old, new, **given, missing="drop")
    assert known(found) == known(of_vectors(PLANTED.drop(index=5)))
    assert found.broken["id"].tolist() == broken_ids(PLANTED.drop(index=5))


def test_a_column_that_looks_like_units_is_named() -> None:
    table = PLANTED.rename(columns={"ward": "patient_id"})
    given: dict[str, Any] = {"truth": "truth", **GIVEN}
    told = {own.code: own.message for own in gate(table, "v1", "v2", **given).warnings}
    assert told["rows-belong-together"].startswith(
        "column 'patient_id' repeats: rows of one patient are alike"
    )
    of_units = gate(table, "v1", "v2", units="patient_id", **given)
    assert "rows-belong-together" not in {own.code for own in of_units.warnings}
    old, new = two()
    old = old.rename(columns={"ward": "patient_id"})
    told = {own.code: own.message for own in gate(old, new, key="id", **given).warnings}
    assert "rows-belong-together" in told


@pytest.mark.parametrize("form", ["one table", "probabilities", "two tables"])
def test_dask_sends_the_columns_that_a_gate_names(form: str) -> None:
    dataframe = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    frame = PLANTED.assign(**{f"x{i}": np.arange(len(PLANTED)) * 0.5 + i for i in range(20)})
    for model, column in (("a", "v1"), ("b", "v2")):
        for name, own in zip(sorted(CLASSES), gate_probabilities(frame, column).T, strict=True):
            frame[f"{model}_{name}"] = own
    options: dict[str, Any] = {"truth": "truth", **GIVEN, "indices": ["accuracy", "macro_f1"]}
    beside = [name for name in frame if name not in ("v1", "v2")]
    tables: tuple[pd.DataFrame, ...] = (frame,)
    needed = {"truth", "v1", "v2"}
    if form == "one table":
        # Without units, columns that may name some are looked at.
        options |= {"old": "v1", "new": "v2", "units": "ward"}
        needed.add("ward")
    elif form == "probabilities":
        options |= {"probabilities": {"old": "a_*", "new": "b_*"}}
        needed = {"truth", *(name for name in frame if name[:2] in ("a_", "b_"))}
    else:
        options |= {"key": "id", "prediction": "said"}
        needed = {"id", "truth", "said"}
        old = frame[[*beside, "v1"]].rename(columns={"v1": "said"})
        new = frame[[*beside, "v2"]].rename(columns={"v2": "said"}).iloc[::-1].reset_index(drop=True)
        tables = (old, new)
    read: list[set[str]] = []

    def part(i: int, table: int, asked: str, columns: list[str] | None = None) -> pd.DataFrame:
        """Read a part of a table, as from a file: for the columns that Dask asks for; `asked` tells calls apart."""
        rows = tables[table].iloc[i * 300 : (i + 1) * 300]
        found = rows if columns is None else rows[columns]
        read.append({*found.columns})
        return found

    in_dask = [
        dataframe.from_map(part, range(3), table=i, asked=form, meta=own.iloc[:0])
        for i, own in enumerate(tables)
    ]
    read.clear()
    found = gate(*in_dask, **options)
    # Beside these, single columns are looked at that may name units.
    assert any(columns == needed for columns in read), read
    assert all(columns <= needed for columns in read if len(columns) > 1), read
    wanted = gate(*tables, **options)
    assert found.to_dict()["checks"] == wanted.to_dict()["checks"]
    # Rows are shown with all columns.
    rows, expected = found.rows_of("right_wrong"), wanted.rows_of("right_wrong")
    assert {*rows.columns} == {*expected.columns}
    place = [rows.columns.index(name) for name in expected.columns]
    assert sorted(tuple(row[i] for i in place) for row in rows.rows) == sorted(expected.rows)


def test_rows_that_broke_keep_their_names() -> None:
    labels = {"y": [0, 1] * 20, "a": [0, 1] * 20, "b": [0, 1, 1, 1] + [0, 1] * 18}
    asked: dict[str, Any] = {"truth": "y", "old": "a", "new": "b", "margin": 0.5}
    named = pd.DataFrame(labels, index=pd.Index([f"cell {i}" for i in range(40)], name="barcode"))
    assert gate(named, **asked).broken.to_dict("records") == [{"barcode": "cell 2", "y": 0, "a": 0, "b": 1}]
    unnamed = named.rename_axis(None)
    assert gate(unnamed, **asked).broken["index"].tolist() == ["cell 2"]
    some = pd.DataFrame(labels).iloc[1:]
    assert gate(some, **asked).broken["index"].tolist() == [2]
    assert list(gate(pd.DataFrame(labels), **asked).broken) == ["y", "a", "b"]


def test_probabilities_of_both_models_are_named_in_their_order() -> None:
    """As on the command line; Python refused the list."""
    frame = pd.DataFrame({"y": [0, 1] * 50, "v1": [0, 1] * 50, "v2": [0, 1] * 45 + [1, 1] * 5})
    frame["p1"], frame["p2"] = 0.2 + 0.6 * frame["v1"], 0.1 + 0.8 * frame["v2"]
    by_name = {"v1": "p1", "v2": "p2"}
    asked: Any = {"truth": "y", "kind": "classification"}
    wanted = compare(frame, ["v1", "v2"], probabilities=by_name, **asked)
    assert compare(frame, ["v1", "v2"], probabilities=["p1", "p2"], **asked) == wanted
    found = gate(frame, "v1", "v2", truth="y", probabilities=["p1", "p2"])
    assert found.tested == gate(frame, "v1", "v2", truth="y", probabilities={"old": "p1", "new": "p2"}).tested
    assert "log_loss" in [own.name for own in found.tested]


@in_engines(["pandas", "polars", "pyarrow", "polars-lazy", "duckdb", "dask"])
def test_the_truth_of_clusterings_may_be_the_old_one(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, shell: Any
) -> None:
    last = np.arange(360) % 4
    columns = {"id": np.arange(360), "last": last, "this": np.where(last * np.arange(360) % 29 == 1, 0, last)}
    frame = pl.DataFrame({**columns, "copy": last, "place": np.arange(360) % 2})
    asked: dict[str, Any] = {"truth": "last", "new": "this", "kind": "clustering", "groups": "place"}
    asked |= {"indices": "ari", "margin": 0.3}
    frame.write_csv("t.csv")
    frame.write_parquet("t.parquet")
    for given in (in_engine(frame, engine, request), "t.csv", "t.parquet"):
        found, wanted = (gate(given, old=old, **asked) for old in ("last", "copy"))
        assert [(own.status, own.old, own.new, own.change) for own in found.tested] == [
            (own.status, own.old, own.new, own.change) for own in wanted.tested
        ]
        assert found.tested[0].old == 1.0 > found.tested[0].new
        rows, of_copy = (sorted(own.rows_of("right_wrong").rows) for own in (found, wanted))
        assert rows == of_copy
    words = "--truth last --old last --new this --kind clustering --margin ari=0.3"
    assert "PASS" in shell(f"gate t.csv {words}").out
    # Classes are no floor: there, the old column was hardly meant.
    with raises_line(InputError, "column 'last' is named twice"):
        gate(frame, truth="last", old="last", new="this")
    with raises_line(InputError, "column 'this' is named twice"):
        gate(frame, truth="last", old="this", new="this", kind="clustering")
