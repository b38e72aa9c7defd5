"""Text in terminal columns: a cell is one line, and a character may take two columns, or none."""

from __future__ import annotations

import unicodedata

#: Shown for a line end or a tab, which would break or shift the row of a table.
BLANK = "\N{OPEN BOX}"
_NO_COLUMN = ("Mn", "Me", "Cf")


def shown_line(text: str) -> str:
    r"""Return a text as one line, with each line end and each tab shown as a visible blank.

    Examples
    --------
    >>> shown_line("two\r\nlines"), shown_line("a line"), shown_line("its end\n")
    ('two␣lines', 'a line', 'its end␣')
    """
    if text.isprintable():
        return text
    lines = f"{text}\0".replace("\t", BLANK).splitlines()
    return BLANK.join(lines)[:-1]


def width_of(text: str) -> int:
    r"""Count the columns that a text takes: East Asian characters two, combining marks none.

    Examples
    --------
    >>> width_of("cat"), width_of("猫"), width_of("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in _NO_COLUMN:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text with blanks to a width, on the left if it is right-aligned."""
    blanks = " " * max(0, width - width_of(text))
    return blanks + text if right else text + blanks


def wrapped(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Break a text into lines between words; a longer word has a line of its own.

    Parameters
    ----------
    text : str
    width : int
    first, later : str
        Beginnings of the first line, and of the later ones.

    Examples
    --------
    >>> wrapped("one two three", 7, later="  ")
    ['one two', '  three']
    """
    lines: list[str] = []
    line, empty = first, True
    for word in text.split():
        room = width - width_of(line) - (not empty)
        if not empty and width_of(word) > room:
            lines.append(line)
            line, empty = later, True
        line += word if empty else f" {word}"
        empty = False
    return [*lines, line]
