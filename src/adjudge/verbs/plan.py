"""Predicting the time, memory and passes of `evaluate` on points before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.errors import InputError, InputTypeError, NoCentroidsError, Option
from adjudge.files.coordinates import coordinates_of
from adjudge.given.input_kinds import Coordinates, Distances, Partition
from adjudge.given.labels import code_labels
from adjudge.given.metrics import keeps_centroids, why_no_centroids
from adjudge.given.options import check_choice, check_count, resamples
from adjudge.given.point_options import PointOptions
from adjudge.indices.internal_record import InternalIndex, neighbours_read
from adjudge.indices.record import Index
from adjudge.kinds.menu import selected
from adjudge.parallel import n_cores
from adjudge.presentation import notebook
from adjudge.presentation.numbers import count
from adjudge.presentation.tables import Table
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_use
from adjudge.saved.savable import Savable
from adjudge.statistics.moments import made_by_centroids, need_coordinates
from adjudge.statistics.pair_distances import gathered
from adjudge.tables.files import FileTable
from adjudge.tables.names import the_one
from adjudge.unknown_names import checked_call

if TYPE_CHECKING:
    from adjudge.engines.cost import Cost, Rates
    from adjudge.engines.passes import Job

__all__ = ["Plan", "PlannedGroup", "plan"]

# Metrics that can be planned, for dense and for sparse points.
_METRICS = ("euclidean", "sqeuclidean", "cosine", "correlation")
_SPARSE_METRICS = ("euclidean", "cosine", "correlation")
# Runs of at least this many seconds give a warning.
_LONG = 600.0
# Addressable at eight bytes per variable.
_MOST_VARIABLES = np.iinfo(np.intp).max // 8
_UNITS = ((86400.0 * 365, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


@dataclass(frozen=True)
class PlannedGroup:
    """Indices that share their passes.

    Attributes
    ----------
    name : str
    indices : tuple of str
    passes : int
        Number of passes over the points, or over all pairs of points.
    seconds : float
        On this machine: the time that the group adds to those before it, whose passes it may share.
    seconds_on_workers : float or None
        The same on the requested number of workers, each as fast as a core of this machine.
    memory : int
        Bytes beyond the points themselves, on each machine.
    """

    name: str
    indices: tuple[str, ...]
    passes: int
    seconds: float
    seconds_on_workers: float | None
    memory: int


@dataclass(frozen=True, repr=False)
class Plan(Savable):
    """What a run would cost.

    Attributes
    ----------
    n, p, k : int
        Numbers of points, variables and clusters.
    cores : int
        Number of cores of this machine.
    workers : int or None
    groups : tuple of PlannedGroup
    warnings : tuple of Notice
        What readers may not expect: long runs and estimated values.
    candidates : int or None
        Number of clusterings that :func:`choose` chooses among.
    fits : int
        Number of fits, including refits to resamples; `seconds` does not include their time.
    fit_seconds : float or None
        Time of one fit; None if no clusterer was timed.
    """

    n: int
    p: int
    k: int
    cores: int
    workers: int | None
    groups: tuple[PlannedGroup, ...]
    warnings: tuple[Notice, ...]
    candidates: int | None = None
    fits: int = 0
    fit_seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Time of all groups together on this machine, without fits."""
        return sum(group.seconds for group in self.groups)

    @property
    def memory(self) -> int:
        """Bytes that the largest group needs."""
        return max((group.memory for group in self.groups), default=0)

    def table(self) -> Table:
        """One row per group."""
        rows = []
        for group in self.groups:
            workers = () if group.seconds_on_workers is None else (_duration(group.seconds_on_workers),)
            memory = f"{group.memory / 1e6:,.0f} MB"
            rows.append(
                (group.name, len(group.indices), group.passes, _duration(group.seconds), *workers, memory)
            )
        on_workers = () if self.workers is None else (f"on {self.workers} workers",)
        columns = ("group", "indices", "passes", f"on {self.cores} cores", *on_workers, "memory")
        title = f"{self.n:,} points, {self.p} variables, {self.k:,} clusters"
        if self.candidates is not None:
            title += f"; {count(self.candidates, 'candidate')}, {count(self.fits, 'fit')} {self._fitting}"
        return Table(columns, tuple(rows), title)

    @property
    def _fitting(self) -> str:
        if self.fit_seconds is None:
            return "of unknown duration"
        each, all_fits = _duration(self.fit_seconds), _duration(self.fits * self.fit_seconds)
        return f"of about {each} each: {all_fits}" if self.fits > 1 else f"of about {each}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": "plan",
            **asdict(self),
            "warnings": [notice.to_dict() for notice in self.warnings],
            "seconds": self.seconds,
            "memory": self.memory,
        }

    def __repr__(self) -> str:
        return "\n".join([self.table().text(), *map(str, self.warnings)])

    def _repr_html_(self) -> str:
        warnings = (notebook.sentence(str(notice)) for notice in self.warnings)
        return notebook.fragment(notebook.table(self.table()), *warnings)


