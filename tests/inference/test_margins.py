"""Margins beside intervals, statsmodels' two one-sided tests, the noncentral t distribution and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import nct, norm, t

from adjudge.inference.common.significance import difference_of_influences
from adjudge.inference.differences.margins import Change, power_of_margin, two_sided, units_for_margin
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, p_value_of

LEVELS = [0.8, 0.9, 0.95, 0.99]


def symmetric(value: float, error: float, freedom: float | None, confidence: float) -> Change:
    quantile = norm.ppf(confidence) if freedom is None else t.ppf(confidence, freedom)
    return Change(value, value - quantile * error, value + quantile * error, confidence, freedom)


def test_one_end_of_an_interval_of_both_sides() -> None:
    assert [two_sided(level) for level in (0.95, 0.975, 0.5)] == pytest.approx([0.9, 0.95, 0.0])


@pytest.mark.parametrize("freedom", [None, 1.5, 9, 120])
@pytest.mark.parametrize("confidence", LEVELS)
def test_the_error_and_p_values_are_those_of_students_t(freedom: float | None, confidence: float) -> None:
    change = symmetric(0.013, 0.004, freedom, confidence)
    assert change.error == pytest.approx(0.004)
    of = norm if freedom is None else t(freedom)
    for bound in (-0.01, 0.0, 0.013, 0.02, 0.05):
        assert change.p_above(bound) == pytest.approx(of.sf((0.013 - bound) / 0.004))
        assert change.p_below(bound) == pytest.approx(of.cdf((0.013 - bound) / 0.004))
        assert change.p_above(bound) + change.p_below(bound) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(20))
def test_a_p_value_is_below_alpha_just_where_the_end_is_beyond_the_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    confidence = float(rng.choice(LEVELS))
    value = float(rng.normal())
    freedom = None if seed % 2 else float(rng.integers(1, 30))
    below, above = rng.exponential(size=2)
    if freedom is not None:
        above = below
    change = Change(value, value - below, value + above, confidence, freedom)
    alpha = 1 - confidence
    assert change.p_above(change.low) == pytest.approx(alpha)
    assert change.p_below(change.high) == pytest.approx(alpha)
    for bound in rng.normal(value, 2, 200):
        assert (change.p_above(bound) < alpha) == (change.low > bound)
        assert (change.p_below(bound) < alpha) == (change.high < bound)


def test_each_side_of_a_lopsided_interval_has_its_own_error() -> None:
    change = Change(0.0, -0.01, 0.03, 0.95)
    assert change.p_above(-0.01) == pytest.approx(0.05)
    assert change.p_below(0.03) == pytest.approx(0.05)
    z = float(norm.ppf(0.95))
    assert change.p_above(-0.02) == pytest.approx(norm.sf(2 * z))
    assert change.p_below(0.015) == pytest.approx(norm.sf(z / 2))
    # What lies on the other side of the value is judged by the side that it is on.
    assert change.p_above(0.03) == pytest.approx(0.95)


def test_an_interval_lies_around_the_value() -> None:
    for freedom in (None, 10.0):
        assert Change(0.3, 0.0, 0.2, 0.95, freedom).p_above(0.0) == pytest.approx(0.05)
        assert math.isnan(Change(0.3, 0.0, 0.2, 0.95, freedom).p_below(0.2 + 1e-9))  # no width on that side


def test_an_interval_without_width_has_no_p_value() -> None:
    assert math.isnan(Change(0.1, 0.1, 0.1, 0.95).p_above(0.0))
    assert math.isnan(Change(0.1, 0.1, 0.1, 0.95, 5.0).p_below(0.2))


@pytest.mark.parametrize("seed", range(5))
def test_margins_of_a_mean_loss_are_two_one_sided_tests(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 300 + 70 * seed
    noise = 0.1 * rng.normal(size=n)
    change = noise - noise.mean() + 0.004
    own = Influence.centred(float(change.mean()), change)
    found = difference_of_influences(Wanted(own, (0, math.inf)), 0.9, "h")
    low, high = found.interval
    for margin in (0.003, 0.012, 0.02):
        change = Change(own.value, low, high, 0.95, found.freedom)
        # The claim holds at 5 % if the limit of the interval does; its p-value is nearly that of the influence.
        assert (change.p_above(-margin) < 0.05) == (low > -margin)
        assert (change.p_below(margin) < 0.05) == (high < margin)
        assert 2 * change.p_above(-margin) == pytest.approx(
            p_value_of(Wanted(own, (0, 1)), -margin), rel=0.06, abs=2e-4
        )


@pytest.mark.parametrize("freedom", [3, 12.5, 200])
@pytest.mark.parametrize("away", [-0.02, 0.0, 0.01, 0.04])
@pytest.mark.parametrize("confidence", LEVELS)
def test_the_power_is_that_of_the_noncentral_t(freedom: float, away: float, confidence: float) -> None:
    exact = nct.sf(t.ppf(confidence, freedom), freedom, away / 0.01)
    assert power_of_margin(0.01, freedom, away, confidence) == pytest.approx(exact, abs=1e-9)
    both = power_of_margin(0.01, freedom, away, confidence, both=True)
    assert both == pytest.approx(max(0.0, 2 * exact - 1), abs=1e-9)


def test_the_power_of_a_normal_change() -> None:
    for away in (-0.01, 0.0, 0.03):
        exact = norm.cdf(away / 0.01 - norm.ppf(0.95))
        assert power_of_margin(0.01, None, away) == pytest.approx(exact)
    assert power_of_margin(0.01, 9, 0.0) == pytest.approx(0.05)  # at the margin itself
    assert power_of_margin(0.0, 9, 0.001) == 1
    assert power_of_margin(0.0, 9, 0.0) == 0


@pytest.mark.full(keep=11)
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize(
    ("error", "units", "away"), [(0.05, 40, 0.01), (0.05, 40, 0.03), (0.02, 100, 0.02), (0.3, 12, 0.9)]
)
def test_as_many_units_as_brute_force_finds(
    error: float, units: float, away: float, power: float, both: bool
) -> None:
    found = units_for_margin(error, units, away, power=power, both=both)
    assert found is not None

    def reached(n: int) -> bool:
        own = error * math.sqrt(units / n)
        return power_of_margin(own, n - 1, away, both=both) >= power

    enough = next(n for n in range(3, 60_000) if reached(n))
    # The formula adds two quantiles of Student's t, where the power is that of a noncentral one.
    assert abs(found - enough) <= max(3, 0.02 * enough)


def test_no_number_of_units_shows_what_is_not_so() -> None:
    for away in (0.0, -0.01, math.nan):
        assert units_for_margin(0.05, 40, away) is None
    assert units_for_margin(math.inf, 40, 0.01) is None
    assert units_for_margin(math.nan, 40, 0.01) is None


def test_a_fourth_of_the_margin_needs_sixteen_times_the_units() -> None:
    wide, narrow = (units_for_margin(0.05, 400, away) for away in (0.04, 0.01))
    assert wide is not None
    assert narrow is not None
    assert narrow / wide == pytest.approx(16, rel=0.01)
