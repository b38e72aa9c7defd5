"""Tables in terminals of any width: broken into blocks of columns, or stacked, so that no number is ever cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from adjudge.presentation.columns import padded, shown_line, width_of, wrapped
from adjudge.presentation.numbers import show_number
from adjudge.presentation.tables import Table

# Blanks between columns.
_GAP = 2
# Text up to this length is a name or a number with its interval, which stays on one line.
_NAME = 32


@dataclass(frozen=True)
class _Column:
    """A column as it is shown."""

    heading: str
    cells: list[str]
    right: bool

    @property
    def width(self) -> int:
        """Width that shows every cell on one line."""
        return max(map(width_of, (self.heading, *self.cells)))

    @property
    def least(self) -> int:
        """Smallest width, with long text wrapped between words."""
        words = [word for cell in self.cells if width_of(cell) > _NAME for word in cell.split()]
        whole = [cell for cell in self.cells if width_of(cell) <= _NAME]
        return max(map(width_of, (self.heading, *whole, *words)))


def fitted(table: Table, width: int, digits: int = 4) -> list[str]:
    """Lay a table out in lines that fit a terminal.

    Parameters
    ----------
    table : Table
    width : int
        Characters in a line.
    digits : int
        Decimal places of measures.

    Returns
    -------
    list of str
        Lines, without the title. Longer than `width` only if a single word is.
    """
    # An empty column of notes would be a block of its own.
    table, headings = table.without_empty_columns().arranged()
    columns = [
        _Column(
            shown_line(name),
            [shown_line(show_number(row[i], digits)) for row in table.rows],
            table.is_numeric(i),
        )
        for i, name in enumerate(table.columns)
    ]
    n_keys = next((i for i, column in enumerate(columns) if column.right), 1) or 1
    keys, rest = columns[:n_keys], columns[n_keys:]
    room = width - sum(key.least + _GAP for key in keys)
    if any(column.least > room for column in rest):
        return _stacked(columns, width, headings)
    lines: list[str] = []
    for block in _blocks(rest, room):
        shown, above = _with_content(keys, block, headings)
        lines += [""] * bool(lines) + _laid_out(shown, width, above)
    return lines


def _with_content(
    keys: Sequence[_Column], block: Sequence[_Column], headings: Mapping[int, str]
) -> tuple[list[_Column], Mapping[int, str]]:
    """Leave out the rows of a block that hold only their names, as most do in a column with a few notes."""
    columns = [*keys, *block]
    n_rows = len(columns[0].cells)
    kept = [row for row in range(n_rows) if any(column.cells[row] for column in block)]
    if not block or len(kept) in (0, n_rows):
        return columns, headings
    starts = sorted(headings)
    above: dict[int, str] = {}
    for start, end in pairwise([*starts, n_rows]):
        own = [place for place, row in enumerate(kept) if start <= row < end]
        if own:
            above[own[0]] = headings[start]
    return [replace(column, cells=[column.cells[row] for row in kept]) for column in columns], above


def _blocks(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    """Put as many columns side by side as there is room for."""
    block: list[_Column] = []
    for column in columns:
        if block and sum(one.least + _GAP for one in (*block, column)) - _GAP > room:
            yield block
            block = []
        block.append(column)
    yield block


def _laid_out(columns: Sequence[_Column], width: int, headings: Mapping[int, str]) -> list[str]:
    """Align columns; spare room goes to those with long text."""
    widths = [column.least for column in columns]
    spare = width - sum(widths) - _GAP * (len(columns) - 1)
    for i, column in enumerate(columns):
        more = max(0, min(spare, column.width - widths[i]))
        widths[i] += more
        spare -= more
    lines = []
    rows = zip(*([column.heading, *column.cells] for column in columns), strict=True)
    for number, cells in enumerate(rows, -1):
        lines += ["", headings[number]] if number in headings else []
        broken = [
            wrapped(cell, own) if width_of(cell) > own else [cell]
            for cell, own in zip(cells, widths, strict=True)
        ]
        for i in range(max(map(len, broken))):
            parts = [own[i] if i < len(own) else "" for own in broken]
            parts = [
                padded(part, w, right=column.right)
                for part, w, column in zip(parts, widths, columns, strict=True)
            ]
            lines.append((" " * _GAP).join(parts).rstrip())
    return lines


def _stacked(columns: Sequence[_Column], width: int, headings: Mapping[int, str]) -> list[str]:
    """Show each row as its first cell, with a list of the other cells below."""
    longest = max(width_of(column.heading) for column in columns[1:]) if len(columns) > 1 else 0
    lines: list[str] = []
    for number, row in enumerate(zip(*(column.cells for column in columns), strict=True)):
        lines += [""] * bool(lines)
        lines += [headings[number], ""] if number in headings else []
        lines += [row[0]]
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell == "":
                continue
            head = f"  {padded(column.heading, longest)}  "
            lines += wrapped(cell, max(width, width_of(head) + 12), head, " " * width_of(head))
    return lines
