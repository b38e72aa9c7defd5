"""The command `adjudge benchmark`: which model is better over many data sets, and how certain that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import adjudge
from adjudge.atomic import write_atomically
from adjudge.cli.groups import grouped
from adjudge.cli.options import Confidence, Decimal, Engine, Kind, OutputFlags, WhatMissing
from adjudge.cli.output import Output, show_work, tell
from adjudge.cli.saving import Save, check_saved, save_result
from adjudge.errors import InputError
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.cli.benchmark_tables import TableColumns
    from adjudge.results.benchmark import Benchmark

__all__ = ["benchmark"]


class Better(StrEnum):
    """Which scores are better."""

    high = "higher"
    low = "lower"


@dataclass(frozen=True)
class TableFlags:
    """What the columns of the table hold."""

    heading: ClassVar[str] = "The table"

    dataset: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Column with the names of the data sets."),
    ] = None
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Column with the true labels: each row is an instance.",
        ),
    ] = None
    models: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns of the models (labels, or scores); default: all others.",
        ),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="In a long table: column with the models' names.",
        ),
    ] = None
    fold: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="In a long table: column with the folds."),
    ] = None
    missing: Annotated[
        WhatMissing,
        typer.Option(
            metavar="WHAT", help="Rows with a missing label: raise is an error, drop leaves them out."
        ),
    ] = WhatMissing.raise_
    decimal: Decimal = None

    def columns(self) -> TableColumns:
        """Return the options as given."""
        from adjudge.cli.benchmark_tables import TableColumns

        return TableColumns(self.dataset, self.truth, self.models, self.model, self.fold)


@dataclass(frozen=True)
class ScoreFlags:
    """How models are scored on each data set."""

    heading: ClassVar[str] = "Scores"

    score: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Index that scores labels (default: adjusted_rand of clusterings, accuracy of classifiers), or the "
            "long table's column with the scores.",
        ),
    ] = None
    kind: Annotated[
        Kind | None,
        typer.Option(
            metavar="KIND",
            show_default=False,
            help="Labels are of clustering, classification or multilabel (default: as the score or the labels tell).",
        ),
    ] = None
    better: Annotated[
        Better | None,
        typer.Option(metavar="WHICH", show_default=False, help="Better scores are higher or lower."),
    ] = None
    missing_score: Annotated[
        float | None,
        typer.Option(
            metavar="SCORE",
            show_default=False,
            help="Score of a model that has none; default: leave the data set out.",
        ),
    ] = None
    truth_noise: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL", show_default=False, help="True label of instances that belong to no class."
        ),
    ] = None
    confidence: Confidence = None

    def options(self) -> dict[str, Any]:
        """Return the options of `adjudge.benchmark`."""
        return {
            "score": self.score,
            "kind": None if self.kind is None else self.kind.value,
            "better": None if self.better is None else self.better.value,
            "missing_score": self.missing_score,
            "truth_noise": _as_label(self.truth_noise),
            "confidence": self.confidence,
        }


@dataclass(frozen=True)
class TestFlags:
    """How models are compared over the data sets."""

    heading: ClassVar[str] = "Tests"

    test: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Test of pairs: ranks, wilcoxon, sign, quade, aligned-ranks or conover."
        ),
    ] = "ranks"
    correction: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Default: shaffer, or holm with a control or more than 30 models. Others: "
            "bergmann-hommel, nemenyi, hochberg, hommel, finner, li, fdr, bonferroni or none.",
        ),
    ] = None
    control: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", show_default=False, help="Compare every model with this one, chosen beforehand."
        ),
    ] = None
    rope: Annotated[
        float | None,
        typer.Option(
            metavar="DIFFERENCE",
            show_default=False,
            help="Add Bayesian signed-rank tests; differences up to this count as none.",
        ),
    ] = None


@dataclass(frozen=True)
class PaperFlags(OutputFlags):
    """Where results go, and output for a paper."""

    heading: ClassVar[str] = "Output"

    latex: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, help="Also write the table of scores for a paper (booktabs)."
        ),
    ] = None
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Also draw the critical-difference diagram (.pdf, .svg, .png).",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Also write a page for a browser (.html)."),
    ] = None
    save: Save = None

    def write(self, result: Benchmark, source: Path) -> None:
        """Write the table, the diagram, the page and the result, as requested."""
        if self.latex is not None:
            write_atomically(self.latex, result.latex() + "\n")
        if self.figure is not None:
            _draw(result, self.figure)
        if self.report is not None:
            adjudge.report(benchmark=result, note=f"Read from {source.name}.", output=self.report)
        if self.save is not None:
            save_result(result, self.save)


@grouped
def benchmark(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="A table (CSV, TSV, Parquet ...), or a folder with NAME.labels0.gz and NAME.MODEL.labels.gz.",
        ),
    ],
    table: TableFlags,
    scores: ScoreFlags,
    tests: TestFlags,
    output: PaperFlags,
) -> None:
    """Compare models over many data sets: ranks, corrected tests, and the conclusions that you may publish.

    Without --truth, the file is a table of scores: one row per data set and one column per model or, with --model,
    one row per score.

    For example:

    - `adjudge benchmark scores.csv`
    - `adjudge benchmark folds.csv --dataset data --model model --fold fold --score accuracy --rope 0.01`
    - `adjudge benchmark predictions.parquet --dataset data --truth label --score accuracy --latex table.tex`
    - `adjudge benchmark results/ --score nca --correction shaffer --figure cd.pdf --report page.html`
    """
    destination = Output.to(output.output, output.output_format)
    check_saved(output.save)
    with show_work(f"Reading {source}"):
        result = _result(source, table, scores.options())
    compared: dict[str, Any] = {"test": tests.test, "correction": tests.correction, "control": tests.control}
    given = {name: value for name, value in compared.items() if value is not None}
    result = replace(result, settings={**result.settings, **given})
    pairs = result.pairwise(**compared).table()
    bayesian = None if tests.rope is None else result.bayesian(rope=tests.rope)

    def said() -> tuple[list[str], list[str]]:
        return result.sentences(**compared)

    def tables() -> list[Table]:
        found = [result.table_of_models(), result.table_of_tests(), pairs]
        if bayesian is not None:
            found.append(bayesian.table())
        return [*found, *_sentences(*said())]

    def data() -> dict[str, Any]:
        may, may_not = said()
        found = {
            **result.to_dict(),
            "file": str(source),
            "pairs": _records(pairs),
            "may_be_written": may,
            "may_not_be_written": may_not,
        }
        return found if bayesian is None else {**found, "bayesian": bayesian.to_dict()}

    output.write(result, source)
    destination.write(
        data=data, tables=tables, rows=result.table_of_scores, said=lambda: [f"{result.headline}."]
    )
    for note in result.notes:
        tell(note)


def _result(source: Path, table: TableFlags, options: dict[str, Any]) -> Benchmark:
    from adjudge.benchmarking.files import is_a_table
    from adjudge.cli.benchmark_tables import benchmark_of_labels, benchmark_of_scores
    from adjudge.cli.columns import Source

    labels = {**options, "missing": table.missing.value}
    if not is_a_table(source):
        return adjudge.benchmark(str(source), **labels)
    opened = Source(source, Engine.auto, remedy="save it as Parquet", decimal=table.decimal)
    if table.truth is not None:
        return benchmark_of_labels(opened, table.columns(), labels)
    if table.missing is WhatMissing.drop:
        raise InputError(
            "--missing is for labels: name the column of the truth with --truth, or leave it out"
        )
    return benchmark_of_scores(opened, table.columns(), options)


def _records(table: Table) -> Any:
    from adjudge.presentation.plain import plain_json

    return plain_json(table.records())


def _as_label(text: str | None) -> Any:
    """Read a whole number as an integer; other text stays as it is."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def _sentences(may: list[str], may_not: list[str]) -> list[Table]:
    found = [Table(("it may be written",), tuple((text,) for text in may))]
    if may_not:
        found.append(Table(("it may not be written",), tuple((text,) for text in may_not)))
    return found


def _draw(result: Benchmark, figure: Path) -> None:
    from adjudge.displays import CriticalDifferenceDisplay

    try:
        CriticalDifferenceDisplay.from_result(result).plot().figure_.savefig(figure)
    except ValueError as error:
        raise InputError(f"--figure {str(figure)!r}: {error}") from None
