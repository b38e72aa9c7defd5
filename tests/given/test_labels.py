"""Label vectors of every kind are coded right, and every error says what is wrong, where, and what to do."""

from __future__ import annotations

import datetime
from array import array
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
import naive
from adjudge import InputError, InputTypeError, parallel
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels
from conftest import raises_line

PLAIN = [3, 3, -2, 7, -2, 3]
COUNTS = [3, 3, 0, 7, 0, 3]
WORDS = ["b", "b", "", "long word", "", "b"]
NOBODY = "none of the {} instances is left: each has a missing label or is noise"
BOOLS = [True, True, False, False, True, False]
DAYS = [datetime.date(2024, 2, d) for d in (29, 29, 1, 3, 1, 29)]


def code(values: Any, **options: Any) -> Labels:
    return align_labels({"labels": values}, LabelOptions(**options)).labels[0]


def decode(labels: Labels) -> list[Any]:
    return [labels.categories[c - labels.low] for c in labels.codes.tolist()]


def apart(values: list[Any], dtype: Any) -> np.ndarray:
    """Not contiguous: every second entry of a larger array."""
    wide = np.zeros(2 * len(values), dtype)
    wide[::2] = values
    return wide[::2]


def read_only(values: list[Any]) -> np.ndarray:
    array = np.array(values)
    array.flags.writeable = False
    return array


