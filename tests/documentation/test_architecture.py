"""The page of the architecture is true: its diffs apply to the sources, its examples then run, its modules exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge

ROOT = Path(adjudge.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "architecture.md").read_text("utf-8")

EXAMPLES = """
import doctest, sys
from pathlib import Path
# An editable installation brings a finder that goes before every path.
sys.meta_path = [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable")]
import adjudge
assert Path(adjudge.__file__).parent == Path("adjudge").resolve()
found = doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
assert found.attempted and not found.failed
assert "pairs ordered differently" in adjudge.concordance.__doc__
from adjudge.cli import main
Path("f.csv").write_text("truth,a,b\\n0,0,0\\n1,1,0\\n1,0,0\\n")
main(["shared-mistakes", "f.csv", "--truth", "truth", "--models", "a,b"])
"""


def apply(diff: str, root: Path) -> None:
    """Change files below a folder; the lines that a hunk keeps or takes away stand there once."""
    for piece in re.split(r"^--- ", diff, flags=re.MULTILINE)[1:]:
        name, _, changes = piece.partition("\n")
        path = root / name
        if not changes.startswith("@@"):
            assert not path.exists(), f"{name} is there already"
            path.write_text("".join(f"{line[1:]}\n" for line in changes.splitlines()), "utf-8")
            continue
        text = path.read_text("utf-8")
        for hunk in changes.removeprefix("@@\n").split("\n@@\n"):
            before, after = (
                "".join(f"{line[1:]}\n" for line in hunk.splitlines() if line[:1] != sign) for sign in "+-"
            )
            assert text.count(before) == 1, (
                f"docs/architecture.md shows lines that {name} has {text.count(before)} times, not once; change them "
                f"on the page, too:\n{before}"
            )
            text = text.replace(before, after)
        path.write_text(text, "utf-8")


@pytest.mark.full
def test_what_the_page_adds_works(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "adjudge")
    for diff in re.findall(r"^```diff\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        apply(diff, tmp_path / "adjudge")
    code = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "examples.txt").write_text("\n".join(code), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", EXAMPLES, "examples.txt"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "No model is right on 1 instance" in ran.stdout


@pytest.mark.parametrize(
    "name", ["architecture.md", "images/way-of-a-label.svg", "images/way-of-a-point.svg"]
)
def test_modules_that_are_named_exist(name: str) -> None:
    text = re.sub(r"^```diff.*?^```$", "", (DOCS / name).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"(?<![\w/.])[a-z_][a-z_/]*\.py\b", text))
    assert len(named) > 10
    # A page that has said which folder it speaks of names a module alone.
    found = {own for own in named for of in (ROOT, DOCS.parent) if (of / own).is_file()}
    found |= {own for own in named if "/" not in own and any(ROOT.rglob(own))}
    assert named == found, f"{name} names modules that are not there: {sorted(named - found)}"
