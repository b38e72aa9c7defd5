"""Results in a notebook: HTML that looks like the report, independently of the styles of the page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from adjudge.presentation.numbers import show_number
from adjudge.presentation.palette import OUTCOME_COLORS
from adjudge.presentation.rows import TableRows

_NUMBER = re.compile(r"(< )?-?[\d,]+(\.\d+)?(e[+-]?\d+)?|[<>]?[\d.]+ %|-?inf|undefined")
_NO_HEADINGS: Mapping[int, str] = MappingProxyType({})
_LINE_END = "\n"
# Longer texts are broken into lines.
_LONG = 40

# Repeated five times, the class outranks the notebooks' own rules for tables. Dark colours follow the system, or the
# theme that JupyterLab and VS Code declare.
_OURS = ".adjudge" * 5
_LIGHT = "--ink:#1b1f2a;--mute:#565d6d;--line:#d9dce4;--accent:#2a4bb8;--paper:#ffffff;--tint:14%"
_DARK = "--ink:#e8eaf0;--mute:#a5adbd;--line:#363d4a;--accent:#9db4ff;--paper:#14171d;--tint:24%"
_STYLE = f"""
.adjudge{{{_LIGHT};color:var(--ink);background:var(--paper);padding:.5em .75em;line-height:1.45;overflow-x:auto}}
@media (prefers-color-scheme:dark){{.adjudge{{{_DARK}}}}}
[data-jp-theme-light=true] .adjudge,.vscode-light .adjudge{{{_LIGHT}}}
[data-jp-theme-light=false] .adjudge,.vscode-dark .adjudge{{{_DARK}}}
{_OURS} p{{margin:.3em 0 .6em;max-width:60em}}
{_OURS} table{{border-collapse:collapse;margin:.4em 0 1em;font-variant-numeric:tabular-nums;color:inherit;
  table-layout:auto}}
{_OURS} caption{{caption-side:top;text-align:left;color:var(--mute);padding:0 0 .3em;white-space:nowrap}}
{_OURS} tr{{background:none}}
{_OURS} :is(th,td){{padding:.3em .7em;text-align:left;border:0;border-bottom:1px solid var(--line);
  background:none;color:inherit;vertical-align:top;max-width:none;white-space:nowrap}}
{_OURS} th.group{{color:var(--mute);padding-top:1em}}
{_OURS} thead th{{border-bottom-width:2px}}
{_OURS} .num{{text-align:right}}
{_OURS} .long{{white-space:normal;min-width:16em;max-width:60em;overflow-wrap:anywhere}}
{_OURS} td strong{{color:var(--accent)}}
{_OURS} td.cell{{text-align:center;font-weight:600}}
"""
_STYLE += "".join(
    f"{_OURS} .{name}{{box-shadow:inset 0 3px {color};"
    f"background:color-mix(in srgb,{color} var(--tint),var(--paper))}}\n"
    for name, color in OUTCOME_COLORS.items()
)


def fragment(*parts: str) -> str:
    """Join parts made by the other functions into what ``_repr_html_`` returns."""
    return f'<div class="adjudge"><style>{_STYLE}</style>{"".join(parts)}</div>'


def sentence(text: str, lead: str = "") -> str:
    """Return a paragraph, which may begin in bold; its lines stay apart."""
    bold = f"<strong>{html.escape(lead)}</strong> " if lead else ""
    return f"<p>{bold}{'<br>'.join(html.escape(line.strip()) for line in text.split(_LINE_END))}</p>"


def table(given: TableRows, digits: int = 4, mark: str = "") -> str:
    """Return a table; text that ends in `mark` is highlighted, without the mark."""
    given = given.without_empty_columns()
    arranged, headings = given.arranged()
    numeric = [_is_numeric([row[i] for row in given.rows], mark) for i in range(len(given.columns))]
    head = "".join(
        f'<th scope="col"{_class("num" if n else "")}>{html.escape(c)}</th>'
        for c, n in zip(given.columns, numeric, strict=True)
    )
    rows = [
        "".join(
            _cell(value, i == 0, "num" if n else "", digits, mark)
            for i, (value, n) in enumerate(zip(row, numeric, strict=True))
        )
        for row in arranged.rows
    ]
    shown = _wrapped(given.title, head, rows, {i: _heading(text, given) for i, text in headings.items()})
    return shown + (sentence(given.foot) if given.foot else "")


def _heading(text: str, given: TableRows) -> str:
    """Return a row with the heading of those below it."""
    return (
        f'<tr><th class="group" scope="rowgroup" colspan="{len(given.columns)}">{html.escape(text)}</th></tr>'
    )


def matrix(given: TableRows, outcomes: Sequence[Sequence[str]]) -> str:
    """Return a table whose first rows and columns of numbers are outcomes, in their colours."""
    head = "".join(
        f'<th scope="col"{_class("num" if j else "")}>{html.escape(c)}</th>'
        for j, c in enumerate(given.columns)
    )
    rows = []
    for i, row in enumerate(given.rows):
        cells = []
        for j, value in enumerate(row):
            outcome = outcomes[i][j - 1] if i < len(outcomes) and 0 < j <= len(outcomes[i]) else ""
            name = f"cell {outcome}" if outcome else "num" if j else ""
            cells.append(_cell(value, j == 0, name, 4, ""))
        rows.append("".join(cells))
    return _wrapped(given.title, head, rows)


def _wrapped(title: str, head: str, rows: Sequence[str], above: Mapping[int, str] = _NO_HEADINGS) -> str:
    caption = f"<caption>{html.escape(title)}</caption>" if title else ""
    body = "".join(f"{above.get(i, '')}<tr>{row}</tr>" for i, row in enumerate(rows))
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _is_numeric(cells: Sequence[Any], mark: str) -> bool:
    """Whether a column holds numbers, some perhaps already formatted and marked."""
    written = [show_number(cell).strip().removesuffix(mark).strip() for cell in cells if cell is not None]
    return any(written) and all(text in ("", "-") or _NUMBER.fullmatch(text) for text in written)


def _cell(value: Any, is_head: bool, name: str, digits: int, mark: str) -> str:
    text = show_number(value, digits).strip()
    if len(text) > _LONG:
        name = f"{name} long".strip()
    shown = html.escape(text)
    if mark and text.endswith(mark):
        shown = f"<strong>{html.escape(text.removesuffix(mark)) or '✓'}</strong>"
    tag, scope = ("th", ' scope="row"') if is_head else ("td", "")
    return f"<{tag}{scope}{_class(name)}>{shown}</{tag}>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
