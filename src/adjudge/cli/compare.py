"""The command `adjudge compare`: which model is right where the other is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

import adjudge
from adjudge.cli.classifier_flags import ClassifierFlags
from adjudge.cli.groups import grouped
from adjudge.cli.label_sets import LabelSetFlags, SetTable
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
)
from adjudge.cli.output import Output, say, show_work, tell, verdict_lines
from adjudge.cli.saving import SaveFlags, check_saved, engine_of_saved, save_result
from adjudge.cli.standard_input import shown
from adjudge.cli.treatment import TreatmentFlags
from adjudge.errors import InputError, TooManyCombinationsError
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.label_table import LabelTable
    from adjudge.results import Comparison, HeadToHead

__all__ = ["compare", "guess_kind", "say_kind"]


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
    with show_work(f"Reading {file}"):
        engine = engine_of_saved(reading.engine, saving.save)
        read = weights.engine(engine, certainty.confidence)
        if rows.rows is not None and read is not engine:
            raise InputError(
                "--rows streams the file, and --confidence with --weights importance needs all rows in memory: leave "
                "out --confidence"
            )
        asked = _Asked.of(file, models, classifier, rows, read, output, weights.units)
    context.obj["names"] = {"sample_weight": f"column {weights.weight!r}"}
    several = models.kind is Kind.multilabel
    if not several:
        sets.refuse()
    if classifier.named and models.kind is None:
        models = replace(models, kind=Kind.classification)
    options = _options(models, certainty, classifier)
    with show_work(f"Reading {file}"):
        table: LabelTable | None
        result: Comparison | None = None
        if several:
            table, result = None, _label_sets(asked, classifier, sets, labels, weights, options)
        elif classifier.named:
            table, own = classifier.read(
                asked.source, asked.truth, asked.models, labels, weights.weight, weights.units
            )
            options |= own
        else:
            table, result = _counted(asked, models, labels, weights, options)
    truth = asked.truth if several else asked.source.column(asked.truth)
    if table is not None:
        truth = str(table.truth)
        of = models.kind or guess_kind(table, {"noise": labels.options.noise, **options})
        result = _compared(table, of, labels, weights, options)
        if result.settings.get("confidence") is not None:
            said = asked.source.repeating_identifier(weights, table.labels)
            result = replace(result, warnings=result.warnings + said)
        from adjudge.results.label_notices import ROWS_LEFT_OUT

        but = () if is_default(context, "noise") else ("noise-is-a-cluster",)
        say({"": result}, but=(*but, *((ROWS_LEFT_OUT,) if asked.rows is not None else ())))
        if models.kind is None:
            say_kind(of, truth)
    assert result is not None
    if asked.rows is not None:
        assert table is not None
        n = _write_rows(asked.source, table, result[asked.rows.pair], asked.rows)
        tell(f"{n:,} rows written to {output.output}")
        return
    found = result
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


@dataclass(frozen=True)
class _Asked:
    """The columns that the command names."""

    source: Source
    truth: str
    models: list[str]
    rows: _Rows | None

    @classmethod
    def of(
        cls,
        file: Path,
        models: ModelFlags,
        classifier: ClassifierFlags,
        rows: RowsFlags,
        engine: Engine,
        output: OutputFlags,
        units: str | None,
    ) -> _Asked:
        from adjudge.cli.columns import Source

        source = Source(file, engine, decimal=models.decimal)
        others = models.truth, units, *source.names(classifier.by)
        names = source.labelled(models.models, models.kind, others)
        truth = models.truth or source.own_list
        if truth is None:
            raise InputError("the truth is missing: name its column with --truth")
        if not names and not classifier.has_forecasts:
            raise InputError("the models are missing: name their columns with --models")
        if rows.rows is None:
            if rows.pair:
                raise InputError("--pair needs --rows: name the cell")
            return cls(source, truth, names, None)
        if models.kind is Kind.multilabel:
            raise InputError("--rows writes whole rows, not pairs of a row and a label: leave it out")
        if classifier.named:
            raise InputError(f"--rows writes the rows of all instances: leave out {classifier.named[0]}")
        target = _checked_rows(source, rows, names, output)
        if engine is Engine.auto:
            remedy = "save it as Parquet, or leave out --rows"
            source = Source(file, Engine.duckdb, remedy=remedy, decimal=models.decimal)
        return cls(source, truth, names, target)


def _options(models: ModelFlags, certainty: CertaintyFlags, classifier: ClassifierFlags) -> dict[str, Any]:
    """Make the options of `adjudge.compare` from the flags."""
    given = models.indices
    return {
        "indices": split_list(given) if given and given != ["default"] else "default",
        "confidence": certainty.confidence,
        "adjust": certainty.adjust,
        "random_state": certainty.seed,
        "primary": models.primary,
        "groups_correction": classifier.groups_correction.value,
    }


def _counted(
    asked: _Asked,
    models: ModelFlags,
    labels: TreatmentFlags,
    weights: WeightFlags,
    options: dict[str, Any],
) -> tuple[LabelTable | None, Comparison | None]:
    """Read the labels; if they have too many combinations to count, compare two columns at a time."""
    source = asked.source
    # An instance whose label is missing for one model is left out for all, so the models are counted together.
    apart = (
        asked.rows is None
        and models.kind is Kind.clustering
        and options["confidence"] is None
        and weights.weight is None
        and weights.units is None
        and not labels.options.treats_noise
    )
    given: dict[str, Any] = {"treatment": labels, "weight": weights.weight, "units": weights.units}
    try:
        look_ahead = apart and not labels.options.drops
        return source.read(asked.truth, asked.models, look_ahead=look_ahead, **given), None
    except TooManyCombinationsError as error:
        if apart and (result := _compare_apart(asked, labels, options)) is not None:
            return None, result
        source.say_all_are_read(error)
        return source.read(asked.truth, asked.models, in_memory=True, **given), None


def _compared(
    table: LabelTable, kind: Kind, labels: TreatmentFlags, weights: WeightFlags, options: dict[str, Any]
) -> Comparison:
    from adjudge.cli.label_table import noise_meant

    truth, models = str(table.truth), table.judged
    labels.check(truth, list(models))
    treatment: dict[str, Any] = labels.of_columns(truth, models).renamed({truth: "labels_true"}).settings()
    if labels.options.treats_noise:
        treatment["noise_label"] = noise_meant([table], labels.noise_label)
    weighting = table.weighting(weights.meaning)
    with show_work(f"Comparing {len(models) or len(options['probabilities'])} models"):
        return adjudge.compare(
            table.column(truth),
            models or None,
            kind=kind.value,
            **{**weighting.options, **treatment, **options},
        )


def _label_sets(
    asked: _Asked,
    classifier: ClassifierFlags,
    flags: LabelSetFlags,
    treatment: TreatmentFlags,
    weights: WeightFlags,
    options: dict[str, Any],
) -> Comparison:
    """Compare classifiers that give each row several labels."""
    table = SetTable.read(asked.source, asked.truth, asked.models, classifier, flags, weights)
    weighting = table.weighting(weights.meaning)
    found = adjudge.compare(
        table.labels_true,
        table.models or None,
        kind="multilabel",
        missing=treatment.options.missing,
        noise=treatment.options.noise,
        **weighting.options,
        **table.options,
        **options,
    )
    say({"": found})
    return found


def _compare_apart(asked: _Asked, labels: TreatmentFlags, options: dict[str, Any]) -> Comparison | None:
    """Compare clusterings two columns at a time; return None if a pair has too many combinations of labels."""
    from adjudge.verbs.compare_apart import compare_apart

    source = asked.source
    truth, models = source.column(asked.truth), [source.column(name) for name in asked.models]
    labels.check(truth, models)
    try:
        tables = source.read_pairs(truth, models, treatment=labels)
    except TooManyCombinationsError:
        return None
    vectors = {pair: (*table.labels.values(), table.counts) for pair, table in tables.items()}
    of_truth = {model: vectors.pop((truth, model)) for model in models}
    missing = "drop" if labels.options.drops else "raise"
    return compare_apart(adjudge.compare, of_truth, vectors, missing=missing, **options)


def _checked_rows(source: Source, rows: RowsFlags, models: list[str], output: OutputFlags) -> _Rows:
    """Return the requested rows, if they can be written."""
    from adjudge.statistics.agreement import CELLS
    from adjudge.tables.written_rows import WRITERS

    pair, cell = source.names(rows.pair), str(rows.rows)
    if cell not in CELLS:
        raise InputError(f"--rows {cell!r} is not known: choose one of {', '.join(CELLS)}")
    if output.output_format is not None:
        raise InputError("--format is for results, not rows: the ending of --output sets the format of rows")
    if not pair and len(models) == 2:
        pair = models
    if len(pair) != 2:
        raise InputError("--rows needs two models: name the primary and the alternative with --pair P,Q")
    target, endings = output.output, ", ".join(WRITERS)
    if target is None:
        raise InputError(f"--rows needs a file to write to: name it with --output ({endings})")
    if target.suffix.lower() not in WRITERS:
        raise InputError(f"--output {str(target)!r} must end in one of {endings}, in which rows are written")
    return _Rows(cell, (source.column(pair[0]), source.column(pair[1])), target)


def _write_rows(source: Source, table: LabelTable, pair: HeadToHead, rows: _Rows) -> int:
    """Write the rows of a cell, or each row with its number of pairs in the cell."""
    from adjudge.tables.written_rows import write_rows

    if table.counted is None:
        raise InputError("--rows streams the file: leave out --engine memory")
    found = pair.instances(rows.cell)
    names, given = table.counted.names, table.counted.given
    if pair.kind == "classification":
        return write_rows(source.table, names, given(found), rows.output)
    kept = table.compared()
    extra = (f"{rows.cell}_pairs", found[kept])
    return write_rows(source.table, names, given(kept), rows.output, extra)


def say_kind(found: Kind, truth: str) -> None:
    """Say that the models count as classifiers, and why."""
    if found is not Kind.classification:
        return
    tell(
        f"assuming --kind {found.value}, because the models' labels are those of {truth!r} "
        "(--kind clustering compares the groups whatever they are called)"
    )


def guess_kind(table: LabelTable, options: Mapping[str, Any]) -> Kind:
    """Return the kind of the models from their labels and the other options; raise if it is not certain."""
    from adjudge.kinds.which_kind import kind_of_models

    return Kind(kind_of_models(table.column(str(table.truth)), table.judged, options))
