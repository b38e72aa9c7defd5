"""Limits that hold at all looks together, beside the integral that they are made from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from adjudge.inference.differences.margins import Change
from adjudge.inference.differences.repeated_looks import Estimate, RepeatedChange, pooled

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


def test_limits_are_where_the_evidence_is_enough() -> None:
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
