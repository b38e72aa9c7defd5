"""What is given to the public API by tests that expect nothing but a result or an error of ours."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from adjudge.errors import AdjudgeError


def outcome(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call, and let only our own errors pass: one line that says something. NumPy's warnings are errors here."""
    try:
        return call(*args, **options)
    except AdjudgeError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        return error


def check_values(evaluation: Any) -> None:
    """Check that numbers stay in their range, and that whatever is not finite has a reason."""
    if isinstance(evaluation, AdjudgeError):
        return
    for name, value in evaluation.values.items():
        low, high = evaluation.records[name].range
        slack = 1e-9 * max(1.0, abs(value)) if math.isfinite(value) else 0.0
        assert math.isnan(value) or low - slack <= value <= high + slack, (name, value)
        assert math.isfinite(value) or evaluation.reasons.get(name), (name, value)
    assert isinstance(str(evaluation), str)
    evaluation.to_dict()


EXTREMES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    1e308,
    -1e308,
    1.7e308,
    1e200,
    1e154,
    1e77,
    1e8 + 1,
    1e-8,
    1e-77,
    1e-160,
    1e-308,
    5e-324,
)

# Single labels that a user may meet, and some that nobody should.
scalars = st.one_of(
    st.integers(-3, 3),
    st.sampled_from(["a", "b", "", " ", "nan", "\0", "\ud800", "é", "=1+1"]),
    st.none(),
    st.booleans(),
    st.floats(width=32),
    st.integers(-(2**70), 2**70),
    st.sampled_from(
        [
            math.nan,
            b"a",
            (1, 2),
            frozenset({1}),
            Decimal("1"),
            Decimal("NaN"),
            Decimal("sNaN"),
            Fraction(1, 3),
            datetime.date(2020, 1, 1),
            np.float64(1.5),
            np.int8(3),
            np.datetime64("NaT"),
            pd.NA,
            pd.NaT,
            complex(1, 1),
            [1],
            {},
            object(),
            Ellipsis,
        ]
    ),
)
odd_lists = st.lists(scalars, max_size=6)
odd_things = st.sampled_from(
    [None, 5, 1.5, "abc", b"abc", {1, 2}, {"a": [1]}, object(), print, int, np.array(3), np.float64(2), ...]
)
any_arrays = hnp.arrays(
    dtype=st.one_of(
        hnp.scalar_dtypes(),
        hnp.unicode_string_dtypes(max_len=3),
        hnp.byte_string_dtypes(max_len=3),
        st.just(object),
    ),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
containers = st.sampled_from(
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pd.Categorical,
        pd.array,
        pl.Series,
        iter,
        lambda v: np.ma.masked_equal(v, 1),
    ]
)


@st.composite
def odd_labels(draw: st.DrawFn) -> Any:
    return draw(st.one_of(odd_lists, odd_things, any_arrays))


def small_codes(n: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(-1, 3), min_size=n, max_size=n)


@st.composite
def label_vectors(draw: st.DrawFn, count: int = 2) -> list[Any]:
    """Label vectors of one length, each in some container."""
    n = draw(st.integers(1, 9))
    return [draw(containers)(draw(small_codes(n))) for _ in range(count)]


@st.composite
def odd_points(draw: st.DrawFn) -> Any:
    return draw(st.one_of(any_arrays, odd_things, st.lists(odd_lists, max_size=4)))


@st.composite
def extreme_points(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """Points of wild magnitudes with as many labels: K = N, one point, one cluster and duplicates occur."""
    n, p = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.float16, np.int8, np.int64, np.uint64, bool]))
    if np.issubdtype(dtype, np.floating):
        largest = float(np.finfo(dtype).max)
        allowed = [v for v in EXTREMES if abs(v) < largest]
        elements = st.sampled_from(allowed) | st.floats(width=np.dtype(dtype).itemsize * 8)
        if draw(st.booleans()):  # one magnitude for all
            scale = draw(st.sampled_from([v for v in allowed if v > 0]))
            elements = st.sampled_from([0.0, scale, -scale, scale / 3, scale / 2])
        values = draw(st.lists(elements, min_size=n * p, max_size=n * p))
        with np.errstate(all="ignore"):
            X = np.array(values, dtype).reshape(n, p)
    else:
        X = draw(hnp.arrays(dtype, (n, p)))
    labels = draw(st.sampled_from([list(range(n)), [0] * n, [i % 2 for i in range(n)]]) | small_codes(n))
    return X, labels
