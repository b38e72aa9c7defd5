"""Combinations of labels, and units, of large tables: those that are alike come back as one."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from adjudge import InputError, compare, evaluate
from adjudge.engines.frames.coded_cells import CodedCells
from adjudge.engines.frames.counting import FrameTable, count_cells
from adjudge.tables import frames
from conftest import raises_line
from table_engines import LAZY, in_engine, in_engines


@in_engines(LAZY)
def test_units_that_are_alike_come_back_as_one(
    engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a large table says, in which only units that differ are read, is what a small one says."""
    rng = np.random.default_rng(5)
    n = 1500
    truth = rng.integers(0, 3, n)
    frame = pl.DataFrame(
        {
            "truth": np.array(["ash", "elm", "fir"])[truth],
            "one": np.array(["ash", "elm", "fir"])[np.where(rng.random(n) < 0.2, 0, truth)],
            "two": np.array(["ash", "elm", "fir"])[np.where(rng.random(n) < 0.3, 1, truth)],
            "region": rng.integers(0, 2, n),
            # One unit has more rows than eight bits hold; the others have two or three.
            "patient": np.where(np.arange(n) < 300, -1, rng.integers(0, 500, n)),
        }
    )
    table = in_engine(frame, engine, request)
    given: dict[str, Any] = {"truth": "truth", "units": "patient", "confidence": 0.9}
    calls: list[tuple[Any, dict[str, Any]]] = [
        (evaluate, {"pred": "one", "kind": "classification", "indices": "all"}),
        (evaluate, {"pred": ["one", "two"], "kind": "classification", "groups": "region"}),
        (evaluate, {"pred": "one", "kind": "clustering", "indices": ["rand", "v_measure", "bcubed_f1"]}),
        (compare, {"models": ["one", "two"], "kind": "classification", "groups": "region"}),
    ]
    for verb, options in calls:
        apart = verb(frame, **given, **options)
        with monkeypatch.context() as large:
            large.setattr(frames, "MOST_APART", 0)
            found = verb(table, **given, **options)
        assert_alike(found.to_dict(), apart.to_dict())


def assert_alike(found: Any, wanted: Any) -> None:
    """Compare results up to rounding; but for what holds the table."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name in wanted.keys() - {"backend", "settings", "warnings"}:
            assert_alike(found[name], wanted[name])
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_alike(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True)
    else:
        assert found == wanted


def test_rows_without_a_unit_are_refused_in_large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_APART", 0)
    frame = pl.DataFrame(
        {"truth": [0, 1, 1, 0] * 30, "one": [0, 1, 0, 0] * 30, "patient": [None, 1, 2, 3] * 30}
    )
    given: dict[str, Any] = {"truth": "truth", "pred": "one", "units": "patient", "kind": "classification"}
    with raises_line(
        InputError,
        "column 'patient' has 30 missing labels: fill them in, or pass missing='drop' to leave such rows out",
    ):
        evaluate(frame.lazy(), **given)
    found = evaluate(frame.lazy(), **given, missing="drop")
    assert (found.n, found.n_units) == (90, 3)
    of_rows = evaluate(frame, **given, missing="drop")
    assert [own.message for own in found.warnings] == [own.message for own in of_rows.warnings]


N = 300
UNITS = {
    "close": np.arange(N) % 40,
    "far": (np.arange(N) % 40) ** 5 * 1_000_003 - 7,
    "negative": -(np.arange(N) % 40) - 3,
    "small": (np.arange(N) % 40).astype(np.int8),
    "unsigned": (np.arange(N) % 40).astype(np.uint64) + 2**63,
    "text": np.char.add("u", (np.arange(N) % 40).astype(str)),
    "fractions": np.arange(N) % 40 / 1.0,
}


def coded(frame: pl.DataFrame, units: str) -> CodedCells:
    cells = count_cells(FrameTable.of(frame.lazy()), ["truth", "place", units])
    return CodedCells.of(cells, "truth", None, ["place"], units)


def chunk(frame: pl.DataFrame) -> dict[str, Any]:
    return {name: nw.from_native(frame[name], series_only=True) for name in frame.columns}


@pytest.mark.parametrize("units", [*UNITS])
def test_each_row_has_its_combination(units: str) -> None:
    rng = np.random.default_rng(0)
    truth, place = rng.choice(["a", "b", "c"], N), rng.integers(0, 2, N)
    frame = pl.DataFrame({"truth": truth, "place": place, units: UNITS[units]})
    found = coded(frame, units)
    at = np.concatenate([found.combinations(chunk(frame[i : i + 64])) for i in range(0, N, 64)])
    assert np.array_equal(np.bincount(at), found.counts)
    for labels, name in zip(found.columns, found.keys, strict=True):
        codes, names = labels.dense()
        assert [names[code] for code in codes[at]] == frame[name].to_list()


@pytest.mark.parametrize(
    "other",
    [
        {"truth": "d"},
        {"place": 2},
        {"place": -1},
        {"close": 40},
        {"close": -1},
        {"close": 7},
        {"far": int(UNITS["far"][7])},
        {"far": 5},
        {"text": "u40"},
        {"truth": "c"},
    ],
)
def test_rows_that_were_not_counted_are_an_error(other: dict[str, Any]) -> None:
    units = next((name for name in other if name in UNITS), "close")
    frame = pl.DataFrame({"truth": ["a", "b", "c"] * 100, "place": [0, 1] * 150, units: UNITS[units]})
    frame = frame.filter(~((pl.col("truth") == "c") & (pl.col("place") == 0)))
    frame = frame.filter(pl.col(units) != UNITS[units][7])
    changed = (
        frame.head(4).with_columns(place=0).with_columns(**{name: pl.lit(own) for name, own in other.items()})
    )
    with pytest.raises(InputError, match="rows changed between two readings"):
        coded(frame, units).combinations(chunk(changed.cast(frame.schema)))
