"""How long a pass over the distances of many points would take on many machines: a simulation with the real tasks.

Measured are the seconds of a task, the bytes that it needs and returns, and the time of the client for it: one message
through a Dask cluster on this machine, and merging the result. The rest follows from the order in which tasks are
handed out and merged. Bytes are counted for points that are sent, and for stored points that workers read
themselves. Writes docs/benchmarks/many_machines.md.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import tempfile
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.euclidean_embeddings import image_of
from adjudge.engines.pairs.meetings import OverMeetings, messages, worth_sending
from adjudge.engines.pairs.open_tables import Meet
from adjudge.engines.pairs.pair_pass import PairPass
from adjudge.engines.pairs.products import ProductPoints
from adjudge.engines.pairs.sources import tiles_of
from adjudge.engines.pairs.stored_strips import Reader
from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.given.point_options import PointOptions
from adjudge.given.points_file import stored_of
from adjudge.statistics.pair_distances import Silhouettes
from harness import DOCS, machine

# Bytes per second that one machine sends or receives: 10 Gbit/s.
NETWORK = 1.25e9
# Largest relative deviation of the times of equal tasks, up or down.
JITTER = 0.2
K = 10
# The least that a memory map reads, in bytes.
PAGE = 4096


@dataclass(frozen=True)
class Measured:
    """The cost of one task, of two strips.

    Attributes
    ----------
    pair : float
        Seconds per pair.
    sent, returned : float
        Bytes per point.
    named : float
        Bytes per point that are sent if workers read the points.
    message : float
        Seconds of the client for sending and receiving a task, without its points.
    take : float
        Seconds of the client per point of a merged result.
    """

    pair: float
    sent: float
    named: float
    returned: float
    message: float
    take: float


@dataclass(frozen=True)
class Run:
    """One simulated pass."""

    workers: int
    messages: int
    sent: float
    fetched: float
    named: float
    read: float
    returned: float
    rate: float
    busy: float
    seconds: float
    efficiency: float


@dataclass
class ReadByWorker:
    """Counts the points that a worker reads from storage; it keeps the most recently used strips.

    Attributes
    ----------
    bytes_a_point : int
    memory_limit : int
        As for `evaluate`.
    """

    bytes_a_point: int
    memory_limit: int = PointOptions().memory_limit
    kept: OrderedDict[int, int] = field(default_factory=OrderedDict)

    def read(self, strips: dict[int, Strip]) -> int:
        """Return how many points of the given strips have to be read."""
        points = 0
        for number, strip in strips.items():
            if number not in self.kept:
                points += strip.size
                self.kept[number] = strip.size
            self.kept.move_to_end(number)
            while sum(self.kept.values()) * self.bytes_a_point > self.memory_limit and len(self.kept) > 2:
                self.kept.popitem(last=False)
        return points


def measure(p: int, message: float) -> Measured:
    """Run a task of two strips, each a cluster, as another machine would."""
    size = 1 << 13 if p < 100 else 1 << 11
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], size)
    X = rng.normal(size=(2 * size, p))
    strips = Strips.of(codes, np.bincount(codes), size)
    options = PointOptions()
    image = image_of(X, "euclidean")
    distances: Any = (
        ProductPoints.of(X, strips, image, options) if p >= 96 else tiles_of(X, strips, options, image)
    )
    state = PairPass(strips, {Silhouettes}, codes)
    _, meeting, _ = strips.meetings()
    function = OverMeetings(distances, Meet(state.wanted, None))
    portions = [(strip, pickle.loads(pickle.dumps(function.portion(strip), 5))) for strip in meeting.strips]
    emptied = function.emptied()
    assert emptied is not None
    there = emptied.with_portions(portions)
    seconds = []
    with one_blas_thread():
        for _ in range(4):
            begun = time.process_time()
            [found] = there((meeting,))
            seconds.append(time.process_time() - begun)
    sent = sum(len(pickle.dumps(portion, 5)) for _, portion in portions)
    named = bytes_of_names(X, strips, image, meeting) / (2 * size)
    back = pickle.dumps(found, 5)
    fold = state.fold
    begun = time.process_time()
    for _ in range(20):
        fold.add(meeting, pickle.loads(back))
    take = (time.process_time() - begun) / 20
    return Measured(
        min(seconds) / meeting.pairs,
        sent / (2 * size),
        named,
        len(back) / (2 * size),
        message,
        take / (2 * size),
    )


def bytes_of_names(X: Any, strips: Strips, image: Any, meeting: Meeting) -> int:
    """Return the bytes that are sent in place of the stored points of a meeting."""
    p = X.shape[1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npy"
        np.save(path, X)
        mapped = np.load(path, mmap_mode="r")
        stored = stored_of(mapped)
        assert stored is not None
        options = PointOptions()
        reader = Reader(stored, None, options.memory_limit)
        distances: Any = (
            ProductPoints.of(mapped, strips, image, options, reader)
            if p >= 96
            else tiles_of(mapped, strips, options, image, reader)
        )
        return sum(len(pickle.dumps(distances.of_strip(strip), 5)) for strip in meeting.strips)


def message_seconds() -> float:
    """Measure the time of a Dask client for a message with two futures among its arguments, and for its result."""
    from distributed import Client, LocalCluster

    def nothing(*_: Any) -> bytes:
        return bytes(1000)

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        shared, one, other = client.scatter([b"a", b"b", b"c"], hash=False)

        def call(_: int) -> Any:
            return client.submit(nothing, shared, [one, other], pure=False)

        seconds = []
        for _ in range(3):
            begun = time.process_time()
            waiting = deque(call(i) for i in range(50))
            for i in range(300):
                waiting.popleft().result()
                waiting.append(call(i))
            seconds.append((time.process_time() - begun) / 300)
    return min(seconds)


def real_messages(n: int, workers: int) -> Iterator[tuple[Meeting, ...]]:
    """Yield the messages for n points in K clusters."""
    codes = (np.arange(n) % K).astype(np.int64)
    strips = Strips.of(codes, np.bincount(codes))
    return messages(strips.meetings(), worth_sending(strips.n_pairs, workers))


def simulate(n: int, p: int, workers: int, one: Measured) -> Run:
    """Hand out tasks as the client does: two per worker in advance, with results merged in order."""
    rng = np.random.default_rng(0)
    free = [(0.0, worker) for worker in range(workers)]
    readers = [ReadByWorker(8 * p) for _ in range(workers)]
    waiting: deque[tuple[float, int]] = deque()
    known: set[int] = set()
    client = busy = work = sent = fetched = named = read = returned = 0.0
    count = 0

    def take() -> None:
        nonlocal client, busy, returned
        finished, points = waiting.popleft()
        spent = points * max(one.take, one.returned / NETWORK)
        client = max(client, finished) + spent
        busy += spent
        returned += points * one.returned

    for unit in real_messages(n, workers):
        if len(waiting) > 2 * workers:
            take()
        strips = {strip.number: strip for meeting in unit for strip in meeting.strips}
        new = sum(strip.size for number, strip in strips.items() if number not in known)
        known |= strips.keys()
        points = sum(strip.size for strip in strips.values())
        spent = one.message + new * one.sent / NETWORK
        client, busy, sent = client + spent, busy + spent, sent + new * one.sent
        seconds = sum(meeting.pairs for meeting in unit) * one.pair * (1 + JITTER * rng.uniform(-1, 1))
        fetch = points * one.sent / NETWORK
        fetched += points * one.sent
        named += new * one.named
        since, worker = heapq.heappop(free)
        read += readers[worker].read(strips)
        begun = max(since, client)
        # The next task's points arrive while the current one is computed.
        finished = begun + max(seconds, fetch)
        heapq.heappush(free, (finished, worker))
        waiting.append((finished, sum(strip.size for meeting in unit for strip in meeting.strips)))
        work += seconds
        count += 1
    while waiting:
        take()
    return Run(
        workers,
        count,
        sent,
        fetched,
        named,
        read,
        returned,
        count / client,
        busy / client,
        client,
        work / (workers * client),
    )


def page(runs: dict[tuple[int, int], list[Run]], measured: dict[int, Measured]) -> str:
    lines = [
        "# Many machines",
        "",
        "A simulation, made of the meetings that the program cuts and of what one of them costs, measured on this "
        f"machine: {machine()}. Silhouettes, {K} clusters. A task is all pairs of two strips of at most 32,768 "
        "points. The client sends each strip once; workers fetch the strips of their tasks from each other; a task "
        "returns, for each of its points, the sums of its distances to the clusters of the other strip, and the "
        "client adds them up in a fixed order. Every machine sends and receives 10 Gbit/s, and equal tasks differ "
        f"by up to {JITTER:.0%} in time. `python benchmarks/many_machines.py` repeats it.",
        "",
        "| p | seconds a task | bytes a point sent | returned | client, a message | client, a result |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for p, one in measured.items():
        lines.append(
            f"| {p} | {one.pair * 2**30:.2f} | {one.sent:,.0f} | {one.returned:.1f} | {1e3 * one.message:.2f} ms | "
            f"{1e3 * one.take * 2**16:.2f} ms |"
        )
    lines += [
        "",
        "| N | p | workers | messages | sent by the client | fetched by workers | returned | messages a second | "
        "client busy | time | efficiency |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (n, p), found in runs.items():
        for run in found:
            lines.append(
                f"| {n:,} | {p} | {run.workers:,} | {run.messages:,} | {run.sent / 1e9:,.1f} GB | "
                f"{run.fetched / 1e12:,.2f} TB | {run.returned / 1e9:,.1f} GB | {run.rate:,.0f} | {run.busy:.0%} | "
                f"{run.seconds:,.0f} s | {run.efficiency:.0%} |"
            )
    lines += [
        "",
        "Efficiency is the time of the work over the time of all workers. It falls once the client is always busy.",
        "",
        *of_readers(runs, measured),
    ]
    return "\n".join(lines)


def of_readers(runs: dict[tuple[int, int], list[Run]], measured: dict[int, Measured]) -> list[str]:
    """Report what is read if all machines share a file of the points."""
    each = " and ".join(f"{one.named:.1f} at p = {p}" for p, one in measured.items())
    lines = [
        "## Workers that read stored points",
        "",
        "If all machines share a memory map (a `.npy` file of float64), workers read the points of their strips "
        f"themselves. In place of points the client sends, once, which rows they are ({each} bytes a point). "
        f"Each worker keeps what it read last, up to {PointOptions().memory_limit >> 30} GB. The same passes, if "
        "storage is as fast as the network; storage has to deliver what is read within the time above.",
        "",
        "| N | p | workers | sent by the client | read, points sorted by cluster | read, points in any order | "
        "storage, sorted |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (n, p), found in runs.items():
        for run in found:
            lines.append(
                f"| {n:,} | {p} | {run.workers:,} | {run.named / 1e9:,.1f} GB | {run.read * 8 * p / 1e12:,.2f} TB | "
                f"{run.read * read_in_any_order(p) / 1e12:,.2f} TB | "
                f"{run.read * 8 * p / run.seconds / 1e9:,.2f} GB/s |"
            )
    return [
        *lines,
        "",
        f"A map is read by pages of {PAGE:,} bytes. Of points in any order, one in {K} belongs to the cluster of a "
        "strip, so short rows cost more than they hold. Parquet is read by groups of rows and Zarr by chunks, each "
        "once a worker: at most the whole file ("
        + " and ".join(f"{n * 8 * p / 1e9:,.1f} GB at p = {p}" for n, p in runs)
        + ") each.",
        "",
    ]


def read_in_any_order(p: int) -> float:
    """Return the bytes of pages per point, if its neighbours in the file are mostly in other clusters."""
    row = 8 * p
    # A row may begin anywhere in a page, and the points of a strip are K rows apart on average.
    return min(K * row, row + PAGE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=10**7)
    parser.add_argument("--workers", default="1,10,100,1000")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/many_machines.md")
    given = parser.parse_args()
    message = message_seconds()
    measured = {p: measure(p, message) for p in (8, 768)}
    counts = [int(n) for n in given.workers.split(",")]
    runs = {
        (given.points, p): [simulate(given.points, p, n, one) for n in counts] for p, one in measured.items()
    }
    text = page(runs, measured)
    print(text)
    if given.write:
        (DOCS / "many_machines.md").write_text(text)


if __name__ == "__main__":
    main()
