"""What each test reaches, and what it costs: a mutant is tried by the cheapest tests that run what it changes."""

from __future__ import annotations

import ast
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from suites import PACKAGE, READ_RECORDS, READS_DEFINITIONS, ROOMS

if TYPE_CHECKING:
    from mutants import Mutant

__all__ = ["Measure", "Reach", "place_of", "tests_of"]

#: A place is a function or a method, as "f" or "Class.f", of a module.
Place = tuple[str, str]


@dataclass
class Reach:
    """What the tests of a file reach.

    Attributes
    ----------
    seconds : dict of str to float
        Processor time by test, for those that pass.
    places : dict of str to set
        What a test runs.
    by_all : set
        What runs before the tests: when they are collected, and in fixtures.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    places: dict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))
    by_all: set[Place] = field(default_factory=set)

    def reaching(self, places: set[Place]) -> Iterator[str]:
        """Tests that run any of these places."""
        by_all = not self.by_all.isdisjoint(places)
        return (test for test in self.seconds if by_all or not self.places[test].isdisjoint(places))


class Measure:
    """A plugin of pytest that measures reach and cost of the tests of one file."""

    def __init__(self) -> None:
        import coverage

        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[f"*/{PACKAGE}/{room}/*" for room in ROOMS]
        )
        self._failed: set[str] = set()
        self._reach = Reach()
        self._coverage.start()

    def _switch(self, context: str) -> None:
        self._coverage.switch_context(context)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        start = time.process_time()
        outcome = yield
        self._reach.seconds[item.nodeid] = time.process_time() - start
        return outcome

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        self._switch(item.nodeid)
        try:
            return (yield)
        finally:
            self._switch("")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not report.passed:
            self._failed.add(report.nodeid)

    def result(self) -> Reach:
        """What has been measured; tests that failed or were skipped are left out."""
        self._coverage.stop()
        data = self._coverage.get_data()
        for file in data.measured_files():
            module = ".".join(Path(file).with_suffix("").parts[-2:])
            place_by_line = _places(Path(file).read_text())
            for line, tests in data.contexts_by_lineno(file).items():
                if line in place_by_line:
                    for test in tests:
                        self._add(test, (module, place_by_line[line]))
        for test in self._failed:
            self._reach.seconds.pop(test, None)
        return self._reach

    def _add(self, test: str, place: Place) -> None:
        (self._reach.places[test] if test else self._reach.by_all).add(place)


def _places(source: str) -> dict[int, str]:
    """Functions and methods by the lines of their bodies."""
    return {
        line: name
        for name, body in _bodies(ast.parse(source).body)
        for line in range(body[0].lineno, (body[-1].end_lineno or 0) + 1)
    }


def _bodies(statements: Iterable[ast.stmt], within: str = "") -> Iterator[tuple[str, list[ast.stmt]]]:
    for statement in statements:
        if isinstance(statement, ast.FunctionDef):
            yield within + statement.name, statement.body
        elif isinstance(statement, ast.ClassDef):
            yield from _bodies(statement.body, f"{statement.name}.")


def place_of(mutant: Mutant, source: str) -> str:
    """The function or method in whose body a mutant is; empty for what runs at import."""
    return _places(source).get(mutant.line, "")


def _concerned(mutant: Mutant, source: str) -> set[Place]:
    """What a mutant changes the work of."""
    place = place_of(mutant, source)
    if place:
        return {(mutant.module, place)}
    bodies = list(_bodies(ast.parse(source).body))
    names = [name for name, body in bodies if _reads(name, body, mutant.scope)]
    return {(mutant.module, name) for name in names or [name for name, _ in bodies]}


def _reads(name: str, body: list[ast.stmt], wanted: str) -> bool:
    """Whether a function is what is meant, or belongs to it, or names it."""
    return name.split(".")[0] == wanted or any(
        isinstance(node, ast.Name) and node.id == wanted for statement in body for node in ast.walk(statement)
    )


def _readers(mutant: Mutant) -> tuple[str, ...]:
    """Test files that read what runs at import."""
    return (READS_DEFINITIONS, *(READ_RECORDS if mutant.module.startswith("indices.") else ()))


def tests_of(
    mutant: Mutant, source: str, reaches: dict[str, Reach], first: Sequence[str], seconds: float
) -> dict[str, list[str]]:
    """Tests that are to try a mutant, by their files, in the order in which they are run.

    Parameters
    ----------
    reaches : dict of str to Reach
        By test file.
    first : sequence of str
        Tests that have killed others of the same definition.
    seconds : float
        Processor time that the tests may take together; the cheapest are taken.
    """
    concerned = _concerned(mutant, source)
    readers = _readers(mutant) if not place_of(mutant, source) else ()
    cost: dict[str, float] = {}
    file_of: dict[str, str] = {}
    for file, reach in reaches.items():
        for test in reach.seconds if file in readers else reach.reaching(concerned):
            cost[test], file_of[test] = reach.seconds[test], file
    known = [test for test in first if test in cost]
    chosen: dict[str, list[str]] = {}
    spent = 0.0
    for test in dict.fromkeys([*known, *sorted(cost, key=cost.__getitem__)]):
        spent += cost[test]
        if spent > seconds and chosen:
            break
        chosen.setdefault(file_of[test], []).append(test)
    return chosen
