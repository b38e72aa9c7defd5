"""The command `adjudge plan`: how much time and memory it would take to judge points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

import adjudge
from adjudge.cli.groups import grouped
from adjudge.cli.options import (
    RESOURCES,
    Columns,
    Decimal,
    File,
    MemoryLimit,
    OutputFlags,
    as_bytes,
    split_list,
)
from adjudge.cli.output import Output, say, show_work

__all__ = ["plan"]


@dataclass(frozen=True)
class PlanFlags:
    """What is planned."""

    heading: ClassVar[str] = "What is planned"

    labels: Annotated[
        str, typer.Option(metavar="COL", show_default=False, help="The column with the labels to judge.")
    ]
    columns: Columns = None
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Indices, by name or abbreviation, or 'all'.",
        ),
    ] = None
    candidates: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            show_default=False,
            help="Plan 'adjudge choose' among N such clusterings.",
        ),
    ] = None
    stability: Annotated[
        int, typer.Option(min=0, metavar="N", help="Resamples to which each candidate is refitted.")
    ] = 0
    estimator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Time fits of this clusterer of 'adjudge choose' or 'choose-k'.",
        ),
    ] = None
    n_jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", show_default=False, help="Also plan the time on N workers."),
    ] = None
    exact: Annotated[
        bool, typer.Option("--exact", help="Count ranks of distances exactly.", rich_help_panel=RESOURCES)
    ] = False
    memory_limit: MemoryLimit = None
    decimal: Decimal = None
    metric: Annotated[str, typer.Option(metavar="NAME", help="Distance of points: euclidean, cosine ...")] = (
        "euclidean"
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `adjudge.plan`."""
        limit = {} if self.memory_limit is None else {"memory_limit": as_bytes(self.memory_limit)}
        return {
            "indices": split_list(self.indices) or "default",
            "candidates": self.candidates,
            "stability": self.stability or False,
            "estimator": None if self.estimator is None else timed_estimator(self.estimator),
            "n_jobs": self.n_jobs,
            "exact": self.exact,
            "metric": self.metric,
            **limit,
        }


def timed_estimator(name: str) -> Any:
    """Return what `adjudge.plan` fits: a clusterer of `adjudge choose-k` by name, or one of scikit-learn."""
    from adjudge.choosing.estimators import CLUSTERERS
    from adjudge.cli.estimators import find_estimator

    return name if name in CLUSTERERS else find_estimator(name)


@grouped
def plan(file: File, planned: PlanFlags, output: OutputFlags) -> None:
    """Predict how much time and memory it takes to judge points, before anything runs.

    For example:

    - `adjudge plan points.csv --labels kmeans`
    - `adjudge plan points.csv --labels leiden --candidates 12 --stability 20`
    - `adjudge plan points.parquet --labels kmeans --indices silhouette,gamma --exact --n-jobs 64`
    """
    from adjudge.cli.columns import Source
    from adjudge.cli.coordinates import tell_coordinates

    destination = Output.to(output.output, output.output_format)
    options = planned.options()
    with show_work(f"Reading {file}"):
        source = Source(file, decimal=planned.decimal)
        table = source.read(None, source.names([planned.labels]))
        points = source.points(planned.columns, [planned.labels])
    (coded,) = table.occurring.values()
    with show_work("Measuring this machine"):
        found = adjudge.plan(*points.shape, len(coded.dense()[1]), **options)
    tell_coordinates(points.columns, planned.columns)
    say({"plan": found})
    destination.write(data=found.to_dict, tables=lambda: [found.table()], rows=found.table)
