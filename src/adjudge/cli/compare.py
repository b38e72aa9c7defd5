"""The command `adjudge compare`: which model is right where the other is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli.options import (
    Adjust,
    Confidence,
    Debug,
    Engine,
    EngineOption,
    File,
    Format,
    Kind,
    Missing,
    Noise,
    NoiseLabel,
    OutputFile,
    OutputFormat,
    Seed,
    WhatMissing,
    WhatNoise,
    is_default,
    split_list,
)
from adjudge.cli.output import Output, say, show_work, tell
from adjudge.errors import InputError, TooManyCombinationsError

if TYPE_CHECKING:
    from adjudge.cli.columns import LabelTable, Source
    from adjudge.results import Comparison, HeadToHead

__all__ = ["compare", "guess_kind", "say_kind"]


def compare(
    context: typer.Context,
    file: File,
    truth: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help="Column with the true labels.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns with the models' labels; repeat, or separate by commas.",
        ),
    ] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(
            show_default=False,
            help="Clusterings (pairs of instances are counted) or classifications (instances are counted); "
            "needed where the labels do not tell.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", show_default=False, help="Each model's own scores: names, 'default' or 'all'."
        ),
    ] = None,
    confidence: Confidence = None,
    adjust: Adjust = False,
    seed: Seed = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="CELL",
            show_default=False,
            help="Write the rows of one cell to --output instead: both_right, right_wrong, wrong_right or "
            "both_wrong. Of clusterings, all rows with the number of their pairs in the cell.",
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="P,Q", show_default=False, help="With --rows: the primary model and the alternative."
        ),
    ] = None,
    missing: Missing = WhatMissing.raise_,
    noise: Noise = WhatNoise.cluster,
    noise_label: NoiseLabel = None,
    engine: EngineOption = Engine.auto,
    output_format: OutputFormat = None,
    output: OutputFile = None,
    debug: Debug = False,
) -> None:
    """Compare models with each other against the truth: the Prayatul matrix of every ordered pair.

    CSV has one row an ordered pair; JSON also has the models' own scores.

    Parquet and large CSV are counted by DuckDB, where it is installed, in bounded memory.

    For example:

        adjudge compare predictions.csv --truth label --models forest,knn --kind classification

        adjudge compare iris.parquet --truth species --models kmeans --models dbscan --noise singletons

        adjudge compare truth.txt --models kmeans.txt,ward.txt --kind clustering -o pairs.csv

        adjudge compare big.parquet --truth label --models old,new --rows right_wrong -o lost.parquet
    """
    from adjudge.cli.columns import Source, noise_meant

    destination = Output.to(output, output_format if rows is None else Format.table, [file])
    with show_work(f"Reading {file}"):
        source = Source(file, engine)
        names = source.names(models)
        truth = truth or source.own_list
        if truth is None:
            raise InputError("the truth is missing: name its column with --truth")
        if not names:
            raise InputError("the models are missing: name their columns with --models")
        if rows is not None:
            target = _check_rows(source, rows, source.names(pair), names, output, output_format is not None)
            if engine is Engine.auto:
                source = Source(file, Engine.duckdb, remedy="save it as Parquet, or leave out --rows")
        elif pair:
            raise InputError("--pair goes with --rows: name the cell")
    options: dict[str, Any] = {
        "scores": split_list(scores) if scores and scores != ["default"] else "default",
        "missing": missing.value,
        "noise": noise.value,
        "confidence": confidence,
        "adjust": adjust,
        "random_state": seed,
    }
    apart = rows is None and kind is Kind.clustering and confidence is None and noise is WhatNoise.cluster
    of, result = kind, None
    with show_work(f"Reading {file}"):
        try:
            # Missing labels that are left out for one model are left out for all: those are counted together.
            look_ahead = apart and missing is WhatMissing.raise_
            table = source.read(truth, names, missing=missing, noise=noise, look_ahead=look_ahead)
        except TooManyCombinationsError as error:
            if apart:
                result = _compare_apart(source, truth, names, missing, options)
            if result is None:
                source.say_all_are_read(error)
                table = source.read(truth, names, missing=missing, noise=noise, in_memory=True)
    truth_name = source.column(truth) if result is not None else str(table.truth)
    if result is None:
        of = kind or guess_kind(table)
        if noise is not WhatNoise.cluster:
            options["noise_label"] = noise_meant([table], noise_label)
        with show_work(f"Comparing {len(table.judged)} models"):
            result = adjudge.compare(
                table.column(truth_name), table.judged, kind=of.value, counts=table.counts, **options
            )
        if is_default(context, "noise"):
            say({"": result})
    if kind is None and of is not None:
        say_kind(of, truth_name)
    if rows is not None:
        n = _write_rows(source, table, result[target], rows, output)
        tell(f"{n:,} rows written to {output}")
        return
    destination.write(
        data=lambda: {"file": str(file), "truth": truth_name, **result.to_dict()},
        tables=lambda: [*result.tables(), *([result.legend_table()] if len(result) else [])],
        rows=result.table,
    )


def _compare_apart(
    source: Source, truth: str, names: list[str], missing: WhatMissing, options: dict[str, Any]
) -> Comparison | None:
    """Compare clusterings whose labels have too many combinations two columns at a time; None if those have, too."""
    from adjudge.verbs.frames import compare_apart

    truth, models = source.column(truth), [source.column(name) for name in names]
    try:
        tables = source.read_pairs(truth, models, missing=missing)
    except TooManyCombinationsError:
        return None
    vectors = {pair: (*table.labels.values(), table.counts) for pair, table in tables.items()}
    of_truth = {model: vectors.pop((truth, model)) for model in models}
    return compare_apart(of_truth, vectors, **options)


def _check_rows(
    source: Source, cell: str, pair: list[str], models: list[str], output: Path | None, has_format: bool
) -> tuple[str, str]:
    """Return the pair of models whose rows are asked for, if they can be written."""
    from adjudge.cli.streaming import check_rows_output
    from adjudge.statistics.agreement import CELLS

    if cell not in CELLS:
        raise InputError(f"--rows {cell!r} is not known: choose one of {', '.join(CELLS)}")
    if has_format:
        raise InputError("--format goes with results: rows are written as --output ends")
    if not pair and len(models) == 2:
        pair = models
    if len(pair) != 2:
        raise InputError("--rows needs two models: name the primary and the alternative with --pair P,Q")
    check_rows_output(source.table, output)
    return source.column(pair[0]), source.column(pair[1])


def _write_rows(source: Source, table: LabelTable, pair: HeadToHead, cell: str, output: Path | None) -> int:
    """Write the rows of a cell, or how many pairs in the cell each row has."""
    from adjudge.cli.streaming import write_rows

    if table.counted is None or output is None:
        raise InputError("--rows reads the file in passing: leave out --engine memory")
    found = pair.instances(cell)
    names, given = table.counted.names, table.counted.given
    if pair.kind == "classification":
        return write_rows(source.table, names, given(found), output)
    kept = table.compared()
    return write_rows(source.table, names, given(kept), output, (f"{cell}_pairs", found[kept]))


def say_kind(found: Kind, truth: str) -> None:
    """Tell what the models were taken for, and why."""
    tell(
        f"taken for {found.value}s, for the models' labels are "
        f"{'those' if found is Kind.classification else 'not those'} of {truth!r} (--kind says otherwise)"
    )


def guess_kind(table: LabelTable) -> Kind:
    """Tell classifications from clusterings by their labels; where that is not certain, the user has to."""
    sets = {name: set(labels.dense()[1]) for name, labels in table.occurring.items()}
    true_labels = sets[str(table.truth)]
    found = [labels for name, labels in sets.items() if name != table.truth]
    kind = None
    if all(true_labels.isdisjoint(labels) for labels in found):
        kind = Kind.clustering
    elif table.are_text and all(labels <= true_labels for labels in found):
        kind = Kind.classification
    if kind is None:
        shared = ", ".join(map(str, sorted(true_labels.intersection(*found[:1]) or true_labels)[:3]))
        raise InputError(
            f"labels such as {shared} may be classes or numbers of clusters: "
            "say --kind classification or --kind clustering"
        )
    return kind
