"""Open sessions of pytest: a process loads it, and perhaps all tests; its forks run some of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from processes import limit_time
from reach import Measure, Reach, Test

__all__ = ["Session", "hold_open", "measured", "start"]

#: A Hypothesis profile that does not shrink failing examples.
_PROFILE = "mutation"
_OPTIONS = [
    "--override-ini=addopts=--import-mode=importlib -q",  # without the doctests of test files
    f"--hypothesis-profile={_PROFILE}",
    "--capture=no",
    "--tb=no",  # formatting a failure takes longer than most tests
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--assert=plain",  # else pytest itself loads modules whose names end with _test, bypassing our loader
]
#: Seconds of processor time for importing and collecting tests.
_TO_COLLECT = 30.0


def start(tree: Path) -> None:
    """Test the copy of the project in this folder."""
    import hypothesis

    os.chdir(tree)
    sys.path.insert(0, str(tree / "src"))
    sys.dont_write_bytecode = False  # tests are compiled once, in the copy
    hypothesis.settings.register_profile(
        _PROFILE,
        deadline=None,
        derandomize=True,
        database=None,
        max_examples=60,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )


def measured(file: str) -> Reach:
    """Run the tests of a file, and return what they reach."""
    plugin = Measure()
    pytest.main([*_OPTIONS, file], plugins=[plugin])
    return plugin.result()


class Session:
    """An open session of pytest.

    Attributes
    ----------
    failed : str
        What failed first; empty until something fails.
    """

    def __init__(self, work: Callable[[Session], None]) -> None:
        self._work = work
        self._items: dict[str, pytest.Item] = {}
        self._collected: set[str] = set()
        self.failed = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:
        return True  # collect nothing yet

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._session = session
        self._work(self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (import)"

    def collect(self, files: list[str]) -> None:
        """Collect the tests of files that have not been collected yet."""
        new = [file for file in files if file not in self._collected]
        if new:
            self._items |= {item.nodeid: item for item in self._session.perform_collect(new)}
            self._collected.update(new)

    def run(self, tests: list[Test]) -> str:
        """Run tests until one fails, and return its name, or nothing. Skip tests that a mutant has removed."""
        for i, test in enumerate(tests):
            limit_time(_TO_COLLECT)
            self.collect([test.file])
            if test.name in self._items and not self.failed:
                limit_time(2 + 10 * test.seconds)
                following = self._items.get(tests[i + 1].name) if i + 1 < len(tests) else None
                hook = self._session.config.hook
                hook.pytest_runtest_protocol(item=self._items[test.name], nextitem=following)
            if self.failed:
                break
        return self.failed


def hold_open(work: Callable[[Session], None]) -> None:
    """Load pytest with what all tests share, and work in it."""
    with open(os.devnull, "w") as sys.stdout:
        pytest.main([*_OPTIONS, "tests"], plugins=[Session(work)])
