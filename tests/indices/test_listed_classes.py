"""Scores of classifiers whose classes are listed, some of which do not occur."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

import adjudge
from adjudge.errors import InputError

TRUTH, SAID = [0, 1, 3, 3, 4], [0, 1, 1, 4, 4]


@pytest.mark.parametrize(
    ("name", "weights"), [("linear_weighted_kappa", "linear"), ("quadratic_weighted_kappa", "quadratic")]
)
def test_an_unused_grade_keeps_its_distance(name: str, weights: str) -> None:
    index = adjudge.find_index(name)
    for classes in (range(5), [4, 2, 0, 1, 3]):
        wanted = cohen_kappa_score(TRUTH, SAID, labels=list(classes), weights=weights)
        assert index(TRUTH, SAID, classes=classes) == pytest.approx(wanted, rel=1e-12)
    assert index(TRUTH, SAID) != index(TRUTH, SAID, classes=range(5))


@pytest.mark.parametrize(
    "name",
    ["gwet_ac1", "brennan_prediger", "accuracy", "macro_f1", "cohen_kappa", "linear_weighted_kappa", "f1"],
)
@pytest.mark.parametrize("given", [(TRUTH, SAID), ([0, 1, 1, 0], [0, 1, 0, 0])])
def test_functions_and_evaluate_agree(name: str, given: Any) -> None:
    classes = [0, 1, 2, 3, 4]
    found = adjudge.evaluate(*given, kind="classification", indices=name, classes=classes)
    assert adjudge.find_index(name)(*given, classes=classes) == pytest.approx(found[name], nan_ok=True)


def test_the_positive_class_is_among_those_that_are_listed() -> None:
    assert adjudge.recall([0, 1, 1], [0, 0, 1], classes=[1, 0], positive=1) == 0.5
    assert adjudge.recall([0, 1, 1], [0, 0, 1], classes=[1, 0]) == 1


def test_classes_that_are_not_listed_are_named() -> None:
    with pytest.raises(InputError, match="4"):
        adjudge.linear_weighted_kappa(TRUTH, SAID, classes=[0, 1, 2, 3])
    with pytest.raises(InputError, match="rand compares clusters, not classes: leave classes= out"):
        adjudge.rand(TRUTH, SAID, classes=[0, 1])
