"""A data frame of counts is read by its names, in every library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.statistics import Contingency

TRUE = pd.Series(["water", "land", "land", "crop"] * 25)
PREDICTED = pd.Series(["water", "land", "land", "land"] * 25)
TABLE = pd.crosstab(TRUE, PREDICTED)  # no column of crop
NAMED = TABLE.reset_index()
CODES = {"crop": 3, "land": 1, "water": 2}


def accuracies(table: Any) -> list[float]:
    judged = adjudge.evaluate(table, kind="classification", indices="accuracy")
    return [adjudge.accuracy(table), judged["accuracy"]]


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        TABLE[["water", "land"]],
        TABLE.iloc[::-1],
        NAMED,
        pl.from_pandas(NAMED),
        pa.Table.from_pandas(NAMED, preserve_index=False),
        pa.Table.from_pandas(TABLE),
        pd.crosstab(TRUE.map(CODES), PREDICTED.map(CODES)),
        pd.crosstab(TRUE.map(CODES), PREDICTED.map(CODES).astype(str)),
        pl.from_pandas(pd.crosstab(TRUE.map(CODES), PREDICTED.map(CODES).astype(str)).reset_index()),
    ],
)
def test_rows_and_columns_are_matched_by_name(table: Any) -> None:
    assert accuracies(table) == [0.75, 0.75] == [adjudge.accuracy(TRUE, PREDICTED)] * 2
    assert adjudge.adjusted_rand(table) == adjudge.adjusted_rand(TRUE, PREDICTED)


def test_classes_are_the_names() -> None:
    judged = adjudge.evaluate(
        TABLE[["water", "land"]], kind="classification", classes=["water", "land", "crop"]
    )
    assert judged.confusion.labels == ["water", "land", "crop"]
    assert judged.confusion.matrix.tolist() == [[25, 0, 0], [0, 50, 0], [0, 25, 0]]


def test_the_kind_is_that_of_the_names() -> None:
    assert adjudge.evaluate(TABLE).values.keys() == adjudge.evaluate(TRUE, PREDICTED).values.keys()
    clusters = pd.crosstab(TRUE, PREDICTED.map(CODES))
    assert adjudge.evaluate(clusters).values == adjudge.evaluate(TRUE, PREDICTED.map(CODES)).values


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda own: pa.table(dict(own))])
def test_the_names_of_one_side_are_those_of_a_square_table(frame: Any) -> None:
    table = frame({"water": [5, 1], "land": [2, 6]})
    judged = adjudge.evaluate(table, kind="classification", indices="accuracy")
    assert (judged["accuracy"], judged.confusion.labels) == (11 / 14, ["land", "water"])


def test_positions_stay_positions() -> None:
    matrix = np.array([[5, 1, 0], [2, 6, 1], [0, 0, 4]])
    tables = pd.DataFrame(matrix), pl.DataFrame(matrix), pd.DataFrame(matrix, index=["x", "y", "z"])
    assert [accuracies(table)[1] for table in tables] == [15 / 19] * 3
    assert accuracies(pd.DataFrame(matrix)[[2, 0, 1]]) == [15 / 19] * 2
    assert Contingency.from_matrix(pd.DataFrame(matrix[:2])).col_labels == range(3)


def test_names_that_differ_are_no_positions() -> None:
    coded = pd.crosstab(TRUE, PREDICTED.map(CODES))
    with pytest.raises(
        InputError, match="labels such as 1, but none of the labels of labels_true, such as 'crop'"
    ):
        adjudge.accuracy(coded)
    assert adjudge.adjusted_rand(coded) == adjudge.adjusted_rand(TRUE, PREDICTED)


@pytest.mark.parametrize("judged", [adjudge.accuracy, adjudge.adjusted_rand, adjudge.evaluate])
def test_totals_are_no_class(judged: Any) -> None:
    whole = pd.crosstab(TRUE, PREDICTED, margins=True)
    for table, where in (
        (whole, "row 'All' and column 'All'"),
        (whole.iloc[:-1], "column 'All'"),
        (whole.iloc[:, :-1], "row 'All'"),
        (pd.crosstab(TRUE, PREDICTED, margins=True, margins_name="Summe"), "row 'Summe' and column 'Summe'"),
        (pl.from_pandas(whole.reset_index()), "row 'All' and column 'All'"),
    ):
        with pytest.raises(
            InputError, match=f"the sums of all others in its {where}: leave such totals out$"
        ):
            judged(table)


def test_two_rows_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match=r"has two rows called 'a': add them up$"):
        adjudge.accuracy(TABLE.set_axis(["a", "a", "water"]))
