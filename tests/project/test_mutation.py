"""The mutation run starts, and finds the tests for what it changes; `make mutation` itself takes hours."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "mutation"

SOURCE = '''\
LEAST = 5


def enough(n):
    """Whether n is enough."""
    return n >= LEAST


class Answer:
    def text(self):
        return "yes"


def slow(n):
    return n
'''


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOL))
    import reach
    import suites

    yield SimpleNamespace(reach=reach, suites=suites)
    for module in (reach, suites):
        assert isinstance(module, ModuleType)
        sys.modules.pop(module.__name__)


def test_every_module_is_mutated_or_left_out_with_a_reason(tool: Any) -> None:
    mutated = tool.suites.mutated_modules(ROOT)
    present = {
        f"{room}.{path.stem}"
        for room in ("indices", "inference")
        for path in (ROOT / "src" / "adjudge" / room).glob("*.py")
    }
    assert present == set(mutated) | tool.suites.NOT_MUTATED.keys()
    assert not set(mutated) & tool.suites.NOT_MUTATED.keys()
    assert all(tool.suites.NOT_MUTATED.values())


def test_tests_that_try_mutants_are_there(tool: Any) -> None:
    files = tool.suites.test_files(ROOT)
    assert len(files) == len(set(files)) > 40
    assert set(tool.suites.READ_RECORDS) <= set(files)


def test_mutants_called_equivalent_are_of_lines_that_are_there(tool: Any) -> None:
    stated = tomllib.loads((TOOL / "equivalent.toml").read_text())["mutant"]
    for entry in stated:
        assert entry["module"] in tool.suites.mutated_modules(ROOT)
        path = ROOT / "src" / "adjudge" / Path(*entry["module"].split(".")).with_suffix(".py")
        lines = " ".join(line.strip() for line in path.read_text().splitlines())
        assert entry["before"] in lines, entry
        assert entry["before"] != entry["after"]
        assert entry["why"]


def chosen(tool: Any, line: int, scope: str, first: tuple[str, ...] = (), seconds: float = 10.0) -> Any:
    module = "inference.example"
    reach = tool.reach.Reach(
        seconds={"t.py::slow": 8.0, "t.py::other": 0.1, "t.py::quick": 1.0, "t.py::text": 0.5},
        places={
            "t.py::slow": {(module, "enough"), (module, "slow")},
            "t.py::quick": {(module, "enough")},
            "t.py::text": {(module, "Answer.text")},
            "t.py::other": {("inference.another", "enough")},
        },
    )
    mutant = SimpleNamespace(module=module, line=line, scope=scope)
    return tool.reach.tests_of(mutant, SOURCE, {"t.py": reach}, first, seconds)


def test_tests_that_run_a_function_try_its_mutants_cheap_ones_first(tool: Any) -> None:
    assert chosen(tool, 6, "enough") == {"t.py": ["t.py::quick", "t.py::slow"]}
    assert chosen(tool, 11, "Answer") == {"t.py": ["t.py::text"]}


def test_tests_that_read_a_constant_try_its_mutants(tool: Any) -> None:
    assert chosen(tool, 1, "LEAST") == {"t.py": ["t.py::quick", "t.py::slow"]}


def test_tests_that_killed_others_come_first_and_no_more_time_is_spent_than_allowed(tool: Any) -> None:
    assert chosen(tool, 6, "enough", ("t.py::slow",)) == {"t.py": ["t.py::slow", "t.py::quick"]}
    assert chosen(tool, 6, "enough", seconds=5.0) == {"t.py": ["t.py::quick"]}


def test_what_runs_before_the_tests_of_a_file_is_run_by_all_of_them(tool: Any) -> None:
    reach = tool.reach.Reach(seconds={"a": 1.0, "b": 2.0}, by_all={("inference.example", "slow")})
    assert list(reach.reaching({("inference.example", "slow")})) == ["a", "b"]
    assert list(reach.reaching({("inference.example", "enough")})) == []
