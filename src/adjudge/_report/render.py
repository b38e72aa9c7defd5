"""The page as one HTML file that needs nothing else: templates, styles and scripts inlined."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge._report.wording import (
    amount,
    bound,
    chance,
    count,
    fixed,
    interval,
    number,
    percent,
    short,
    test_outcome,
)
from adjudge.atomic import write_atomically

if TYPE_CHECKING:
    from jinja2 import Environment

# Each file defines what the later ones use; all share one scope.
_SCRIPTS = (
    "dom",
    "format",
    "data",
    "state",
    "shared",
    "select",
    "map",
    "duel",
    "explorer",
    "sortable",
    "nav",
    "main",
)
# What a section's script reads; everything else is on the page already.
_EMBEDDED = ("kind", "models", "ranking", "best", "n", "pairs", "instances")

# Spaces at which no line should end: of "5 %" and "p = 0.03".
_UNBROKEN = re.compile(r"(?<=\d) (?=%)|(?<=\bp) (?=[=<] )|(?<=\bp [=<]) (?=\d)")
# Characters that could end a script element, or that older scripts take for the end of a line.
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def script_json(value: Any) -> str:
    """Return JSON that may stand inside a script element, whatever text it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return text


def unbroken(value: Any) -> Any:
    """Keep a per cent sign, and the letter of a p-value, on the line of the number."""
    return _UNBROKEN.sub("\N{NO-BREAK SPACE}", value) if type(value) is str else value


def environment_of(package: str) -> Environment:
    """Return Jinja's environment for the templates of a package, in which all text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=unbroken,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_report(page: dict[str, Any]) -> str:
    """Return the HTML of what :func:`adjudge._report.build.report_page` returns."""
    environment = environment_of("adjudge._report")
    from markupsafe import Markup

    environment.filters.update(
        amount=amount,
        number=number,
        short=short,
        fixed=fixed,
        bound=bound,
        chance=chance,
        percent=percent,
        interval=interval,
        test=test_outcome,
        count=count,
        embedded=lambda section: Markup(script_json(_embedded(section))),
        mathml=lambda latex: Markup(_mathml(latex)),
    )
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        page=page,
        style=Markup(_static("vendor", "uPlot.min.css") + _static("report.css")),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
        results=Markup(script_json([section["results"] for section in page["sections"]])),
    )


def _embedded(section: dict[str, Any]) -> dict[str, Any]:
    """Return what a section's script reads, with the results of its pairs as text, as the page shows them."""
    return {
        **{name: section[name] for name in _EMBEDDED},
        "pairs": [_pair_texts(pair) for pair in section["pairs"]],
    }


def _pair_texts(pair: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: pair[name] for name in ("primary", "alternative", "counts")},
        "shares": {cell: unbroken(percent(n, pair["total"])) for cell, n in pair["counts"].items()},
        "measures": {
            name: {
                "value": number(value),
                "interval": interval(pair["intervals"][name]) if name in pair["intervals"] else "",
                "note": pair["reasons"].get(name, pair["interval_reasons"].get(name, "")),
            }
            for name, value in pair["measures"].items()
        },
        "test": test_outcome(pair["test"], pair["n_tests"]) if pair["test"] else "",
    }


def write_report(page: dict[str, Any], path: str | Path) -> Path:
    """Render the page and move it into place; an existing file stays whole until then.

    Parameters
    ----------
    page : dict
        From :func:`adjudge._report.build.report_page`.
    path : path-like

    Returns
    -------
    Path
    """
    # Text that cannot be encoded (lone surrogates) must not stop the report.
    return write_atomically(Path(path), render_report(page).encode("utf-8", "replace"))


def _script() -> str:
    """Return the whole script; no other is allowed to run on the page."""
    own = "\n".join(_static("js", f"{name}.js") for name in _SCRIPTS)
    library = _static("vendor", "uPlot.iife.min.js")
    return f'{library}\n(() => {{\n"use strict";\n{own}\n}})();\n'


def _static(*path: str) -> str:
    return files("adjudge._report").joinpath("static", *path).read_text(encoding="utf-8")


def _mathml(latex: str) -> str:
    from latex2mathml.converter import convert

    return str(convert(latex, display="block"))
