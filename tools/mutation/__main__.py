"""Mutation testing of the indices and of inference: ``make mutation``.

    python tools/mutation [MODULE ...] [--survivors] [--minutes M] [--seconds S] [--jobs N] [--list] [--page] [--afresh]

A run copies the project to .mutation/tree and mutates there, in random order: what has been tried when it is
stopped is a random sample. The next run takes up from there: outcomes are kept in .mutation/outcomes.jsonl. ``--page``
writes the section of docs/testing.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import multiprocessing
import pickle
import shutil
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page
import trials
from mutants import Mutant, mutants_of
from reach import Reach, tests_of
from suites import PACKAGE, mutated_modules, test_files

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".mutation"
TREE = WORK / "tree"
OUTCOMES = WORK / "outcomes.jsonl"
#: Of the mutants of a module that are left, a run draws this part, then goes on to the next module.
PART = 0.04
LEAST = 12


def copy_tree() -> None:
    """Copy what the tests need, with the compiled kernels and the times by which numba knows them."""
    shutil.rmtree(TREE, ignore_errors=True)
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, TREE / name)
    for name in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy2(ROOT / name, TREE / name)


def source_of(module: str) -> Path:
    """Where a module as "indices.pairs" is."""
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def all_mutants(modules: list[str], tree: Path) -> list[Mutant]:
    """Mutants of the modules, the equivalent ones marked as excluded."""
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
    """Mutants of a module: to make them takes seconds, so they are kept until it changes, or the operators do."""
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


def read_outcomes() -> dict[str, trials.Outcome]:
    lines = OUTCOMES.read_text().splitlines() if OUTCOMES.exists() else []
    return {
        line["key"]: trials.Outcome(line["outcome"], line["by"], line["seconds"])
        for line in map(json.loads, lines)
    }


def measured(files: list[str], jobs: int) -> dict[str, trials.Measured]:
    """What test files reach; one is run anew when it has changed, or what it reaches."""
    stored = WORK / "measured.pickle"
    kept = pickle.loads(stored.read_bytes()) if stored.exists() else {}
    common = _digest(sorted(Path("tests").glob("*.py")))
    known: dict[str, tuple[str, trials.Measured]] = {
        file: (digest, found)
        for file, (digest, found) in kept.items()
        if file in files and digest == _state(file, found.reach, common)
    }
    for file, found in trials.measure((file for file in files if file not in known), jobs):
        known[file] = (_state(file, found.reach, common), found)
        stored.write_bytes(pickle.dumps(known))
        print(
            f"{file}: {len(found.reach.seconds)} tests, {sum(found.reach.seconds.values()):.1f} s", flush=True
        )
    return {file: known[file][1] for file in files if file in known}


def _state(file: str, reach: Reach, common: str) -> str:
    """Digest of a test file and of the modules that its tests run."""
    reached = {place[0] for places in (reach.by_all, *reach.places.values()) for place in places}
    return common + _digest([Path(file), *map(source_of, sorted(reached))])


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths if path.exists())).hexdigest()


class Killers:
    """The tests that killed the last mutants of a definition: they will kill most of the next ones."""

    def __init__(self, mutants: list[Mutant], outcomes: dict[str, trials.Outcome], most: int = 5) -> None:
        self._most = most
        self._found: dict[tuple[str, str], list[str]] = {}
        for mutant in mutants:
            if mutant.key in outcomes:
                self.add(mutant, outcomes[mutant.key].by)

    def add(self, mutant: Mutant, by: str) -> None:
        if "::" in by:
            found = self._found.setdefault((mutant.module, mutant.scope), [])
            found[:] = [by, *(name for name in found if name != by)][: self._most]

    def of(self, mutant: Mutant) -> list[str]:
        return list(self._found.get((mutant.module, mutant.scope), []))


def rounds(waiting: list[Mutant]) -> Iterator[tuple[str, list[Mutant]]]:
    """Draw some mutants of each module at random, then some more: of any module as large a part, but at least a few."""
    by_module: dict[str, list[Mutant]] = {}
    for mutant in sorted(waiting, key=lambda m: m.key):
        by_module.setdefault(mutant.module, []).append(mutant)
    while any(by_module.values()):
        for module, mutants in by_module.items():
            n = max(LEAST, round(PART * len(mutants)))
            drawn, mutants[:n] = mutants[:n], []
            if drawn:
                yield module, drawn


def try_mutants(
    module: str, mutants: list[Mutant], known: dict[str, trials.Measured], killers: Killers, options: Any
) -> None:
    """Try mutants of a module and keep the outcomes: in a process of its own, which imports what they need."""
    source = source_of(module).read_text()
    reaches = {file: found.reach for file, found in known.items()}
    trials.import_all_without([module], known.values())
    by_key = {mutant.key: mutant for mutant in mutants}

    def trial(mutant: Mutant) -> trials.Trial:
        tests = tests_of(mutant, source, reaches, killers.of(mutant), options.seconds)
        seconds = sum(reaches[file].seconds[test] for file, names in tests.items() for test in names)
        return trials.Trial(mutant.key, module, mutant.code(source), tests, round(20 + 5 * seconds))

    with OUTCOMES.open("a") as file:
        for key, outcome in trials.try_all(map(trial, mutants), options.jobs):
            mutant = by_key[key]
            file.write(json.dumps({"key": key, "mutant": str(mutant), **dataclasses.asdict(outcome)}) + "\n")
            file.flush()
            killers.add(mutant, outcome.by)
            if outcome.outcome == "survived":
                print("survived:", mutant, flush=True)


def run(mutants: list[Mutant], waiting: list[Mutant], options: Any) -> None:
    """Try mutants, in random order, until the time is over."""
    trials.start(TREE)
    known = measured(test_files(TREE), options.jobs)
    trials.import_all_without(mutated_modules(TREE), known.values())
    ends = time.monotonic() + options.minutes * 60
    for module, drawn in rounds(waiting):
        if time.monotonic() > ends:
            return
        killers = Killers(mutants, read_outcomes())
        process = multiprocessing.get_context("fork").Process(
            target=try_mutants, args=(module, drawn, known, killers, options)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"the trials of {module} ended with {process.exitcode}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutation", description="Mutation testing.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="as indices.pairs; by default all")
    parser.add_argument("--survivors", action="store_true", help="try only those again that have survived")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seconds", type=float, default=20.0, help="that the tests of a mutant may take")
    parser.add_argument("--jobs", type=int, default=2, help="trials at a time")
    parser.add_argument("--list", action="store_true", help="list survivors, and try nothing")
    parser.add_argument("--page", action="store_true", help="write the section of docs/testing.md")
    parser.add_argument("--afresh", action="store_true", help="forget all outcomes first")
    options = parser.parse_args()
    modules = options.modules or mutated_modules(ROOT)
    WORK.mkdir(exist_ok=True)
    if options.afresh:
        OUTCOMES.unlink(missing_ok=True)
    if not options.list:
        copy_tree()
    mutants = all_mutants(modules, ROOT if options.list else TREE)
    outcomes = read_outcomes()
    tried = [m for m in mutants if m.excluded is None and m.key in outcomes]
    survivors = [m for m in tried if outcomes[m.key].outcome == "survived"]
    untried = [m for m in mutants if m.excluded is None and m.key not in outcomes]
    if options.list:
        print(*survivors, sep="\n")
    elif waiting := survivors if options.survivors else untried:
        run(mutants, waiting, options)
        outcomes = read_outcomes()
    print(page.summary(mutants, outcomes))
    if options.page:
        page.write(ROOT / "docs" / "testing.md", mutants, outcomes, len(test_files(ROOT)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
