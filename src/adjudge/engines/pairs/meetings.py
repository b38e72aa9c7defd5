"""The meetings of a pass over all distances: in threads or elsewhere, with results taken in order, and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

from adjudge.engines.pairs.distances import Portioned, Sweepable
from adjudge.engines.pairs.strips import Meeting, Strip
from adjudge.engines.running.checkpoint import Resumable
from adjudge.engines.running.executor import Crew

__all__ = ["Fold", "OverMeetings", "fold_meetings", "messages", "over_meetings", "worth_sending"]

Work = Callable[[Any, Meeting], Any]

# A pass below this many pairs is over before a second thread has started.
_WORTH_THREADS = 100_000
# Pairs that are worth a message to another process. One process can send and receive a few hundred messages a second:
# for more workers than this, messages hold more, as long as every worker gets several.
_WORTH_SENDING = 1 << 27
_CALLS_WORTH_SENDING = 1 << 14
_FEW_WORKERS = 12
_MESSAGES = 8


class Fold(Resumable, Protocol):
    """An accumulator of the results of the meetings, in their order."""

    def add(self, meeting: Meeting, found: Any, /) -> None:
        """Add the result of the next meeting."""
        ...


@dataclass(frozen=True, eq=False)
class OverMeetings:
    """Holds some meetings, in another process or on another machine.

    Attributes
    ----------
    distances : Sweepable
    work : callable
        The function of the distances and a meeting.
    """

    distances: Sweepable
    work: Work

    def needs(self, meetings: Sequence[Meeting]) -> dict[int, Strip]:
        """Return the strips that some meetings read, by number; see `Portioned`."""
        return {strip.number: strip for meeting in meetings for strip in meeting.strips}

    def portion(self, strip: Strip) -> Any:
        """Return the points of a strip in the form in which they are sent."""
        assert isinstance(self.distances, Portioned)
        return self.distances.of_strip(strip)

    def emptied(self) -> OverMeetings | None:
        """Return a copy without points; None if everything has to be sent together."""
        if not isinstance(self.distances, Portioned):
            return None
        return replace(self, distances=self.distances.emptied())

    def with_portions(self, portions: Sequence[tuple[Strip, Any]]) -> OverMeetings:
        """Return a copy with the points of some strips."""
        assert isinstance(self.distances, Portioned)
        return replace(self, distances=self.distances.joining(portions))

    def __call__(self, meetings: Sequence[Meeting]) -> list[Any]:
        """Return the result of each meeting."""
        return [self.work(self.distances, meeting) for meeting in meetings]


def worth_sending(n_pairs: int, n_workers: int) -> int:
    """Return how many of all pairs a message should cover."""
    return max(
        _WORTH_SENDING, min(_WORTH_SENDING * n_workers // _FEW_WORKERS, n_pairs // (_MESSAGES * n_workers))
    )


def messages(meetings: Iterable[Meeting], most_pairs: int) -> Iterator[tuple[Meeting, ...]]:
    """Join meetings of the same rows up to a number of pairs; a larger one is sent alone."""
    held: list[Meeting] = []
    pairs = 0
    for meeting in meetings:
        if held and (held[0].rows.number != meeting.rows.number or pairs + meeting.pairs > most_pairs):
            yield tuple(held)
            held, pairs = [], 0
        held.append(meeting)
        pairs += meeting.pairs
    if held:
        yield tuple(held)


def over_meetings(
    distances: Sweepable,
    crew: Crew,
    work: Work,
    meetings: Iterable[Meeting] | None = None,
    *,
    threads: bool = True,
    done: int = 0,
) -> Iterator[tuple[Meeting, Any]]:
    """Hold the meetings after the first `done`, all of the strips unless given, and yield the results in order."""
    n_pairs = distances.strips.n_pairs
    left = iter(distances.strips.meetings() if meetings is None else meetings)
    crew.advance(sum(meeting.pairs for meeting in islice(left, done)))
    # Nobody knows how long a block takes that somebody else computes.
    is_quick = isinstance(distances, Portioned)
    threads = threads and (n_pairs > _WORTH_THREADS or not is_quick)
    if crew.workers is not None and threads:
        sent = messages(left, worth_sending(n_pairs, crew.workers.n) if is_quick else _CALLS_WORTH_SENDING)
        for some, results in crew.workers.map(OverMeetings(distances, work), sent, 1):
            for meeting, found in zip(some, results, strict=True):
                yield meeting, found
                crew.advance(meeting.pairs)
    else:
        for meeting, found in crew.map(lambda meeting: work(distances, meeting), left, threads=threads):
            yield meeting, found
            crew.advance(meeting.pairs)


def fold_meetings(
    distances: Sweepable,
    crew: Crew,
    work: Work,
    fold: Fold,
    meetings: Iterable[Meeting] | None = None,
    *,
    threads: bool = True,
) -> None:
    """Hold all meetings and accumulate the results; from time to time save them, if there is a checkpoint."""
    saver = crew.checkpoint
    done = 0 if saver is None else saver.begin(fold)
    if done is None:
        crew.advance(sum(meeting.pairs for meeting in meetings or distances.strips.meetings()))
        return
    is_whole = True
    try:
        for meeting, found in over_meetings(distances, crew, work, meetings, threads=threads, done=done):
            is_whole = False
            fold.add(meeting, found)
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
