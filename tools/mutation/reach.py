"""What each test reaches, and its cost: a mutant is tried by the tests that run the lines it changes."""

from __future__ import annotations

import ast
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from suites import LISTS_OF_RECORDS, PACKAGE, READ_RECORDS, READS_DEFINITIONS, ROOMS
from swaps import clear_caches

if TYPE_CHECKING:
    from mutants import Mutant

__all__ = ["Measure", "Reach", "Test", "is_for", "lines_of", "tests_of"]

_FIXTURE = "fixture "


@dataclass
class Reach:
    """What the tests of a file reach.

    Attributes
    ----------
    seconds : dict of str to float
        Processor time by test, for those that pass.
    tests : dict of str to dict of int to set of str
        The tests that run each line, or need a fixture that does, by module and line.
    at_import : dict of str to set of int
        The lines that run when the tests are collected, by module.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    at_import: dict[str, set[int]] = field(default_factory=dict)

    def reaching(self, module: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that run any of these lines: all tests if collecting runs one."""
        lines = list(lines)
        if self.runs_at_import(module, lines):
            return set(self.seconds)
        by_line = self.tests.get(module, {})
        return {test for line in lines for test in by_line.get(line, ()) if test in self.seconds}

    def runs_at_import(self, module: str, lines: Iterable[int]) -> bool:
        return not self.at_import.get(module, set()).isdisjoint(lines)


class Measure:
    """A pytest plugin that measures the reach and cost of the tests of one file."""

    def __init__(self) -> None:
        import coverage

        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[f"*/{PACKAGE}/{room}/*" for room in ROOMS]
        )
        self._failed: set[str] = set()
        self._needing: dict[str, set[str]] = defaultdict(set)
        self._now = ""
        self._reach = Reach()
        self._coverage.start()

    def _switched(self, context: str) -> str:
        """Attribute what runs from now on to another context; return the previous one."""
        before, self._now = self._now, context
        self._coverage.switch_context(context)
        return before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        for fixture in getattr(item, "fixturenames", ()):
            self._needing[_FIXTURE + fixture].add(item.nodeid)
        for room in ROOMS:
            clear_caches(f"{PACKAGE.name}.{room}")
        before = self._switched(item.nodeid)
        start = time.process_time()
        outcome = yield
        self._reach.seconds[item.nodeid] = time.process_time() - start
        self._switched(before)
        return outcome

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Any:
        before = self._now
        if fixturedef.scope != "function":  # other tests use it, too
            self._switched(_FIXTURE + fixturedef.argname)
        outcome = yield
        self._switched(before)
        return outcome

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not report.passed:
            self._failed.add(report.nodeid)

    def result(self) -> Reach:
        """Return what has been measured, without tests that failed or were skipped."""
        self._coverage.stop()
        data = self._coverage.get_data()
        for file in data.measured_files():
            below = Path(file).as_posix().rpartition(f"{PACKAGE.as_posix()}/")[2]
            module = below.removesuffix(".py").replace("/", ".")
            tests = self._reach.tests[module] = {}
            imported = self._reach.at_import[module] = set()
            for line, contexts in data.contexts_by_lineno(file).items():
                if "" in contexts:
                    imported.add(line)
                if found := {test for own in contexts if own for test in self._needing.get(own, [own])}:
                    tests[line] = found
        for test in self._failed:
            self._reach.seconds.pop(test, None)
        return self._reach


class Test(NamedTuple):
    """A test, its file, and the processor time that it takes."""

    name: str
    file: str
    seconds: float


@dataclass(frozen=True)
class _Source:
    """The places of statements and functions in the source of a module.

    Attributes
    ----------
    parts : list of range
        Lines of simple statements, of the heads of compound ones, and of lambdas.
    functions : list of tuple
        Functions and methods: name, node and lines of the body.
    """

    parts: list[range]
    functions: list[tuple[str, ast.FunctionDef, range]]


@lru_cache(maxsize=128)
def _parsed(source: str) -> _Source:
    tree = ast.parse(source)
    parts = [
        _part(node) for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.Lambda, ast.excepthandler))
    ]
    return _Source(sorted(parts, key=len), list(_functions(tree.body)))


def _part(node: Any) -> range:
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    body = getattr(node, "body", None)
    if isinstance(body, list):
        return range(first, max(first + 1, body[0].lineno))
    return range(first, node.end_lineno + 1)


