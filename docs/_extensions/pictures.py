"""Pictures and the calls that draw them: of the guides, and of the gallery, which is made from ``gallery.py``."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from adjudge import displays

DOCS = Path(__file__).parents[1]
#: A picture of a guide, which ``guide_pictures.py`` draws: the call in a comment, then the file.
GUIDE_PICTURE = re.compile(
    r"^<!-- picture: (\S.*?) -->\n(!\[[^]]+\]\(\.\./images/(guide-\w+\.png)\))$", re.DOTALL | re.MULTILINE
)
_ELSEWHERE = {"argparse", "io", "pathlib", "typing", "collections.abc", "PIL", "__future__"}


def sections() -> str:
    """Return one section a picture, in the order in which ``gallery.py`` draws them."""
    titles = ast.literal_eval(_assigned("TITLES"))
    return "\n\n".join(_section(name, titles[name], call) for name, call in drawing_calls().items())


def data_code() -> str:
    """Return the code that makes what the calls read: imports, and the body of `gallery`."""
    source = _source()
    tree = ast.parse(source)
    imports = [
        _text(source, node)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module not in _ELSEWHERE
    ]
    (function,) = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "gallery"]
    body, end = function.body[1], function.body[-1]
    lines = source.splitlines()[_first_line(body, source) - 1 : end.lineno - 1]
    return "\n".join(imports) + "\n\n" + textwrap.dedent("\n".join(lines)).rstrip()


def drawing_calls() -> dict[str, str]:
    """Return the expressions that make the displays, by the names of their pictures."""
    source = _source()
    (function,) = [
        n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == "gallery"
    ]
    returned = function.body[-1]
    assert isinstance(returned, ast.Return)
    assert isinstance(returned.value, ast.Dict)
    return dict(_calls(returned.value, source))


def _calls(pictures: ast.Dict, source: str) -> Iterator[tuple[str, str]]:
    for key, plot in zip(pictures.keys, pictures.values, strict=True):
        assert isinstance(key, ast.Constant)
        assert isinstance(plot, ast.Attribute)
        first, *rest = _text(source, plot.value).split("\n")
        yield key.value, "\n".join([first, *textwrap.dedent("\n".join(rest)).split("\n")]).rstrip()


def _section(name: str, title: str, call: str) -> str:
    (display,) = re.findall(r"^displays\.(\w+)", call)
    shown = getattr(displays, display)
    makers = [f"`{maker}`" for maker in dir(shown) if maker.startswith("from_")]
    return "\n\n".join(
        [
            f"## {title}",
            f"{(inspect.getdoc(shown) or '').partition(chr(10))[0]} {{py:class}}`adjudge.{display}`, made by "
            f"{' or '.join([', '.join(makers[:-1]), makers[-1]] if makers[:-1] else makers)}.",
            f"![{title}](images/{name}.png)",
            f"```python\n{call}.plot()\n```",
        ]
    )


def _assigned(name: str) -> ast.expr:
    (value,) = [
        n.value
        for n in ast.parse(_source()).body
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id == name
    ]
    return value


def _first_line(node: ast.stmt, source: str) -> int:
    """Return the line of a statement, or of the comment right above it."""
    above = source.splitlines()[node.lineno - 2]
    return node.lineno - above.strip().startswith("#")


def _text(source: str, node: ast.AST) -> str:
    return ast.get_source_segment(source, node) or ""


def _source() -> str:
    return (DOCS / "gallery.py").read_text("utf-8")
