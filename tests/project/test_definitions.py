"""What functions return and hand on cannot be changed by those who get it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

import pytest


def classes_of(room: str) -> Iterator[Any]:
    package = importlib.import_module(f"adjudge.{room}")
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"adjudge.{room}.{found.name}")
        for value in vars(module).values():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.__name__:
                yield value


@pytest.mark.parametrize(("room", "least"), [("indices", 5), ("inference", 30)])
def test_dataclasses_are_frozen(room: str, least: int) -> None:
    classes = list(classes_of(room))
    assert len(classes) >= least
    for one in classes:
        assert one.__dataclass_params__.frozen, one
