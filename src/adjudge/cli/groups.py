"""Groups of options: a command takes a few frozen groups, and a user sees each option in them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints

import typer

from adjudge.deprecation import ENDS
from adjudge.errors import InputError

__all__ = ["grouped"]


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command from a function that takes dataclasses of options: each field becomes an option.

    The fields are annotated like typer's options, and their defaults are those of the options. The help shows the
    options of a group together, below the first sentence of the group's docstring. A field with the metadata
    ``{"formerly": "--flag"}`` goes on to be known by that flag, which says what it is called now.
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
        for one in fields(hint):
            default = Parameter.empty if one.default is MISSING else one.default
            shown = _changed(
                own[one.name], rich_help_panel=_title(hint), metavar=_metavar(one.name, own[one.name])
            )
            options.append(Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=shown))
            if "formerly" in one.metadata:
                options.append(_former_option(one, own[one.name]))

    @wraps(function)
    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{one.name: _value(one, given) for one in fields(group)})
        function(**given)

    del command.__wrapped__
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    return command


def _title(group: Any) -> str:
    """Return the first sentence of a group's docstring, without the full stop."""
    return (group.__doc__ or "").split("\n", 1)[0].rstrip(".")


def _metavar(name: str, annotation: Any) -> Any:
    """Return what stands for a value: KIND, not a list of all kinds, which would leave no room for the help."""
    of_type, described = get_args(annotation)
    of_choices = any(isinstance(one, type) and issubclass(one, Enum) for one in (of_type, *get_args(of_type)))
    if described.metavar is None and of_choices:
        return name.rpartition("_")[2].upper()
    return described.metavar


def _changed(annotation: Any, **settings: Any) -> Any:
    """Return the annotation of an option with other settings."""
    of_type, described = get_args(annotation)
    changed = copy(described)
    for name, value in settings.items():
        setattr(changed, name, value)
    return Annotated[of_type, changed]


def _former_option(option: Field[Any], annotation: Any) -> Parameter:
    """Make the hidden option that has the former name."""
    of_type, described = get_args(annotation)
    hidden = _changed(
        Annotated[of_type | None, described],
        param_decls=(option.metadata["formerly"],),
        hidden=True,
        show_default=False,
    )
    return Parameter(_key(option), Parameter.KEYWORD_ONLY, default=None, annotation=hidden)


def _value(option: Field[Any], given: dict[str, Any]) -> Any:
    """Take the value of an option, which may have been given by its former name."""
    value = given.pop(option.name)
    former = given.pop(_key(option), None)
    if former is None:
        return value
    old, new = option.metadata["formerly"], f"--{option.name.replace('_', '-')}"
    if value != option.default:
        raise InputError(f"{old} and {new} are one option: leave {old} out")
    typer.echo(f"adjudge: {old} is {new} now; the old form will be removed in {ENDS}", err=True)
    return former


def _key(option: Field[Any]) -> str:
    return f"{option.name}_formerly"
