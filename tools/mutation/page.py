"""The result: a table by module, the section of the documentation, and the survivors in a file beside it."""

from __future__ import annotations

import datetime
import importlib.metadata
from collections import Counter
from pathlib import Path

from mutants import GUARDS, TYPES, WORDING, Mutant
from outcomes import Outcomes
from shares import stratified_share
from trials import Outcome

__all__ = ["EQUIVALENT", "UNTRIED", "section", "summary", "write"]

EQUIVALENT = "equivalent"
UNTRIED = Outcome("untried", "", 0.0)
EXCLUSIONS = (WORDING, TYPES, GUARDS, EQUIVALENT)
_BEGIN, _END = "<!-- mutation testing: begin -->", "<!-- mutation testing: end -->"


def _rows(mutants: list[Mutant], outcomes: dict[str, Outcome]) -> list[list[str]]:
    counts: dict[str, Counter[str]] = {}
    for mutant in mutants:
        what = mutant.excluded or outcomes.get(mutant.key, UNTRIED).outcome
        for name in (mutant.module, "all"):
            counts.setdefault(name, Counter())[what] += 1
    total = counts.pop("all")
    return [_row(name, counted) for name, counted in [*counts.items(), ("all", total)]]


def _row(name: str, counted: Counter[str]) -> list[str]:
    killed = counted["killed"] + counted["timeout"]
    tried = killed + counted["survived"]
    share = f"{100 * killed / tried:.1f} %" if tried else ""
    return [
        name,
        *map(str, [counted.total(), *(counted[e] for e in EXCLUSIONS), tried, killed, counted["survived"]]),
        share,
    ]


_HEAD = ["module", "mutants", *EXCLUSIONS, "tried", "killed", "survived", "share"]


def summary(mutants: list[Mutant], outcomes: dict[str, Outcome]) -> str:
    """Counts by module, as text."""
    rows = [_HEAD, *_rows(mutants, outcomes)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


_TEXT = """\
## Mutation testing

`make mutation` changes the modules of `adjudge.indices` and `adjudge.inference` in one place at a time. It runs the
tests that reach the change until one fails, and counts the changes that no test notices.

- *What is changed*: formulas, conditions, records (range, direction, rule for K, names) and the machinery of the
  records. The operators are those of mutmut {mutmut}, reduced to one change of each kind per place, and a few of
  our own: they swap what is easily confused (min and max, within and between, truth and prediction, higher and
  lower), and negate conditions.
- *Which tests try a mutant*: those that run its line, or that read its record or constant. Tests that killed most at
  the least cost come first, up to {seconds:g} seconds of them. Each test file is run once to measure which lines
  each test runs and what it costs.

A trial forks from a process in which everything is imported and all tests are collected, and exchanges the code of the
changed function. If a change is not within functions, or is in a line that runs at import, the module and what depends
on it are imported from the changed source. Nothing is written into the checkout.

Last renewed on {date}, at version {version}, from {tests} test files: **{share} of the mutants that were tried are
killed** ({killed} of {tried}){sample}.

{table}

Not tried are {excluded}. {timeouts}The bibliography and the words for the symbols in formulas are not mutated.
`docs/mutation-survivors.txt` lists the {survivors} that survive.
"""

_SAMPLE = (
    ". This is a sample: {tried} of {wanted} mutants were tried, drawn at random in each module, some of each in turn. "
    "By the first trial of each, tests kill {estimate} % of all mutants (95 %: {low} to {high} %), those of modules "
    "without a share left out"
)
_TIMEOUTS = "{late} that took more than ten times their usual time count as killed. "
_WHY_NOT = {
    WORDING: "sentences, titles and LaTeX that people read and nothing computes with",
    TYPES: "aliases that only a type checker reads, and `__all__`, which a linter checks",
    GUARDS: "`zip(strict=True)` for lengths that cannot differ",
    EQUIVALENT: "mutants that change nothing that can be observed, each listed with its reason in "
    "`tools/mutation/equivalent.toml`",
}


def write(path: Path, mutants: list[Mutant], outcomes: Outcomes, n_tests: int, seconds: float) -> None:
    """Write the section of the documentation, between its marks, and the survivors into a file beside it."""
    before, _, rest = path.read_text().partition(_BEGIN)
    if not rest:
        raise SystemExit(f"{path.name} lacks the line {_BEGIN!r}")
    after = rest.partition(_END)[2]
    path.write_text(f"{before}{_BEGIN}\n\n{section(mutants, outcomes, n_tests, seconds)}\n{_END}{after}")
    survivors = [
        f"{m.module}.{m.scope}: {m.before} => {m.after or '(nothing)'}\n"
        for m in _survivors(mutants, outcomes.last)
    ]
    path.with_name("mutation-survivors.txt").write_text("".join(survivors))


def section(mutants: list[Mutant], kept: Outcomes, n_tests: int, seconds: float) -> str:
    """The section as Markdown."""
    outcomes = kept.last
    wanted = [m for m in mutants if m.excluded is None]
    tried = [m for m in wanted if m.key in outcomes]
    survivors = _survivors(mutants, outcomes)
    late = sum(outcomes[m.key].outcome == "timeout" for m in tried)
    killed = len(tried) - len(survivors)
    rows = _rows(mutants, outcomes)
    table = "\n".join(
        f"| {' | '.join(cells)} |" for cells in [_HEAD, ["---", *["---:"] * (len(_HEAD) - 1)], *rows]
    )
    return _TEXT.format(
        mutmut=importlib.metadata.version("mutmut"),
        seconds=seconds,
        date=datetime.date.today().isoformat(),
        version=importlib.metadata.version("adjudge"),
        tests=n_tests,
        share=f"{100 * killed / len(tried):.1f} %",
        killed=f"{killed:,}",
        tried=f"{len(tried):,}",
        sample="" if len(tried) == len(wanted) else _sample(wanted, kept.first),
        table=table,
        excluded="; ".join(f"{_WHY_NOT[name]} ({name})" for name in EXCLUSIONS),
        timeouts=_TIMEOUTS.format(late=late) if late else "",
        survivors=len(survivors),
    )


def _survivors(mutants: list[Mutant], outcomes: dict[str, Outcome]) -> list[Mutant]:
    return [m for m in mutants if m.excluded is None and outcomes.get(m.key, UNTRIED).outcome == "survived"]


def _sample(wanted: list[Mutant], first: dict[str, Outcome]) -> str:
    """What the first trials tell of all mutants: later ones are of survivors for which tests have been written."""
    sizes = Counter(m.module for m in wanted)
    tried = Counter(m.module for m in wanted if m.key in first)
    survived = Counter(m.module for m in _survivors(wanted, first))
    share, error = stratified_share([(sizes[m], n, n - survived[m]) for m, n in tried.items()])
    low, high = max(0.0, share - 1.96 * error), min(1.0, share + 1.96 * error)
    return _SAMPLE.format(
        wanted=f"{len(wanted):,}",
        tried=f"{tried.total():,}",
        estimate=f"{100 * share:.1f}",
        low=f"{100 * low:.1f}",
        high=f"{100 * high:.1f}",
    )
