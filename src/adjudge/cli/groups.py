"""Groups of options: a command takes a few frozen groups, and a user sees each option in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

__all__ = ["grouped"]


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command from a function that takes dataclasses of options: each field becomes an option.

    The fields are annotated like typer's options, and their defaults are those of the options.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {}
    options: list[Parameter] = []
    for name, parameter in signature(function).parameters.items():
        hint = hints[name]
        if not is_dataclass(hint):
            options.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        groups[name] = hint
        own = get_type_hints(hint, include_extras=True)
        for field in fields(hint):
            default = Parameter.empty if field.default is MISSING else field.default
            options.append(
                Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=own[field.name])
            )

    @wraps(function)
    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        function(**given)

    del command.__wrapped__
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command
