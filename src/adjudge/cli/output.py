"""Where results go, and in which format."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import textwrap
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from adjudge.atomic import write_atomically, write_together
from adjudge.cli.messages import printable, reworded
from adjudge.cli.options import Format
from adjudge.cli.standard_input import shown
from adjudge.errors import InputError
from adjudge.presentation.tables import Table, markdown_text

if TYPE_CHECKING:
    from adjudge.results.verdict import Verdict

__all__ = [
    "Output",
    "goes_to_a_file",
    "say",
    "share_done",
    "show_work",
    "tell",
    "verdict_lines",
    "write_lines",
    "write_rows",
]

# Seconds until the first progress line if there is no terminal, and the longest wait for the next.
_FIRST_LINE, _LONGEST_SILENCE = 10.0, 600.0
_BY_ENDING = {
    "": Format.table,
    ".txt": Format.table,
    ".json": Format.json,
    ".csv": Format.csv,
    ".md": Format.markdown,
    ".markdown": Format.markdown,
    ".tex": Format.latex,
}


@dataclass(frozen=True)
class Output:
    """Where a result goes, and in which formats; known before anything is computed.

    Attributes
    ----------
    targets : tuple of (str, Path or None)
        The format of each file; None for standard output.
    """

    targets: tuple[tuple[str, Path | None], ...]

    @classmethod
    def to(
        cls, paths: Sequence[Path] | None, given: str | None, own: Mapping[str, str] = MappingProxyType({})
    ) -> Output:
        """Choose the format of each file; `own` has those of further endings, which the command writes itself."""
        endings = {**_BY_ENDING, **own}
        files = [None if str(path) == "-" else path for path in paths or ()] or [None]
        return cls(tuple((_format_of(path, given, endings), path) for path in files))

    @property
    def is_shown(self) -> bool:
        """Whether the result is a table on standard output."""
        return self.targets == ((Format.table, None),)

    def write(
        self,
        *,
        data: Callable[[], Any],
        tables: Callable[[], Sequence[Table]],
        rows: Callable[[], Table],
        said: Callable[[], Sequence[str]] = tuple,
        own: Mapping[str, Callable[[], str]] = MappingProxyType({}),
    ) -> None:
        """Write results: `data` as JSON, `rows` as CSV, and the sentences in `said` and `tables` for people.

        `own` makes the text of formats that the command writes itself. Files appear together, once all are written.
        """
        if self.is_shown and sys.stdout.isatty():
            _print_lines(said())
            _print_fitted(_for_people(tables()))
            return
        texts = list[tuple[Path | None, str]]()
        for name, path in self.targets:
            if name in own:
                text = own[name]()
            elif name == Format.json:
                text = json.dumps(reworded(data()), indent=2, ensure_ascii=False, allow_nan=False)
            elif name == Format.csv:
                text = _in_own_words(rows()).csv()
            else:
                text = _text_for_people(name, said(), _for_people(tables()))
            texts.append((path, text.removesuffix("\n") + "\n"))
        write_together([(path, text) for path, text in texts if path is not None])
        sys.stdout.write("".join(text for path, text in texts if path is None))


def _text_for_people(name: str, said: Sequence[str], tables: Sequence[Table]) -> str:
    """Return sentences and tables in a format."""
    if name == Format.markdown:
        return "\n\n".join([*map(markdown_text, said), *(table.markdown() for table in tables)])
    if name == Format.latex:
        remarks = ["\n".join(f"% {line}" for line in said)] if said else []
        return "\n\n".join([*remarks, *(table.latex(remarks=True) for table in tables)])
    lines = ["\n".join(said)] if said else []
    return printable("\n\n".join([*lines, *(table.text() for table in tables)]))


def _format_of(path: Path | None, given: str | None, endings: Mapping[str, str]) -> str:
    """Return the format of a file, which is given or that of its ending; raise if these contradict."""
    by_ending = endings.get("" if path is None else path.suffix.lower())
    if given is None and by_ending is None:
        known = ", ".join(filter(None, endings))
        raise InputError(
            f"--output {str(path)!r} must end in one of {known}: give the --format, or rename it"
        )
    if given is not None and path is not None and by_ending not in (None, Format.table, given):
        raise InputError(
            f"--format {given} does not fit --output {str(path)!r}: leave out --format, or rename the file"
        )
    return str(given or by_ending)


def verdict_lines(verdict: Verdict) -> list[str]:
    """Return the sentences of a verdict and its cautions, worded for the command line."""
    from adjudge.cli.messages import one_line

    cautions = [f"Careful: {one_line(notice)}." for notice in verdict.cautions]
    return [printable(line) for line in (*verdict.sentences, *cautions)]


def _for_people(tables: Sequence[Table]) -> list[Table]:
    return [_in_own_words(table).with_joined_ends() for table in tables]


def _in_own_words(table: Table) -> Table:
    return replace(table, rows=reworded(table.rows))


def say(results: Mapping[str, Any], *, by_name: bool = False, but: Container[str] = ()) -> None:
    """Write the warnings of results to standard error, each sentence once.

    Parameters
    ----------
    results : mapping of str to results with `warnings`
    by_name : bool
        Put the name of the result before each sentence, if there are several results.
    but : container of str
        Codes of notices to leave out.
    """
    from adjudge.cli.messages import one_line

    several = by_name and len(results) > 1
    said = (
        f"{f'{name}: ' if several else ''}{one_line(notice)}"
        for name, result in results.items()
        for notice in result.warnings
        if notice.code not in but
    )
    for text in dict.fromkeys(said):
        tell(text)


def goes_to_a_file() -> bool:
    """Whether standard output went to a file of its own, so that it is neither on a terminal nor in a job's log."""
    try:
        own = os.fstat(sys.stdout.fileno())
        return stat.S_ISREG(own.st_mode) and not os.path.samestat(own, os.fstat(sys.stderr.fileno()))
    except (OSError, ValueError, AttributeError):
        return False


