"""Public names: those of version 0.1 go on working, and whatever a public function returns is public, too."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

import adjudge
from adjudge.deprecation import ENDS, FORMER_NAMES

TRUTH, MODEL = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("name", FORMER_NAMES)
def test_former_names_work_and_warn(name: str) -> None:
    new = FORMER_NAMES[name].new
    message = rf"^adjudge\.{name} is adjudge\.{new} now, and goes in {re.escape(ENDS)}$"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        found = getattr(adjudge, name)
    assert caught[0].filename == __file__
    assert callable(found)
    if not FORMER_NAMES[name].function:
        assert found is getattr(adjudge, new)
    assert name not in dir(adjudge)


def test_former_names_of_indices_find_them() -> None:
    for name, former in FORMER_NAMES.items():
        if former.new in {record.name for record in adjudge.list_indices()}:
            assert adjudge.find_index(name).name == former.new
    result = adjudge.evaluate(TRUTH, MODEL, indices=["hubert", "sos"])
    assert list(result) == ["pair_phi", "sokal_sneath3"]
    assert result["sos"] == result["sokal_sneath3"]


def test_former_functions_give_what_the_new_ones_give() -> None:
    X = [[0.0], [0.1], [0.2], [0.3], [0.4], [5.0], [5.1], [5.2], [5.3], [5.4]]
    labels = [0] * 5 + [1] * 5
    other = [0] * 4 + [1] * 6
    internal, clusterings, of_classifiers = map(
        _quietly, ("internal_intervals", "clustering_intervals", "classification_intervals")
    )
    assert internal(X, labels, ["silhouette"]) == adjudge.confidence_intervals(
        ["silhouette"], X=X, labels=labels
    )
    assert clusterings(labels, other, labels) == adjudge.comparison_intervals(
        labels, other, labels, kind="clustering"
    )
    agreement = adjudge.compare(labels, {"p": other, "q": labels}, kind="classification")["p", "q"].agreement
    assert of_classifiers(agreement) == adjudge.comparison_intervals(
        labels, other, labels, kind="classification"
    )


def _quietly(name: str) -> Any:
    with pytest.warns(DeprecationWarning, match=name):
        return getattr(adjudge, name)


def test_intervals_say_what_is_missing() -> None:
    with pytest.raises(
        adjudge.InputError, match="nothing to judge: give labels_true= and labels_pred=, or X= and"
    ):
        adjudge.confidence_intervals(["rand"])
    with pytest.raises(adjudge.InputError, match="labels= is missing: X= needs the labels to be judged"):
        adjudge.confidence_intervals(["silhouette"], X=[[0.0], [1.0]])
    with pytest.raises(adjudge.InputError, match="rand compares with the truth: leave X= out"):
        adjudge.confidence_intervals(["rand"], X=[[0.0], [1.0]], labels=[0, 1])
    with pytest.raises(adjudge.InputError, match="method='bca' is an option for clusterings: leave it out"):
        adjudge.comparison_intervals(TRUTH, MODEL, TRUTH, kind="classification", method="bca")


def _classes() -> dict[str, type]:
    """All classes of the package by name, but for the programs that use it."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if not module.name.startswith(("adjudge.cli", "adjudge.papers", "adjudge.__main__")):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, type) and value.__module__.startswith("adjudge"):
                    found[name] = value
    return found


def _functions(name: str) -> Iterator[tuple[str, FunctionType]]:
    """What can be called under a public name: a function, or methods and properties of a class."""
    value: Any = getattr(adjudge, name)
    if inspect.isfunction(value):
        yield name, value
        return
    own = value if isinstance(value, type) else type(value)
    for key, member in vars(own).items():
        if key == "__call__" or not key.startswith("_"):
            for attribute in ("fget", "func", "__func__"):
                member = getattr(member, attribute, None) or member
            if inspect.isfunction(member):
                yield f"{name}.{key}", member


def test_what_public_functions_return_is_public() -> None:
    # Statistics are for those who write indices: only those that an index of one's own may read are public.
    classes = {n: c for n, c in _classes().items() if not c.__module__.startswith("adjudge.statistics")}
    unknown = {
        f"{called} returns {word}"
        for name in adjudge._HOMES
        for called, function in _functions(name)
        for word in re.findall(r"\w+", str(function.__annotations__.get("return", "")))
        if word in classes and word not in adjudge._HOMES
    }
    assert not unknown
    assert {"Report", "TestResult", "RankTest", "Index"} <= set(adjudge._HOMES)
