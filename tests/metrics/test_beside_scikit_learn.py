"""The same calls to both: equal values of the same type, or the same error, and the same warnings."""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from adjudge import metrics
from adjudge.metrics.checks import HOMES
from cases import each

pytest.importorskip("sklearn", minversion="1.9")

Call = tuple[tuple[Any, ...], dict[str, Any]]
RNG = np.random.default_rng(5)
A, B = RNG.integers(0, 4, 60), RNG.integers(0, 3, 60)
WORDS = np.array(["ant", "bee", "cat", "dog"])
# By code point the third comes last, in UTF-16 it would come before the fourth.
WIDE = np.array(["zoo", "éclair", "\N{GRINNING FACE}", "\N{FULLWIDTH TILDE}"])
LONG = np.array([f"{word}, which is a label of more than thirty characters" for word in WORDS])
# Sums of these are exact, in whatever order.
EIGHTHS = RNG.integers(0, 9, 60) / 8
X = RNG.normal(size=(60, 3)) + A[:, None]


def outcome(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, str, list[tuple[type, str]]]:
    """Value or None, error or "", and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value, error = function(*args, **kwargs), ""
        except Exception as problem:
            value, error = None, f"{type(problem).__name__}: {problem}"
    # NumPy's own warnings, of a division by zero, say nothing about the call.
    # Some of scikit-learn's break off in the middle of a sentence.
    said = {(w.category, str(w.message)[:90]) for w in caught if w.category is not RuntimeWarning}
    if function.__module__.startswith("adjudge"):
        strays = {w.filename for w in caught if w.category is not RuntimeWarning} - {__file__}
        assert not strays, f"warnings must name the line that called, not {strays}"
    return value, error, sorted(said, key=str)


def same(ours: Any, theirs: Any, tolerance: float) -> None:
    """Both are of the same type, and equal up to rounding."""
    if isinstance(theirs, float):  # or a scalar of NumPy, where it has slipped through there
        assert isinstance(ours, float)
    else:
        assert type(ours) is type(theirs)
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other, tolerance)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            same(ours[key], theirs[key], tolerance)
    elif isinstance(theirs, str) or theirs is None:
        assert ours == theirs
    elif sparse.issparse(theirs):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.toarray(), theirs.toarray())
    else:
        if isinstance(theirs, np.ndarray):
            assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


# Labels that cannot be sorted, and what is no sequence: which of several faults an error names is up to its function.
NO_LABELS = ("mixed objects", "None", "sets", "nothing", "words", "a number")
# Calls that scikit-learn fails on by accident, with errors from deep within.
ACCIDENTS = (
    "ZeroDivisionError",
    "IndexError",
    "TypeError: '<' not supported",
    "ValueError: y contains previously unseen labels",
    "UFuncTypeError",
    "_UFunc",
)


# What it says comes from SciPy there.
OWN_WORDS = ("contingency_matrix",)


def check(name: str, args: Any, kwargs: Any, pair: str = "") -> None:
    theirs, error, said = outcome(getattr(import_module(HOMES[name]), name), args, kwargs)
    ours, our_error, we_said = outcome(getattr(metrics, name), args, kwargs)
    if error.startswith(ACCIDENTS) or (error and pair in NO_LABELS):
        return
    kind, _, words = error.partition(":")
    our_kind, _, our_words = our_error.partition(":")
    assert our_kind.replace("InputError", "ValueError") == kind
    if (
        pair != "precomputed"
        and not kwargs
        and pair not in ("empty", "empty arrays")
        and name not in OWN_WORDS
    ):
        # With options there may be two faults, of which either may be named.
        assert our_words.split("[")[0] == words.split("[")[0]
    if not error:
        assert we_said == said
        # scikit-learn computes in float32 where it is given that, and takes Euclidean distances from squares.
        single = any(getattr(arg, "dtype", None) == np.float32 for arg in args)
        same(ours, theirs, 3e-6 if single else 1e-8)


def names_of(*modules: str) -> list[str]:
    return [name for module in modules for name in import_module(f"adjudge.metrics.{module}").__all__]


def label_pairs() -> dict[str, tuple[Any, Any]]:
    """Pairs of label vectors of every kind that people bring, and of some that nobody should."""
    mixed = np.array([1, "a", 2.5] * 20, dtype=object)
    return {
        "integers": (A, B),
        "int8": (A.astype(np.int8), B.astype(np.uint8)),
        "negative": (A - 7, B - 1000),
        "far apart": (A * 10**12, B * 10**9),
        "booleans": (A > 1, B > 0),
        "text": (WORDS[A], WORDS[B]),
        "objects": (WORDS[A].astype(object), WORDS[B].astype(object)),
        "whole floats": (A.astype(float), B.astype(np.float32)),
        "lists": (A.tolist(), B.tolist()),
        "lists of text": (WORDS[A].tolist(), WORDS[B].tolist()),
        "tuples": (tuple(A), tuple(B)),
        "pandas": (pd.Series(A), pd.Series(B)),
        "pandas text": (pd.Series(WORDS[A]), pd.Series(WORDS[B])),
        "categories": (pd.Categorical(WORDS[A]), pd.Categorical(WORDS[B])),
        "pandas integers with NA": (pd.Series(A, dtype="Int64"), pd.Series(B, dtype="Int64")),
        "pandas booleans": (pd.Series(A > 1), pd.Series(B > 0)),
        "pandas floats and a list": (pd.Series(A.astype(float)), B.tolist()),
        "pandas objects": (pd.Series(WORDS[A], dtype=object), pd.Series(WORDS[B], dtype=object)),
        "pandas text with NA": (pd.Series(WORDS[A], dtype="string"), pd.Series(WORDS[B], dtype="string")),
        "ordered categories, some unused": (
            pd.Series(pd.Categorical(WORDS[A], ["emu", *WORDS[::-1]], ordered=True)),
            pd.Series(pd.Categorical(WORDS[B], ["dog", "ant", "cat", "bee"])),
        ),
        "categories and a list": (pd.Series(WORDS[A]).astype("category"), WORDS[B].tolist()),
        "categories of integers": (pd.Series(A).astype("category"), pd.Series(B).astype("category")),
        "arrow text": (pa.array(WORDS[A]), pa.chunked_array([WORDS[B[:20]], WORDS[B[20:]]])),
        "arrow dictionaries": (
            pa.array(WORDS[A]).dictionary_encode(),
            pa.array(WORDS[B]).dictionary_encode(),
        ),
        "polars": (pl.Series(A), pl.Series(B.astype(np.int8))),
        "polars text": (pl.Series(WORDS[A].tolist()), WORDS[B]),
        "polars categories": (
            pl.Series(WORDS[A].tolist(), dtype=pl.Categorical),
            pl.Series(WORDS[B].tolist(), dtype=pl.Enum(["dog", "cat", "bee", "ant"])),
        ),
        "polars text with null": (pl.Series([None, *WORDS[A[1:]].tolist()]), pl.Series(WORDS[B].tolist())),
        "tuples of text": (tuple(WORDS[A].tolist()), tuple(WORDS[B].tolist())),
        "long text": (LONG[A].tolist(), LONG[B].astype(object)),
        "text, hardly two of a class": (
            np.array([f"no. {i}" for i in range(60)]),
            [f"no. {i // 2}" for i in range(60)],
        ),
        "text that ends with zeros": (["a", "a\0", "b"] * 20, ["a", "b", "b"] * 20),
        "text beyond ASCII": (pa.array(WIDE[A]), WIDE[B].astype(object)),
        "polars text beyond ASCII": (
            pl.Series(WIDE[A].tolist()),
            pl.Series(WIDE[B].tolist(), dtype=pl.Categorical),
        ),
        "text of few": (["a", "b", "c"], ["c", "b", "d"]),
        "objects of integers": (A.astype(object), B.astype(object)),
        "objects of booleans": ((A > 1).astype(object), (B > 0).astype(object)),
        "lists of booleans": ((A > 1).tolist(), (B > 0).tolist()),
        "lists of floats": (A.astype(float).tolist(), B.tolist()),
        "lists of large integers": ([a * 10**30 for a in A.tolist()], B.tolist()),
        "bytes": (WORDS[A].astype("S"), WORDS[B].astype("S")),
        "text and objects that are not": (WORDS[A].tolist(), ["bee", *B[1:].tolist()]),
        "columns": (A[:, None], B[:, None]),
        "columns of text": (WORDS[A][:, None], WORDS[B].astype(object)[:, None]),
        "two columns": (np.c_[A, A], np.c_[B, B]),
        "fractions": (A + 0.5, B * 0.25),
        "infinite": (np.where(A == 0, np.inf, A), B),
        "not a number": (np.where(A == 0, np.nan, A), B),
        "None": (np.where(A == 0, None, A), B),
        "mixed objects": (mixed, B),
        "text and integers": (WORDS[A], B),
        "different lengths": (A, B[:-1]),
        "empty": ([], []),
        "empty arrays": (np.array([], int), np.array([], int)),
        "one": ([3], [4]),
        "one, equal": ([3], [3]),
        "two, one class each": ([1, 1], [2, 2]),
        "identical": (A, A),
        "one true class": (np.zeros(60, int), B),
        "one predicted class": (A, np.zeros(60, int)),
        "singletons": (np.arange(60), B),
        "both singletons": (np.arange(60), np.arange(60)[::-1]),
        "singletons and one": (np.arange(60), np.zeros(60)),
        "binary": (A > 1, B > 0),
        "binary integers": ((A > 1) * 1, (B > 0) * 1),
        "binary text": (WORDS[(A > 1) * 1], WORDS[(B > 0) * 1]),
        "-1 and 1": ((A > 1) * 2 - 1, (B > 0) * 2 - 1),
        "classes that are never predicted": (A, A % 2),
        "classes that are only predicted": (A % 2, A),
        "nothing in common": (A, A + 10),
        "a matrix": (sparse.csr_matrix(np.c_[A > 1, B > 0]), A),
        "indicators": (np.c_[A > 1, B > 0, A > 5] * 1, np.c_[A > 0, B > 1, B > 1] * 1),
        "sparse indicators": (
            sparse.csr_matrix(np.c_[A > 1, B > 0, A > 5] * 1),
            sparse.csc_array(np.c_[A > 0, B > 1, B > 1] * 1),
        ),
        "a number": (3, 4),
        "nothing": (None, None),
        "words": ("abc", "abd"),
        "sets": ({1, 2}, {1, 2}),
    }


PAIRS = label_pairs()


BASE: dict[str, dict[str, Any]] = {"fbeta_score": {"beta": 0.7}}
# Every option is tried on these, and the defaults on all.
WITH_OPTIONS = (
    "integers", "text", "lists of text", "objects", "whole floats", "binary", "binary text", "-1 and 1", "identical",
    "one true class", "both singletons", "classes that are only predicted", "indicators", "sparse indicators",
    "different lengths", "one, equal",
)  # fmt: skip


def options(name: str) -> Iterator[dict[str, Any]]:
    """Options of a function, one at a time and some together."""
    parameters = inspect.signature(getattr(metrics, name)).parameters
    base = BASE.get(name, {})
    yield base
    choices: dict[str, list[Any]] = {
        "average_method": ["min", "geometric", "max", "median", None],
        "beta": [0, 2.0, -1, "one", np.inf],
        "average": [None, "micro", "macro", "weighted", "samples", "binary", "mean"],
        "normalize": [False, True, "true", "pred", "all", None, 3],
        "labels": [[1, 0], [0, 1, 2, 3, 9], [], ["bee", "ant"], [7], 5],
        "pos_label": [0, "bee", None, 2],
        "zero_division": [0, 1, np.nan, "warn", 7],
        "sample_weight": [
            EIGHTHS,
            np.arange(60) % 3,
            np.zeros(60),
            [1.0] * 60,
            np.ones(59),
            np.full(60, np.nan),
            "heavy",
        ],
        "eps": [0.5, -1],
        "sparse": [True],
        "dtype": [np.float32],
        "weights": ["linear", "quadratic", "cubic"],
        "replace_undefined_by": [0.0, 1.0, {"LR+": 1.0, "LR-": 0.5}, {"LR+": 0.0}],
        "adjusted": [True],
        "samplewise": [True],
        "digits": [4],
        "output_dict": [True],
        "target_names": [["first", "second", "third", "fourth"], ["first"]],
    }
    for option, values in choices.items():
        if option in parameters:
            for value in values:
                yield {**base, option: value}
    if {"average", "sample_weight"} <= parameters.keys():
        for average in (None, "macro", "micro", "weighted", "samples"):
            weighted = {"average": average, "sample_weight": EIGHTHS}
            yield base | weighted
            yield base | weighted | {"zero_division": np.nan, "labels": [2, 1]}


OF_LABELS = [
    name
    for name in names_of("partitions", "classes", "averages", "class_report")
    if name not in ("entropy", "expected_mutual_information")
]


@each("name", OF_LABELS, keep=6)
@each("pair", PAIRS, keep=6)
def test_pairs_of_label_vectors(name: str, pair: str) -> None:
    for given in options(name) if pair in WITH_OPTIONS else [BASE.get(name, {})]:
        try:
            check(name, PAIRS[pair], given, pair)
        except AssertionError as difference:
            raise AssertionError(f"{name}(*{pair!r}, **{given!r}): {difference}") from None


def powers(u: Any, v: Any, power: int) -> float:
    return float((np.abs(u - v) ** power).sum())


def points() -> dict[str, Call]:
    spread = X.copy()
    spread[:10] = spread[0]
    D = np.abs(X[:, None] - X).sum(axis=2)
    crooked = D.copy()
    crooked[2, 3] += 1.0
    return {
        "points": ((X, A), {}),
        "float32": (((X * 4).round().astype(np.float32), A), {}),
        "integers": ((X.round().astype(int), A), {}),
        "lists": ((X.tolist(), A.tolist()), {}),
        "frame": ((pd.DataFrame(X), pd.Series(WORDS[A])), {}),
        "Fortran order": ((np.asfortranarray(X), A), {}),
        "text labels": ((X, WORDS[A]), {}),
        "None among text": ((X, np.where(A == 0, None, WORDS[A].astype(object))), {}),
        "whole floats": ((X, A.astype(float)), {}),
        "one cluster": ((X, np.zeros(60, int)), {}),
        "singletons": ((X, np.arange(60)), {}),
        "some singletons": ((X, np.minimum(np.arange(60), 40)), {}),
        "equal points": ((np.ones((60, 2)), A), {}),
        "points in one place": ((spread, A), {}),
        "clusters in one place": ((np.repeat([[0.0], [1.0], [1.0], [5.0]], 15, axis=0), np.repeat(range(4), 15)), {}),
        "centroids in one place": ((np.tile([[-1.0], [1.0]], (30, 1)), np.repeat([0, 1, 2], 20)), {}),
        "tiny": ((X * 1e-12, A), {}),
        "far away": ((X + 1e3, A), {}),
        "infinite": ((np.where(X > 4, np.inf, X), A), {}),
        "different lengths": ((X, A[:-1]), {}),
        "a vector": ((X[:, 0], A), {}),
        "sparse": ((sparse.csr_matrix(X), A), {}),
        "sparse columns": ((sparse.csc_array(X), A), {}),
        "labels of two columns": ((X, np.c_[A, A]), {}),
        "not a number among labels": ((X, np.where(A == 0, np.nan, A)), {}),
        "precomputed": ((D, A), {"metric": "precomputed"}),
        "precomputed, float32": ((D.astype(np.float32), A), {"metric": "precomputed"}),
        "precomputed, integers": ((D.round().astype(int), A), {"metric": "precomputed"}),
        "precomputed, sparse": ((sparse.csr_matrix(D * (D < 4)), A), {"metric": "precomputed"}),
        "precomputed, not symmetric": ((crooked, A), {"metric": "precomputed"}),
        "precomputed, diagonal": ((D + 0.1, A), {"metric": "precomputed"}),
        "precomputed, not square": ((D[:, :-1], A), {"metric": "precomputed"}),
        "sample": ((X, A), {"sample_size": 30, "random_state": 3}),
        "sample, precomputed": ((D, A), {"sample_size": 30, "random_state": 3, "metric": "precomputed"}),
        "sample, sparse": ((sparse.csr_matrix(X), A), {"sample_size": 30, "random_state": 3}),
        "sample, text": ((X, WORDS[A]), {"sample_size": 30, "random_state": 3}),
        "sample too small": ((X, A), {"sample_size": 1, "random_state": 3}),
        "no sample": ((X, A), {"sample_size": 0}),
        "cityblock": ((X, A), {"metric": "cityblock"}),
        "manhattan, sparse": ((sparse.csr_matrix(X), A), {"metric": "manhattan"}),
        "cosine": ((X, A), {"metric": "cosine"}),
        "cosine, zeros": ((X * (np.arange(len(X)) % 7 > 0)[:, None], A), {"metric": "cosine"}),
        "cosine, sparse": ((sparse.csr_matrix(X), A), {"metric": "cosine"}),
        "minkowski": ((X, A), {"metric": "minkowski", "p": 3}),
        "weighted minkowski": ((X, A), {"metric": "minkowski", "p": 1.5, "w": [1.0, 2.0, 0.5]}),
        "seuclidean": ((X, A), {"metric": "seuclidean"}),
        "seuclidean, V": ((X, A), {"metric": "seuclidean", "V": [1.0, 2.0, 3.0]}),
        "mahalanobis": ((X, A), {"metric": "mahalanobis"}),
        "mahalanobis, VI": ((X, A), {"metric": "mahalanobis", "VI": np.diag([1.0, 2.0, 3.0])}),
        "correlation": ((X, A), {"metric": "correlation"}),
        "canberra": ((X, A), {"metric": "canberra"}),
        "chebyshev": ((X, A), {"metric": "chebyshev"}),
        "sqeuclidean": ((X, A), {"metric": "sqeuclidean"}),
        "hamming": ((X.round(), A), {"metric": "hamming"}),
        "jaccard": ((X > 1, A), {"metric": "jaccard"}),
        "jaccard of floats": ((X.round(), A), {"metric": "jaccard"}),
        "dice": ((np.c_[X > 1, A > -1], A), {"metric": "dice"}),
        "haversine": ((X[:, :2], A), {"metric": "haversine"}),
        "l1": ((X, A), {"metric": "l1"}),
        "l1, float32": ((X.astype(np.float32), A), {"metric": "l1"}),
        "correlation, float32": ((X.astype(np.float32), A), {"metric": "correlation"}),
        "nan_euclidean, float32": ((X.astype(np.float32), A), {"metric": "nan_euclidean"}),
        "l2": ((X, A), {"metric": "l2"}),
        "nan_euclidean": ((X, A), {"metric": "nan_euclidean"}),
        "squared": ((X, A), {"metric": "euclidean", "squared": True}),
        "jobs": ((X, A), {"metric": "euclidean", "n_jobs": 1}),
        "a function": ((X, A), {"metric": lambda u, v: float(np.abs(u - v).max())}),
        "a function with options": ((X, A), {"metric": powers, "power": 3}),
        "unknown metric": ((X, A), {"metric": "crow"}),
        "wrong option": ((X, A), {"metric": "cosine", "p": 3}),
    }  # fmt: skip


POINTS = points()


@pytest.mark.full(keep=31)
@pytest.mark.parametrize("case", POINTS)
def test_points(case: str) -> None:
    args, kwargs = POINTS[case]
    for name in names_of("points"):
        parameters = inspect.signature(getattr(metrics, name)).parameters
        takes_metric = "metric" in parameters
        if not takes_metric and kwargs:
            continue
        if "sample_size" in kwargs and "sample_size" not in parameters:
            continue
        check(name, args, kwargs, "precomputed" if "not square" in case else "")


def test_distances_that_are_none_are_refused() -> None:
    """Under Dice two points of nothing but False have no distance; scikit-learn gives every point a width of 0."""
    nothing = np.zeros((6, 2), bool)
    assert metrics.silhouette_score(np.c_[nothing, [0, 0, 0, 1, 1, 1]], [0, 0, 0, 1, 1, 1]) == 1.0
    with pytest.raises(ValueError, match=r"metric='dice' gives nan for the points \d and \d"):
        metrics.silhouette_score(nothing, [0, 0, 0, 1, 1, 1], metric="dice")


@pytest.mark.parametrize(
    "name", ["accuracy_score", "f1_score", "roc_auc_score", "log_loss", "brier_score_loss"]
)
def test_negative_weights_are_refused(name: str) -> None:
    """scikit-learn computes with them, and what comes out is no share of anything."""
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0 at position 0: a weight is at least 0"):
        getattr(metrics, name)([0, 1, 1, 0], [0, 1, 0, 1], sample_weight=[-1.0, 2.0, 1.0, 1.0])


def forecasts() -> dict[str, Call]:
    """A truth, and scores or probabilities, of every kind that people bring."""
    y = (A > 1) * 1
    score = RNG.random(60).round(2)
    three = A.clip(0, 2)
    P = RNG.dirichlet([1, 1, 1], 60)
    ties = P.round(1)
    ties[:, 2] = 1 - ties[:, 0] - ties[:, 1]
    indicators = np.c_[A > 1, B > 0, A > 0] * 1
    return {
        "probabilities": ((y, score), {}),
        "float32": ((y, score.astype(np.float32)), {}),
        "lists": ((y.tolist(), score.tolist()), {}),
        "frames": ((pd.Series(y), pd.Series(score)), {}),
        "booleans": ((y > 0, score), {}),
        "-1 and 1": ((y * 2 - 1, score), {}),
        "whole floats": ((y.astype(float), score), {}),
        "text": ((WORDS[y], score), {}),
        "text, positive": ((WORDS[y], score), {"pos_label": "bee"}),
        "objects": ((WORDS[y].astype(object), score), {"pos_label": "ant"}),
        "list of text": ((WORDS[y].tolist(), score.tolist()), {"pos_label": "ant"}),
        "long text": ((LONG[y].tolist(), score), {"pos_label": LONG[0]}),
        "pandas text": ((pd.Series(WORDS[y]), pd.Series(score)), {"pos_label": "bee"}),
        "categories": ((pd.Series(WORDS[y]).astype("category"), score), {"pos_label": "bee"}),
        "arrow text": ((pa.array(WORDS[y]), score), {"pos_label": "bee"}),
        "polars text": ((pl.Series(WORDS[y].tolist()), pl.Series(score)), {"pos_label": "bee"}),
        "objects, no such class": ((WORDS[y].astype(object), score), {"pos_label": "cat"}),
        "objects, no class named": ((WORDS[y].astype(object), score), {}),
        "objects of one class": ((WORDS[y * 0].astype(object), score), {"pos_label": "ant"}),
        "objects with None": ((np.where(A == 0, None, WORDS[y].astype(object)), score), {"pos_label": "ant"}),
        "pandas weights": ((pd.Series(y), pd.Series(score)), {"sample_weight": pd.Series(EIGHTHS)}),
        "other numbers": ((y + 3, score), {}),
        "other numbers, positive": ((y + 3, score), {"pos_label": 4}),
        "the first is positive": ((y, score), {"pos_label": 0}),
        "no such class": ((y, score), {"pos_label": 7}),
        "three classes, one positive": ((three, score), {"pos_label": 2}),
        "three classes": ((three, score), {}),
        "one class": ((np.ones(60, int), score), {}),
        "one class, negative": ((np.zeros(60, int), score), {}),
        "margins": ((y, (score - 0.5) * 7), {}),
        "whole scores": ((y, (score * 10).astype(int)), {}),
        "equal scores": ((y, np.full(60, 0.5)), {}),
        "certain": ((y, y.astype(float)), {}),
        "certain and wrong": ((y, 1.0 - y), {}),
        "infinite": ((y, np.where(score > 0.9, np.inf, score)), {}),
        "not a number": ((y, np.where(score > 0.9, np.nan, score)), {}),
        "different lengths": ((y, score[:-1]), {}),
        "empty": (([], []), {}),
        "a column": ((y, score[:, None]), {}),
        "two columns": ((y, np.c_[1 - score, score]), {}),
        "two columns, no probabilities": ((y, np.c_[1 - score, score] * 0.8), {}),
        "two columns, no probabilities, weights": ((y, np.c_[1 - score, score] * 0.8), {"sample_weight": EIGHTHS}),
        "two columns, one class": ((np.ones(60, int), np.c_[1 - score, score]), {}),
        "impossible without weight": ((y, np.where(A == 3, 0.0, 0.5)), {"sample_weight": (A < 3) * 1.0}),
        "weights": ((y, score), {"sample_weight": EIGHTHS}),
        "whole weights": ((y, score), {"sample_weight": np.arange(60) % 3}),
        "weights of one class": ((y, score), {"sample_weight": y}),
        "all kept": ((y, score), {"drop_intermediate": False}),
        "dropped": ((y, score), {"drop_intermediate": True}),
        "part": ((y, score), {"max_fpr": 0.3}),
        "whole": ((y, score), {"max_fpr": 1.0}),
        "no part": ((y, score), {"max_fpr": 0.0}),
        "classes": ((three, P), {}),
        "classes, float32": ((three, P.astype(np.float32)), {}),
        "classes, ties": ((three, ties), {"k": 1}),
        "classes, k": ((three, P), {"k": 1}),
        "classes, all": ((three, P), {"k": 3}),
        "classes, number": ((three, P), {"normalize": False}),
        "classes, weights": ((three, P), {"sample_weight": EIGHTHS}),
        "classes, number, weights": ((three, P), {"sample_weight": EIGHTHS, "normalize": False}),
        "classes of text": ((WORDS[three], P), {}),
        "classes of objects": ((WORDS[three].astype(object), P), {}),
        "classes of categories": ((pd.Series(WORDS[three]).astype("category"), pd.DataFrame(P)), {}),
        "classes, labels": ((three, P), {"labels": [0, 1, 2]}),
        "classes, labels of text": ((WORDS[three], P), {"labels": ["ant", "bee", "cat"]}),
        "classes, unsorted": ((three, P), {"labels": [2, 1, 0]}),
        "classes, twice": ((three, P), {"labels": [0, 1, 1]}),
        "classes that do not occur": ((y, P), {"labels": [0, 1, 2]}),
        "classes, too few labels": ((three, P), {"labels": [0, 1]}),
        "classes, too many": ((A, P), {}),
        "two of three columns": ((y, P), {}),
        "rest": ((three, P), {"multi_class": "ovr"}),
        "rest, weighted": ((three, P), {"multi_class": "ovr", "average": "weighted"}),
        "rest, each": ((three, P), {"multi_class": "ovr", "average": None}),
        "rest, micro": ((three, P), {"multi_class": "ovr", "average": "micro"}),
        "rest, samples": ((three, P), {"multi_class": "ovr", "average": "samples"}),
        "rest, instances weigh": ((three, P), {"multi_class": "ovr", "sample_weight": EIGHTHS}),
        "rest, partial": ((three, P), {"multi_class": "ovr", "max_fpr": 0.5}),
        "each other": ((three, P), {"multi_class": "ovo"}),
        "each other, weighted": ((three, P), {"multi_class": "ovo", "average": "weighted"}),
        "each other, each": ((three, P), {"multi_class": "ovo", "average": None}),
        "each other, instances weigh": ((three, P), {"multi_class": "ovo", "sample_weight": EIGHTHS}),
        "each other, text": ((WORDS[three], P), {"multi_class": "ovo"}),
        "each other, some": ((y, P), {"multi_class": "ovo", "labels": [0, 1, 2]}),
        "no probabilities": ((three, P * 2), {"multi_class": "ovr"}),
        "above 1": ((y, score * 2), {}),
        "below 0": ((y, score - 0.5), {}),
        "indicators": ((indicators, P), {}),
        "indicators, micro": ((indicators, P), {"average": "micro"}),
        "indicators, weighted": ((indicators, P), {"average": "weighted"}),
        "indicators, samples": ((indicators, P), {"average": "samples"}),
        "indicators, each": ((indicators, P), {"average": None}),
        "indicators, weights": ((indicators, P), {"average": "micro", "sample_weight": EIGHTHS}),
        "indicators, samples, weights": ((indicators, P), {"average": "samples", "sample_weight": EIGHTHS}),
        "indicators, part": ((indicators, P), {"max_fpr": 0.5}),
        "indicators, no probabilities": ((indicators, P / 2), {}),
        "indicators, no probabilities, weights": ((indicators, P / 2), {"sample_weight": EIGHTHS}),
        "bins": ((y, score), {"n_bins": 7}),
        "quantiles": ((y, score), {"n_bins": 7, "strategy": "quantile"}),
        "unknown bins": ((y, score), {"strategy": "mass"}),
        "half": ((y, np.c_[1 - score, score]), {"scale_by_half": False}),
        "half of three": ((three, P), {"scale_by_half": True}),
        "former name": ((y,), {"y_pred": score}),
        "one instance": (([1], [0.5]), {}),
    }  # fmt: skip


FORECASTS = forecasts()
# That zero weights leave one class is found out by different functions there.
ONE_CLASS_LEFT = ("weights of one class",)


@pytest.mark.full(keep=20)
@pytest.mark.parametrize("case", FORECASTS)
def test_forecasts(case: str) -> None:
    args, kwargs = FORECASTS[case]
    for name in names_of("areas", "curves", "losses", "top_k"):
        parameters = inspect.signature(getattr(metrics, name)).parameters
        if name == "auc" or not kwargs.keys() <= parameters.keys():
            continue
        try:
            check(name, args, kwargs, "precomputed" if case in ONE_CLASS_LEFT else case)
        except AssertionError as difference:
            raise AssertionError(f"{name}: {difference}") from None


@pytest.mark.parametrize("name", ["log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"])
def test_labels_of_indicators_are_refused(name: str) -> None:
    """Indicators have no classes: labels would be ignored; scikit-learn says that nothing was fitted."""
    truth, proba = [[1, 0], [0, 1], [1, 1]], [[0.5, 0.5]] * 3
    with pytest.raises(ValueError, match="labels name classes, and y_true has indicators of labels"):
        getattr(metrics, name)(truth, proba, labels=[0, 1])


@pytest.mark.parametrize(
    "name",
    [
        "roc_curve",
        "precision_recall_curve",
        "det_curve",
        "confusion_matrix_at_thresholds",
        "average_precision_score",
    ],
)
def test_scores_that_are_none_are_refused(name: str) -> None:
    """Scores of text that reads like numbers, and none at all, where scikit-learn fails deep within NumPy."""
    for scores in (["0.1", "0.4"], np.array(["0.1", "0.4"], object), pd.Series(["no", "yes"])):
        with pytest.raises(TypeError, match=r"y_score has text, such as '(0\.1|no)': give numbers"):
            getattr(metrics, name)([0, 1], scores)
    with pytest.raises(ValueError, match="y_true and y_score are empty"):
        getattr(metrics, name)([], [], pos_label=1)
    assert metrics.roc_curve([0, 1], np.array([0.1, 0.4], object))[1].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "name",
    ["precision_recall_fscore_support", "multilabel_confusion_matrix", "f1_score", "classification_report"],
)
def test_numbers_name_classes_of_text(name: str) -> None:
    options = {"average": "macro"} if name == "f1_score" else {}
    check(name, (A.astype(str), B.astype(str)), {"labels": [1, 0], **options})


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
@pytest.mark.parametrize("name", ["average_precision_score", "roc_auc_score"])
def test_every_label_needs_a_score(name: str, average: str | None) -> None:
    """scikit-learn leaves labels without a score out of the mean, or fails deep within."""
    truth, scores = np.eye(3, dtype=int)[A[A < 3]], RNG.random((np.sum(A < 3), 4))
    for columns in (2, 4):
        line = rf"^y_true is of shape \({len(truth)}, 3\) and y_score of shape \({len(truth)}, {columns}\): "
        for weight in (None, np.ones(len(truth))):
            with pytest.raises(ValueError, match=line):
                getattr(metrics, name)(truth, scores[:, :columns], average=average, sample_weight=weight)


def test_a_report_of_no_classes() -> None:
    options = {"labels": [], "target_names": ["a", "a much longer name"], "zero_division": 0}
    check("classification_report", (A, B), options)
    check("classification_report", (A, B), {**options, "output_dict": True})
    check(
        "classification_report", (A, B), {"labels": [0, 1], "target_names": ["a", "b", "a much longer name"]}
    )


@pytest.mark.parametrize("name", ["f1_score", "classification_report", "multilabel_confusion_matrix"])
def test_labels_of_indicators_are_numbers_of_columns(name: str) -> None:
    options = {"average": "macro"} if name == "f1_score" else {}
    with pytest.raises(ValueError, match=r"^labels=\['a'\] of indicators are numbers of columns, from 0$"):
        getattr(metrics, name)(np.eye(3, dtype=int), np.ones((3, 3), int), labels=["a"], **options)


def test_what_weighs_nothing_is_no_part_of_a_loss() -> None:
    """Neither a warning of NumPy nor nan, although the forecast was impossible."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.brier_score_loss([0, 1, 1], [0.0, 0.0, 0.5], sample_weight=[1, 0, 1]) == 0.125