def _functions(
    statements: Iterable[ast.stmt], within: str = ""
) -> Iterator[tuple[str, ast.FunctionDef, range]]:
    for statement in statements:
        if isinstance(statement, ast.FunctionDef):
            body = range(statement.body[0].lineno, (statement.end_lineno or 0) + 1)
            yield within + statement.name, statement, body
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, f"{statement.name}.")


def lines_of(line: int, source: str) -> range:
    """Return the lines that run together with a line: those of the smallest statement, head or lambda around it."""
    return next((part for part in _parsed(source).parts if line in part), range(line, line + 1))


def _in_a_function(line: int, source: str) -> bool:
    return any(line in body for _, _, body in _parsed(source).functions)


def _concerned(line: int, scope: str, source: str) -> list[int]:
    """Return the lines that a mutant affects: if it is in no function, the bodies of functions that depend on it."""
    if _in_a_function(line, source):
        return list(lines_of(line, source))
    functions = _parsed(source).functions
    bodies = [body for name, node, body in functions if _reads(name, node, scope)]
    return [line for body in bodies or [body for _, _, body in functions] for line in body]


def _reads(name: str, function: ast.FunctionDef, wanted: str) -> bool:
    """Whether a function is the wanted definition, belongs to it, or names it."""
    return name.split(".")[0] == wanted or any(
        isinstance(node, ast.Name) and node.id == wanted
        for statement in function.body
        for node in ast.walk(statement)
    )


def _readers(module: str) -> tuple[str, ...]:
    """Return the test files that read what runs at import."""
    return (READS_DEFINITIONS, *(READ_RECORDS if module.startswith("indices.") else ()))


def tests_of(
    mutant: Mutant,
    source: str,
    reaches: dict[str, Reach],
    first: Collection[str],
    kills: Mapping[str, int],
    seconds: float,
) -> list[Test]:
    """Return the tests that try a mutant, in the order in which they run.

    Parameters
    ----------
    reaches : dict of str to Reach
        By test file.
    first : collection of str
        Tests that have killed other mutants of the same definition.
    kills : mapping of str to int
        How many mutants each test has killed so far.
    seconds : float
        Processor time that the tests may take together; the first tests that fit are kept.
    """
    concerned = _concerned(mutant.line, mutant.scope, source)
    at_import = not _in_a_function(mutant.line, source)
    readers = _readers(mutant.module) if at_import else ()
    found = {
        name: Test(name, file, reach.seconds[name])
        for file, reach in reaches.items()
        for name in (reach.seconds if file in readers else reach.reaching(mutant.module, concerned))
    }
    rest, known, lists = [], [], []

    def cost(test: Test) -> float:
        return test.seconds / (kills.get(test.name, 0) + 1)

    for test in sorted(found.values(), key=cost):
        lists_it = at_import and (
            test.file == READS_DEFINITIONS
            or test.name.startswith(LISTS_OF_RECORDS)
            or is_for(mutant.scope, test.name)
        )
        (lists if lists_it else known if test.name in first else rest).append(test)
    tiers = _TIERS[1:] if at_import else _TIERS
    others: list[Test] = []
    if at_import:  # other modules and tests may read it
        every = [line for _, _, body in _parsed(source).functions for line in body]
        others = sorted(
            (
                Test(name, file, reach.seconds[name])
                for file, reach in reaches.items()
                for name in reach.reaching(mutant.module, every) - found.keys()
            ),
            key=cost,
        )
    return list(_affordable([*lists, *known, *_by_file(rest, tiers), *_by_file(others, tiers)], seconds))


def is_for(scope: str, test: str) -> bool:
    """Whether a parametrized test has this name as its parameter, as in ``test_range_is_reached[frey]``."""
    return scope in re.split(r"[^\w.]+", test.partition("[")[2])


#: Limits of processor time: tests below a limit run before longer ones, whatever their file. For code that runs at
#: import, each file has yet to be collected, so the first limit is not used.
_TIERS = (0.05, 0.5, float("inf"))


def _by_file(tests: list[Test], tiers: Sequence[float]) -> Iterator[Test]:
    """Order tests: cheap ones first, and those of a file together, because they share fixtures."""
    place = {file: i for i, file in enumerate(dict.fromkeys(test.file for test in tests))}
    tier = lambda test: next(i for i, most in enumerate(tiers) if test.seconds <= most)  # noqa: E731
    yield from sorted(tests, key=lambda test: (tier(test), place[test.file]))


def _affordable(tests: list[Test], seconds: float) -> Iterator[Test]:
    """Yield tests as long as their total time is within the limit, but at least one."""
    for i, test in enumerate(tests):
        seconds -= test.seconds
        if seconds < 0 and i:
            return
        yield test
