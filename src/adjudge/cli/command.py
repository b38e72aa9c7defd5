"""A command from a verb: its flags follow from the table of options; what was typed becomes the arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from inspect import Parameter as Argument
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.cli.command_parameters import flags_of, parameter
from adjudge.cli.messages import FLAGS_HERE
from adjudge.cli.options import File, described, is_default
from adjudge.cli.output import Output, say, tell
from adjudge.cli.parameters import Parameter, Role
from adjudge.cli.settings import Settings
from adjudge.cli.standard_input import shown
from adjudge.cli.typed import value_of
from adjudge.cli.written_files import check_files, check_reading

__all__ = ["FILES", "OUTPUT", "Call", "command"]

#: Options that every command has: how files are read, and where results go.
FILES = ("sheet", "encoding")
OUTPUT = ("output_format", "output", "debug")
_READING = (*FILES, "decimal")
# Options of settings that name files that are read.
_READ_BESIDE = ("against",)

_TYPES: dict[Role, Any] = {
    Role.count: int,
    Role.number: float,
    Role.level: float,
    Role.flag: bool,
    Role.file: Path,
    Role.folder: Path,
}


@dataclass(frozen=True)
class Call:
    """A command with what was typed.

    Attributes
    ----------
    file : Path
    options : dict
        The arguments of the verb that were typed, by name.
    beside : dict
        The options of the command alone, by name; None if not given.
    output : Output or None
        Where the result goes; None if the command says it.
    of_settings : collection of str
        The options that a file of settings holds.
    """

    file: Path
    options: dict[str, Any]
    beside: dict[str, Any]
    output: Any
    of_settings: Collection[str] = ()

    @property
    def shown(self) -> str:
        """The file, as the output names it."""
        return shown(str(self.file))

    def say(self, result: Any) -> None:
        """Write the notices of a result to standard error."""
        say({"": result})


def command(
    panels: Mapping[str, Sequence[str]],
    *,
    verb: str,
    beside: Collection[str] = (),
    file: Any = File,
    settings: Collection[str] = (),
    destination: Callable[[Sequence[Path] | None, str | None], Output | None] = Output.to,
) -> Callable[[Callable[[Call], None]], Callable[..., None]]:
    """Make a command from a function that calls a verb and writes its result.

    Parameters
    ----------
    panels : mapping of str to sequence of str
        The names of the options under each heading of the help.
    verb : str
        The name of the function of the package that takes the others.
    beside : collection of str
        Those that the command reads itself, in addition to those of files and of the output.
    file : type
        What the help says of the file, if it is not a table like any other.
    settings : collection of str
        The headings whose options may stand in a file of settings.
    destination : callable
        Takes where the result goes and the name of a format; returns None if the command writes it itself.
    """

    def made(call_verb: Callable[[Call], None]) -> Callable[..., None]:
        called = call_verb.__name__.replace("_", "-")
        options = [(parameter(name, called), heading) for heading, names in panels.items() for name in names]
        aside = {*beside, *panels["Output"], *_READING, "settings"}
        has_format = "output_format" in panels["Output"]
        known = [
            own for own, heading in options if heading in settings and own.name not in (*FILES, "settings")
        ]
        stored = Settings(called, known) if settings else None

        def run(context: typer.Context, **typed: Any) -> None:
            from adjudge.files.reading import reading_as

            FLAGS_HERE.set(flags_of(called))
            path = typed.pop("file")
            context.obj["names"] = {"X": str(path), "ratings": repr(shown(str(path)))}
            context.obj["names"]["images"] = f"column {typed.get('images')!r}"
            context.obj["checkpoint"] = typed.get("checkpoint")
            chosen = {name for name in typed if not is_default(context, name)}
            of_file: dict[str, Any] = {}
            if stored is not None:
                of_file = _settings_beside(context, stored, {name: typed[name] for name in chosen})
                typed |= of_file
                chosen |= of_file.keys()
            check_reading(typed["sheet"], typed["encoding"], given={"file": path, **typed})
            form = typed["output_format"] if has_format else None
            output = destination(typed["output"], form and form.value)
            with reading_as(*map(typed.get, _READING)):
                read_as = {own.name: value_of(own, typed[own.name], path) for own, _ in options}
                given = {n: own for n, own in read_as.items() if n in chosen - aside and own is not None}
                of_command = {name: read_as.get(name) for name in aside}
                call_verb(Call(path, given, of_command, output, of_file.keys()))

        arguments = [
            Argument("context", Argument.KEYWORD_ONLY, annotation=typer.Context),
            Argument("file", Argument.KEYWORD_ONLY, annotation=file),
            *(_argument(own, heading) for own, heading in options),
        ]
        for name in ("__name__", "__doc__", "__module__"):
            setattr(run, name, getattr(call_verb, name))
        run.__signature__ = Signature(arguments)  # type: ignore[attr-defined]
        run.__annotations__ = {own.name: own.annotation for own in arguments}
        passed = [own for own, _ in options if own.name not in aside]
        run.verb, run.passed, run.settings = verb, passed, stored  # type: ignore[attr-defined]
        return run

    return made


def _settings_beside(context: typer.Context, stored: Settings, typed: dict[str, Any]) -> dict[str, Any]:
    """Return the options that a file of settings holds beside those that were typed, and say which these are."""
    found = stored.beside(typed.get("settings"), typed)
    both = typed | found.values
    named = [both[name] for name in _READ_BESIDE if both.get(name) is not None]
    check_files(context, [*named, *map(Path, found.looked_in)])
    if found.said:
        tell(found.said)
    return found.values


@cache
def _choices(own: Parameter) -> Any:
    return StrEnum(own.name, {choice: choice for choice in own.choices})


def _argument(own: Parameter, heading: str) -> Argument:
    """Return the argument from which typer makes the flag."""
    kind: Any = _choices(own) if own.choices else _TYPES.get(own.role, str)
    default = own.default
    if own.is_list:
        kind = list[Path] if own.role is Role.files else list[str]
    elif own.role is Role.flag:
        default = False
    elif own.choices and default is not None:
        default = kind(default)
    of_type = kind if default is not None or own.is_needed else kind | None
    return Argument(
        own.name,
        Argument.KEYWORD_ONLY,
        default=Argument.empty if own.is_needed else default,
        annotation=Annotated[of_type, described(own, heading)],
    )
