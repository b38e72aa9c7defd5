"""Gates of lazy tables and of Parquet files, which their engine joins and counts."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import Gate, InputError, evaluate, gate, load
from adjudge.tables import streaming
from conftest import raises_line
from table_engines import in_engine

RNG = np.random.default_rng(0)
N = 900
TRUTH = np.where(RNG.random(N) < 0.3, "churn", "stay")
V1 = np.where(RNG.random(N) < 0.9, TRUTH, "stay")
V2 = np.where(RNG.random(N) < 0.5, TRUTH, np.where(RNG.random(N) < 0.05, "churn", V1))
OLD = pd.DataFrame(
    {"id": np.arange(N) * 3, "label": TRUTH, "country": RNG.choice(["FR", "DE"], N), "said": V1}
)
NEW = pd.DataFrame({"id": OLD.id, "said": V2, "patient": RNG.integers(0, 90, N)}).sample(
    frac=1, random_state=1
)
GIVEN: dict[str, Any] = {
    "key": "id",
    "truth": "label",
    "units": "patient",
    "groups": "country",
    "margin": 0.02,
}
WANTED = gate(OLD, NEW, **GIVEN)


def lazy(frame: pd.DataFrame) -> pl.LazyFrame:
    return pl.DataFrame(frame.to_dict("list")).lazy()


def check(found: Gate) -> None:
    assert [own.to_dict() for own in found.tested] == [own.to_dict() for own in WANTED.tested]
    for cell in ("right_wrong", "wrong_right"):
        rows, wanted = found.rows_of(cell), WANTED.rows_of(cell)
        place = rows.columns.index("id")
        assert sorted(row[place] for row in rows.rows) == sorted(row[0] for row in wanted.rows)


def test_small_files_share_one_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    OLD.to_parquet(tmp_path / "old.parquet")
    NEW.to_parquet(tmp_path / "new.parquet")
    gc.collect()  # a database that an earlier test left in a cycle
    opened: list[Any] = []
    connect = duckdb.connect

    def counted(*given: Any, **options: Any) -> Any:
        opened.append(given)
        return connect(*given, **options)

    monkeypatch.setattr(duckdb, "connect", counted)
    found = gate(tmp_path / "old.parquet", tmp_path / "new.parquet", **GIVEN)
    assert len(opened) == 1
    check(found)  # its rows are read again
    del found
    evaluate(tmp_path / "old.parquet", truth="label", pred="said")
    assert len(opened) <= 2


def test_folders_of_parquet_are_counted_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of a folder may have their columns in any order, and other types where these are not read."""
    monkeypatch.setattr(streaming, "SMALL_PARQUET", 0)
    for name, frame in (("old", OLD), ("new", NEW)):
        (tmp_path / name).mkdir()
        frame[:400].assign(note="text").to_parquet(tmp_path / name / "a.parquet")
        rest = frame[400:].assign(note=7)
        rest[rest.columns[::-1]].to_parquet(tmp_path / name / "b.parquet")
    found = gate(tmp_path / "old", tmp_path / "new", prediction="said", **GIVEN)
    check(found)
    assert not isinstance(found.comparison["old", "new"].instances("right_wrong"), np.ndarray)
    NEW[400:].assign(patient="p").to_parquet(tmp_path / "new" / "b.parquet")
    with pytest.raises(
        InputError, match=r"column 'patient' is int64 in .* give it the same type in all parts"
    ):
        gate(tmp_path / "old", tmp_path / "new", prediction="said", **GIVEN)


def test_dask_counts_the_columns_of_a_gate() -> None:
    dataframe = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    both = OLD.assign(v2=V2)
    found = gate(dataframe.from_pandas(both, npartitions=3), "said", "v2", truth="label", margin=0.02)
    wanted = gate(both, "said", "v2", truth="label", margin=0.02)
    assert found.to_dict() == wanted.to_dict()
    assert dataframe.DataFrame is type(found.comparison["old", "new"].instances("right_wrong"))
    assert found.broken.equals(wanted.broken)