KINDS: dict[str, tuple[Any, list[Any]]] = {
    "list": (PLAIN, PLAIN),
    "tuple": (tuple(PLAIN), PLAIN),
    "deque": (deque(PLAIN), PLAIN),
    "array.array": (array("q", PLAIN), PLAIN),
    "dict values": (dict(enumerate(PLAIN)).values(), PLAIN),
    "range": (range(-1, 5), list(range(-1, 5))),
    **{f"{t}": (np.array(PLAIN, t), PLAIN) for t in ("int8", "int16", "int32", "int64")},
    **{f"{t}": (np.array(COUNTS, t), COUNTS) for t in ("uint8", "uint16", "uint32", "uint64")},
    **{f"{t}": (np.array(PLAIN, t), PLAIN) for t in ("float16", "float32", "float64", "longdouble")},
    **{f"big-endian {t}": (np.array(PLAIN, t), PLAIN) for t in (">i2", ">i4", ">i8", ">f4", ">f8")},
    **{f"big-endian {t}": (np.array(COUNTS, t), COUNTS) for t in (">u2", ">u4", ">u8")},
    **{f"apart {t}": (apart(PLAIN, t), PLAIN) for t in ("int8", "int32", "int64", "float64")},
    "apart uint64": (apart(COUNTS, "uint64"), COUNTS),
    "apart text": (apart(WORDS, "U9"), WORDS),
    "reversed": (np.array(PLAIN[::-1])[::-1], PLAIN),
    "read-only": (read_only(PLAIN), PLAIN),
    "column of a matrix": (np.array([PLAIN, COUNTS]).T[:, 0], PLAIN),
    "far negative": (np.array(PLAIN) - 2**62, [x - 2**62 for x in PLAIN]),
    "ends of int64": ([-(2**63), 2**63 - 1, 0], [-(2**63), 2**63 - 1, 0]),
    "wide gaps": ([10**15, -(10**15), 7, 10**15], [10**15, -(10**15), 7, 10**15]),
    "beyond int64": (np.array([2**64 - 1, 1, 2**63, 1], "uint64"), [2**64 - 1, 1, 2**63, 1]),
    "big-endian beyond int64": (np.array([2**64 - 1, 1, 2**63, 1], ">u8"), [2**64 - 1, 1, 2**63, 1]),
    "only beyond int64": (np.array([2**64 - 1, 2**64 - 2], "uint64"), [2**64 - 1, 2**64 - 2]),
    "list beyond uint64": ([2**70, -1, 2**70], [2**70, -1, 2**70]),
    "list from below 0 to beyond int64": ([2**63, -1, 2**63 + 1], [2**63, -1, 2**63 + 1]),
    "beyond any float": ([10**400, 1.0, 10**400], [10**400, 1, 10**400]),
    "ints beyond 2^53 beside a float": ([2**53, 2**53 + 1, 1.0], [2**53, 2**53 + 1, 1.0]),
    "bool": (np.array(BOOLS), BOOLS),
    "list of bool": (BOOLS, BOOLS),
    "all True": (np.array([True, True]), [True, True]),
    "all False": (np.array([False, False]), [False, False]),
    "str": (np.array(WORDS), WORDS),
    "big-endian str": (np.array(WORDS, ">U9"), WORDS),
    "list of str": (WORDS, WORDS),
    "empty str": (np.array(["", ""]), ["", ""]),
    "str of no width": (np.ndarray((2,), "U0"), ["", ""]),
    "coded before": (align_labels({"labels": WORDS}).labels[0], WORDS),
    "unicode": (["é", "e", "日本", "é"], ["é", "e", "日本", "é"]),
    "bytes": (np.array([w.encode() for w in WORDS]), [w.encode() for w in WORDS]),
    "bytes of 8": (
        np.array([b"abcdefgh", b"abcdefgi", b"abcdefgh"]),
        [b"abcdefgh", b"abcdefgi", b"abcdefgh"],
    ),
    "list of bytes": ([w.encode() for w in WORDS], [w.encode() for w in WORDS]),
    **(
        {"StringDType": (np.array(WORDS, np.dtypes.StringDType()), WORDS)}
        if hasattr(np.dtypes, "StringDType")  # NumPy 2
        else {}
    ),
    "objects": (np.array(WORDS, object), WORDS),
    "objects, whole floats": (np.array([1.0, 2, 1], object), [1.0, 2, 1]),
    "numbers and text": ([1, "a", 1, "2"], [1, "a", 1, "2"]),
    "tuples in an object array": (np.array([(0, 1), None, (0, 1)], object)[[0, 2]], [(0, 1), (0, 1)]),
    "np.str_": ([np.str_(w) for w in WORDS], WORDS),
    "np.int64 scalars": ([np.int64(x) for x in PLAIN], PLAIN),
    "np.float64 scalars": ([np.float64(x) for x in PLAIN], PLAIN),
    "np.bool scalars": ([np.bool_(x) for x in BOOLS], BOOLS),
    "Decimal": ([Decimal(x) for x in PLAIN], PLAIN),
    "dates": (DAYS, DAYS),
    "datetime64[D]": (np.array(DAYS, "M8[D]"), DAYS),
    "masked, none": (np.ma.array(PLAIN, mask=False), PLAIN),
    "pandas int64": (pd.Series(PLAIN), PLAIN),
    "pandas Int64": (pd.Series(PLAIN, dtype="Int64"), PLAIN),
    "pandas float": (pd.Series(PLAIN, dtype="float64"), PLAIN),
    "pandas Float64": (pd.Series(PLAIN, dtype="Float64"), PLAIN),
    "pandas str": (pd.Series(WORDS), WORDS),
    "pandas string": (pd.Series(WORDS, dtype="string"), WORDS),
    "pandas object": (pd.Series(WORDS, dtype=object), WORDS),
    "pandas mixed": (pd.Series([1, "a", 1], dtype=object), [1, "a", 1]),
    "pandas bool": (pd.Series(BOOLS), BOOLS),
    "pandas boolean": (pd.Series(BOOLS, dtype="boolean"), BOOLS),
    "pandas category": (pd.Series(WORDS, dtype="category"), WORDS),
    "pandas category of int": (pd.Series(PLAIN, dtype="category"), PLAIN),
    "pandas unused category": (pd.Series(pd.Categorical(["x", "y"], ["z", "y", "x"])), ["x", "y"]),
    "pandas Categorical": (pd.Categorical(WORDS), WORDS),
    "pandas Index": (pd.Index(PLAIN), PLAIN),
    "pandas Index of str": (pd.Index(WORDS), WORDS),
    "pandas ExtensionArray": (pd.array(PLAIN, dtype="Int64"), PLAIN),
    "pandas dates": (pd.Series(pd.to_datetime(DAYS)), [pd.Timestamp(d) for d in DAYS]),
    "pandas arrow": (pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string())), WORDS),
    "pandas index not 0..n": (pd.Series(PLAIN, index=[5, 4, 3, 2, 1, 0]), PLAIN),
    "polars int": (pl.Series(PLAIN), PLAIN),
    "polars int8": (pl.Series(PLAIN, dtype=pl.Int8), PLAIN),
    "polars uint64": (pl.Series([2**64 - 1, 0], dtype=pl.UInt64), [2**64 - 1, 0]),
    "polars float": (pl.Series(PLAIN, dtype=pl.Float64), PLAIN),
    "polars bool": (pl.Series(BOOLS), BOOLS),
    "polars str": (pl.Series(WORDS), WORDS),
    "polars Categorical": (pl.Series(WORDS, dtype=pl.Categorical), WORDS),
    "polars Enum": (pl.Series(WORDS, dtype=pl.Enum(["long word", "", "b", "unused"])), WORDS),
    "polars dates": (pl.Series(DAYS), DAYS),
    "polars sliced": (pl.Series([9, *PLAIN, 9]).slice(1, 6), PLAIN),
    "arrow int": (pa.array(PLAIN), PLAIN),
    "arrow float": (pa.array([float(x) for x in PLAIN]), PLAIN),
    "arrow bool": (pa.array(BOOLS), BOOLS),
    "arrow str": (pa.array(WORDS), WORDS),
    "arrow large str": (pa.array(WORDS, pa.large_string()), WORDS),
    "arrow dictionary": (pa.array(WORDS).dictionary_encode(), WORDS),
    "arrow chunks": (pa.chunked_array([PLAIN[:2], PLAIN[2:]]), PLAIN),
    "arrow chunks of dictionaries": (
        pa.chunked_array([pa.array(WORDS[:2]).dictionary_encode(), pa.array(WORDS[2:]).dictionary_encode()]),
        WORDS,
    ),
    "arrow dates": (pa.array(DAYS), DAYS),
    "narwhals of pandas": (nw.from_native(pd.Series(WORDS), series_only=True), WORDS),
    "narwhals of polars": (nw.from_native(pl.Series(PLAIN), series_only=True), PLAIN),
    "narwhals of arrow": (nw.from_native(pa.chunked_array([WORDS]), series_only=True), WORDS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_kind(kind: str) -> None:
    values, expected = KINDS[kind]
    labels = code(values)
    assert decode(labels) == expected
    assert len(labels) == len(expected)
    assert labels.codes.dtype.kind in "iu"
    assert len(labels.categories) == labels.n_codes
    assert labels.low <= labels.codes.min()
    assert labels.codes.max() < labels.low + labels.n_codes
    codes, categories = labels.dense()
    assert sorted(set(codes.tolist())) == list(range(len(categories)))
    assert [categories[c] for c in codes.tolist()] == expected
    truth = [expected.index(x) for x in expected]
    assert adjudge.adjusted_rand(truth, values) == 1
    given = list(labels.categories)
    if kind in ("numbers and text", "pandas mixed"):  # by type, then as text
        assert given == sorted(given, key=lambda x: (type(x).__name__, str(x)))
    else:
        assert given == sorted(given)


def test_generator() -> None:
    assert decode(code(x for x in PLAIN)) == PLAIN


def test_memory_map(tmp_path: Path) -> None:
    np.array(PLAIN).tofile(tmp_path / "labels")
    for mode in ("r", "r+"):
        assert decode(code(np.memmap(tmp_path / "labels", np.int64, mode))) == PLAIN


def test_array_interface() -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return np.array(PLAIN, dtype)

    assert decode(code(Tensor())) == PLAIN


@pytest.mark.parametrize("wrap", [lambda array: array, lambda array: pa.chunked_array([array])])
def test_codes_of_a_dictionary_are_not_copied(wrap: Callable[[Any], Any]) -> None:
    dictionary = pa.array(["a", "b", "c"] * 10).dictionary_encode()
    coded = code_labels(wrap(dictionary), "labels")
    assert np.shares_memory(coded.codes, dictionary.indices.to_numpy())


def test_missing_codes_of_a_dictionary_stay_narrow() -> None:
    indices = pa.array([0, None, 1, 0], pa.int8())
    coded = code_labels(pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"])), "labels")
    assert coded.codes.dtype == np.int8
    assert coded.missing is not None
    assert coded.missing.tolist() == [False, True, False, False]


def test_small_integers_are_not_copied() -> None:
    values = np.array(PLAIN)
    assert code(values).codes is values
    assert isinstance(code(values).categories, range)


def test_numbers_equal_in_python_are_one_label() -> None:
    assert code([1, 1.0, True]).dense()[1] == [1]
    assert code(np.array([1, 1.0, True], object)).n_codes == 1


def test_text_and_numbers_stay_apart() -> None:
    assert code([1, "noise", 1.0, b"1", True]).n_codes == 3
    assert code([True, "1", False, "True"]).n_codes == 4


@pytest.mark.parametrize("number", [1, 1.0, np.int8(1), np.float64(1), Decimal(1)])
@pytest.mark.parametrize("make", [list, lambda x: np.array(x, object), lambda x: pd.Series(x, dtype=object)])
def test_a_number_beside_the_same_number_as_text(number: Any, make: Any) -> None:
    with raises_line(
        InputError,
        "labels has the number 1 at position 2 and the text '1' at position 3: make all labels numbers, or all text",
    ):
        code(make(["a", 2, number, "1", "1", number]))


@pytest.mark.full
@pytest.mark.parametrize("make", [np.array, list, lambda x: np.array([f"label {i}" for i in x.tolist()])])
def test_many_distinct_labels(make: Any, rng: np.random.Generator) -> None:
    n = 1_000_000 if make is np.array else 100_000
    distinct = rng.integers(-(2**62), 2**62, n)
    order = np.concatenate([np.arange(n), rng.permutation(n)])
    labels = code(make(distinct[order]))
    assert labels.n_codes == np.unique(distinct).size
    first, again = labels.codes[:n], labels.codes[n:]
    assert np.array_equal(first[order[n:]], again)
    assert list(labels.categories) == sorted(labels.categories)


def test_long_text_that_differs_in_the_last_letter() -> None:
    words = ["x" * 1000 + end for end in "abcab"]
    assert code(np.array(words)).codes.tolist() == [0, 1, 2, 0, 1]


@pytest.mark.parametrize("n_spans", [1, 2, 7])
def test_threads_do_not_matter(
    n_spans: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = rng.integers(-5, 900, 10_001)
    values[-1] = -77  # the smallest is in the last part
    values[0] = 2000
    monkeypatch.setattr(parallel, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(parallel, "n_cores", lambda: n_spans)
    assert len(parallel.spans(10_001)) == n_spans
    labels = code(values)
    assert (labels.low, labels.n_codes) == (-77, 2078)
    assert decode(labels) == values.tolist()


def test_spans_cover_everything_once() -> None:
    for n in (0, 1, 5, 17):
        for parts in (1, 2, 7):
            pieces = parallel.spans(n, parts)
            assert len(pieces) == parts
            assert [i for piece in pieces for i in range(n)[piece]] == list(range(n))
    assert len(parallel.spans(parallel.WORTH_A_THREAD - 1)) == 1


# --- missing labels ---------------------------------------------------------------------------------------------

NAN = float("nan")
WITH_MISSING: dict[str, Any] = {
    "list, None": [5, None, 7, None, 5],
    "list, nan": [5, NAN, 7, NAN, 5],
    "list, NA": [5, pd.NA, 7, pd.NA, 5],
    "list, NaT": [5, pd.NaT, 7, np.datetime64("NaT"), 5],
    "text": ["a", None, "b", NAN, "a"],
    "float array": np.array([5, NAN, 7, NAN, 5]),
    "object array": np.array([5, None, 7, NAN, 5], object),
    "masked": np.ma.array([5, 1, 7, 1, 5], mask=[0, 1, 0, 1, 0]),
    "masked and nan": np.ma.array([5, 1, 7, NAN, 5], mask=[0, 1, 0, 0, 0]),
    "masked text": np.ma.array(["a", "x", "b", "y", "a"], mask=[0, 1, 0, 1, 0]),
    "datetime64[D]": np.array(["2024-01-01", "NaT", "2024-01-02", "NaT", "2024-01-01"], "M8[D]"),
    "datetime64[ns]": np.array(["2024-01-01", "NaT", "2024-01-02", "NaT", "2024-01-01"], "M8[ns]"),
    "pandas float": pd.Series([5, NAN, 7, NAN, 5]),
    "pandas Int64": pd.Series([5, None, 7, None, 5], dtype="Int64"),
    "pandas Float64": pd.Series([5, None, 7, None, 5], dtype="Float64"),
    "pandas boolean": pd.Series([True, None, False, None, True], dtype="boolean"),
    "pandas str": pd.Series(["a", None, "b", NAN, "a"]),
    "pandas string": pd.Series(["a", None, "b", None, "a"], dtype="string"),
    "pandas category": pd.Series(["a", None, "b", None, "a"], dtype="category"),
    "pandas Categorical": pd.Categorical(["a", None, "b", None, "a"]),
    "pandas dates": pd.Series(pd.to_datetime(["2024-01-01", None, "2024-01-02", None, "2024-01-01"])),
    "polars int": pl.Series([5, None, 7, None, 5]),
    "polars float": pl.Series([5.0, None, 7.0, NAN, 5.0]),
    "polars str": pl.Series(["a", None, "b", None, "a"]),
    "polars Categorical": pl.Series(["a", None, "b", None, "a"], dtype=pl.Categorical),
    "polars bool": pl.Series([True, None, False, None, True]),
    "polars dates": pl.Series([DAYS[0], None, DAYS[2], None, DAYS[0]]),
    "arrow int": pa.array([5, None, 7, None, 5]),
    "arrow float": pa.array([5.0, None, 7.0, NAN, 5.0]),
    "arrow nan": pa.array([5.0, NAN, 7.0, NAN, 5.0]),
    "arrow str": pa.array(["a", None, "b", None, "a"]),
    "arrow bool": pa.array([True, None, False, None, True]),
    "arrow dictionary": pa.array(["a", None, "b", None, "a"]).dictionary_encode(),
    "arrow dictionary with a null value": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 1, 0]), pa.array(["a", None, "b"])
    ),
    "arrow chunks": pa.chunked_array([[5, None], [7, None, 5]]),
}


@pytest.mark.parametrize("kind", WITH_MISSING)
def test_missing_labels(kind: str) -> None:
    values = WITH_MISSING[kind]
    with raises_line(
        InputError,
        "labels has a missing label at position 1 (2 in all): "
        "fill it in, or pass missing='drop' to leave such instances out",
    ):
        code(values)
    aligned = align_labels({"labels": values}, LabelOptions(missing="drop"))
    assert aligned.kept is not None
    assert aligned.kept.tolist() == [0, 2, 4]
    assert aligned.n_given == 5
    codes, categories = aligned.labels[0].dense()
    assert codes.tolist() in ([0, 1, 0], [1, 0, 1])
    assert len(categories) == 2
    assert adjudge.adjusted_rand(values, [1, 5, 0, 6, 1], missing="drop") == 1


ALL_MISSING: dict[str, Any] = {
    "list": [None, None],
    "floats": np.array([NAN, NAN]),
    "masked": np.ma.array([1, 2], mask=True),
    "pandas": pd.Series([None, None], dtype="Int64"),
    "pandas category": pd.Series([None, None], dtype="category"),
    "polars": pl.Series([None, None]),
    "polars int": pl.Series([None, None], dtype=pl.Int64),
    "polars str": pl.Series([None, None], dtype=pl.String),
    "arrow": pa.nulls(2),
    "arrow int": pa.array([None, None], pa.int64()),
}


@pytest.mark.parametrize("kind", ALL_MISSING)
def test_all_missing(kind: str) -> None:
    with pytest.raises(InputError, match=r"^labels has a missing label at position 0 \(2 in all\)"):
        code(ALL_MISSING[kind])
    with raises_line(InputError, NOBODY.format(2)):
        code(ALL_MISSING[kind], missing="drop")


def test_dropping_in_any_vector_drops_in_all() -> None:
    vectors = {"a": [1, None, 3, 4], "b": ["x", "y", None, "x"], "c": [0, 0, 0, -1]}
    aligned = align_labels(vectors, LabelOptions(missing="drop", noise="drop"))
    assert aligned.kept is not None
    assert aligned.kept.tolist() == [0]
    assert [decode(labels) for labels in aligned.labels] == [[1], ["x"], [0]]


def test_nothing_is_dropped_without_cause() -> None:
    assert align_labels({"a": [1, 2], "b": [3, 4]}, LabelOptions(missing="drop", noise="drop")).kept is None


# --- noise ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "noise_label"),
    [
        ([0, -1, 0, 1, -1], -1),
        (np.array([0, -1, 0, 1, -1], "int8"), -1),
        (np.array([0, -1, 0, 1, -1], "float64"), -1),
        (pd.Series([0, -1, 0, 1, -1], dtype="category"), -1),
        (pl.Series([0, -1, 0, 1, -1]), -1),
        (["a", "noise", "a", "b", "noise"], "noise"),
        (pa.array(["a", "noise", "a", "b", "noise"]), "noise"),
        ([10**15, -(10**15), 10**15, 5, -(10**15)], -(10**15)),
        ([0, 7, 0, 1, 7], 7.0),
    ],
)
def test_noise(values: Any, noise_label: Any) -> None:
    options = {"noise_label": noise_label}
    assert code(values, **options).dense()[0].tolist() in ([1, 0, 1, 2, 0], [0, 2, 0, 1, 2], [2, 0, 2, 1, 0])
    alone = code(values, noise="singletons", **options)
    assert len(set(alone.codes.tolist())) == 4
    assert alone.codes[0] == alone.codes[2]
    assert len(alone.categories) == alone.n_codes
    assert [alone.categories[alone.codes[i]] for i in (1, 4)] == ["noise 1", "noise 4"]
    dropped = align_labels({"labels": values}, LabelOptions(noise="drop", **options))
    assert dropped.kept is not None
    assert dropped.kept.tolist() == [0, 2, 3]
    assert len(dropped.labels[0].dense()[1]) == 2


