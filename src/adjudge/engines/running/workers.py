"""Send tasks to the workers of a joblib backend: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import AdjudgeError

__all__ = ["WorkerError", "Workers", "active_workers"]

T = TypeVar("T")
R = TypeVar("R")

# Arrays of a function that is sent begin with a cache line.
_ALIGNMENT = 64
# How often the work of lost workers is given out again while nothing is finished.
_ATTEMPTS = 5
# How often a worker looks whether its parent is there, in seconds.
_PARENT_INTERVAL = 1.0
_ORPHANS_PARENT = 1


class WorkerError(AdjudgeError, RuntimeError):
    """Workers were lost and the work could not be given to others."""


@dataclass(frozen=True)
class Workers:
    """Where tasks may run outside this process.

    Attributes
    ----------
    n : int
        How many work at a time.
    client : distributed.Client or None
        Of a Dask cluster; None for processes that joblib runs.
    """

    n: int
    client: Any = None

    def map(self, function: Callable[[T], R], tasks: Iterable[T], batch: int) -> Iterator[tuple[T, R]]:
        """Yield each task with its result, in order; the function travels once, tasks go in batches."""
        batches = _batched(tasks, batch)
        if self.client is None:
            yield from _in_processes(self.n, function, batches)
        else:
            yield from _on_dask(self.client, self.n, function, batches)


def active_workers() -> Workers | None:
    """Return the workers of the backend that `joblib.parallel_config` set; None if that is threads, or none."""
    if "joblib" not in sys.modules:
        return None
    from joblib.parallel import get_active_backend

    # Without a backend of the user's own, joblib would take processes.
    backend, n_jobs = get_active_backend(prefer="threads")
    if getattr(backend, "supports_sharedmem", False) or getattr(backend, "uses_threads", False):
        return None
    client = getattr(backend, "client", None)
    if client is not None:
        return Workers(max(1, sum(client.nthreads().values())), client)
    from joblib import effective_n_jobs

    from adjudge.parallel import n_cores

    n = n_cores() if n_jobs is None else effective_n_jobs(n_jobs)
    return Workers(n) if n > 1 else None


def _batched(tasks: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(tasks)
    while some := list(islice(remaining, size)):
        yield some


def _run_batch(function: Callable[[Any], Any], tasks: list[Any]) -> list[Any]:
    return [function(task) for task in tasks]


def _in_processes(n: int, function: Callable[[T], R], batches: Iterable[list[T]]) -> Iterator[tuple[T, R]]:
    from joblib import delayed

    with terminated_in_order(), _shared_folder() as folder:
        path = _publish(function, folder / "function")
        sent: deque[list[T]] = deque()

        def calls() -> Iterator[Any]:
            for tasks in batches:
                sent.append(tasks)
                yield delayed(_run_published)(path, os.getpid(), tasks)

        results = _run(n, calls())
        try:
            for found in results:
                yield from zip(sent.popleft(), found, strict=True)
        finally:
            with warnings.catch_warnings():
                # An interrupted run leaves tasks unfinished, and joblib says so.
                warnings.simplefilter("ignore", UserWarning)
                results.close()


@contextmanager
def _shared_folder() -> Iterator[Path]:
    """Make a folder that joblib's resource tracker removes if this process is killed, once its workers have ended."""
    from joblib.externals.loky.backend import resource_tracker

    with tempfile.TemporaryDirectory(prefix="adjudge-") as folder:
        resource_tracker.register(folder, "folder")
        try:
            yield Path(folder)
        finally:
            resource_tracker.unregister(folder, "folder")


@contextmanager
def terminated_in_order() -> Iterator[None]:
    """Let SIGTERM end the program as sys.exit does: files are removed, and workers stop. A handler set before stays."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    except SystemExit:
        _stop_workers()
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _leave(number: int, _: Any) -> NoReturn:
    sys.exit(128 + number)


def _stop_workers() -> None:
    """Stop joblib's processes at once: the tasks that they work on are lost anyway."""
    from joblib.externals.loky import reusable_executor

    executor = reusable_executor._executor
    if executor is not None:
        executor.shutdown(wait=True, kill_workers=True)


