"""Intervals of shares: Wilson's, but for the limit next to few instances of a kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.inference.classes.shares import interval_of_share


@pytest.mark.parametrize("n", [5, 30, 50, 51, 140, 500, 3000])
def test_they_hold_whatever_the_share(n: int) -> None:
    """Exactly, by the sum over all counts; of Wilson's 0.84 do with 0.18 expected."""
    counts = np.arange(min(n, 60) + 1)
    shares = np.geomspace(0.05, 20, 400) / n
    shares = shares[shares <= 0.5]
    ends = np.array([list(interval_of_share(int(hits), n, 0.95)) for hits in counts])
    inside = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
    held = (stats.binom.pmf(counts[:, None], n, shares) * inside).sum(axis=0)
    assert held.min() >= 0.91


@pytest.mark.parametrize(
    ("hits", "n", "few"), [(1, 50, True), (2, 50, True), (3, 50, False), (3, 51, True), (4, 51, False)]
)
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_limits(hits: int, n: int, few: bool, confidence: float) -> None:
    wilson = stats.binomtest(hits, n).proportion_ci(confidence, "wilson")
    count = stats.chi2.ppf(1 - confidence, 2 * hits) / 2 / n
    low, high = interval_of_share(hits, n, confidence)
    assert (low, high) == pytest.approx((count if few else wilson.low, wilson.high))
    assert tuple(interval_of_share(n - hits, n, confidence)) == pytest.approx((1 - high, 1 - low))


def test_ends() -> None:
    assert interval_of_share(0, 20, 0.95).low == 0.0
    assert interval_of_share(20, 20, 0.95).high == 1.0
    none = interval_of_share(0, 0, 0.9)
    assert (none.low, none.high, none.method) == (0.0, 1.0, "wilson")
    assert none.reason == "no instance is informative: every value is possible"
