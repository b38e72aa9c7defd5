"""Weak slices beside a search by brute force, and what they are refused for."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, gate, weak_slices
from adjudge.choosing.slice_columns import coded_columns
from adjudge.choosing.slices import conditions_of, worst_slices
from adjudge.choosing.weak_slices import find_weak_slices
from adjudge.cli import main
from adjudge.given.labels import code_labels
from adjudge.tables.columns import numbers_or_texts
from adjudge.tables.source import open_given
from conftest import raises_line
from table_engines import in_engine

RNG = np.random.default_rng(4)
N = 1200
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, N).astype(float),
        "plan": RNG.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1]),
        "visits": RNG.poisson(1, N),
        "id": [f"row {i}" for i in range(N)],
    }
)
FRAME.loc[::17, "age"] = np.nan
TRUTH = RNG.integers(0, 2, N)
HARD = ((FRAME["plan"] == "b") & (FRAME["visits"] == 1)).to_numpy()
SAID = np.where(RNG.random(N) < np.where(HARD, 0.5, 0.1), 1 - TRUTH, TRUTH)


def columns() -> dict[str, Any]:
    return {n: code_labels(FRAME[n], n) if n in ("plan", "id") else FRAME[n].to_numpy(float) for n in FRAME}


def test_the_worst_slice_by_brute_force() -> None:
    wrong, fewest = (SAID != TRUTH).astype(float), 20
    conditions = conditions_of(columns(), fewest)
    assert {own.column for own in conditions} == {"age", "plan", "visits"}
    found: dict[str, float] = {}
    for size in (1, 2):
        for some in combinations(conditions, size):
            if len({own.column for own in some}) < size:
                continue
            rows = np.logical_and.reduce([own.holds(columns()) for own in some])
            if not fewest <= rows.sum() <= N - fewest:
                continue
            error = wrong.std() * math.sqrt(1 / rows.sum() + 1 / (N - rows.sum()))
            words = " and ".join(own.words for own in some)
            found[words] = (wrong[rows].mean() - wrong[~rows].mean()) / error
    best = max(found, key=lambda words: found[words])
    chosen, n_looked_at, silent = worst_slices(columns(), wrong, fewest, 3)
    assert chosen[0].words == best == "plan = b and visits = 1"
    assert n_looked_at >= len(found)
    assert silent == ["id"]
    # The next ones are the worst of the rows that it leaves.
    left = ~chosen[0].holds(columns())
    rest = {n: own[left] if isinstance(own, np.ndarray) else own.take(left) for n, own in columns().items()}
    again, *_ = worst_slices(rest, wrong[left], fewest, 1)
    second = chosen[1].holds(columns()) & left
    error = again[0].holds(rest)
    assert wrong[second].mean() > wrong[left & ~second].mean()
    assert wrong[left][error].mean() > wrong[left][~error].mean()


def test_words_say_the_condition() -> None:
    for own in conditions_of(columns(), 20):
        values = FRAME[own.column]
        if own.missing:
            expected = values.isna()
        elif own.value is not None:
            expected = values == own.value
        else:
            expected = values.notna()
            if own.above is not None:
                expected &= values > own.above
            if own.upto is not None:
                expected &= values <= own.upto
        assert (own.holds(columns()) == expected.to_numpy()).all(), own.words
    words = [own.words for own in conditions_of(columns(), 20)]
    assert "age is missing" in words
    assert "plan = c" in words
    assert any(own.startswith("age > ") for own in words)


@pytest.mark.parametrize("door", ["pandas", "polars", "csv", "parquet", "polars-lazy", "duckdb", "dask"])
def test_every_door_finds_the_same(door: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    whole = FRAME.assign(truth=TRUTH, said=SAID)
    table: Any = whole
    if door not in ("pandas", "csv", "parquet"):
        table = in_engine(pl.from_pandas(whole), door, request)
    elif door == "csv":
        table = tmp_path / "table.csv"
        whole.to_csv(table, index=False)
    elif door == "parquet":
        table = tmp_path / "table.parquet"
        whole.to_parquet(table)
    expected = weak_slices(TRUTH, SAID, FRAME)
    found = weak_slices("truth", "said", table)
    assert [own.words for own in found.slices] == [own.words for own in expected.slices]
    assert expected.slices[0].words == "plan = b and visits = 1"
    assert found.rows("plan = b and visits = 1").tolist() == np.flatnonzero(HARD).tolist()
    assert found.tested[0].adjusted_p_value == pytest.approx(expected.tested[0].adjusted_p_value)


def test_figures_are_those_of_the_other_half() -> None:
    found = weak_slices(TRUTH, SAID, FRAME)
    worst = found.slices[0]
    assert worst.n == HARD.sum()
    assert worst.n_tested < worst.n
    assert worst.low is not None
    assert worst.high is not None
    assert worst.low < worst.difference < worst.high
    assert worst.inside == pytest.approx(round(worst.inside * worst.n_tested) / worst.n_tested)
    assert len(found.tested) <= 10
    assert len(weak_slices(TRUTH, SAID, FRAME, most=2).tested) == 2


def test_old_against_new_and_regression() -> None:
    old = np.where(RNG.random(N) < np.where(HARD, 0.5, 0.1), 1 - TRUTH, TRUTH)
    new = np.where(RNG.random(N) < np.where(FRAME["plan"] == "a", 0.35, 0.1), 1 - TRUTH, TRUTH)
    found = weak_slices(TRUTH, {"old": old, "new": new}, FRAME)
    assert found.loss == "share wrong, new less old"
    assert found.slices[0].words == "plan = a"
    numbers = RNG.normal(size=N)
    off = weak_slices(numbers, numbers + np.where(HARD, 3, 1) * RNG.normal(size=N), FRAME, kind="regression")
    assert off.loss == "mean absolute error"
    assert off.slices[0].words == "plan = b and visits = 1"


def test_units_stay_together() -> None:
    unit = np.arange(N) // 6
    found = weak_slices(TRUTH, SAID, FRAME, units=unit)
    assert found.tested
    # All rows of a unit are alike: what one unit does is no slice.
    bad = np.isin(unit, [3, 9])
    said = np.where(bad, 1 - TRUTH, TRUTH)
    frame = pd.DataFrame({"shop": [f"shop {own % 40}" for own in unit]})
    assert not weak_slices(TRUTH, said, frame, units=unit, smallest=10).slices


def test_nothing_found_is_an_answer(tmp_path: Path) -> None:
    said = np.where(RNG.random(N) < 0.1, 1 - TRUTH, TRUTH)
    found = weak_slices(TRUTH, said, FRAME)
    assert found.slices == ()
    assert found.said()[0].startswith("No slice of the rows is seen to be worse than the rest")
    assert found.to_dict()["tested"][0]["worse"] is False
    assert weak_slices(TRUTH, TRUTH, FRAME).tested == ()
    saved = found.save(tmp_path / "slices.adjudge")
    assert adjudge.load(saved).tested == found.tested
    with raises_line(InputError, "no slice 'x' was tested: choose one of none, as they were not saved"):
        adjudge.load(saved).rows("x")


def test_errors() -> None:
    with raises_line(InputError, "the table has 1200 rows, and there are 2 labels"):
        weak_slices([0, 1], [0, 1], FRAME)
    with raises_line(
        InputError, "half of 30 rows has no two slices of 20: judge more rows, or lower smallest="
    ):
        weak_slices(TRUTH[:30], SAID[:30], FRAME[:30])
    with raises_line(
        InputError, "slices compare two models, the old one first, and there are 1: give two, or one"
    ):
        weak_slices(TRUTH, {"a": SAID}, FRAME)
    with raises_line(InputError, "columns= is empty: name at least one column to slice by"):
        weak_slices(TRUTH, SAID, FRAME, columns=[])


def test_a_slice_of_two_columns_is_worse_than_each_of_them() -> None:
    """Where one condition tells all, no second one that happens to look worse is added to it."""
    for seed in range(7):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "plan": rng.choice(list("abc"), N, p=[0.6, 0.3, 0.1]),
                "age": rng.integers(18, 90, N),
                "spend": rng.normal(size=N),
            }
        )
        wrong = rng.random(N) < np.where(frame["plan"] == "b", 0.25, 0.1)
        found = weak_slices(TRUTH, np.where(wrong, 1 - TRUTH, TRUTH), frame, random_state=seed)
        assert found.tested[0].words == "plan = b"
    # Both conditions are named where either one alone would hide what is bad.
    assert weak_slices(TRUTH, SAID, FRAME).slices[0].words == "plan = b and visits = 1"


def test_rows_with_gaps() -> None:
    gaps = np.where(np.arange(N) % 50 == 3, None, SAID.astype(object))
    with pytest.raises(InputError, match="pass missing='drop'"):
        weak_slices(TRUTH, gaps, FRAME)
    found = weak_slices(TRUTH, gaps, FRAME, missing="drop")
    there = np.arange(N) % 50 != 3
    alone = weak_slices(TRUTH[there], SAID[there], FRAME[there])
    assert [own.words for own in found.tested] == [own.words for own in alone.tested]
    assert found.n == there.sum()
    words = "plan = b and visits = 1"
    assert found.rows(words).tolist() == np.flatnonzero(HARD & there).tolist()
    assert "24 rows without a label, a number or a unit are left out" in repr(found)
    assert f"age has no value in {FRAME['age'][there].isna().sum()} rows" in repr(found)
    assert "left out" not in repr(weak_slices(TRUTH, SAID, FRAME))


def test_pandas_tables_in_another_order_are_refused() -> None:
    shuffled = FRAME.sample(frac=1, random_state=0)
    with pytest.raises(InputError, match="have the same index in different orders"):
        weak_slices(pd.Series(TRUTH), SAID, shuffled)
    with pytest.raises(InputError, match="have the same index in different orders"):
        weak_slices(TRUTH, {"old": SAID, "new": pd.Series(SAID)}, shuffled)


def test_slices_that_were_tested_are_not_called_the_worst() -> None:
    said = weak_slices(TRUTH, SAID, FRAME).said()[0]
    assert "that look worst there were tested on the other half" in said


OLD = np.where(np.random.default_rng(8).random(N) < 0.12, 1 - TRUTH, TRUTH)
WHOLE = FRAME.assign(truth=TRUTH, old=OLD, new=SAID)
NAMED: dict[str, Any] = {"truth": "truth", "old": "old", "new": "new"}


def test_a_gate_names_the_slices_that_became_worse(tmp_path: Path) -> None:
    expected = weak_slices(TRUTH, {"old": OLD, "new": SAID}, FRAME).tested
    assert expected[0].words == "plan = b and visits = 1"
    WHOLE.to_csv(tmp_path / "rows.csv", index=False)
    tables: list[Any] = [WHOLE, pl.from_pandas(WHOLE), tmp_path / "rows.csv"]
    for table in tables:
        found = gate(table, **NAMED, slices="all")
        assert found.weak_slices is not None
        assert found.weak_slices.tested == expected
        assert found.sentences()[-1].startswith(
            "It is worse by more than elsewhere where plan = b and visits = 1"
        )
        assert found.tables()[-1].rows[0][0] == expected[0].words
    beside = gate(TRUTH, old=OLD, new=SAID, slices=pl.from_pandas(FRAME).lazy())
    assert beside.weak_slices is not None
    assert beside.weak_slices.tested == expected
    some = gate(WHOLE, **NAMED, slices=["pl*", "visits"])
    assert some.weak_slices is not None
    assert some.weak_slices.columns == ("plan", "visits")
    # They are told, and change nothing else.
    plain = gate(WHOLE, **NAMED)
    assert plain.weak_slices is None
    assert (plain.verdict, plain.tested) == (beside.verdict, beside.tested)
    saved = adjudge.load(found.save(tmp_path / "found.adjudge"))
    assert saved.weak_slices.tested == expected


def test_what_a_model_says_gives_no_slices(tmp_path: Path) -> None:
    """A slice was "the new model's probability is above 0.03"."""
    chances = {"old_chance": np.where(OLD, 0.7, 0.2) + RNG.random(N) / 9, "new_p": np.where(SAID, 0.8, 0.1)}
    whole = WHOLE.assign(**chances, other_proba=RNG.random(N))
    whole.to_csv(tmp_path / "rows.csv", index=False)
    tables: list[Any] = [whole, tmp_path / "rows.csv"]
    for table in tables:
        by_model = {"old": "old_chance", "new": "new_p"}
        found = gate(table, **NAMED, probabilities=by_model, slices="all").weak_slices
        assert found is not None
        assert found.columns == ("age", "plan", "visits", "id")
        assert "'other_proba' looks like a model's output, so it gives no slices" in str(found)
    named = gate(whole, **NAMED, slices=["new_p", "plan"]).weak_slices
    assert named is not None
    assert named.columns == ("new_p", "plan")


def test_numbers_of_rows_have_slices() -> None:
    old = RNG.gamma(4, 25, N)
    new = old * np.where(HARD, 1.5, 1) + RNG.normal(0, 5, N)
    ends: list[tuple[Any, int]] = [("lower", 1), ("higher", -1)]
    for better, sign in ends:
        found = gate(values={"old": sign * old, "new": sign * new}, better=better, margin="5%", slices=FRAME)
        assert found.weak_slices is not None
        assert found.weak_slices.slices[0].words == "plan = b and visits = 1"
        assert found.weak_slices.slices[0].difference > 20


def test_a_gate_without_weak_slices_says_so() -> None:
    found = gate(TRUTH, old=OLD, new=OLD, slices=FRAME)
    assert found.sentences()[-1] == "In no slice of the rows is it seen to be worse by more than elsewhere."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"labels_true": pl.from_pandas(WHOLE).lazy(), **NAMED, "slices": "all"}, "collect it first"),
        ({"labels_true": TRUTH, "old": OLD, "new": SAID, "slices": "all"}, "give a table with these columns"),
        ({"labels_true": WHOLE, **NAMED, "slices": ["plam"]}, "no column 'plam': did you mean 'plan'"),
        ({"labels_true": WHOLE, **NAMED, "slices": []}, "slices= is empty"),
        ({"labels_true": WHOLE, **NAMED, "slices": 3}, 'slices= is "all", names of columns, or a data frame'),
        ({"labels_true": WHOLE, **NAMED, "slices": "all", "kind": "clustering"}, "give classes or numbers"),
        (
            {"labels_true": WHOLE, **NAMED, "slices": "all", "counts": "visits"},
            "leave weights and counts out",
        ),
        ({"labels_true": TRUTH, "old": OLD, "new": SAID, "slices": FRAME[:9]}, "9 rows, and there are 1200"),
    ],
)
def test_slices_that_a_gate_cannot_have(given: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, TypeError), match=said):
        gate(**given)


def test_slices_of_a_gate_in_the_shell(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "rows.csv"
    WHOLE.to_csv(path, index=False)
    given = ["gate", str(path), "--truth", "truth", "--old", "old", "--new", "new", "--margin", "0.2"]
    assert "It is worse by more than elsewhere where plan = b and visits = 1" in run(
        *given, "--slices", "all"
    )
    assert main([*given, "--slices", "nothing"]) == 2


def test_the_page_shows_where_the_best_model_is_worse(tmp_path: Path) -> None:
    models = {"new": SAID, "poor": np.where(RNG.random(N) < 0.4, 1 - TRUTH, TRUTH)}
    made = adjudge.report(TRUTH, models, X=FRAME, kind="classification", output=tmp_path / "page.html")
    alone, beside = made.page["sections"][0]["weak_slices"]
    assert (alone["called"], beside["called"]) == ("new", "new beside poor")
    assert alone["rows"][0]["words"] == "plan = b and visits = 1"
    found = weak_slices(TRUTH, SAID, FRAME)
    assert [own["words"] for own in alone["rows"]] == [own.words for own in found.slices]
    assert "Where is the best model worse?" in (tmp_path / "page.html").read_text()
    few = adjudge.report(
        TRUTH[:60], {"a": SAID[:60]}, X=FRAME[:60], kind="classification", output=tmp_path / "few.html"
    )
    assert few.page["sections"][0]["weak_slices"] is None


def test_slices_are_looked_for_in_some_of_very_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = weak_slices(TRUTH, SAID, FRAME)
    monkeypatch.setattr("adjudge.choosing.weak_slices._MOST_SEARCHED", 300)
    found = weak_slices(TRUTH, SAID, FRAME)
    words = "plan = b and visits = 1"
    same = next(own for own in expected.tested if own.words == words)
    other = next(own for own in found.tested if own.words == words)
    # What is looked at in fewer rows is tested on as many.
    assert (same.n_tested, same.difference, same.p_value) == (other.n_tested, other.difference, other.p_value)


def test_a_slice_that_is_wrong_throughout_is_found() -> None:
    """Nothing varies inside and outside, so that no variance tells how sure it is: all orders of rows do."""
    rng = np.random.default_rng(0)
    channel = np.where(rng.random(1000) < 0.1, "app", "web")
    truth = rng.integers(0, 2, 1000)
    said = np.where(channel == "app", 1 - truth, truth)
    found = weak_slices(truth, said, pd.DataFrame({"channel": channel}))
    assert found.slices[0].words == "channel = app"
    k, n = found.slices[0].n_tested, 500
    assert found.slices[0].p_value == pytest.approx(2 / math.comb(n, k))
    units = np.arange(1000) // 2
    together = weak_slices(truth, said, pd.DataFrame({"channel": channel}), units=units)
    assert together.slices[0].words == "channel = app"
    assert together.slices[0].p_value > found.slices[0].p_value


def test_columns_without_slices_are_named() -> None:
    only = weak_slices(TRUTH, SAID, FRAME[["id"]])
    assert only.said()[0].startswith("No slice of the rows could be looked at")
    assert "id gives no slices: too few rows share a value" in repr(only)
    assert "id gives no slices" in repr(weak_slices(TRUTH, SAID, FRAME))
    found = gate(TRUTH, old=OLD, new=SAID, slices=FRAME[["id"]])
    assert found.sentences()[-1] == "The columns give no slices of enough rows to look at."


def stored(frame: pd.DataFrame, door: str, folder: Path) -> Any:
    """Return a table as one of several kinds has it."""
    if door == "pandas":
        return frame
    if door == "polars":
        return pl.from_pandas(frame)
    path = folder / f"table.{door}"
    if door == "csv":
        frame.to_csv(path, index=False)
    elif door == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True, date_format="iso")
    return path


DOORS = ["pandas", "polars", "csv", "parquet", "jsonl"]


@pytest.mark.parametrize("door", DOORS)
def test_neither_labels_nor_units_define_slices(door: str, tmp_path: Path) -> None:
    """The model is wrong on one class alone, and in some units: the columns of these say nothing new."""
    shop = np.arange(N) // 10
    said = np.where((TRUTH == 1) & (RNG.random(N) < 0.4), 0, TRUTH)
    others = FRAME.drop(columns="id")
    whole = others.assign(churn=TRUTH, model=said, shop=[f"shop {own}" for own in shop], visitor=shop)
    expected = weak_slices(TRUTH, said, others, units=shop)
    found = weak_slices(TRUTH, said, stored(whole, door, tmp_path), units=shop)
    assert found.columns == ("age", "plan", "visits")
    assert [own.words for own in found.tested] == [own.words for own in expected.tested]
    for words in (
        "'churn' equals the truth",
        "'model' equals the labels",
        "'shop' equals the units",
        "'visitor' eq",
    ):
        assert words in repr(found)
    named = weak_slices(TRUTH, said, whole, columns=["churn", "plan"])
    assert named.slices[0].words == "churn = 1"


def test_labels_of_any_type_are_known_again(tmp_path: Path) -> None:
    for names in (["no", "yes"], [False, True], [0.5, 1.5]):
        kinds = np.array(names, object)
        whole = FRAME.assign(churn=kinds[TRUTH].tolist(), model=kinds[SAID].tolist())
        kind: Any = "regression" if names[0] == 0.5 else None
        for door in DOORS:
            table = stored(whole, door, tmp_path)
            found = weak_slices(kinds[TRUTH].tolist(), kinds[SAID].tolist(), table, kind=kind)
            assert found.columns == ("age", "plan", "visits", "id"), (names, door)
    beside = gate(TRUTH, old=OLD, new=SAID, slices=FRAME.assign(was=OLD, now=SAID))
    assert beside.weak_slices is not None
    assert beside.weak_slices.columns == ("age", "plan", "visits", "id")


@pytest.mark.parametrize("door", DOORS)
def test_flags_and_dates_have_one_name(door: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D")
    member = rng.random(N) < 0.5
    frame = pd.DataFrame({"since": days, "member": member, "known": np.where(member, False, None)})
    fifth = days.sort_values()[math.ceil(0.8 * N) - 1]
    for rows, column, words in (
        (days > fifth, "since", f"since > {fifth.date()}"),
        (member, "member", "member = True"),
        (member, "known", "known = False"),
    ):
        said = np.where(rng.random(N) < np.where(rows, 0.4, 0.05), 1 - TRUTH, TRUTH)
        # Where quintiles of one half of the rows lie depends on the rows: all are looked at.
        chosen, *_ = worst_slices(
            coded_columns(numbers_or_texts(open_given(stored(frame[[column]], door, tmp_path)), [column])),
            (said != TRUTH).astype(float),
            20,
            1,
        )
        assert chosen[0].words == words
        found = weak_slices(TRUTH, said, stored(frame[[column]], door, tmp_path))
        assert found.slices[0].words.split(" ")[0] == column
        assert words.startswith("since") or found.slices[0].words == words


def test_dates_are_binned_and_named_as_dates() -> None:
    rng = np.random.default_rng(3)
    hours = pd.to_timedelta(rng.integers(0, 300 * 24, N), "h")
    frame = pd.DataFrame({"at": pd.Timestamp("2026-01-01") + hours})
    frame.loc[::40, "at"] = pd.NaT
    values = coded_columns({"at": frame["at"].astype(str).replace("NaT", "").tolist()})
    conditions = {own.words: own for own in conditions_of(values, 20)}
    assert len(conditions) == 12
    assert "at is missing" in conditions
    known = frame["at"].dropna().sort_values()
    fifth = known.iloc[math.ceil(known.size / 5) - 1]
    holds = conditions[f"at <= {fifth}"].holds(values)
    assert (holds == (frame["at"] <= fifth).to_numpy()).all()
    few = conditions_of(coded_columns({"day": ["2026-03-01", "2026-03-02 18:00+01:00"] * 50}), 20)
    assert [own.words for own in few] == ["day = 2026-03-01", "day = 2026-03-02 18:00:00"]
    assert [
        own.words for own in conditions_of(coded_columns({"day": ["2026-02-30", "2026-02-28"] * 50}), 20)
    ] == [
        "day = 2026-02-28",
        "day = 2026-02-30",
    ]


def test_columns_are_named_by_patterns(tmp_path: Path) -> None:
    whole = FRAME.assign(truth=TRUTH, said=SAID)
    whole.to_csv(tmp_path / "table.csv", index=False)
    for table in (whole, tmp_path / "table.csv"):
        found = weak_slices("truth", "said", table, columns=["pl*", "?isits"])
        assert found.columns == ("plan", "visits")
        assert weak_slices("truth", "said", table, columns="*").columns == tuple(FRAME)
        with pytest.raises(InputError, match=r"no column.*'plam'|has no column 'plam'"):
            weak_slices("truth", "said", table, columns="plam")


def test_columns_of_pandas_types_that_know_missing_values() -> None:
    frame = FRAME[["plan"]].astype("string")
    frame.loc[::9, "plan"] = pd.NA
    found = weak_slices(TRUTH, SAID, frame)
    assert [own.words for own in found.tested] == [
        own.words for own in weak_slices(TRUTH, SAID, frame.astype(object)).tested
    ]
    assert "plan has no value in 134 rows" in repr(found)


@pytest.mark.parametrize("door", ["polars", "csv", "parquet"])
@pytest.mark.parametrize("classes", [["downgrade", "leave", "very good"], [0, 1, 2]])
def test_columns_of_probabilities_give_no_slices(door: str, classes: list[Any], tmp_path: Path) -> None:
    """They gave "v2_stay <= 0.65" unless they were passed, and in the shell even then."""
    rng = np.random.default_rng(8)
    chances = {model: rng.dirichlet([1, 1, 3], N) for model in ("v1", "v2")}
    truth = rng.integers(0, 3, N)
    names = np.array(classes, object)
    whole = FRAME[["plan", "visits"]].assign(y=names[truth].tolist(), rate=rng.random(N))
    for model, own in chances.items():
        whole[model] = names[np.where(rng.random(N) < 0.6, truth, own.argmax(1))].tolist()
        for i, label in enumerate(classes):
            whole[f"{model}_{label}"] = own[:, i].round(4)
    expected = ("plan", "visits", "rate")
    table = stored(whole, door, tmp_path)
    alone = weak_slices("y", "v2", table)
    assert alone.columns == expected
    assert "'v1' looks like labels, so it gives no slices" in str(alone)
    assert "and 'v2_2' look" in str(alone) or "and 'v2_very good' look" in str(alone)
    without = whole.drop(columns=["v1", "v2"])
    assert weak_slices("y", whole["v2"], without).columns == expected
    asked: dict[str, Any] = {"truth": "y", "old": "v1", "new": "v2", "slices": "all"}
    by_model: list[Any] = [None, {"old": "v1_*", "new": "v2_*"}]
    for probabilities in by_model:
        found = gate(table, **asked, probabilities=probabilities).weak_slices
        assert found is not None
        assert found.columns == expected
        # All that the gate was told of need no notice.
        assert ("look like" in str(found)) == (probabilities is None)
    named = weak_slices("y", "v2", table, columns=[f"v2_{classes[0]}"])
    assert named.columns == (f"v2_{classes[0]}",)


def test_labels_of_another_model_give_no_slices_of_the_page() -> None:
    """The labels of v1 sliced v2: they were left out of the comparison of both alone."""
    v1 = np.where(RNG.random(N) < 0.5, TRUTH, 1 - TRUTH)
    v2 = np.where((v1 == TRUTH) | (RNG.random(N) < 0.5), TRUTH, 1 - TRUTH)
    rows = adjudge.compare(TRUTH, {"v1": v1, "v2": v2}, kind="classification").known_instances()
    columns = numbers_or_texts(open_given(FRAME.assign(v1=v1)), ["plan", "v1"])
    found = find_weak_slices(rows, ["v2"], columns, np.random.default_rng(0))
    assert found.columns == ("plan",)
    assert "'v1' equals the labels 'v1', so it gives no slices" in str(found)
