"""The tasks of a pass over all distances: run in threads or elsewhere, with results accumulated in order, and saved.

Threads do one task each. Work that leaves this process is sent by the parcel, all tasks of two spans of points, so that
much work needs little data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol, TypeVar

from adjudge.engines.pairs.distances import Portioned, Sweepable
from adjudge.engines.pairs.layout import Parcel, Span, Task
from adjudge.engines.pairs.parcel_totals import Gathered, Settling
from adjudge.engines.running.checkpoint import Resumable
from adjudge.engines.running.executor import Crew

__all__ = ["Fold", "OverParcels", "fold_tasks", "messages", "over_tasks", "task_size", "worth_sending"]

T = TypeVar("T")

# A pass below this many pairs is over before a second thread has started.
_WORTH_THREADS = 100_000
# Pairs that are worth a message to another process. One process can send and receive a few hundred messages a second:
# for more workers than this, messages hold more, as long as every worker gets several.
_WORTH_SENDING = 1 << 27
_FEW_WORKERS = 12
_MESSAGES = 8


def task_size(n_pairs: int) -> int:
    """Return how many pairs a task should have: a few milliseconds' worth, but not too many tasks."""
    return int(min(max(n_pairs // 2000, 1 << 22), 1 << 26))


class Fold(Resumable, Protocol):
    """An accumulator of the results of the tasks, in their order."""

    def add(self, task: Task, found: Any, /) -> None:
        """Add the result of the next task."""
        ...


@dataclass(frozen=True, eq=False)
class OverParcels:
    """Runs all tasks of some parcels, in another process or on another machine.

    Attributes
    ----------
    distances : Sweepable
    work : callable
        The function of the distances and a task.
    most_pairs : int
        Maximum number of pairs of a task.
    whole_packs : bool
        See `Layout.tasks`.
    settling : Settling or None
        If given, the results of a parcel's tasks are accumulated there.
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
        """Return the points of a span in the form in which they are sent."""
        assert isinstance(self.distances, Portioned)
        return self.distances.of_span(span)

    def emptied(self) -> OverParcels | None:
        """Return a copy without points; None if everything has to be sent together."""
        if not isinstance(self.distances, Portioned):
            return None
        return replace(self, distances=self.distances.emptied())

    def with_portions(self, portions: Sequence[tuple[Span, Any]]) -> OverParcels:
        """Return a copy with the points of some spans."""
        assert isinstance(self.distances, Portioned)
        return replace(self, distances=self.distances.joining(portions))

    def tasks(self, parcel: Parcel) -> Iterator[Task]:
        """Return the tasks of a parcel."""
        return parcel.tasks(self.most_pairs, whole_packs=self.whole_packs)

    def __call__(self, parcels: tuple[Parcel, ...]) -> list[Any]:
        """Return a `Gathered` for each parcel, or the list of the tasks' results."""
        return [self._do(parcel) for parcel in parcels]

    def _do(self, parcel: Parcel) -> Any:
        if self.settling is None:
            return [self.work(self.distances, task) for task in self.tasks(parcel)]
        gathered = Gathered(parcel, self.settling)
        for task in self.tasks(parcel):
            gathered.add(task, self.work(self.distances, task))
        return gathered


def worth_sending(n_pairs: int, n_workers: int) -> int:
    """Return how many of all pairs a message should cover."""
    return max(
        _WORTH_SENDING, min(_WORTH_SENDING * n_workers // _FEW_WORKERS, n_pairs // (_MESSAGES * n_workers))
    )


def messages(parcels: Iterable[Parcel], most_pairs: int) -> Iterator[tuple[Parcel, ...]]:
    """Join parcels of the same rows up to a number of pairs; a larger one is sent alone."""
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
    """One pass: the work, and where it is done."""

    distances: Sweepable
    crew: Crew
    work: Callable[[Sweepable, Task], Any]
    most_pairs: int | None
    threads: bool

    @property
    def limit(self) -> int:
        """Maximum number of pairs of a task."""
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
        """Return all tasks."""
        return self.distances.layout.tasks(self.limit, whole_packs=self.most_pairs is None)

    def results(self, todo: Iterator[Any]) -> Iterator[tuple[Task, Any]]:
        """Run tasks here, and yield their results."""
        crew = self.crew
        if crew.assembly is not None:
            # The further work takes far less time than the distances.
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
        """Have workers run all tasks of some parcels, and yield the results."""
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
    """Run all tasks and accumulate the results; from time to time save them, if there is a checkpoint.

    With `settling`, the results are accumulated by parcel where the work is done, and the fold has to `take` these.
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
            # When it is time to save, every task begun is done: the result is that of the first `done` tasks.
            for task, found in run.results(some):
                is_whole = False
                fold.add(task, found)
                done += 1
                is_whole = True
            saver.save_if_due(done, kept)
    except KeyboardInterrupt:
        # A running task may have been counted, and pieces of blocks may be half added.
        if is_whole and crew.assembly is None and getattr(fold, "histogram", None) is None:
            saver.save(done, kept)
        raise


def _fold_parcels(run: _Pass, fold: Any, done: int, settling: Settling | None) -> None:
    """Have workers run the parcels not begun yet; what was accumulated can be saved at any time."""
    saver = run.crew.checkpoint
    function = OverParcels(run.distances, run.work, run.limit, run.most_pairs is None, settling)
    parcels = run.distances.layout.parcels()
    behind = done
    for parcel in parcels:
        if not behind:
            parcels = _with_first(parcel, parcels)
            break
        own = list(function.tasks(parcel))
        # The rest of a parcel that another run began is done here.
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
    """An iterator that tells when nothing is left."""

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
) -> Iterator[tuple[Task, Any]]:
    """Run all tasks, of at most `most_pairs` pairs if given, and yield the results in order."""
    run = _Pass(distances, crew, work, most_pairs, threads=True)
    if not run.by_parcel:
        tasks = run.tasks()
        yield from run.results(tasks if crew.assembly is None else crew.assembly.pieces(tasks))
        return
    whole_packs = most_pairs is None
    for parcel, found in run.sent(distances.layout.parcels(), None):
        yield from zip(parcel.tasks(run.limit, whole_packs=whole_packs), found, strict=True)
