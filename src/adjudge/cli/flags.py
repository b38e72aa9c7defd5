"""Commands whose help is short: values by a word or two, and defaults in the line of the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from adjudge.errors import InputError

__all__ = ["FlagCommand", "FlagGroup"]


class _ShortHelp:
    """Flags show no value, defaults no line of their own; ``--help`` is listed with the last options."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of ``--help`` among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            elif parameter.param_type_name == "option":
                _put_default_into_text(parameter)
        if len(found) > 1 and found[-1].name == "help":
            found[-1].rich_help_panel = getattr(found[-2], "rich_help_panel", None)
        return found


def _put_default_into_text(option: Any) -> None:
    """Write the default behind the text of an option: typer would give it a line."""
    shown, default = option.show_default, option.default
    if isinstance(shown, str):
        default = shown
    if not shown or default is None or option.help is None:
        return
    text = option.help if option.help.endswith("...") else option.help.removesuffix(".")
    option.help = f"{text} (default {getattr(default, 'value', default)})."
    option.show_default = False


class FlagCommand(_ShortHelp, TyperCommand):
    """A command whose lists are separated by commas."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, if no list is separated by blanks."""
        parameters = self.get_params(ctx)
        _check_lists(
            args,
            {name: option for option in parameters for name in option.opts if name.startswith("-")},
            sum(1 for option in parameters if option.param_type_name == "argument"),
        )
        return super().parse_args(ctx, args)


def _check_lists(args: Sequence[str], options: dict[str, Any], n_arguments: int) -> None:
    """Refuse more words than the command has arguments, if they follow the value of a list."""
    flag, others = "", 0
    listed: dict[str, list[str]] = {}
    words = iter(args)
    for word in words:
        name, sign, value = word.partition("=")
        option = options.get(name)
        if option is not None:
            is_list = option.multiple and not option.is_flag
            flag = name if is_list else ""
            if not sign and not option.is_flag:
                value = next(words, "")
            if is_list:
                listed[flag] = [value]
        elif word.startswith("-") and word != "-":
            flag = ""
        elif flag:
            listed[flag].append(word)
        else:
            others += 1
    for flag, names in listed.items():
        # The argument itself may stand behind the list.
        names = names[: len(names) - max(n_arguments - others, 0)]
        if len(names) > 1:
            raise InputError(
                f"{flag} {' '.join(names)}: separate the names with commas: {flag} {','.join(names)}"
            )


class FlagGroup(_ShortHelp, TyperGroup):
    """The program, with its commands."""
