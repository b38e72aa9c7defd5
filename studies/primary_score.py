"""What a primary score finds that a correction over all scores does not; fills docs/studies/primary_score.md.

    python studies/primary_score.py [--replicates 400] [--out CSV] [--only PART]

Two models answer for the same rows. The second finds more of the positives, or makes fewer false alarms, or neither;
nine in ten answers are those of the first. All default scores are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

import adjudge
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from tables import fill, table

#: Share of positives, recall and false positive rate of the first model, and what the second is better by.
LAWS: dict[str, tuple[float, float, float, float, float]] = {
    "30 % positives, recall 5 points better": (0.3, 0.7, 0.1, 0.05, 0.0),
    "30 % positives, false alarms 2 points fewer": (0.3, 0.7, 0.1, 0.0, 0.02),
    "10 % positives, recall 10 points better": (0.1, 0.6, 0.05, 0.1, 0.0),
    "30 % positives, equally good": (0.3, 0.7, 0.1, 0.0, 0.0),
}
SIZES = (1000, 2000)
PRIMARY = ("accuracy", "balanced_accuracy", "matthews_correlation")
#: Share of the answers that the second model gives anew.
ANEW = 0.1


def tested(law: Sequence[float], n: int, rng: Generator) -> Mapping[str, Found]:
    """Compare two models by all default scores, and by each of three alone."""
    share, recall, alarms, found_more, fewer = law
    truth = rng.random(n) < share
    first = np.where(truth, rng.random(n) < recall, rng.random(n) < alarms)
    # A tenth is drawn anew, which alone would leave the rates as they are; the rest of the change adds to it.
    anew = rng.random(n) < ANEW
    again = np.where(truth, rng.random(n) < recall, rng.random(n) < alarms)
    second = np.where(anew, again, first)
    second |= truth & ~second & (rng.random(n) < found_more / (1 - recall))
    second &= ~(~truth & second & (rng.random(n) < fewer / alarms))
    compared = adjudge.compare(
        truth.astype(int), {"first": first.astype(int), "second": second.astype(int)}, kind="classification",
        positive=1, confidence=0.95,
    )  # fmt: skip
    rows = compared["first", "second"].differences
    found: dict[str, Found] = {}
    for name in PRIMARY:
        p_value, among_all = rows[name].p_value, rows[name].adjusted_p_value
        found[f"{name}, among all"] = 1.0 if among_all is None else among_all
        found[f"{name}, primary"] = 1.0 if p_value is None else p_value
    found["any score, among all"] = min(own.adjusted_p_value or 1.0 for own in rows.values())
    return found


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for law, rates in LAWS.items():
        for n in SIZES:
            yield Setting("Told apart", law, n, partial(tested, rates, n))


def rates(cells: Sequence[Cell]) -> str:
    """Return the shares told apart, corrected over all scores and as the primary score."""
    rows = []
    for law, own in grouped(cells, lambda cell: f"{cell.law}, {cell.n:,} rows"):
        of = {cell.name: f"{cell.rate:.2f}" for cell in own}
        pairs = (f"{of[f'{name}, among all']} / {of[f'{name}, primary']}" for name in PRIMARY)
        rows.append([law, *pairs, of["any score, among all"]])
    titles = (name.replace("_", " ") for name in PRIMARY)
    return table(rows, ("among all / as primary", *titles, "any score, among all"))


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 400).parse_args())
    fill(RESULTS / "primary_score.md", {"told apart": rates(found)})
