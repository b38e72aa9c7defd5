"""Options that several commands share."""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.cli.command_parameters import parameter
from adjudge.cli.parameters import RESOURCES, Parameter, Role
from adjudge.cli.standard_input import file_or_standard_input
from adjudge.errors import InputError

__all__ = [
    "RESOURCES",
    "Debug",
    "File",
    "Format",
    "OutputFiles",
    "OutputFormat",
    "WhatScaling",
    "as_bytes",
    "described",
    "is_default",
    "split_list",
    "split_names",
]

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*(?:([kmgt])?(i)?b?)", re.IGNORECASE)


class WhatScaling(StrEnum):
    """How coordinates are scaled."""

    standard = "standard"
    robust = "robust"
    log = "log"


class Format(StrEnum):
    """How results are written."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


def _remember(context: typer.Context, wanted: bool) -> bool:
    if wanted and isinstance(context.obj, dict):
        context.obj["debug"] = True
    return wanted


def number_or_text(given: str | float) -> Any:
    """Read a number; return anything else unchanged, for the library to reject."""
    try:
        number = float(given)
    except ValueError:
        return given
    return int(number) if number.is_integer() else number  # so that a message repeats 95 as 95


def _check_decimal(value: str | None) -> str | None:
    if value not in (None, ".", ","):
        raise InputError(f"--decimal {value!r}: choose . or ,")
    return value


def described(own: Parameter, heading: str = "") -> Any:
    """Return what typer shows of an option, under its own heading or the given one."""
    further: dict[str, Any] = {}
    if own.role is Role.level:
        further["parser"] = number_or_text
    if own.name == "debug":
        further |= {"callback": _remember, "is_eager": True}
    if own.name == "decimal":
        further["callback"] = _check_decimal
    return typer.Option(
        *own.own_flags,
        metavar=None if own.role is Role.flag else own.metavar,
        min=own.least,
        show_default=own.shows or (own.default is not None and not own.silent),
        help=own.help,
        rich_help_panel=own.panel or heading or None,
        **further,
    )


Debug = Annotated[bool, described(parameter("debug"))]
File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        callback=file_or_standard_input,
        help="CSV, TSV, JSON lines (also .gz, .bz2, .zst), Parquet (or a folder of it), Arrow, Feather, .xlsx, one "
        "label per line; or - for standard input.",
    ),
]
OutputFormat = Annotated[Format | None, described(parameter("output_format"))]
OutputFiles = Annotated[list[Path] | None, described(parameter("output"))]


def as_bytes(size: str) -> int:
    """Read a memory size, such as ``4GB`` or ``512 MiB``."""
    written = _SIZE.fullmatch(size.strip())
    if written is None:
        raise InputError(f"--memory-limit {size}: a size such as 500MB or 4GiB is needed")
    number, unit, binary = written.groups()
    power = " kmgt".index((unit or " ").lower())
    n_bytes = float(number) * (1024 if binary else 1000) ** power
    if n_bytes < 1:
        raise InputError(f"--memory-limit {size}: at least a byte is needed")
    return int(n_bytes)


def is_default(context: typer.Context, name: str) -> bool:
    """Whether an option was left out."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "DEFAULT"


def split_list(given: Iterable[str] | None) -> list[str]:
    """Read options that may be repeated and hold comma-separated lists; return each name once."""
    return list(dict.fromkeys(_listed(given)))


def split_names(given: Iterable[str] | None, known: Container[str]) -> list[str]:
    """Read options that list columns or files; raise if one is named twice.

    A name in `known` is never split; within a list, a name that contains commas needs double quotes.
    """
    names = _listed(given, known)
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        raise InputError(f"{again!r} is named twice in {','.join(given or ())!r}: name it once")
    return names


def _listed(given: Iterable[str] | None, known: Container[str] = ()) -> list[str]:
    names: list[str] = []
    for item in given or ():
        if item in known:
            names.append(item)
            continue
        try:
            (fields,) = csv.reader([item], skipinitialspace=True, strict=True)
        except (csv.Error, ValueError):
            raise InputError(f"{item!r} is not a comma-separated list") from None
        names += [field.strip() if field not in known else field for field in fields or [""]]
    if given and not all(names):
        raise InputError(f"an empty name in the list {','.join(given)!r}")
    return names
