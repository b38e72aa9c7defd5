"""Stored outcomes, one per line (the last one of a mutant counts), and the tests that kill the most mutants."""

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
        The outcomes of the first and of the last trial, by the keys of mutants.
    days : dict of str to str
        The day of the last trial, such as 2026-11-25, by the keys of mutants.
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
    """The tests that have killed mutants: they are likely to kill the next ones."""

    #: How many tests are remembered per definition.
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
        """Return the most recent killers of mutants of the same definition."""
        return list(self._of_scope[mutant.module, mutant.scope])
