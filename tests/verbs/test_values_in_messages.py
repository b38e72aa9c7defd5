"""Messages show values, never the names of NumPy's or pandas' types."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.errors import AdjudgeError, Option, in_words
from cases import each

SCALARS = [
    np.str_("gone"),
    np.int64(4),
    np.float64(2.5),
    np.float32(0.5),
    np.True_,
    np.datetime64("2020-01-01"),
]
NAMES_OF_TYPES = ("np.", "numpy", "array(", "Timestamp", "datetime", "dtype(")
TRUTH, PREDICTED = ["a", "b"] * 10, ["a", "a", "b", "b"] * 5


@each(
    "value, shown",
    [
        ("a", "'a'"),
        (np.str_("a"), "'a'"),
        (np.int64(3), "3"),
        (np.float64(2.5), "2.5"),
        (np.True_, "True"),
        (np.datetime64("2020-01-01"), "2020-01-01"),
        (pd.Timestamp("2020-01-01 12:00"), "2020-01-01 12:00:00"),
        (datetime.date(2020, 1, 1), "2020-01-01"),
        (np.array([1, 2]), "[1, 2]"),
        (np.array(["a", "b"]), "['a', 'b']"),
        ([np.int64(1), "b"], "[1, 'b']"),
        ((np.str_("a"),), "('a',)"),
        (("a", 1), "('a', 1)"),
        (None, "None"),
    ],
)
def test_values_are_shown_without_the_names_of_their_types(value: Any, shown: str) -> None:
    assert in_words(value) == shown
    assert str(Option("positive", value)) == f"positive={shown}"


def _said(verb: str, *given: Any, **options: Any) -> list[str]:
    function = getattr(adjudge, verb)
    try:
        return [notice.text for notice in function(*given, **options).warnings]
    except AdjudgeError as error:
        return [str(error)]


@each(
    "options",
    [
        own
        for value in SCALARS
        for own in (
            {"positive": value},
            {"classes": [value, value]},
            {"classes": [value, "a"]},
            {"indices": [value]},
            {"kind": value},
            {"missing": value},
            {"noise": value},
            {"confidence": value},
            {"groups": {value: PREDICTED[:4]}},
            {"sample_weight": [value] * 19 + [-1]},
            {"kind": "multilabel", "classes": [value]},
        )
    ],
    keep=12,
)
def test_no_option_is_shown_with_the_name_of_its_type(options: dict[str, Any]) -> None:
    for verb, given in (
        ("evaluate", (TRUTH, PREDICTED)),
        ("compare", (TRUTH, {"one": PREDICTED, "other": TRUTH})),
        ("gate", (TRUTH, PREDICTED, TRUTH)),
    ):
        for text in _said(verb, *given, **options):
            assert not any(name in text for name in NAMES_OF_TYPES), text


@each("value", SCALARS)
def test_no_label_is_shown_with_the_name_of_its_type(value: Any) -> None:
    strange = [value] * len(TRUTH)
    for verb, given in (
        ("evaluate", (TRUTH, strange)),
        ("evaluate", (strange, PREDICTED)),
        ("compare", (TRUTH, {"one": strange, "other": TRUTH})),
        ("compare", (strange, {"one": TRUTH, "other": TRUTH})),
        ("gate", (strange, TRUTH, TRUTH)),
        ("gate", (TRUTH, TRUTH, strange)),
        ("gate", (TRUTH, TRUTH, [value, *TRUTH[1:]])),
    ):
        for container in (list, np.array, pd.Series):
            vectors = [
                {name: container(own) for name, own in each.items()}
                if isinstance(each, dict)
                else container(each)
                for each in given
            ]
            for options in ({}, {"kind": "classification"}, {"kind": "multilabel"}):
                for text in _said(verb, *vectors, **options):
                    assert not any(name in text for name in NAMES_OF_TYPES), text


def test_limits_are_shown_without_the_name_of_their_type() -> None:
    for value in SCALARS:
        for options in ({"max_broken": {value: 1}}, {"margin": value}, {"smallest_group": value}):
            for text in _said("gate", TRUTH, PREDICTED, TRUTH, **options):
                assert not any(name in text for name in NAMES_OF_TYPES), text


def test_a_class_that_does_not_occur_is_asked_for_by_its_value() -> None:
    found = adjudge.evaluate(TRUTH, PREDICTED, kind="classification")
    with pytest.raises(AdjudgeError, match=r"^'gone' is not a"):
        found.by_class[np.str_("gone")]
