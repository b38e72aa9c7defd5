"""Options that several commands share."""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from adjudge.cli.command_parameters import parameter
from adjudge.cli.parameters import RESOURCES, Parameter, Role
from adjudge.cli.standard_input import file_or_standard_input
from adjudge.errors import InputError
from adjudge.usual_seed import USUAL_SEED

__all__ = [
    "RESOURCES",
    "CertaintyFlags",
    "Debug",
    "Decimal",
    "Engine",
    "EngineFlags",
    "EvaluateEngine",
    "File",
    "Format",
    "Kind",
    "LabelFlags",
    "OutputFile",
    "OutputFlags",
    "OutputFormat",
    "Precision",
    "WeightFlags",
    "WhatMissing",
    "WhatNoise",
    "WhatScaling",
    "about_scaling",
    "as_bytes",
    "described",
    "is_default",
    "split_list",
    "split_names",
]

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*(?:([kmgt])?(i)?b?)", re.IGNORECASE)


class Kind(StrEnum):
    """Which kind the labels are."""

    clustering = "clustering"
    classification = "classification"
    multilabel = "multilabel"


class WhatMissing(StrEnum):
    """What to do with missing labels."""

    raise_ = "raise"
    drop = "drop"


class WhatNoise(StrEnum):
    """What to do with noise."""

    cluster = "cluster"
    singletons = "singletons"
    drop = "drop"


class WhatScaling(StrEnum):
    """How coordinates are scaled."""

    standard = "standard"
    robust = "robust"
    log = "log"


def about_scaling(how: WhatScaling | None) -> dict[str, Any]:
    """Return how coordinates were scaled, for the output."""
    return {"standardized": how is not None, "scaling": None if how is None else how.value}


class WhatWeights(StrEnum):
    """What weights mean."""

    frequency = "frequency"
    importance = "importance"


class Engine(StrEnum):
    """What reads the file."""

    auto = "auto"
    memory = "memory"
    duckdb = "duckdb"


class Precision(StrEnum):
    """The precision of matrix products."""

    float64 = "float64"
    float32 = "float32"


class EvaluateEngine(StrEnum):
    """What reads the file, or computes the indices of points."""

    auto = "auto"
    memory = "memory"
    duckdb = "duckdb"
    torch = "torch"


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
Decimal = Annotated[str | None, described(parameter("decimal"))]
OutputFormat = Annotated[Format | None, described(parameter("output_format"))]
OutputFile = Annotated[Path | None, described(parameter("output"))]


@dataclass(frozen=True)
class LabelFlags:
    """What to do with missing labels and with noise."""

    heading: ClassVar[str] = "Missing labels, noise, weights"

    missing: WhatMissing = WhatMissing.raise_
    noise: WhatNoise | None = None
    noise_label: str | None = None

    @property
    def told_of_noise(self) -> dict[str, Any]:
        """The noise option as an argument, if it was given."""
        return {} if self.noise is None else {"noise": self.noise.value}


@dataclass(frozen=True)
class WeightFlags:
    """How much each row counts, and what it belongs to."""

    heading: ClassVar[str] = "Missing labels, noise, weights"

    weight: str | None = None
    weights: WhatWeights | None = None
    units: str | None = None

    @property
    def meaning(self) -> str | None:
        """What the weights mean, if given."""
        return None if self.weights is None else self.weights.value

    def engine(self, engine: Engine, confidence: float | None) -> Engine:
        """Return what reads the file: intervals with sampling weights need each row, of which DuckDB returns sums."""
        if confidence is None or self.weights is not WhatWeights.importance or self.units is not None:
            return engine
        if engine is Engine.duckdb:
            raise InputError(
                "--confidence with --weights importance needs all rows in memory: leave out --engine duckdb"
            )
        return Engine.memory


@dataclass(frozen=True)
class CertaintyFlags:
    """What to compute besides the values."""

    heading: ClassVar[str] = "Certainty"

    confidence: float | None = None
    adjust: bool = False
    seed: int = USUAL_SEED


@dataclass(frozen=True)
class EngineFlags:
    """What reads the file."""

    heading: ClassVar[str] = RESOURCES

    engine: Engine = Engine.auto


@dataclass(frozen=True)
class OutputFlags:
    """Where results go."""

    heading: ClassVar[str] = "Output"

    output_format: Format | None = None
    output: Path | None = None
    debug: bool = False


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
