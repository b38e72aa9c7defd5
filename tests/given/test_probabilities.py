"""Probabilities and scores as they are given: what is taken, and what is refused in which words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge.errors import InputError, InputTypeError
from adjudge.given.probabilities import as_class_scores
from adjudge.statistics.forecasts import DecisionForecasts, read_forecasts
from conftest import raises_line

P = [[0.5, 0.2, 0.3], [0.1, 0.9, 0.0]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_of_data_frames_are_named_for_classes(make: Any) -> None:
    frame = make({"b": [0.25, 0.5], "a": [0.75, 0.5]})
    given = as_class_scores(frame, probabilities=True)
    assert list(given.classes or ()) == ["b", "a"]
    assert given.values.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    found = read_forecasts(["a", "b"], frame)
    assert found.codes.tolist() == [1, 0]


def test_columns_of_pandas_may_be_numbers() -> None:
    found = read_forecasts([3, 1], pd.DataFrame({1: [0.25, 0.5], 3: [0.75, 0.5]}))
    assert list(found.classes) == [1, 3]
    with pytest.raises(InputTypeError, match="probabilities has a column 'a' of String: numbers are needed"):
        read_forecasts([3, 1], pl.DataFrame({"a": ["x", "y"], "3": [0.75, 0.5]}))


def test_text_columns_find_classes_that_are_numbers() -> None:
    found = read_forecasts([3, 1], pl.DataFrame({"1": [0.25, 0.5], "3": [0.75, 0.5]}))
    assert list(found.classes) == [1, 3]
    assert found.codes.tolist() == [1, 0]


def test_a_vector_is_of_the_second_of_two_classes() -> None:
    found = read_forecasts(["yes", "no"], [0.75, 0.125])
    assert list(found.classes) == ["no", "yes"]
    assert found.positive == 1
    assert found.matrix.tolist() == [[0.25, 0.75], [0.875, 0.125]]
    swapped = read_forecasts(["yes", "no"], [0.75, 0.125], classes=["yes", "no"])
    assert swapped.codes.tolist() == [0, 1]


def test_classes_name_columns_that_do_not_occur() -> None:
    found = read_forecasts([2, 2], P, classes=[0, 1, 2])
    assert found.sizes.tolist() == [0, 0, 2]
    with raises_line(
        InputError, "probabilities has 3 columns, labels_true has 1 class: name the columns with classes="
    ):
        read_forecasts([2, 2], P)
    for of_two in ([0.1, 0.2, 0.3], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]):
        with raises_line(
            InputError,
            "probabilities speaks of two classes, labels_true has 3 classes: give a column for each, or all classes "
            "with classes=",
        ):
            read_forecasts([0, 1, 2], of_two)
    with pytest.raises(InputError, match="labels_true has 7 2 times, which is not among the classes"):
        read_forecasts([7, 7], P, classes=[0, 1, 2])
    with raises_line(InputError, "classes names 2 classes, probabilities has 3 columns"):
        read_forecasts([0, 1], P, classes=[0, 1])
    with raises_line(
        InputError,
        "classes names 3 classes, but probabilities is one column, which tells two apart: give a column for each class",
    ):
        read_forecasts([0, 1], [0.2, 0.8], classes=[0, 1, 2])


REFUSED: list[tuple[Any, str]] = [
    (
        [[0.5, 0.6], [0.5, 0.5]],
        "probabilities add up to 1.1 in row 0: divide each row by its sum, or keep more digits",
    ),
    (
        [[0.5, 0.5], [0.4, 0.6 + 3e-6]],
        "probabilities add up to 1.000003 in row 1: divide each row by its sum, or keep more digits",
    ),
    (
        [[0.5, 0.5], [-2.0, 3.5]],
        "probabilities has -2 in row 1, column 0, and 50 % of all entries are outside [0, 1]: these look like logits, "
        "which the softmax turns into probabilities (or the logistic function, if there are two classes)",
    ),
    (
        [[-0.5, -1.0], [-0.2, -1.7]],
        "probabilities has -0.5 in row 0, column 0, and 100 % of all entries are outside [0, 1]: these look like "
        "logarithms of probabilities, so give exp() of them",
    ),
    (np.r_[np.full(20, 0.5), 1.5], "probabilities has 1.5 in row 20: probabilities lie between 0 and 1"),
    ([0.5, float("nan")], "probabilities has a missing entry in row 1: fill it in, or leave the row out"),
    (
        [[0.5], [0.5]],
        "probabilities has one column: give a vector for the positive class, or the probabilities of all classes",
    ),
    ([], "probabilities is empty: at least one instance is needed"),
    ([[0.5, 0.5], [1.0]], "probabilities is ragged: one row of numbers for each instance is needed"),
    (np.zeros((2, 2, 2)), "probabilities has shape (2, 2, 2): (n, C) or (n,) is needed"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_is_no_probability_is_refused(given: Any, message: str) -> None:
    with raises_line(InputError, message):
        as_class_scores(given, probabilities=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0.5, 0.5], [np.nan, 0.5], [0.3, 0.9]], "probabilities add up to 1.2 in row 2: divide each row"),
        ([*[0.5] * 20, np.nan, 1.5], "probabilities has 1.5 in row 21: probabilities lie"),
        (
            [*[[0.5, 0.5]] * 20, [np.nan, 0.5], [0.2, -0.9]],
            "probabilities has -0.9 in row 21, column 1: prob",
        ),
    ],
)
def test_errors_count_the_rows_without_scores_too(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        as_class_scores(given, probabilities=True, gaps=True)


def test_text_is_no_probability() -> None:
    with raises_line(InputTypeError, "probabilities has dtype <U1: numbers are needed"):
        as_class_scores(["a", "b"], probabilities=True)


def test_rows_may_be_off_by_rounding() -> None:
    as_class_scores([[0.5, 0.5 + 9e-7]], probabilities=True)
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(50, 1000)).astype(np.float32)
    softmax = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert as_class_scores(softmax, probabilities=True).values.dtype == np.float32


def test_scores_need_only_rank() -> None:
    found = read_forecasts([0, 1], scores=[-7.0, np.inf])
    assert isinstance(found, DecisionForecasts)
    with pytest.raises(InputError, match="scores has a missing entry in row 1"):
        read_forecasts([0, 1], scores=[1.0, np.nan])
    with raises_line(InputError, "give either probabilities= or scores="):
        read_forecasts([0, 1])


def test_lengths_have_to_agree_also_where_labels_are_missing() -> None:
    with raises_line(
        InputError, "probabilities has 3 rows, labels_true has 2 entries: they must have the same length"
    ):
        read_forecasts([0, 1], [0.5, 0.5, 0.5])
    found = read_forecasts([0, None, 1], [0.1, 0.2, 0.3], missing="drop")
    assert found.values.tolist() == [0.1, 0.3]
    assert found.row(1) == 2
    weighed = read_forecasts(
        [0, None, 1, 1], [0.1, 0.2, 0.3, 0.4], missing="drop", sample_weight=[1, 1, 0, 2]
    )
    assert weighed.values.tolist() == [0.1, 0.4]
    assert weighed.row(1) == 3


def test_percentages_of_a_rare_class_are_no_logits() -> None:
    """Most are below 10, and none is negative, as logits would be."""
    percent = np.random.default_rng(0).gamma(0.5, 3, 200)
    assert np.median(percent[percent > 1]) < 10
    truth = np.arange(200) % 2
    with pytest.raises(InputError, match="these look like percentages, so divide all of them by 100"):
        adjudge.log_loss(truth, percent)
    with pytest.raises(InputError, match="these look like logits"):
        adjudge.log_loss(truth, percent - 1)
