"""Limits of shares, and intervals that are made like them, beside the tail probabilities that define them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from adjudge.inference.common.proportions import clopper_pearson, mid_p, normal_quantile, wilson

LEVELS = (0.5, 0.95, 0.999)


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