def said(found: Gate) -> dict[str, Any]:
    """Return all that a gate says, with the rows of both cells, whatever tables it read."""
    whole: dict[str, Any] = found.to_dict()
    for name in ("old", "new", "table"):
        whole["settings"].pop(name, None)
    for cell in ("right_wrong", "wrong_right"):
        rows = found.rows_of(cell)
        whole[cell] = rows.columns, sorted(rows.rows)
    return whole


# Beside the labels, both tables have the country, and notes that differ in some rows; a name is taken.
BOTH = (
    OLD.assign(note=OLD.id % 2, said_old=OLD.id * 0.5),
    NEW.assign(note=NEW.id % 4, country=OLD.country.to_numpy()[NEW.id.to_numpy() // 3]),
)
DOORS = ["polars", "csv", "parquet", "folder", "read parquet", "read folder", "polars-lazy", "duckdb"]


def behind(
    door: str, frames: Sequence[pd.DataFrame], folder: Path, request: pytest.FixtureRequest
) -> list[Any]:
    """Put tables behind a door."""
    given: list[Any] = []
    for i, frame in enumerate(frames):
        path = folder / f"{i}.{door.rpartition(' ')[2]}"
        given.append(path)
        if door == "csv":
            frame.to_csv(path, index=False)
        elif door.endswith("parquet"):
            frame.to_parquet(path, index=False)
        elif door.endswith("folder"):
            path.mkdir()
            frame[:400].to_parquet(path / "a.parquet", index=False)
            frame[400:].to_parquet(path / "b.parquet", index=False)
        else:
            given[-1] = in_engine(pl.DataFrame(frame.to_dict("list")), door, request)
    return given


@pytest.mark.parametrize("kind", ["classification", "clustering"])
@pytest.mark.parametrize("door", DOORS)
def test_two_tables_say_the_same_at_every_door(
    door: str, kind: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    asked: dict[str, Any] = {**GIVEN, "prediction": "said", "kind": kind}
    wanted = said(gate(*BOTH, **asked))
    assert len(wanted["right_wrong"][1]) > 9
    of_pairs = ("pairs",) if kind == "clustering" else ()
    names = "id", "label", "country", "said_old", "note_old", "said_old", "said_new", "patient", "note_new"
    assert wanted["right_wrong"][0][: 4 + len(of_pairs)] == (*of_pairs, *names[:4])
    if door.startswith("read"):
        asked["engine"] = "memory"
    assert said(gate(*behind(door, BOTH, tmp_path, request), **asked)) == wanted


@pytest.mark.parametrize("door", ["frame", "parquet", "counted parquet", "polars-lazy"])
def test_what_is_missing_from_a_column_of_numbers_is_missing_at_every_door(door: str, tmp_path: Path) -> None:
    """Parquet holds numbers and which of them are missing apart from each other."""
    codes = {"stay": 0, "churn": 1}
    old = OLD.assign(said=OLD.said.map(codes), label=OLD.label.map(codes))
    new = NEW.assign(said=NEW.said.map(codes).astype("Int64"))
    holes = new.assign(said=new.said.where(new.id != 30))
    given: dict[str, Any] = {"key": "id", "truth": "label", "prediction": "said", "margin": 0.02}

    def found(one: pd.DataFrame, other: pd.DataFrame, **options: Any) -> Gate:
        if "parquet" not in door:
            frames = one, other
            return gate(*(frames if door == "frame" else map(lazy, frames)), **given, **options)
        paths = [tmp_path / name for name in ("one.parquet", "other.parquet")]
        for frame, path in zip((one, other), paths, strict=True):
            frame.to_parquet(path)
        return gate(*paths, **given, **options, engine="memory" if door == "parquet" else "auto")

    with pytest.raises(InputError, match=r"column 'said_new' has (a|1) missing label"):
        found(old, holes)
    left = gate(old[old.id != 30], new[new.id != 30], **given)
    assert found(old, holes, missing="drop").tested == left.tested
    with pytest.raises(InputError, match="key 'id' is missing in 1 row of"):
        found(old, new.assign(id=new.id.astype("Int64").where(new.id != 30)))
    truth = old.label.astype("Int64").where(old.id != 30)
    both = new.assign(label=truth.iloc[new.id.to_numpy() // 3].to_numpy())
    with pytest.raises(InputError, match=r"'label' differs between the tables in 1 row, such as . and "):
        found(old, both, missing="drop")


def test_what_a_lazy_table_refused_or_could_not_say() -> None:
    whole = OLD.assign(v2=V2)
    asked: dict[str, Any] = {"truth": "label", "margin": 0.02, "groups": "label"}
    wanted, found = (gate(made, "said", "v2", **asked) for made in (whole, lazy(whole)))
    assert found.to_dict() == wanted.to_dict()
    assert sorted(found.rows_of("right_wrong").rows) == sorted(wanted.rows_of("right_wrong").rows)
    given: dict[str, Any] = {"key": "id", "truth": "label", "prediction": "said"}
    for made in (lazy, lambda frame: frame):
        with pytest.raises(InputError, match=r"the new table have no value of key 'id' in common"):
            gate(made(OLD), made(NEW.assign(id=NEW.id + 1)), missing="drop", **given)
        with pytest.raises(InputError, match=r"^900 keys of the new table are not in the old table"):
            gate(made(OLD).head(0), made(NEW), **given)
        with pytest.raises(InputError, match="key= joins two tables: give that of the old model"):
            gate(made(OLD), made(NEW), "said", **given)
        with pytest.raises(InputError, match="two of the names are the same"):
            gate(made(OLD), made(NEW), **{**given, "prediction": "id"})


@pytest.mark.parametrize("made", [lazy, lambda frame: frame])
def test_weights_are_a_column_of_either_table_or_numbers(made: Any) -> None:
    times = 1 + OLD.id.to_numpy() % 3
    beside = NEW.assign(times=times[NEW.id.to_numpy() // 3])
    asked: dict[str, Any] = {"key": "id", "truth": "label", "prediction": "said", "weights": "frequency"}
    wanted = gate(OLD.label, V1, V2, sample_weight=times, weights="frequency")
    for found in (
        gate(made(OLD.assign(times=times)), made(NEW), sample_weight="times", **asked),
        gate(made(OLD), made(beside), sample_weight="times", **asked),
        gate(made(OLD.assign(times=times)), made(beside), sample_weight="times", **asked),
        gate(OLD, NEW, sample_weight=times, **asked),
    ):
        assert found.tested == wanted.tested
        assert found.settings["n_given"] == wanted.settings["n_given"] == times.sum()
    other = beside.assign(times=np.where(beside.id == 0, 7, beside.times))
    with pytest.raises(InputError, match="'times' differs between the tables in 1 row, such as 1 and 7"):
        gate(made(OLD.assign(times=times)), made(other), sample_weight="times", **asked)


def test_a_large_file_of_text_is_counted_and_its_rows_have_their_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "both.csv"
    OLD.assign(v2=V2, note=OLD.id * 0.5).to_csv(path, index=False)
    asked: dict[str, Any] = {"truth": "label", "margin": 0.02, "groups": "country"}
    wanted = said(gate(path, "said", "v2", **asked))
    monkeypatch.setattr(streaming, "SMALL_TEXT", 0)
    found = gate(path, "said", "v2", **asked)
    assert not isinstance(found.comparison["old", "new"].instances("right_wrong"), np.ndarray)
    assert said(found) == wanted
    read = gate(path, "said", "v2", **asked, engine="memory")
    assert said(load(read.save(tmp_path / "read.adjudge", instances=True))).keys() == wanted.keys()
    with raises_line(InputError, "engine='duckdb' is not known: choose one of 'auto', 'memory'"):
        gate(path, "said", "v2", **asked, engine="duckdb")


def test_a_gate_of_a_lazy_table_can_be_pickled() -> None:
    found = gate(lazy(OLD.assign(v2=V2)), "said", "v2", truth="label", margin=0.02)
    assert said(pickle.loads(pickle.dumps(found))) == said(found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            OLD[:-2],
            NEW,
            "2 keys of the new table are not in the old table, such as 269[47]: add the rows, or leave",
        ),
        (OLD, NEW[:-1], r"1 key of the old table is not in the new table, such as \d+: add the rows"),
        (OLD, pd.concat([NEW, NEW[:1]]), r"key 'id' is repeated in the new table: \d+ occurs 2 times"),
        (
            OLD,
            NEW.assign(id=NEW.id.astype(str)),
            "key 'id' is whole numbers in the old table and text in the new",
        ),
        (OLD, NEW.assign(label="x"), "'label' differs between the tables in 900 rows, such as '.*' and 'x'"),
        (OLD.rename(columns={"id": "nr"}), NEW, "the table has no column 'id'"),
    ],
)
def test_keys_that_do_not_fit(old: pd.DataFrame, new: pd.DataFrame, message: str) -> None:
    with pytest.raises(InputError, match=message):
        gate(lazy(old), lazy(new), **GIVEN)


def test_a_key_that_is_missing() -> None:
    gaps = lazy(OLD).with_columns(id=pl.when(pl.col("id") > 3).then(pl.col("id")))
    with pytest.raises(
        InputError, match="key 'id' is missing in 2 rows of the old table: give every row a key"
    ):
        gate(gaps, lazy(NEW), **GIVEN)


def test_rows_without_a_partner_are_left_out_if_asked() -> None:
    found = gate(lazy(OLD[:-2]), lazy(NEW), **GIVEN, missing="drop")
    assert found.comparison.n == N - 2
    assert "2 rows without a partner in the other table are left out" in {
        own.message for own in found.warnings
    }


def test_columns_are_named_and_kinds_are_found() -> None:
    with pytest.raises(InputError, match="the table has no column 'says'"):
        gate(lazy(OLD), lazy(NEW), key="id", truth="label", prediction="says")
    both = lazy(OLD.assign(v2=V2))
    found = gate(both, "said", "v2", truth="label", margin=0.02)
    assert found.comparison.kind == "classification"
    assert found.tested[0].old == pytest.approx(np.mean(V1 == TRUTH))
    clusters = lazy(pd.DataFrame({"label": TRUTH, "a": (V1 == "stay") * 1, "b": (V2 == "stay") * 1}))
    with pytest.raises(InputError, match="the models have labels such as 0, but none of the truth, such as "):
        gate(clusters, "a", "b", truth="label")
    found = gate(clusters, "a", "b", truth="label", kind="clustering")
    assert found.comparison.kind == "clustering"
    assert found.rows_of("right_wrong").columns[0] == "pairs"


@pytest.mark.parametrize("made", [lazy, lambda frame: frame])
def test_units_and_groups_of_both_tables_must_agree(made: Any) -> None:
    same = NEW.assign(country=OLD.country.to_numpy()[NEW.id.to_numpy() // 3])
    assert [own.to_dict() for own in gate(made(OLD), made(same), **GIVEN).tested] == [
        own.to_dict() for own in WANTED.tested
    ]
    other = same.assign(country=np.where(same.id == 30, "PL", same.country))
    with pytest.raises(
        InputError, match=r"column 'country' differs between the tables in 1 row, such as '..' and 'PL'"
    ):
        gate(made(OLD), made(other), **GIVEN)


def probabilities() -> pd.DataFrame:
    """Return one table with the probabilities of both models, of which the names may be those of columns."""
    rng = np.random.default_rng(4)
    churns, noise = (TRUTH == "churn").astype(float), 1.2 * rng.normal(size=N)
    columns = {
        f"{which}_churn": np.round(1 / (1 + np.exp(-(up * (churns - 0.5) + noise))), 6)
        for which, up in (("v1", 2.2), ("v2", 2.0))
    }
    return OLD.assign(**columns, new=V2, patient=NEW.sort_values("id").patient.to_numpy())


OF_BOTH = {"old": "v1_churn", "new": "v2_churn"}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("n_tables", [1, 2])
def test_probabilities_are_summed(
    n_tables: int,
    door: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One table, or two that a key joins, have one verdict, the same numbers and the same rows at every door."""
    frame = probabilities()
    tables, asked = [frame], {"probabilities": OF_BOTH, "truth": "label"}
    if n_tables == 2:
        tables = [frame[["id", "label", "country", "patient", name]] for name in OF_BOTH.values()]
        tables = [own.set_axis([*own.columns[:-1], "p_churn"], axis=1) for own in tables]
        tables[1] = tables[1].sample(frac=1, random_state=2)
        asked |= {"probabilities": "p_churn", "key": "id"}
    asked |= {"units": "patient", "groups": "country", "margin": {"log_loss": 0.05, "accuracy": "4%"}}
    wanted = gate(*tables, **asked)
    if "parquet" in door or "folder" in door:
        monkeypatch.setattr(streaming, "SMALL_PARQUET", 0)
        monkeypatch.setattr(streaming, "MOST_SCORES", 0)
    if door.startswith("read"):
        asked["engine"] = "memory"
    gated = gate(*behind(door, tables, tmp_path, request), **asked)
    is_summed = door in ("parquet", "folder", "polars-lazy", "duckdb")
    assert is_summed != isinstance(gated.comparison["old", "new"].instances("right_wrong"), np.ndarray)
    for cell in ("right_wrong", "wrong_right"):
        rows, of_rows = gated.rows_of(cell), wanted.rows_of(cell)
        assert {*rows.columns} == {*of_rows.columns}
        places = [each.columns.index("id") for each in (rows, of_rows)]
        ids = [sorted(row[at] for row in each.rows) for each, at in zip((rows, of_rows), places, strict=True)]
        assert ids[0] == ids[1]
    assert gated.verdict == wanted.verdict
    for one, other in zip(gated.tested, wanted.tested, strict=True):
        assert (one.name, one.group, one.status) == (other.name, other.group, other.status)
        assert (one.old, one.new) == pytest.approx((other.old, other.new), rel=1e-9)
        if one.change is None or other.change is None:
            assert one.change is other.change
        else:
            ends = [(own.low, own.high) for own in (one.change, other.change)]
            assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_what_sums_do_not_tell_a_gate_is_read(tmp_path: Path) -> None:
    """Areas are checked within their bounds; calibration, a history and slices need the rows."""
    frame = probabilities()
    asked: dict[str, Any] = {"truth": "label", "probabilities": OF_BOTH, "positive": "churn"}
    for indices in ("roc_auc", "ks_statistic", "expected_calibration_error"):
        wanted, found = (
            gate(made, indices=[indices], margin=0.05, **asked).tested[0] for made in (frame, lazy(frame))
        )
        assert found.status == wanted.status
        assert (found.change is None) == (wanted.change is None)
        assert found.new == pytest.approx(wanted.new, abs=1e-3)
    kept = gate(lazy(frame), history=tmp_path / "looks.adjudge", key="id", **asked)
    again = gate(frame, history=tmp_path / "looks.adjudge", key="id", **asked)
    assert kept.verdict == again.verdict
    sliced, of_rows = (gate(made, slices=["country"], **asked) for made in (lazy(frame), frame))
    assert repr(sliced.weak_slices) == repr(of_rows.weak_slices)
