"""Guides show their answer early, draw it from their own example, and run as notebooks."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path[:0] = [str(DOCS), str(DOCS / "_extensions")]

from notebooks import notebook  # noqa: E402
from pictures import GUIDE_PICTURE  # noqa: E402

GUIDES = {page.stem: page for page in sorted((DOCS / "guide").glob("*.md"))}
# Whose answer no display draws.
OTHERS = {
    "gate": "checks with intervals are on the page of a gate: a screenshot of it",
    "report": "the answer is a page: a screenshot of it",
    "saved_results": "a file is all that there is to see",
}
DRAWN = {name: page for name, page in GUIDES.items() if name not in OTHERS}
SCREEN = 50
WORDS = 1500


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_is_short_and_shows_its_answer_on_the_first_screen(name: str) -> None:
    text = GUIDES[name].read_text("utf-8")
    assert len(text.split()) < WORDS
    early = "\n".join(text.splitlines()[:SCREEN])
    shown = re.findall(r"^!\[.+\]\((.+)\)$", early, re.MULTILINE)
    assert bool(shown) == (name != "saved_results")
    assert text.count("<!-- picture:") == len(GUIDE_PICTURE.findall(text)) == (name in DRAWN)
    for _, _, file in GUIDE_PICTURE.findall(text):
        assert (DOCS / "images" / file).exists()
        assert file in "".join(shown)


def test_pictures_of_guides_are_those_that_guides_show() -> None:
    named = {file for page in DRAWN.values() for *_, file in GUIDE_PICTURE.findall(page.read_text("utf-8"))}
    assert {path.name for path in (DOCS / "images").glob("guide-*")} == named


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("name", DRAWN)
def test_a_guide_draws_its_picture(name: str) -> None:
    from guide_pictures import pictures

    from adjudge.displays._display import Display

    ((_, display),) = pictures(DRAWN[name])
    assert isinstance(display, Display)
    assert display.figure_.axes


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_is_a_notebook(name: str) -> None:
    nbformat = pytest.importorskip("nbformat")
    made = notebook(GUIDES[name].read_text("utf-8"))
    nbformat.validate(nbformat.from_dict(made))
    for kind, source in ((cell["cell_type"], cell["source"]) for cell in made["cells"]):
        if kind == "code":
            compile(source, name, "exec")
        else:
            assert ">>>" not in source
            assert ".md" not in re.sub(r"^```.*?^```|`.*?`", "", source, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.full
@pytest.mark.parametrize("name", ["labels_and_truth", "saved_results"])
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    for place in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(place, str(tmp_path / place.lower()))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    made = nbformat.from_dict(notebook(GUIDES[name].read_text("utf-8")))
    nbclient.NotebookClient(made, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in made.cells for output in cell.get("outputs", [])]
    drawn = [output for output in shown if "image/png" in output.get("data", {})]
    assert len(shown) >= 5
    assert len(drawn) == (name in DRAWN)
