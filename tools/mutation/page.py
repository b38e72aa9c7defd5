"""The result: a table by module, and the section of the documentation."""

from __future__ import annotations

import datetime
import importlib.metadata
from collections import Counter
from pathlib import Path

from mutants import GUARDS, TYPES, WORDING, Mutant
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

`make mutation` changes the modules of `adjudge.indices` and `adjudge.inference` in one place at a time, runs the tests
that run what was changed until one fails, and counts the changes that none of them notices. Formulas, conditions,
records (range, direction, rule for K, names) and the machinery of the records are changed by the operators of mutmut
{mutmut}, reduced to one change of a kind a place, and by a few of our own: what is easily confused (min and max, within
and between, truth and prediction, higher and lower) is swapped, and conditions are negated. Each test file is run once
to measure which functions each test runs and what it costs; a mutant is tried by the cheapest of the tests that run its
function, or that read its record or constant, up to 20 seconds of them. A process in which all that does not depend on
the module is warm forks for each trial; nothing is written into the checkout.

Last renewed on {date}, at version {version}, from {tests} test files: **{share} of the mutants that were tried are
killed** ({killed} of {tried}{sample}.

{table}

Not tried are {excluded}. {timeouts}The bibliography and the words for the symbols in formulas are not mutated.
{survivors}"""

_SAMPLE = (
    "). This is a sample: of {wanted} mutants {tried} were tried, drawn at random in each module; a module without a "
    "share was not tried. Tests were added for what survived in the sample, so of the others fewer may be killed"
)
_TIMEOUTS = "{late} that did not end in five times their usual time and 20 seconds count as killed. "
_WHY_NOT = {
    WORDING: "sentences, titles and LaTeX that people read and nothing computes with",
    TYPES: "aliases that only a type checker reads, and `__all__`, which a linter checks",
    GUARDS: "`zip(strict=True)` for lengths that cannot differ",
    EQUIVALENT: "mutants that change nothing that can be observed, each listed with its reason in "
    "`tools/mutation/equivalent.toml`",
}


def write(path: Path, mutants: list[Mutant], outcomes: dict[str, Outcome], n_tests: int) -> None:
    """Write the section of the documentation, between its marks."""
    before, _, rest = path.read_text().partition(_BEGIN)
    if not rest:
        raise SystemExit(f"{path.name} lacks the line {_BEGIN!r}")
    after = rest.partition(_END)[2]
    path.write_text(f"{before}{_BEGIN}\n\n{section(mutants, outcomes, n_tests)}\n{_END}{after}")


def section(mutants: list[Mutant], outcomes: dict[str, Outcome], n_tests: int) -> str:
    """The section as Markdown."""
    wanted = [m for m in mutants if m.excluded is None]
    tried = [m for m in wanted if m.key in outcomes]
    survivors = [m for m in tried if outcomes[m.key].outcome == "survived"]
    late = sum(outcomes[m.key].outcome == "timeout" for m in tried)
    killed = len(tried) - len(survivors)
    rows = _rows(mutants, outcomes)
    table = "\n".join(
        f"| {' | '.join(cells)} |" for cells in [_HEAD, ["---", *["---:"] * (len(_HEAD) - 1)], *rows]
    )
    return _TEXT.format(
        mutmut=importlib.metadata.version("mutmut"),
        date=datetime.date.today().isoformat(),
        version=importlib.metadata.version("adjudge"),
        tests=n_tests,
        share=f"{100 * killed / len(tried):.1f} %",
        killed=killed,
        tried=len(tried),
        sample=")"
        if len(tried) == len(wanted)
        else _SAMPLE.format(wanted=f"{len(wanted):,}", tried=f"{len(tried):,}"),
        table=table,
        excluded="; ".join(f"{_WHY_NOT[name]} ({name})" for name in EXCLUSIONS),
        timeouts=_TIMEOUTS.format(late=late) if late else "",
        survivors=_survivors(survivors),
    )


def _survivors(survivors: list[Mutant]) -> str:
    if not survivors:
        return ""
    lines = [
        f"- `{m.module}.{m.scope}`: `{_short(m.before)}` → `{_short(m.after) or 'nothing'}`".replace(
            "``", "`"
        )
        for m in survivors
    ]
    return "\nWhat survives:\n\n" + "\n".join(lines) + "\n"


def _short(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= 100 else text[:100] + " ..."
