"""Commands whose help is short: values by a word or two, and defaults in the line of the text."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

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
    """A command."""


class FlagGroup(_ShortHelp, TyperGroup):
    """The program, with its commands."""
