"""Groups of options: a command takes a few dataclasses, whose fields are the options that users see."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints

__all__ = ["grouped"]


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

    @wraps(function)
    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{one.name: given.pop(one.name) for one in fields(group)})
        function(**given)

    del command.__wrapped__
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _under_heading(annotation: Any, heading: str) -> Any:
    """List an option under the heading of its group."""
    of_type, described = get_args(annotation)
    listed = copy(described)
    listed.rich_help_panel = described.rich_help_panel or heading
    return Annotated[of_type, listed]
