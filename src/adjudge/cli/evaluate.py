"""The command `adjudge evaluate`: how good are these labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli.options import (
    Adjust,
    Confidence,
    Debug,
    Engine,
    EvaluateEngine,
    File,
    Kind,
    MemoryLimit,
    Missing,
    Noise,
    NoiseLabel,
    OutputFile,
    OutputFormat,
    Seed,
    Standardize,
    WhatMissing,
    WhatNoise,
    as_bytes,
    is_default,
    split_list,
)
from adjudge.cli.output import Output, show_work
from adjudge.errors import InputError
from adjudge.presentation.tables import Table, count

if TYPE_CHECKING:
    from adjudge.cli.columns import LabelTable, Source
    from adjudge.given.points import Points
    from adjudge.results import Evaluation

__all__ = ["evaluate"]


def evaluate(
    context: typer.Context,
    file: File,
    truth: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help="Column with the true labels.")
    ] = None,
    pred: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Column judged against the truth; repeat, or separate by commas.",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Column judged from the points (and from the truth, with --truth).",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "--features",
            metavar="COL",
            show_default=False,
            help="Columns with the points' coordinates; by default all other numeric columns.",
        ),
    ] = None,
    standardize: Standardize = False,
    metric: Annotated[str, typer.Option(help="Distance between points, as SciPy names it.")] = "euclidean",
    kind: Annotated[
        Kind, typer.Option(help="Clusters have arbitrary names; classes are right only where they are equal.")
    ] = Kind.clustering,
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Indices, by name or abbreviation; default all that apply.",
        ),
    ] = None,
    confidence: Confidence = None,
    adjust: Adjust = False,
    seed: Seed = None,
    compat: Annotated[
        str | None,
        typer.Option(
            metavar="PROGRAM",
            show_default=False,
            help="Internal indices as 'clusterCrit' computes them, where it departs from the published formulas.",
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Count ranks of distances exactly also where memory is short.")
    ] = False,
    bins: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            show_default=False,
            help="Bins that estimate ranks of distances where memory is short: 65536 (default) to 1048576.",
        ),
    ] = None,
    memory_limit: MemoryLimit = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="POINTS",
            show_default=False,
            help="A quick look: estimate what needs distances from samples of so many points, with intervals.",
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Save long work over distances here every minute; started again, it goes on from there.",
        ),
    ] = None,
    missing: Missing = WhatMissing.raise_,
    noise: Noise = WhatNoise.cluster,
    noise_label: NoiseLabel = None,
    engine: Annotated[
        EvaluateEngine,
        typer.Option(
            help="Read all rows into memory, or only counts and moments through DuckDB; auto: DuckDB for Parquet and "
            "large CSV; torch: moments and distances of points in PyTorch."
        ),
    ] = EvaluateEngine.auto,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", show_default=False, help="With --engine torch: 'cpu' (default) or 'cuda'."
        ),
    ] = None,
    output_format: OutputFormat = None,
    output: OutputFile = None,
    debug: Debug = False,
) -> None:
    """Judge labels against the truth (--truth, --pred), from the points alone (--labels), or both.

    For example:

        adjudge evaluate iris.csv --truth species --pred kmeans,ward

        adjudge evaluate iris.csv --truth species --pred kmeans --indices ari,ami,v_measure

        adjudge evaluate iris.csv --labels kmeans --columns sepal_length,petal_length --standardize

        adjudge evaluate iris.csv --truth species --pred kmeans --indices rand,jaccard --adjust --confidence 0.95

        adjudge evaluate points.csv --labels kmeans --engine torch --device cuda

        adjudge evaluate truth.txt --pred kmeans.txt --format json --output scores.json
    """
    from adjudge.cli.columns import Source, noise_among, noise_meant, say_noise, standardized

    destination = Output.to(output, output_format, [file])
    if pred and labels:
        raise InputError("give --pred (against the truth) or --labels (from the points), not both")
    in_torch = engine is EvaluateEngine.torch
    if device is not None and not in_torch:
        raise InputError("--device is where --engine torch computes: name both")
    of_points = {
        "--engine torch": in_torch,
        "--standardize": standardize,
        "--exact": exact,
        "--metric": metric != "euclidean",
        "--bins": bins is not None,
        "--memory-limit": memory_limit is not None,
        "--sample": sample is not None,
        "--checkpoint": checkpoint is not None,
    }
    if not (labels or columns) and any(of_points.values()):
        given = next(name for name, is_given in of_points.items() if is_given)
        raise InputError(f"{given} goes with points: name the labels with --labels, not --pred")
    if checkpoint is not None and len(split_list(labels)) > 1:
        raise InputError("--checkpoint holds the work of one column of labels: judge the columns one by one")
    options: dict[str, Any] = {
        "indices": split_list(indices) or "all",
        "kind": kind.value,
        "missing": missing.value,
        "noise": noise.value,
        "confidence": confidence,
        "adjust": adjust,
        "random_state": seed,
        "compat": compat,
    }
    with show_work(f"Reading {file}"):
        source = Source(file, Engine.memory if in_torch else Engine(engine.value))
        judged = source.names(pred or labels)
        from_points = bool(labels or columns)
        if truth is None and not from_points:
            truth = source.own_list
        _check_asked(judged, truth, from_points)
        of_truth = [truth] if truth else []
        features = source.feature_names(columns, [*of_truth, *judged]) if from_points else None
    labelled = [*of_truth, *judged]
    if features and source.streams(
        labelled,
        noise,
        _what_needs_rows(
            source,
            [*labelled, *features],
            truth is not None,
            options,
            of_points,
            several=len(judged) > 1,
        ),
    ):
        results = {name: _judge_in_engine(context, source, truth, name, features, options) for name in judged}
        truth_name = truth
        if is_default(context, "noise"):
            say_noise({name: _noise_in(result) for name, result in results.items()})
    else:
        with show_work(f"Reading {file}"):
            tables = source.read_apart(
                truth, judged, missing=missing, noise=noise, in_memory=features is not None
            )
            points = source.points(features, []) if features else None
            if points is not None and standardize:
                points = standardized(points)
        if noise is not WhatNoise.cluster:
            options["noise_label"] = noise_meant(tables.values(), noise_label)
        if len(tables) > 1 and "drop" in (missing.value, noise.value):
            tables, points = _in_common(tables, points, options)
        options |= {
            name: value
            for name, value in (
                ("exact", exact or None),
                ("bins", bins),
                ("memory_limit", None if memory_limit is None else as_bytes(memory_limit)),
                ("sample", sample),
                ("checkpoint", checkpoint),
                ("engine", engine.value if in_torch else None),
                ("device", device),
            )
            if value is not None
        }
        results = {
            name: _judge(context, name, table, points, metric, options) for name, table in tables.items()
        }
        truth_name = next(iter(tables.values())).truth
        if kind is Kind.clustering and is_default(context, "noise"):
            say_noise(noise_among(tables))
    about = {
        "file": str(file),
        "truth": truth_name,
        "columns": features,
        "standardized": standardize,
    }
    if features is not None and not columns:
        typer.echo(
            f"adjudge: points from {_shortened(features, 12)} (--columns chooses others)",
            err=True,
        )
    destination.write(
        data=lambda: {
            "kind": "evaluations",
            **about,
            "evaluations": {name: result.to_dict() for name, result in results.items()},
        },
        tables=lambda: _tables(results, truth_name, features),
        rows=lambda: _rows(results),
    )


def _check_asked(judged: list[str], truth: str | None, from_points: bool) -> None:
    if not judged:
        raise InputError(
            "nothing to judge: name columns with --pred (against --truth) or --labels (from points)"
        )
    if truth is None and not from_points:
        raise InputError("--pred is judged against the truth: name its column with --truth, or use --labels")


def _what_needs_rows(
    source: Source,
    names: list[str],
    has_truth: bool,
    options: dict[str, Any],
    of_points: dict[str, bool],
    *,
    several: bool,
) -> str | None:
    """Say what of all that was asked for needs the points in memory; None if moments give everything."""
    from adjudge.files.columnar import is_parquet
    from adjudge.verbs.frames import moments_suffice

    if not is_parquet(source.table):
        return f"points are read in passing from Parquet alone, which {str(source.path)!r} is not"
    if len({name.casefold() for name in names}) < len(names):
        return "columns whose names differ by upper and lower case alone are read into memory"
    demands = {
        **of_points,
        "--compat": options["compat"] is not None,
        "--noise": options["noise"] != "cluster",
        "--confidence": options["confidence"] is not None,
        "--missing drop": options["missing"] == "drop" and several,
        "--kind classification": options["kind"] != "clustering",
        # Where DuckDB was asked for, "all" are those that it can compute.
        "--indices": not moments_suffice(options["indices"], has_truth)
        and not (source.engine is Engine.duckdb and options["indices"] == "all"),
    }
    found = next((name for name, is_made in demands.items() if is_made), None)
    return None if found is None else f"{found} needs all points in memory"


def _judge_in_engine(
    context: typer.Context,
    source: Source,
    truth: str | None,
    name: str,
    features: list[str],
    options: dict[str, Any],
) -> Evaluation:
    context.obj["names"] = {"labels_true": f"column {truth!r}", "labels_pred": f"column {name!r}"}
    of_truth = None if truth is None else source.column(truth)
    label = source.column(name)
    with (
        show_work(f"Judging {name}"),
        source.frame([*([of_truth] if of_truth else []), label, *features]) as frame,
    ):
        return adjudge.evaluate_table(frame, of_truth, labels=label, features=features, **options)


def _noise_in(result: Evaluation) -> int:
    """How many points of a partition have the label of noise, as DBSCAN gives it."""
    clusters, sizes = (result.details.get(name, ()) for name in ("clusters", "sizes"))
    return sum(int(n) for label, n in zip(clusters, sizes, strict=True) if label in (-1, "-1"))


def _in_common(
    tables: dict[str, LabelTable], points: Points | None, options: dict[str, Any]
) -> tuple[dict[str, LabelTable], Points | None]:
    """Leave out for all columns what any of them leaves out, so that all are judged on the same instances."""
    treatment: dict[str, Any] = {
        name: options[name] for name in ("missing", "noise", "noise_label") if name in options
    }
    table, kept = next(iter(tables.values())).common(treatment)
    if points is not None and kept is not None:
        points = replace(points, values=points.values[kept])
    return dict.fromkeys(tables, table), points


def _judge(
    context: typer.Context,
    name: str,
    table: LabelTable,
    points: Points | None,
    metric: str,
    options: dict[str, Any],
) -> Evaluation:
    column = f"column {name!r}"
    context.obj["names"] = {
        "labels_true": "--truth" if table.truth is None else f"column {table.truth!r}",
        "labels_pred": column,
        "labels": column,
        "X": str(context.params["file"]),
    }
    given: dict[str, Any] = {}
    if table.truth is not None:
        given |= {
            "labels_true": table.labels[table.truth],
            "labels_pred": table.labels[name],
            "counts": table.counts,
        }
    with show_work(f"Judging {name}") as update:
        if points is not None:
            given |= {"X": points, "labels": table.labels[name], "metric": metric}
            if update is not None:
                given["progress"] = lambda done, total: update(f"Judging {name}: {done / total:.0%}")
        return adjudge.evaluate(**given, **options)


def _tables(results: dict[str, Evaluation], truth: str | None, features: list[str] | None) -> list[Table]:
    title = count(next(iter(results.values())).n, "instance")
    if truth is not None:
        title += f"; truth: {truth}"
    if features is not None:
        title += f"; points: {_shortened(features, 6)}"
    if len(results) == 1 or any(result.intervals or result.adjusted for result in results.values()):
        return [_alone(name, result.table(), title) for name, result in results.items()]
    first = next(iter(results.values())).table()
    values = [list(result.values.values()) for result in results.values()]
    merged = [(row[0], *(column[i] for column in values), *row[2:4]) for i, row in enumerate(first.rows)]
    tables = [Table(("index", *results, *first.columns[2:4]), tuple(merged), title)]
    notes = [
        (name, row[0], row[-1]) for name, result in results.items() for row in result.table().rows if row[-1]
    ]
    if notes:
        tables.append(Table(("column", "index", "note"), tuple(notes), "Notes"))
    return tables


def _alone(name: str, table: Table, title: str) -> Table:
    """Show what was found for one column; without notes where there are none."""
    width = len(table.columns) - (0 if any(row[-1] for row in table.rows) else 1)
    rows = tuple(row[:width] for row in table.rows)
    return Table(("index", name, *table.columns[2:width]), rows, title)


def _shortened(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _rows(results: dict[str, Evaluation]) -> Table:
    """One row for each column that was judged and each index."""
    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = []
    for name, result in results.items():
        table = result.table()
        columns = ("column", *table.columns)
        rows += [(name, *row) for row in table.rows]
    return Table(columns, tuple(rows))