def test_areas_under_curves() -> None:
    x = np.sort(RNG.random(9))
    for args in ((x, x**2), (x[::-1], x), (A, A), ([0, 1], [1, 1]), ([1], [1]), (x, x[:-1]), (x[:, None], x)):
        check("auc", args, {})


def test_tables_and_single_vectors() -> None:
    from sklearn.metrics.cluster import contingency_matrix

    for table in (
        contingency_matrix(A, B),
        contingency_matrix(A, B, sparse=True),
        np.diag([3, 4]),
        np.array([[70000]]),
    ):
        check("expected_mutual_information", (table, int(table.sum())), {})
        check("mutual_info_score", (None, None), {"contingency": table})
    for labels in (A, [0, 0, 42.0], [], WORDS[A], [1, 1]):
        check("entropy", (labels,), {})


@pytest.mark.parametrize("name", HOMES)
def test_signatures(name: str) -> None:
    """Parameters, their order, their kinds and their defaults are scikit-learn's."""
    ours = inspect.signature(getattr(metrics, name)).parameters.values()
    theirs = inspect.signature(getattr(import_module(HOMES[name]), name)).parameters.values()
    assert [(p.name, p.kind, repr(p.default)) for p in ours] == [
        (p.name, p.kind, repr(p.default)) for p in theirs
    ]


