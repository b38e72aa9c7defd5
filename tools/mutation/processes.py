"""Forked processes with limits: each does one piece of work, leaves its answer in memory, and ends.

Needs Linux.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Ended", "Work", "answer_now", "each", "limit_time"]

#: Wall-clock seconds after which a process is killed even if it uses no processor time: threads that a library had
#: started before the fork are gone, and waiting for them says nothing about a mutant.
_STUCK = 120.0
#: Bytes that a process may allocate: a mutant may ask for any number of rows.
_MEMORY = 8 << 30
#: Signals that end a process whose time is up.
_LATE = (signal.SIGPROF, signal.SIGKILL)

_answers_to = -1


@dataclass(frozen=True)
class Work:
    """The work for one process."""

    key: str
    do: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Ended:
    """The answer of a process that has ended; it is empty if the process was late, stuck or died."""

    key: str
    answer: dict[str, Any]
    late: bool
    stuck: bool
    cpu: float


def limit_time(seconds: float) -> None:
    """End this process after this much more processor time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def answer_now(answer: dict[str, Any]) -> None:
    """Leave an answer and end this process at once."""
    data = pickle.dumps(answer)
    while data:
        data = data[os.write(_answers_to, data) :]
    os._exit(0)


@dataclass
class _Running:
    pid: int
    handle: int
    memory: int
    key: str
    started: float

    @property
    def stuck(self) -> bool:
        return time.monotonic() - self.started > _STUCK


def _start(work: Work) -> _Running:
    memory = os.memfd_create("answer")
    pid = os.fork()
    if pid == 0:
        _be_child(work, memory)
    return _Running(pid, os.pidfd_open(pid), memory, work.key, time.monotonic())


def _be_child(work: Work, memory: int) -> None:
    global _answers_to
    _answers_to = memory
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    gc.disable()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    try:
        answer = work.do()
    except BaseException as error:  # the parent reports it
        answer = {"error": f"{type(error).__name__}: {error}"}
    answer_now(answer)


def _finish(process: _Running) -> Ended:
    stuck = process.stuck
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # also its children, before its process id can be reused
    _, status, usage = os.wait4(process.pid, 0)
    late = not stuck and os.WIFSIGNALED(status) and os.WTERMSIG(status) in _LATE
    os.close(process.handle)
    os.lseek(process.memory, 0, os.SEEK_SET)
    with os.fdopen(process.memory, "rb") as stream:
        said = stream.read()
    answer = pickle.loads(said) if said and os.waitstatus_to_exitcode(status) == 0 else {}
    if "error" in answer:
        raise RuntimeError(f"{process.key}: {answer['error']}")
    return Ended(process.key, answer, late, stuck, usage.ru_utime + usage.ru_stime)


def each(works: Iterable[Work], jobs: int) -> Iterator[Ended]:
    """Run works, `jobs` at a time, and yield each as it ends; take the next one only when it may start."""
    waiting = iter(works)
    running: list[_Running] = []
    while True:
        while len(running) < jobs and (following := next(waiting, None)) is not None:
            running.append(_start(following))
        if not running:
            return
        ready, _, _ = select.select([process.handle for process in running], [], [], 1.0)
        for process in list(running):
            if process.handle in ready or process.stuck:
                running.remove(process)
                yield _finish(process)
