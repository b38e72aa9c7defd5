"""The class that one column of scores is of: its name says it, else the positive class, else convention or order."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge import InputError
from adjudge.given.positive import (
    OneColumn,
    chosen_by_order,
    class_named_by,
    one_positive,
    scored_class,
    shown_class,
)
from conftest import raises_line

WORDS = ["churn", "stay"]


@pytest.mark.parametrize(
    ("name", "classes", "place"),
    [
        ("churn", WORDS, 0),
        ("old_p_churn", WORDS, 0),
        ("p.stay", WORDS, 1),
        ("P(churn)", WORDS, 0),
        ("p_Churn", WORDS, 0),
        ("old", WORDS, None),
        ("unchurn", WORDS, None),
        ("p_not_churn", WORDS, 1),
        ("p_no_churn", ["churn", "no_churn"], 1),
        ("p_no", ["no", "yes"], 0),
        ("p_0", [0, 1], 0),
        ("p_1", [1.0, 2.0], 0),
        ("p_True", [False, True], 1),
        ("p_-1", [-1, 1], 0),
        # A class is the whole name behind the separator, the longest that fits.
        ("model -1", [-1, 1], 0),
        ("model_-1", ["-1", "1"], 0),
        ("x.-1", [-1.0, 1.0], 0),
        ("p-1", [-1, 1], 0),
        ("p-1", [1, 2], 0),
        ("P(-1)", [-1, 1], 0),
        ("model -10", [-10, 0], 0),
        ("model-1", [-1, 1], None),
        ("model -1", [0, 1], None),
        ("p -1", [0, 1], None),
        ("m_1", ["1", "m_1"], 1),
        ("p_x_y", ["x y", "y"], 0),
        ("p_NOT-OK", ["ok", "not ok"], 1),
        ("p_a", ["A", "a"], 1),
        ("model_10", [0, 1], None),
        ("model_v1.0", [0, 1], None),
        ("p_not_a", ["a", "b", "c"], None),
        # Numbers of models are no classes, and words may stand anywhere.
        ("model_0", [0, 1], None),
        ("fold_1", [0, 1], None),
        ("old_p_1", [0, 1], 1),
        ("P(class 0)", [0, 1], 0),
        ("0", [0, 1], 0),
        ("p_0", [False, True], 0),
        ("p_False", [False, True], 0),
        ("model_0", [False, True], None),
        ("churn_probability", WORDS, 0),
        ("P_churn_old", WORDS, 0),
        ("churn_or_stay", WORDS, 1),
        ("not_churn_v2", WORDS, None),
        ("a_or_b_model", ["a", "b"], None),
        ("pchurn", WORDS, None),
    ],
)
def test_a_column_is_called_by_its_class(name: str, classes: list[Any], place: int | None) -> None:
    assert class_named_by(name, classes) == place


@pytest.mark.parametrize(
    ("classes", "positive", "column", "place", "why"),
    [
        (WORDS, None, None, 1, "order"),
        (WORDS, "churn", None, 0, "positive"),
        (WORDS, "churn", OneColumn("old"), 0, "positive"),
        (WORDS, "stay", OneColumn("p_churn"), 0, "name"),
        (WORDS, None, OneColumn("p_churn", must_fit=True), 0, "name"),
        (WORDS, None, OneColumn("mchurn", "churn"), 0, "name"),
        (WORDS, "stay", OneColumn("q", "score"), 1, "positive"),
        (WORDS, None, OneColumn("q", "churn", is_given=True), 0, "name"),
        ([0, 1], None, OneColumn("p", must_fit=True), 1, "convention"),
        (["False", "True"], None, OneColumn("p", must_fit=True), 1, "convention"),
        ([1, 2], None, OneColumn("p", must_fit=True), 1, "order"),
        ([0, 1], 0, None, 0, "positive"),
    ],
)
def test_what_says_so(
    classes: list[Any], positive: Any, column: OneColumn | None, place: int, why: str
) -> None:
    found = scored_class(classes, positive, column)
    assert (found.place, found.why) == (place, why)


def test_a_column_of_a_table_has_to_say_its_class() -> None:
    with raises_line(
        InputError,
        "column 'old' does not say which class it is of, 'churn' or 'stay': pass positive='stay' or the other, or end "
        "the column's name with its class, as in 'old_stay'",
    ):
        scored_class(WORDS, None, OneColumn("old", must_fit=True))
    with raises_line(InputError, "'chrun' is not a class: choose one of 'churn', 'stay'"):
        scored_class(WORDS, "churn", OneColumn("old", "chrun", is_given=True))


def test_classes_that_need_no_word() -> None:
    usual: list[list[Any]] = [[0, 1], [-1, 1], [False, True], ["0", "1"], ["false", "true"]]
    for classes in usual:
        assert not chosen_by_order(classes, None)
        assert shown_class(classes, 1) is None
        assert shown_class(classes, 0) == classes[0]
    for classes in ([1, 2], WORDS, ["no", "yes"]):
        assert chosen_by_order(classes, None)
        assert shown_class(classes, 1) == classes[1]
    assert not chosen_by_order(WORDS, "stay")
    assert not chosen_by_order(["a", "b", "c"], None)
    assert shown_class([0, 1, 2], 1) == 1
    assert shown_class(WORDS, None) is None


def test_two_names_of_one_option() -> None:
    assert one_positive(None, "a") == one_positive("a", None) == one_positive("a", "a") == "a"
    with raises_line(InputError, "positive='a' and pos_label='b' are one option: give one"):
        one_positive("a", "b")
