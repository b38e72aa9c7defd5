"""The package goes with adjudge, and adjudge works without it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from adjudge_papers.command import reproduce

PACKAGE = Path(__file__).parents[1]

WITHOUT = """
import sys
sys.modules["adjudge_papers"] = None
from adjudge.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_versions_go_together() -> None:
    own, adjudge = (
        tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in (PACKAGE, PACKAGE.parents[1])
    )
    assert own["version"] == adjudge["version"]


def test_the_command_is_declared_for_adjudge_to_find() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    (named,) = project["entry-points"]["adjudge.commands"].items()
    assert EntryPoint(*named, "adjudge.commands").load() is reproduce


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments", [["--list"], ["biswas-clustering"], ["biswas-clustering", "--output", "folder"], []]
)
def test_adjudge_says_what_to_install_where_the_experiments_are_not(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "reproduce", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "adjudge: published experiments are a package of their own: pip install adjudge-papers\n"
    )
