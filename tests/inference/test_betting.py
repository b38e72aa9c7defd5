"""Evidence from broken and fixed rows: a product of bets, whose mean is 1 at the bound, whatever the rows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from adjudge.inference.differences.betting import _BETS, BetChange, FlipCounts, log_evidence


def product(rows: list[int], bound: float) -> float:
    """The mean over bets of what one unit of money becomes, row by row."""
    return float(np.mean([math.prod(1 + bet / (1 + bound) * (own - bound) for own in rows) for bet in _BETS]))


@pytest.mark.parametrize("bound", [-0.3, -0.02, 0.0, 0.15])
def test_it_is_the_product_of_bets_in_any_order(bound: float) -> None:
    rows = [1, 0, 0, -1, 1, 0, -1, -1, 0, 0, 1, 1]
    for own in (rows, sorted(rows), rows[::-1]):
        assert log_evidence(3, 4, 12, bound) == pytest.approx(math.log(product(own, bound)))


@pytest.mark.parametrize(("bound", "moves"), [(-0.02, 0.1), (-0.2, 0.2), (0.1, 0.9), (-0.5, 0.5)])
def test_its_mean_is_1_at_the_bound_and_less_below(bound: float, moves: float) -> None:
    """Over all rows that may come, each as likely as it is: it never grows on average."""
    for mean, most in ((bound, 1.0), (bound - 0.05, 0.9999)):
        fixed, broken = (moves + mean) / 2, (moves - mean) / 2
        if min(fixed, broken) < 0:
            continue
        chance = {1: fixed, -1: broken, 0: 1 - moves}
        for n in (1, 4):
            whole = sum(
                math.prod(chance[own] for own in rows) * product(list(rows), bound)
                for rows in itertools.product(chance, repeat=n)
            )
            assert whole == pytest.approx(1) if most == 1 else whole < most


def test_limits_are_where_the_evidence_is_enough() -> None:
    change = BetChange.of(FlipCounts(12, 9, 800), 0.95)
    assert change.value == pytest.approx(-3 / 800)
    assert log_evidence(12, 9, 800, change.low) == pytest.approx(math.log(20))
    assert log_evidence(9, 12, 800, -change.high) == pytest.approx(math.log(20))
    assert change.p_above(change.low) == pytest.approx(0.05)
    assert change.p_below(change.high) == pytest.approx(0.05)
    assert change.p_above(-1) == 0 or change.p_above(-0.9) < 1e-9
    assert change.p_above(0.5) == 1
    turned = BetChange.of(FlipCounts(9, 12, 800), 0.95)
    assert (turned.low, turned.high) == pytest.approx((-change.high, -change.low))
    assert BetChange.of(FlipCounts(12, 9, 800), 0.99).low < change.low


def test_rows_that_never_differ_and_a_model_that_is_always_wrong() -> None:
    same = BetChange.of(FlipCounts(0, 0, 300), 0.95)
    assert -0.02 < same.low < 0 == same.value < same.high < 0.02
    worst = BetChange.of(FlipCounts(300, 0, 300), 0.95)
    assert worst.low == pytest.approx(-1)
    assert worst.high < -0.9


def test_how_many_rows_are_needed() -> None:
    change = BetChange.of(FlipCounts(30, 30, 500), 0.95)
    assert change.low < -0.03
    needed = change.n_needed(-0.03, 500)
    assert needed is not None
    times = needed / 500
    enough = BetChange.of(FlipCounts(round(30 * times), round(30 * times), round(500 * times)), 0.95)
    assert enough.low == pytest.approx(-0.03, abs=0.002)
    assert change.n_needed(0.0, 500) is None
    better = BetChange.of(FlipCounts(0, 0, 10), 0.95).n_needed(0.0, 10, assumed=0.02)
    assert better is not None
    assert better > 100
    assert FlipCounts(1, 2, 10) + FlipCounts(3, 4, 20) == FlipCounts(4, 6, 30)


def test_the_level_holds_however_often_one_looks() -> None:
    """Rows of a model that is worse by the margin, looked at after each fifty: at most 5 % ever pass."""
    rng, passed = np.random.default_rng(4), 0
    for _ in range(400):
        rows = rng.multinomial(50, [0.035, 0.015, 0.95], 40).cumsum(axis=0)
        passed += any(log_evidence(b, f, b + f + same, -0.02) > math.log(20) for b, f, same in rows)
    assert passed <= 400 * 0.05
