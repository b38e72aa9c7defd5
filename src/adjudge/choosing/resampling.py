"""Many fits to resampled or simulated points: parallel, with progress, and reproducible with any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from adjudge.engines.running.executor import Crew
from adjudge.progress import StagedProgress, reporting

__all__ = ["Repeats"]

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
