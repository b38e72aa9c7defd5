"""A plugin for pytest: scikit-learn's names are bound to adjudge's, and what became of each test is written down.

For each test it is counted how often a function of adjudge was called: a test that calls none proves nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import metrics
from adjudge.metrics.checks import HOMES

calls = 0
outcomes: dict[str, dict[str, dict[str, Any]]] = {}


def counted(function: Any) -> Any:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        global calls
        calls += 1
        return function(*args, **kwargs)

    return call


def pytest_configure() -> None:
    for name in HOMES:
        setattr(metrics, name, counted(getattr(metrics, name)))
    adjudge.metrics.patch_sklearn()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    global calls
    report = (yield).get_result()
    if report.when == "call" or not report.passed:
        message = str(call.excinfo.value) if call.excinfo is not None else ""
        of_module = outcomes.setdefault(item.module.__name__.removeprefix("sklearn."), {})
        test = item.nodeid.partition("::")[2]
        of_module[test] = {"outcome": report.outcome, "message": message, "calls": calls}
    calls = 0


def pytest_sessionfinish() -> None:
    Path(os.environ["ADJUDGE_OUTCOMES"]).write_text(json.dumps(outcomes), encoding="utf-8")
