"""Combinations of labels that were counted, found again in chunks of the rows."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from adjudge import InputError
from adjudge.engines.frames.coded_cells import CodedCells
from adjudge.engines.frames.counting import FrameTable, count_cells

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
