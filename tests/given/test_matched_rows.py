"""Rows of two tables with the same key: whatever order, types and holes the keys have."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge import InputError
from adjudge.errors import InputTypeError
from adjudge.given.matched_rows import match_rows
from conftest import raises_line

CALLED = ("the old table", "the new table")


def matched(first: Any, second: Any, **options: Any) -> Any:
    return match_rows("id", first, second, CALLED, **options)


CONTAINERS: dict[str, Any] = {
    "list": list,
    "numpy": np.array,
    "pandas": pd.Series,
    "pandas with another index": lambda v: pd.Series(v, index=range(5, 5 + len(v))),
    "categorical": lambda v: pd.Series(v).astype("category"),
    "polars": pl.Series,
    "pyarrow": lambda v: pa.chunked_array([pa.array(v)]),
}
KEYS: dict[str, Any] = {
    "integers": lambda n: n,
    "negative": lambda n: -n,
    "large": lambda n: 2**62 + n,
    "text": lambda n: f"k{n}",
    "digits": str,
    "floats": lambda n: n + 0.5,
    "dates": lambda n: datetime.date(2020, 1, 1) + datetime.timedelta(n),
}


@pytest.mark.full(keep=15)
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", KEYS)
def test_partners_have_the_same_key(kind: str, container: str) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.permutation(50).tolist(), rng.permutation(50).tolist()
    make, key = CONTAINERS[container], KEYS[kind]
    found = matched(make([key(n) for n in first]), make([key(n) for n in second]))
    assert found.first.tolist() == list(range(50))
    assert [second[i] for i in found.second] == first
    assert (found.only_first, found.only_second) == (0, 0)


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("container", CONTAINERS)
def test_rows_without_a_partner_are_an_error_or_left_out_and_counted(container: str) -> None:
    make = CONTAINERS[container]
    one, other = make(["a", "b", "c", "d"]), make(["d", "x", "b"])
    found = matched(one, other, drop=True)
    assert found.first.tolist() == [1, 3]
    assert found.second.tolist() == [2, 0]
    assert (found.only_first, found.only_second) == (2, 1)
    with raises_line(
        InputError,
        "2 keys of the old table are not in the new table, such as 'a': add the rows, or leave such rows out with "
        "missing='drop'",
    ):
        matched(one, other)
    with pytest.raises(InputError, match=r"^1 key of the new table is not in the old table, such as 'x'"):
        matched(make(["d", "b"]), other)


@pytest.mark.parametrize("drop", [False, True])
def test_keys_that_repeat_or_are_missing_are_named(drop: bool) -> None:
    with raises_line(InputError, "key 'id' is repeated in the new table: 2 occurs 3 times"):
        matched([1, 2, 3], [2, 3, 2, 1, 2], drop=drop)
    with raises_line(InputError, "key 'id' is repeated in the old table: 'a' occurs 2 times"):
        matched(["a", "a"], ["a", "b"], drop=drop)
    for hole in (pd.Series(["a", None]), pl.Series(["a", None]), pd.Series(["a", np.nan]), ["a", None]):
        with raises_line(InputError, "key 'id' is missing in 1 row of the new table: give every row a key"):
            matched(["a", "b"], hole, drop=drop)
    with raises_line(InputError, "key 'id' is missing in 2 rows of the old table: give every row a key"):
        matched([1.0, np.nan, np.nan], [1.0, 2.0], drop=drop)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([1, 2], ["1", "2"], ("whole numbers", "text")),
        (["1", "2"], [1, 2], ("text", "whole numbers")),
        ([1, 2], [1.0, 2.0], ("whole numbers", "numbers")),
        ([1.5, 2.5], ["1.5", "2.5"], ("numbers", "text")),
    ],
)
def test_keys_of_other_types_are_named(first: Any, second: Any, words: tuple[str, str]) -> None:
    message = (
        f"key 'id' is {words[0]} in the old table and {words[1]} in the new table: give both the same type"
    )
    for make in (list, pd.Series, pl.Series):
        with raises_line(InputError, message):
            matched(make(first), make(second), drop=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Int32", "UInt64"), ("Int8", "Int64"), ("Float32", "Float64"), ("String", "Categorical")],
)
def test_widths_of_one_type_do_not_matter(one: str, other: str) -> None:
    values: list[Any] = ["1", "2", "3"] if one == "String" else [1, 2, 3]
    first = pl.Series(values).cast(getattr(pl, one))
    second = pl.Series(values[::-1]).cast(getattr(pl, other))
    for pair in ((first, second), (first.to_pandas(), second), (first.to_arrow(), second.to_pandas())):
        assert matched(*pair).second.tolist() == [2, 1, 0]


def test_tables_that_have_no_key_in_common() -> None:
    for drop in (False, True):
        with pytest.raises(InputError, match=r"in common|are not in"):
            matched([1, 2], [3, 4], drop=drop)
    with raises_line(InputError, "the old table and the new table have no value of key 'id' in common"):
        matched([1, 2], [3, 4], drop=True)
    with pytest.raises(InputError, match="in common"):
        matched(np.array([], int), np.array([], int))


def test_keys_that_have_no_hash_are_refused() -> None:
    message = "key 'id' of the old table has lists or the like: text or numbers are needed"
    for bad in (pd.Series([[1], [2]]), pl.Series([[1], [2]]), pd.Series([{1}, {2}])):
        with raises_line(InputTypeError, message):
            matched(bad, bad)


def test_text_is_compared_as_it_stands() -> None:
    found = matched(["a", "A", " a", "é", ""], ["", "é", " a", "A", "a"])
    assert found.second.tolist() == [4, 3, 2, 1, 0]