@pytest.mark.parametrize("absent", [-1, "noise", 2.5, None, [3], NAN, np.array([0, 1])], ids=repr)
@pytest.mark.parametrize("values", [[0, 1, 1], ["a", "b", "a"], [10**15, 0, 1]])
def test_noise_label_that_does_not_occur(values: list[Any], absent: Any) -> None:
    for noise in ("singletons", "drop"):
        assert decode(code(values, noise=noise, noise_label=absent)) == values


def test_only_noise() -> None:
    with raises_line(InputError, NOBODY.format(2)):
        code([-1, -1], noise="drop")
    assert code([-1, -1], noise="singletons").dense()[0].tolist() == [0, 1]


# --- against the definition -------------------------------------------------------------------------------------

LABELS = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.sampled_from([-(10**12), 10**12, 2**63, -(2**63)]),
    st.sampled_from(["a", "b", ""]),
    st.sampled_from([b"a", b""]),
)


@given(st.lists(LABELS, min_size=1, max_size=12), st.sampled_from(["cluster", "singletons", "drop"]))
def test_lists_of_anything(values: list[Any], noise: str) -> None:
    (expected,), kept = naive.prepare([values], noise=noise)
    if not kept:
        with raises_line(InputError, NOBODY.format(len(values))):
            code(values, missing="drop", noise=noise)
        return
    aligned = align_labels({"labels": values}, LabelOptions(missing="drop", noise=noise))
    assert (list(range(len(values))) if aligned.kept is None else aligned.kept.tolist()) == kept
    codes = aligned.labels[0].codes.tolist()
    assert naive.pair_counts(codes, expected)[1:3] == (0, 0)


