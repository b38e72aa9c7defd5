"""Which groups a new model broke: what Holm's correction finds, and Benjamini and Hochberg's, and how much is false.

    python studies/broken_groups.py [--replicates 400] [--out CSV] [--only PART]

Two models with an accuracy of 0.85 disagree on a tenth of the rows. In broken groups the new one loses ten points
more. A claim is a group whose adjusted p-value is at most 0.05. One claim is drawn at random to count how many are
false, and one broken group to count how many are found. Fills docs/studies/broken_groups.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import adjudge
from adjudge.inference import adjust_p_values
from cells import LEVEL, RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from gate import share
from tables import fill, table

Array = np.ndarray[Any, np.dtype[Any]]
RIGHT, ALONE, LOST = 0.85, 0.05, 0.1
CORRECTIONS = {"Holm": "holm", "FDR": "fdr"}
SHOWN = ("found", "false among the claims", "any false claim")
EVEN = [200] * 20
UNEVEN = [50] * 7 + [150] * 7 + [400] * 6
LAWS: dict[str, tuple[list[int], int]] = {
    "20 groups of 200 rows, 3 broken": (EVEN, 3),
    "20 groups of 200 rows, 10 broken": (EVEN, 10),
    "20 groups of 200 rows, none broken": (EVEN, 0),
    "20 groups of 50 to 400 rows, 5 broken": (UNEVEN, 5),
    "100 groups of 40 rows, 15 broken": ([40] * 100, 15),
}


def compared(sizes: Sequence[int], n_broken: int, rng: Generator) -> Mapping[str, Found]:
    """Compare two models by group; in some of the groups the new one is worse."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    broken = np.zeros(len(sizes), bool)
    broken[rng.permutation(len(sizes))[:n_broken]] = True
    both = RIGHT - ALONE - LOST * broken[groups]
    at = rng.random(groups.size)
    old_right = at < RIGHT
    new_right = (at < both) | (at > 1 - ALONE)
    truth = np.zeros(groups.size, int)
    found = adjudge.compare(
        truth, {"old": 1 - old_right.astype(int), "new": 1 - new_right.astype(int)}, kind="classification",
        indices="accuracy", groups=groups, confidence=0.95,
    )  # fmt: skip
    rows = {row.group: row.score.p_value for row in found.group_differences}
    p_values = [rows[group] for group in range(len(sizes))]
    return claims(p_values, broken, rng)


def against_the_rest(sizes: Sequence[int], n_broken: int, rng: Generator) -> Mapping[str, Found]:
    """Compare each group's accuracy with that of all others, which the groups have in common."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    broken = np.zeros(len(sizes), bool)
    broken[rng.permutation(len(sizes))[:n_broken]] = True
    said = (rng.random(groups.size) > RIGHT - LOST * broken[groups]).astype(int)
    truth = np.zeros(groups.size, int)
    found = adjudge.evaluate(
        truth, said, kind="classification", indices="accuracy", groups=groups, confidence=0.95
    )
    rows = {row.group: row.score.p_value for row in found.differences}
    return claims([rows[group] for group in range(len(sizes))], broken, rng)


def claims(p_values: Sequence[float | None], broken: Array, rng: Generator) -> Mapping[str, Found]:
    """Count what each correction finds, and how much of that is false."""
    known = [1.0 if p is None else p for p in p_values]
    said: dict[str, Found] = {}
    one = rng.choice(np.flatnonzero(broken)) if broken.any() else None
    for name, correction in CORRECTIONS.items():
        claimed = np.array(adjust_p_values(known, correction)) <= LEVEL
        made = np.flatnonzero(claimed)
        said |= {
            **({} if one is None else {f"found, {name}": share(bool(claimed[one]))}),
            f"false among the claims, {name}": share(bool(made.size and not broken[rng.choice(made)])),
            f"any false claim, {name}": share(bool((claimed & ~broken).any())),
        }
    return said


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for law, (sizes, n_broken) in LAWS.items():
        fewer = 1 + len(sizes) // 30
        yield Setting("Two models", law, sum(sizes), partial(compared, sizes, n_broken), fewer)
    for law in ("20 groups of 200 rows, 3 broken", "20 groups of 200 rows, none broken"):
        sizes, n_broken = LAWS[law]
        yield Setting(
            "Each group against the rest", law, sum(sizes), partial(against_the_rest, sizes, n_broken)
        )


def rates(cells: Sequence[Cell]) -> str:
    """Return the shares of both corrections, side by side."""
    rows = []
    for law, own in grouped(cells, lambda cell: cell.law):
        of = {cell.name: cell.rate for cell in own}
        rows.append(
            [law]
            + [
                " / ".join(
                    f"{of[key]:.2f}" if (key := f"{what}, {name}") in of else "-" for name in CORRECTIONS
                )
                for what in SHOWN
            ]
        )
    return table(rows, ("Holm / FDR", *SHOWN))


if __name__ == "__main__":
    cells = run(settings(), arguments(__doc__, 400).parse_args())
    parts = {part: rates(own) for part, own in grouped(cells, lambda cell: cell.part)}
    fill(RESULTS / "broken_groups.md", parts)
