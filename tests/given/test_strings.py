"""Strings of Arrow, Polars and pandas are read where they lie: the labels are those of a dictionary of Python's."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge import adjusted_rand
from adjudge.given import labels
from adjudge.given.labels import Labels, code_labels
from cases import each

N = 12_345

WORDS: dict[str, list[str]] = {
    "one": ["a"],
    "short": ["", "a", "b", "ab", "abcdefgh", "bcdefgh", "\x01", "\x00b"],
    "of eight bytes": [f"class {i:02}" for i in range(12)],
    "of one byte": ["a", "b", "\x00", "z"],
    "of three bytes": ["abc", "ab\x00", "\x00bc", "\x00\x00\x00", "日"],
    "of four bytes": ["abcd", "abc\x00", "ab\x00\x00", "é\x00z", "éé"],
    "of six bytes": [f"{i:06}" for i in range(300)],
    "of seven bytes": [f"class {i}" for i in range(10)],
    "of one length until the end": [*["abcd"] * 400, "abc"],
    "of twelve bytes": [f"of class {i:03}" for i in range(120)],
    "longer than a view": ["", "x", *(f"{i} in a label of some length" for i in range(40))],
    "long in the end": [*"abc"] * 300 + ["abcdefghijk" * i for i in range(1, 6)],
    "not ASCII": ["ä", "ß", "日本語", "日本", "𝄞", "é" * 7, "z", "~", "a\u0301"],
    "many": [f"{i * 7919:06}" for i in range(3000)],
    "many and long": [f"a label that is number {i * 7919:06}" for i in range(3000)],
    "very long": ["a" * 70, "b" * 700, "c"],
    "ending in a zero": ["a", "a\x00", "a\x00\x00", "", "\x00"],
    "like a null": ["\U0010ffff" * 2, "a"],
}


def sliced(array: Any) -> Any:
    return array.slice(3, len(array) - 7)


def in_chunks(array: Any) -> Any:
    ends = [0, 1, 1, 5000, 9000, len(array)]
    return pa.chunked_array([array.slice(a, b - a) for a, b in pairwise(ends)])


KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "string": lambda values: pa.array(values, pa.string()),
    "large string": lambda values: pa.array(values, pa.large_string()),
    "string view": lambda values: pa.array(values, pa.string_view()),
    "sliced string": lambda values: sliced(pa.array(values, pa.string())),
    "sliced string view": lambda values: sliced(pa.array(values, pa.string_view())),
    "string in chunks": lambda values: in_chunks(pa.array(values, pa.string())),
    "string view in chunks": lambda values: in_chunks(pa.array(values, pa.string_view())),
    "dictionary": lambda values: pa.array(values, pa.string()).dictionary_encode(),
    "Polars": lambda values: pl.Series(values, dtype=pl.String),
    "Polars, sliced": lambda values: pl.Series(values, dtype=pl.String).slice(5, 11_000),
    "Polars in chunks": lambda values: pl.concat(
        [pl.Series(values[:70]), pl.Series(values[70:])], rechunk=False
    ),
    "pandas": lambda values: pd.Series(values, dtype="str"),
    "pandas, sliced": lambda values: pd.Series(values, dtype="string")[10:],
    "pandas, Arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
    "pandas index": lambda values: pd.Index(values, dtype="str"),
}


def as_list(series: Any) -> list[Any]:
    values = series.to_pylist() if isinstance(series, (pa.Array, pa.ChunkedArray)) else list(series)
    return [value if isinstance(value, str) else None for value in values]


def check(coded: Labels, expected: list[Any]) -> None:
    known = sorted({value for value in expected if value is not None})
    missing = np.array([value is None for value in expected])
    assert list(coded.categories[: len(known)]) == known
    found = np.asarray(coded.categories, object)[coded.codes.astype(int) - coded.low]
    assert found[~missing].tolist() == [value for value in expected if value is not None]
    assert (coded.missing is None) == (not missing.any())
    if coded.missing is not None:
        np.testing.assert_array_equal(coded.missing, missing)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut labels into four parts."""
    monkeypatch.setattr("adjudge.parallel.n_cores", lambda: 4)
    monkeypatch.setattr("adjudge.parallel.WORTH_A_THREAD", 2000)


