"""The result: a table by module, the section of the documentation, and the survivors in a file beside it."""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from pathlib import Path

from mutants import GUARDS, TYPES, WORDING, Mutant
from outcomes import Outcomes
from shares import stratified_share
from table import HEAD, Row, markdown, read, renewed, total
from trials import Outcome

__all__ = ["EQUIVALENT", "UNTRIED", "summary", "write"]

EQUIVALENT = "equivalent"
UNTRIED = Outcome("untried", "", 0.0)
EXCLUSIONS = (WORDING, TYPES, GUARDS, EQUIVALENT)
_BEGIN, _END = "<!-- mutation testing: begin -->", "<!-- mutation testing: end -->"


def _rows(mutants: list[Mutant], outcomes: Outcomes) -> list[Row]:
    """What came of the mutants of each module in this run and those that it goes on with."""
    counts: dict[str, Counter[str]] = {}
    days: dict[str, str] = {}
    for mutant in mutants:
        what = mutant.excluded or outcomes.last.get(mutant.key, UNTRIED).outcome
        counts.setdefault(mutant.module, Counter())[what] += 1
        day = "" if mutant.excluded else outcomes.days.get(mutant.key, "")
        days[mutant.module] = max(day, days.get(mutant.module, ""))
    return [_row(module, counted, days[module]) for module, counted in counts.items()]


def _row(module: str, counted: Counter[str], day: str) -> Row:
    killed, survived = counted["killed"] + counted["timeout"], counted["survived"]
    left_out = [counted[reason] for reason in EXCLUSIONS]
    return Row(module, counted.total(), *left_out, killed + survived, killed, survived, day)


def summary(mutants: list[Mutant], outcomes: Outcomes) -> str:
    """Counts by module, as text."""
    rows = _rows(mutants, outcomes)
    lines = [HEAD, *(row.cells() for row in [*rows, total(rows)])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
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

Last renewed on {date}, at version {version}: **{share} of the mutants that were tried are killed** ({killed} of
{tried}){sample}. Each row says on which day its module was last tried.

{table}

Not tried are {excluded}. The bibliography and the words for the symbols in formulas are not mutated. A mutant counts as
killed, too, if a test then takes more than ten times its usual time.
`docs/mutation-survivors.txt` lists the {survivors} that survive.
"""

_SAMPLE = (
    ". This is a sample: {tried} of {wanted} mutants were tried, drawn at random in each module, some of each in turn. "
    "By the first trial of each, tests kill {estimate} % of all mutants (95 %: {low} to {high} %), those of modules "
    "without a share left out"
)
_WHY_NOT = {
    WORDING: "sentences, titles and LaTeX that people read and nothing computes with",
    TYPES: "aliases that only a type checker reads, and `__all__`, which a linter checks",
    GUARDS: "`zip(strict=True)` for lengths that cannot differ",
    EQUIVALENT: "mutants that change nothing that can be observed, each listed with its reason in "
    "`tools/mutation/equivalent.toml`",
}


def write(path: Path, mutants: list[Mutant], outcomes: Outcomes, modules: list[str], seconds: float) -> None:
    """Write the section of the documentation, between its marks, and the survivors into a file beside it.

    Parameters
    ----------
    path : Path
        Of the page, whose rows of modules that have not been tried stay as they are.
    mutants : list of Mutant
        Of modules that may have been tried.
    outcomes : Outcomes
    modules : list of str
        All that there are, in the order of the rows.
    seconds : float
        That the tests of a mutant may take.
    """
    text = path.read_text()
    before, _, rest = text.partition(_BEGIN)
    if not rest:
        raise SystemExit(f"{path.name} lacks the line {_BEGIN!r}")
    written, _, after = rest.partition(_END)
    known = read(written)
    new = renewed(known, _rows(mutants, outcomes))
    rows = [(known | new)[module] for module in modules if module in known | new]
    own = [mutant for mutant in mutants if mutant.module in new]
    path.write_text(f"{before}{_BEGIN}\n\n{_section(rows, own, outcomes, seconds)}\n{_END}{after}")
    beside = path.with_name("mutation-survivors.txt")
    lines = beside.read_text().splitlines() if beside.exists() else []
    kept = {row.module: [line for line in lines if line.startswith(f"{row.module}.")] for row in rows}
    for module in new:
        kept[module] = [
            f"{m.module}.{m.scope}: {m.before} => {m.after or '(nothing)'}"
            for m in _survivors(own, outcomes.last)
            if m.module == module
        ]
    beside.write_text("".join(f"{line}\n" for found in kept.values() for line in found))


def _section(rows: list[Row], mutants: list[Mutant], outcomes: Outcomes, seconds: float) -> str:
    """The section as Markdown: the table has these rows; those of the mutants are new."""
    every = total(rows)
    return _TEXT.format(
        mutmut=importlib.metadata.version("mutmut"),
        seconds=seconds,
        date=max(row.on for row in rows),
        version=importlib.metadata.version("adjudge"),
        share=f"{100 * every.killed / every.tried:.1f} %",
        killed=f"{every.killed:,}",
        tried=f"{every.tried:,}",
        sample="" if every.tried == every.wanted else _sample(rows, mutants, outcomes.first),
        table=markdown(rows),
        excluded="; ".join(f"{_WHY_NOT[name]} ({name})" for name in EXCLUSIONS),
        survivors=every.survived,
    )


def _survivors(mutants: list[Mutant], outcomes: dict[str, Outcome]) -> list[Mutant]:
    return [m for m in mutants if m.excluded is None and outcomes.get(m.key, UNTRIED).outcome == "survived"]


def _sample(rows: list[Row], mutants: list[Mutant], first: dict[str, Outcome]) -> str:
    """What the first trials tell of all mutants: later ones are of survivors for which tests have been written.

    Of a module that was tried elsewhere, what came of the last trials is known alone.
    """
    new = {mutant.module for mutant in mutants}
    survived = Counter({row.module: row.survived for row in rows if row.module not in new})
    survived += Counter(mutant.module for mutant in _survivors(mutants, first))
    share, error = stratified_share(
        [(row.wanted, row.tried, row.tried - survived[row.module]) for row in rows if row.tried]
    )
    low, high = max(0.0, share - 1.96 * error), min(1.0, share + 1.96 * error)
    every = total(rows)
    return _SAMPLE.format(
        wanted=f"{every.wanted:,}",
        tried=f"{every.tried:,}",
        estimate=f"{100 * share:.1f}",
        low=f"{100 * low:.1f}",
        high=f"{100 * high:.1f}",
    )