@checked_call
def plan(
    n: Any,
    p: int | None = None,
    n_clusters: int | None = None,
    *,
    labels: str | None = None,
    features: Sequence[str] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    candidates: int | None = None,
    stability: bool | int = False,
    estimator: Any = None,
    n_jobs: int | None = None,
    memory_limit: int = 1 << 30,
    exact: bool = False,
    metric: str = "euclidean",
    nnz: int | None = None,
) -> Plan:
    """Predict the cost of :func:`evaluate` on points, or of :func:`choose`: time, memory and passes.

    The first call takes some seconds to measure the speed of this machine, and keeps the result in the user's cache
    folder.

    Parameters
    ----------
    n, p, n_clusters : int
        Numbers of points, of variables and of clusters. In place of all three, `n` may be the path of a table.
    labels : str, optional
        With a table: the column of the clusters.
    features : sequence of str, optional
        With a table: the columns of coordinates, or patterns such as ``x_*``; default: all columns of numbers that
        neither look like identifiers or labels nor equal the labels.
    indices : "default", "all", a name or record, or several, default "default"
        With `candidates`, those of :func:`choose`.
    candidates : int, optional
        Plan a choice among this many clusterings, each with about `n_clusters` clusters. Their criteria read a sample
        of more than 5,000 points.
    stability : bool or int, default False
        As for :func:`choose`: refits are counted in ``.fits``.
    estimator : str or estimator, optional
        The clusterer, as for :func:`choose_k`. It is timed now on small samples of Gaussian clusters, and the time of
        a fit to `n` points (``.fit_seconds``) is extrapolated by a power law. Without it, that time is unknown.
    n_jobs : int, optional
        Also predict the time on this many workers of a compute cluster.
    memory_limit, exact
        As for :func:`evaluate` with points.
    metric : {"euclidean", "sqeuclidean", "cosine", "correlation"}, default "euclidean"
        Other metrics take about as long as the Euclidean one if adjudge implements them itself.
    nnz : int, optional
        Entries of sparse points (``X.nnz``), assumed to be spread evenly over columns; uneven ones take longer.

    Returns
    -------
    Plan
        Printed as a table.

    Examples
    --------
    >>> from adjudge import plan
    >>> planned = plan(1_000_000, 8, 10, indices=["silhouette", "gamma"], n_jobs=64)
    >>> [group.name for group in planned.groups]
    ['distances', 'ranks of distances']
    >>> planned.seconds > 60
    True
    >>> texts = plan(100_000, 50_000, 20, metric="cosine", nnz=6_000_000, indices="silhouette")
    >>> texts.memory < 1e9
    True
    >>> plan(10_000, 8, 10, candidates=12, stability=20).fits
    1212
    >>> plan(10_000, 8, 10, candidates=19, estimator="kmeans").fit_seconds > 0
    True
    """
    from adjudge.choosing.fit_time import fit_seconds
    from adjudge.choosing.refitting import n_refits
    from adjudge.choosing.sampling import USUAL_SAMPLE
    from adjudge.engines.pairs.euclidean_embeddings import has_image, many_dimensions
    from adjudge.engines.passes import Job

    said: tuple[Notice, ...] = ()
    if isinstance(n, (str, PathLike)):
        (n, p, n_clusters), said = _sizes_in_file(n, labels, features)
    elif labels is not None or features is not None:
        named = "features" if labels is None else "labels"
        raise InputError(Option(named), " is of a table: give its path in place of the numbers")
    if p is None or n_clusters is None:
        raise InputTypeError("plan() needs ", Option("p" if p is None else "n_clusters"))
    _check_sizes(n, p, n_clusters, n_jobs, nnz)
    if candidates is not None:
        check_count("candidates", candidates)
    for name, value in (("stability", stability or None), ("estimator", estimator)):
        if candidates is None and value is not None:
            raise InputError(Option(name, value), " belongs to a choice: give ", Option("candidates"))
    check_choice("metric", metric, _METRICS if nnz is None else _SPARSE_METRICS)
    nothing = _no_points(p, nnz is not None)
    chosen = (_internal if candidates is None else _of_choice)(indices, nothing, metric)
    has_centroids = keeps_centroids(nothing, metric)
    options = PointOptions(metric=metric, memory_limit=memory_limit, exact=exact)
    options = options.for_neighbours(neighbours_read(chosen))
    job = Job(
        n if candidates is None else min(n, USUAL_SAMPLE),
        p,
        n_clusters,
        options,
        has_centroids,
        has_image(nothing, metric),
        multiplies=nnz is None and p >= many_dimensions(options.precision),
        squared=metric != "euclidean",
        prunes=has_centroids,
        nnz=nnz,
    )
    groups, warnings = _groups(chosen, job, n_jobs, candidates)
    fits = 0
    if candidates is not None:
        fits = candidates * (1 + n_refits(resamples("stability", stability), dense=True))
    one_fit = None if estimator is None else fit_seconds(estimator, n, p, n_clusters)
    return Plan(n, p, n_clusters, n_cores(), n_jobs, groups, said + warnings, candidates, fits, one_fit)


