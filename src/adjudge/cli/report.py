"""The command `adjudge report`: everything about some models on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli.choose_k import parse_numbers
from adjudge.cli.compare import guess_kind, say_kind
from adjudge.cli.options import Debug, File, Format, Kind, Missing, Noise, NoiseLabel, WhatMissing, WhatNoise
from adjudge.cli.output import Output, show_work, tell
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import LabelTable, Source
    from adjudge.results import KChoice

__all__ = ["report"]


def report(
    context: typer.Context,
    file: File,
    truth: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help="Column with the true labels.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models",
            "--labels",
            metavar="COL",
            show_default=False,
            help="Columns with the models' labels; repeat, or separate by commas.",
        ),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features",
            "--columns",
            metavar="COL",
            show_default=False,
            help="Columns that measure how alike instances are, for the map and the clusters; by default all "
            "other numeric columns.",
        ),
    ] = None,
    standardize: Annotated[
        bool, typer.Option("--standardize", help="Bring each feature to mean 0 and standard deviation 1.")
    ] = False,
    images: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Column with picture files (PNG, JPEG, GIF, WebP), as seen from the folder of FILE.",
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Column with the text of each instance."),
    ] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(
            show_default=False,
            help="Clusterings (pairs of instances are counted) or classifications (instances are counted); "
            "needed where the labels do not tell.",
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            "-k",
            metavar="K",
            show_default=False,
            help="Ask how many clusters the features have: 2:10, or 2,3,5.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(metavar="LEVEL", help="Of the intervals.")] = 0.95,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", show_default=False, help="Title of the page.")
    ] = None,
    missing: Missing = WhatMissing.raise_,
    noise: Noise = WhatNoise.cluster,
    noise_label: NoiseLabel = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page; it is replaced in one step, once all is done."
        ),
    ] = Path("adjudge-report.html"),
    open_it: Annotated[bool, typer.Option("--open", help="Show the page in the web browser.")] = False,
    debug: Debug = False,
) -> None:
    """Write one HTML page on models: who is right where, the instances, the clusters, and how sure that is.

    Without --truth, clusterings are judged from the features alone.

    For example:

        adjudge report predictions.csv --truth label --models forest,knn --kind classification --open

        adjudge report photos.csv --truth animal --models net,svm --images file --output photos.html

        adjudge report iris.csv --labels kmeans,dbscan --noise singletons --standardize

        adjudge report points.csv --k 2:10
    """
    from adjudge.cli.columns import Source, noise_meant

    Output.to(output, Format.table, [file])
    with show_work(f"Reading {file}"):
        source = Source(file)
        names = source.names(models)
        truth = truth or source.own_list
        if not names and k is None:
            raise InputError(
                "the models are missing: name their columns with --models, or ask for clusters with --k 2:10"
            )
        if truth is not None and not names:
            raise InputError("the models are missing: name their columns with --models")
        table = source.read(truth, names) if names else None
        shown = {source.column(name) for name in (images, text) if name is not None}
        labels = [*([truth] if truth else []), *names]
        of = _kind_of(table, kind)
        coordinates = _coordinates(source, features, {*labels, *shown}, needed=of is None or k is not None)
        X = _columns(source, coordinates, {*labels, *shown})
        if not features:
            coordinates = [name for name in coordinates if _is_complete(X[name])]
    context.obj["names"] = {
        "images": f"column {images!r}",
        "features": "--features",
    }
    given: dict[str, Any] = {"missing": missing.value, "noise": noise.value}
    if table is not None:
        given["noise_label"] = noise_meant([table], noise_label)
    chosen = None
    if k is not None:
        chosen = _choose(source, coordinates, standardize, parse_numbers(k))
    with show_work("Judging and writing"):
        made = adjudge.report(
            None if table is None or truth is None else table.column(str(table.truth)),
            None if table is None else table.judged,
            kind=None if of is None else of.value,
            X=X or None,
            features=coordinates or None,
            standardize=standardize,
            images=None if images is None else _pictures(source, images),
            text=None if text is None else _texts(source, text),
            k_choice=chosen,
            confidence=confidence,
            title=title or f"{file.name}: {', '.join(names) if names else 'how many clusters?'}",
            note=f"From {file.name}.",
            output=output,
            **given,
        )
    if kind is None and of is not None and truth is not None:
        say_kind(of, source.column(truth))
    if not features and coordinates:
        more = f" and {len(coordinates) - 12} more" if len(coordinates) > 12 else ""
        tell(f"features are {', '.join(coordinates[:12])}{more} (--features chooses others)")
    for section in made.page["sections"]:
        for sentence in section["verdict"]:
            if sentence["tone"] != "fact":
                typer.echo(sentence["text"] if sentence["tone"] == "main" else f"Careful: {sentence['text']}")
    typer.echo(f"The report is at {made.path.resolve()}")
    if open_it:
        made.open()


def _kind_of(table: LabelTable | None, kind: Kind | None) -> Kind | None:
    """Return what the models are; None where there is no truth to compare with."""
    if table is None or table.truth is None:
        if kind is Kind.classification:
            raise InputError("--kind classification needs the truth: name its column with --truth")
        return None
    return kind or guess_kind(table)


def _coordinates(
    source: Source, features: list[str] | None, leave_out: set[str], *, needed: bool
) -> list[str]:
    """Find the feature columns; without any, a comparison goes without a map."""
    if features or needed:
        return source.feature_names(features, leave_out)
    left_out = {source.column(name) for name in leave_out if name in source.table.columns}
    return source.coordinates(left_out)


def _columns(source: Source, coordinates: list[str], leave_out: set[str]) -> dict[str, Any]:
    """Read the columns to show beside the labels: numbers with NaN for a gap, or text."""
    import numpy as np

    columns = source.table.columns
    rest = [c for c in columns if c not in leave_out and c not in coordinates and columns.count(c) == 1]
    wanted = [*coordinates, *rest]
    if source.own_list is not None or not wanted:
        return {}
    found: dict[str, Any] = {}
    for column in source.table.label_columns(wanted):
        values = list(column.labels())
        if column.is_text:
            found[column.name] = ["" if value is None else str(value) for value in values]
        else:
            found[column.name] = np.array(
                [np.nan if value is None else float(value) for value in values], np.float64
            )
    return found


def _is_complete(values: Any) -> bool:
    """Whether a column places every instance."""
    import numpy as np

    return isinstance(values, np.ndarray) and bool(np.isfinite(values).all())


def _choose(source: Source, coordinates: list[str], standardize: bool, numbers: list[int]) -> KChoice:
    from adjudge.cli.columns import standardized

    points = source.points(coordinates, [])
    with show_work("Clustering") as update:

        def progress(what: str, done: int, total: int) -> None:
            if update is not None:
                update(f"{what.capitalize()}: {done / total:.0%}")

        return adjudge.choose_k(
            standardized(points) if standardize else points, k=numbers, random_state=0, progress=progress
        )


def _texts(source: Source, name: str) -> list[str]:
    (column,) = source.table.label_columns([source.column(name)])
    return ["" if value is None else str(value) for value in column.labels()]


def _pictures(source: Source, name: str) -> list[Path | None]:
    return [source.path.parent / text if text else None for text in _texts(source, name)]
