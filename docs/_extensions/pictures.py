"""The gallery: every picture with the call that draws it, read from ``gallery.py``."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from adjudge import displays

DOCS = Path(__file__).parents[1]


def sections() -> str:
    """Return one section a picture, in the order in which ``gallery.py`` draws them."""
    calls = drawing_calls()
    return "\n\n".join(_section(name, call) for name, call in calls.items())


def drawing_calls() -> dict[str, str]:
    """Return the expressions that make the displays, by the names of their pictures."""
    source = (DOCS / "gallery.py").read_text("utf-8")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    pictures = _returned(functions["gallery"])
    assert isinstance(pictures, ast.Dict)
    return dict(_calls(pictures, functions, source))


def _calls(
    pictures: ast.Dict, functions: dict[str, ast.FunctionDef], source: str
) -> Iterator[tuple[str, str]]:
    for key, plot in zip(pictures.keys, pictures.values, strict=True):
        assert isinstance(key, ast.Constant)
        assert isinstance(plot, ast.Attribute)
        call = plot.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            call = _returned(functions[call.func.id])
        first, *rest = (ast.get_source_segment(source, call) or "").split("\n")
        code = "\n".join([first, *textwrap.dedent("\n".join(rest)).split("\n")]).rstrip()
        yield key.value, re.sub(r"^d\.", "displays.", code)


def _returned(function: ast.FunctionDef) -> ast.expr:
    (value,) = [node.value for node in function.body if isinstance(node, ast.Return)]
    assert value is not None
    return value


def _section(name: str, call: str) -> str:
    title = name.replace("-", " ").capitalize()
    display = re.search(r"displays\.(\w+)", call)
    caption = inspect.getdoc(getattr(displays, display[1])) if display else ""
    return "\n\n".join(
        [
            f"## {title}",
            (caption or "").partition("\n")[0],
            f"![{title}](images/{name}.png)",
            f"```python\n{call}.plot()\n```",
        ]
    )
