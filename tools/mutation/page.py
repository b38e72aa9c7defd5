"""The results: a table by module in results.csv, and its total in the documentation."""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from pathlib import Path

from mutants import GUARDS, TYPES, WORDING, Mutant
from outcomes import Outcomes
from shares import stratified_share
from table import HEAD, Row, read, renewed, total, written
from trials import Outcome

__all__ = ["EQUIVALENT", "UNTRIED", "summary", "write"]

EQUIVALENT = "equivalent"
UNTRIED = Outcome("untried", "", 0.0)
EXCLUSIONS = (WORDING, TYPES, GUARDS, EQUIVALENT)
RESULTS = Path(__file__).with_name("results.csv")
_BEGIN, _END = "<!-- mutation testing: begin -->", "<!-- mutation testing: end -->"


def _rows(mutants: list[Mutant], outcomes: Outcomes) -> list[Row]:
    """Return the outcomes by module, from this run and the runs that it continues."""
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
    """Return the counts by module as text."""
    rows = _rows(mutants, outcomes)
    lines = [HEAD, *(row.cells() for row in [*rows, total(rows)])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )


_TEXT = (
    "Last renewed on {date}, at version {version}: **{share} of the mutants that were tried are killed** ({killed} of "
    "{tried}){sample}."
)
_SAMPLE = (
    ". This is a sample: {tried} of {wanted} mutants were tried, drawn at random in each module, some of each in turn. "
    "By the first trial of each, tests kill {estimate} % of all mutants (95 %: {low} to {high} %), those of modules "
    "without a share left out"
)


def write(page: Path, mutants: list[Mutant], outcomes: Outcomes, modules: list[str]) -> None:
    """Write the table of results, and put its total between the marks in the page of the documentation.

    Parameters
    ----------
    page : Path
    mutants : list of Mutant
        The mutants of modules that may have been tried.
    outcomes : Outcomes
    modules : list of str
        All modules, in the order of the rows. Modules that have not been tried keep their rows.
    """
    text = page.read_text()
    before, _, rest = text.partition(_BEGIN)
    if not rest:
        raise SystemExit(f"{page.name} lacks the line {_BEGIN!r}")
    known = read(RESULTS.read_text())
    new = renewed(known, _rows(mutants, outcomes))
    rows = [(known | new)[module] for module in modules if module in known | new]
    own = [mutant for mutant in mutants if mutant.module in new]
    page.write_text(f"{before}{_BEGIN}\n{_total(rows, own, outcomes)}\n{_END}{rest.partition(_END)[2]}")
    RESULTS.write_text(written(rows))


def _total(rows: list[Row], mutants: list[Mutant], outcomes: Outcomes) -> str:
    every = total(rows)
    return _TEXT.format(
        date=max(row.on for row in rows),
        version=importlib.metadata.version("adjudge"),
        share=f"{100 * every.killed / every.tried:.1f} %",
        killed=f"{every.killed:,}",
        tried=f"{every.tried:,}",
        sample="" if every.tried == every.wanted else _sample(rows, mutants, outcomes.first),
    )


def _survivors(mutants: list[Mutant], outcomes: dict[str, Outcome]) -> list[Mutant]:
    return [m for m in mutants if m.excluded is None and outcomes.get(m.key, UNTRIED).outcome == "survived"]


def _sample(rows: list[Row], mutants: list[Mutant], first: dict[str, Outcome]) -> str:
    """Return what the first trials say about all mutants: later trials are of survivors that got new tests.

    For a module that was tried elsewhere, only the outcomes of the last trials are known.
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
