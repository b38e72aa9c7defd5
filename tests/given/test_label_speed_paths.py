"""Labels that are many take shorter ways, to the same codes."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from adjudge import adjusted_rand, evaluate
from adjudge.errors import InputError
from adjudge.given.labels import code_labels
from adjudge.statistics import Contingency
from adjudge.statistics.counting import loop_blocks

N = 120_000
NUMBERS = np.random.default_rng(0).integers(-3, 40, N)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_floats(dtype: Any) -> None:
    coded = code_labels(NUMBERS.astype(dtype), "labels")
    assert coded.missing is None
    codes, labels = coded.dense()
    assert (np.array(labels)[codes] == NUMBERS).all()
    lost = NUMBERS.astype(dtype)
    lost[[5, N - 1]] = np.nan
    again = code_labels(lost, "labels")
    assert again.missing is not None
    assert np.flatnonzero(again.missing).tolist() == [5, N - 1]
    for bad, words in ((0.5, "not a whole number"), (np.inf, "infinite"), (1e19, "too large")):
        lost[N - 2] = bad
        with pytest.raises(InputError, match=f"at position {N - 2}, which is {words}"):
            code_labels(lost, "labels")


@pytest.mark.parametrize("kind", ["Categorical", "Enum"])
def test_categories_that_are_left_without_rows(kind: str) -> None:
    pl = pytest.importorskip("polars")
    names = ["z", "b", "yy", "a"]
    series = pl.Series(names, dtype=pl.Categorical if kind == "Categorical" else pl.Enum(names))
    assert code_labels(series.filter(pl.Series(names) == "b"), "labels").dense()[1] == ["b"]


def test_an_enum_in_order_is_its_own_codes_without_a_copy() -> None:
    pl = pytest.importorskip("polars")
    names = [f"class {i:02}" for i in range(40)]
    series = pl.Series(np.array(names)[np.abs(NUMBERS)], dtype=pl.Enum(names))
    coded = code_labels(series, "labels")
    assert np.shares_memory(coded.codes, series.to_physical().to_numpy())
    assert coded.codes.dtype == np.int8
    # Many names of which few occur take no room.
    wide = pl.Series(["1", "0"], dtype=pl.Enum([str(i) for i in range(1000)]))
    assert code_labels(wide, "labels").categories == ["0", "1"]


NARROW = [np.int8, np.uint8, np.int16, np.uint16, np.bool_]
OTHER = np.random.default_rng(1).integers(-100, 28, N)


@pytest.mark.parametrize("dtype", [*NARROW, np.uint32, np.uint64])
def test_integers_are_their_own_codes_without_a_copy(dtype: Any) -> None:
    labels = (np.abs(NUMBERS) % (2 if dtype is np.bool_ else 120)).astype(dtype)
    coded = code_labels(labels, "labels")
    assert np.shares_memory(coded.codes, labels)
    assert list(coded.categories) == ([False, True] if dtype is np.bool_ else list(range(40)))


@pytest.mark.parametrize("n", [1000, N])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.float32])
def test_the_whole_range_of_a_narrow_type(n: int, dtype: Any) -> None:
    # Differences of an int8 from its smallest value do not fit an int8.
    truth, prediction = OTHER[:n].copy(), (OTHER[:n] // 9 * 9)[::-1].copy()
    truth[:2], prediction[:2] = (-128, 127), (127, -128)
    wide, narrow = (Contingency.from_labels(truth.astype(t), prediction.astype(t)) for t in (np.int64, dtype))
    assert (wide.to_array() == narrow.to_array()).all()
    assert list(wide.row_labels) == list(narrow.row_labels)
    judged = [
        evaluate(truth.astype(t), prediction.astype(t), kind="classification") for t in (np.int64, dtype)
    ]
    assert judged[0].values == judged[1].values


@pytest.mark.parametrize("dtype", NARROW)
def test_counting_narrow_labels_takes_no_memory_of_their_number(dtype: Any) -> None:
    labels = (np.arange(2_000_000) % 2).astype(dtype)
    adjusted_rand(labels, labels)
    tracemalloc.start()
    adjusted_rand(labels, labels)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < labels.size


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("largest", [126, 130, 70_000, 2**33])
def test_whole_floats_become_the_narrowest_codes(dtype: Any, largest: int) -> None:
    if dtype is np.float32 and largest > 2**24:
        pytest.skip("not every such number is a float32")
    numbers = np.random.default_rng(2).integers(-3, 120, N)
    numbers[N - 5] = largest
    coded = code_labels(numbers.astype(dtype), "labels")
    codes, labels = coded.dense()
    assert (np.array(labels)[codes] == numbers).all()
    assert coded.codes.dtype == (np.int8 if largest < 128 or largest > 2 * N else np.int32)


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("more", [0, 100, 3000])
@pytest.mark.parametrize("dtype", ["U4", "S3", "S4", "S6", "S8", "U6"])
def test_text_is_coded_in_several_parts(dtype: str, more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Long enough for two threads; a label that only the second part has comes first, and it alone may have so many
    # that their numbers need a wider type.
    monkeypatch.setattr("adjudge.parallel.n_cores", lambda: 2)
    many = 500_000
    numbers = np.random.default_rng(3).integers(10, 99, many)
    numbers[many - 3] = 1
    if more:
        numbers[-20_000:] = np.arange(20_000) % more % 900
        numbers[many - 4 - more : many - 4] = np.arange(more)
    text = (numbers % 1000 if dtype == "S3" else numbers).astype(dtype)
    coded = code_labels(text, "labels")
    assert (np.array(coded.categories)[coded.codes] == text).all()
    assert coded.categories == sorted(set(text.tolist()))


def test_text_whose_last_letters_differ_is_spread_as_well() -> None:
    # Read as one number of 64 bits, such text differs only in the highest ones.
    letters = np.arange(60_000) % 676
    ends = np.stack([97 + letters // 26, 97 + letters % 26], axis=1).astype(np.uint8)
    same = np.full((len(letters), 6), 97, np.uint8)
    last, first = (
        np.ascontiguousarray(np.hstack(x)).view("S8").ravel() for x in ((same, ends), (ends, same))
    )

    def seconds(text: Any) -> float:
        start = time.thread_time()
        assert code_labels(text, "labels").n_codes == 676
        return time.thread_time() - start

    seconds(first)
    assert min(seconds(last) for _ in range(5)) < 4 * min(seconds(first) for _ in range(5))


SMALL_TYPES = [
    bool,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.float32,
    np.float64,
]


@pytest.mark.full(keep=40)
@pytest.mark.parametrize("second", SMALL_TYPES)
@pytest.mark.parametrize("first", SMALL_TYPES)
def test_labels_of_any_two_types_are_counted_alike(first: Any, second: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, N), rng.integers(0, 2, N)
    for kind, x in ((first, a), (second, b)):
        # The largest of an unsigned type does not fit the signed one of the same width.
        x[x == 1] = {bool: 1, np.uint8: 200, np.uint16: 60_000}.get(kind, 7)
    expected = np.array([[np.sum((a == i) & (b == j)) for j in np.unique(b)] for i in np.unique(a)])
    found = Contingency.from_labels(a.astype(first), b.astype(second))
    assert np.array_equal(found.to_array(), expected)


@pytest.mark.parametrize("dtype", NARROW)
def test_labels_of_one_byte_are_read_as_they_are_and_other_narrow_ones_widened(dtype: Any) -> None:
    a, b = (code_labels((np.arange(N) % k).astype(dtype), "labels").codes for k in (5, 7))
    if np.dtype(dtype).itemsize == 1:
        [(x, y)] = loop_blocks(slice(0, N), a, b)
        assert np.shares_memory(x, a)
        assert np.shares_memory(y, b)
        assert {x.dtype, y.dtype} == {np.dtype(np.int8)}
    else:
        assert {c.dtype for some in loop_blocks(slice(0, N), a, b) for c in some} == {np.dtype(np.int32)}
    parts = list(loop_blocks(slice(0, N), a, b.astype(np.int64)))
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([x for x, _ in parts]), a)
