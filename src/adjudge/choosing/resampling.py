"""Many fits to resampled points, reproducible with any number of workers, and how well clusters recur in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.engines.running.executor import Crew
from adjudge.progress import StagedProgress, reporting

__all__ = ["Repeats", "jaccard_of_clusters", "least_joined", "table_of"]

R = TypeVar("R")


@dataclass(frozen=True)
class Repeats:
    """How repeated fits are run.

    Attributes
    ----------
    n_jobs : int, optional
        Workers of joblib, on the backend that the caller has set; default: threads, one per core.
    progress : callable or bool, optional
        Called as ``progress(what, done, total)``; default: a bar. False shows nothing.
    """

    n_jobs: int | None = None
    progress: StagedProgress | bool | None = None

    def run(
        self, work: Callable[[np.random.SeedSequence], R], seeds: Sequence[np.random.SeedSequence], what: str
    ) -> list[R]:
        """Do the work once per seed; return the results in the order of the seeds."""
        done: list[R] = []
        with reporting(self.progress, what) as told:
            for result in self._results(work, seeds):
                done.append(result)
                if told is not None:
                    told(len(done), len(seeds))
        return done

    def _results(
        self, work: Callable[[np.random.SeedSequence], R], seeds: Sequence[np.random.SeedSequence]
    ) -> Iterator[R]:
        if self.n_jobs is None:
            for _, result in Crew.of(None, None).map(work, seeds):
                yield result
            return
        from joblib import Parallel, delayed

        jobs = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        yield from jobs(delayed(work)(seed) for seed in seeds)


def table_of(a: Codes, b: Codes, shape: tuple[int, int] | None = None) -> Codes:
    """Return the contingency table of two partitions."""
    rows, columns = shape or (int(a.max()) + 1, int(b.max()) + 1)
    return np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)


def jaccard_of_clusters(codes: Codes, others: Codes, k: int) -> Floats:
    """Return each of k clusters' largest Jaccard similarity with a cluster of `others`; nan for one without points.

    Negative codes are noise: a point of the one partition that is noise in the other one is in the union.
    """
    columns = int(others.max(initial=-1)) + 1
    table = table_of(
        np.where(codes < 0, k, codes), np.where(others < 0, columns, others), (k + 1, columns + 1)
    )
    rows, sizes = table.sum(axis=1)[:k], table.sum(axis=0)[:columns]
    inside = table[:k, :columns]
    unions = rows[:, None] + sizes[None, :] - inside
    best = (inside / np.maximum(unions, 1)).max(axis=1, initial=0.0)
    return np.where(rows > 0, best, np.nan)


def least_joined(codes: Codes, predicted: Codes) -> float:
    """Return the smallest share, over the clusters, of pairs that the prediction joins; negative codes are noise."""
    inside = codes >= 0
    table = table_of(codes[inside], predicted[inside]).astype(np.float64)
    sizes = table.sum(axis=1)
    pairs = sizes * (sizes - 1)
    joined = (table * (table - 1)).sum(axis=1)
    return float(np.divide(joined, pairs, out=np.ones_like(pairs), where=pairs > 0).min())
