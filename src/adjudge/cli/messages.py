"""The library's messages in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adjudge.errors import Call, Option

__all__ = ["one_line", "printable"]

# Rows of a file are counted from 1, whatever the library's vectors are counted from.
_POSITION = re.compile(r"\bat position (\d+)")
_OPTION = re.compile(
    r"\b(missing|noise|noise_label|kind|indices|scores|metric|engine|device|sample_size|bins|memory_limit)="
    r"(?:'([^']*)'|(?=(\S)))?"
)
# What the library says about its own calls, and what that is on the command line.
_REMEDIES = {
    "use engine='numba'": "leave out --engine torch",
    "adjudge.list_indices() lists": "'adjudge indices' lists",
}


# The options that bring what the library's parameters of these names bring.
_OPTIONS = {
    "labels_true": "--truth",
    "labels_pred": "--pred",
    "labels": "--labels",
    "X": "--labels and --columns",
    "sample_weight": "--weight",
}


def _worded(part: object) -> str:
    """Write a piece of a message as one does on the command line."""
    if isinstance(part, Call):
        return f"'adjudge {part.name.replace('_', '-')}'"
    if isinstance(part, Option):
        option = _OPTIONS.get(part.name, f"--{part.name.replace('_', '-')}")
        return f"{option} {part.value}" if part.has_value else option
    return str(part)


def printable(text: str) -> str:
    """Escape control characters, which could drive a terminal; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def one_line(message: object, names: Mapping[str, str] | None = None) -> str:
    """Bring a message to one line that speaks of columns and options.

    Parameters
    ----------
    message : object
        An exception or a notice, or its text.
    names : mapping of str to str
        What the library's parameters stand for, such as ``labels_true`` for ``column 'species'``.
    """
    parts = getattr(message, "parts", None) or (str(message),)
    text = " ".join("".join(map(_worded, parts)).split())
    for parameter, name in (names or {}).items():
        # `labels` is also a word of English: a parameter only where a message begins with it.
        pattern = rf"^{parameter}\b" if parameter in ("labels", "X") else rf"\b{parameter}\b"
        text = re.sub(pattern, name.replace("\\", r"\\"), text)
    for ours, theirs in _REMEDIES.items():
        text = text.replace(ours, theirs)
    text = _OPTION.sub(_as_option, text)
    text = _POSITION.sub(lambda m: f"in row {int(m[1]) + 1} of the data", text)
    return printable(text)


def _as_option(found: re.Match[str]) -> str:
    """Write an option with its value, between quotes or not, as one does on the command line."""
    value = f" {found[2]}" if found[2] else " " if found[3] else ""
    return f"--{found[1].replace('_', '-')}{value}"
