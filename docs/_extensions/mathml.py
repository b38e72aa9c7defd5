"""Write formulas as MathML, which browsers draw by themselves: no script and no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

# Several letters are one name (yy, WGSS, BR), set upright, unless they are one index after another.
_WORD = re.compile(r"(\\(?:text|mathrm|operatorname)\{[^}]*\}|\\[a-zA-Z]+)|([a-zA-Z]{2,})")
_INDICES = {"cc", "ij", "ik", "kl"}
# The converter leaves no space around a logarithm.
_SPACED = [
    (re.compile(r"(?<=[\w}])\s*(\\log\b)"), r"\\,\1"),
    (re.compile(r"(\\log\b)(?!\s*(?:[_^(\[]|\\left))"), r"\1\\,"),
]


def to_mathml(latex: str, *, block: bool = False) -> str:
    """Convert a formula."""
    for place, spaced in _SPACED:
        latex = place.sub(spaced, latex)
    drawn = convert(_WORD.sub(_name, latex.strip()), display="block" if block else "inline")
    # Text counts as space: an operator between two texts would stand without room around it.
    return re.sub(r"<mtext>(\w{2,})</mtext>", r"<mi>\1</mi>", drawn)


def _name(found: re.Match[str]) -> str:
    command, word = found.groups()
    return command or (word if word in _INDICES else rf"\text{{{word}}}")


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{to_mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
