"""What functions return and hand on cannot be changed by those who get it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest


def classes_of(room: str) -> Iterator[Any]:
    package = importlib.import_module(f"adjudge.{room}")
    for found in pkgutil.walk_packages(package.__path__, f"adjudge.{room}."):
        module = importlib.import_module(found.name)
        for value in vars(module).values():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.__name__:
                yield value


@pytest.mark.parametrize(("room", "least"), [("indices", 5), ("inference", 30)])
def test_dataclasses_are_frozen(room: str, least: int) -> None:
    classes = list(classes_of(room))
    assert len(classes) >= least
    for one in classes:
        assert one.__dataclass_params__.frozen, one


@pytest.mark.parametrize("room", ["indices", "inference"])
def test_what_holds_arrays_is_not_compared_field_by_field(room: str) -> None:
    """Two arrays that are compared are neither equal nor unequal, and an array has no hash."""
    with_arrays = [
        one
        for one in classes_of(room)
        if any(
            re.match(
                r"NDArray|(Floats|Ints|Codes|Bools|Numbers)\b|dict\[str, (NDArray|Floats)",
                field.type,
            )
            for field in fields(one)
        )
    ]
    assert room == "indices" or len(with_arrays) >= 10
    for one in with_arrays:
        assert not one.__dataclass_params__.eq, one
