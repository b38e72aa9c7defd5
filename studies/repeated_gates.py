"""How often a gate passes within so many weeks if it is run on fresh rows until it passes; fills a page.

    python studies/repeated_gates.py [--replicates 2000] [--out CSV] [--only PART]

Each week both models judge 1,000 new rows. They disagree on a tenth of the rows; the new model is worse by exactly the
margin, or as good as the old one. Fills docs/studies/repeated_gates.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import adjudge
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from gate import drawn, share
from tables import fill, table

MARGIN = 0.03
ROWS = 1000
WEEKS = (1, 4, 12, 26)
#: The last is 1 - 0.05 / 26: the level shared among the runs of half a year.
LEVELS = (0.95, 0.99, 0.998)
LAWS = {"worse by the margin": MARGIN, "as good": 0.0}


def passes(worse: float, rng: Generator) -> Mapping[str, Found]:
    """Run a gate each week; count whether it has passed within so many weeks."""
    first = dict.fromkeys(LEVELS, WEEKS[-1] + 1)
    for week in range(1, WEEKS[-1] + 1):
        rows = drawn(rng, ROWS, 1, 0.0, worse)
        given = {name: rows[name] for name in ("labels_true", "old", "new", "kind")}
        for level in LEVELS:
            if first[level] > week:
                found = adjudge.gate(**given, margin={"accuracy": MARGIN}, confidence=level)
                first[level] = week if found.passed else first[level]
    return {f"{level}, {weeks}": share(first[level] <= weeks) for level in LEVELS for weeks in WEEKS}


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for law, worse in LAWS.items():
        yield Setting("Repeated until it passes", law, ROWS, partial(passes, worse))


def rates(cells: Sequence[Cell]) -> str:
    """Return the shares of gates that have passed, by the confidence of each run."""
    rows = []
    for law, own in grouped(cells, lambda cell: cell.law):
        of = {cell.name: cell.rate for cell in own}
        for level in LEVELS:
            rows.append([law, f"{level}", *(f"{of[f'{level}, {weeks}']:.2f}" for weeks in WEEKS)])
    return table(
        rows, ("new model", "confidence", *(f"within {n} weeks" if n > 1 else "first week" for n in WEEKS))
    )


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 2000).parse_args())
    fill(RESULTS / "repeated_gates.md", {"passes": rates(found)})
