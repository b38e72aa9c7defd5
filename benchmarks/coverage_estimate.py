"""Estimate shares of all cells of the grid from those that were measured, a stratified random sample of its laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy.stats import beta, norm, t

from coverage_rows import Row

__all__ = ["Share", "Strata", "share_of_grid"]

#: Numbers of laws in the grid, by part and number of instances.
Strata = Mapping[tuple[str, int], int]


@dataclass(frozen=True)
class Share:
    """A share of the judged cells of the grid, with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
    laws, cells : int
        Laws with a number of instances that were measured, and cells that were judged there.
    """

    value: float
    low: float
    high: float
    laws: int
    cells: int

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def share_of_grid(
    rows: Iterable[Row], strata: Strata, judged: Callable[[Row], bool], counts: Callable[[Row], bool]
) -> Share:
    """Estimate which share of the judged cells counts, from the cells of laws that were drawn from each stratum.

    The cells of a law depend on each other: laws are what was drawn. The variance of the ratio is linearised. The
    interval is the exact one of as many cells as a simple random sample of the same variance would need; each law is
    worth one cell if all cells count, or none.

    Parameters
    ----------
    rows : iterable of Row
        All cells of the laws that were drawn.
    strata : mapping
    judged, counts : callable
        Of a row.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., sections 6.11 and 9A.
    Korn & Graubard (1998), Survey Methodology 24, 193-201.
    """
    drawn: dict[tuple[str, int], dict[str, list[int]]] = {}
    for row in rows:
        of_law = drawn.setdefault((row["part"], row["n"]), {}).setdefault(row["law"], [0, 0])
        if judged(row):
            of_law[0] += 1
            of_law[1] += counts(row)
    weighed = [(strata[key], list(of_laws.values())) for key, of_laws in drawn.items()]
    cells = sum(all_ for _, laws in weighed for all_, _ in laws)
    n_laws = sum(len(laws) for _, laws in weighed)
    total = _total(weighed, 0)
    if total == 0:
        return Share(math.nan, math.nan, math.nan, n_laws, cells)
    value = _total(weighed, 1) / total
    variance = sum(_variance(size, [own - value * all_ for all_, own in laws]) for size, laws in weighed)
    if all(size == len(laws) for size, laws in weighed):
        return Share(value, value, value, n_laws, cells)
    worth = value * (1 - value) / (variance / total**2) if variance > 0 and 0 < value < 1 else n_laws
    freedom = sum(len(laws) - 1 for _, laws in weighed)
    if freedom > 0:
        worth *= float(norm.ppf(0.975) / t.ppf(0.975, freedom)) ** 2
    count, others = value * worth, (1 - value) * worth
    low = float(beta.ppf(0.025, count, others + 1)) if count > 0 else 0.0
    high = float(beta.ppf(0.975, count + 1, others)) if others > 0 else 1.0
    return Share(value, low, high, n_laws, cells)


def _total(weighed: Sequence[tuple[int, list[list[int]]]], which: int) -> float:
    return sum(size / len(laws) * sum(law[which] for law in laws) for size, laws in weighed)


def _variance(size: int, residuals: Sequence[float]) -> float:
    """Variance of the estimated total of a stratum with this many laws; one law alone shows its square."""
    m = len(residuals)
    if m == 1:
        return size * (size - 1) * residuals[0] ** 2
    mean = sum(residuals) / m
    of_one = sum((residual - mean) ** 2 for residual in residuals) / (m - 1)
    return size**2 * (1 - m / size) * of_one / m
