"""The tasks of a pass over all distances: run in threads or elsewhere, with results accumulated in order, and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

from adjudge.engines.pairs.distances import Portioned, Sweepable
from adjudge.engines.pairs.layout import Strip, Task
from adjudge.engines.running.checkpoint import Resumable
from adjudge.engines.running.executor import Crew

__all__ = ["Fold", "OverTasks", "fold_tasks", "messages", "over_tasks", "worth_sending"]

Work = Callable[[Any, Task], Any]

# A pass below this many pairs is over before a second thread has started.
_WORTH_THREADS = 100_000
# Pairs that are worth a message to another process. One process can send and receive a few hundred messages a second:
# for more workers than this, messages hold more, as long as every worker gets several.
_WORTH_SENDING = 1 << 27
_CALLS_WORTH_SENDING = 1 << 14
_FEW_WORKERS = 12
_MESSAGES = 8


class Fold(Resumable, Protocol):
    """An accumulator of the results of the tasks, in their order."""

    def add(self, task: Task, found: Any, /) -> None:
        """Add the result of the next task."""
        ...


@dataclass(frozen=True, eq=False)
class OverTasks:
    """Runs some tasks, in another process or on another machine.

    Attributes
    ----------
    distances : Sweepable
    work : callable
        The function of the distances and a task.
    """

    distances: Sweepable
    work: Work

    def needs(self, tasks: Sequence[Task]) -> dict[int, Strip]:
        """Return the strips that some tasks read, by number; see `Portioned`."""
        return {strip.number: strip for task in tasks for strip in task.strips}

    def portion(self, strip: Strip) -> Any:
        """Return the points of a strip in the form in which they are sent."""
        assert isinstance(self.distances, Portioned)
        return self.distances.of_strip(strip)

    def emptied(self) -> OverTasks | None:
        """Return a copy without points; None if everything has to be sent together."""
        if not isinstance(self.distances, Portioned):
            return None
        return replace(self, distances=self.distances.emptied())

    def with_portions(self, portions: Sequence[tuple[Strip, Any]]) -> OverTasks:
        """Return a copy with the points of some strips."""
        assert isinstance(self.distances, Portioned)
        return replace(self, distances=self.distances.joining(portions))

    def __call__(self, tasks: Sequence[Task]) -> list[Any]:
        """Return the result of each task."""
        return [self.work(self.distances, task) for task in tasks]


def worth_sending(n_pairs: int, n_workers: int) -> int:
    """Return how many of all pairs a message should cover."""
    return max(
        _WORTH_SENDING, min(_WORTH_SENDING * n_workers // _FEW_WORKERS, n_pairs // (_MESSAGES * n_workers))
    )


def messages(tasks: Iterable[Task], most_pairs: int) -> Iterator[tuple[Task, ...]]:
    """Join tasks of the same rows up to a number of pairs; a larger one is sent alone."""
    held: list[Task] = []
    pairs = 0
    for task in tasks:
        if held and (held[0].rows.number != task.rows.number or pairs + task.pairs > most_pairs):
            yield tuple(held)
            held, pairs = [], 0
        held.append(task)
        pairs += task.pairs
    if held:
        yield tuple(held)


def over_tasks(
    distances: Sweepable,
    crew: Crew,
    work: Work,
    most_pairs: int | None = None,
    *,
    threads: bool = True,
    done: int = 0,
) -> Iterator[tuple[Task, Any]]:
    """Run the tasks after the first `done`, of at most `most_pairs` pairs if given, and yield the results in order."""
    n_pairs = distances.layout.n_pairs
    tasks = distances.layout.tasks(most_pairs)
    crew.advance(sum(task.pairs for task in islice(tasks, done)))
    # Nobody knows how long a block takes that somebody else computes.
    is_quick = isinstance(distances, Portioned)
    threads = threads and (n_pairs > _WORTH_THREADS or not is_quick)
    if crew.workers is not None and threads:
        sent = messages(tasks, worth_sending(n_pairs, crew.workers.n) if is_quick else _CALLS_WORTH_SENDING)
        for some, results in crew.workers.map(OverTasks(distances, work), sent, 1):
            for task, found in zip(some, results, strict=True):
                yield task, found
                crew.advance(task.pairs)
    else:
        for task, found in crew.map(lambda task: work(distances, task), tasks, threads=threads):
            yield task, found
            crew.advance(task.pairs)


def fold_tasks(
    distances: Sweepable,
    crew: Crew,
    work: Work,
    fold: Fold,
    most_pairs: int | None = None,
    *,
    threads: bool = True,
) -> None:
    """Run all tasks and accumulate the results; from time to time save them, if there is a checkpoint."""
    saver = crew.checkpoint
    done = 0 if saver is None else saver.begin(fold)
    if done is None:
        crew.advance(distances.layout.n_pairs)
        return
    is_whole = True
    try:
        for task, found in over_tasks(distances, crew, work, most_pairs, threads=threads, done=done):
            is_whole = False
            fold.add(task, found)
            done += 1
            is_whole = True
            if saver is not None:
                saver.save_if_due(done, fold)
    except KeyboardInterrupt:
        # A result may be half added.
        if saver is not None and is_whole:
            saver.save(done, fold)
        raise
    if saver is not None:
        saver.end(fold)
