"""Each guide as a notebook to download, made when the documentation is built."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pictures import GUIDE_PICTURE
from sphinx.application import Sphinx

# Examples, or the call that draws a picture with the picture.
_CODE = re.compile(rf"^```python\n(>>>.*?)^```$|{GUIDE_PICTURE.pattern}", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\{doc\}`(.+?) <.+?>`|\[([^]]+)\]\((?!https?:)[^)]+\)")


def notebook(text: str) -> dict[str, Any]:
    """Return a page as a notebook: one cell for each example that shows something, and for the text between.

    Outputs are left out: running the notebook makes them. Links to other pages become plain text.
    """
    cells, end = [], 0
    for found in _CODE.finditer(text):
        cells += [_cell("markdown", _prose(text[end : found.start()])), *_examples(found)]
        end = found.end()
    cells.append(_cell("markdown", _prose(text[end:])))
    cells = [{"id": f"cell-{i}", **cell} for i, cell in enumerate(c for c in cells if c["source"])]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def _prose(text: str) -> str:
    text = re.sub(r"^!\[.+?\]\((?!https?:).+?\)$", "", text, flags=re.MULTILINE)
    return _LINK.sub(lambda found: found[1] or found[2], text).strip()


def _examples(found: re.Match[str]) -> Iterator[dict[str, Any]]:
    """Yield a cell for each example with output, after those without."""
    if found[2]:
        yield _cell("code", found[2])
        return
    source = ""
    for example in doctest.DocTestParser().get_examples(found[1]):
        source += example.source
        if example.want:
            yield _cell("code", source, ["raises-exception"] if example.exc_msg else [])
            source = ""
    yield _cell("code", source)


def _cell(kind: str, source: str, tags: list[str] | None = None) -> dict[str, Any]:
    more = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {"tags": tags} if tags else {}, "source": source.strip(), **more}


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the notebook of each guide as it is read, and link to it at its end."""

    def on_read(app: Sphinx, name: str, source: list[str]) -> None:
        if name.startswith("guide/"):
            path = Path(app.srcdir, "_build", "notebooks", f"{Path(name).name}.ipynb")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(notebook(source[0]), indent=1, ensure_ascii=False), "utf-8")
            link = f"{{download}}`This page as a notebook </_build/notebooks/{path.name}>`"
            source[0] = f"{source[0].rstrip()}\n\n{link}\n"

    app.connect("source-read", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
