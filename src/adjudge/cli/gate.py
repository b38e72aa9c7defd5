"""The command `adjudge gate`: whether a new model may replace the old one."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import typer

import adjudge
from adjudge.atomic import write_atomically
from adjudge.cli.gate_settings import Undecided, margin_in, max_broken_in, names_in, read_settings
from adjudge.cli.groups import grouped
from adjudge.cli.options import (
    Debug,
    Decimal,
    File,
    Format,
    Kind,
    Missing,
    OutputFile,
    Truth,
    Units,
    WhatMissing,
    is_default,
    split_list,
)
from adjudge.cli.output import Output, goes_to_a_file, say, show_work, tell
from adjudge.cli.saving import Save, check_saved, is_result, save_result, with_rows
from adjudge.cli.standard_input import shown
from adjudge.cli.written_files import check_files
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.presentation.tables import Table
    from adjudge.results.gate import Gate

__all__ = ["FAILED", "UNDECIDED", "gate"]

#: Exit codes of a gate that fails, and of one that is undecided.
FAILED, UNDECIDED = 1, 3
_ROWS_IN = (".csv", ".parquet")
_MODELS = ("old", "new")
_Flags = TypeVar("_Flags", "ModelFlags", "CheckFlags")


class GateFormat(StrEnum):
    """How the result of a gate is written."""

    table = "table"
    markdown = "markdown"
    json = "json"
    csv = "csv"
    latex = "latex"
    junit = "junit"


@dataclass(frozen=True)
class ModelFlags:
    """Which models are compared, and on which rows."""

    heading: ClassVar[str] = "What is compared"

    truth: Truth = None
    old: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Column with the old model's labels."),
    ] = None
    new: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Column with the new model's labels."),
    ] = None
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="The old model's table; FILE is then the new one's, and --key joins them. Or a result that was saved "
            "with its instances (.adjudge).",
        ),
    ] = None
    key: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="With --against: column that names each row."),
    ] = None
    prediction: Annotated[
        str | None,
        typer.Option(
            metavar="COL", show_default=False, help="With --against: column with the labels, in both tables."
        ),
    ] = None
    probabilities: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns of probabilities: a pattern such as 'v1_*' or a column for each model, the old one first, "
            "or MODEL=COL of one of them; with --against one for both.",
        ),
    ] = None
    classes: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="All classes in order (default: sorted)."),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default=False, help="The positive class of two."),
    ] = None
    kind: Annotated[
        Kind | None,
        typer.Option(
            metavar="KIND",
            show_default=False,
            help="classification (default), clustering, or multilabel (cells are lists).",
        ),
    ] = None
    units: Units = None
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", "--groups", metavar="COL", show_default=False, help="Also check each group of rows."
        ),
    ] = None
    missing: Missing = WhatMissing.raise_
    decimal: Decimal = None


@dataclass(frozen=True)
class CheckFlags:
    """The checks that the new model has to pass."""

    heading: ClassVar[str] = "Checks"

    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE",
            show_default=False,
            help="How much worse is good enough (default 0.01): 0.02, 2%, or by index: accuracy=0.01,f1=2%.",
        ),
    ] = None
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", show_default=False, help="What must not become worse, also 'recall[CLASS]'."
        ),
    ] = None
    superior: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", show_default=False, help="Indices by which the new model must be better."
        ),
    ] = None
    equivalent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="Indices that must stay within the margin."),
    ] = None
    max_broken: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N",
            show_default=False,
            help="Rows that may be right before and wrong now: 5, a share 0.02, or by class: churn=5.",
        ),
    ] = None
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="Confidence of the end that faces the margin")
    ] = 0.95
    smallest_group: Annotated[
        int,
        typer.Option(metavar="N", help="Groups with fewer rows (or --units) are not checked apart"),
    ] = 0
    undecided: Annotated[
        Undecided,
        typer.Option(metavar="HOW", help="What the exit code says then: undecided (3), pass, or fail"),
    ] = Undecided.as_it_is
    settings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Options from a TOML file; default: gate.toml, or [tool.adjudge.gate] of pyproject.toml.",
        ),
    ] = None


@dataclass(frozen=True)
class GateOutput:
    """Where the result and the rows go."""

    heading: ClassVar[str] = "Output"

    broken: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Write the rows that broke (.csv, .parquet)."),
    ] = None
    fixed: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Write the rows that were put right."),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Write a page (.html) with checks and rows."),
    ] = None
    save: Save = None
    output_format: Annotated[
        GateFormat | None,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            show_default=False,
            help="table, markdown, json, csv, latex or junit; default: by the ending of --output, else table.",
        ),
    ] = None
    output: OutputFile = None
    debug: Debug = False


@grouped
def gate(
    context: typer.Context, file: File, models: ModelFlags, checks: CheckFlags, output: GateOutput
) -> None:
    """Decide whether a new model may replace the old one: pass, fail or undecided.

    Exit codes: 0 pass, 1 fail, 3 undecided, 2 wrong input, 70 internal error.

    For example:

    - `adjudge gate predictions.csv --truth label --old v1 --new v2`
    - `adjudge gate predictions.parquet --truth label --old v1 --new v2 --margin 0.02 --units patient --by country`
    - `adjudge gate new.csv --against old.csv --key id --truth label --margin accuracy=0.01,'recall[churn]=2%'`
    - `adjudge gate predictions.csv --truth label --old v1 --new v2 --max-broken 0.01 --broken broken.csv`
    - `adjudge gate p.csv --truth label --old v1 --new v2 --format markdown >> "$GITHUB_STEP_SUMMARY"`
    """
    stored = read_settings(checks.settings)
    typed = {
        own.name: getattr(flags, own.name)
        for flags in (models, checks)
        for own in fields(flags)
        if not is_default(context, own.name)
    }
    values, said = stored.beside(typed)
    models, checks = _filled(models, values), _filled(checks, values)
    of_settings = [models.against] if models.against is not None else []
    check_files(context, [*of_settings, *map(Path, stored.looked_in)])
    if said:
        tell(f"settings from {stored.source}: {said}")
    junit = output.output_format is GateFormat.junit or (
        output.output_format is None and output.output is not None and output.output.suffix == ".xml"
    )
    destination = None if junit else _destination(output)
    for path in (output.broken, output.fixed):
        if path is not None and path.suffix.lower() not in _ROWS_IN:
            raise InputError(
                f"{str(path)!r} must end in one of {', '.join(_ROWS_IN)}, in which rows are written"
            )
    check_saved(output.save)
    with show_work(f"Reading {file}"):
        found = _judged(file, models, checks, keep=output.save is not None)
    say({"": found})
    for path, cell in ((output.broken, "right_wrong"), (output.fixed, "wrong_right")):
        if path is not None:
            rows = found.rows_of(cell)
            _write_rows(rows, path)
            tell(f"{len(rows.rows):,} rows written to {path}")
    if output.report is not None:
        adjudge.report(gate=found, output=output.report, note=f"From {shown(file.name)}.")
        tell(f"report written to {output.report}")
    if output.save is not None:
        save_result(found, output.save)
    if destination is None:
        _write_text(found.to_junit(), output.output)
    elif output.output_format is GateFormat.markdown or _is_markdown(output):
        _write_text(found.to_markdown(), output.output)
    else:
        destination.write(
            data=lambda: {"file": shown(str(file)), **found.to_dict()},
            tables=found.tables,
            rows=lambda: found.checks,
            said=found.sentences,
        )
    if output.output is not None or goes_to_a_file():
        for line in found.sentences():
            tell(line)
    verdict = found.verdict
    if verdict == "undecided" and checks.undecided is not Undecided.as_it_is:
        verdict = "pass" if checks.undecided is Undecided.passes else "fail"
    if code := {"pass": 0, "fail": FAILED, "undecided": UNDECIDED}[verdict]:
        raise typer.Exit(code)


def _filled(given: _Flags, stored: dict[str, Any]) -> _Flags:
    """Take options from the settings."""
    known = {own.name for own in fields(given)}
    return replace(given, **{name: value for name, value in stored.items() if name in known})


def _destination(output: GateOutput) -> Output:
    known = None if output.output_format is None else Format(output.output_format.value)
    if output.output is not None and known is None and output.output.suffix.lower() in (".html", ".htm"):
        raise InputError(f"--output {str(output.output)!r} is a page: --report writes it")
    return Output.to(output.output, known, also=(".xml",))


def _is_markdown(output: GateOutput) -> bool:
    ending = "" if output.output is None else output.output.suffix.lower()
    return output.output_format is None and ending in (".md", ".markdown")


def _write_rows(rows: Table, path: Path) -> None:
    if path.suffix.lower() == ".csv":
        write_atomically(path, rows.csv())
        return
    import narwhals as nw

    write_atomically(path, lambda stream: nw.from_native(rows.frame()).write_parquet(stream))


def _write_text(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
    else:
        write_atomically(path, text)


def _judged(file: Path, models: ModelFlags, checks: CheckFlags, *, keep: bool) -> Gate:
    options: dict[str, Any] = {
        "truth": models.truth,
        "units": models.units,
        "groups": split_list(models.by) or None,
        "kind": None if models.kind is None else models.kind.value,
        "missing": models.missing.value,
        "classes": split_list(models.classes) or None,
        "positive": models.positive,
        "margin": margin_in(checks.margin),
        "indices": names_in(checks.indices) or None,
        "superior": names_in(checks.superior),
        "equivalent": names_in(checks.equivalent),
        "max_broken": max_broken_in(checks.max_broken),
        "confidence": checks.confidence,
        "smallest_group": checks.smallest_group,
    }
    if models.against is None:
        for name, value in (("--key", models.key), ("--prediction", models.prediction)):
            if value is not None:
                raise InputError(f"{name} is of two tables: name the old model's with --against")
        options |= {"old": models.old, "new": models.new, "probabilities": _probabilities(file, models)}
        tables: tuple[Path, ...] = (file,)
    else:
        if models.old is not None:
            raise InputError(
                "--old is a column of one table: with --against name the column with --prediction"
            )
        options["prediction"] = models.prediction or models.new
        stored = is_result(models.against)
        tables = (file, models.against) if stored else (models.against, file)
        if not stored and models.key is None:
            raise InputError("--against needs --key: name the column that says which rows belong together")
        columns = models.probabilities if stored else _probabilities(file, models)
        options |= {"key": models.key, "probabilities": columns}
    given = {name: value for name, value in options.items() if value is not None}
    opened: list[Any] = [with_rows(own) if keep else own for own in tables]
    if models.decimal == ",":
        from adjudge.tables.files import FileTable

        opened = [
            own if is_result(path) else FileTable(path, ",") for own, path in zip(opened, tables, strict=True)
        ]
    found = adjudge.gate(*opened, **given)
    of_places = {n: shown(own) if isinstance(own, str) else own for n, own in found.settings.items()}
    return replace(found, settings=of_places)


def _probabilities(file: Path, models: ModelFlags) -> Any:
    """Find the columns of each model's probabilities."""
    if not models.probabilities:
        return None
    from adjudge.cli.classifier_flags import by_model, model_and_pattern, starred
    from adjudge.cli.columns import Source

    files = [file] if models.against is None else [file, models.against]
    sources = [Source(own, decimal=models.decimal) for own in files]
    given = sources[0].names(models.probabilities)
    labelled = {name for name in (models.truth, models.old, models.new, models.units) if name is not None}

    def columns_of(pattern: str) -> Any:
        try:
            columns, classes = starred(pattern, sources[0], labelled, "--probabilities")
        except InputError:
            if len(sources) < 2:
                raise
            columns, classes = starred(pattern, sources[1], labelled, "--probabilities")
        return columns[0] if classes is None else dict(zip(classes, columns, strict=True))

    if models.against is None:
        named = [model_and_pattern(own, _MODELS, sources[0].table.columns) for own in given]
        return {model: columns_of(own) for model, own in by_model(named, _MODELS).items()}
    if len(given) != 1:
        raise InputError(f"--probabilities has {len(given)} of 1 columns or patterns that are needed")
    return columns_of(given[0])
