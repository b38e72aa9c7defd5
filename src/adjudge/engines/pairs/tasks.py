"""The tasks of a pass over all distances: done in threads or elsewhere, their results taken in in order, and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Protocol, TypeVar

from adjudge.engines.pairs.distances import Sweepable
from adjudge.engines.pairs.layout import Task
from adjudge.engines.running.checkpoint import Resumable
from adjudge.engines.running.crew import Crew

__all__ = ["Fold", "fold_tasks", "over_tasks", "task_size"]

T = TypeVar("T")

# A pass below this many pairs is over before a second thread has started.
_WORTH_THREADS = 100_000
# Pairs that are worth a message to another process.
_WORTH_SENDING = 1 << 27


def task_size(n_pairs: int) -> int:
    """How many pairs a task should have: some milliseconds' worth, and not too many tasks."""
    return int(min(max(n_pairs // 2000, 1 << 22), 1 << 26))


class Fold(Resumable, Protocol):
    """What takes in the results of the tasks, in their order."""

    def add(self, task: Task, found: Any, /) -> None:
        """Take in the result of the next task."""
        ...


def fold_tasks(
    distances: Sweepable,
    crew: Crew,
    work: Callable[[Task], Any],
    fold: Fold,
    most_pairs: int | None = None,
    threads: bool = True,
) -> None:
    """Do the work for all tasks and take in the results; from time to time save them, if there is a checkpoint."""
    saver = crew.checkpoint
    if saver is None:
        for task, found in over_tasks(distances, crew, work, most_pairs, threads):
            fold.add(task, found)
        return
    assembly = crew.assembly
    kept = fold if assembly is None else assembly.kept_with(fold)
    tasks = _tasks(distances, most_pairs)
    done = saver.begin(kept)
    if done is None:
        crew.advance(distances.layout.n_pairs)
        return
    crew.advance(sum(task.pairs for task in islice(tasks, done)))
    remaining = _Remaining(tasks if assembly is None else assembly.pieces(tasks))
    if assembly is not None:
        crew.advance(assembly.begun_pairs)
    while not remaining.over:
        some = saver.until_due(remaining)
        # All that was begun is done when it is time to save: the result is that of the first `done` tasks.
        for task, found in _results(distances, crew, work, some, most_pairs, threads):
            fold.add(task, found)
            done += 1
        saver.save_if_due(done, kept)
    saver.end(fold)


class _Remaining(Iterator[T]):
    """Says when there is nothing left."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self.over = False

    def __next__(self) -> T:
        for item in self._items:
            return item
        self.over = True
        raise StopIteration


def over_tasks(
    distances: Sweepable,
    crew: Crew,
    work: Callable[[Task], Any],
    most_pairs: int | None = None,
    threads: bool = True,
) -> Iterator[tuple[Task, Any]]:
    """Do the work for all tasks, of at most this many pairs if given, and yield the results in order."""
    tasks = _tasks(distances, most_pairs)
    todo = tasks if crew.assembly is None else crew.assembly.pieces(tasks)
    return _results(distances, crew, work, todo, most_pairs, threads)


def _limit(distances: Sweepable, most_pairs: int | None) -> int:
    return distances.most_pairs(most_pairs or task_size(distances.layout.n_pairs))


def _tasks(distances: Sweepable, most_pairs: int | None) -> Iterator[Task]:
    return distances.layout.tasks(_limit(distances, most_pairs), whole_packs=most_pairs is None)


def _results(
    distances: Sweepable,
    crew: Crew,
    work: Callable[[Task], Any],
    todo: Iterator[Any],
    most_pairs: int | None,
    threads: bool,
) -> Iterator[tuple[Task, Any]]:
    if crew.assembly is not None:
        # What follows on the distances is nothing beside them.
        for piece, found in crew.map(crew.assembly.compute, todo, batch=1):
            is_complete = crew.assembly.take(piece, found)
            if is_complete:
                yield piece.task, work(piece.task)
            crew.advance(piece.pairs)
        return
    threads = threads and distances.layout.n_pairs > _WORTH_THREADS
    batch = max(1, _WORTH_SENDING // _limit(distances, most_pairs))
    for task, result in crew.map(work, todo, threads=threads, batch=batch):
        yield task, result
        crew.advance(task.pairs)
