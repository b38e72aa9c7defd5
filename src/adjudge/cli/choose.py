"""The command `adjudge choose`: which of several clusterings to choose."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import adjudge
from adjudge.cli.choose_k import check_plot, write_figure
from adjudge.cli.estimators import Grid, find_estimator, plain_value, settings_of
from adjudge.cli.fit_warnings import RAISE_MAX_ITER, warnings_counted
from adjudge.cli.graph_flags import EdgeFlags
from adjudge.cli.groups import grouped
from adjudge.cli.options import (
    ColumnFlags,
    File,
    Missing,
    NoiseLabel,
    OutputFlags,
    SampleSize,
    SeedOfDraws,
    WhatMissing,
    WhatNoise,
    about_scaling,
    split_list,
)
from adjudge.cli.output import Output, say, share_done, show_work
from adjudge.cli.saving import Save, check_saved, save_result
from adjudge.cli.standard_input import shown
from adjudge.errors import InputError
from adjudge.presentation.numbers import shortened
from adjudge.presentation.tables import Table
from adjudge.usual_seed import USUAL_SEED

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.given.graph import Graph
    from adjudge.given.points import Points
    from adjudge.results import Choice

__all__ = ["choose"]


@dataclass(frozen=True)
class CandidateFlags:
    """The candidates to choose from."""

    heading: ClassVar[str] = "Candidates"

    labels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns with the candidates' labels, or a pattern: 'res_*'.",
        ),
    ] = None
    estimator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Fit this clusterer instead: hdbscan, kmeans ..., or module:Class.",
        ),
    ] = None
    grid: Grid = None

    def check(self, edges: EdgeFlags) -> None:
        """Raise unless exactly one kind of candidates is given."""
        if (self.labels is None) == (self.estimator is None):
            raise InputError("give either --labels, columns of the file, or --estimator with --grid")
        if self.grid and self.estimator is None:
            raise InputError("--grid varies the settings of an --estimator")
        if edges.graph is not None and self.labels is None:
            raise InputError("--graph judges communities: name their columns with --labels")


@dataclass(frozen=True)
class CriteriaFlags:
    """How candidates are judged."""

    heading: ClassVar[str] = "How they are judged"

    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="What ranks candidates: a criterion, mean_rank or consensus (default; with a graph: modularity).",
        ),
    ] = None
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Criteria, by name or abbreviation, or 'all'; default some seven.",
        ),
    ] = None
    metric: Annotated[str, typer.Option(metavar="NAME", help="Distance of points.")] = "euclidean"
    missing: Missing = WhatMissing.raise_
    noise: Annotated[
        WhatNoise,
        typer.Option(
            metavar="WHAT",
            help="Noise: drop leaves it out, singletons counts it as one cluster each, cluster as one",
        ),
    ] = WhatNoise.drop
    noise_label: NoiseLabel = None
    sample_size: SampleSize = None
    stability: Annotated[
        int, typer.Option(min=0, metavar="N", help="Refit each candidate to this many resamples.")
    ] = 0
    seed: SeedOfDraws = USUAL_SEED
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default=False,
            help="Keep finished fits here, and go on with them.",
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """Return the options of `adjudge.choose` that do not depend on the file."""
        return {
            "by": self.by,
            "indices": split_list(self.indices) or "default",
            "metric": self.metric,
            "missing": self.missing.value,
            "noise": self.noise.value,
            "sample_size": self.sample_size,
            "stability": self.stability or False,
            "random_state": self.seed,
            "work": self.work,
        }


@dataclass(frozen=True)
class ChoiceOutputFlags(OutputFlags):
    """Where results go, and the figure."""

    heading: ClassVar[str] = "Output"

    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Draw the front of coverage and quality: .png, .svg or .pdf.",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Also write a page for a browser (.html)."),
    ] = None
    save: Save = None

    def check(self) -> None:
        """Raise unless the figure and the result have endings that can be written."""
        check_saved(self.save)
        if self.plot is not None:
            check_plot(self.plot)

    def write(self, choice: Choice, source: Path) -> None:
        """Write the figure, the page and the result, as requested."""
        if self.plot is not None:
            write_figure(adjudge.displays.ChoiceDisplay.from_result(choice).plot().figure_, self.plot)
        if self.report is not None:
            adjudge.report(choice=choice, note=f"Read from {source.name}.", output=self.report)
        if self.save is not None:
            save_result(choice, self.save)


@grouped
def choose(
    context: typer.Context,
    file: File,
    candidates: CandidateFlags,
    points: ColumnFlags,
    edges: EdgeFlags,
    criteria: CriteriaFlags,
    output: ChoiceOutputFlags,
) -> None:
    """Choose among clusterings of the same points, and show every criterion, the coverage, and near-duplicates.

    For example:

    - `adjudge choose points.csv --labels 'res_*'`
    - `adjudge choose members.csv --labels 'res_*' --graph edges.csv --id name`
    - `adjudge choose points.csv --estimator hdbscan --grid min_cluster_size=5,10,20 --report page.html`
    - `adjudge choose points.csv --estimator dbscan --grid eps=0.3,0.5,0.8 --grid min_samples=5,10 --stability 20`
    """
    from adjudge.cli.coordinates import tell_coordinates

    candidates.check(edges)
    destination = Output.to(output.output, output.output_format)
    output.check()
    context.obj["names"] = {"X": str(file)}
    coordinates, graph, among, label = _read(file, candidates, points, edges, criteria)
    with warnings_counted(RAISE_MAX_ITER), show_work("Judging") as update:
        choice = adjudge.choose(
            coordinates,
            among,
            graph=graph,
            grid=settings_of(candidates.grid) if candidates.grid else None,
            noise_label=label,
            progress=share_done(update),
            **criteria.options(),
        )
    if coordinates is not None:
        tell_coordinates(coordinates.columns, points.columns)
    output.write(choice, file)
    say({"choice": choice})
    about: dict[str, Any] = {"file": shown(str(file))}
    if coordinates is not None:
        about |= {"columns": coordinates.columns, **about_scaling(points.standardize)}
    destination.write(
        data=lambda: {**choice.to_dict(), **about},
        tables=lambda: _tables(choice, about.get("columns")),
        rows=choice.table,
    )


def _read(
    file: Path, candidates: CandidateFlags, points: ColumnFlags, edges: EdgeFlags, criteria: CriteriaFlags
) -> tuple[Points | None, Graph | None, Any, Any]:
    """Read the points or the graph, the candidates (labels, or a clusterer), and the label that stands for noise."""
    from adjudge.cli.columns import Source
    from adjudge.cli.coordinates import standardized

    source = Source(file, decimal=points.decimal)
    noise_label = criteria.noise_label
    chosen = source.matching(candidates.labels)
    edges.check_points(points)
    with show_work(f"Reading {file}"):
        if edges.graph is not None:
            return None, edges.read(source), *_labels(source, chosen, noise_label)
        if candidates.estimator is not None:
            among = find_estimator(candidates.estimator), _label_of(noise_label)
        else:
            among = _labels(source, chosen, noise_label)
        coordinates = source.points(points.columns, chosen, missing=criteria.missing)
        return standardized(coordinates, points.standardize), None, *among


def _labels(source: Source, names: list[str], noise_label: str | None) -> tuple[dict[str, Any], Any]:
    """Read the candidates' labels, and find which of them stands for noise."""
    from adjudge.cli.label_table import noise_meant

    table = source.read(None, names, in_memory=True)
    return dict(table.labels), noise_meant([table], noise_label)


def _label_of(text: str | None) -> Any:
    return -1 if text is None else plain_value(text)


def _tables(choice: Choice, columns: list[str] | None) -> list[Table]:
    title = f"{choice.n:,} {choice.instances}" + (f": {shortened(columns, 6)}" if columns else "")
    tables = [Table(("best", "why"), ((choice.best, choice.reason),), title)]
    tables.append(choice.summary_table())
    several = tuple(
        ("; ".join(group), choice.n_clusters[group[0]]) for group in choice.groups if len(group) > 1
    )
    if several:
        tables.append(Table(("candidates", "clusters"), several, "Say the same"))
    return tables
