"""scikit-learn's own tests pass with its names bound to ours; those that do not are listed, each with its reason."""

from __future__ import annotations

import os
from typing import Any

import pytest
from scikit_learn_suite import listed_failures, run_modules

from adjudge.metrics.patching import TESTED

sklearn = pytest.importorskip("sklearn", minversion=TESTED[0])

CLUSTERINGS = tuple(f"metrics.cluster.tests.test_{name}" for name in ("supervised", "unsupervised", "common"))
CLASSIFIERS = tuple(f"metrics.tests.test_{name}" for name in ("classification", "ranking", "common"))
# Tests of private functions, which have to stay few: such a test proves nothing here.
MOST_WITHOUT_A_CALL = 0.15
IS_NEWEST = sklearn.__version__.startswith(TESTED[-1])
# Older versions have other messages.
MOST_LISTED = 0.02 if IS_NEWEST else 0.15


def check(module: str, outcomes: dict[str, dict[str, Any]]) -> int:
    """Failures are those that are listed, no more and no less; return their number.

    A test that fails without a call of ours fails without us: older versions of scikit-learn and newer ones of the
    libraries of arrays do not agree on regression.
    """
    failed = {
        test: one["message"] for test, one in outcomes.items() if one["outcome"] == "failed" and one["calls"]
    }
    known: set[str] = set()
    for entry in listed_failures(module, sklearn.__version__):
        for test in entry.tests:
            found = entry.matching(failed, test)
            assert found, f"{module}: {test} is listed, and does not fail"
            known |= found
    unlisted = {test: message for test, message in failed.items() if test not in known}
    assert not unlisted, f"{module}: these tests fail, and are not listed"
    return len(known)


@pytest.fixture(scope="module")
def of_clusterings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    return run_modules(CLUSTERINGS, tmp_path_factory.mktemp("scikit-learn"))


@pytest.mark.full
@pytest.mark.parametrize("module", CLUSTERINGS)
def test_clusterings(module: str, of_clusterings: dict[str, dict[str, dict[str, Any]]]) -> None:
    outcomes = of_clusterings[module]
    n_listed = check(module, outcomes)
    passed = [one for one in outcomes.values() if one["outcome"] == "passed"]
    assert len(passed) >= (50 if IS_NEWEST else 36)
    assert sum(one["calls"] == 0 for one in passed) <= MOST_WITHOUT_A_CALL * len(passed)
    assert n_listed == 0


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
    n_listed = check(module, outcomes)
    calling = [one for one in outcomes.values() if one["outcome"] != "skipped" and one["calls"]]
    assert len(calling) >= (least if IS_NEWEST else least_of_older)
    assert n_listed <= MOST_LISTED * len(calling)


def test_every_entry_is_of_a_version_that_is_tested() -> None:
    for module in (*CLUSTERINGS, *CLASSIFIERS):
        for version in TESTED:
            assert all({*entry.versions} <= {*TESTED} for entry in listed_failures(module, version))
