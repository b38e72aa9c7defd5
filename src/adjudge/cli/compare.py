"""The command `adjudge compare`: which model is right where the other is wrong."""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli.columns import LabelTable, Source
from adjudge.cli.options import (
    Debug,
    File,
    Kind,
    Missing,
    Noise,
    NoiseLabel,
    OutputFile,
    OutputFormat,
    WhatMissing,
    WhatNoise,
    split_list,
)
from adjudge.cli.output import Output, show_work
from adjudge.errors import InputError

__all__ = ["compare"]


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
    missing: Missing = WhatMissing.raise_,
    noise: Noise = WhatNoise.cluster,
    noise_label: NoiseLabel = None,
    output_format: OutputFormat = None,
    output: OutputFile = None,
    debug: Debug = False,
) -> None:
    """Compare models with each other against the truth: the Prayatul matrix of every ordered pair.

    CSV has one row an ordered pair; JSON also has the models' own scores.

    For example:

        adjudge compare predictions.csv --truth label --models forest,knn --kind classification

        adjudge compare iris.parquet --truth species --models kmeans --models dbscan --noise singletons

        adjudge compare truth.txt --models kmeans.txt,ward.txt --kind clustering -o pairs.csv
    """
    destination = Output.to(output, output_format, [file])
    with show_work(f"Reading {file}"):
        source = Source(file)
        names = source.names(models)
        truth = truth or source.own_list
        if truth is None:
            raise InputError("the truth is missing: name its column with --truth")
        if not names:
            raise InputError("the models are missing: name their columns with --models")
        table = source.read(truth, names)
    of = kind or _guess_kind(table)
    if of is Kind.classification:
        table.check_classes()
    truth_name = str(table.truth)
    context.obj["names"] = {"labels_true": f"column {truth_name!r}"}
    with show_work(f"Comparing {len(table.judged)} models"):
        result = adjudge.compare(
            table.labels[truth_name],
            table.judged,
            kind=of.value,
            scores=split_list(scores) if scores and scores != ["default"] else "default",
            missing=missing.value,
            noise=noise.value,
            noise_label=table.noise_label(noise_label) if noise is not WhatNoise.cluster else -1,
        )
    if kind is None:
        typer.echo(
            f"adjudge: taken for {of.value}s, for the models' labels are "
            f"{'those' if of is Kind.classification else 'not those'} of {truth_name!r} (--kind says otherwise)",
            err=True,
        )
    destination.write(
        data=lambda: {"file": str(file), "truth": table.truth, **result.to_dict()},
        tables=lambda: [
            result.scores_table(),
            *([result.short_table(), result.legend_table()] if len(result) else []),
        ],
        rows=result.table,
    )


def _guess_kind(table: LabelTable) -> Kind:
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
