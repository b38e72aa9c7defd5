"""Results have the digits that are stored, whatever compiled the kernels, and however many threads there are."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from adjudge import kernels

TOOL = Path(__file__).parents[2] / "tools" / "digits.py"
HERE = kernels.coding.__name__.split(".")[-2].lstrip("_")  # type: ignore[attr-defined]


@cache
def tool() -> Any:
    """The script that prints digits."""
    spec = importlib.util.spec_from_file_location("digits_of_results", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def digits(n_jobs: int = 1) -> dict[str, str]:
    return tool().lines(n_jobs)


def digits_of(level: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, str(TOOL)],
        env={**os.environ, "ADJUDGE_KERNELS": level},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split("  ") for line in done.stdout.splitlines())


def is_fused(name: str) -> bool:
    return name.startswith(tool().FUSED)


@pytest.mark.full
def test_digits_do_not_depend_on_the_threads() -> None:
    assert digits(1) == digits(2)


@pytest.mark.full
def test_digits_are_the_stored_ones() -> None:
    """Stored are those that depend on adjudge alone. A processor without fused multiply-add may have others."""
    stored = json.loads(tool().STORED.read_text("utf-8"))
    assert len(stored) > 400
    found = digits()
    changed = {name for name, value in stored.items() if found.get(name) != value}
    assert {name for name in changed if HERE in ("v3", "any") or not is_fused(name)} == set()


@pytest.mark.full
@pytest.mark.skipif(HERE != "v3", reason="this machine has no newer kernels")
def test_an_older_processor_changes_distances_in_many_dimensions_alone() -> None:
    older = digits_of("v2")
    changed = {name for name, value in digits().items() if older[name] != value}
    assert f"{tool().FUSED}: silhouettes of points" in changed
    assert all(map(is_fused, changed))
