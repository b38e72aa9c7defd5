"""Files are never lost: no option writes over a file that the command reads, or that another option writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from adjudge.atomic import check_outputs, check_page
from adjudge.cli.standard_input import is_standard_input, shown
from adjudge.errors import InputError, Option

__all__ = ["READ", "WRITTEN", "check_files", "check_reading"]

#: Options and arguments that name files: those that are written, and those that are read.
WRITTEN = ("output", "report", "save", "plot", "figure", "latex", "broken", "fixed", "checkpoint", "history")
READ = ("file", "source", "against", "settings", "graph", "pairs", "folder", "work", "load")


def check_files(context: Any, also: Collection[Path] = ()) -> None:
    """Raise unless every file can be written, is not read by the command, and is named once.

    Parameters
    ----------
    context : typer.Context
        The command with its options, before any work.
    also : collection of Path
        Further files that are read; a command with settings calls this again once it knows them.
    """
    given = context.params
    outputs = [
        (name, path)
        for name in WRITTEN
        if given.get(name)
        for path in (given[name] if isinstance(given[name], (list, tuple)) else [given[name]])
        if str(path) != "-" or isinstance(path, type(given[name]))  # standard output, among several
    ]
    if not outputs:
        return
    loaded = context.parent.params.get("load") if context.parent is not None else None
    named = [given.get(name) for name in READ if name != "load"]
    inputs: list[Any] = [*(path for path in named if path is not None), *(loaded or ()), *also]
    if any(map(is_standard_input, inputs)):
        inputs.append(sys.stdin.fileno())
    check_outputs(outputs, [*inputs, *_lists(given)])
    if given.get("report") is not None and ("settings" not in given or also):
        check_page(given["report"])


def check_reading(sheet: str | None, encoding: str | None, given: dict[str, Any]) -> None:
    """Raise for a sheet if no workbook is read, and for an encoding if no text is; settings may name either.

    Parameters
    ----------
    sheet, encoding : str or None
    given : dict
        The other options of the command.
    """
    named = [given[name] for name in READ if isinstance(given.get(name), (str, Path))]
    files = [Path(path) for path in named if os.path.isfile(path)]
    if given.get("settings") or not files or (sheet is None and encoding is None):
        return
    from adjudge.files.excel import is_workbook

    file, books = repr(shown(str(files[0]))), [*map(is_workbook, files)]
    if sheet is not None and not any(books):
        raise InputError(
            Option("sheet", sheet), f" is of a workbook (.xlsx), and {file} is none: leave it out"
        )
    others = [path for path, is_book in zip(files, books, strict=True) if not is_book]
    if encoding is not None and all(map(_is_columnar, others)) and not any(_lists(given)):
        raise InputError(Option("encoding", encoding), f" is of text, and {file} is none: leave it out")


def _is_columnar(path: Path) -> bool:
    """Whether a file is Parquet or Arrow."""
    from adjudge.files.named_columnar import HEAD, columnar_kind

    with path.open("rb") as stream:
        return columnar_kind(path, stream.read(HEAD)) is not None


def _lists(given: dict[str, Any]) -> Iterator[str]:
    """Find the lists of labels that options name instead of columns."""
    known: list[str] | None = None
    for value in given.values():
        for words in (
            (value,) if isinstance(value, str) else value if isinstance(value, (list, tuple)) else ()
        ):
            for word in {words, *words.split(",")} if isinstance(words, str) else ():
                if not os.path.isfile(word.strip()):
                    continue
                if known is None:
                    from adjudge.files.kinds import open_table

                    known = open_table(given["file"]).columns if given.get("file") is not None else []
                if word.strip() not in known:
                    yield word.strip()