def _sizes_in_file(
    path: str | PathLike[str], labels: str | None, features: Sequence[str] | None
) -> tuple[tuple[int, int, int], tuple[Notice, ...]]:
    """Return the numbers of points, of variables and of clusters in a table, and what is said of its columns."""
    if labels is None:
        raise InputError("the clusters are missing: name their column with ", Option("labels"))
    table = FileTable(path)
    name = the_one(labels, table.matching([labels]))
    clusters = code_labels(table.labels([name])[0][name], f"column {name!r}")
    filled = clusters if clusters.missing is None else clusters.take(np.flatnonzero(~clusters.missing))
    points = coordinates_of(path, {name: clusters}, features=features, beside=[name], gaps=None)
    n, p = points.values.shape
    said = notices_of_use(points.columns, points.left_out, of_file=features is None)
    return (n, p, len(filled.present)), said + about_words({name: clusters}, ("empty the cells",))


def _check_sizes(n: int, p: int, n_clusters: int, n_jobs: int | None, nnz: int | None) -> None:
    for name, value in (("n", n), ("p", p), ("n_clusters", n_clusters)):
        check_count(name, value)
    for name, given in (("n_jobs", n_jobs), ("nnz", nnz)):
        if given is not None:
            check_count(name, given)
    if n_clusters > n:
        raise InputError(
            Option("n_clusters", n_clusters), f" is more than the {n} points: no cluster is empty"
        )
    if nnz is not None and nnz > n * p:
        raise InputError(Option("nnz", nnz), f" is more than the {n * p} values of {n} points")
    if p > _MOST_VARIABLES:
        raise InputError(Option("p", p), " variables are more than an array can have")


def _groups(
    chosen: Sequence[Index], job: Job, n_jobs: int | None, candidates: int | None
) -> tuple[tuple[PlannedGroup, ...], tuple[Notice, ...]]:
    """Plan the indices by the passes that they need, and warn of long runs and estimated values."""
    from adjudge.engines.cost import measured_rates

    rates = measured_rates()
    by_group: dict[str, list[Index]] = {}
    for record in chosen:
        by_group.setdefault(_group_of(record.reads_of_partition), []).append(record)
    groups: list[PlannedGroup] = []
    warnings: list[Notice] = []
    before: frozenset[type] = frozenset()
    for name in ("centroids", "distances", "ranks of distances"):
        if name in by_group:
            group, before = _planned(name, by_group[name], before, job, rates, n_jobs, candidates or 1)
            groups.append(group)
            warnings += _warnings(group, job)
            if candidates is None and group.seconds > _LONG:
                warnings += _estimate(by_group[name], job, rates)
    return tuple(groups), tuple(warnings)


def _planned(
    name: str,
    records: Sequence[Index],
    before: frozenset[type],
    job: Job,
    rates: Rates,
    n_jobs: int | None,
    times: int,
) -> tuple[PlannedGroup, frozenset[type]]:
    """Plan one group for `times` partitions, given earlier statistics; also return all statistics so far."""
    types = frozenset(t for record in records for t in record.reads_of_partition)
    core_seconds = _core_seconds(before | types, job, rates, times) - _core_seconds(before, job, rates, times)
    once, each = _costs(types, job, rates)
    cores = n_cores()
    # Passes over single points stay on one machine.
    on_workers = None
    if n_jobs is not None:
        on_workers = core_seconds / (n_jobs if name != "centroids" else cores)
    group = PlannedGroup(
        name,
        tuple(record.name for record in records),
        once.passes + times * each.passes,
        core_seconds / cores,
        on_workers,
        max(once.memory, each.memory),
    )
    return group, before | types