def _end_with(sender: int) -> None:
    """End this worker soon after the process that started it: it would wait minutes for more tasks.

    Workers that others have started, as Ray does, go on.
    """
    if os.getppid() not in (sender, _ORPHANS_PARENT):
        return

    def watch() -> None:
        while os.getppid() == sender:
            time.sleep(_PARENT_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(n: int, calls: Iterator[Any]) -> Generator[Any, None, None]:
    """Yield the results of calls in order, with few of them running at a time, even if a backend only returns lists."""
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    if getattr(get_active_backend()[0], "supports_return_generator", False):
        parallel = Parallel(n_jobs=n, return_as="generator", batch_size=1, pre_dispatch=2 * n)
        results: Generator[Any, None, None] = parallel(calls)
        yield from results
        return
    with Parallel(n_jobs=n, batch_size=1) as parallel:
        while some := list(islice(calls, 4 * n)):
            yield from parallel(some)


def _publish(function: Callable[..., Any], path: Path) -> str:
    """Write a function with what it holds, its arrays so that they can be mapped into memory."""
    buffers: list[pickle.PickleBuffer] = []
    with path.open("wb") as stream:
        code = _cloudpickle().dumps(function, protocol=5, buffer_callback=buffers.append)
        spans = []
        for buffer in buffers:
            stream.write(b"\0" * (-stream.tell() % _ALIGNMENT))
            raw = buffer.raw()
            spans.append((stream.tell(), raw.nbytes))
            stream.write(raw)
        # A map of no bytes is an error.
        stream.write(b"\0")
    path.with_suffix(".head").write_bytes(pickle.dumps((code, spans)))
    return str(path)


def _cloudpickle() -> Any:
    try:
        return import_module("cloudpickle")
    except ModuleNotFoundError:  # older versions of joblib carry it along
        return import_module("joblib.externals.cloudpickle")


# The function that this worker process received last, by its path.
_received: dict[str, Callable[[Any], Any]] = {}


def _run_published(path: str, sender: int, tasks: list[Any]) -> list[Any]:
    function = _received.get(path)
    if function is None:
        code, spans = pickle.loads(Path(path).with_suffix(".head").read_bytes())
        # Copied when written to: kernels would be compiled anew for arrays that are read only.
        stored = np.asarray(np.memmap(path, np.uint8, "c"))
        function = pickle.loads(code, buffers=[stored[start : start + size] for start, size in spans])
        if not _received:
            _end_with(sender)
        _received.clear()
        _received[path] = function
    return _run_batch(function, tasks)


class _Parcel:
    """A function whose arrays begin with a cache line wherever it is opened, as messages' contents do not.

    Kernels would be compiled anew for arrays that are not aligned.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        buffers: list[pickle.PickleBuffer] = []
        self._code = _cloudpickle().dumps(function, protocol=5, buffer_callback=buffers.append)
        self._arrays = [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._function: Callable[[Any], Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_code": self._code, "_arrays": self._arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def __sizeof__(self) -> int:
        return sum(array.nbytes for array in self._arrays)

    def open(self) -> Callable[[Any], Any]:
        """Return the function."""
        with self._lock:
            if self._function is None:
                self._arrays = [_aligned(array) for array in self._arrays]
                self._function = pickle.loads(self._code, buffers=self._arrays)
            return self._function


def _aligned(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if array.ctypes.data % _ALIGNMENT == 0 and array.flags.writeable:
        return array
    room = np.empty(array.size + _ALIGNMENT, np.uint8)
    skip = -room.ctypes.data % _ALIGNMENT
    room[skip : skip + array.size] = array
    return room[skip : skip + array.size]


def _run_opened(parcel: _Parcel, tasks: list[Any]) -> list[Any]:
    return _run_batch(parcel.open(), tasks)


def _on_dask(
    client: Any, n: int, function: Callable[[T], R], batches: Iterable[list[T]]
) -> Iterator[tuple[T, R]]:
    """Keep two batches a worker's thread in flight; what is lost with a worker is given out again."""
    import asyncio
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    lost = (KilledWorker, CancelledError, asyncio.CancelledError, TimeoutError)
    shared: Any = None

    def submit(tasks: list[T]) -> Any:
        return client.submit(_run_opened, shared, tasks, pure=False)

    waiting: deque[tuple[list[T], Any]] = deque()
    failures = 0
    try:
        remaining = iter(batches)
        exhausted = False
        while waiting or not exhausted:
            try:
                if shared is None:
                    [shared] = client.scatter([_Parcel(function)], broadcast=True, hash=False)
                    waiting = deque((tasks, submit(tasks)) for tasks, _ in waiting)
                while not exhausted and len(waiting) <= 2 * n:
                    tasks = next(remaining, None)
                    exhausted = tasks is None
                    if tasks is not None:
                        waiting.append((tasks, submit(tasks)))
                if not waiting:
                    break
                found = waiting[0][1].result()
            except lost as error:
                failures += 1
                if failures == _ATTEMPTS:
                    raise WorkerError(
                        f"the Dask cluster lost its workers {failures} times in a row: their logs say why"
                    ) from error
                shared = None
                continue
            failures = 0
            tasks, _ = waiting.popleft()
            yield from zip(tasks, found, strict=True)
    finally:
        with suppress(Exception):
            client.cancel([future for _, future in waiting])
