"""Mutation testing of the indices and of inference: ``make mutation``.

    python tools/mutation [MODULE ...] [--survivors] [--minutes M] [--jobs N] [--list] [--page] [--afresh]

A run copies the project to .mutation/tree and mutates there, in random order: what has been tried when it is
stopped is a random sample. The next run takes up from there: outcomes are kept in .mutation/outcomes.jsonl. ``--page``
writes the section of docs/testing.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import pickle
import shutil
import sys
import time
import tomllib
from pathlib import Path

import page
import trials
from mutants import Mutant, mutants_of
from suites import NOT_MUTATED, SUITES

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".mutation"
TREE = WORK / "tree"
OUTCOMES = WORK / "outcomes.jsonl"
PACKAGE = Path("src/adjudge")
#: What is mutated.
ROOMS = ("indices", "inference")


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
        for mutant in mutants_of(module, (tree / source_of(module)).read_text()):
            why = unused.get((mutant.module, mutant.scope, mutant.before, mutant.after))
            if why and mutant.excluded is None:
                mutant = dataclasses.replace(mutant, excluded=page.EQUIVALENT)
            found.append(mutant)
    known = {(m.module, m.scope, m.before, m.after) for m in found}
    stale = [entry for entry in unused if entry[0] in modules and entry not in known]
    if stale:
        raise SystemExit(f"equivalent.toml names mutants that there are not: {stale}")
    return found


def read_outcomes() -> dict[str, trials.Outcome]:
    lines = OUTCOMES.read_text().splitlines() if OUTCOMES.exists() else []
    return {
        line["key"]: trials.Outcome(line["outcome"], line["by"], line["seconds"])
        for line in map(json.loads, lines)
    }


def prepare(tests: list[str]) -> trials.Preparation:
    """Warm this process up; what that takes is found out once for each state of the code."""
    digest = hashlib.sha256()
    for path in sorted(TREE.rglob("*.py")):
        digest.update(path.read_bytes())
    stored = WORK / "preparation.pickle"
    kept = pickle.loads(stored.read_bytes()) if stored.exists() else None
    known = kept[1] if kept and kept[0] == (digest.hexdigest(), tests) else None
    found = trials.prepare(TREE, tests, known)
    stored.write_bytes(pickle.dumps(((digest.hexdigest(), tests), found)))
    return found


class Killers:
    """The tests that killed the last mutants of a definition: they will kill most of the next ones."""

    def __init__(self, most: int = 5) -> None:
        self._most = most
        self._found: dict[tuple[str, str], list[str]] = {}

    def add(self, mutant: Mutant, by: str) -> None:
        if "::" in by:
            found = self._found.setdefault((mutant.module, mutant.scope), [])
            found[:] = [by, *(name for name in found if name != by)][: self._most]

    def of(self, mutant: Mutant) -> list[str]:
        return list(self._found.get((mutant.module, mutant.scope), []))


def run(waiting: list[Mutant], killers: Killers, jobs: int, minutes: float) -> None:
    """Try mutants and keep the outcomes."""
    modules = {mutant.module for mutant in waiting}
    tests = list(dict.fromkeys(test for module in sorted(modules) for test in SUITES[module]))
    seconds = prepare(tests).seconds
    limits = {module: 10 + round(5 * sum(seconds[test] for test in SUITES[module])) for module in modules}
    ends = time.monotonic() + minutes * 60
    by_key = {mutant.key: mutant for mutant in waiting}

    cases = (
        trials.Trial(m.key, m.module, m.code, killers.of(m), SUITES[m.module], limits[m.module])
        for m in sorted(waiting, key=lambda m: m.key)
        if time.monotonic() < ends
    )
    with OUTCOMES.open("a") as file:
        for key, outcome in trials.try_all(cases, jobs):
            file.write(
                json.dumps({"key": key, "mutant": str(by_key[key]), **dataclasses.asdict(outcome)}) + "\n"
            )
            file.flush()
            killers.add(by_key[key], outcome.by)
            if outcome.outcome == "survived":
                print("survived:", by_key[key], flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutation", description="Mutation testing.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="as indices.pairs; by default all")
    parser.add_argument("--survivors", action="store_true", help="try those again that have survived")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--jobs", type=int, default=2, help="trials at a time")
    parser.add_argument("--list", action="store_true", help="list survivors, and try nothing")
    parser.add_argument("--page", action="store_true", help="write the section of docs/testing.md")
    parser.add_argument("--afresh", action="store_true", help="forget all outcomes first")
    options = parser.parse_args()
    present = {f"{room}.{path.stem}" for room in ROOMS for path in (ROOT / PACKAGE / room).glob("*.py")}
    if present != SUITES.keys() | NOT_MUTATED.keys():
        raise SystemExit(
            f"suites.py and the modules differ: {sorted(present ^ (SUITES.keys() | NOT_MUTATED.keys()))}"
        )
    modules = options.modules or list(SUITES)
    WORK.mkdir(exist_ok=True)
    if options.afresh:
        OUTCOMES.unlink(missing_ok=True)
    if not options.list:
        copy_tree()
    mutants = all_mutants(modules, ROOT if options.list else TREE)
    outcomes = read_outcomes()
    killers = Killers()
    waiting = []
    for mutant in mutants:
        outcome = outcomes.get(mutant.key, page.UNTRIED)
        killers.add(mutant, outcome.by)
        survived = outcome.outcome == "survived"
        if options.list and mutant.excluded is None and survived:
            print(mutant)
        if mutant.excluded is None and (outcome is page.UNTRIED or (options.survivors and survived)):
            waiting.append(mutant)
    if waiting and not options.list:
        run(waiting, killers, options.jobs, options.minutes)
        outcomes = read_outcomes()
    print(page.summary(mutants, outcomes))
    if options.page:
        tests = {test for names in SUITES.values() for test in names}
        page.write(ROOT / "docs" / "testing.md", mutants, outcomes, len(tests))
    return 0


if __name__ == "__main__":
    sys.exit(main())
