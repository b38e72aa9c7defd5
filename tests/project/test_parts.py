"""The quick part of the tests and the rest are all tests, and many cases in one test can all fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cases
from cases import each, evenly

ROOT = Path(__file__).parents[2]


def test_every_case_is_run_and_named() -> None:
    run = []

    @each("x, y", [(1, "a"), (2, "b"), (3, "c")])
    def wrong_once(x: int, y: str) -> None:
        run.append((x, y))
        assert x != 2

    with pytest.raises(AssertionError) as caught:
        wrong_once()
    assert caught.value.__notes__ == ["where x = 2, y = 'b'"]
    assert len(run) == 3


def test_several_cases_that_fail_are_shown() -> None:
    @each("x", range(20))
    def wrong(x: int) -> None:
        if x % 2:
            pytest.fail(f"{x} is odd")

    with pytest.raises(BaseExceptionGroup, match="the first 5 cases that fail") as caught:
        wrong()
    assert [str(own) for own in caught.value.exceptions] == [f"{x} is odd" for x in (1, 3, 5, 7, 9)]


def test_a_test_without_cases_is_an_error() -> None:
    with pytest.raises(ValueError, match="a test has no value of x"):
        each("x", [])


def test_cases_are_skipped_one_by_one() -> None:
    run = []

    @each("x", range(4))
    def some(x: int) -> None:
        if x:
            pytest.skip("not this one")
        run.append(x)

    @each("x", range(4))
    def none(x: int) -> None:
        pytest.skip("none of them")

    some()
    assert run == [0]
    with pytest.raises(pytest.skip.Exception):
        none()


def test_the_quick_part_keeps_some_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    run = []

    @each("x", range(10), keep=3)
    def few(x: int) -> None:
        run.append(x)

    monkeypatch.setattr(cases, "PART", "quick")
    few()
    assert run == evenly(range(10), 3) == [0, 3, 6]
    monkeypatch.setattr(cases, "PART", "rest")
    few()
    assert run[3:] == list(range(10))


@pytest.mark.full
def test_both_parts_are_all_tests() -> None:
    files = [
        f"tests/{name}.py" for name in ("given/test_strings", "engines/test_frames", "displays/test_displays")
    ]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--collect-only",
        "-q",
        "-o",
        "addopts=",
    ]

    def collected(part: str) -> set[str]:
        done = subprocess.run(
            [*command, *files, "--part", part], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return {line for line in done.stdout.splitlines() if "::" in line}

    every, quick, rest = map(collected, ("all", "quick", "rest"))
    assert quick | rest == every
    assert min(len(quick), len(rest)) > 50
    # Of tests with many cases, the quick part runs some and the rest all.
    sampled = {"test_strings_are_coded_as_a_dictionary_codes_them"}
    assert {line.partition("::")[2] for line in quick & rest} == sampled
