"""Outcomes that are kept: one a line, the last of a mutant counts; and the tests that killed most."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections import Counter, defaultdict
from pathlib import Path

from mutants import Mutant
from trials import Outcome

__all__ = ["Killers", "Outcomes"]


class Outcomes:
    """A file of outcomes.

    Attributes
    ----------
    first, last : dict of str to Outcome
        By the keys of mutants: what came of the first trial, and of the last one.
    days : dict of str to str
        By the keys of mutants: the day of the last trial, as 2026-11-25.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.first: dict[str, Outcome] = {}
        self.last: dict[str, Outcome] = {}
        self.days: dict[str, str] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            found = json.loads(line)
            outcome = Outcome(found["outcome"], found["by"], found["seconds"])
            self._take(found["key"], outcome, found.get("on", ""))

    def _take(self, key: str, outcome: Outcome, day: str) -> None:
        self.first.setdefault(key, outcome)
        self.last[key] = outcome
        self.days[key] = day

    def add(self, mutant: Mutant, outcome: Outcome) -> None:
        day = datetime.date.today().isoformat()
        self._take(mutant.key, outcome, day)
        line = {"key": mutant.key, "mutant": str(mutant), **dataclasses.asdict(outcome), "on": day}
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")


class Killers:
    """The tests that killed mutants: they will kill most of the next ones."""

    #: How many of a definition are remembered.
    MOST = 5

    def __init__(self) -> None:
        self._of_scope: dict[tuple[str, str], list[str]] = defaultdict(list)
        #: How many mutants each test has killed.
        self.kills: Counter[str] = Counter()

    def add(self, mutant: Mutant, by: str) -> None:
        if "::" in by:
            found = self._of_scope[mutant.module, mutant.scope]
            found[:] = [by, *(name for name in found if name != by)][: self.MOST]
            self.kills[by] += 1

    def of(self, mutant: Mutant) -> list[str]:
        """The last ones of a definition."""
        return list(self._of_scope[mutant.module, mutant.scope])
