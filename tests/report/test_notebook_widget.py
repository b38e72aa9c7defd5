"""The page as a widget: what its Python side keeps of the page's answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adjudge import InputError, report
from adjudge._report.notebook import page_widget

TRUTH = np.array(["a", "b", "a", "b"])


def made(tmp_path: Path):
    return report(TRUTH, {"one": TRUTH[::-1]}, kind="classification", output=tmp_path / "page.html")


def test_the_widget_has_the_page_and_keeps_what_it_selects(tmp_path: Path) -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed (extra 'notebook')")
    found = made(tmp_path)
    with pytest.raises(InputError, match=r"show the page with \.widget"):
        _ = found.selected
    assert found.widget is found.widget
    assert found.widget.page == found.path.read_text("utf-8")
    with pytest.raises(InputError, match=r"show the page with \.widget"):
        _ = found.selected
    for rows in ([3, 1, 70_000], []):
        found.widget.set_state({"selected": memoryview(np.array(rows, "<u4").tobytes())})
        assert found.selected.tolist() == rows
        assert found.selected.dtype == np.int64
    assert found == made(tmp_path)


def test_without_anywidget_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"widget needs the package .anywidget.*adjudge\[notebook\]"):
        page_widget("<p>")
    assert "<iframe" in made(tmp_path)._repr_html_()
