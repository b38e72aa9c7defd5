"""Try mutants: a process in which all that does not depend on a module is warm forks for each mutant of the module.

A trial imports the module from its mutated source, then what depends on it, and runs tests until one fails. No file is
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
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from reach import Measure, Reach

__all__ = ["Measured", "Outcome", "Trial", "import_all_without", "measure", "start", "try_all"]

PACKAGE = "adjudge"
#: A profile of Hypothesis that looks for no smaller example of a failure.
_PROFILE = "mutation"
#: Wall-clock seconds after which a trial that does not compute either is ended.
_STUCK = 900.0
#: Processor time that the tests of a file may take.
_LONGEST = 300


@dataclass(frozen=True)
class Trial:
    """A mutant and how it is tried.

    Attributes
    ----------
    module : str
        Name of the mutated module within the package, as "indices.pairs".
    tests : dict of str to list
        Tests by their files, in the order in which they are run.
    limit : int
        Seconds of processor time.
    """

    key: str
    module: str
    source: str
    tests: dict[str, list[str]]
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


class _Blocked:
    """Lets nothing import some modules, and so nothing that depends on them."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in self._names:
            raise ImportError(name)


class _Only:
    """A plugin of pytest that runs some tests of a file, in their order, and remembers what failed first."""

    def __init__(self, tests: list[str]) -> None:
        self._tests = tests
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[test] for test in self._tests if test in found]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (import)"


_OPTIONS = [
    "--override-ini=addopts=--import-mode=importlib -q",  # without the doctests of test files
    f"--hypothesis-profile={_PROFILE}",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--assert=plain",  # else pytest itself loads modules whose name ends with _test, past ours
]


def _run_tests(tests: dict[str, list[str]]) -> tuple[bool, str]:
    """Whether any test fails, and which: a file at a time, to spare collecting the rest."""
    for file, chosen in tests.items():
        plugin = _Only(chosen)
        code = pytest.ExitCode(pytest.main([*_OPTIONS, "-x", file], plugins=[plugin]))
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return True, plugin.failed or f"{file} ({code.name.lower()})"
    return False, ""


def _try(trial: Trial) -> dict[str, Any]:
    sys.meta_path.insert(0, _Finder(f"{PACKAGE}.{trial.module}", trial.source))
    failed, by = _run_tests(trial.tests)
    return {"failed": failed, "by": by}


def _measure(file: str) -> dict[str, Any]:
    plugin = Measure()
    pytest.main([*_OPTIONS, file], plugins=[plugin])
    modules = [name for name in sys.modules if _may_be_shared(name)]
    return {"measured": Measured(plugin.result(), modules, _compiled())}


def _in_child(pipe: int, work: Callable[[], dict[str, Any]], limit: int) -> None:
    """Body of a forked process: ends it."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    gc.disable()
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    try:
        answer = work()
    except BaseException as error:  # the parent reports it
        answer = {"error": f"{type(error).__name__}: {error}"}
    with os.fdopen(pipe, "wb") as stream:
        pickle.dump(answer, stream)
    os._exit(0)


def _may_be_shared(name: str) -> bool:
    if name.startswith(("tests", "test_", "naive", "conftest", "__main__")):
        return False
    return getattr(sys.modules[name], "__spec__", None) is not None


def _compiled() -> list[tuple[str, str, Any]]:
    """Signatures for which kernels have been compiled, as (module, kernel, signature)."""
    return [
        (name, attribute, signature)
        for name, module in list(sys.modules.items())
        if name.startswith(f"{PACKAGE}.") and module is not None
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


def _fork(key: str, work: Callable[[], dict[str, Any]], limit: int) -> _Running:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _in_child(theirs, work, limit)
    os.close(theirs)
    return _Running(pid, ours, key, time.monotonic())


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


@dataclass(frozen=True)
class Measured:
    """What the tests of a file reach, import and compile."""

    reach: Reach
    modules: list[str]
    kernels: list[tuple[str, str, Any]]


def start(tree: Path) -> None:
    """Make a copy of the project the one that is tested."""
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


def measure(files: Iterable[str], jobs: int) -> Iterator[tuple[str, Measured]]:
    """Run test files on the unchanged code; one that does not come to an end is left out."""
    for ended in _each((_fork(file, partial(_measure, file), _LONGEST) for file in files), jobs):
        if "error" in ended.answer:
            raise RuntimeError(f"{ended.key}: {ended.answer['error']}")
        if ended.answer:
            yield ended.key, ended.answer["measured"]


def import_all_without(modules: Iterable[str], known: Iterable[Measured]) -> None:
    """Import and compile what tests need, but for some modules as "indices.pairs" and what depends on them."""
    names = {f"{PACKAGE}.{module}" for module in modules}
    blocked = _Blocked(names)
    sys.meta_path.insert(0, blocked)
    wanted = list(known)
    for needed in dict.fromkeys(needed for measured in wanted for needed in measured.modules):
        if needed not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(needed)
    sys.meta_path.remove(blocked)
    for place, kernel, signature in dict.fromkeys(k for measured in wanted for k in measured.kernels):
        if place in sys.modules:
            getattr(sys.modules[place], kernel).compile(signature)
    early = names & sys.modules.keys()
    if early:
        raise RuntimeError(f"imported before the fork: {', '.join(sorted(early))}")
    gc.collect()
    gc.freeze()


def _each(starting: Iterator[_Running], jobs: int) -> Iterator[_Ended]:
    """Processes that have ended, `jobs` at a time; the next one is started when it is asked for."""
    running: list[_Running] = []
    while True:
        while len(running) < jobs and (following := next(starting, None)) is not None:
            running.append(following)
        if not running:
            return
        yield from _collect(running)


def try_all(trials: Iterable[Trial], jobs: int) -> Iterator[tuple[str, Outcome]]:
    """Outcomes of trials by their keys, as they end, `jobs` at a time."""
    for ended in _each((_fork(t.key, partial(_try, t), t.limit) for t in trials), jobs):
        answer = ended.answer
        if "error" in answer:
            raise RuntimeError(f"{ended.key}: {answer['error']}")
        if not answer:  # out of time, or the process died
            yield ended.key, Outcome("timeout" if ended.late else "killed", "", ended.cpu)
        else:
            yield ended.key, Outcome("killed" if answer["failed"] else "survived", answer["by"], ended.cpu)
