"""Intervals of losses and skill scores beside sums over instances and classes, one at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import interval_twin as twin
from adjudge import find_index
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.statistics.forecasts import ProbabilityForecasts

Loss = Callable[[list[float], int], float]
Cases = list[tuple[list[float], int]]


def log_loss(shares: list[float], k: int) -> float:
    return -math.log(shares[k])


def brier(shares: list[float], k: int) -> float:
    if len(shares) == 2:
        return (shares[1] - (k == 1)) ** 2
    return sum((share - (i == k)) ** 2 for i, share in enumerate(shares))


def score(name: str, cases: Cases, times: list[float] | None = None) -> float:
    """A mean loss, or by how much it is lower than that of forecasting the shares of the classes."""
    loss: Loss = log_loss if "log" in name else brier
    each = times or [1.0] * len(cases)
    total = sum(w * loss(shares, k) for w, (shares, k) in zip(each, cases, strict=True))
    if name in ("log_loss", "brier_score"):
        return total / sum(each)
    base = [
        sum(w for w, (_, k) in zip(each, cases, strict=True) if k == c) / sum(each)
        for c in range(len(cases[0][0]))
    ]
    return 1 - total / sum(w * loss(base, k) for w, (_, k) in zip(each, cases, strict=True))


def expected_once(gains: list[tuple[float, float, Any]]) -> list[tuple[float, Any]]:
    """The cases of the largest gains of which one is expected in all, and how often, given gains and probabilities."""
    left, found = 1.0, []
    for _, share, case in sorted(gains, key=lambda own: -own[0]):
        found.append((min(share, left), case))
        left -= found[-1][0]
        if left <= 0:
            break
    return found


def read(cases: Cases) -> ProbabilityForecasts:
    rows, codes = np.array([shares for shares, _ in cases]), np.array([k for _, k in cases])
    return ProbabilityForecasts(
        list(range(rows.shape[1])), codes, rows if rows.shape[1] > 2 else rows[:, 1], None, None
    )


def drawn(k: int, seed: int, n: int = 40) -> tuple[Cases, Cases]:
    rng = np.random.default_rng(seed)
    one, other = rng.dirichlet(np.full(k, 1.5), (2, n))
    # Nearly all are right, so that the sample has smaller losses than the probabilities expect.
    codes = [*range(k), *one[k:].argmax(axis=1).tolist()]
    return (
        list(zip(one.tolist(), codes, strict=True)),
        list(zip(other.tolist(), codes, strict=True)),
    )


NAMES = ["log_loss", "brier_score", "d2_log_loss", "brier_skill_score"]


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("difference", [False, True])
def test_definition(name: str, k: int, difference: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was not seen is the mean of the most extreme of which the probabilities expect one.

    It moves a difference as far as any that was seen.
    """
    monkeypatch.setattr("adjudge.inference.forecasts.loss_sums._BLOCK", 8)
    first, second = drawn(k, 3)
    n, codes = len(first), [code for _, code in first]

    def value(rows: list[tuple[int, int]], times: list[float] | None = None) -> float:
        """The score of instances, each given as one whose probabilities it has, and a class."""
        found = score(name, [(first[i][0], c) for i, c in rows], times)
        return found - score(name, [(second[i][0], c) for i, c in rows]) if difference else found

    seen = list(enumerate(codes))
    start = value(seen)

    def gain(cell: tuple[int, int], step: float = 1e-3) -> float:
        """The slope, by a step as small as a thousandth of an instance: a thousand copies of all, and one more."""
        few = [(value([*seen * times, cell]) - start) * (times * n + 1) for times in (40, 80)]
        return 2 * few[1] - few[0]

    psi = [gain(cell) for cell in seen]
    if difference:
        rise = fall = max(map(abs, psi)) / n
        found = differences_of_forecasts([find_index(name)], read(first), read(second), 0.9)[name].interval
    else:
        slopes = {(i, c): gain((i, c)) for i in range(n) for c in range(k)}
        moves = [0.0]
        for sign in (1, -1):
            end = expected_once([(sign * slope, first[i][0][c], (i, c)) for (i, c), slope in slopes.items()])
            more = [share for share, _ in end]
            moves.append(value([*seen, *(cell for _, cell in end)], [*[1.0] * n, *more]) - start)
            # What the slope says: each slope is that for an instance among n.
            moves.append(sum(share * slopes[cell] for share, cell in end) / n)
        rise, fall = max(moves), -min(moves)
        found = intervals_of_forecasts([find_index(name)], read(first), 0.9)[name]
    low, high = twin.ends(start, psi, rise=rise, fall=fall, confidence=0.9)
    least, most = find_index(name).range if not difference else (-math.inf, math.inf)
    assert tuple(found) == pytest.approx((max(low, least), min(high, most)), abs=2e-4 * (high - low))


def test_losses_that_are_all_alike() -> None:
    """The Brier score allows for the next one; log losses have no limit."""
    certain = read([([1.0, 0.0], 0), ([0.0, 1.0], 1)] * 10)
    found = intervals_of_forecasts([find_index(name) for name in NAMES], certain, 0.95)
    assert found["brier_score"].low == 0 < found["brier_score"].high < 0.2
    assert "the next one would" in str(found["brier_score"].reason)
    assert "no finite range" in str(found["log_loss"].reason)


def test_intervals_end_where_the_values_do() -> None:
    two = replace(read(drawn(2, 1, 6)[0]), values=np.array([0.02, 0.99, 0.1, 0.9, 0.5, 0.97]))
    wrong = replace(two, codes=(two.values < 0.5).astype(np.int64))
    assert intervals_of_forecasts([find_index("brier_score")], wrong, 0.95)["brier_score"].high == 1.0
    good = read([([0.98, 0.02], 0), ([0.1, 0.9], 1)] * 8)
    found = intervals_of_forecasts([find_index(name) for name in NAMES], good, 0.9999)
    assert (found["log_loss"].low, found["brier_score"].low) == (0, 0)
    assert (found["d2_log_loss"].high, found["brier_skill_score"].high) == (1, 1)
