"""Results have the digits that are stored, whatever compiled the kernels, and however many threads there are."""

from __future__ import annotations

import ast
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


def digits_of(level: str, **settings: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, str(TOOL)],
        env={**os.environ, "ADJUDGE_KERNELS": level, **settings},
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


# Last digits of NumPy follow the vector instructions that a processor has, those of the others the C library.
DIFFER = {
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "logaddexp",
    "power",
    "float_power",
    "pow",
    "cbrt",
}
# Powers of integers, and the logarithm of an integer that is no floating-point number.
OF_INTEGERS = {
    ("classification.py", "np.abs(of_class[rows] - of_class[cols]) ** power"),
    ("classification.py", "i ** e"),
    ("communities.py", "x ** 3"),
    ("communities.py", "x ** 5"),
    ("communities.py", "math.log(math.comb(n, k))"),
}


def uneven(source: str) -> list[str]:
    """The expressions of a module whose last digit another processor, or another C library, may change."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            module = node.func.value
            if isinstance(module, ast.Name) and module.id in {"np", "math"} and node.func.attr in DIFFER:
                found.append(ast.unparse(node))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base, exponent = (getattr(side, "value", None) for side in (node.left, node.right))
            if exponent != 2 and type(base) is not int:  # a square is a product; 2**k is an integer
                found.append(ast.unparse(node))
    return found


def test_values_are_made_of_our_own_exponentials_logarithms_and_powers() -> None:
    rooms = [Path(kernels.__file__).parents[1] / room for room in ("indices", "statistics")]
    modules = [path for room in rooms for path in room.glob("*.py")]
    assert len(modules) > 100
    found = {(path.name, one) for path in modules for one in uneven(path.read_text("utf-8"))}
    assert found == OF_INTEGERS


def test_what_differs_is_found() -> None:
    for source in (
        "np.exp(x)",
        "a + np.log(b)",
        "math.pow(x, y)",
        "x ** 1.2",
        "x ** alpha",
        "x[0] ** 3",
        "2.0 ** x",
    ):
        assert uneven(source)
    for source in ("x ** 2", "2 ** k", "exponentials(x)", "np.sqrt(x)"):
        assert not uneven(source)


@pytest.mark.full
@pytest.mark.parametrize("without", ["X86_V4", "X86_V3", "X86_V4 X86_V3"])
def test_digits_do_not_depend_on_the_vectors_of_numpy(without: str) -> None:
    """Where the processor has those vectors; elsewhere the two runs are alike."""
    assert digits_of(HERE, NPY_DISABLE_CPU_FEATURES=without) == digits()