@pytest.mark.usefixtures("threads")
@each("nulls", [0.0, 0.1], keep=2)
@each("kind", KINDS, keep=4)
@each("words", WORDS, keep=4)
def test_strings_are_coded_as_a_dictionary_codes_them(words: str, kind: str, nulls: float) -> None:
    rng = np.random.default_rng(1)
    drawn = np.asarray(WORDS[words], object)[rng.integers(0, len(WORDS[words]), N)]
    if words == "long in the end":
        drawn[: N - 300] = "b"
    if words == "of one length until the end":
        drawn[: N - 300] = "abcd"
    drawn[rng.random(N) < nulls] = None
    given = KINDS[kind](drawn.tolist())
    check(code_labels(given, "labels"), as_list(given))


@pytest.mark.parametrize("kind", ["string", "large string", "string view", "Polars", "pandas"])
def test_nothing_but_nulls(kind: str) -> None:
    coded = code_labels(KINDS[kind]([None] * N), "labels")
    assert coded.missing is not None
    assert coded.missing.all()
    assert coded.n_codes == 1


def test_text_without_any_byte() -> None:
    for kind in ("string", "string view", "Polars"):
        check(code_labels(KINDS[kind]([""] * N), "labels"), [""] * N)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["string", "string view", "Polars", "pandas"])
def test_the_text_is_not_copied(kind: str) -> None:
    # pandas and Polars reach Arrow's own code, which takes memory that is not traced, only for other strings.
    values = KINDS[kind](WORDS["of eight bytes"] * 200_000)
    adjusted_rand(values, values)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    coded = code_labels(values, "labels")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert coded.codes.dtype == np.int8
    assert most < 1.6 * len(values)
    assert pa.total_allocated_bytes() == before


def test_polars_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "find_spec", lambda name: None)
    values = WORDS["not ASCII"] * 2000
    check(code_labels(pl.Series(values), "labels"), values)


@pytest.mark.parametrize("kind", ["string", "string view"])
@pytest.mark.usefixtures("threads")
def test_a_zero_behind_a_known_string_makes_another(kind: str) -> None:
    values = ["a label with a zero", "b"] * (N // 2)
    values[-600] += "\x00"
    check(code_labels(KINDS[kind](values), "labels"), values)


@pytest.mark.parametrize("text", ["a", "longer than a view"])
def test_what_the_view_of_a_null_says_is_not_read(text: str) -> None:
    array = pa.array([text, None] * N, pa.string_view())
    valid, views, *buffers = array.buffers()
    garbage = np.frombuffer(views, np.uint64).copy()
    garbage.reshape(-1, 4)[:N, 2:] = np.random.default_rng(0).integers(0, 2**64, (N, 2), np.uint64)
    hostile = pa.Array.from_buffers(array.type, 2 * N, [valid, pa.py_buffer(garbage), *buffers])
    check(code_labels(hostile, "labels"), [text, None] * N)


def test_values_of_one_hash_are_told_apart() -> None:
    multiplier = 0x9E3779B97F4A7C15
    head, tail = 1 << 63, 5
    # The hash adds the head times the multiplier, and the tail times its square.
    alike = [(head, tail), *(((head - i * multiplier) % 2**64, tail + i) for i in (1, 2))]
    values = np.array(alike * 1000, np.uint64).view("S16").ravel()
    coded = code_labels(values, "labels")
    assert coded.categories == sorted(values[:3].tolist())
    assert coded.given().tolist() == values.tolist()


def test_parts_of_other_types_of_codes_are_joined() -> None:
    few, many = ["a", "b"], [f"{i}" for i in range(300)]
    chunks = pa.chunked_array([pa.array(few * 40), pa.array(many), pa.array(["b", "c"])])
    check(code_labels(chunks, "labels"), chunks.to_pylist())