@given(
    st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=20),
    st.sampled_from(["int64", "uint64", ">i8", ">u8", "int32"]),
)
def test_integers_of_any_size(values: list[int], dtype: str) -> None:
    array = np.array([v % 2**32 for v in values] if dtype == "int32" else values, object)
    with np.errstate(all="ignore"):
        array = np.array([int(v) % 2**64 for v in array], "uint64").astype(dtype)
    assert decode(code(array)) == array.tolist()


# --- errors: the whole line -------------------------------------------------------------------------------------

SCORES = "labels name groups; round scores or probabilities to classes first"
POINTS = "pass points as X= and their labels as labels="
OR_POINTS = "pass one column of it, or points as X= and their labels as labels="
SEQUENCE = "give a sequence of labels"
ONE_DIMENSION = "labels must be one-dimensional"
HASHABLE = f"{ONE_DIMENSION}, and each label a number, text or another hashable value"

EMPTY = "labels is empty: at least one label is needed"
OF_RECORDS = "[('f0', '<i4'), ('f1', '<i4')]"


def no_dtype(dtype: str) -> str:
    return f"labels has dtype {dtype}: labels are integers, text, booleans or categories"


def score(value: str, place: int) -> str:
    return f"labels has {value} at position {place}, which is not a whole number: {SCORES}"


