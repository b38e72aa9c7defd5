"""Commands as users run them."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest

from adjudge.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command and return what it prints; an error is one line, which is returned without its beginning.

    The command may be one text with some of its arguments; others follow as they are.
    """

    def call(command: str, *arguments: str, code: int = 0) -> str:
        assert main([*shlex.split(command), *arguments]) == code
        captured = capsys.readouterr()
        if not code:
            return captured.out
        assert captured.out == ""
        assert captured.err.startswith("adjudge: ")
        assert captured.err.count("\n") == 1
        assert captured.err.endswith("\n")
        return captured.err.removeprefix("adjudge: ").rstrip("\n")

    return call
