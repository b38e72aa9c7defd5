"""Tasks in threads or elsewhere, whose results are always taken in the order of the tasks, to give the same digits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeVar

from adjudge.engines.running.checkpoint import Checkpoint
from adjudge.engines.running.workers import Workers, active_workers
from adjudge.given.options import check_jobs
from adjudge.parallel import n_cores
from adjudge.progress import Progress, check_progress

__all__ = ["Crew"]

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Crew:
    """The threads and other workers that do the work, and the callback that reports progress.

    Attributes
    ----------
    n_threads : int
    progress : callable or None
        Called as ``progress(done, total)`` with the work in pairs of points.
    total : int
        Work expected so far.
    workers : Workers or None
        Workers of a joblib backend, for work that may leave this process.
    checkpoint : Checkpoint or None
    """

    n_threads: int
    progress: Progress | None = None
    total: int = 0
    done: int = 0
    workers: Workers | None = None
    checkpoint: Checkpoint | None = None

    @classmethod
    def of(cls, n_jobs: int | None, progress: Progress | None) -> Crew:
        """Make a crew of `n_jobs` threads, or of one per core (None, -1), and the workers of joblib's backend."""
        check_jobs(n_jobs)
        check_progress(progress)
        n = n_cores() if n_jobs in (None, -1) else n_jobs
        return cls(n, progress, workers=active_workers())

    def expect(self, work: int) -> None:
        """Add to the expected work."""
        self.total += work
        self._tell()

    def advance(self, work: int) -> None:
        """Report this much work as done."""
        self.done += work
        self._tell()

    def _tell(self) -> None:
        # Statistics that need no pass over the points are no work.
        if self.progress is not None and self.total:
            self.progress(self.done, self.total)

    def map(
        self, function: Callable[[T], R], tasks: Iterable[T], *, threads: bool = True, batch: int = 0
    ) -> Iterator[tuple[T, R]]:
        """Yield each task with its result, in order; few results are ever waiting.

        With `batch` the work may leave this process, this many tasks at a time. An interruption cancels the tasks that
        have not started, waits for the few running ones (some tenths of a second at most) and leaves no thread behind.
        """
        if batch and threads and self.workers is not None:
            yield from self.workers.map(function, tasks, batch)
            return
        tasks = iter(tasks)
        # A single task would only wait for a thread to start.
        begun = list(islice(tasks, 2 if threads and self.n_threads > 1 else 0))
        tasks = chain(begun, tasks)
        if len(begun) < 2:
            for task in tasks:
                yield task, function(task)
            return
        pool = ThreadPoolExecutor(self.n_threads, thread_name_prefix="adjudge")
        waiting: deque[tuple[T, Future[R]]] = deque()
        try:
            for task in tasks:
                waiting.append((task, pool.submit(function, task)))
                if len(waiting) > 2 * self.n_threads:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
