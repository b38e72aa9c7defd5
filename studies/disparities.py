"""Coverage of the intervals of demographic parity and equalized odds; fills docs/studies/disparities.md.

    python studies/disparities.py [--replicates 60] [--out CSV] [--only PART]

Groups have the same rates or not, 20 to 5,000 rows each, and a positive class that is common or rare. In units, rows of
a unit are in one group, and share a normal shift of their class and another of their prediction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import ndtri

import adjudge
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from tables import fill, table

Array = np.ndarray[Any, np.dtype[Any]]
DIFFERENCES = ("demographic_parity_difference", "equalized_odds_difference")
#: Share of the variance of the normal variables behind rows that those of a unit have in common.
COMMON = 0.5
ROWS_OF_UNIT = 8


@dataclass(frozen=True)
class Groups:
    """The size of each group, its share of positives, and its recall and false positive rate."""

    sizes: Sequence[int]
    share: float
    recall: Sequence[float]
    false_positive: Sequence[float]

    @property
    def true(self) -> Mapping[str, float]:
        """The largest differences between the populations."""
        selected = self.share * np.array(self.recall) + (1 - self.share) * np.array(self.false_positive)
        apart = max(np.ptp(self.recall), np.ptp(self.false_positive))
        return {DIFFERENCES[0]: float(np.ptp(selected)), DIFFERENCES[1]: float(apart)}


def occurs(probability: Array, units: Array | None, rng: Generator) -> Array:
    """Draw events, whose normal variables have a part in common within a unit."""
    normal = rng.normal(size=probability.size)
    if units is not None:
        of_units = rng.normal(size=int(units.max()) + 1)[units]
        normal = np.sqrt(COMMON) * of_units + np.sqrt(1 - COMMON) * normal
    return np.asarray(normal < ndtri(probability))


def drawn(law: Groups, in_units: bool, rng: Generator) -> dict[str, Found]:
    groups = np.repeat(np.arange(len(law.sizes)), law.sizes)
    units = None
    if in_units:
        units = np.concatenate([np.arange(n) // ROWS_OF_UNIT + 10_000 * g for g, n in enumerate(law.sizes)])
        units = np.unique(units, return_inverse=True)[1]
    truth = occurs(np.full(groups.size, law.share), units, rng)
    rate = np.where(truth, np.array(law.recall)[groups], np.array(law.false_positive)[groups])
    said = occurs(rate, units, rng)
    found = adjudge.evaluate(
        truth.astype(int), said.astype(int), kind="classification", positive=1, groups=groups, confidence=0.95,
        indices=["accuracy"], **({} if units is None else {"units": units}),
    )  # fmt: skip
    known = {own.name: own for own in found.disparities}
    return {
        name: (SimpleNamespace(low=known[name].low, high=known[name].high, value=known[name].value), truth)
        for name, truth in law.true.items()
        if name in known
    }


def laws() -> Iterator[tuple[str, str, Groups]]:
    """Yield kinds of groups."""
    for k, sizes in (
        (2, [20, 20]), (2, [100, 100]), (2, [1000, 1000]), (2, [20, 5000]),
        (4, [20, 100, 500, 2000]), (8, [100] * 8), (8, [1000] * 8),
    ):  # fmt: skip
        some = [0.7, 0.6, 0.7, 0.5, 0.7, 0.65, 0.6, 0.7][:k], [0.1, 0.2, 0.15, 0.1, 0.1, 0.12, 0.1, 0.2][:k]
        for share in (0.4, 0.05):
            of = f"{k} groups, {min(sizes):,} to {max(sizes):,} rows, {share:.0%} positive"
            yield "same rates", of, Groups(sizes, share, [0.7] * k, [0.1] * k)
            yield "different rates", of, Groups(sizes, share, *some)


def settings() -> Iterator[Setting]:
    for part, law, groups in laws():
        yield Setting(
            part, law, sum(groups.sizes), partial(drawn, groups, False), 1 if max(groups.sizes) < 1000 else 2
        )
    for part, law, groups in laws():
        if min(groups.sizes) >= 100 and len(groups.sizes) != 4:
            yield Setting(f"{part}, in units", law, sum(groups.sizes), partial(drawn, groups, True), 2)


def row(law: str, cells: Sequence[Cell]) -> list[str]:
    """Show the coverage, and the share of samples without an interval, by kind of rates."""

    def shown(cell: Cell | None) -> str:
        if cell is None:
            return ""
        return (
            f"{cell.coverage:.2f}" + (f" ({100 * cell.refused:.0f} %)" if cell.refused else "")
            if cell.given
            else "none"
        )

    at = {(cell.part, cell.name): cell for cell in cells}
    return [law, *(shown(at.get((part, name))) for part in PARTS for name in DIFFERENCES)]


PARTS = ("same rates", "different rates", "same rates, in units", "different rates, in units")


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 60).parse_args())
    heads = ["groups", *(f"{part}: {what}" for part in PARTS for what in ("parity", "odds"))]
    rows = [row(law, own) for law, own in grouped(found, lambda cell: cell.law)]
    fill(RESULTS / "disparities.md", {"coverage": table(rows, heads)})
