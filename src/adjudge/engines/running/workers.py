"""Tasks sent to the workers of a joblib backend: processes, on this machine or of Ray, or a Dask cluster."""

from __future__ import annotations

import os
import pickle
import signal
import socket
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
from typing import Any, NoReturn, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import AdjudgeError

__all__ = ["WorkerError", "Workers", "active_workers"]

T = TypeVar("T")
R = TypeVar("R")

# The arrays of a function that is sent are aligned to cache lines.
_ALIGNMENT = 64
# How often the work of lost workers is handed out again while no task finishes.
_ATTEMPTS = 5
# How often a worker checks that its parent is alive, in seconds.
_PARENT_INTERVAL = 1.0
_ORPHANS_PARENT = 1


class WorkerError(AdjudgeError, RuntimeError):
    """Workers were lost, and their work could not be handed to others."""


@dataclass(frozen=True)
class Workers:
    """Where tasks may run outside this process.

    Attributes
    ----------
    n : int
        How many work at the same time.
    client : distributed.Client or None
        Client of a Dask cluster; None for processes that joblib runs.
    """

    n: int
    client: Any = None

    def map(self, function: Callable[[T], R], tasks: Iterable[T], batch: int) -> Iterator[tuple[T, R]]:
        """Yield each task with its result, in order; the function is sent once, tasks are sent in batches."""
        batches = _batched(tasks, batch)
        if self.client is None:
            yield from _in_processes(self.n, function, batches)
        else:
            yield from _on_dask(self.client, self.n, function, batches)


def active_workers() -> Workers | None:
    """Return the workers of the backend set by `joblib.parallel_config`; None if it uses threads or is not set."""
    if "joblib" not in sys.modules:
        return None
    from joblib.parallel import get_active_backend

    # Unless the user sets a backend, joblib would use processes.
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
                # An interrupted run leaves tasks unfinished, and joblib warns about it.
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
    """Let SIGTERM end the program as sys.exit does, removing files and stopping workers; existing handlers stay."""
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


def _end_at_once() -> None:
    """Let SIGTERM end a forked worker at once: while it waits for a lock, a Python handler would never run."""
    if signal.getsignal(signal.SIGTERM) is _leave:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_at_once)


def _stop_workers() -> None:
    """Stop joblib's processes at once: their current tasks are lost anyway."""
    from joblib.externals.loky import reusable_executor

    executor = reusable_executor._executor
    if executor is not None:
        executor.shutdown(wait=True, kill_workers=True)


