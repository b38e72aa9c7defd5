"""Commands whose help shows flags without a value: ``--adjust``, not ``--adjust <bool>``."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["FlagCommand", "FlagGroup"]


class _PlainFlags:
    """Flags take no value, so nothing stands in its place."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of ``--help`` among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        _place_help(found)
        return found


def _place_help(parameters: list[Any]) -> None:
    """Show ``--help`` with the last options, instead of first and alone."""
    panels = [panel for one in parameters if (panel := getattr(one, "rich_help_panel", None)) is not None]
    for one in parameters:
        if one.name == "help" and panels:
            one.rich_help_panel = panels[-1]


class FlagCommand(_PlainFlags, TyperCommand):
    """A command."""


class FlagGroup(_PlainFlags, TyperGroup):
    """The program, with its commands."""
