"""scikit-learn's own tests pass with its names bound to ours."""

from __future__ import annotations

import os
from typing import Any

import pytest
from scikit_learn_suite import run_modules

from adjudge.metrics.patching import TESTED

sklearn = pytest.importorskip("sklearn", minversion=TESTED[0])

CLUSTERINGS = tuple(f"metrics.cluster.tests.test_{name}" for name in ("supervised", "unsupervised", "common"))
CLASSIFIERS = tuple(f"metrics.tests.test_{name}" for name in ("classification", "ranking", "common"))
# Tests of private functions, which have to stay few: such a test proves nothing here.
MOST_WITHOUT_A_CALL = 0.15
IS_NEWEST = sklearn.__version__.startswith(TESTED[-1])


def check(module: str, outcomes: dict[str, dict[str, Any]]) -> None:
    """No test fails, but for those that fail without a call of ours.

    Older versions of scikit-learn and newer ones of the libraries of arrays do not agree on regression.
    """
    failed = {
        test: one["message"] for test, one in outcomes.items() if one["outcome"] == "failed" and one["calls"]
    }
    assert not failed, f"{module}: these tests fail"


@pytest.fixture(scope="module")
def of_clusterings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    return run_modules(CLUSTERINGS, tmp_path_factory.mktemp("scikit-learn"))


@pytest.mark.full
@pytest.mark.parametrize("module", CLUSTERINGS)
def test_clusterings(module: str, of_clusterings: dict[str, dict[str, dict[str, Any]]]) -> None:
    outcomes = of_clusterings[module]
    check(module, outcomes)
    passed = [one for one in outcomes.values() if one["outcome"] == "passed"]
    assert len(passed) >= (50 if IS_NEWEST else 36)
    assert sum(one["calls"] == 0 for one in passed) <= MOST_WITHOUT_A_CALL * len(passed)


@pytest.fixture(scope="module")
def of_classifiers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    if not os.environ.get("ADJUDGE_TEST_PEERS"):
        pytest.skip("they take minutes: make test-peers")
    return run_modules(CLASSIFIERS, tmp_path_factory.mktemp("scikit-learn"))


@pytest.mark.parametrize(
    ("module", "least", "least_of_older"),
    [*zip(CLASSIFIERS, (230, 190, 1300), (180, 115, 950), strict=True)],
)
def test_classifiers(
    module: str, least: int, least_of_older: int, of_classifiers: dict[str, dict[str, dict[str, Any]]]
) -> None:
    """Of the tests of these modules, which are for more functions than ours, those count that call ours."""
    outcomes = of_classifiers[module]
    check(module, outcomes)
    calling = [one for one in outcomes.values() if one["outcome"] != "skipped" and one["calls"]]
    assert len(calling) >= (least if IS_NEWEST else least_of_older)
