"""Mutation testing of the indices and of inference: ``make mutation``.

    python tools/mutation [MODULE ...] [--tests PATH ...] [--survivors] [--minutes M] [--seconds S] [--jobs N]
        [--outcomes FILE] [--list] [--page] [--afresh]

A run copies the project to .mutation/tree and mutates it there, in random order: if it is stopped, the mutants tried
so far are a random sample. The next run continues from there: outcomes are kept in .mutation/outcomes.jsonl, or in
another file. ``--page`` writes results.csv, in which modules that were not tried keep their rows, and the total in
docs/testing.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import pickle
import shutil
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page
import sessions
import trials
from imports import import_all
from mutants import Mutant, mutants_of
from outcomes import Killers, Outcomes
from reach import Reach, lines_of, tests_of
from suites import COPIED, PACKAGE, mutated_modules, test_files

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".mutation"
TREE = WORK / "tree"
#: Share of a module's mutants that a run draws before it goes on to the next module.
PART = 0.05
LEAST = 12
#: Number of mutants after which the tests are ordered anew.
AT_A_TIME = 8


def copy_tree() -> None:
    """Copy what the tests need, including the compiled kernels."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir()
    for path in (ROOT / name for name in COPIED):
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, TREE / path.name)


def source_of(module: str) -> Path:
    """Return the path of a module such as "indices.pairs"."""
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def all_mutants(modules: list[str], tree: Path) -> list[Mutant]:
    """Return the mutants of the modules, with equivalent ones marked as excluded."""
    stated = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text())["mutant"]
    unused = {(e["module"], e["scope"], e["before"], e["after"]): e["why"] for e in stated}
    found = []
    for module in modules:
        for mutant in _made(module, (tree / source_of(module)).read_text()):
            why = unused.get((mutant.module, mutant.scope, mutant.before, mutant.after))
            if why and mutant.excluded is None:
                mutant = dataclasses.replace(mutant, excluded=page.EQUIVALENT)
            found.append(mutant)
    known = {(m.module, m.scope, m.before, m.after) for m in found}
    stale = [entry for entry in unused if entry[0] in modules and entry not in known]
    if stale:
        raise SystemExit(f"equivalent.toml names mutants that there are not: {stale}")
    return found


def _made(module: str, source: str) -> list[Mutant]:
    """Return the mutants of a module; they take seconds to make, so cache them until it or the operators change."""
    operators = (Path(__file__).with_name(name).read_text() for name in ("mutants.py", "operators.py"))
    digest = hashlib.sha256("\0".join([module, source, *operators]).encode()).hexdigest()
    stored = WORK / "mutants" / f"{module}.pickle"
    if stored.exists():
        known, mutants = pickle.loads(stored.read_bytes())
        if known == digest:
            return list(mutants)
    mutants = list(mutants_of(module, source))
    stored.parent.mkdir(exist_ok=True)
    stored.write_bytes(pickle.dumps((digest, mutants)))
    return mutants


def measured(files: list[str], jobs: int) -> dict[str, trials.Measured]:
    """Return what test files reach; rerun a file if it, or code that it reaches, has changed."""
    stored = WORK / "measured.pickle"
    kept = pickle.loads(stored.read_bytes()) if stored.exists() else {}
    known: dict[str, tuple[str, trials.Measured]] = {
        file: (digest, found)
        for file, (digest, found) in kept.items()
        if file in files and digest == _state(file, found.reach)
    }
    for file, found in trials.measure([file for file in files if file not in known], jobs):
        known[file] = (_state(file, found.reach), found)
        stored.write_bytes(pickle.dumps(kept | known))  # also for files that this run does not use
        print(
            f"{file}: {len(found.reach.seconds)} tests, {sum(found.reach.seconds.values()):.1f} s", flush=True
        )
    return {file: known[file][1] for file in files if file in known}


def chosen(files: list[str], paths: list[str]) -> list[str]:
    """Return the test files at or below some paths, or all if there are no paths."""
    found = [file for file in files if not paths or any(Path(file).is_relative_to(path) for path in paths)]
    if not found:
        raise SystemExit(f"--tests {' '.join(paths)}: no test file that may try mutants is there")
    return found


def _state(file: str, reach: Reach) -> str:
    """Return a digest of a test file, of what it may import, and of the modules that its tests run."""
    beside = sorted([*Path("tests").glob("*.py"), *Path(file).parent.glob("conftest.py")])
    reached = sorted(module for module, lines in reach.tests.items() if lines)
    return _digest(beside) + _digest([Path(file), *map(source_of, reached)])


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths if path.exists())).hexdigest()


def rounds(waiting: list[Mutant]) -> Iterator[tuple[str, list[Mutant]]]:
    """Yield random mutants of each module in turns: the same share of each module, but at least a few."""
    by_module: dict[str, list[Mutant]] = {}
    for mutant in sorted(waiting, key=lambda m: m.key):
        by_module.setdefault(mutant.module, []).append(mutant)
    while any(by_module.values()):
        for module, mutants in by_module.items():
            n = max(LEAST, round(PART * len(mutants)))
            drawn, mutants[:n] = mutants[:n], []
            if drawn:
                yield module, drawn


