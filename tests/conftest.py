"""Shared by all tests: reproducible Hypothesis runs, and access to the reference values."""

from __future__ import annotations

import copy
import functools
import gc
import gzip
import json
import math
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import cases
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


# Programs that are started for tests: those wait for `make test-rest`.
STARTED = {"browser", "cluster", "ray_cluster", "spark"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make test` run the quick part of the tests, and `make test-rest` the others."""
    parser.addoption(
        "--part", choices=["all", "quick", "rest"], default="all", help="tests marked full are the rest"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of pytest-xdist, even if it is not installed."""
    config.addinivalue_line("markers", "xdist_group(name): tests that one process of pytest-xdist runs")
    config.addinivalue_line("markers", "full(keep=0): tests of `make test-rest`, but for some of their cases")
    config.addinivalue_line("markers", "sampled: tests with many cases, of which `make test` runs some")
    cases.PART = config.getoption("--part")


def pytest_unconfigure() -> None:
    """Release DuckDB objects in the caches of narwhals: DuckDB's binding would report them as leaked at exit."""
    for cached in [found for found in gc.get_objects() if type(found) is functools._lru_cache_wrapper]:
        if str(getattr(cached, "__module__", "")).startswith("narwhals."):
            cached.cache_clear()
    gc.collect()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one pytest-xdist process if they share a slow fixture."""
    for item in items:
        if not SHARED.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    if cases.PART == "all":
        return
    quick = _quick(items)
    kept = {
        item.nodeid
        for item in items
        if (item.nodeid in quick) == (cases.PART == "quick") or item.get_closest_marker("sampled")
    }
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]


def _quick(items: list[pytest.Item]) -> set[str]:
    """Return the tests that `make test` runs: of each that is marked full some cases, evenly spaced."""
    quick = set()
    of_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        started = any(engine in item.nodeid for engine in ("pyspark", "[ray"))
        if started or not STARTED.isdisjoint(getattr(item, "fixturenames", ())):
            continue
        if item.get_closest_marker("full") is None:
            quick.add(item.nodeid)
        else:
            of_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for some in of_test.values():
        marker = some[0].get_closest_marker("full")
        assert marker is not None
        quick.update(item.nodeid for item in cases.evenly(some, marker.kwargs.get("keep", 0)))
    return quick


# Where each generator of random numbers that the tests of a file share stood after the file was imported.
_STARTS: dict[int, tuple[np.random.Generator, Any]] = {}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note the state of the generators that stand in test files."""
    for module in {item.module for item in session.items if isinstance(item, pytest.Function)}:
        for shared in vars(module).values():
            if isinstance(shared, np.random.Generator):
                _STARTS[id(shared)] = shared, copy.deepcopy(shared.bit_generator.state)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let each test draw the same numbers, whichever tests ran before it in its process."""
    for shared in vars(getattr(item, "module", object)).values():
        if id(shared) in _STARTS:
            generator, state = _STARTS[id(shared)]
            generator.bit_generator.state = state


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


class Ran(NamedTuple):
    """The exit code of a command, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command that ends with this code, or with any if it is None.

    The command may be one text with some of its arguments; others follow as they are.
    """
    from adjudge.cli import main

    def call(command: str, *arguments: object, code: int | None = 0) -> Ran:
        capsys.readouterr()
        words = [*shlex.split(command), *map(str, arguments)]
        found = main(words)
        ran = Ran(found, *capsys.readouterr())
        assert code in (None, found), ran.err
        assert "--debug" in words or "Traceback" not in ran.err
        return ran

    return call


@pytest.fixture
def run(shell: Callable[..., Ran]) -> Callable[..., str]:
    """Run a command and return what it prints; an error is one line, which is returned without its beginning."""

    def call(command: str, *arguments: object, code: int = 0) -> str:
        ran = shell(command, *arguments, code=code)
        if not code:
            return ran.out
        assert ran.out == ""
        assert ran.err.startswith("adjudge: ")
        assert ran.err.count("\n") == 1
        assert ran.err.endswith("\n")
        return ran.err.removeprefix("adjudge: ").rstrip("\n")

    return call