def _core_seconds(types: frozenset[type], job: Job, rates: Rates, times: int) -> float:
    once, each = _costs(types, job, rates)
    return once.core_seconds + times * each.core_seconds


def _costs(types: frozenset[type], job: Job, rates: Rates) -> tuple[Cost, Cost]:
    """Predict the cost of what is computed once, and of what is computed for each partition."""
    from adjudge.engines.cost import cost_of
    from adjudge.engines.labellings import ONCE

    return cost_of(types & ONCE, job, rates), cost_of(types - ONCE, job, rates)


def _no_points(p: int, are_sparse: bool) -> Any:
    """Return an empty array of points, dense or sparse."""
    if not are_sparse:
        return np.empty((0, p))
    from scipy.sparse import csr_matrix

    return csr_matrix((0, p))


def _internal(asked: Any, X: Any, metric: str) -> list[Index]:
    has_centroids = keeps_centroids(X, metric)
    by_keyword, named = selected(
        asked, ("internal",), (Coordinates if has_centroids else Distances, Partition)
    )
    for record in named:
        if not isinstance(record, InternalIndex):
            raise InputError(f"{record.name} is not computed from points: only internal indices are planned")
        if not has_centroids and need_coordinates(record.requires):
            raise NoCentroidsError(f"{record.name}: ", *why_no_centroids(metric))
    return [*by_keyword, *named]


def _of_choice(asked: Any, X: Any, metric: str) -> list[Index]:
    """Return the criteria of a choice: those requested, and those that rank the candidates."""
    from adjudge.choosing.candidate_scores import criteria_for
    from adjudge.choosing.ranking import COMMITTEE

    named = (criteria_for(own, X, metric) for own in (asked, COMMITTEE))
    return list(dict.fromkeys(record for records in named for record in records))


def _group_of(types: frozenset[type]) -> str:
    if made_by_centroids(types) == {*types}:
        return "centroids"
    return "ranks of distances" if gathered(types) & {"ranks", "ties", "tails"} else "distances"


def _warnings(group: PlannedGroup, job: Job) -> list[Notice]:
    n = job.n
    estimated = n * (n - 1) // 2 * 8 > job.options.memory_limit * 3 // 4
    names = ", ".join(group.indices[:4]) + (" ..." if len(group.indices) > 4 else "")
    found = []
    if group.seconds > _LONG:
        take, them = ("takes", "it") if len(group.indices) == 1 else ("take", "them")
        remedy = (f"leave {them} out, or use workers",)
        how_long = f"{names} of {n:,} points {take} about {_duration(group.seconds)} on this machine"
        found.append(Notice("takes-long", how_long, remedy))
    if group.name == "ranks of distances" and estimated:
        found.append(
            Notice(
                "estimated-ranks",
                f"{names} of {n:,} points are estimated from a histogram of all distances, with bounds on the error",
                (Option("memory_limit", -(-n * (n - 1) // 2 * 8 * 4 // 3)), " makes them exact"),
                "info",
            )
        )
    return found


def _estimate(records: Sequence[Index], job: Job, rates: Rates) -> list[Notice]:
    """Offer an estimate from samples in place of a long run."""
    from adjudge.inference.points.sampled_estimates import expected_width, plan_sample

    size, core_seconds, sampled = plan_sample(records, job, rates)
    if not sampled:
        return []
    names = ", ".join(sampled[:4]) + (" ..." if len(sampled) > 4 else "")
    widths = [(name, width) for name in sampled if (width := expected_width(name, size)) is not None]
    known = ", ".join(f"{name} {width:.1g}" for name, width in widths[:3])
    wide = f", with 95 % intervals about as wide as: {known}" if known else ""
    takes = _duration(core_seconds / n_cores())
    estimated = f"{names} of {job.n:,} points can be estimated in about {takes}{wide}"
    return [Notice("can-be-estimated", estimated, (Option("sample_size", size),), "info")]


def _duration(seconds: float) -> str:
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds * 1000:.1f} ms"
