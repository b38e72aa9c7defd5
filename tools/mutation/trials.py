"""Try mutants: a process in which all but what is mutated is imported and warm forks once for each of them.

A trial imports what is mutated, one of the modules from its mutated source, and runs tests until one fails. No file is
written: the source is handed to the import system.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads do not survive a fork

import contextlib
import gc
import importlib
import pickle
import resource
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

__all__ = ["Outcome", "Preparation", "Trial", "prepare", "try_all"]

PACKAGE = "adjudge"
#: What is mutated: imported after the fork.
_MUTATED = ("adjudge.indices", "adjudge.inference")
#: A profile of Hypothesis that looks for no smaller example of a failure.
_PROFILE = "mutation"
#: Wall-clock seconds after which a trial that does not compute either is ended.
_STUCK = 900.0
#: Layers below, which may be imported before.
_BELOW = tuple(f"adjudge.{name}" for name in ("errors", "statistics", "kernels", "engines", "parallel"))


@dataclass(frozen=True)
class Trial:
    """A mutant and how it is tried.

    Attributes
    ----------
    module : str
        Name of the mutated module within the package, as "indices.pairs"; none if empty.
    first : sequence of str
        Tests to be run before all others.
    files : sequence of str
        Test files, in their order.
    limit : int
        Seconds of processor time.
    """

    key: str
    module: str
    source: str
    first: Sequence[str]
    files: Sequence[str]
    limit: int


@dataclass(frozen=True)
class Outcome:
    """How a trial ended: "killed", "timeout" or "survived"; by which test; after how much processor time."""

    outcome: str
    by: str
    seconds: float


class _Mutated(SourceFileLoader):
    """Loads a module from a source of ours, past the cache of byte code."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source.encode()

    def get_data(self, path: str) -> bytes:
        return self._source

    def path_stats(self, path: str) -> Any:
        raise OSError


class _Finder:
    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._source = source

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        file = str(Path(path[0]) / f"{name.rpartition('.')[2]}.py")
        return spec_from_file_location(name, file, loader=_Mutated(name, file, self._source))


class _FirstFailure:
    """A plugin of pytest that remembers what failed first."""

    def __init__(self) -> None:
        self.node = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.node:
            self.node = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.node:
            self.node = f"{report.nodeid} (import)"


_OPTIONS = [
    "-x",
    "--override-ini=addopts=--import-mode=importlib -q",  # without the doctests of test files
    f"--hypothesis-profile={_PROFILE}",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",  # packages imported before the fork are not rewritten
]


def _run_tests(first: Sequence[str], files: Iterable[str]) -> tuple[bool, str]:
    """Whether any test fails, and which: some tests first, then files, one at a time to spare collecting the rest."""
    import pytest

    for names in filter(None, [first, *([file] for file in files)]):
        failure = _FirstFailure()
        code = pytest.ExitCode(pytest.main([*_OPTIONS, *names], plugins=[failure]))
        # A test that was named need not be there any more.
        if code != pytest.ExitCode.OK and not (names is first and code == pytest.ExitCode.USAGE_ERROR):
            return True, failure.node or f"{names[0]} ({code.name.lower()})"
    return False, ""