def test_other_names_are_scikit_learns() -> None:
    from sklearn import metrics as theirs

    assert metrics.mean_squared_error is theirs.mean_squared_error
    assert set(theirs.__all__) <= set(dir(metrics))
    for module in ("cluster", "pairwise"):
        ours, their_own = (
            import_module(f"adjudge.metrics.{module}"),
            import_module(f"sklearn.metrics.{module}"),
        )
        public = {name for name in dir(their_own) if not name.startswith("_")}
        assert {name for name in public if getattr(ours, name) is None} == set()
        assert set(getattr(their_own, "__all__", public)) <= set(dir(ours))
    assert import_module("adjudge.metrics.cluster").consensus_score is theirs.consensus_score
    with pytest.raises(AttributeError, match=r"'nothing_of_the_kind': it has the names of sklearn.metrics$"):
        _ = metrics.nothing_of_the_kind
    with pytest.raises(AttributeError, match=r"has no attribute '_no_such_score'$"):
        _ = metrics._no_such_score


@pytest.mark.parametrize("module", ["adjudge.metrics", "adjudge.metrics.cluster"])
def test_a_name_with_a_slip_is_answered_with_the_close_ones(module: str) -> None:
    said = ": did you mean adjusted_rand_score, adjusted_mutual_info_score, rand_score?"
    with pytest.raises(AttributeError) as caught:
        _ = import_module(module).adjusted_rand_scor
    assert str(caught.value) == f"module {module!r} has no attribute 'adjusted_rand_scor'{said}"
    assert not hasattr(import_module(module), "adjusted_rand_scor")
    with pytest.raises(ImportError) as failed:
        exec(f"from {module} import adjusted_rand_scor", {"__name__": "a_users_module"})
    assert str(failed.value) == f"cannot import name 'adjusted_rand_scor' from {module!r}{said}"


def test_what_python_believes_to_be_meant_is_not_said_once_more() -> None:
    try:
        _ = metrics.adjusted_rand_scor
    except AttributeError as error:
        shown = "".join(traceback.format_exception(error))
    assert shown.lower().count("did you mean") == 1
