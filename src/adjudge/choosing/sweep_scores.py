"""One sweep over K: the statistics of its partitions, and the values and votes of the criteria."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from adjudge.array_types import Codes, Ints
from adjudge.choosing.kept_statistics import KeptStatistics
from adjudge.choosing.votes import vote
from adjudge.choosing.work_folder import NOWHERE, WorkFolder
from adjudge.engines.labellings import reduce_labellings
from adjudge.given.point_options import PointOptions
from adjudge.indices.internal_record import neighbours_read
from adjudge.indices.record import Index, Noted
from adjudge.indices.scatter import ONE_CLUSTER, sd_dis, sd_validity
from adjudge.indices.selection_record import Compared, SelectionIndex
from adjudge.progress import Progress
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_axes
from adjudge.statistics.moments import Moments
from adjudge.statistics.sweep import Sweep, splits_of

__all__ = ["Judgement", "judge", "reduce_sweep"]


@dataclass(frozen=True)
class Judgement:
    """The values and votes of the criteria.

    Attributes
    ----------
    values : dict of str to dict of int to float
        By criterion and K.
    critical : dict of str to dict of int to float
        Critical values of the criteria that are tests.
    reasons : dict of str to dict of int to str
        Why a value is nan or infinite.
    votes : dict of str to (int or None)
    notices : tuple of Notice
        What is to be said about the points that the criteria read.
    """

    values: dict[str, dict[int, float]] = field(default_factory=dict)
    critical: dict[str, dict[int, float]] = field(default_factory=dict)
    reasons: dict[str, dict[int, str]] = field(default_factory=dict)
    votes: dict[str, int | None] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

    def add(self, record: Index, found: Mapping[int, float | Noted | Compared]) -> None:
        """Add the values of one criterion, and its vote."""
        name = record.name
        values, critical, reasons = {}, {}, {}
        for k in sorted(found):
            item = found[k]
            if isinstance(item, Noted):
                values[k], reasons[k] = float(item.value), item.reason
            elif isinstance(item, Compared):
                values[k], critical[k] = float(item.value), float(item.critical)
            else:
                values[k] = float(item)
                if math.isnan(values[k]):
                    reasons[k] = "undefined"
        self.values[name] = values
        if critical:
            self.critical[name] = critical
        if reasons:
            self.reasons[name] = reasons
        self.votes[name] = vote(record, values, critical)

    def add_one_cluster(self) -> None:
        """Say of the criteria that cannot compare one cluster with several that its value is undefined."""
        for name, values in self.values.items():
            if 1 not in values:
                self.values[name] = {1: math.nan} | values
                self.reasons[name] = {1: ONE_CLUSTER} | self.reasons.get(name, {})


def judge(
    X: NDArray[Any],
    codes: Mapping[int, Ints],
    ks: Sequence[int],
    records: Iterable[Index],
    others: Mapping[type, Any],
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    folder: WorkFolder = NOWHERE,
) -> Judgement:
    """Compute all criteria for partitions of X, and their votes.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : mapping of int to ndarray of int64
        Partitions of `ks` and their neighbours.
    ks : sequence of int
        Of 2 and more: criteria of one partition have no value for one cluster that could be compared.
    records : iterable of Index
    others : mapping of type to statistic
        Statistics that do not come from the partitions: reference data, mixtures, stability.
    n_threads : int, optional
    progress : callable, optional
        Called as ``progress(done, total)``.
    folder : WorkFolder, optional
        Folder that keeps statistics computed before.
    """
    records = list(records)
    needed = [r for r in records if not isinstance(r, SelectionIndex) or r.requires == (Sweep,)]
    sweep = reduce_sweep(X, codes, ks, needed, n_threads=n_threads, progress=progress, folder=folder)
    judgement = Judgement(
        notices=notices_of_axes(records, (s for own in sweep.partitions.values() for s in own.values()))
    )
    for record in records:
        if isinstance(record, SelectionIndex):
            source = sweep if record.requires == (Sweep,) else others.get(record.requires[0])
            judgement.add(record, record.over(source) if source is not None else {})
        else:
            judgement.add(record, _of_partitions(record, sweep))
    return judgement


def _of_partitions(record: Index, sweep: Sweep) -> dict[int, float | Noted]:
    parameters = {}
    if record is sd_validity and sweep.ks:
        # SD weighs its parts by the separation at the largest K of the sweep.
        last = sweep.partitions[sweep.ks[-1]]
        parameters["alpha"] = sd_dis.assess(*(last[t] for t in sd_dis.requires))[0]
    found: dict[int, float | Noted] = {}
    for k in sweep.ks:
        value, reason = record.assess(*(sweep.partitions[k][t] for t in record.requires), **parameters)
        found[k] = value if reason is None else Noted(value, reason)
    return found


def reduce_sweep(
    X: NDArray[Any],
    codes: Mapping[int, Codes],
    ks: Sequence[int],
    records: Iterable[Index],
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    folder: WorkFolder = NOWHERE,
) -> Sweep:
    """Reduce partitions to the statistics that records read; neighbours of `ks` only to those read of neighbours.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : mapping of int to ndarray of int64
        Partitions by K, coded 0..K-1, for `ks` and their neighbours.
    ks : sequence of int
        Numbers of clusters to compare.
    records : iterable of Index
        Internal indices and criteria over a sweep.
    n_threads : int, optional
    progress : callable, optional
        Called as ``progress(done, total)`` for the partitions of `ks`, which take most of the time.
    folder : WorkFolder, optional
        Folder that keeps statistics computed before.
    """
    records = list(records)
    selecting = [r for r in records if isinstance(r, SelectionIndex)]
    own = {t for r in records for t in r.reads_of_partition}
    beside = {t for r in selecting if r.neighbours for t in r.reads}
    main = {k: codes[k] for k in ks if k in codes}
    edges = {k: c for k, c in codes.items() if k not in main}
    options = PointOptions(n_jobs=n_threads).for_neighbours(neighbours_read(records))
    keep = KeptStatistics.of(folder, options)
    told = replace(options, progress=progress)
    partitions = dict(reduce_labellings(X, main, own, options=told, keep=keep))
    if edges and beside:
        partitions |= reduce_labellings(X, edges, beside, options=options, keep=keep)
    whole = {k: c for k, c in codes.items() if k in partitions and c.max() + 1 == k}
    splits = {}
    if any(r.hierarchical for r in selecting):
        splits = splits_of(whole, {k: partitions[k][Moments] for k in whole if Moments in partitions[k]})
    return Sweep(tuple(k for k in sorted(ks) if k in partitions), partitions, splits)
