"""Groups of options: a command takes a few dataclasses, whose fields are the options that users see."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints

import typer

from adjudge.cli.written_files import check_reading

__all__ = ["grouped"]

# The heading of the options that are listed last.
_LAST = "Output"
# How the files of every command are read.
_READING = {
    "sheet": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="The sheet of a workbook.",
        ),
    ],
    "encoding": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Of text (default utf-8).",
        ),
    ],
}


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command from a function that takes dataclasses of options: each field becomes an option.

    The fields are annotated like typer's options, and their defaults become the defaults of the options. The help
    lists options under the `heading` of their dataclass, unless an option has its own ``rich_help_panel``.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {}
    options: list[Parameter] = []
    for name, parameter in signature(function).parameters.items():
        hint = hints[name]
        if not is_dataclass(hint):
            options.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        group: Any = hint
        groups[name] = group
        own = get_type_hints(hint, include_extras=True)
        for one in fields(hint):
            default = Parameter.empty if one.default is MISSING else one.default
            annotation = _under_heading(own[one.name], group.heading)
            options.append(
                Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            )

    # Beside the decimal sign, or under a heading of their own.
    place = next((i + 1 for i, option in enumerate(options) if option.name == "decimal"), None)
    heading = "Files" if place is None else _heading(options[place - 1]) or "Files"
    if place is None:
        place = next((i for i, option in enumerate(options) if _heading(option) == _LAST), len(options))
    options[place:place] = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=_under_heading(how, heading))
        for name, how in _READING.items()
    ]

    @wraps(function)
    def command(**given: Any) -> None:
        how = {name: given.pop(name) for name in _READING}
        check_reading(**how, given=given)
        for name, group in groups.items():
            given[name] = group(**{one.name: given.pop(one.name) for one in fields(group)})
        from adjudge.files.reading import reading_as

        with reading_as(**how):
            function(**given)

    del command.__wrapped__
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _heading(option: Parameter) -> str | None:
    """Return the heading under which an option is listed."""
    return next(
        (own.rich_help_panel for own in get_args(option.annotation) if hasattr(own, "rich_help_panel")), None
    )


def _under_heading(annotation: Any, heading: str) -> Any:
    """List an option under the heading of its group."""
    of_type, described = get_args(annotation)
    listed = copy(described)
    listed.rich_help_panel = described.rich_help_panel or heading
    return Annotated[of_type, listed]
