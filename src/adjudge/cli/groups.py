"""Groups of options: a command takes a few dataclasses, whose fields are the options that users see."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from adjudge.cli.command_parameters import flags_of, parameter
from adjudge.cli.messages import FLAGS_HERE
from adjudge.cli.options import described
from adjudge.cli.written_files import check_reading

__all__ = ["grouped"]

# The heading of the options that are listed last.
_LAST = "Output"
# How the files of every command are read.
_READING = ("sheet", "encoding")


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command from a function that takes dataclasses of options: each field becomes an option.

    What the help says of a field is in the table of options, unless the field is annotated like typer's options; its
    default becomes that of the option. The help lists options under the `heading` of their dataclass, unless an option
    has its own ``rich_help_panel``.
    """
    hints, called = get_type_hints(function, include_extras=True), function.__name__.replace("_", "-")
    groups: dict[str, Any] = {}
    options: list[Parameter] = []
    for name, argument in signature(function).parameters.items():
        hint = hints[name]
        if not is_dataclass(hint):
            options.append(argument.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        group: Any = hint
        groups[name] = group
        own = get_type_hints(hint, include_extras=True)
        for one in fields(hint):
            default = Parameter.empty if one.default is MISSING else one.default
            of_type = own[one.name]
            if get_origin(of_type) is not Annotated:
                of_type = Annotated[of_type, described(parameter(one.name, called))]
            annotation = _under_heading(of_type, group.heading)
            options.append(
                Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            )

    # Beside the decimal sign, or under a heading of their own.
    place = next((i + 1 for i, option in enumerate(options) if option.name == "decimal"), None)
    heading = "Files" if place is None else _heading(options[place - 1]) or "Files"
    if place is None:
        place = next((i for i, option in enumerate(options) if _heading(option) == _LAST), len(options))
    options[place:place] = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, own])
        for name in _READING
        for own in [described(parameter(name), heading)]
    ]

    @wraps(function)
    def command(**given: Any) -> None:
        FLAGS_HERE.set(flags_of(called))
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
