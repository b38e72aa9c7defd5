"""Words that programs write for a missing value, and those that make text of a column of numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from pandas._libs.parsers import STR_NA_VALUES

import adjudge
from adjudge.given.written import NOT_AVAILABLE

TRUTH, MODEL = ["1.0", "1", "0", "0.0", "1.0", "0"], ["1", "1", "0", "0", "1", "0"]


def _table(word: str) -> dict[str, list[str]]:
    return {"t": [*TRUTH, word], "m": [*MODEL, "1"]}


def _written(folder: Path, table: dict[str, list[str]], ending: str) -> Path:
    path = folder / f"table.{ending}"
    frame = pd.DataFrame(table)
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    return path


def test_all_words_of_pandas_are_missing_among_numbers(tmp_path: Path) -> None:
    assert STR_NA_VALUES - {""} <= NOT_AVAILABLE
    for engine in ("memory", "duckdb"):
        for word in sorted(NOT_AVAILABLE):
            path = _written(tmp_path, _table(word), "csv")
            found = adjudge.evaluate(
                path, truth="t", pred="m", kind="classification", missing="drop", engine=engine
            )
            assert (found["accuracy"], found.n) == (1.0, 6), word


def test_they_are_in_the_ratings_too(tmp_path: Path) -> None:
    found = adjudge.evaluate(_written(tmp_path, _table("n/a"), "csv"), kind="raters")
    assert found["raters_agreement"] == 1.0


@pytest.mark.parametrize("door", ["csv", "duckdb", "xlsx", "parquet", "jsonl", "pandas", "polars", "arrow"])
def test_a_word_among_numbers_is_said(tmp_path: Path, door: str) -> None:
    table = _table("unknown")
    frames = {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "arrow": lambda own: pl.DataFrame(own).to_arrow(),
    }
    options = {"engine": "duckdb"} if door == "duckdb" else {}
    ending = "csv" if door == "duckdb" else door
    given = frames[door](table) if door in frames else _written(tmp_path, table, ending)
    found = adjudge.evaluate(given, truth="t", pred="m", kind="classification", **options)
    (said,) = [own for own in found.warnings if own.code == "words-among-numbers"]
    assert said.severity == "warning"
    assert said.message == (
        "1 of the 7 rows holds no number in column 't': 'unknown', so all its labels are text"
    )


@pytest.mark.parametrize("words", [["007", "010"], ["cat", "dog", "eel", "fox"], ["other"] * 4, []])
def test_codes_and_names_of_classes_are_no_words_among_numbers(tmp_path: Path, words: list[str]) -> None:
    labels = [*"0123", *words]
    for ending in ("csv", "parquet"):
        path = _written(tmp_path, {"t": labels, "m": labels}, ending)
        found = adjudge.evaluate(path, truth="t", pred="m", kind="classification")
        assert not [own for own in found.warnings if own.code == "words-among-numbers"], ending


def test_a_class_with_a_name_beside_numbered_ones_is_only_noted(tmp_path: Path) -> None:
    labels = [*"0123456789", "other"]
    path = _written(tmp_path, {"t": labels, "m": labels}, "csv")
    found = adjudge.evaluate(path, truth="t", pred="m", kind="classification")
    assert [own.severity for own in found.warnings if own.code == "words-among-numbers"] == ["info"] * 2
