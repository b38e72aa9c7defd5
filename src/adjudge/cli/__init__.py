"""The command line: reads files, calls the verbs, writes their results; computes nothing itself."""

from __future__ import annotations

import _thread
import errno
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.cli.flags import FlagGroup
from adjudge.cli.messages import FLAGS_HERE, one_line, option_meant, plain_usage
from adjudge.cli.options import Debug
from adjudge.cli.output import tell
from adjudge.errors import AdjudgeError
from adjudge.version import __version__

__all__ = ["app", "main"]

USER_ERROR = 2
INTERRUPTED = 130
# Codes of unexpected errors; a gate's code can never be read as "the new model is worse" (sysexits.h).
UNEXPECTED, UNEXPECTED_IN_GATE = 1, 70

app = typer.Typer(
    name="adjudge",
    cls=FlagGroup,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adjudge {__version__}")
        raise typer.Exit


def _load(paths: list[Path] | None) -> list[Path] | None:
    """Run a user's modules and register the indices that they define."""
    if not paths:
        return paths
    import runpy

    from adjudge.errors import InputError
    from adjudge.indices.catalog import all_indices, register
    from adjudge.indices.record import Index

    for path in paths:
        if not path.is_file():
            raise InputError(f"--load {str(path)!r}: there is no such file")
        try:
            found = runpy.run_path(str(path))
        except AdjudgeError:
            raise
        except Exception as error:
            raise InputError(f"--load {str(path)!r}: {type(error).__name__}: {error}") from error
        for value in found.values():
            if isinstance(value, Index) and all_indices().get(value.name) is not value:
                register(value)
    return paths


@app.callback()
def adjudge(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    load: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            callback=_load,
            help="A Python file that defines your own indices, which then work everywhere.",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Judge clusterings and classifiers: against the truth, from the data alone, and against each other.

    **FILE** is CSV, TSV or JSON lines (also .gz, .bz2, .zst), Parquet, Arrow or Feather, a workbook (.xlsx), or a
    list with one label per line.
    """
    if isinstance(context.obj, dict):
        context.obj["command"] = context.invoked_subcommand


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 for success, 2 for a user's error, 130 if interrupted.

    An error is reported in one line on stderr; ``--debug`` adds the traceback.
    """
    _fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # characters that the terminal lacks are shown as escapes
            stream.reconfigure(errors="backslashreplace")
    state: dict[str, Any] = {"debug": False, "names": {}, "command": None}
    FLAGS_HERE.set({})
    with _watch_for_interrupts() as interrupted:
        return _run(arguments, state, interrupted)


def _fill_closed_streams() -> None:
    """Point closed streams, as in a service, to the null device: otherwise a file could get their descriptors."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115 - stays open while the program runs


@contextmanager
def _watch_for_interrupts() -> Iterator[list[bool]]:
    """Note every Ctrl-C, and repeat it if it is lost: Python drops the exception in a callback from C code.

    If the call from C then fails, the noted interrupt explains why.
    """
    noted: list[bool] = []
    repeated: list[threading.Timer] = []
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield noted
        return
    report = sys.unraisablehook

    def note(number: int, frame: Any) -> None:
        noted.append(True)
        signal.default_int_handler(number, frame)

    def repeat(dropped: Any) -> None:
        if dropped.exc_type is not KeyboardInterrupt:
            report(dropped)
            return
        repeated.append(threading.Timer(0.05, _interrupt))  # after the callback has returned
        repeated[-1].daemon = True
        repeated[-1].start()

    signal.signal(signal.SIGINT, note)
    sys.unraisablehook = repeat
    try:
        yield noted
    finally:
        for timer in repeated:
            timer.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = report


def _interrupt() -> None:
    """Send Ctrl-C to the main thread, and wake it if it is waiting."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _run(arguments: Sequence[str] | None, state: dict[str, Any], interrupted: list[bool]) -> int:
    try:
        command = typer.main.get_command(app)
        code = command.main(
            args=list(arguments) if arguments is not None else None,
            prog_name="adjudge",
            standalone_mode=False,
            obj=state,
        )
        sys.stdout.flush()
        if code == INTERRUPTED:  # newer versions of typer turn the interrupt into an exit code
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return _fail(_interrupted(state), INTERRUPTED)
    except BrokenPipeError:
        # The reader has closed our output; discard what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _code_of_error(state)
    except Exception as error:
        if interrupted:
            return _fail(_interrupted(state), INTERRUPTED)
        if state["debug"]:
            import traceback

            traceback.print_exc()
        if isinstance(error, AdjudgeError):
            return _fail(one_line(error, state["names"], _flags(state["command"])), USER_ERROR)
        if hasattr(error, "format_message"):  # typer raises this for a wrong option
            return _wrong_usage(error)
        if isinstance(error, MemoryError):
            return _fail("out of memory: read fewer columns or fewer rows", _code_of_error(state))
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return _fail(f"cannot write the output: {error.strerror}", _code_of_error(state))
        hint = "" if state["debug"] else " (--debug shows where)"
        where = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
        return _fail(
            f"unexpected {type(error).__name__}{where}: {one_line(error)}{hint}", _code_of_error(state)
        )


def _code_of_error(state: dict[str, Any]) -> int:
    return UNEXPECTED_IN_GATE if state["command"] == "gate" else UNEXPECTED


def _interrupted(state: dict[str, Any]) -> str:
    """Say that the work was interrupted, and how to resume it if it was saved."""
    path = state.get("checkpoint")
    saved = path is not None and Path(path).exists()
    return f"interrupted: the same command goes on from {path}" if saved else "interrupted"


def _flags(name: str | None) -> set[str]:
    """Return the flags of a command, or of all commands if none is running."""
    group: Any = typer.main.get_command(app)
    own = None if name is None else group.get_command(None, name)
    chosen = group.commands.values() if own is None else [own]
    return {flag for command in chosen for option in command.params for flag in option.opts}


def _wrong_usage(error: Any) -> int:
    message, context = plain_usage(one_line(error.format_message())), getattr(error, "ctx", None)
    if not message:  # called without arguments: the help was shown
        return USER_ERROR
    command = "adjudge" if context is None else context.command_path
    if context is not None and (typed := getattr(error, "option_name", None)):
        meant = option_meant(typed, _flags(context.info_name))
        message = f"No such option: {typed}: {meant}" if meant else message
    chosen = re.match(r"Invalid value for '[^']*': '([^']*)' is not one of ", message)
    if chosen is not None and chosen[1] in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        message += f": 'adjudge {chosen[1]}' does this"
    return _fail(f"{message} ('{command} --help' shows how)", USER_ERROR)


def _fail(message: str, code: int) -> int:
    tell(message)
    return code
