"""Evidence that holds however often one looks: bets on broken and fixed rows, and limits at all looks together."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from adjudge.inference.differences.betting import _BETS, BetChange, FlipCounts, log_evidence
from adjudge.inference.differences.margins import Change
from adjudge.inference.differences.repeated_looks import Estimate, RepeatedChange, pooled


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


FIRST = Estimate(0.01, 0.02, 0.03, 100)


def evidence(change: RepeatedChange, bound: float) -> float:
    """The mean likelihood ratio of changes above a bound, against the bound itself, for half-normal weights."""
    error = change.below if bound < change.value else change.above
    tail = 2 * math.log(1 / (2 * (1 - change.confidence)))
    spread = change.prior * math.sqrt(tail + math.log1p(tail))

    def of(above: float) -> float:
        away = change.value - bound
        ratio = math.exp((away * above - above**2 / 2) / error**2)
        return ratio * 2 * norm.pdf(above, scale=spread)

    return quad(of, 0, 12 * max(spread, error), limit=400, epsabs=1e-12)[0]


@pytest.mark.parametrize("bound", [-0.05, -0.02, 0.0, 0.01, 0.03])
@pytest.mark.parametrize("times", [1, 4, 50])
def test_evidence_is_a_mixture(bound: float, times: int) -> None:
    seen = Estimate(0.01, 0.02 / math.sqrt(times), 0.03 / math.sqrt(times), 100 * times)
    change = RepeatedChange.at(seen, 0.95, FIRST)
    assert change.p_above(bound) == pytest.approx(min(1, 1 / evidence(change, bound)), rel=1e-6)


def test_limits_of_all_looks_are_where_the_evidence_is_enough() -> None:
    change = RepeatedChange.at(FIRST, 0.95, FIRST)
    assert change.p_above(change.low) == pytest.approx(0.05)
    assert change.p_below(change.high) == pytest.approx(0.05)
    # They are wider than those of a single look.
    assert change.low < 0.01 - 1.645 * 0.02
    assert change.high > 0.01 + 1.645 * 0.03
    assert change.p_above(0.01) == 1


def test_looks_at_new_rows_add_up() -> None:
    one, other = Estimate(0.02, 0.01, 0.02, 300), Estimate(-0.01, 0.03, 0.03, 100)
    both = pooled([one, other])
    assert both.value == pytest.approx((0.02 * 3 - 0.01) / 4)
    assert both.below == pytest.approx(math.hypot(0.01 * 300, 0.03 * 100) / 400)
    assert both.n == 400
    assert pooled([one]) == one
    change = Change(0.01, -0.02, 0.06, 0.95)
    read = Estimate.of(change, 50)
    assert (read.below, read.above) == pytest.approx((0.03 / 1.6448536, 0.05 / 1.6448536))


def test_rows_that_are_needed() -> None:
    change = RepeatedChange.at(Estimate(0.0, 0.02, 0.02, 100), 0.95, FIRST)
    needed = change.n_needed(-0.02, 100)
    assert needed is not None
    error = 0.02 * math.sqrt(100 / needed)
    assert RepeatedChange.at(Estimate(0.0, error, error, needed), 0.95, FIRST).low > -0.0201
    assert change.n_needed(0.0, 100) is None


def test_a_worse_model_hardly_ever_passes() -> None:
    """26 looks at new rows: a single look would let two of three through."""
    rng = np.random.default_rng(2)
    passed = alone = 0
    for _ in range(200):
        looks: list[Estimate] = []
        together = single = False
        for _ in range(26):
            change = rng.choice([1, 0, -1], 400, p=[0.05, 0.88, 0.07])
            error = change.std(ddof=1) / 20
            looks.append(Estimate(change.mean(), error, error, 400))
            single |= looks[-1].value - 1.645 * error > -0.02
            together |= RepeatedChange.at(pooled(looks), 0.95, looks[0]).low > -0.02
        passed += together
        alone += single
    assert passed <= 10
    assert alone > 100
