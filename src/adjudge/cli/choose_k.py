"""The command `adjudge choose-k`: how many clusters there are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import adjudge
from adjudge.atomic import check_writable, write_atomically
from adjudge.cli.fit_warnings import warnings_counted
from adjudge.cli.groups import grouped
from adjudge.cli.options import (
    File,
    GapFlags,
    OutputFlags,
    SampleSize,
    SeedOfDraws,
    about_scaling,
    split_list,
)
from adjudge.cli.output import Output, say, share_done, show_work, tell
from adjudge.cli.saving import Save, check_saved, save_result
from adjudge.cli.standard_input import shown
from adjudge.errors import InputError
from adjudge.presentation.tables import Table
from adjudge.usual_seed import USUAL_SEED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from adjudge.results import KChoice

__all__ = ["check_plot", "choose_k", "parse_numbers", "write_figure"]

#: Formats of figures, by file ending.
PLOT_FORMATS = {".png": "png", ".svg": "svg", ".pdf": "pdf"}
_RANGE = re.compile(r"(\d+):(\d+)(?::(\d+))?")


@dataclass(frozen=True)
class SweepFlags:
    """Which clusterings are compared, and how."""

    heading: ClassVar[str] = "What is compared"

    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            "-k",
            metavar="K",
            show_default="2:10, or fewer of few points",
            help="Numbers of clusters to compare: 2:10, or 2,3,5.",
        ),
    ] = None
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="kmeans (default), gaussian_mixture, ward, average, complete, single; or several.",
        ),
    ] = None
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Criteria, by name or abbreviation, or 'all'; 'default,gap' adds the gap.",
        ),
    ] = None
    sample_size: SampleSize = None
    stability: Annotated[
        int, typer.Option(min=0, metavar="N", help="Measure the stability with this many resamples.")
    ] = 0
    n_resamples: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Repeat the recommendation on this many bootstrap samples."),
    ] = 0
    seed: SeedOfDraws = USUAL_SEED
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default=False,
            help="Keep finished work here, and go on with it.",
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """Return the options of `adjudge.choose_k`."""
        return {
            "estimator": split_list(self.estimator) or "kmeans",
            "k": None if self.k is None else parse_numbers(self.k),
            "indices": split_list(self.indices) or "default",
            "sample_size": self.sample_size,
            "stability": self.stability,
            "n_resamples": self.n_resamples,
            "random_state": self.seed,
            "work": self.work,
        }


@dataclass(frozen=True)
class SweepOutputFlags(OutputFlags):
    """Where results go, and the figure."""

    heading: ClassVar[str] = "Output"

    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, help="Draw the criteria and their votes: .png, .svg or .pdf."
        ),
    ] = None

    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Write a page with the clusters: .html."),
    ] = None
    save: Save = None

    def check(self) -> None:
        """Raise unless the figure and the result have endings that can be written."""
        check_saved(self.save)
        if self.plot is not None:
            check_plot(self.plot)


@grouped
def choose_k(
    context: typer.Context,
    file: File,
    sweep: SweepFlags,
    points: GapFlags,
    output: SweepOutputFlags,
) -> None:
    """Choose the number of clusters: the value and vote of every criterion, and a recommendation.

    For example:

    - `adjudge choose-k points.csv`
    - `adjudge choose-k points.csv --k 2:15 --estimator kmeans,ward --standardize`
    - `adjudge choose-k points.csv --indices all,gap --n-resamples 50 --plot votes.png`
    """
    from adjudge.cli.columns import Source
    from adjudge.cli.coordinates import standardized, tell_coordinates

    destination = Output.to(output.output, output.output_format)
    options = sweep.options()
    output.check()
    context.obj["names"] = {"X": str(file)}
    with show_work(f"Reading {file}"):
        given = Source(file, decimal=points.decimal).points(points.columns, [], missing=points.missing)
        read = standardized(given, points.standardize)
    with warnings_counted("try another --estimator"), show_work("Clustering") as update:
        choice = adjudge.choose_k(read, missing=points.missing.value, progress=share_done(update), **options)
    tell_coordinates(read.columns, points.columns)
    if output.plot is not None:
        write_figure(adjudge.displays.KChoiceDisplay.from_result(choice).plot().figure_, output.plot)
    if output.report is not None:
        made = adjudge.report(
            X=given.complete().values,
            feature_names=given.columns,
            standardize=points.standardize.value if points.standardize else False,
            k_choice=choice,
            title=f"{file.name}: how many clusters?",
            note=f"From {file.name}.",
            output=output.report,
        )
        tell(f"the report is at {made.path.resolve()}")
    if output.save is not None:
        save_result(choice, output.save)
    say(choice.choices or {choice.estimator: choice}, by_name=True)
    about = {"file": shown(str(file)), "columns": read.columns, **about_scaling(points.standardize)}
    destination.write(
        data=lambda: {**choice.to_dict(), **about},
        tables=lambda: _tables(choice),
        rows=choice.table,
        said=lambda: _said(choice),
    )


def parse_numbers(text: str) -> list[int]:
    """Read 2:10, 2:10:2 or 2,3,5."""
    matched = _RANGE.fullmatch(text.strip())
    if matched:
        first, last, step = int(matched[1]), int(matched[2]), int(matched[3] or 1)
        if first > last or step < 1:
            raise InputError(f"--k {text!r} is empty: write the smaller number first, as in 2:10")
        return list(range(first, last + 1, step))
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--k {text!r} is not a list of numbers: write 2:10, or 2,3,5")
    return [int(part) for part in parts]


def check_plot(path: Path) -> None:
    """Raise unless a figure can be written to this path."""
    if path.suffix.lower() not in PLOT_FORMATS:
        raise InputError(f"--plot {str(path)!r} must end in one of {', '.join(PLOT_FORMATS)}")
    check_writable(path)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format given by the ending of its file."""
    write_atomically(path, lambda stream: figure.savefig(stream, format=PLOT_FORMATS[path.suffix.lower()]))


def _said(choice: KChoice) -> list[str]:
    return [f"{choice.words.headline} {choice.words.because}"]


def _tables(choice: KChoice) -> list[Table]:
    """Show the clusters, then the basis of the choice; with several estimators, first the choice of each."""
    rows = [(name, own.k, own.reason) for name, own in choice.choices.items()]
    tables = [Table(("estimator", "K", "why"), tuple(rows), f"{choice.n:,} points")] if rows else []
    tables += [choice.profiles_table(first=1)] if choice.profiles else []
    return [*tables, choice.tally_table(), choice.table()]
