"""Run nogil kernels on the machine's cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

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
        parts = max(1, min(n_cores(), n // WORTH_A_THREAD))
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
