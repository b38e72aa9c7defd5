"""The command `adjudge cluster-tests`: whether there are clusters at all, and which splits of a tree are real."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.fit_warnings import RAISE_MAX_ITER, warnings_counted
from adjudge.cli.messages import one_line
from adjudge.cli.output import share_done, show_work, tell
from adjudge.presentation.numbers import count, out_of
from adjudge.presentation.tables import Table
from adjudge.usual_seed import USUAL_SEED

if TYPE_CHECKING:
    from adjudge.given.points import DataMatrix
    from adjudge.inference.clusters.cluster_tests import ClustersTest
    from adjudge.results.notice import Notice

__all__ = ["cluster_tests"]


# Numbers of clusters that k-means tries if neither clusterer nor settings are given.
_USUAL_NUMBERS = range(2, 9)
# Points and data sets of a quick look, which takes less than a minute; and data sets of a thorough one.
_QUICK_POINTS, _QUICK_SETS, _THOROUGH_SETS = 1000, 19, 99


@command(
    {
        "Clusterer": ("estimator", "grid"),
        "Points": ("features", "decimal", *FILES, "standardize", "missing"),
        "Tests": ("index", "thorough", "n_samples", "linkage", "differences", "random_state"),
        "Output": (*OUTPUT, "report"),
    },
    verb="inference.clusters_test",
    beside=("estimator", "grid", "features", "standardize", "missing", "thorough", "linkage", "differences"),
)
def cluster_tests(call: Call) -> None:
    """Test whether points form clusters at all, or whether data without clusters split just as well.

    For example:

    - `adjudge cluster-tests points.csv`
    - `adjudge cluster-tests points.csv --grid n_clusters=2,3,4`
    - `adjudge cluster-tests points.csv --estimator hdbscan --index dbcv --linkage ward --report page.html`
    """
    asked = call.beside
    coordinates, said = _read(call)
    n_samples = _THOROUGH_SETS if asked["thorough"] else _QUICK_SETS
    options = {"n_samples": n_samples, "random_state": USUAL_SEED} | call.options
    models = _models(asked["estimator"], asked["grid"], options["random_state"])
    with warnings_counted(RAISE_MAX_ITER), show_work("Testing") as update:
        found = adjudge.inference.clusters_test(
            coordinates.values,
            models,
            sample_size=None if asked["thorough"] else _QUICK_POINTS,
            progress=share_done(update),
            **options,
        )
        further = _tree(coordinates, asked["linkage"], options)
        if asked["differences"]:
            further |= _differences(coordinates, models[found.best], found, options["random_state"])
    for notice in said:
        tell(one_line(notice))
    if not asked["thorough"]:
        _tell_what_is_not_seen(coordinates.shape[0], options["n_samples"])
    if asked["report"] is not None:
        adjudge.report(clusters_test=found, note=f"Read from {call.file.name}.", output=asked["report"])
    how = asked["standardize"]
    about = {
        "file": call.shown,
        "columns": coordinates.columns,
        "standardized": how is not None,
        "scaling": how,
    }
    call.output.write(
        data=lambda: {**found.to_dict(), **{name: part.data for name, part in further.items()}, **about},
        tables=lambda: [*_tables(found), *(part.table for part in further.values())],
        rows=found.table,
    )


def _read(call: Call) -> tuple[DataMatrix, tuple[Notice, ...]]:
    from adjudge.files.coordinates import coordinates_of
    from adjudge.given.scaling import as_scaling, standardized
    from adjudge.results.point_notices import notices_of_use, points_without

    features, gaps = call.beside["features"], call.beside["missing"] == "drop"
    with show_work(f"Reading {call.file}"):
        points = coordinates_of(call.file, {}, features=features, gaps=gaps)
        scaled = standardized(points, as_scaling(call.beside["standardize"]))
    said = notices_of_use(points.columns, points.left_out, of_file=features is None)
    if points.gaps is not None:
        said += (points_without(int(points.gaps.sum()), points.shape[0]),)
    return scaled.complete(), said


def _models(called: str | None, grid: Any, seed: int) -> dict[str, Any]:
    """Return the candidates by name, each with the seed if it is random."""
    from adjudge.choosing.candidates import models_of_grid
    from adjudge.choosing.estimators import seeded
    from adjudge.cli.estimators import find_estimator

    model = seeded(find_estimator(called or "kmeans"), seed)
    if called is not None and not grid:
        return {called: model}
    return models_of_grid(model, grid or {"n_clusters": list(_USUAL_NUMBERS)})


def _tell_what_is_not_seen(n: int, n_data_sets: int) -> None:
    """Say that this is a quick look, and what it may miss."""
    n_looked_at = min(n, _QUICK_POINTS)
    missed = f"p-values cannot fall below {1 / (n_data_sets + 1):.2g}"
    if n_looked_at < n:
        missed += ", and clusters of few points are not seen"
    looked_at = f"{out_of(n_looked_at, n, 'point')} and {count(n_data_sets, 'data set')} of each kind"
    tell(
        f"a quick look at {looked_at} without clusters: {missed} (--thorough takes all points and {_THOROUGH_SETS})"
    )


@dataclass(frozen=True)
class _Part:
    """The result of a further test, as a table and as JSON."""

    table: Table
    data: Any


def _tree(coordinates: DataMatrix, linkage: Any, options: dict[str, Any]) -> dict[str, _Part]:
    if linkage is None:
        return {}
    drawn = {name: options[name] for name in ("n_samples", "random_state")}
    tree = adjudge.inference.tree_test(coordinates.values, linkage=linkage, progress=False, **drawn)
    table = tree.table()
    data = {"linkage": tree.linkage, "splits": table.records()}
    return {"tree": _Part(replace(table, title=f"Splits of the tree ({tree.linkage} linkage)"), data)}


def _differences(coordinates: DataMatrix, clusterer: Any, found: ClustersTest, seed: int) -> dict[str, _Part]:
    """Test each pair of neighbouring clusters of the best candidate, numbered as in the table of valleys."""
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
        one = adjudge.inference.cluster_difference_test(coordinates.values, codes, (a, b), random_state=seed)
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
