"""Gates of lazy tables and of Parquet files, which their engine joins and counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import Gate, InputError, gate

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


def test_lazy_tables_and_files_say_what_tables_in_memory_say(tmp_path: Path) -> None:
    check(gate(lazy(OLD), lazy(NEW), **GIVEN))
    OLD.to_parquet(tmp_path / "old.parquet")
    NEW.to_parquet(tmp_path / "new.parquet")
    check(gate(tmp_path / "old.parquet", str(tmp_path / "new.parquet"), **GIVEN))
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    check(gate(connection.sql("FROM OLD"), connection.sql("FROM NEW"), **GIVEN))


def test_folders_of_parquet_are_counted_where_they_are(tmp_path: Path) -> None:
    """Files of a folder may have their columns in any order, and other types where these are not read."""
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
    assert found.rows_of("right_wrong").columns[-1] == "pairs"


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