def infinite(value: str, place: int) -> str:
    return f"labels has {value} at position {place}, which is infinite: {SCORES}"


BAD_TYPES: dict[str, tuple[Any, str]] = {
    "None": (None, f"labels is a NoneType: {SEQUENCE}"),
    "str": ("abc", f"labels is the text 'abc': {SEQUENCE}, one for each instance"),
    "bytes": (b"abc", f"labels is a bytes: {SEQUENCE}"),
    "dict": ({0: 1}, f"labels is a dict: {SEQUENCE}"),
    "set": ({0, 1}, f"labels is a set: {SEQUENCE}"),
    "frozenset": (frozenset({0}), f"labels is a frozenset: {SEQUENCE}"),
    "number": (3, f"labels is an int: {SEQUENCE}"),
    "object": (object(), f"labels is an object: {SEQUENCE}"),
    "complex": (np.array([1j]), no_dtype("complex128")),
    "records": (np.zeros(2, "i4,i4"), no_dtype(OF_RECORDS)),
}
TWO_COLUMNS = {"a": [1, 2], "b": [1, 2]}
BAD: dict[str, tuple[Any, str]] = {
    "nested list": ([[0], [1, 2]], f"labels is nested: {ONE_DIMENSION}"),
    "nested tuples": ([(0, 1), (1, 2)], f"labels is nested: {ONE_DIMENSION}"),
    "nested arrays": ([np.array([0, 1])], f"labels is nested: {ONE_DIMENSION}"),
    "matrix": (np.zeros((2, 3)), f"labels has shape (2, 3), as points have: {POINTS}"),
    "0-d": (np.array(3), f"labels has shape (): {ONE_DIMENSION}"),
    "empty": ([], EMPTY),
    "empty array": (np.array([]), EMPTY),
    "empty pandas": (pd.Series([], dtype="Int64"), EMPTY),
    "empty polars": (pl.Series([], dtype=pl.String), EMPTY),
    "empty arrow": (pa.array([], pa.string()), EMPTY),
    "scores": ([0.0, 1.5], score("1.5", 1)),
    "scores after a gap": (np.array([NAN, 2, 0.25]), score("0.25", 2)),
    "scores, float32": (np.array([0.5], "float32"), score("0.5", 0)),
    "infinite": ([0.0, float("inf")], infinite("inf", 1)),
    "minus infinite": (np.array([-np.inf, NAN]), infinite("-inf", 0)),
    "huge": (np.array([0, 1e300]), f"labels has 1e+300 at position 1, which is too large: {SCORES}"),
    "score among objects": (np.array(["a", 0.5], object), score("0.5", 1)),
    "infinity among objects": (["a", np.float32("inf")], infinite("inf", 1)),
    "pandas scores": (pd.Series([1, 0.5]), score("0.5", 1)),
    "pandas nullable scores": (pd.Series([None, 1, 0.5], dtype="Float64"), score("0.5", 2)),
    "polars scores": (pl.Series([1.0, None, 0.5]), score("0.5", 2)),
    "arrow scores": (pa.array([1.0, None, 0.5]), score("0.5", 2)),
    "unhashable": ([1, {2: 3}], f"labels has a dict at position 1: {HASHABLE}"),
    "lists in an object array": (
        np.array([None, [1], [1, 2]], object),
        f"labels has a list at position 1: {HASHABLE}",
    ),
    "polars lists": (pl.Series([[1], [2]]), f"labels has a list at position 0: {HASHABLE}"),
    "arrow lists": (pa.array([[1], [2]]), f"labels is nested: {ONE_DIMENSION}"),
    "pandas frame": (pd.DataFrame(TWO_COLUMNS), f"labels is a DataFrame of shape (2, 2): {OR_POINTS}"),
    "polars frame": (pl.DataFrame(TWO_COLUMNS), f"labels is a DataFrame of shape (2, 2): {OR_POINTS}"),
    "arrow table": (pa.table(TWO_COLUMNS), f"labels is a Table of shape (2, 2): {OR_POINTS}"),
}


