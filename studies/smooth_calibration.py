"""How often the interval of the smooth calibration error holds; fills the table of docs/studies/smooth_calibration.md.

    python studies/smooth_calibration.py [--replicates 60] [--out CSV] [--only PART]

Forecasts are spread evenly, mostly near 0 and 1, rarely above 0.1, or of five values; outcomes follow them, or are less
or more extreme, or more frequent. The true error is that of 400,000 forecasts with their probabilities as outcomes.
In units, rows share a shift of their log-odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, logit

import adjudge
from adjudge.statistics.ranked_scores import RankedScores
from adjudge.statistics.reliability import smooth_calibration
from cells import RESULTS, Cell, Found, Generator, Setting, arguments, grouped, run
from tables import fill, table

Array = np.ndarray[Any, np.dtype[np.float64]]
FORECASTS: dict[str, Callable[[Generator, int], Array]] = {
    "spread evenly": lambda rng, n: rng.uniform(0.01, 0.99, n),
    "near 0 and 1": lambda rng, n: np.clip(rng.beta(0.4, 0.6, n), 0.001, 0.999),
    "rare outcome": lambda rng, n: np.clip(rng.beta(1, 40, n), 1e-4, 0.999),
    "five values": lambda rng, n: rng.choice([0.05, 0.2, 0.4, 0.7, 0.9], n),
}
OUTCOMES: dict[str, Callable[[Array], Array]] = {
    "calibrated": lambda f: f,
    "overconfident": lambda f: np.asarray(expit(logit(f) / 2)),
    "underconfident": lambda f: np.asarray(expit(2 * logit(f))),
    "too low": lambda f: np.asarray(expit(logit(f) + 0.5)),
}
#: Standard deviation of the shift that rows of a unit share, on the scale of log-odds, and its quadrature.
SHIFT = 1.0
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
#: Rows of a unit.
LARGEST = 20


def in_units(f: Array) -> Array:
    """Return the probability of the outcome, averaged over the shift of the unit."""
    return np.asarray(expit(logit(f)[:, None] + SHIFT * NODES) @ WEIGHTS / WEIGHTS.sum())


@cache
def true_error(forecasts: str, outcomes: str) -> float:
    """Return the error in the population."""
    if outcomes == "calibrated":
        return 0.0
    drawn = np.sort(FORECASTS[forecasts](np.random.default_rng(0), 400_000))
    f, counts = np.unique(drawn, return_counts=True)
    hits = counts * OUTCOMES.get(outcomes, in_units)(f)
    return smooth_calibration(RankedScores(f, hits, counts - hits))


def judged(f: Array, probability: Array, truth: float, rng: Generator, **options: Any) -> dict[str, Found]:
    outcome = (rng.random(f.size) < probability).astype(int)
    found = adjudge.evaluate(
        outcome, probabilities=f, kind="classification", classes=[0, 1], positive=1, confidence=0.95,
        indices=["smooth_calibration_error"], **options,
    )  # fmt: skip
    return {"smooth_calibration_error": (found.scores["smooth_calibration_error"], truth)}


def independent(forecasts: str, outcomes: str, n: int, rng: Generator) -> dict[str, Found]:
    """Draw independent rows."""
    f = FORECASTS[forecasts](rng, n)
    return judged(f, OUTCOMES[outcomes](f), true_error(forecasts, outcomes), rng)


def clustered(forecasts: str, n: int, rng: Generator) -> dict[str, Found]:
    """Draw n units of 1 to 20 rows."""
    units = np.repeat(np.arange(n), rng.integers(1, LARGEST + 1, n))
    f = FORECASTS[forecasts](rng, units.size)
    shifted = expit(logit(f) + SHIFT * rng.normal(size=n)[units])
    return judged(f, shifted, true_error(forecasts, "in units"), rng, units=units)


def settings() -> Iterator[Setting]:
    """Yield settings by number of rows, or of units."""
    for outcomes in OUTCOMES:
        for forecasts in FORECASTS:
            for n in (50, 500, 5000):
                sample = partial(independent, forecasts, outcomes, n)
                yield Setting(outcomes, forecasts, n, sample, 2 if n > 1000 else 1)
    for forecasts in FORECASTS:
        for n in (30, 200):
            yield Setting("in units", forecasts, n, partial(clustered, forecasts, n), 2)


def row(name: str, cells: list[Cell]) -> list[str]:
    """Summarize the cells of a kind of outcomes."""
    held, given, drawn = (
        sum(getattr(cell, what) or 0 for cell in cells) for what in ("held", "given", "drawn")
    )
    widths = {
        n: [cell.width for cell in own if cell.width] for n, own in grouped(cells, lambda cell: f"{cell.n:,}")
    }
    return [
        name,
        f"{len(cells)}",
        f"{held / given:.3f}",
        f"{min(cell.coverage for cell in cells):.3f}",
        f"{100 * (1 - given / drawn):.1f} %",
        " / ".join(f"{np.median(own):.1f}" for own in widths.values()),
    ]


if __name__ == "__main__":
    found = run(settings(), arguments(__doc__, 60).parse_args())
    heads = ("outcomes", "cells", "coverage", "lowest", "refused", "width, by number of rows")
    rows = [row(name, own) for name, own in grouped(found, lambda cell: cell.part)]
    fill(RESULTS / "smooth_calibration.md", {"coverage": table(rows, heads)})
