"""Shared by all tests: reproducible Hypothesis runs, and access to the reference values."""

from __future__ import annotations

import functools
import gc
import gzip
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import profiles  # noqa: F401 - sets how many cases Hypothesis tries

# Fixtures that take seconds to set up.
SHARED = {
    "browser",
    "built",
    "cluster",
    "clustering",
    "of_clouds",
    "of_clusterings",
    "of_degenerate",
    "of_labels",
    "shown",
}


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of pytest-xdist, even if it is not installed."""
    config.addinivalue_line("markers", "xdist_group(name): tests that one process of pytest-xdist runs")


def pytest_unconfigure() -> None:
    """Release DuckDB objects in the caches of narwhals: DuckDB's binding would report them as leaked at exit."""
    for cached in [found for found in gc.get_objects() if type(found) is functools._lru_cache_wrapper]:
        if str(getattr(cached, "__module__", "")).startswith("narwhals."):
            cached.cache_clear()
    gc.collect()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one pytest-xdist process if they share a slow fixture."""
    for item in items:
        if not SHARED.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


# Programs that are only type-checked, and one that a test runs; doctest would import, and so run, them all.
collect_ignore_glob = ["project/typing/*", "metrics/a_users_program.py"]

REFERENCE = Path(__file__).parent / "reference"


def read_reference(path: str | Path) -> dict[str, Any]:
    """Read a file of reference values, gzipped or not."""
    path = REFERENCE / path
    stored = path.read_bytes()
    return json.loads(gzip.decompress(stored) if path.suffix == ".gz" else stored)


def reference_cases(folder: str) -> list[Path]:
    """Return the files in a folder of reference values."""
    return sorted((REFERENCE / folder).glob("*.json*"))


def case_name(path: Path) -> str:
    return path.name.partition(".")[0]


def as_number(value: Any) -> float:
    """Read a reference value; values that JSON lacks are stored as text."""
    words = {"NaN": math.nan, "NA": math.nan, "Inf": math.inf, "-Inf": -math.inf, None: math.nan}
    if value is None or isinstance(value, str):
        if value in words:
            return words[value]
        numerator, _, denominator = value.partition("/")
        return int(numerator) / int(denominator) if denominator else float(numerator)
    return float(value)


@contextmanager
def raises_line(error: type[Exception], message: str) -> Iterator[None]:
    """Expect an error whose whole text is `message`, in one line."""
    with pytest.raises(error) as caught:
        yield
    assert str(caught.value) == message
    assert "\n" not in message


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)