class Run:
    """Try mutants and keep the outcomes."""

    def __init__(self, mutants: list[Mutant], outcomes: Outcomes, options: Any) -> None:
        self._options = options
        self._outcomes = outcomes
        self._killers = Killers()
        for mutant in mutants:
            if mutant.key in outcomes.last:
                self._killers.add(mutant, outcomes.last[mutant.key].by)
        self._measured = measured(chosen(test_files(TREE), options.tests), options.jobs)
        self._reaches = {file: found.reach for file, found in self._measured.items()}
        everywhere = [found.loaded for found in self._measured.values()]
        import_all(everywhere, without=[f"{PACKAGE.name}.{module}" for module in mutated_modules(TREE)])
        self._by_swap = trials.trials_by_swap(self._measured.values(), list(self._measured))

    def try_some(self, module: str, mutants: list[Mutant]) -> None:
        """Try mutants of a module, a few at a time; tests that killed recent mutants come first."""
        source = source_of(module).read_text()
        by_import = trials.trials_by_import(module, self._measured.values())
        for start in range(0, len(mutants), AT_A_TIME):
            some = {mutant.key: mutant for mutant in mutants[start : start + AT_A_TIME]}
            tries = [self._trial(mutant, source) for mutant in some.values()]
            done = self._try(self._by_swap, [t for t in tries if self._swaps(t, some[t.key], source)], some)
            self._try(by_import, [t for t in tries if t.key not in done], some)
        by_import.end()

    def _swaps(self, trial: trials.Trial, mutant: Mutant, source: str) -> bool:
        """Whether only functions change, in lines that do not run when tests are collected."""
        lines = lines_of(mutant.line, source)
        early = any(reach.runs_at_import(mutant.module, lines) for reach in self._reaches.values())
        return trial.swaps and not early

    def _trial(self, mutant: Mutant, source: str) -> trials.Trial:
        tests = tests_of(
            mutant,
            source,
            self._reaches,
            self._killers.of(mutant),
            self._killers.kills,
            self._options.seconds,
        )
        return trials.Trial(mutant.key, mutant.module, source, mutant.code(source), tests)

    def _try(self, way: trials.Trials, tries: list[trials.Trial], by_key: dict[str, Mutant]) -> set[str]:
        """Run trials and keep their outcomes; return the keys of those that could be tried."""
        done = set()
        for key, outcome in way.outcomes(tries, self._options.jobs):
            if outcome is not None:
                done.add(key)
                self._outcomes.add(by_key[key], outcome)
                self._killers.add(by_key[key], outcome.by)
                if outcome.outcome == "survived":
                    print("survived:", by_key[key], flush=True)
        return done

    def end(self) -> None:
        self._by_swap.end()


def run(mutants: list[Mutant], waiting: list[Mutant], outcomes: Outcomes, options: Any) -> None:
    """Try mutants, in random order, until the time is up."""
    sessions.start(TREE)
    trying = Run(mutants, outcomes, options)
    ends = time.monotonic() + options.minutes * 60
    for module, drawn in rounds(waiting):
        if time.monotonic() > ends:
            break
        trying.try_some(module, drawn)
    trying.end()


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutation", description="Mutation testing.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="as indices.pairs; by default all")
    parser.add_argument(
        "--tests", nargs="+", default=[], metavar="PATH", help="as tests/inference; by default all"
    )
    parser.add_argument("--survivors", action="store_true", help="try only those again that have survived")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seconds", type=float, default=20.0, help="that the tests of a mutant may take")
    parser.add_argument("--jobs", type=int, default=2, help="trials at a time")
    parser.add_argument("--outcomes", type=Path, default=WORK / "outcomes.jsonl", help="file that keeps them")
    parser.add_argument("--list", action="store_true", help="list survivors, and try nothing")
    parser.add_argument(
        "--page", action="store_true", help="write results.csv, and its total in docs/testing.md"
    )
    parser.add_argument("--afresh", action="store_true", help="forget all outcomes first")
    options = parser.parse_args()
    modules = options.modules or mutated_modules(ROOT)
    WORK.mkdir(exist_ok=True)
    if options.afresh:
        options.outcomes.unlink(missing_ok=True)
    if not options.list:
        copy_tree()
    mutants = all_mutants(modules, ROOT if options.list else TREE)
    outcomes = Outcomes(options.outcomes.absolute())
    tried = [m for m in mutants if m.excluded is None and m.key in outcomes.last]
    survivors = [m for m in tried if outcomes.last[m.key].outcome == "survived"]
    untried = [m for m in mutants if m.excluded is None and m.key not in outcomes.last]
    if options.list:
        print(*survivors, sep="\n")
    elif waiting := survivors if options.survivors else untried:
        run(mutants, waiting, outcomes, options)
    print(page.summary(mutants, outcomes))
    if options.page:
        everywhere = mutated_modules(ROOT)
        page.write(ROOT / "docs" / "testing.md", mutants, outcomes, everywhere)
    return 0


if __name__ == "__main__":
    sys.exit(main())
