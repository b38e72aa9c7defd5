"""Commands with a short help: values in a word or two, and defaults on the same line as the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from importlib import import_module
from typing import Any

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

from adjudge.cli.options import WhatScaling
from adjudge.cli.written_files import WRITTEN, check_files
from adjudge.errors import AdjudgeError, InputError

__all__ = ["COMMANDS", "FlagCommand", "FlagGroup", "function_of"]


class _ShortHelp:
    """Show no value for flags and no separate line for defaults; list ``--help`` with ``--debug``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, including ``--help``."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            elif parameter.param_type_name == "option":
                _put_default_into_text(parameter)
        if len(found) > 1 and found[-1].name == "help":
            beside = next((own for own in found if own.name == "debug"), found[-2])
            found[-1].rich_help_panel = getattr(beside, "rich_help_panel", None)
        return found


def _put_default_into_text(option: Any) -> None:
    """Append the default to the text of an option: typer would put it on a separate line."""
    shown, default = option.show_default, option.default
    if isinstance(shown, str):
        default = shown
    if not shown or default is None or option.help is None:
        return
    text = option.help if option.help.endswith("...") else option.help.removesuffix(".")
    option.help = f"{text} (default {getattr(default, 'value', default)})."
    option.show_default = False


class FlagCommand(_ShortHelp, TyperCommand):
    """A command that takes comma-separated lists, and flags for the names of columns."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; raise if a list is separated by spaces, or if arguments are left over."""
        args = _with_usual_values(args)
        _check_words(args, self.get_params(ctx), self.name or "")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless it would write over a file that it reads."""
        check_files(ctx)
        return super().invoke(ctx)


# Options that may be given without a value: the value that they have then, and all known values.
_USUAL = {"--standardize": (WhatScaling.standard.value, {own.value for own in WhatScaling})}


def _with_usual_values(args: Sequence[str]) -> list[str]:
    """Join such an option and its value or default: ``--standardize log`` and ``--standardize`` become one word."""
    found: list[str] = []
    words = list(args)
    while words:
        word = words.pop(0)
        if word in _USUAL:
            usual, known = _USUAL[word]
            word = f"{word}={words.pop(0) if words and words[0] in known else usual}"
        found.append(word)
    return found


def _check_words(args: Sequence[str], parameters: Sequence[Any], command: str) -> None:
    """Raise if there are more words than the command has arguments, or two files for one option, and say what to do."""
    options = {name: option for option in parameters for name in option.opts if name.startswith("-")}
    arguments = [own for own in parameters if own.param_type_name == "argument"]
    flag, plain, once = "", [], set()
    listed: dict[str, list[str]] = {}
    words = iter(args)
    for word in words:
        name, sign, value = word.partition("=")
        option = options.get(name)
        if option is not None:
            is_file = option.name in WRITTEN
            is_list = option.multiple and not option.is_flag and not is_file
            flag = name if is_list else ""
            if not sign and not option.is_flag:
                value = next(words, "")
            if option.name in once:
                raise InputError(f"{name} is given twice, and writes one file: give it once")
            # Of other options the last one counts, as in a script that adds to a command.
            if is_file and not option.multiple:
                once.add(option.name)
            if is_list:
                listed[flag] = [value]
        elif word.startswith("-") and word != "-":
            return  # an unknown option: the parser reports it
        elif flag:
            listed[flag].append(word)
        else:
            plain.append(word)
    for flag, names in listed.items():
        # The argument itself may come after the list.
        n_missing = max(len(arguments) - len(plain), 0)
        plain += names[len(names) - n_missing :] if n_missing else []
        names = names[: len(names) - n_missing]
        if len(names) > 1:
            raise InputError(
                f"{flag} {' '.join(names)}: separate the names with commas: {flag} {','.join(names)}"
            )
    if len(plain) > len(arguments):
        raise InputError(_left_over(plain[len(arguments) :], parameters, arguments, command))


def _left_over(
    words: Sequence[str], parameters: Sequence[Any], arguments: Sequence[Any], command: str
) -> str:
    left = f"{_listed(list(map(repr, words)), 'and')} {'is' if len(words) == 1 else 'are'} left over"
    of_columns = [option for option in parameters if option.metavar == "COL"]
    if of_columns:
        first = of_columns[0].rich_help_panel
        flags = [option.opts[0] for option in of_columns if option.rich_help_panel == first]
        return f"{left}: name columns with {_listed(flags, 'or')}"
    takes = " and ".join(own.metavar or own.name.upper() for own in arguments) or "no argument"
    return f"{left}: 'adjudge {command}' takes {takes}"


def _listed(words: Sequence[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


#: The commands under each heading of the help; each stands in the module of its name.
COMMANDS = {
    "Commands": ("evaluate", "compare", "gate", "choose", "benchmark", "report", "plan"),
    "More": ("choose-k", "cluster-tests", "raters", "indices", "demo"),
}


def function_of(name: str) -> Callable[..., None]:
    """Return the function of a command of the program."""
    own = name.replace("-", "_")
    found: Callable[..., None] = getattr(import_module(f"adjudge.cli.{own}"), own)
    return found


class _Commands(MutableMapping[str, Any]):
    """Commands by name, imported and made when they are asked for: most calls need one of them."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {name: None for names in COMMANDS.values() for name in names}

    def __getitem__(self, name: str) -> Any:
        if self._made[name] is None:
            panel = next(own for own, names in COMMANDS.items() if name in names)
            self._made[name] = _command(function_of(name), panel)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, name: object) -> bool:
        return name in self._made


def _command(function: Callable[..., None], panel: str) -> Any:
    return get_command_from_info(
        CommandInfo(cls=FlagCommand, callback=function, rich_help_panel=panel),
        pretty_exceptions_short=True,
        rich_markup_mode="markdown",
    )


class FlagGroup(_ShortHelp, TyperGroup):
    """The program, with its commands and those that installed packages add by entry points "adjudge.commands"."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Name all commands."""
        self._add_commands_of_packages()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; packages are asked only for one that is not the program's own."""
        if cmd_name not in self.commands:
            self._add_commands_of_packages()
        if cmd_name in _PACKAGES and cmd_name not in self.commands:
            what, package = _PACKAGES[cmd_name]
            raise AdjudgeError(f"{what} are a package of their own: pip install {package}")
        return super().get_command(ctx, cmd_name)

    def _add_commands_of_packages(self) -> None:
        from importlib.metadata import entry_points

        for point in entry_points(group="adjudge.commands"):
            if point.name in self.commands:
                continue
            try:
                added = point.load()
            except ModuleNotFoundError as error:
                if str(error.name).partition(".")[0] != point.module.partition(".")[0]:
                    raise
                continue
            self.add_command(_command(added, "More"), point.name)


# Commands that packages of their own add: what these hold, and their names.
_PACKAGES = {"reproduce": ("published experiments", "adjudge-papers")}
