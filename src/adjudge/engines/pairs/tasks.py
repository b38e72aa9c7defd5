"""The tasks of a pass over all distances: done in threads or elsewhere, their results taken in in order, and saved.

Threads do one task each. What leaves this process goes by the parcel: all tasks of two spans of points, so that little
has to be sent for much work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol, TypeVar

from adjudge.engines.pairs.distances import Portioned, Sweepable
from adjudge.engines.pairs.gathered import Gathered, Settling
from adjudge.engines.pairs.layout import Parcel, Span, Task
from adjudge.engines.running.checkpoint import Resumable
from adjudge.engines.running.crew import Crew

__all__ = ["Fold", "OverParcels", "fold_tasks", "messages", "over_tasks", "task_size", "worth_sending"]

T = TypeVar("T")

# A pass below this many pairs is over before a second thread has started.
_WORTH_THREADS = 100_000
# Pairs that are worth a message to another process. One process can send and receive some hundred messages a second:
# for more workers than these they hold more, as long as every worker gets several.
_WORTH_SENDING = 1 << 27
_FEW_WORKERS = 12
_MESSAGES = 8


def task_size(n_pairs: int) -> int:
    """How many pairs a task should have: some milliseconds' worth, and not too many tasks."""
    return int(min(max(n_pairs // 2000, 1 << 22), 1 << 26))


class Fold(Resumable, Protocol):
    """What takes in the results of the tasks, in their order."""

    def add(self, task: Task, found: Any, /) -> None:
        """Take in the result of the next task."""
        ...


@dataclass(frozen=True, eq=False)
class OverParcels:
    """Does all tasks of some parcels, in another process or on another machine.

    Attributes
    ----------
    distances : Sweepable
    work : callable
        What is done with the distances and a task.
    most_pairs : int
        Of a task.
    whole_packs : bool
        See `Layout.tasks`.
    settling : Settling or None
        With it the results of a parcel's tasks are added up there.
    """

    distances: Sweepable
    work: Callable[[Sweepable, Task], Any]
    most_pairs: int
    whole_packs: bool
    settling: Settling | None

    def needs(self, parcels: tuple[Parcel, ...]) -> dict[int, Span]:
        """Return the spans that some parcels read, by number; see `Portioned`."""
        return {span.number: span for parcel in parcels for span in parcel.spans}

    def portion(self, span: Span) -> Any:
        """Return the points of a span, as they are sent."""
        assert isinstance(self.distances, Portioned)
        return self.distances.of_span(span)

    def emptied(self) -> OverParcels | None:
        """Return the same without points; None if all have to be sent together."""
        if not isinstance(self.distances, Portioned):
            return None
        return replace(self, distances=self.distances.emptied())

    def with_portions(self, portions: Sequence[tuple[Span, Any]]) -> OverParcels:
        """Return the same with the points of some spans."""
        assert isinstance(self.distances, Portioned)
        return replace(self, distances=self.distances.joining(portions))

    def tasks(self, parcel: Parcel) -> Iterator[Task]:
        """Tasks of a parcel."""
        return parcel.tasks(self.most_pairs, whole_packs=self.whole_packs)

    def __call__(self, parcels: tuple[Parcel, ...]) -> list[Any]:
        """Return for each parcel a `Gathered`, or the list of the tasks' results."""
        return [self._do(parcel) for parcel in parcels]

    def _do(self, parcel: Parcel) -> Any:
        if self.settling is None:
            return [self.work(self.distances, task) for task in self.tasks(parcel)]
        gathered = Gathered(parcel, self.settling)
        for task in self.tasks(parcel):
            gathered.add(task, self.work(self.distances, task))
        return gathered


def worth_sending(n_pairs: int, n_workers: int) -> int:
    """How many of all pairs a message should be about."""
    return max(
        _WORTH_SENDING, min(_WORTH_SENDING * n_workers // _FEW_WORKERS, n_pairs // (_MESSAGES * n_workers))
    )


def messages(parcels: Iterable[Parcel], most_pairs: int) -> Iterator[tuple[Parcel, ...]]:
    """Join parcels of the same rows up to a number of pairs; a larger one is alone."""
    held: list[Parcel] = []
    for parcel in parcels:
        if held and (
            held[0].rows.number != parcel.rows.number
            or sum(p.pairs for p in held) + parcel.pairs > most_pairs
        ):
            yield tuple(held)
            held = []
        held.append(parcel)
    if held:
        yield tuple(held)


@dataclass(frozen=True)
class _Pass:
    """One pass: what is done, and where."""

    distances: Sweepable
    crew: Crew
    work: Callable[[Sweepable, Task], Any]
    most_pairs: int | None
    threads: bool

    @property
    def limit(self) -> int:
        """Pairs of a task."""
        wanted = self.most_pairs or task_size(self.distances.layout.n_pairs)
        return self.distances.most_pairs(wanted)

    @property
    def by_parcel(self) -> bool:
        """Whether the work leaves this process."""
        return self.crew.workers is not None and self._in_parallel and self.crew.assembly is None

    @property
    def _in_parallel(self) -> bool:
        return self.threads and self.distances.layout.n_pairs > _WORTH_THREADS

    def tasks(self) -> Iterator[Task]:
        """All tasks."""
        return self.distances.layout.tasks(self.limit, whole_packs=self.most_pairs is None)

    def results(self, todo: Iterator[Any]) -> Iterator[tuple[Task, Any]]:
        """Do tasks here, and yield their results."""
        crew = self.crew
        if crew.assembly is not None:
            # What follows on the distances is nothing beside them.
            for piece, found in crew.map(crew.assembly.compute, todo, batch=1):
                is_complete = crew.assembly.take(piece, found)
                if is_complete:
                    yield piece.task, self.work(self.distances, piece.task)
                crew.advance(piece.pairs)
            return
        for task, result in crew.map(self._do, todo, threads=self._in_parallel):
            yield task, result
            crew.advance(task.pairs)

    def _do(self, task: Task) -> Any:
        return self.work(self.distances, task)

    def sent(self, parcels: Iterable[Parcel], settling: Settling | None) -> Iterator[tuple[Parcel, Any]]:
        """Have others do all tasks of some parcels, and yield the results."""
        workers = self.crew.workers
        assert workers is not None
        function = OverParcels(self.distances, self.work, self.limit, self.most_pairs is None, settling)
        worth = worth_sending(self.distances.layout.n_pairs, workers.n)
        for unit, results in workers.map(function, messages(parcels, worth), 1):
            for parcel, found in zip(unit, results, strict=True):
                yield parcel, found
                self.crew.advance(parcel.pairs)


def fold_tasks(
    distances: Sweepable,
    crew: Crew,
    work: Callable[[Sweepable, Task], Any],
    fold: Fold,
    most_pairs: int | None = None,
    threads: bool = True,
    settling: Settling | None = None,
) -> None:
    """Do the work for all tasks and take in the results; from time to time save them, if there is a checkpoint.

    With `settling` the results are added up where the work is done, by the parcel, which the fold has to `take`.
    """
    run = _Pass(distances, crew, work, most_pairs, threads)
    saver = crew.checkpoint
    kept = fold if crew.assembly is None else crew.assembly.kept_with(fold)
    done = saver.begin(kept) if saver is not None else 0
    if done is None:
        crew.advance(distances.layout.n_pairs)
        return
    tasks = run.tasks()
    crew.advance(sum(task.pairs for task in islice(tasks, done)))
    if run.by_parcel:
        _fold_parcels(run, fold, done, settling)
    elif saver is None:
        remaining: Iterator[Any] = tasks if crew.assembly is None else crew.assembly.pieces(tasks)
        for task, found in run.results(remaining):
            fold.add(task, found)
    else:
        _fold_and_save(run, fold, kept, done, tasks)
    if saver is not None:
        saver.end(fold)


def _fold_and_save(run: _Pass, fold: Fold, kept: Resumable, done: int, tasks: Iterator[Task]) -> None:
    crew, saver = run.crew, run.crew.checkpoint
    assert saver is not None
    remaining = _Remaining(tasks if crew.assembly is None else crew.assembly.pieces(tasks))
    if crew.assembly is not None:
        crew.advance(crew.assembly.begun_pairs)
    is_whole = True
    try:
        while not remaining.over:
            some = saver.until_due(remaining)
            # All that was begun is done when it is time to save: the result is that of the first `done` tasks.
            for task, found in run.results(some):
                is_whole = False
                fold.add(task, found)
                done += 1
                is_whole = True
            saver.save_if_due(done, kept)
    except KeyboardInterrupt:
        # A task that is at work may have been counted, and pieces of blocks may be half taken in.
        if is_whole and crew.assembly is None and getattr(fold, "histogram", None) is None:
            saver.save(done, kept)
        raise


def _fold_parcels(run: _Pass, fold: Any, done: int, settling: Settling | None) -> None:
    """Have others do the parcels of which nothing is done; what was taken in can be saved at any time."""
    saver = run.crew.checkpoint
    function = OverParcels(run.distances, run.work, run.limit, run.most_pairs is None, settling)
    parcels = run.distances.layout.parcels()
    behind = done
    for parcel in parcels:
        if not behind:
            parcels = _with_first(parcel, parcels)
            break
        own = list(function.tasks(parcel))
        # Of a parcel that another run has begun the rest is done here.
        for task, found in run.results(iter(own[behind:])):
            fold.add(task, found)
            done += 1
        behind = max(0, behind - len(own))
    for parcel, found in run.sent(parcels, settling):
        own = list(function.tasks(parcel))
        if settling is None:
            for task, result in zip(own, found, strict=True):
                fold.add(task, result)
        else:
            fold.take(found)
        done += len(own)
        if saver is not None:
            saver.save_if_due(done, fold)


def _with_first(first: T, others: Iterator[T]) -> Iterator[T]:
    yield first
    yield from others


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
    work: Callable[[Sweepable, Task], Any],
    most_pairs: int | None = None,
    threads: bool = True,
) -> Iterator[tuple[Task, Any]]:
    """Do the work for all tasks, of at most this many pairs if given, and yield the results in order."""
    run = _Pass(distances, crew, work, most_pairs, threads)
    if not run.by_parcel:
        tasks = run.tasks()
        yield from run.results(tasks if crew.assembly is None else crew.assembly.pieces(tasks))
        return
    whole_packs = most_pairs is None
    for parcel, found in run.sent(distances.layout.parcels(), None):
        yield from zip(parcel.tasks(run.limit, whole_packs=whole_packs), found, strict=True)
