"""The public interface as a type checker sees it from outside: users' programs in tests/typing, checked by mypy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge
from adjudge.exported import public_names
from adjudge.indices.catalog import all_indices

PROGRAMS = Path(__file__).parent / "typing"
ROOT = Path(adjudge.__file__).parents[1]
# Apart from what checks the package itself, whose options differ.
CACHE = Path(__file__).parents[2] / ".mypy_cache" / "from_outside"

MISTAKE = re.compile(r"# error: ([\w-]+)$")
REPORTED = re.compile(r"^(?P<file>.+?):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.MULTILINE)


# One process of pytest-xdist runs the type checker, and once.
pytestmark = [pytest.mark.xdist_group("types"), pytest.mark.full]
NAMES = [*public_names(), *(name for name in dir(adjudge.indices) if name in all_indices())]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Say what mypy says of the programs and of every public name, without the settings of this project."""
    pytest.importorskip("mypy")
    names = tmp_path_factory.mktemp("names") / "names.py"
    names.write_text("import adjudge\n" + "".join(f"reveal_type(adjudge.{name})\n" for name in NAMES))
    programs = [*sorted(path.name for path in PROGRAMS.glob("*.py")), str(names)]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={CACHE}", *programs]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=PROGRAMS,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def errors(output: str) -> set[tuple[str, int, str]]:
    """Return those of users' programs."""
    found = [(PROGRAMS / m["file"], int(m["line"]), m["code"]) for m in REPORTED.finditer(output)]
    return {(path.name, line, code) for path, line, code in found if path.parent == PROGRAMS}


@pytest.mark.full
def test_programs_are_typed_as_they_say(checked: str) -> None:
    """Right programs pass, and exactly the marked lines of the wrong one fail."""
    marked = {
        (path.name, number, mistake[1])
        for path in PROGRAMS.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (mistake := MISTAKE.search(line))
    }
    assert errors(checked) == marked, checked
    assert len(marked) >= 10


@pytest.mark.full
def test_every_public_name_has_a_type(checked: str) -> None:
    """The package looks names up when they are used; a checker must know them nonetheless."""
    revealed = re.findall(r"names\.py:(\d+): note: Revealed type is \"(.+)\"$", checked, re.MULTILINE)
    types = {NAMES[int(line) - 2]: kind for line, kind in revealed}
    assert types.keys() == set(NAMES), checked
    assert [name for name, kind in types.items() if kind == "Any"] == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(adjudge.__file__).parent / "py.typed").read_bytes() == b""
