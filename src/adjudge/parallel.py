"""Run nogil kernels on the machine's cores, and queries so that Ctrl-C stops them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# Seconds between two looks for Ctrl-C, and those that a query has to end.
_LOOK, _GRACE = 0.2, 0.7
# Below this many items, a pass takes less time than waking a thread.
WORTH_A_THREAD = 200_000


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def spans(n: int, parts: int | None = None) -> list[slice]:
    """Cut ``range(n)`` into `parts` slices (default: one per core, a single one if `n` is small)."""
    if parts is None:
        parts = n // WORTH_A_THREAD
        parts = min(n_cores(), parts) if parts > 1 else 1
    edges = [n * i // parts for i in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]


def in_threads(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Map over `items`, the first in this thread and each other in its own; results are in the order of `items`."""
    tasks = list(items)
    if len(tasks) == 1:
        return [function(tasks[0])]
    # Imported here, so that the first call on few labels does not wait for it.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(tasks) - 1) as pool:
        others = [pool.submit(function, task) for task in tasks[1:]]
        first = function(tasks[0])
        return [first, *(other.result() for other in others)]


def interruptible(work: Callable[[], T], interrupt: Callable[[], object]) -> T:
    """Run work that does not notice Ctrl-C in a thread, and call `interrupt` if Ctrl-C comes.

    The work may take a second to end; if it does not, it is left to end by itself.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    ended = threading.Event()
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)
        ended.set()

    threading.Thread(target=run, name="adjudge query", daemon=True).start()
    try:
        while not ended.wait(_LOOK):  # without a limit, Windows would not see Ctrl-C
            pass
    except KeyboardInterrupt:
        interrupt()
        ended.wait(_GRACE)
        raise
    if failed:
        raise failed[0]
    return found[0]
