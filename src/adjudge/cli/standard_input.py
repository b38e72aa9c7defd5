"""Standard input as a file: ``cat points.csv | adjudge evaluate - ...``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import typer

from adjudge.errors import InputError

__all__ = ["file_or_standard_input", "is_standard_input", "shown"]

_NAME = "standard input"
# The files to which the current command has saved its standard input.
_saved: list[str] = []


def file_or_standard_input(context: typer.Context, path: Path) -> Path:
    """Save standard input to a file if the path is "-": it is read more than once."""
    if str(path) != "-":
        return path
    if sys.stdin.isatty():
        raise InputError("- reads standard input, and nothing is piped into it: name a file")
    folder = Path(tempfile.mkdtemp(prefix="adjudge-"))
    context.call_on_close(lambda: _forget(folder))
    saved = folder / _NAME
    with saved.open("wb") as stream:
        shutil.copyfileobj(sys.stdin.buffer, stream)
    _saved.append(str(saved))
    return saved


def _forget(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def shown(text: str) -> str:
    """Replace the paths of saved input by "standard input"."""
    for path in _saved:
        text = text.replace(path, _NAME)
    return text


def is_standard_input(path: object) -> bool:
    """Whether a path is that of saved input."""
    return str(path) in _saved
