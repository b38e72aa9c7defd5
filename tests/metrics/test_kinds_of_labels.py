"""Label vectors of every kind, in pairs of one kind and of two: all is scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from test_beside_scikit_learn import BASE, OF_LABELS, check, names_of

from adjudge import metrics
from cases import each

pytest.importorskip("sklearn", minversion="1.9")

N = 60
RNG = np.random.default_rng(11)
A, B = RNG.integers(0, 4, N), RNG.integers(0, 3, N)
EIGHTHS = RNG.integers(0, 9, N) / 8
# Not in the order of their codes, of several widths, and not all of ASCII.
WORDS = np.array(["fox", "ant", "ünal", "a much longer name"], object)

Column = Callable[[np.ndarray], Any]


def with_none(words: np.ndarray) -> np.ndarray:
    return np.where(np.arange(N) % 9 == 4, None, words)


#: Kinds of text.
TEXTS: dict[str, Column] = {
    "object": lambda w: w,
    "U": lambda w: w.astype(str),
    "U, every other": lambda w: np.repeat(w.astype(str), 2)[::2],
    "U, the other byte order": lambda w: w.astype(str).astype(">U20"),
    "np.str_ objects": lambda w: np.array([np.str_(x) for x in w], object),
    "list": lambda w: w.tolist(),
    "tuple": lambda w: tuple(w),
    "pandas object": lambda w: pd.Series(w, dtype=object),
    "pandas str": lambda w: pd.Series(w, dtype="str"),
    "pandas string": lambda w: pd.Series(w, dtype="string"),
    "pandas string[pyarrow]": lambda w: pd.Series(w, dtype="string[pyarrow]"),
    "pandas ArrowDtype": lambda w: pd.Series(w, dtype=pd.ArrowDtype(pa.string())),
    "pandas, index": lambda w: pd.Series(w, index=range(N, 0, -1)),
    "pandas Index": lambda w: pd.Index(w),
    "pandas array": lambda w: pd.array(w, dtype="string"),
    "category": lambda w: pd.Series(w, dtype="category"),
    "category, unused": lambda w: pd.Series(pd.Categorical(w, ["zebra", *WORDS, "ape"])),
    "category, ordered": lambda w: pd.Series(pd.Categorical(w, [*WORDS[::-1], "zebra"], ordered=True)),
    "Categorical": lambda w: pd.Categorical(w),
    "pyarrow": lambda w: pa.array(w),
    "pyarrow, large": lambda w: pa.array(w, pa.large_string()),
    "pyarrow, view": lambda w: pa.array(w, pa.string_view()),
    "pyarrow, chunks": lambda w: pa.chunked_array([w[:7], w[7:]]),
    "pyarrow, slice": lambda w: pa.array([*WORDS, *w])[len(WORDS) :],
    "pyarrow, dictionary": lambda w: pa.array(w).dictionary_encode(),
    "polars": lambda w: pl.Series(w.tolist()),
    "polars Categorical": lambda w: pl.Series(w.tolist(), dtype=pl.Categorical),
    "polars Enum": lambda w: pl.Series(w.tolist(), dtype=pl.Enum(["zebra", *WORDS])),
}
#: Kinds of numbers; some are text, or objects, of numbers.
NUMBERS: dict[str, Column] = {
    "int64": lambda v: v,
    "int8": lambda v: v.astype(np.int8),
    "uint8": lambda v: v.astype(np.uint8),
    "uint64": lambda v: v.astype(np.uint64),
    "big endian": lambda v: v.astype(">i4"),
    "bool": lambda v: v > 0,
    "float64": lambda v: v.astype(float),
    "float32": lambda v: v.astype(np.float32),
    "float16": lambda v: v.astype(np.float16),
    "negative zeros": lambda v: -v.astype(float),
    "huge floats": lambda v: v * 1e300,
    "fractions": lambda v: v / 2,
    "a column of a frame": lambda v: pd.DataFrame({"a": v, "b": v, "c": v})["b"],
    "not contiguous": lambda v: np.c_[v, v + 1][:, 0],
    "list": lambda v: v.tolist(),
    "list of floats": lambda v: v.astype(float).tolist(),
    "list of bool": lambda v: (v > 0).tolist(),
    "list of NumPy": lambda v: list(v),
    "list of all": lambda v: [True, 0, 2.0, *v.tolist()[3:]],
    "huge list": lambda v: (v.astype(object) * 10**30).tolist(),
    "objects": lambda v: v.astype(object),
    "NumPy objects": lambda v: np.array([*v, None], object)[:-1],
    "bool objects": lambda v: (v > 0).astype(object),
    "float objects": lambda v: v.astype(float).astype(object),
    "Int64": lambda v: pd.Series(v, dtype="Int64"),
    "Float64": lambda v: pd.Series(v, dtype="Float64"),
    "boolean": lambda v: pd.Series(v > 0, dtype="boolean"),
    "pandas floats": lambda v: pd.Series(v, dtype=float),
    "pandas bool": lambda v: pd.Series(v > 0),
    "pandas objects": lambda v: pd.Series(v, dtype=object),
    "pandas sparse": lambda v: pd.Series(pd.arrays.SparseArray(v)),
    "category of numbers": lambda v: pd.Series(v, dtype="category"),
    "pyarrow": lambda v: pa.array(v),
    "pyarrow floats": lambda v: pa.array(v.astype(float)),
    "pyarrow bool": lambda v: pa.array(v > 0),
    "polars": lambda v: pl.Series(v),
    "polars bool": lambda v: pl.Series(v > 0),
    "text of numbers": lambda v: v.astype(str),
    "complex": lambda v: v * 1j,
}
#: What has a fault, or seems to have one.
FAULTS: dict[str, Column] = {
    "bytes": lambda w: np.char.encode(w.astype(str), "utf-8"),
    "objects of bytes": lambda w: np.char.encode(w.astype(str), "utf-8").astype(object),
    "None": with_none,
    "nan": lambda w: np.where(np.arange(N) % 9 == 4, np.nan, w),
    "None first": lambda w: np.array([None, *w[1:]], object),
    "list with None": lambda w: with_none(w).tolist(),
    "pandas str with nan": lambda w: pd.Series(with_none(w), dtype="str"),
    "pandas string with NA": lambda w: pd.Series(with_none(w), dtype="string"),
    "category with nan": lambda w: pd.Series(with_none(w), dtype="category"),
    "pyarrow with null": lambda w: pa.array(with_none(w)),
    "polars with null": lambda w: pl.Series(with_none(w).tolist()),
    "integers among text": lambda w: np.array([3, *w[1:]], object),
    "text, then integers": lambda w: np.array([*w[1:], 3], object),
    "list of text and integers": lambda w: [*w[1:].tolist(), 3],
    "list of text and truth": lambda w: [*w[1:].tolist(), True],
    "list with a zero at the end": lambda w: [*["fox\0"] * 9, *w[9:].tolist()],
    "column": lambda w: w[:, None],
    "column of a frame": lambda w: pd.DataFrame({"a": w}),
    "two columns": lambda w: np.c_[w, w],
    "lists in a list": lambda w: [[x] for x in w],
    "tuples": lambda w: pd.Series([(x,) for x in w]),
    "all one": lambda w: w[:1].repeat(N),
    "empty text": lambda w: np.full(N, ""),
    "empty": lambda w: w[:0],
    "empty arrays": lambda w: pd.Series([], dtype="str"),
    "too short": lambda w: w[:-1],
}  # fmt: skip
#: Those that scikit-learn may fail on in its own way, deep within.
SHORT = (
    "adjusted_rand_score",
    "contingency_matrix",
    "accuracy_score",
    "confusion_matrix",
    "classification_report",
)


def compare(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], what: str) -> None:
    try:
        check(name, args, kwargs, what)
    except AssertionError as difference:
        raise AssertionError(f"{name}, {what}, {kwargs!r}: {difference}") from None


def options(name: str) -> list[dict[str, Any]]:
    base = BASE.get(name, {})
    if name in ("precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score"):
        return [base, base | {"average": "macro"}, base | {"average": None, "labels": ["fox", "ant", "owl"]}]
    if name in ("confusion_matrix", "cohen_kappa_score"):
        return [base, base | {"labels": ["fox", "ant", "owl"], "sample_weight": EIGHTHS}]
    return [base]


@each("name", OF_LABELS, keep=6)
@each("kind", [*TEXTS, *FAULTS], keep=6)
def test_text(name: str, kind: str) -> None:
    column = (TEXTS | FAULTS)[kind]
    for given in options(name):
        compare(name, (column(WORDS[A]), column(WORDS[B])), given, kind)
    compare(name, (column(WORDS[A % 2]), column(WORDS[B % 2])), options(name)[0] | positive(name), kind)


def positive(name: str) -> dict[str, Any]:
    binary = ("precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score")
    return {"pos_label": "fox"} if name in binary else {}


@each("name", OF_LABELS, keep=6)
@each("kind", NUMBERS, keep=6)
def test_numbers(name: str, kind: str) -> None:
    for v, w in ((A, B), (A % 2, B % 2)):
        for given in options(name):
            compare(name, (NUMBERS[kind](v), NUMBERS[kind](w)), given, kind)


@each("name", SHORT, keep=3)
@each("kind", [*TEXTS, *FAULTS], keep=4)
def test_two_kinds(name: str, kind: str) -> None:
    column = (TEXTS | FAULTS)[kind]
    for other in ("category", "list", "pyarrow", "object"):
        compare(name, (column(WORDS[A]), TEXTS[other](WORDS[B])), {}, f"{kind} and {other}")
        compare(name, (TEXTS[other](WORDS[B]), column(WORDS[A])), {}, f"{other} and {kind}")
    for other in ("int64", "text of numbers", "objects"):
        compare(name, (column(WORDS[A]), NUMBERS[other](B)), {}, f"{kind} and {other}")


@each("name", SHORT, keep=2)
@each("kind", NUMBERS, keep=2)
def test_two_kinds_of_numbers(name: str, kind: str) -> None:
    for other in ("int64", "uint8", "float32", "bool", "list", "text of numbers", "objects", "float64"):
        compare(name, (NUMBERS[kind](A), NUMBERS[other](B)), {}, f"{kind} and {other}")
        compare(name, (NUMBERS[other](B), NUMBERS[kind](A)), {}, f"{other} and {kind}")
        # Whole numbers and truth values are the same classes if there are two.
        compare(name, (NUMBERS[kind](A % 2), NUMBERS[other](B % 2)), {}, f"two of {kind} and {other}")
        compare(name, (NUMBERS[other](B % 2), NUMBERS[kind](A % 2)), {}, f"two of {other} and {kind}")


SCORES = RNG.random(N).round(2)
P = RNG.dirichlet([1, 1, 1], N)
SORTED = ["a much longer name", "ant", "fox"]


def forecasts() -> dict[str, tuple[np.ndarray, Any, dict[str, Any]]]:
    """Numbers of texts, scores or probabilities, and options."""
    two, three = A % 2, B
    return {
        "two": (two, SCORES, {}),
        "two, positive": (two, SCORES, {"pos_label": "fox"}),
        "two, the first is positive": (two, SCORES, {"pos_label": "ant"}),
        "two, no such class": (two, SCORES, {"pos_label": "owl"}),
        "two, a number is positive": (two, SCORES, {"pos_label": 1}),
        "two, weights": (two, SCORES, {"pos_label": "fox", "sample_weight": EIGHTHS}),
        "two, weights only": (two, SCORES, {"sample_weight": EIGHTHS}),
        "two, float32": (two, SCORES.astype(np.float32), {"pos_label": "fox"}),
        "two, scores of a frame": (two, pd.Series(SCORES), {"pos_label": "fox"}),
        "two, too few scores": (two, SCORES[:-1], {"pos_label": "fox"}),
        "two, no number": (two, np.where(two == 1, np.nan, SCORES), {"pos_label": "fox"}),
        "two, a part": (two, SCORES, {"max_fpr": 0.3}),
        "two columns": (two, P[:, :2] / P[:, :2].sum(axis=1, keepdims=True), {}),
        "two of three columns": (two, P, {}),
        "three, positive": (three, SCORES, {"pos_label": "fox"}),
        "three": (three, P, {}),
        "three, a vector": (three, SCORES, {}),
        "three, k": (three, P, {"k": 1}),
        "three, ovr": (three, P, {"multi_class": "ovr"}),
        "three, ovo": (three, P, {"multi_class": "ovo"}),
        "three, weights": (three, P, {"sample_weight": EIGHTHS}),
        "one": (A * 0, SCORES, {"pos_label": "fox"}),
        "one, columns": (A * 0, P[:, :2], {}),
        "four": (A, P, {}),
    } | {
        f"{what}, {option}": (v, P, {"labels": labels} | more)
        for what, v in (("three", three * 1), ("two", two), ("four", A))
        for option, labels in {
            "labels": ["ant", "fox", "ünal"],
            "labels as an array": np.array(["ant", "fox", "ünal"]),
            "others": SORTED,
            "unsorted": ["fox", "ant", "ünal"],
            "twice": ["ant", "ant", "fox"],
            "too few": ["ant", "fox"],
            "numbers": [0, 1, 2],
            "one": ["fox"],
        }.items()
        for more in ({}, {"multi_class": "ovr"})
    }


FORECASTS = forecasts()


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("case", FORECASTS)
def test_forecasts_of_text(case: str) -> None:
    numbers, second, given = FORECASTS[case]
    for name in names_of("areas", "curves", "losses", "top_k"):
        if name == "auc" or not given.keys() <= signature(getattr(metrics, name)).parameters.keys():
            continue
        for kind in ("object", "U", "list", "category", "pyarrow", "pyarrow, chunks", "polars", "pandas str"):
            compare(name, (TEXTS[kind](WORDS[numbers]), second), given, kind)


@pytest.mark.full(keep=12)
@pytest.mark.parametrize("kind", [*FAULTS])
def test_forecasts_of_what_has_a_fault(kind: str) -> None:
    for name in names_of("areas", "curves", "losses"):
        if name != "auc" and "pos_label" in signature(getattr(metrics, name)).parameters:
            compare(name, (FAULTS[kind](WORDS[A % 2]), SCORES), {"pos_label": "fox"}, kind)


X = RNG.normal(size=(N, 3)) + A[:, None]


# Of these scikit-learn warns in its own lines.
COLUMNS = ("column", "column of a frame", "lists in a list")


@pytest.mark.full(keep=13)
@pytest.mark.parametrize("kind", [kind for kind in (*TEXTS, *FAULTS) if kind not in COLUMNS])
def test_points_with_text(kind: str) -> None:
    labels = (TEXTS | FAULTS)[kind](WORDS[A])
    for name in names_of("points"):
        for given in (X, X.tolist(), X[:-1], np.where(X > 1, np.nan, X)):
            compare(name, (given, labels), {}, kind)
    compare("silhouette_score", (X, labels), {"sample_size": 40, "random_state": 3}, kind)


@pytest.mark.full(keep=14)
@pytest.mark.parametrize("kind", NUMBERS)
def test_points_with_numbers(kind: str) -> None:
    for name in names_of("points"):
        for given in (X, pd.DataFrame(X)):
            compare(name, (given, NUMBERS[kind](A)), {}, kind)


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("place", [0, 1])
def test_what_a_mask_hides_is_not_counted(name: str, place: int) -> None:
    vectors: list[Any] = [A, B]
    given = list(signature(getattr(metrics, name)).parameters)[place]
    vectors[place] = np.ma.array(vectors[place])
    check(name, tuple(vectors), {}, "nothing is masked")
    vectors[place][[3, 5]] = np.ma.masked
    with pytest.raises(ValueError, match=f"^{given} has 2 masked values: leave these instances out, or fill"):
        getattr(metrics, name)(*vectors)


def test_times_that_are_missing_are_named() -> None:
    days = A.astype("datetime64[D]")
    check("accuracy_score", (days, days[::-1]), {}, "days")
    days[7] = "NaT"
    with pytest.raises(ValueError, match=r"^Labels contain NaT, at position 7: fill it in, or drop it\.$"):
        metrics.accuracy_score(days, days)
