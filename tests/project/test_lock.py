"""The lock has every package that pyproject.toml asks for, with hashes, and says nothing about where it was made."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def asked_for(extra: str) -> list[Requirement]:
    found = [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    nested = [one for r in found if r.name == "adjudge" for name in r.extras for one in asked_for(name)]
    return [*(r for r in found if r.name != "adjudge"), *nested]


def locked(name: str) -> dict[str, list[str]]:
    """Versions of each package: it may have several, for several versions of Python."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    versions: dict[str, list[str]] = {}
    for package, version, rest in re.findall(
        r"^([\w.-]+)==([^ ;\\]+)((?:.|\n(?=[ #]))*)", text, re.MULTILINE
    ):
        assert "--hash=sha256:" in rest, package
        versions.setdefault(package, []).append(version)
    return versions


@pytest.mark.parametrize("name", ["test", "demo"])
def test_the_lock_has_what_is_asked_for(name: str) -> None:
    """If this fails, pyproject.toml has changed: run make lock."""
    versions = locked(name)
    extra = asked_for(name) if name == "test" else []
    for requirement in (*map(Requirement, PROJECT["dependencies"]), *extra):
        package = canonicalize_name(requirement.name)
        assert package in versions, requirement
        assert all(requirement.specifier.contains(version) for version in versions[package]), requirement
    assert "torch" not in versions


@pytest.mark.parametrize("name", ["build", "demo", "test"])
def test_the_lock_names_no_place(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    assert locked(name)
    assert not re.search(r"://|index-url|find-links|file:|(?<![\w.])/\w", text)
