"""Tables for a paper: LaTeX with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from adjudge.presentation.columns import BLANK, shown_line
from adjudge.presentation.numbers import show_number

# The minus sign of a number, or of an end of an interval, but not a hyphen within a name or a date.
_MINUS = re.compile(r"(?<![\w.-])-(?=\d|inf\b)")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    BLANK: " ",
}


def escape(text: str) -> str:
    """Write text so that LaTeX prints it as it stands."""
    return "".join(_ESCAPES.get(c, c) for c in shown_line(text))


def latex(
    table: Any,
    *,
    digits: int = 3,
    bold: Collection[tuple[int, int]] = (),
    rules: Collection[int] = (),
    caption: str | None = None,
    label: str | None = None,
) -> str:
    r"""Return a ``tabular``, in a ``table`` if there is a caption; the document needs ``\usepackage{booktabs}``.

    Parameters
    ----------
    table : Table
    digits : int, default 3
        Decimal places.
    bold : collection of (row, column)
        Cells in bold.
    rules : collection of int
        Rows above which a rule is drawn.
    caption, label : str, optional

    Examples
    --------
    >>> from adjudge.presentation.latex import latex
    >>> from adjudge.presentation.tables import Table
    >>> print(latex(Table(("model", "mean_rank"), (("k-means", 1.5),)), bold={(0, 1)}))
    \begin{tabular}{lr}
    \toprule
    model & mean\_rank \\
    \midrule
    k-means & \textbf{1.500} \\
    \bottomrule
    \end{tabular}
    """
    sides = "".join("r" if table.is_numeric(i) else "l" for i in range(len(table.columns)))
    lines = [
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _row([escape(c) for c in table.columns]),
        r"\midrule",
    ]
    for i, row in enumerate(table.rows):
        if i in rules:
            lines.append(r"\midrule")
        lines.append(_row([_cell(value, digits, (i, j) in bold) for j, value in enumerate(row)]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    if caption is None:
        return "\n".join(lines)
    named = [rf"\label{{{label}}}"] if label else []
    head = [r"\begin{table}", r"\centering", rf"\caption{{{escape(caption)}}}", *named]
    return "\n".join([*head, *lines, r"\end{table}"])


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(value: Any, digits: int, is_bold: bool) -> str:
    text = escape(show_number(value, digits)).replace("undefined", "--")
    text = _MINUS.sub("$-$", text)
    return rf"\textbf{{{text}}}" if is_bold else text