def _in_child(pipe: int, trial: Trial, report_imports: bool) -> None:
    """Body of a forked process: ends it."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    answer: dict[str, Any] = {}
    gc.disable()
    resource.setrlimit(resource.RLIMIT_CPU, (trial.limit, trial.limit))
    try:
        if trial.module:
            sys.meta_path.insert(0, _Finder(f"{PACKAGE}.{trial.module}", trial.source))
        failed, by = _run_tests(trial.first, trial.files)
        answer = {"failed": failed, "by": by}
        if report_imports:
            answer["modules"] = [name for name in sys.modules if _may_be_shared(name)]
            answer["kernels"] = _compiled()
    except BaseException as error:  # the parent reports it
        answer = {"error": f"{type(error).__name__}: {error}"}
    with os.fdopen(pipe, "wb") as stream:
        pickle.dump(answer, stream)
    os._exit(0)


def _may_be_shared(name: str) -> bool:
    if name.startswith(("adjudge.", "tests", "test_", "naive", "conftest", "__main__")) or name == "adjudge":
        return name.startswith(_BELOW)
    return getattr(sys.modules[name], "__spec__", None) is not None


def _compiled() -> list[tuple[str, str, Any]]:
    """Signatures for which kernels have been compiled, as (module, kernel, signature)."""
    return [
        (name, attribute, signature)
        for name, module in list(sys.modules.items())
        if name.startswith("adjudge.") and module is not None
        for attribute, kernel in vars(module).items()
        if hasattr(kernel, "py_func") and kernel.py_func.__module__ == name
        for signature in kernel.signatures
    ]


@dataclass
class _Running:
    pid: int
    pipe: int
    key: str
    started: float
    said: bytes = b""


def _start(trial: Trial, report: bool) -> _Running:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _in_child(theirs, trial, report)
    os.close(theirs)
    return _Running(pid, ours, trial.key, time.monotonic())


@dataclass(frozen=True)
class _Ended:
    key: str
    answer: dict[str, Any]
    late: bool
    cpu: float


def _finish(trial: _Running) -> _Ended:
    stuck = time.monotonic() - trial.started > _STUCK
    if stuck:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(trial.pid, signal.SIGKILL)
    os.close(trial.pipe)
    _, status, usage = os.wait4(trial.pid, 0)
    late = stuck or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL))
    answer = pickle.loads(trial.said) if trial.said and not late else {}
    return _Ended(trial.key, answer, late, usage.ru_utime + usage.ru_stime)


def _collect(running: list[_Running]) -> Iterator[_Ended]:
    """Trials that end within a second."""
    ready, _, _ = select.select([t.pipe for t in running], [], [], 1.0)
    for trial in list(running):
        chunk = os.read(trial.pipe, 1 << 20) if trial.pipe in ready else None
        trial.said += chunk or b""
        if chunk == b"" or time.monotonic() - trial.started > _STUCK:
            running.remove(trial)
            yield _finish(trial)


def _unchanged(tests: list[str], report: bool) -> _Ended:
    """Run tests on the unchanged code, where they must succeed."""
    running = [_start(Trial("", "", "", (), tests, int(_STUCK)), report)]
    while True:
        for ended in _collect(running):
            if ended.answer.get("failed", True):
                answer = ended.answer
                raise RuntimeError(f"the unchanged code fails: {answer.get('error') or answer.get('by')}")
            return ended


@dataclass(frozen=True)
class Preparation:
    """What a run of the tests imports and compiles, and the processor time that each file takes."""

    modules: list[str]
    kernels: list[tuple[str, str, Any]]
    seconds: dict[str, float]


def prepare(tree: Path, tests: list[str], known: Preparation | None) -> Preparation:
    """Import and compile what the tests need, what is mutated excepted.

    Parameters
    ----------
    tree : Path
        The copy that is tested; it becomes the working directory.
    tests : list of str
        All test files that will be used.
    known : Preparation or None
        That of an earlier run on the same tree.
    """
    import hypothesis

    os.chdir(tree)
    sys.path.insert(0, str(tree / "src"))
    sys.dont_write_bytecode = False  # tests are compiled once, in the copy
    hypothesis.settings.register_profile(
        _PROFILE,
        deadline=None,
        derandomize=True,
        database=None,
        max_examples=60,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    if known is None:
        first = _unchanged(tests, report=True).answer
        _share(first["modules"], first["kernels"])
        seconds = {test: _unchanged([test], report=False).cpu for test in tests}
        known = Preparation(first["modules"], first["kernels"], seconds)
    else:
        _share(known.modules, known.kernels)
    return known


def _share(modules: list[str], kernels: list[tuple[str, str, Any]]) -> None:
    """Import and compile before the fork."""
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for module, kernel, signature in kernels:
        if module in sys.modules:
            getattr(sys.modules[module], kernel).compile(signature)
    early = [name for name in sys.modules if name.startswith(_MUTATED)]
    if early:
        raise RuntimeError(f"imported before the fork: {', '.join(early)}")
    gc.collect()
    gc.freeze()


def try_all(trials: Iterable[Trial], jobs: int) -> Iterator[tuple[str, Outcome]]:
    """Outcomes of trials by their keys, as they end, `jobs` at a time."""
    waiting = iter(trials)
    running: list[_Running] = []
    while True:
        while len(running) < jobs and (following := next(waiting, None)) is not None:
            running.append(_start(following, report=False))
        if not running:
            return
        for ended in _collect(running):
            answer = ended.answer
            if "error" in answer:
                raise RuntimeError(f"{ended.key}: {answer['error']}")
            if not answer:  # out of time, or the process died
                yield ended.key, Outcome("timeout" if ended.late else "killed", "", ended.cpu)
            else:
                yield (
                    ended.key,
                    Outcome("killed" if answer["failed"] else "survived", answer["by"], ended.cpu),
                )
