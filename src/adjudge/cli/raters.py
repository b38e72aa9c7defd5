"""The command `adjudge raters`: how well several raters agree, without a known truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from adjudge.cli.classifier_flags import starred
from adjudge.cli.groups import grouped
from adjudge.cli.options import Confidence, File, OutputFlags, split_list
from adjudge.cli.output import Output, say, show_work, tell
from adjudge.cli.standard_input import shown
from adjudge.errors import InputError
from adjudge.presentation.numbers import count

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.label_table import LabelTable

__all__ = ["raters"]


@dataclass(frozen=True)
class RaterFlags:
    """The raters and their ratings."""

    heading: ClassVar[str] = "What is rated"

    raters: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns of ratings, one a rater, or a pattern: 'r_*'; default: all.",
        ),
    ] = None
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--classes",
            "--categories",
            metavar="NAME",
            show_default=False,
            help="All categories in order; default: those that occur, sorted.",
        ),
    ] = None
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Indices, by name or abbreviation, or 'all'.",
        ),
    ] = None
    confidence: Confidence = None


@grouped
def raters(context: typer.Context, file: File, rated: RaterFlags, output: OutputFlags) -> None:
    """Measure how well several raters agree: Fleiss' kappa, Gwet's AC1, Krippendorff's alpha.

    Each row is a unit, and each column a rater; an empty cell is a missing rating.

    For example:

    - `adjudge raters reports.csv --raters 'reader_*' --confidence 0.95`
    - `adjudge raters reports.csv --raters ann,bob,eve --classes low,middle,high --indices all`
    """
    from adjudge.cli.columns import Source
    from adjudge.verbs.raters import evaluate_raters

    destination = Output.to(output.output, output.output_format)
    with show_work(f"Reading {file}"):
        source = Source(file)
        names = _named(source, rated.raters)
        table = _ratings(source, names)
    context.obj["names"] = {"ratings": f"'{shown(str(file))}'"}
    if not rated.raters:
        tell(f"raters are {', '.join(names)} (--raters chooses others)")
    classes = split_list(rated.classes) or None
    found = evaluate_raters(
        table.labels,
        indices=split_list(rated.indices) or "default",
        classes=classes if table.are_text else _numbers(classes),
        confidence=rated.confidence,
    )
    say({"": found})
    title = f"{count(found.n, 'unit')}, {count(len(names), 'rater')}"
    destination.write(
        data=lambda: {"file": shown(str(file)), "raters": names, **found.to_dict()},
        tables=lambda: [replace(found.table(), title=title)],
        rows=found.table,
    )


def _named(source: Source, given: list[str] | None) -> list[str]:
    """Find the raters' columns."""
    if not given:
        return source.others([], "--raters")
    found = [starred(pattern, source, (), "--raters", "rater")[0] for pattern in source.names(given)]
    names = list(dict.fromkeys(name for columns in found for name in columns))
    if len(names) == 1:
        raise InputError(f"--raters names one column, {names[0]!r}: at least two raters are needed")
    return names


def _ratings(source: Source, names: list[str]) -> LabelTable:
    """Read and code the columns, all as numbers or all as text."""
    from adjudge.cli.label_table import LabelTable, tell_words_for_missing
    from adjudge.files.kinds import common_labels
    from adjudge.given.ratings import code_ratings

    labels, are_text = common_labels(source.table.label_columns(names))
    coded = {name: code_ratings(values, f"column {name!r}") for name, values in labels.items()}
    table = LabelTable(None, coded, are_text)
    tell_words_for_missing([table], "empty the cells")
    return table


def _numbers(classes: list[str] | None) -> list[float] | None:
    try:
        return None if classes is None else [float(name) for name in classes]
    except ValueError:
        raise InputError("the ratings are numbers, and --classes names something else") from None
