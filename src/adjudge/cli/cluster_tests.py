"""The command `adjudge cluster-tests`: whether there are clusters at all, and which splits of a tree are real."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import adjudge
from adjudge.cli.estimators import Grid, find_estimator, settings_of
from adjudge.cli.fit_warnings import RAISE_MAX_ITER, warnings_counted
from adjudge.cli.groups import grouped
from adjudge.cli.options import File, GapFlags, SeedOfDraws, about_scaling
from adjudge.cli.output import Output, share_done, show_work, tell
from adjudge.cli.saving import PageOutputFlags
from adjudge.cli.standard_input import shown
from adjudge.presentation.numbers import count, out_of
from adjudge.presentation.tables import Table
from adjudge.usual_seed import USUAL_SEED

if TYPE_CHECKING:
    from adjudge.given.points import Points
    from adjudge.inference.clusters.cluster_tests import ClustersTest

__all__ = ["cluster_tests"]


# Numbers of clusters that k-means tries if neither clusterer nor settings are given.
_USUAL_NUMBERS = range(2, 9)
# Points and data sets of a quick look, which takes less than a minute; and data sets of a thorough one.
_QUICK_POINTS, _QUICK_SETS, _THOROUGH_SETS = 1000, 19, 99


class WhatLinkage(StrEnum):
    """Linkages of the tree whose splits are tested."""

    ward = "ward"
    average = "average"
    complete = "complete"
    single = "single"


@dataclass(frozen=True)
class ClustererFlags:
    """What finds the clusters."""

    heading: ClassVar[str] = "Clusterer"

    estimator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="kmeans with 2 to 8 clusters",
            help="A scikit-learn clusterer: kmeans, hdbscan, agglomerative ...",
        ),
    ] = None
    grid: Grid = None

    def models(self, seed: int) -> dict[str, Any]:
        """Return the candidates by name, each with the seed if it is random."""
        from adjudge.choosing.candidates import models_of_grid
        from adjudge.choosing.estimators import seeded

        estimator = seeded(find_estimator(self.estimator or "kmeans"), seed)
        if self.grid:
            return models_of_grid(estimator, settings_of(self.grid))
        if self.estimator:
            return {self.estimator: estimator}
        return models_of_grid(estimator, {"n_clusters": list(_USUAL_NUMBERS)})


@dataclass(frozen=True)
class TestFlags:
    """How clusters are tested."""

    heading: ClassVar[str] = "Tests"

    index: Annotated[
        str, typer.Option(metavar="NAME", help="The criterion by which clusterings are compared.")
    ] = "silhouette"
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough", help="Look at all points, beside 99 data sets of each kind without clusters."
        ),
    ] = False
    n_samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            show_default="19; 99 with --thorough",
            help="Data sets without clusters that candidates are fitted to",
        ),
    ] = None
    linkage: Annotated[
        WhatLinkage | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Also test the splits of this tree: ward, average, complete or single.",
        ),
    ] = None
    differences: Annotated[
        bool,
        typer.Option(
            "--differences",
            help="Also test whether means of neighbouring clusters differ.",
        ),
    ] = False
    seed: SeedOfDraws = USUAL_SEED

    @property
    def n_data_sets(self) -> int:
        """The number of data sets of each kind without clusters."""
        if self.n_samples is not None:
            return self.n_samples
        return _THOROUGH_SETS if self.thorough else _QUICK_SETS


@grouped
def cluster_tests(
    file: File, clusterer: ClustererFlags, points: GapFlags, test: TestFlags, output: PageOutputFlags
) -> None:
    """Test whether points form clusters at all, or whether data without clusters split just as well.

    For example:

    - `adjudge cluster-tests points.csv`
    - `adjudge cluster-tests points.csv --grid n_clusters=2,3,4`
    - `adjudge cluster-tests points.csv --estimator hdbscan --index dbcv --linkage ward --report page.html`
    """
    from adjudge.cli.coordinates import tell_coordinates

    destination = Output.to(output.output, output.output_format)
    coordinates = _read(file, points)
    models = clusterer.models(test.seed)
    with warnings_counted(RAISE_MAX_ITER), show_work("Testing") as update:
        found = adjudge.inference.clusters_test(
            coordinates.values,
            models,
            index=test.index,
            n_samples=test.n_data_sets,
            sample_size=None if test.thorough else _QUICK_POINTS,
            random_state=test.seed,
            progress=share_done(update),
        )
        further = _tree(coordinates, test) | _differences(coordinates, models[found.best], found, test)
    tell_coordinates(coordinates.columns, points.columns)
    _tell_what_is_not_seen(coordinates, test)
    if output.report is not None:
        adjudge.report(clusters_test=found, note=f"Read from {file.name}.", output=output.report)
    about = {"file": shown(str(file)), "columns": coordinates.columns, **about_scaling(points.standardize)}
    destination.write(
        data=lambda: {**found.to_dict(), **{name: part.data for name, part in further.items()}, **about},
        tables=lambda: [*_tables(found), *(part.table for part in further.values())],
        rows=found.table,
    )


def _tell_what_is_not_seen(coordinates: Points, test: TestFlags) -> None:
    """Say that this is a quick look, and what it may miss."""
    if test.thorough:
        return
    n, n_looked_at = coordinates.shape[0], min(coordinates.shape[0], _QUICK_POINTS)
    missed = f"p-values cannot fall below {1 / (test.n_data_sets + 1):.2g}"
    if n_looked_at < n:
        missed += ", and clusters of few points are not seen"
    looked_at = f"{out_of(n_looked_at, n, 'point')} and {count(test.n_data_sets, 'data set')} of each kind"
    tell(
        f"a quick look at {looked_at} without clusters: {missed} (--thorough takes all points and {_THOROUGH_SETS})"
    )


@dataclass(frozen=True)
class _Part:
    """The result of a further test, as a table and as JSON."""

    table: Table
    data: Any


def _read(file: Path, points: GapFlags) -> Points:
    from adjudge.cli.columns import Source
    from adjudge.cli.coordinates import standardized
    from adjudge.results.point_notices import points_without

    with show_work(f"Reading {file}"):
        coordinates = Source(file, decimal=points.decimal).points(points.columns, [], missing=points.missing)
        found = standardized(coordinates, points.standardize).complete()
    if coordinates.gaps is not None:
        tell(points_without(int(coordinates.gaps.sum()), coordinates.shape[0]).text)
    return found


def _tree(coordinates: Points, test: TestFlags) -> dict[str, _Part]:
    if test.linkage is None:
        return {}
    tree = adjudge.inference.tree_test(
        coordinates.values,
        linkage=test.linkage.value,
        n_samples=test.n_data_sets,
        random_state=test.seed,
        progress=False,
    )
    table = tree.table()
    data = {"linkage": tree.linkage, "splits": table.records()}
    return {"tree": _Part(replace(table, title=f"Splits of the tree ({tree.linkage} linkage)"), data)}


def _differences(
    coordinates: Points, clusterer: Any, found: ClustersTest, test: TestFlags
) -> dict[str, _Part]:
    """Test each pair of neighbouring clusters of the best candidate, numbered as in the table of valleys."""
    if not test.differences:
        return {}
    import numpy as np

    from adjudge.inference.clusters.clusterers import coded_without_noise, fit_of

    fit = fit_of(clusterer, "clusterer")

    def codes(X: Any) -> Any:
        kept, found_codes = coded_without_noise(fit(X))
        labels = np.full(kept.size, -1)
        labels[kept] = found_codes
        return labels

    rows = []
    for a, b, _ in found.valleys or ():
        one = adjudge.inference.cluster_difference_test(
            coordinates.values, codes, (a, b), random_state=test.seed
        )
        rows.append((a, b, one.distance, one.p_value, one.naive_p_value, one.reason))
    columns = ("cluster", "neighbour", "distance", "p_value", "naive_p_value", "reason")
    table = Table(columns, tuple(rows), "Differences of means, given that the clusterer found these clusters")
    return {"differences": _Part(table, table.records())}


def _tables(found: ClustersTest) -> list[Table]:
    return [
        Table(("candidate", "verdict"), ((found.best, found.verdict),), f"{found.n:,} points"),
        replace(found.table(), title="Against data without clusters"),
        replace(found.valleys_table(), title="Valleys of density between neighbouring clusters"),
    ]
