"""Raters in tables at every door: identifiers are no raters, and units may belong together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import InputError, evaluate

RNG = np.random.default_rng(5)
PATIENTS = np.repeat(np.arange(30), 6) + 100
LATENT = RNG.normal(size=30)[PATIENTS - 100] + 0.3 * RNG.normal(size=180)
RATED = np.searchsorted([-0.8, 0, 0.8], LATENT[:, None] + 0.6 * RNG.normal(size=(180, 3))) + 1
WIDE = pl.DataFrame(
    {"post": range(180), "patient": PATIENTS, **dict(zip(("ann", "bob", "eve"), RATED.T, strict=True))}
)
RATERS = ["ann", "bob", "eve"]
DOORS = ["pandas", "polars", "arrow", "polars-lazy", "duckdb", "csv", "parquet", "jsonl"]


def at_door(frame: pl.DataFrame, door: str, folder: Path) -> Any:
    path = folder / f"table.{door}"
    if door == "duckdb":
        import duckdb

        return duckdb.sql("SELECT * FROM frame")
    if door == "csv":
        frame.write_csv(path)
    elif door == "parquet":
        frame.write_parquet(path)
    elif door == "jsonl":
        frame.write_ndjson(path)
    else:
        made = {
            "pandas": frame.to_pandas(),
            "polars": frame,
            "arrow": frame.to_arrow(),
            "polars-lazy": frame.lazy(),
        }
        return made[door]
    return path


@pytest.mark.parametrize("door", DOORS)
def test_identifiers_are_no_raters(door: str, tmp_path: Path) -> None:
    table = at_door(WIDE, door, tmp_path)
    found = evaluate(table, kind="raters", indices="all")
    assert found.settings["raters"] == RATERS
    assert found.values == evaluate(RATED, kind="raters", indices="all").values
    assert any(
        own.text
        == "columns 'post' and 'patient' look like identifiers, and are left out of the raters: pred= can "
        "name what is meant"
        for own in found.warnings
    )
    assert evaluate(table, kind="raters", pred=["post", "ann"]).settings["raters"] == ["post", "ann"]


@pytest.mark.parametrize(
    "columns",
    [
        {"person1": [*range(1, 11)] * 2, "person2": [*range(1, 11)] * 2},  # scores of 1 to 10
        {"a": [1, 2, 3, 4, 5], "b": [2, 1, 3, 5, 4]},  # ranks
        {"a": [1, 2, 3, 4, 5], "b": [1, 2, 2, 5, 4], "c": [1, 2, 2, 5, 4]},
    ],
)
def test_numbers_that_several_give_are_ratings(columns: dict[str, list[int]]) -> None:
    assert evaluate(pd.DataFrame(columns), kind="raters").settings["raters"] == [*columns]


@pytest.mark.parametrize("door", DOORS)
def test_one_rating_in_a_row_is_refused(door: str, tmp_path: Path) -> None:
    long = WIDE.unpivot(RATERS, index=["post", "patient"], variable_name="rater", value_name="label")
    with pytest.raises(
        InputError, match=r"column 'rater' seems to say who .* pivot the table \(pandas.DataFrame.pivot does"
    ):
        evaluate(at_door(long, door, tmp_path), kind="raters")


def test_a_judge_beside_people_is_a_rater() -> None:
    said = {"judge": ["a", "b", "a", "b"], "human": ["a", "b", "b", "b"]}
    assert evaluate(pd.DataFrame(said), kind="raters").settings["raters"] == ["judge", "human"]


@pytest.mark.parametrize("door", DOORS)
def test_units_at_every_door(door: str, tmp_path: Path) -> None:
    wanted = evaluate(RATED, kind="raters", confidence=0.95, units=PATIENTS)
    found = evaluate(at_door(WIDE, door, tmp_path), kind="raters", confidence=0.95, units="patient")
    assert found.intervals == wanted.intervals
    assert (found.n, found.n_units, found.settings["units"]) == (180, 30, "patient")
    assert not [own for own in found.warnings if own.code == "rows-belong-together"]
    for one, other in ((found.by_rater, wanted.by_rater), (found.pairs, wanted.pairs)):
        assert [(own.low, own.high) for own in one] == [(own.low, own.high) for own in other]
    alone = evaluate(at_door(WIDE, door, tmp_path), kind="raters", confidence=0.95)
    (said,) = [own for own in alone.warnings if own.code == "rows-belong-together"]
    assert said.text.startswith("column 'patient' repeats: rows of one patient are alike")
    for own in (*wanted.intervals, "each", "pair"):
        rows = {"each": "by_rater", "pair": "pairs"}.get(own)
        if rows is None:
            (low, high), (least, most) = wanted.intervals[own], alone.intervals[own]
        else:
            few, many = getattr(wanted, rows)[0], getattr(alone, rows)[0]
            low, high, least, most = few.low, few.high, many.low, many.high
        assert high - low > 1.2 * (most - least), own


def test_units_of_one_row_change_nothing_and_copies_tell_nothing() -> None:
    alone = evaluate(RATED, kind="raters", indices="all", confidence=0.9)
    each = evaluate(RATED, kind="raters", indices="all", confidence=0.9, units=np.arange(180))
    assert each.intervals == alone.intervals
    repeated = [(row, i) for i, row in enumerate(RATED.tolist()) for _ in range(3)]
    rows, units = zip(*repeated, strict=True)
    copied = evaluate([*rows], kind="raters", indices="all", confidence=0.9, units=units)
    for name in ("raters_agreement", "fleiss_kappa", "raters_ac1"):
        assert copied.intervals[name] == pytest.approx(alone.intervals[name]), name
    # The correction of alpha for small samples, (N - 1) / N, reads the number of ratings.
    for name in ("krippendorff_alpha", "krippendorff_alpha_ordinal"):
        assert copied.intervals[name] == pytest.approx(alone.intervals[name], abs=0.002), name


def test_units_of_which_few_are_known() -> None:
    found = evaluate(RATED, kind="raters", confidence=0.95, units=PATIENTS % 9)
    assert found.scores["fleiss_kappa"].low is None
    assert "fewer than 10 do not tell how units vary" in str(found.scores["fleiss_kappa"].interval_reason)
    assert any(
        own.code == "few-units"
        for own in evaluate(RATED, kind="raters", confidence=0.95, units=PATIENTS % 15).warnings
    )
    with pytest.raises(InputError, match="units"):
        evaluate(RATED, kind="raters", confidence=0.95, units=PATIENTS[:-1])


def test_units_without_any_rating_are_left_out() -> None:
    gaps = [*RATED.tolist(), [None] * 3, [3, None, None]]
    found = evaluate(gaps, kind="raters", confidence=0.95, units=[*PATIENTS, 7, 8])
    assert found.n_units == 31
    assert found.intervals["krippendorff_alpha"] == pytest.approx(
        evaluate(RATED, kind="raters", confidence=0.95, units=PATIENTS).intervals["krippendorff_alpha"]
    )


def test_the_shell_takes_units(shell: Any, tmp_path: Path) -> None:
    path = at_door(WIDE, "csv", tmp_path)
    ran = shell(f"raters {path} --units patient --confidence 0.95 --format json")
    wanted = evaluate(RATED, kind="raters", confidence=0.95, units=PATIENTS)
    assert json.loads(ran.out)["intervals"]["fleiss_kappa"] == pytest.approx(wanted.intervals["fleiss_kappa"])
    assert "180 rows of 30 units, 3 raters" in shell(f"raters {path} --units patient").out


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("seed", [0, 1])
def test_intervals_hold_where_patients_are_alike(seed: int) -> None:
    """Two laws: hard and easy patients of equal size; and ordered grades of patients of unequal size, with gaps."""
    rng = np.random.default_rng(seed + 10)

    def drawn(n: int) -> tuple[Any, Any]:
        size = np.full(n, 8) if seed == 0 else rng.integers(1, 12, n)
        of = np.repeat(np.arange(n), size)
        if seed == 0:
            share = np.where(rng.random(n) < 0.5, 0.95, 0.35)[of, None]
            own, other = rng.integers(0, 3, n)[of, None], rng.integers(0, 3, (of.size, 3))
            return np.where(rng.random((of.size, 3)) < share, own, other).astype(float), of
        noise = rng.choice([0.2, 0.5, 1.5], n)[of, None] * rng.normal(size=(of.size, 4))
        rated = np.searchsorted([-0.5, 0.5, 1.5], rng.normal(size=n)[of, None] + noise).astype(float)
        return np.where(rng.random(rated.shape) < 0.85, rated, np.nan), of

    names = ["fleiss_kappa", "raters_ac1", "krippendorff_alpha", "krippendorff_alpha_ordinal"]
    options: dict[str, Any] = {"kind": "raters", "indices": names, "classes": [0, 1, 2, 3][: 3 + seed]}
    truth = evaluate(drawn(4000)[0], **options)
    hits = dict.fromkeys(names, 0)
    for _ in range(200):
        rated, of = drawn(30)
        found = evaluate(rated, **options, confidence=0.95, units=of)
        for name in names:
            low, high = found.intervals[name]
            hits[name] += low <= truth[name] <= high
    assert min(hits.values()) >= 178, hits


def test_text_that_is_another_one_in_each_row_is_no_rating() -> None:
    table = WIDE.drop("patient", "post").with_columns(item=pl.Series([f"i{i:03}" for i in range(180)]))
    assert evaluate(table, kind="raters").values == evaluate(RATED, kind="raters").values


def test_the_shell_reads_decimal_commas(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("ann;bob\n3,5;3\n1,5;1,5\n2;2\n", encoding="utf-8")
    ran = shell(f"raters {path} --decimal , --format json --indices alpha_interval")
    wanted = evaluate([[3.5, 3], [1.5, 1.5], [2, 2]], kind="raters", indices="alpha_interval")
    assert json.loads(ran.out)["values"] == pytest.approx(wanted.values)
