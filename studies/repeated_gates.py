"""How often a gate passes within so many weeks if it is run on fresh rows until it passes; fills a page.

    python studies/repeated_gates.py [--replicates 2000] [--out CSV] [--only PART]

Each week both models judge 1,000 new rows. They disagree on a tenth of the rows; the new model is worse by exactly the
margin, or as good as the old one. The same with a history, of accuracy (bets on rows that broke and that are fixed) and
of balanced accuracy (a mixture of normal laws), also where models hardly differ. Fills docs/studies/repeated_gates.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

import adjudge
from adjudge.inference.differences.repeated_looks import Estimate, repeated_change
from adjudge.verbs.gate_checks import flips_of
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from gate import drawn, share
from tables import fill, table

ALONE = ("Repeated until it passes",)
MARGIN = 0.03
ROWS = 1000
WEEKS = (1, 4, 12, 26)
#: The last is 1 - 0.05 / 26: the level shared among the runs of half a year.
LEVELS = (0.95, 0.99, 0.998)
#: What a history is of: rows that are bet on, and another score.
FORMS = ("accuracy", "balanced_accuracy")
#: Rows a week, the share on which both models differ, and the margin.
HISTORIES = ((50, 0.02, 0.02), (200, 0.1, 0.03))
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


def remembered(rows: int, differ: float, margin: float, worse: float, rng: Generator) -> Mapping[str, Found]:
    """Run a gate each week, and put its looks together as a history does; count whether each score has passed."""
    passed = dict.fromkeys(FORMS, WEEKS[-1] + 1)
    looks: dict[str, list[Estimate]] = {name: [] for name in FORMS}
    for week in range(1, WEEKS[-1] + 1):
        truth = rng.integers(0, 2, rows)
        old = np.where(rng.random(rows) < 0.9, truth, 1 - truth)
        moved, broken, fixed = rng.random(rows), (differ + worse) / 2, (differ - worse) / 2
        new = np.where((moved < broken / 0.9) & (old == truth), 1 - truth, old)
        new = np.where((moved < fixed / 0.1) & (old != truth), truth, new)
        found = adjudge.gate(truth, old, new, margin=dict.fromkeys(FORMS, margin), kind="classification")
        for name, check in zip(FORMS, found.tested, strict=True):
            if check.change is not None:
                flips = flips_of(check, found.comparison)
                looks[name].append(Estimate.of(check.change, rows, flips))
            change = repeated_change(looks[name], 0.95, looks[name][0]) if looks[name] else None
            if change is not None and change.low > -margin:
                passed[name] = min(passed[name], week)
        if max(passed.values()) <= week:
            break
    return {f"{name}, {weeks}": share(passed[name] <= weeks) for name in FORMS for weeks in WEEKS}


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for n, differ, margin in HISTORIES:
        for law, times in (("worse by the margin", 1.0), ("as good", 0.0)):
            part = f"With a history, {100 * differ:g} % differ, margin {margin}"
            yield Setting(part, law, n, partial(remembered, n, differ, margin, times * margin), fewer=20)
    for law, worse in LAWS.items():
        yield Setting("Repeated until it passes", law, ROWS, partial(passes, worse))


def rates(cells: Sequence[Cell]) -> str:
    """Return the shares of gates that have passed, by the confidence of each run."""
    rows = []
    for law, own in grouped([one for one in cells if one.part in ALONE], lambda cell: cell.law):
        of = {cell.name: cell.rate for cell in own}
        for level in LEVELS:
            rows.append([law, f"{level}", *(f"{of[f'{level}, {weeks}']:.2f}" for weeks in WEEKS)])
    return table(
        rows, ("new model", "confidence", *(f"within {n} weeks" if n > 1 else "first week" for n in WEEKS))
    )


def rates_with_a_history(cells: Sequence[Cell]) -> str:
    """Return the shares of gates with a history that have passed, by law and score."""
    rows = []
    for (part, law), own in grouped(
        [one for one in cells if one.part not in ALONE], lambda cell: (cell.part, cell.law)
    ):
        of = {cell.name: cell.rate for cell in own}
        what = f"{own[0].n:,} rows a week, {part.removeprefix('With a history, ')}: {law}"
        rows += [
            [what, name.replace("_", " "), *(f"{of[f'{name}, {weeks}']:.2f}" for weeks in WEEKS)]
            for name in FORMS
        ]
    return table(
        rows, ("new model", "score", *(f"within {n} weeks" if n > 1 else "first week" for n in WEEKS))
    )


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 2000).parse_args())
    fill(
        RESULTS / "repeated_gates.md", {"passes": rates(found), "with a history": rates_with_a_history(found)}
    )