def tell(text: str) -> None:
    """Write one message to standard error; on a terminal, wrap it between words."""
    message = shown(f"adjudge: {text}")
    if sys.stderr is not None and sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        message = textwrap.fill(
            message, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    print(message, file=sys.stderr)


def write_lines(text: str, indent: int = 0) -> None:
    """Write lines to standard output; on a terminal, wrap those that are too long between words.

    Parameters
    ----------
    text : str
    indent : int
        Blanks before what continues a line.
    """
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        how: dict[str, Any] = {
            "subsequent_indent": " " * indent,
            "break_long_words": False,
            "break_on_hyphens": False,
        }
        lines = (
            textwrap.fill(line, width, **how) if len(line) > width else line for line in text.split("\n")
        )
        text = "\n".join(lines)
    typer.echo(text)


def write_rows(rows: Table, path: Path) -> None:
    """Write rows to a file, as CSV, TSV or Parquet by its ending."""
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        write_atomically(path, rows.csv("\t" if ending == ".tsv" else ","))
        return
    import narwhals as nw

    write_atomically(path, lambda stream: nw.from_native(rows.frame()).write_parquet(stream))


def _print_lines(lines: Sequence[str]) -> None:
    """Show sentences on a terminal, wrapped between words."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for line in lines:
        console.print(Text(line))
    if lines:
        console.print()


def _print_fitted(tables: Sequence[Table]) -> None:
    """Show tables on a terminal, fitted to its width."""
    from rich.console import Console
    from rich.text import Text

    from adjudge.presentation.terminal_width import fitted

    console = Console()
    for table in tables:
        if table.title:
            console.print(Text(printable(table.title), style="bold"))
        for line in fitted(table, console.width):
            # A line wider than the terminal holds one long word, which the terminal wraps.
            console.print(Text(printable(line)), soft_wrap=True)
        if table.foot:
            console.print(Text(printable(table.foot)))
        console.print()


@contextmanager
def show_work(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done: in a changing line on a terminal, elsewhere in occasional lines if it takes long.

    Yields a function that takes a line about the progress.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield _sparse_lines()
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(printable(what))) as status:
        yield lambda text: status.update(escape(printable(text)))


def _sparse_lines() -> Callable[[str], None]:
    """Make a function that writes a line after ten seconds, then at doubling intervals of at most ten minutes."""
    started, silence = time.monotonic(), _FIRST_LINE

    def write(text: str) -> None:
        nonlocal silence
        passed = time.monotonic() - started
        if passed >= silence:
            tell(text)
            silence = passed + min(passed, _LONGEST_SILENCE)

    return write


def share_done(update: Callable[[str], None], beginning: str = "") -> Callable[[str, int, int], None]:
    """Make a progress callback that tells :func:`show_work` how much is done, and how long the rest will take.

    Work done before an interruption does not count towards the estimate of the time.
    """
    from adjudge.progress import share_and_rest

    begun: dict[str, tuple[float, float]] = {}

    def progress(what: str, done: int, total: int) -> None:
        now, share = time.monotonic(), done / total
        first, before = begun.setdefault(what, (now, share))
        line = f"{beginning}: {what}," if beginning else f"{what.capitalize()}:"
        update(f"{line} {share_and_rest(share, now - first, before)}")

    return progress
