"""Try mutants, each in a process that forks from a warm one and runs tests until one fails. No file is written.

If a mutant changes only functions, in lines that do not run at import, their code is swapped in a process that has
imported everything and collected all tests. Any other mutant is tried in a process that has imported everything except
its module and what depends on it: the trial imports these from the mutated source, and collects the tests.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads do not survive a fork

import gc
import multiprocessing
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import sessions
from imports import Loaded, import_all, loaded, mutate
from processes import Work, each
from reach import Reach, Test
from sessions import Session
from suites import PACKAGE
from swaps import Functions, changes, clear_caches

__all__ = ["Measured", "Outcome", "Trial", "Trials", "measure", "trials_by_import", "trials_by_swap"]

_PACKAGE = PACKAGE.name


@dataclass(frozen=True)
class Measured:
    """What the tests of a file reach, and what they import."""

    reach: Reach
    loaded: Loaded


@dataclass(frozen=True)
class Trial:
    """A mutant, and the tests that try it.

    Attributes
    ----------
    module : str
        Name of the mutated module within the package, such as "indices.pairs".
    before, after : str
        Source of the module without and with the change.
    tests : list of Test
        In the order in which they run.
    """

    key: str
    module: str
    before: str
    after: str
    tests: list[Test]

    @property
    def swaps(self) -> bool:
        """Whether it changes only functions."""
        return changes(self.before, self.after) is not None


@dataclass(frozen=True)
class Outcome:
    """How a trial ended: "killed", "timeout" or "survived"; by which test; after how much processor time."""

    outcome: str
    by: str
    seconds: float


#: Carries out a trial in an open session, and returns the answer.
_Way = Callable[[Session, Trial], dict[str, Any]]


def measure(files: Iterable[str], jobs: int) -> Iterator[tuple[str, Measured]]:
    """Run test files on the unchanged code; leave out files that do not finish."""
    for ended in each((Work(file, partial(_measure, file)) for file in files), jobs):
        if ended.answer:
            yield ended.key, ended.answer["measured"]


def _measure(file: str) -> dict[str, Any]:
    return {"measured": Measured(sessions.measured(file), loaded())}


class Trials:
    """A process that tries mutants in one way."""

    def __init__(self, body: Callable[[Any], None]) -> None:
        context = multiprocessing.get_context("fork")
        self._connection, theirs = context.Pipe()

        def child() -> None:
            self._connection.close()  # so that it notices when this process is gone
            body(theirs)

        self._process = context.Process(target=child)
        self._process.start()
        theirs.close()

    def outcomes(self, trials: list[Trial], jobs: int) -> Iterator[tuple[str, Outcome | None]]:
        """Run trials, `jobs` at a time, and yield keys and outcomes; an outcome is None if this way does not work."""
        self._connection.send((trials, jobs))
        yield from iter(self._connection.recv, None)

    def end(self) -> None:
        self._connection.send(None)
        self._process.join()


def trials_by_swap(needed: Collection[Measured], files: list[str]) -> Trials:
    """Make the process for mutants that change only functions."""

    def body(connection: Any) -> None:
        import_all(m.loaded for m in needed)

        def work(session: Session) -> None:
            session.collect(files)
            clear_caches(_PACKAGE)
            functions = Functions(_PACKAGE)
            _serve(session, connection, partial(_by_swap, functions))

        sessions.hold_open(work)

    return Trials(body)


def trials_by_import(module: str, needed: Collection[Measured]) -> Trials:
    """Make the process for mutants of a module that change more than functions."""

    def body(connection: Any) -> None:
        import_all((m.loaded for m in needed), without=[f"{_PACKAGE}.{module}"])
        sessions.hold_open(lambda session: _serve(session, connection, _by_import))

    return Trials(body)


def _serve(session: Session, connection: Any, way: _Way) -> None:
    """Run the trials that are sent, until there are no more."""
    gc.collect()
    gc.freeze()
    for trials, jobs in iter(connection.recv, None):
        for ended in each((Work(t.key, partial(way, session, t)) for t in trials), jobs):
            outcome = None
            if ended.stuck:
                pass  # nothing is known
            elif not ended.answer:  # out of time, or the process died
                outcome = Outcome("timeout" if ended.late else "killed", "", ended.cpu)
            elif ended.answer["tried"]:
                by = ended.answer["by"]
                outcome = Outcome("killed" if by else "survived", by, ended.cpu)
            connection.send((ended.key, outcome))
        connection.send(None)


def _by_swap(functions: Functions, session: Session, trial: Trial) -> dict[str, Any]:
    wanted = changes(trial.before, trial.after)
    if wanted is None or not functions.change(f"{_PACKAGE}.{trial.module}", wanted):
        return {"tried": False}
    return {"tried": True, "by": session.run(trial.tests)}


def _by_import(session: Session, trial: Trial) -> dict[str, Any]:
    mutate(f"{_PACKAGE}.{trial.module}", trial.after)
    return {"tried": True, "by": session.run(trial.tests)}
