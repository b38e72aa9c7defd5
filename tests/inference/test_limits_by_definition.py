"""Limits of shares, and intervals that are made like them, beside the tail probabilities that define them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from adjudge.inference.common.score_intervals import ScoreBasis
from adjudge.inference.common.turns import Turn
from scipy.stats import binom

from adjudge.inference.common.proportions import clopper_pearson, mid_p, near_mid_p, normal_quantile, wilson

LEVELS = (0.5, 0.95, 0.999)
FREE = (-math.inf, math.inf)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_exact_limits_are_the_shares_with_such_tails(n: int, confidence: float) -> None:
    hits = np.arange(n + 1.0)
    low, high = clopper_pearson(hits, np.full(n + 1, float(n)), confidence)
    assert (low[0], high[-1]) == (0.0, 1.0)
    tail = (1 - confidence) / 2
    np.testing.assert_allclose(binom.sf(hits[1:] - 1, n, low[1:]), tail, rtol=1e-9)
    np.testing.assert_allclose(binom.cdf(hits[:-1], n, high[:-1]), tail, rtol=1e-9)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_mid_p_limits_are_the_shares_with_such_tails(n: int, confidence: float) -> None:
    tail = (1 - confidence) / 2
    for hits in range(n + 1):
        low, high = mid_p(hits / n, n, confidence)
        if hits:
            above = binom.sf(hits, n, low) + binom.pmf(hits, n, low) / 2
            assert above == pytest.approx(tail, rel=1e-6)
        else:
            assert low == 0.0
        if hits < n:
            below = binom.cdf(hits - 1, n, high) + binom.pmf(hits, n, high) / 2
            assert below == pytest.approx(tail, rel=1e-6)
        else:
            assert high == 1.0


@pytest.mark.parametrize("confidence", LEVELS)
def test_wilsons_limits_are_z_standard_errors_away(confidence: float) -> None:
    z = normal_quantile(confidence)
    for n, hits in itertools.product((1, 2, 3, 7, 29, 1000), range(8)):
        if hits <= n:
            share = hits / n
            low, high = wilson(share, n, z)
            if hits == 0:
                assert low == 0.0
            if hits == n:
                assert high == 1.0
            for end in (low, high):
                assert (share - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n, abs=1e-12)
            assert low <= share <= high


def of_a_share(hits: float, n: int, confidence: float) -> tuple[float, float]:
    """Wilson's limits; with fewer than five of a kind, those of a count on that side; of fewer than ten, on both."""
    low, high = wilson(hits / n, n, normal_quantile(confidence))
    near = near_mid_p(hits / n, n, confidence)
    if min(hits, n - hits) < 5:
        if hits <= n / 2 or n < 10:
            low = min(low, near[0])
        if hits > n / 2 or n < 10:
            high = max(high, near[1])
    return low, high


BASES = {
    "normal": ScoreBasis(0.3, FREE, 0.01),
    "share": ScoreBasis(0.3, (0.0, 1.0), 0.01),
    "few events": ScoreBasis(0.9, (0.0, 1.0), 0.09 / 30),
    "no event": ScoreBasis(1.0, (0.0, 1.0), 0.0, 0.02),
    "variance changes": ScoreBasis(0.3, FREE, 0.01, slopes=(0.3, 0.5)),
    "turns": ScoreBasis(0.3, FREE, 0.01, turns=(Turn(0.2, 0.004), None)),
    "quadratic": ScoreBasis(0.3, FREE, 0.01, turns=(Turn(0.1, 0.02, 0.05), None)),
    "of the logarithm": ScoreBasis(0.3, FREE, 0.01, back=math.exp),
}


Law = tuple[float, float, float]


def a_square(turn: float, grows: float = 1.0) -> Callable[[float], Law]:
    """Values, variances and linear parts of laws along which an index is a parabola; its variance grows like it."""

    def at(z: float) -> Law:
        return (z - turn) ** 2, 1 + grows * (z - turn) ** 2, 0.0

    return at