def _end_with(sender: int) -> None:
    """End this worker soon after the process that started it, instead of waiting minutes for more tasks.

    Workers that something else started, such as Ray, go on. One whose parent is killed before its first task still
    waits: an initializer could watch from the start, but joblib restarts all workers whenever calls with and without
    one alternate, and the calls without one are the user's own.
    """
    if os.getppid() not in (sender, _ORPHANS_PARENT):
        return

    def watch() -> None:
        while os.getppid() == sender:
            time.sleep(_PARENT_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(n: int, calls: Iterator[Any]) -> Generator[Any, None, None]:
    """Yield the results of calls in order, keeping few of them in flight even if a backend only returns lists."""
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    if getattr(get_active_backend()[0], "supports_return_generator", False):
        parallel = Parallel(n_jobs=n, return_as="generator", batch_size=1, pre_dispatch=2 * n)
        results: Generator[Any, None, None] = parallel(calls)
        yield from results
        return
    some: list[Any] = []
    failures = 0
    while True:
        try:
            with Parallel(n_jobs=n, batch_size=1) as parallel:
                while some or (some := list(islice(calls, 4 * n))):
                    found = parallel(some)
                    failures, some = 0, []
                    yield from found
                return
        except _lost_on_ray() as error:  # the same calls go to new workers
            failures += 1
            if failures == _ATTEMPTS:
                raise WorkerError(
                    f"Ray lost its workers {failures} times in a row: their logs say why"
                ) from error


def _lost_on_ray() -> tuple[type[Exception], ...]:
    """Return the errors of Ray that say that a worker died."""
    if "ray" not in sys.modules:
        return ()
    errors = import_module("ray.exceptions")
    return errors.RayActorError, errors.WorkerCrashedError, errors.NodeDiedError


def _publish(function: Callable[..., Any], path: Path) -> str:
    """Write a function and the data it holds, with its arrays stored so that they can be mapped into memory."""
    buffers: list[pickle.PickleBuffer] = []
    with path.open("wb") as stream:
        code = _cloudpickle().dumps(function, protocol=5, buffer_callback=buffers.append)
        spans = []
        for buffer in buffers:
            stream.write(b"\0" * (-stream.tell() % _ALIGNMENT))
            raw = buffer.raw()
            spans.append((stream.tell(), raw.nbytes))
            stream.write(raw)
        # Mapping an empty file is an error.
        stream.write(b"\0")
    path.with_suffix(".head").write_bytes(pickle.dumps((code, spans)))
    return str(path)


def _cloudpickle() -> Any:
    try:
        return import_module("cloudpickle")
    except ModuleNotFoundError:  # older versions of joblib bundle it
        return import_module("joblib.externals.cloudpickle")


# The function that this worker process received last, by its path.
_received: dict[str, Callable[[Any], Any]] = {}


def _run_published(path: str, sender: int, tasks: list[Any]) -> list[Any]:
    function = _received.get(path)
    if function is None:
        try:
            code, spans = pickle.loads(Path(path).with_suffix(".head").read_bytes())
        except FileNotFoundError:
            raise WorkerError(
                f"the worker on {socket.gethostname()!r} cannot read {path!r}: let the environment variable TMPDIR "
                "name a folder that all machines share, or use Dask, which sends the work"
            ) from None
        # Copy on write: kernels would be compiled again for read-only arrays.
        stored = np.asarray(np.memmap(path, np.uint8, "c"))
        function = pickle.loads(code, buffers=[stored[start : start + size] for start, size in spans])
        if not _received:
            _end_with(sender)
        _received.clear()
        _received[path] = function
    return _run_batch(function, tasks)


@runtime_checkable
class Portioned(Protocol):
    """A function that another machine can run with part of its data, which is sent in portions, each once."""

    def needs(self, task: Any) -> dict[int, Any]:
        """Return the names of the portions that a task reads, by number; the lowest never falls from task to task."""
        ...

    def portion(self, name: Any) -> Any:
        """Return the data of one portion."""
        ...

    def emptied(self) -> Any:
        """Return the function without data; None if function and data have to be sent together."""
        ...

    def with_portions(self, portions: list[tuple[Any, Any]]) -> Callable[[Any], Any]:
        """Return the function with some of the data."""
        ...


class _Packed:
    """A function, or data, whose arrays are aligned to cache lines wherever it is opened, unlike contents of messages.

    Kernels would be compiled again for unaligned arrays.
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


def _run_opened(packed: _Packed, tasks: list[Any]) -> list[Any]:
    return _run_batch(packed.open(), tasks)


def _run_with_portions(
    packed: _Packed, tasks: list[Any], names: list[Any], portions: list[_Packed]
) -> list[Any]:
    function: Any = packed.open()
    opened = [(name, portion.open()) for name, portion in zip(names, portions, strict=True)]
    return _run_batch(function.with_portions(opened), tasks)


class _Cluster:
    """What the workers of a Dask cluster hold: a function, and the portions of its data that are still needed."""

    def __init__(self, client: Any, function: Callable[[Any], Any]) -> None:
        self._client = client
        self._function = function
        self._emptied = function.emptied() if isinstance(function, Portioned) else None
        self.forget()

    def forget(self) -> None:
        """Forget what was sent, to send it again: a lost worker's share may be gone."""
        self._shared: Any = None
        self._portions: dict[int, Any] = {}

    def submit(self, tasks: list[Any]) -> Any:
        """Send some tasks and the data they read; return the future of their results."""
        client = self._client
        if self._shared is None:
            sent = self._function if self._emptied is None else self._emptied
            [self._shared] = client.scatter([_Packed(sent)], broadcast=True, hash=False)
        if self._emptied is None:
            return client.submit(_run_opened, self._shared, tasks, pure=False)
        names = self._needs(tasks)
        for number, name in names.items():
            if number not in self._portions:
                packed = _Packed(self._function.portion(name))
                [self._portions[number]] = client.scatter([packed], hash=False)
        portions = [self._portions[number] for number in names]
        return client.submit(_run_with_portions, self._shared, tasks, [*names.values()], portions, pure=False)

    def release(self, following: list[Any]) -> None:
        """Release the portions that neither the following tasks nor any later ones read."""
        if self._emptied is not None:
            lowest = min(self._needs(following))
            self._portions = {i: future for i, future in self._portions.items() if i >= lowest}

    def _needs(self, tasks: list[Any]) -> dict[int, Any]:
        function: Any = self._function
        return {number: name for task in tasks for number, name in function.needs(task).items()}


def _on_dask(
    client: Any, n: int, function: Callable[[T], R], batches: Iterable[list[T]]
) -> Iterator[tuple[T, R]]:
    """Keep two batches per worker thread in flight; what is lost with a worker is handed out again."""
    import asyncio
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    # If a worker dies, data on their way to it end in a closed connection.
    lost = (KilledWorker, CancelledError, asyncio.CancelledError, TimeoutError, CommClosedError)
    cluster = _Cluster(client, function)
    waiting: deque[tuple[list[T], Any]] = deque()
    failures, is_lost = 0, False
    try:
        remaining = iter(batches)
        exhausted = False
        while waiting or not exhausted:
            try:
                if is_lost:
                    cluster.forget()
                    waiting = deque((tasks, cluster.submit(tasks)) for tasks, _ in waiting)
                    is_lost = False
                while not exhausted and len(waiting) <= 2 * n:
                    tasks = next(remaining, None)
                    exhausted = tasks is None
                    if tasks is not None:
                        # Kept before it is sent: what is lost on the way is sent again.
                        waiting.append((tasks, None))
                        waiting[-1] = tasks, cluster.submit(tasks)
                if not waiting:
                    break
                found = waiting[0][1].result()
            except lost as error:
                failures += 1
                if failures == _ATTEMPTS:
                    raise WorkerError(
                        f"the Dask cluster lost its workers {failures} times in a row: their logs say why"
                    ) from error
                is_lost = True
                # Until the scheduler notices, it would send to dead workers again.
                time.sleep(0.1 * 2**failures)
                continue
            failures = 0
            tasks, _ = waiting.popleft()
            if waiting:
                cluster.release(waiting[0][0])
            yield from zip(tasks, found, strict=True)
    finally:
        with suppress(Exception):
            client.cancel([future for _, future in waiting])
