"""Reduction of the partitions into each K to a sweep: all statistics that the requested criteria read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.choosing.kept_statistics import KeptStatistics
from adjudge.choosing.work_folder import NOWHERE, WorkFolder
from adjudge.engines.several_partitions import reduce_labellings
from adjudge.given.point_options import PointOptions
from adjudge.indices.internal_record import neighbours_read
from adjudge.indices.record import Index
from adjudge.indices.selection_record import SelectionIndex
from adjudge.progress import Progress
from adjudge.statistics.moments import Moments
from adjudge.statistics.sweep import Sweep, splits_of

__all__ = ["reduce_sweep"]

Codes = NDArray[np.int64]


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
