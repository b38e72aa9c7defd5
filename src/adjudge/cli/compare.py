"""The command `adjudge compare`: which model is right where the other is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

import adjudge
from adjudge.cli.classifier_flags import ClassifierFlags, check_apart, models_in
from adjudge.cli.groups import grouped
from adjudge.cli.label_sets import LabelSetFlags
from adjudge.cli.options import (
    CertaintyFlags,
    Engine,
    EngineFlags,
    File,
    Format,
    Kind,
    OutputFlags,
    WeightFlags,
    is_default,
    split_list,
    split_names,
)
from adjudge.cli.output import Output, say, show_work, tell, verdict_lines
from adjudge.cli.saving import SaveFlags, check_saved, engine_of_saved, save_result
from adjudge.cli.standard_input import shown
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.results import Comparison
    from adjudge.tables.files import FileTable

__all__ = ["compare"]


@dataclass(frozen=True)
class ModelFlags:
    """Which models are compared, and of which kind they are."""

    heading: ClassVar[str] = "What is compared"

    truth: str | None = None
    models: list[str] | None = None
    kind: Kind | None = None
    indices: list[str] | None = None
    primary: str | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class RowsFlags:
    """Which rows to write instead of the results, and whether to explain symbols."""

    heading: ClassVar[str] = "Output"

    rows: str | None = None
    pair: list[str] | None = None
    legend: bool = False
    everything: bool = False


@grouped
def compare(
    context: typer.Context,
    file: File,
    models: ModelFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    certainty: CertaintyFlags,
    rows: RowsFlags,
    labels: TreatmentFlags,
    weights: WeightFlags,
    reading: EngineFlags,
    saving: SaveFlags,
    output: OutputFlags,
) -> None:
    """Compare models with each other: which is right where another is wrong (the Prayatul matrix of each pair).

    As CSV, the result has one row per ordered pair of models; as JSON, it also has the models' own scores.

    If DuckDB is installed, it counts large files (Parquet, CSV) in bounded memory.

    For example:

    - `adjudge compare predictions.csv --truth label --models forest,knn --kind classification`
    - `adjudge compare iris.parquet --truth species --models kmeans --models dbscan --noise singletons`
    - `adjudge compare truth.txt --models kmeans.txt,ward.txt --kind clustering -o pairs.csv`
    - `adjudge compare big.parquet --truth label --models old,new --rows right_wrong -o lost.parquet`
    - `adjudge compare scores.csv --truth label --probabilities 'old_*,new_*' --by country --confidence 0.95`
    - `adjudge compare films.csv --truth 'true_*' --models 'old_*,new_*' --kind multilabel`
    """
    destination = Output.to(output.output, output.output_format if rows.rows is None else Format.table)
    check_saved(saving.save)
    if saving.save is not None and rows.rows is not None:
        raise InputError("--rows writes rows, not the result: leave out --save")
    if rows.rows is None and rows.pair:
        raise InputError("--pair needs --rows: name the cell")
    engine = engine_of_saved(reading.engine, saving.save)
    read = weights.engine(engine, certainty.confidence)
    if rows.rows is not None and read is not engine:
        raise InputError(
            "--rows streams the file, and --confidence with --weights importance needs all rows in memory: leave "
            "out --confidence"
        )
    context.obj["names"] = {"sample_weight": f"column {weights.weight!r}"}
    options = _options(models, certainty, classifier)
    if models.kind is Kind.multilabel and rows.rows is not None:
        raise InputError("--rows writes whole rows, not pairs of a row and a label: leave it out")
    from adjudge.results.label_notices import ROWS_LEFT_OUT
    from adjudge.tables.files import FileTable

    with show_work(f"Reading {file}"):
        table = FileTable(file, models.decimal, read)
        if rows.rows is not None and read is Engine.auto:
            remedy = ("save it as Parquet, or leave out --rows",)
            table = FileTable(file, models.decimal, Engine.duckdb, remedy)
        truth, columns = _columns(table, models, classifier, sets, weights)
        asked = None if rows.rows is None else _Rows.of(table, rows, columns, classifier, reading, output)
        found = adjudge.compare(table, **columns, **options, **_treatment(models, labels, weights))
    codes = {ROWS_LEFT_OUT} if asked is not None else set()
    say({"": found}, but={*codes, *(() if is_default(context, "noise") else ("noise-is-a-cluster",))})
    if asked is not None:
        n = asked.write(found)
        tell(f"{n:,} rows written to {output.output}")
        return
    if saving.save is not None:
        save_result(found, saving.save)
    whole = rows.everything or destination.format is not Format.table or destination.path is not None
    if not whole and found.left_out:
        tell("the tables have more rows: --all prints them")
    destination.write(
        data=lambda: {"file": shown(str(file)), "truth": truth, **found.to_dict()},
        tables=lambda: [
            *(found.tables() if whole else found.shown_tables()),
            *([found.legend_table()] if rows.legend and len(found) else []),
        ],
        rows=lambda: _rows_of(found),
        said=lambda: verdict_lines(found.verdict),
    )


def _columns(
    table: FileTable,
    models: ModelFlags,
    classifier: ClassifierFlags,
    sets: LabelSetFlags,
    weights: WeightFlags,
) -> tuple[str, dict[str, Any]]:
    """Return the truth, and the columns as arguments of `adjudge.compare`."""
    by = split_names(classifier.by, table)
    truth = models.truth or table.own_list
    if truth is None:
        raise InputError("the truth is missing: name its column with --truth")
    beside = [name for name in (truth, weights.weight, weights.units, *by) if name is not None]
    names = models_in(table, split_names(models.models, table), beside, models.kind)
    if not names and not classifier.has_forecasts:
        raise InputError("the models are missing: name their columns with --models")
    check_apart(truth, names.values(), by, weights.units)
    options = {
        "truth": truth,
        "models": list(names.values()) or None,
        "probabilities": classifier.of_models(table, list(names)),
        "groups": by or None,
        "sample_weight": weights.weight,
        "units": weights.units,
        "delimiter": sets.delimiter,
    }
    return truth, {name: own for name, own in options.items() if own is not None}


def _treatment(models: ModelFlags, labels: TreatmentFlags, weights: WeightFlags) -> dict[str, Any]:
    """Return the kind, and how labels and weights are treated, as arguments of `adjudge.compare`."""
    options = {
        "kind": models.kind and models.kind.value,
        "missing": labels.options.missing,
        "noise": labels.options.noise,
        "noise_label": labels.noise_label,
        "weights": weights.meaning,
    }
    return {name: own for name, own in options.items() if own is not None}


def _rows_of(result: Comparison) -> Table:
    """Return one row per ordered pair of models, overall and within each group."""
    from adjudge.results.differences import words_of_group

    table = result.full_table()
    if not result.by_group:
        return table
    rows = [("", *row) for row in table.rows]
    for group, own in result.by_group.items():
        rows += [(words_of_group(group), *row) for row in own.full_table().rows]
    return Table(("group", *table.columns), tuple(rows), table.title)


@dataclass(frozen=True)
class _Rows:
    """The rows to write: those in one cell of two models."""

    cell: str
    pair: tuple[str, str]
    output: Path

    @classmethod
    def of(
        cls,
        table: FileTable,
        rows: RowsFlags,
        columns: Mapping[str, Any],
        classifier: ClassifierFlags,
        reading: EngineFlags,
        output: OutputFlags,
    ) -> _Rows:
        """Check which rows are asked for, and whether they can be written."""
        from adjudge.statistics.agreement import CELLS
        from adjudge.tables.written_rows import WRITERS

        if classifier.named:
            raise InputError(f"--rows writes the rows of all instances: leave out {classifier.named[0]}")
        if reading.engine is Engine.memory:
            raise InputError("--rows streams the file: leave out --engine memory")
        pair, cell = table.matching(split_names(rows.pair, table)), str(rows.rows)
        if cell not in CELLS:
            raise InputError(f"--rows {cell!r} is not known: choose one of {', '.join(CELLS)}")
        if output.output_format is not None:
            raise InputError(
                "--format is for results, not rows: the ending of --output sets the format of rows"
            )
        if not pair and len(columns["models"]) == 2:
            pair = columns["models"]
        if len(pair) != 2:
            raise InputError("--rows needs two models: name the primary and the alternative with --pair P,Q")
        target, endings = output.output, ", ".join(WRITERS)
        if target is None:
            raise InputError(f"--rows needs a file to write to: name it with --output ({endings})")
        if target.suffix.lower() not in WRITERS:
            raise InputError(
                f"--output {str(target)!r} must end in one of {endings}, in which rows are written"
            )
        return cls(cell, (pair[0], pair[1]), target)

    def write(self, result: Comparison) -> int:
        """Write the rows of the cell, or each row with its number of pairs in the cell."""
        from adjudge.tables.written_rows import write_cell

        return write_cell(result[self.pair], self.cell, self.output)


def _options(models: ModelFlags, certainty: CertaintyFlags, classifier: ClassifierFlags) -> dict[str, Any]:
    """Make the options of `adjudge.compare` from the flags."""
    given = models.indices
    options = {
        "indices": split_list(given) if given and given != ["default"] else "default",
        "confidence": certainty.confidence,
        "adjust": certainty.adjust,
        "random_state": certainty.seed,
        "primary": models.primary,
        "groups_correction": classifier.groups_correction.value,
        "classes": split_list(classifier.classes) or None,
        "positive": classifier.positive,
    }
    return {name: own for name, own in options.items() if own is not None}
