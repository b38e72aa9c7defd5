"""Tables of results: as text for a terminal, Markdown, LaTeX, CSV, JSON rows, or a data frame."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from adjudge.errors import MissingExtraError
from adjudge.presentation.columns import BLANK, padded, shown_line, width_of
from adjudge.presentation.numbers import as_weights, show_number
from adjudge.presentation.rows import TableRows

#: A spreadsheet runs text that begins with one of these as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

T = TypeVar("T")

# Nobody reads more rows on a screen.
_MOST_PRINTED = 500
# Data-frame libraries and the extras that install them, in the order in which they are tried.
_BACKENDS = {"pandas": "pandas", "polars": "polars", "pyarrow": "arrow"}


@dataclass(frozen=True, repr=False)
class Table(TableRows):
    """Named columns of equal length, row by row; it prints as text and shows as a table in a notebook.

    Attributes
    ----------
    columns : tuple of str
    rows : tuple of tuple
    title : str
    groups : tuple of str
        The group of each row, if people should see the rows under a heading for each group, in the order in which the
        groups appear.
    foot : str
        Text below the table.
    """

    @classmethod
    def of(
        cls,
        rows: Iterable[T],
        columns: Mapping[str, Callable[[T], Any]],
        title: str = "",
        *,
        groups: tuple[str, ...] = (),
        foot: str = "",
        optional: Iterable[Sequence[str]] = (),
    ) -> Table:
        """Make a table of what each column says of a row.

        Parameters
        ----------
        rows : iterable
        columns : mapping of str to callable
        title, foot : str
        groups : tuple of str
        optional : iterable of sequence of str
            Columns that vanish together if none of them has a value in any row.

        Examples
        --------
        >>> columns = {"name": str, "length": len, "note": lambda own: None}
        >>> Table.of(["a", "bc"], columns, optional=[("note",)]).rows
        (('a', 1), ('bc', 2))
        """
        rows = list(rows)
        cells = {name: [cell(row) for row in rows] for name, cell in columns.items()}
        for together in optional:
            if all(cell is None for name in together for cell in cells.get(name, ())):
                cells = {name: own for name, own in cells.items() if name not in together}
        return cls(tuple(cells), tuple(zip(*cells.values(), strict=True)), title, groups, foot)

    def __repr__(self) -> str:
        return self._beginning().text()

    def _repr_html_(self) -> str:
        from adjudge.presentation import notebook

        return notebook.fragment(notebook.table(self._beginning()))

    def _beginning(self) -> Table:
        """Return the first rows of a long table, and say how many more there are."""
        if len(self.rows) <= _MOST_PRINTED:
            return self
        rest = f"... {len(self.rows) - _MOST_PRINTED:,} more rows: frame(), csv() and text() have them all"
        foot = f"{rest}; {self.foot}" if self.foot else rest
        return replace(self, rows=self.rows[:_MOST_PRINTED], groups=self.groups[:_MOST_PRINTED], foot=foot)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return [dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.rows]

    def weighing(self, *columns: str) -> Table:
        """Return the table with sums of weights in some columns: large ones are shown without decimals, all alike."""
        places = [i for i, name in enumerate(self.columns) if name in columns]
        cells = iter(as_weights(row[i] for row in self.rows for i in places))
        rows = [[next(cells) if i in places else own for i, own in enumerate(row)] for row in self.rows]
        return replace(self, rows=tuple(map(tuple, rows)))

    def text(self, digits: int = 4) -> str:
        """Return aligned columns for a terminal, with numbers on the right."""
        arranged, headings = self.arranged()
        heads = list(map(shown_line, self.columns))
        shown = [[shown_line(show_number(cell, digits)) for cell in row] for row in arranged.rows]
        widths = [max(map(width_of, cells)) for cells in zip(heads, *shown, strict=True)]
        right = [self.is_numeric(i) for i in range(len(heads))]
        lines = [shown_line(self.title)] if self.title else []
        for i, cells in enumerate([heads, *shown], -1):
            lines += ["", shown_line(headings[i])] if i in headings else []
            row = [padded(c, w, right=r) for c, w, r in zip(cells, widths, right, strict=True)]
            lines.append("  ".join(row).rstrip())
        return "\n".join([*lines, *([shown_line(self.foot)] if self.foot else [])])

    def markdown(self, digits: int = 4) -> str:
        """Return a Markdown table."""
        marks = ["---:" if self.is_numeric(i) else "---" for i in range(len(self.columns))]
        lines = [_markdown_row(self.columns), _markdown_row(marks)]
        arranged, headings = self.arranged()
        for i, row in enumerate(arranged.rows):
            if i in headings:
                lines.append(_markdown_row([f"**{headings[i]}**", *[""] * (len(self.columns) - 1)]))
            lines.append(_markdown_row([show_number(cell, digits) for cell in row]))
        heading = [f"### {self.title}", ""] if self.title else []
        return "\n".join([*heading, *lines, *(["", self.foot] if self.foot else [])])

    def latex(
        self, digits: int = 3, caption: str | None = None, label: str | None = None, *, remarks: bool = False
    ) -> str:
        r"""Return a LaTeX table with rules between groups; the document needs ``\usepackage{booktabs}``.

        Empty columns are left out, and so is the title: a paper has a caption. With `remarks`, the title and the text
        below the table become LaTeX comments.

        Examples
        --------
        >>> import adjudge
        >>> judged = adjudge.evaluate([0, 0, 1, 1], [0, 0, 1, 2], indices=["rand", "jaccard"])
        >>> print(judged.table().latex())
        \begin{tabular}{lrll}
        \toprule
        index & value & better & range \\
        \midrule
        rand & 0.833 & higher & [0, 1] \\
        jaccard & 0.500 & higher & [0, 1] \\
        \bottomrule
        \end{tabular}
        """
        from adjudge.presentation.latex import latex

        arranged, headings = self.arranged()
        rules = [row for row in headings if row]
        text = latex(
            arranged.without_empty_columns(), digits=digits, rules=rules, caption=caption, label=label
        )
        before, after = (self.title, self.foot) if remarks else ("", "")
        return "\n".join([*_remarks(before), text, *_remarks(after)])

    def csv(self, delimiter: str = ",") -> str:
        """Return CSV in full precision; text that a spreadsheet would run as a formula gets an apostrophe."""
        return "".join(_csv_line(row, delimiter) + "\n" for row in (self.columns, *self.rows))

    def frame(self, backend: str | None = None) -> Any:
        """Return a data frame of the given library, or of the first that is installed."""
        import narwhals as nw

        data = {encodable(c): [_plain(row[i]) for row in self.rows] for i, c in enumerate(self.columns)}
        library: Any = backend or installed_backend()
        return nw.from_dict(data, backend=library).to_native()

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds only numbers."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(isinstance(c, (int, float)) for c in cells)


def backend_of(*inputs: Any) -> str | None:
    """Return the data-frame library that the first such input comes from."""
    for value in inputs:
        package = type(value).__module__.partition(".")[0]
        if package in _BACKENDS:
            return package
    return None


def installed_backend() -> Any:
    """Return the data-frame library to use if no input comes from one."""
    from importlib.util import find_spec

    for package in _BACKENDS:
        if find_spec(package) is not None:
            return package
    raise MissingExtraError("pandas", "pandas", "to_frame()")


def _plain(cell: Any) -> Any:
    """Return a number as a plain float, without its display type, and text as data frames can hold it."""
    if isinstance(cell, str):
        return encodable(cell)
    return float(cell) if isinstance(cell, float) else cell


def encodable(text: str) -> str:
    """Write half of an emoji, which UTF-8 and most data frames cannot hold, as an escape."""
    return text.encode("utf-8", "backslashreplace").decode() if not text.isascii() else text


def _remarks(text: str) -> list[str]:
    return [f"% {line}" for line in text.splitlines()]


def markdown_text(text: str) -> str:
    """Escape a sentence so that Markdown shows it as it is, whatever names it holds."""
    return re.sub(r"([\\`*<\[\]])", r"\\\1", " ".join(text.splitlines()))


def _markdown_row(cells: Sequence[str]) -> str:
    lines = [shown_line(str(c)).replace(BLANK, " ") for c in cells]
    escaped = [line.replace("\\", "\\\\").replace("|", "\\|") for line in lines]
    return "| " + " | ".join(escaped) + " |"


def _csv_line(row: Sequence[Any], delimiter: str) -> str:
    out = io.StringIO()
    # With this line end, a field that contains either half of it is quoted: a bare \r would begin a new row.
    cells = ["" if c is None else defused(_plain(c)) for c in row]
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n")


def defused(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
        return "'" + cell
    return cell
