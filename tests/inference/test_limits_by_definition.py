"""Limits of shares, and intervals that are made like them, beside the tail probabilities that define them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, chi2, ncx2, norm

from adjudge.inference.common.proportions import clopper_pearson, mid_p, near_mid_p, normal_quantile, wilson
from adjudge.inference.common.score_intervals import UNSEEN_EVENTS, ScoreBasis
from adjudge.inference.common.turns import Turn, turns_of

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


@pytest.mark.parametrize("n", [3, 8, 9, 12, 14, 40])
@pytest.mark.parametrize("limits", [(0.0, 1.0), (-1.0, 1.0), (2.0, 12.0)])
def test_a_share_of_any_range_has_the_limits_of_a_share(n: int, limits: tuple[float, float]) -> None:
    start, width = limits[0], limits[1] - limits[0]
    for hits, confidence in itertools.product((np.arange(2 * n + 1) / 2).tolist(), LEVELS):
        share = hits / n
        if 5 in (hits, n - hits):  # rounding decides whether that is fewer than five
            continue
        basis = ScoreBasis(
            start + share * width,
            limits,
            share * (1 - share) / n * width**2,
            math.nan if 0 < hits < n else width / n,
        )
        expected = start + width * np.array(of_a_share(hits, n, confidence))
        assert basis.interval(confidence) == pytest.approx(expected, abs=1e-9)


def test_what_is_beyond_a_limit_by_rounding_is_at_it() -> None:
    for estimate, limit in ((1 + 1e-12, 1.0), (-1e-12, 0.0)):
        found = ScoreBasis(estimate, (0.0, 1.0), 0.0, 0.05).interval(0.95)
        assert found == ScoreBasis(limit, (0.0, 1.0), 0.0, 0.05).interval(0.95)


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


@pytest.mark.parametrize("name", BASES)
def test_the_p_value_of_an_end_is_what_the_interval_leaves_out(name: str) -> None:
    basis = BASES[name]
    for confidence in (0.6, 0.95, 0.9999):
        for end, limit in zip(basis.interval(confidence), basis.limits, strict=True):
            if end not in (limit, 0.1):  # at a limit, and at the turn, it is 1, or what ends there
                assert basis.p_value(end) == pytest.approx(1 - confidence, rel=2e-3)
    assert basis.p_value(basis.estimate) == 1.0
    assert basis.p_value(basis.estimate + 1e-12) <= 1.0


def test_p_values_end_at_what_doubles_tell() -> None:
    assert BASES["normal"].p_value(100.0) == BASES["normal"].p_value(-100.0) == 1e-15


def test_of_no_event_as_many_are_counted_as_would_not_be_seen() -> None:
    """The upper mid-P limit of a Poisson mean without an event: half of the probability of none is 0.025."""
    unseen = norm.ppf(0.975) * math.sqrt(UNSEEN_EVENTS)
    assert math.exp(-unseen) / 2 == pytest.approx(0.025, rel=1e-6)


@pytest.mark.parametrize("scale", [0.05, -0.02])
@pytest.mark.parametrize("freedom", [1.0, 3.0, 20.0])
def test_near_a_turn_the_ends_are_those_of_a_chi_square_law(scale: float, freedom: float) -> None:
    """Laws near the turn may reject twice as many estimates that are too far, as long as none is too near for them."""
    turn = Turn(0.4, 2 * freedom * scale**2, scale)
    assert turn.degrees_of_freedom == pytest.approx(freedom)
    least = chi2.ppf(0.25, freedom)
    for confidence, level in itertools.product((0.8, 0.95), (0.01, 0.3, 0.7, 0.93, 0.99, 0.9999)):
        seen = chi2.ppf(level, freedom)
        tail = (1 - confidence) / 2
        nearer, farther = turn.ends(0.4 + scale * (seen - freedom), confidence)
        beyond = np.linspace(0, 60, 6001)
        none_too_near = ncx2.cdf(least, freedom, beyond + 1e-300) > tail
        rejected = ncx2.sf(max(seen, least), freedom, beyond + 1e-300) < np.where(
            none_too_near, 2 * tail, tail
        )
        first = beyond[~rejected][0]
        assert (nearer - 0.4) / scale == pytest.approx(first, abs=0.011)
        far = (farther - 0.4) / scale
        if chi2.cdf(max(seen, least), freedom) > tail:
            assert ncx2.cdf(max(seen, least), freedom, far) == pytest.approx(tail, rel=1e-6)
        else:
            assert far == 0.0


def test_where_a_quadratic_form_says_nothing() -> None:
    assert not Turn(0.4, 0.0, 0.1).quadratic(0.1)
    assert not Turn(0.4, 0.1).quadratic(0.4)
    near = Turn(0.4, 2 * 8 * 0.1**2, 0.1)
    edge = 7 * math.sqrt(2 * 8) * 0.1  # seven standard deviations beyond the turn
    assert near.quadratic(0.4 + edge - 1e-9)
    assert not near.quadratic(0.4 + edge + 1e-9)


def test_between_a_turn_and_the_estimate_the_variance_changes_evenly() -> None:
    turn = Turn(0.0, 0.004)
    low, _ = ScoreBasis(0.5, FREE, 0.02, turns=(turn, None)).interval(0.95)
    variance = 0.02 + (0.004 - 0.02) * (0.5 - low) / 0.5
    assert (0.5 - low) ** 2 == pytest.approx(normal_quantile(0.95) ** 2 * variance, rel=1e-9)


def test_an_index_with_two_turns_is_no_quadratic_form() -> None:
    both = Turn(0.1, 0.02, 0.05), Turn(0.5, 0.02, -0.05)
    without_scales = Turn(0.1, 0.02), Turn(0.5, 0.02)
    assert (
        ScoreBasis(0.3, FREE, 0.01, turns=both).interval(0.95)
        == ScoreBasis(0.3, FREE, 0.01, turns=without_scales).interval(0.95)
        != ScoreBasis(0.3, FREE, 0.01, turns=(both[0], None)).interval(0.95)
    )


Law = tuple[float, float, float]


def a_square(turn: float, grows: float = 1.0) -> Callable[[float], Law]:
    """Values, variances and linear parts of laws along which an index is a parabola; its variance grows like it."""

    def at(z: float) -> Law:
        return (z - turn) ** 2, 1 + grows * (z - turn) ** 2, 0.0

    return at


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("turn", [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
def test_a_turn_is_found_within_two_and_a_half_deviations(turn: float, sign: int) -> None:
    at = a_square(-turn)
    estimate = at(0.0)[0]

    def there(z: float) -> Law:
        value, variance, linear = at(z)
        return -sign * value, variance, linear

    found = turns_of(-sign * estimate, 100.0, there if sign < 0 else lambda z: there(-z))
    own, other = found if sign < 0 else found[::-1]
    assert other is None
    if turn > 2.5:
        assert own is None
    else:
        assert own is not None
        assert own[:2] == (0.0, 1.0)
        # The variance of a + s X grows by 4 s a step, X being noncentral chi-square.
        assert own.scale == pytest.approx(-sign * 0.25)


def test_a_law_that_moves_far_enough_has_no_turn() -> None:
    """More than 1.2 standard deviations, tilted by two."""
    at = a_square(-2.6)
    moved = at(0.0)[0] - at(-2.0)[0]
    assert turns_of(at(0.0)[0], (moved / 1.19) ** 2, at)[0] is not None
    assert turns_of(at(0.0)[0], (moved / 1.21) ** 2, at) == (None, None)
    small = lambda z: (0.001 * (z + 2.6) ** 2, 1.0, 0.0)  # noqa: E731
    assert turns_of(0.001 * 2.6**2, (0.001 * moved / 1.21) ** 2, small) == (None, None)


def test_a_variance_that_shrinks_away_from_a_turn_tells_no_scale() -> None:
    low, _ = turns_of(0.25, 100.0, a_square(-0.5, grows=-0.01))
    assert low is not None
    assert math.isnan(low.scale)
