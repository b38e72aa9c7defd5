"""An interval of a difference holds 0 if the test finds none, and only then."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.inference.common.significance import TestResult, agreeing
from adjudge.inference.differences.groups import compare_shares
from adjudge.inference.interval import Interval


def contradicts(low: float, high: float, p_value: float, confidence: float = 0.95) -> bool:
    return (low > 0 or high < 0) != (p_value < 1 - confidence)


@pytest.mark.parametrize(
    ("n", "only_p", "only_q"),
    [(2, 2, 0), (4, 4, 0), (5, 3, 0), (100, 12, 4), (300, 12, 4), (50, 0, 6), (9, 3, 3)],
)
def test_of_accuracies(n: int, only_p: int, only_q: int) -> None:
    truth = [i % 2 for i in range(n)]
    q = [1 - t if i < only_p else t for i, t in enumerate(truth)]
    p = [1 - t if only_p <= i < only_p + only_q else t for i, t in enumerate(truth)]
    options: dict[str, Any] = {"kind": "classification", "indices": "accuracy", "confidence": 0.95}
    pair = adjudge.compare(truth, {"p": p, "q": q}, **options)["p", "q"]
    found = pair.differences["accuracy"]
    assert not contradicts(found.low, found.high, found.p_value)
    assert found.low <= (only_p - only_q) / n <= found.high


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("seed", range(12))
def test_of_all_scores_of_two_classifiers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    truth = np.r_[np.tile(np.arange(k), 2), rng.integers(0, k, [6, 25, 60, 150][seed % 4])]

    def model(skill: float) -> Any:
        z = rng.normal(size=(truth.size, k))
        z[np.arange(truth.size), truth] += skill
        return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    one = model(1.5)
    other = np.where(rng.random(truth.size)[:, None] < 0.6, one, model(0.6))
    both = {"one": one, "other": other}
    compared = adjudge.compare(
        truth,
        {name: p.argmax(axis=1) for name, p in both.items()},
        probabilities={name: p if k > 2 else p[:, 1] for name, p in both.items()},
        kind="classification",
        indices="all",
        confidence=0.95,
    )
    tested = 0
    for name, found in compared["one", "other"].differences.items():
        if found.low is not None and found.p_value is not None and not math.isnan(found.low + found.p_value):
            assert not contradicts(found.low, found.high, found.p_value), name
            tested += 1
    assert tested > 5


def test_of_groups() -> None:
    for one in range(11):
        for other in range(0, 31, 3):
            found = compare_shares((one, 10), (other, 30), 0.95)
            assert found.test is not None
            if not math.isnan(found.test.p_value):
                assert not contradicts(found.interval.low, found.interval.high, found.test.p_value)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_end_that_faces_zero_gives_way(sign: int) -> None:
    """It is where an interval ends whose standard error gives the p-value."""

    def moved(low: float, high: float, p_value: float) -> tuple[float, float]:
        ends = sorted((sign * low, sign * high))
        test = TestResult(0.0, p_value, "mid-p", "h")
        found = agreeing(sign * 0.3, Interval(*ends, 0.95, "newcombe"), test).interval
        near, far = sorted((found.low, found.high), key=abs)
        return sign * near, sign * far

    # z of 0.02 is 2.326: the standard error is 0.3 / 2.326.
    assert moved(-0.01, 0.5, 0.02) == pytest.approx((0.3 - 1.959964 * 0.3 / 2.326348, 0.5), rel=1e-5)
    assert moved(0.01, 0.5, 0.1) == pytest.approx((0.3 - 1.959964 * 0.3 / 1.644854, 0.5), rel=1e-5)
    assert moved(0.01, 0.5, 1.0) == (-0.3, 0.5)
    assert moved(0.01, 0.5, 0.02) == (0.01, 0.5)
    assert moved(-0.01, 0.5, 0.1) == (-0.01, 0.5)
