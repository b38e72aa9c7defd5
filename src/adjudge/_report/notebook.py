"""The page as a widget of a notebook, which knows the instances that its filters select."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from adjudge.errors import MissingExtraError


def page_widget(page: str) -> Any:
    """Return an anywidget that shows the page.

    Its `page` is the HTML, its `selected` None until the page is shown, then the positions of the selected instances as
    unsigned integers of 32 bits, little-endian.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingExtraError("anywidget", "notebook", ".widget") from None

    class PageWidget(anywidget.AnyWidget):
        _esm = files("adjudge._report").joinpath("static", "notebook.js").read_text(encoding="utf-8")
        page = traitlets.Unicode().tag(sync=True)
        selected = traitlets.Bytes(None, allow_none=True).tag(
            sync=True,
            echo_update=False,  # it may be long, and only the kernel reads it
            from_json=lambda given, _: None if given is None else bytes(given),
        )

    return PageWidget(page=page)
