"""Whether intervals hold where an instance that was not seen decides; fills a table of docs/how_far_to_trust.md.

    python studies/unseen_events.py [--replicates 200] [--out CSV] [--only PART]

A class of a few per cent is hardly ever found, or hardly ever mistaken; rows have weights that span a factor of 30, or
come in units whose rates differ. Clusters have sizes by Zipf's law, and some are split or merged. The true values are
those of a sample of a million rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

import adjudge
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, by_family, run
from tables import fill

#: Share of the rare class, how often it is found, and how many false alarms there are for each of its instances.
RATES = {
    "1 % of a class, 5 % of it found": (0.01, 0.05, 1.0),
    "1 % of a class, 90 % of it found": (0.01, 0.9, 0.3),
    "4 % of a class, 30 % of it found": (0.04, 0.3, 2.0),
    "4 % of a class, 80 % of it found": (0.04, 0.8, 0.1),
}
OF_CLASSES = (
    "matthews_correlation",
    "cohen_kappa",
    "f1",
    "macro_f1",
    "balanced_accuracy",
    "precision",
    "recall",
)
OF_CLUSTERS = ("rand", "adjusted_rand", "pair_f", "bcubed_f")
OF_ENTROPIES = ("nmi", "homogeneity", "completeness", "variation_of_information")
#: Rows, or units, of each design.
SIZES = {"rows": (300, 1500), "weights": (300, 1500), "units": (30, 100)}
#: Number of rows from which a true value is taken.
MANY = 1_000_000

Drawn = tuple[np.ndarray, np.ndarray, dict[str, Any]]


def classes(rates: Sequence[float], design: str, n: int, rng: Generator) -> Drawn:
    """Draw a rare class and what a model says of it."""
    share, found, alarms = rates
    unit = np.repeat(np.arange(n), 1 + rng.geometric(0.12, n)) if design == "units" else np.arange(n)
    of_unit = rng.gamma(1.5, 1 / 1.5, n)[unit] if design == "units" else 1.0
    # With weights, the rare class is drawn four times as often as it occurs.
    often = 4 * share / (1 + 3 * share) if design == "weights" else share
    truth = rng.random(unit.size) < np.minimum(often * of_unit, 0.9)
    hard = rng.beta(2 * found, 2 * (1 - found), n)[unit] if design == "units" else found
    said = rng.random(unit.size) < np.where(truth, hard, alarms * share / (1 - share))
    more: dict[str, Any] = {"units": unit} if design == "units" else {}
    if design == "weights":
        more = {
            "sample_weight": np.where(truth, 0.25, 1.0) * rng.uniform(0.2, 1.8, n) ** 2,
            "weights": "importance",
        }
    return truth.astype(int), said.astype(int), more


def clusters(k: int, design: str, n: int, rng: Generator) -> Drawn:
    """Draw clusters of which each fifth is split, and the next one merged with its neighbour."""
    unit = np.repeat(np.arange(n), 1 + rng.geometric(0.25, n)) if design == "units" else np.arange(n)
    sizes = 1 / np.arange(1, k + 1) ** 0.8
    tilted = sizes**0.6 if design == "weights" else sizes
    truth = rng.choice(k, unit.size, p=tilted / tilted.sum())
    if design == "units":  # half of the rows are of the cluster of the unit's first
        truth = np.where(rng.random(unit.size) < 0.5, truth[np.searchsorted(unit, unit)], truth)
    said = np.where((truth % 5 == 0) & (rng.random(unit.size) < 0.4), k + truth, truth)
    said = np.where(truth % 5 == 1, truth - 1, said)
    said = np.where(rng.random(unit.size) < 0.12, rng.integers(0, k, unit.size), said)
    more: dict[str, Any] = {"units": unit} if design == "units" else {}
    if design == "weights":
        more = {
            "sample_weight": (sizes / tilted)[truth] * rng.uniform(0.2, 1.8, n) ** 2,
            "weights": "importance",
        }
    return truth, said, more


@cache
def true_values(
    draw: Callable[..., Drawn], law: Any, design: str, names: tuple[str, ...], kind: str
) -> dict[str, float]:
    """Return the values in a sample that is too large for chance or bias to matter."""
    per_unit = 9 if design == "units" else 1
    truth, said, more = draw(law, design, MANY // per_unit, np.random.default_rng(1))
    more = {name: own for name, own in more.items() if name != "units"}
    own = {"positive": 1} if kind == "classification" else {}
    found = adjudge.evaluate(truth, said, kind=kind, indices=list(names), **own, **more)
    return {name: found[name] for name in names}


def judged(
    draw: Callable[..., Drawn],
    law: Any,
    design: str,
    names: tuple[str, ...],
    kind: str,
    n: int,
    rng: Generator,
) -> Mapping[str, Found]:
    """Compute the intervals of a sample."""
    wanted = true_values(draw, law, design, names, kind)
    truth, said, more = draw(law, design, n, rng)
    own = {"positive": 1} if kind == "classification" else {}
    if kind == "classification" and truth.min() == truth.max():
        return {}
    scores = adjudge.evaluate(
        truth, said, kind=kind, indices=list(names), confidence=0.95, **own, **more
    ).scores
    return {name: (scores[name], wanted[name]) for name in names}


def settings() -> Iterator[Setting]:
    """Yield the parts of the study."""
    for design, sizes in SIZES.items():
        for law, rates in RATES.items():
            for n in sizes:
                own = partial(judged, classes, rates, design, OF_CLASSES, "classification", n)
                yield Setting(f"Rare classes, {design}", law, n, own)
        for k in (6, 15, 40):
            for n in sizes:
                own = partial(judged, clusters, k, design, OF_CLUSTERS + OF_ENTROPIES, "clustering", n)
                yield Setting(f"Clusters, {design}", f"{k} clusters", n, own, fewer=2)


def families(cell: Cell) -> str:
    """Return the family of scores that a cell is of."""
    if cell.name in OF_ENTROPIES:
        return f"{cell.part}: entropies"
    shares = cell.name in ("precision", "recall")
    return f"{cell.part}: " + (
        "precision, recall" if shares else "other scores" if "Rare" in cell.part else "pairs, BCubed"
    )


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 200).parse_args())
    fill(RESULTS.parent / "how_far_to_trust.md", {"unseen events": by_family(found, families)})