@pytest.mark.parametrize("kind", [*BAD, *BAD_TYPES])
def test_errors(kind: str) -> None:
    values, message = (BAD | BAD_TYPES)[kind]
    error = InputError if kind in BAD else InputTypeError
    assert issubclass(error, adjudge.AdjudgeError)
    with raises_line(error, message):
        code(values)


def test_error_of_lengths() -> None:
    with raises_line(
        InputError, "labels_pred has 149 entries, labels_true has 150: they must have the same length"
    ):
        adjudge.rand([0] * 150, [0] * 149)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "skip"}, "missing='skip' is not known: choose one of 'raise', 'drop'"),
        ({"noise": "ignore"}, "noise='ignore' is not known: choose one of 'cluster', 'singletons', 'drop'"),
        ({"missing": None}, "missing=None is not known: choose one of 'raise', 'drop'"),
    ],
)
def test_error_of_options(options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        adjudge.rand([0, 1], [0, 1], **options)


def test_errors_name_the_vector() -> None:
    with pytest.raises(InputError, match=r"^labels_pred has 0\.5 at position 1"):
        adjudge.rand([0, 1], [0, 0.5])
    with pytest.raises(InputError, match=r"^kmeans has a missing label at position 0"):
        adjudge.compare([0, 1], {"kmeans": [None, 1]}, kind="clustering")


def test_noise_and_missing_labels_are_decided_for_each_vector() -> None:
    vectors = {"labels_true": [0, -1, 1, None], "labels_pred": [-1, 0, 0, 1]}
    options = LabelOptions(missing={"labels_true": "drop"}, noise={"labels_true": "drop"})
    aligned = align_labels(vectors, options)
    assert aligned.kept is not None
    assert aligned.kept.tolist() == [0, 2]
    assert [decode(labels) for labels in aligned.labels] == [[0, 1], [-1, 0]]
    scattered = align_labels(
        {"labels_true": [0, -1, -1], "labels_pred": [0, -1, -1]},
        LabelOptions(noise={"labels_pred": "singletons"}),
    )
    assert [np.unique(labels.codes).size for labels in scattered.labels] == [2, 3]
    with raises_line(
        InputError,
        "noise names 'truth', which is not a label vector: choose from 'labels_true', 'labels_pred'",
    ):
        align_labels(vectors, LabelOptions(noise={"truth": "drop"}))
    with raises_line(
        InputError, "noise['labels_true']='omit' is not known: choose one of 'cluster', 'singletons', 'drop'"
    ):
        LabelOptions(noise={"labels_true": "omit"})


def test_text_labels_carry_the_label_of_noise_as_text() -> None:
    assert adjudge.rand(["a", "b", "-1"], ["x", "y", "y"], noise="drop") == 1.0
    assert adjudge.rand([0, 1, -1], [0, 1, 1], noise="drop") == 1.0
    assert adjudge.rand(["a", "b", "-1"], ["x", "y", "y"]) == pytest.approx(2 / 3)


def test_labels_that_are_coded_keep_what_is_missing() -> None:
    labels = code_labels(["a", None, "b"], "labels")
    assert labels.missing is not None
    assert labels.missing.tolist() == [False, True, False]
    with pytest.raises(InputError, match="labels has a missing label at position 1"):
        align_labels({"labels": labels})
    left = align_labels({"labels": labels}, LabelOptions(missing="drop")).labels[0]
    assert decode(left) == ["a", "b"]
    assert left.missing is None
    assert code_labels(labels, "labels") is labels


def test_series_with_one_index_in_two_orders_are_refused() -> None:
    truth = pd.Series(["a", "a", "b"], index=[10, 11, 12])
    shuffled = pd.Series([1, 0, 0], index=[12, 10, 11])
    message = (
        "labels_pred and labels_true have the same index in different orders: sort them alike, for instance with "
        "labels_pred.loc[labels_true.index], or pass .to_numpy() to compare them by position"
    )
    for judge in (adjudge.rand, adjudge.evaluate):
        with raises_line(InputError, message):
            judge(truth, shuffled)
    assert adjudge.rand(truth, shuffled.loc[truth.index]) == 1.0


@pytest.mark.parametrize("first", [range(4), [0, 1, 2, 3]])
def test_ranges_of_rows_that_overlap_are_refused(first: Any) -> None:
    truth, later = pd.Series([0, 0, 1, 1], index=first), pd.Series([0, 0, 1, 1], index=range(2, 6))
    message = (
        "labels_pred and labels_true share only 2 of 4 entries of their indexes: choose the same rows with .loc, "
        "or pass .to_numpy() to pair them by position"
    )
    with raises_line(InputError, message):
        adjudge.rand(truth, later)
    assert adjudge.rand(truth, later.to_numpy()) == 1.0
    assert adjudge.rand(truth.loc[[2, 3]], later.loc[[2, 3]]) == 1.0


@pytest.mark.parametrize(
    "index", [[7, 2, 9], [2, 5, 6], [3, 4, 5], ["a", "b", "c"], [(0, 1), (0, 2), (1, 1)], [0.5, 1.0, 2.5]]
)
def test_predictions_without_names_are_paired_by_position(index: Any) -> None:
    truth = pd.Series(["a", "a", "b"], index=index)
    assert adjudge.rand(truth, pd.Series([0, 0, 1])) == 1.0
    assert adjudge.rand(pd.Series([0, 0, 1]), truth) == 1.0


def test_every_two_indexes_are_looked_at() -> None:
    # That of the truth says nothing of the rows of either model.
    truth, rows = pd.Series([0, 0, 1]), [7, 2, 9]
    models = {"p": pd.Series([0, 1, 1], index=rows), "q": pd.Series([0, 1, 1], index=[2, 7, 9])}
    with pytest.raises(InputError, match="q and p have the same index in different orders"):
        adjudge.compare(truth, models, kind="classification")


def test_scalars_of_numpy_in_a_list_are_shown_as_labels_of_python() -> None:
    for labels, plain in (([np.str_("a"), np.str_("b")], ["a", "b"]), ([np.int64(3), "x"], [3, "x"])):
        assert [*map(repr, code_labels(labels, "labels").categories)] == [*map(repr, plain)]
    with pytest.raises(adjudge.InputError, match=r"labels such as 'c', .* such as 'a'"):
        adjudge.accuracy([np.str_("a"), np.str_("b")], np.array(["c", "d"], object))


@pytest.mark.parametrize(
    "truth",
    [
        np.array([0.0, 1.0, 1.0]),
        [0.0, 1.0, 1.0],
        list(np.array([0.0, 1.0, 1.0])),
        pd.Series([0.0, 1.0, 1.0], dtype="Float64"),
        pa.array([0.0, 1.0, 1.0]),
        pa.array([0.0, 1.0, 1.0, None]),
        pd.Series([0.0, 1.0, 1.0, None]),
        pl.Series([0.0, 1.0, 1.0, None]),
        pd.Series([0.0, 1.0, 1.0, None], dtype=object),
    ],
    ids=lambda own: f"{type(own).__module__}, {len(own)}",
)
def test_whole_floats_are_named_as_whole_numbers(truth: Any) -> None:
    found = adjudge.evaluate(truth, truth, kind="classification", missing="drop")
    assert [*map(repr, found.confusion.labels)] == ["0", "1"]


SHARES = np.array([0.13, 0.87, 0.42, 0.66] * 5)
IS_TRUE = np.array([0, 1, 0, 1] * 5)
TABLE = pd.DataFrame({"truth": IS_TRUE, "one": SHARES, "two": SHARES[::-1]})
AS_PROBABILITIES = ", or pass probabilities as probabilities="
NUMBERS = ", or pass kind='regression' if models give numbers"


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (lambda **more: adjudge.evaluate(IS_TRUE, SHARES, **more), {}),
        (lambda **more: adjudge.evaluate(TABLE, truth="truth", pred="one", **more), {}),
        (lambda **more: adjudge.compare(IS_TRUE, {"one": SHARES, "two": SHARES}, **more), {}),
        (lambda **more: adjudge.compare(TABLE, ["one", "two"], truth="truth", **more), {}),
        (lambda **more: adjudge.gate(IS_TRUE, SHARES, SHARES, **more), {}),
        (lambda **more: adjudge.gate(TABLE, "one", "two", truth="truth", **more), {}),
        (lambda **more: adjudge.report(IS_TRUE, {"one": SHARES}, **more), {"without_numbers": True}),
        (
            lambda **more: adjudge.report(TABLE, ["one", "two"], truth="truth", **more),
            {"without_numbers": True},
        ),
    ],
)
def test_labels_between_0_and_1_may_be_probabilities(verb: Any, options: dict[str, bool]) -> None:
    """The message said only to round them."""
    numbers = "" if options else NUMBERS
    with pytest.raises(InputError) as found:
        verb()
    assert str(found.value).endswith(f"{SCORES}{AS_PROBABILITIES}{numbers}")
    with pytest.raises(InputError) as found:
        verb(kind="classification")
    assert str(found.value).endswith(f"{SCORES}{AS_PROBABILITIES}")
    with pytest.raises(InputError) as found:
        verb(kind="clustering")
    assert str(found.value).endswith(SCORES)


def test_labels_that_are_no_probabilities_are_not_called_so() -> None:
    with pytest.raises(InputError) as found:
        adjudge.evaluate(IS_TRUE, SHARES + 1)
    assert str(found.value).endswith(f"{SCORES}{NUMBERS}")


def test_categories_of_polars_that_other_series_have() -> None:
    others = pl.Series([f"other {i}" for i in range(40)], dtype=pl.Categorical)
    series = pl.Series(["b", "other 7", "a", "b"] * 30, dtype=pl.Categorical)
    coded = code_labels(series, "labels")
    assert len(others) == 40
    assert list(coded.categories) == ["a", "b", "other 7"]
    assert list(coded.given()[:4]) == ["b", "other 7", "a", "b"]
