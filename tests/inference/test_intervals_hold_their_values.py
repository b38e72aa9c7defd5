"""Every interval of an external index holds what it is about, or there is a reason why there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.results.score import Score

EXTERNAL = [record.name for record in adjudge.list_indices("external")]


def small_tables(seed: int, how_many: int) -> list[np.ndarray]:
    """Tables of few instances: random, even, drawn from even cells, and nearly diagonal ones."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < how_many:
        shape = rng.integers(1, 5, 2)
        cells = int(shape.prod())
        table = (
            lambda shape=shape: rng.integers(0, 8, shape),
            lambda shape=shape: np.full(shape, rng.integers(1, 6)),
            lambda shape=shape, cells=cells: rng.multinomial(
                rng.integers(3, 40), np.full(cells, 1 / cells)
            ).reshape(shape),
            lambda: np.diag(rng.integers(0, 6, 4)) + (rng.random((4, 4)) < 0.15),
        )[len(found) % 4]()
        if table.sum() >= 2:
            found.append(table)
    return found


def labels_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, cols = np.nonzero(table)
    return np.repeat(rows, table[rows, cols]), np.repeat(cols, table[rows, cols])


def fault_of(score: Score) -> str | None:
    """What is wrong with an interval, or with its absence."""
    if score.low is None or score.high is None:
        return None if score.interval_reason else "no interval and no reason"
    if not score.low <= score.high:
        return "the ends are in the wrong order"
    low, high = score.index.range
    slack = 1e-9
    if score.low < low - slack or score.high > high + slack:
        return "the interval passes the range"
    if math.isnan(score.value):
        return None if score.interval_reason else "an interval of nothing without a reason"
    about = score.value if score.estimate is None else score.estimate
    if not score.low - slack <= about <= score.high + slack:
        return "the interval leaves out what it is about"
    if not score.low - slack <= score.value <= score.high + slack and not score.interval_reason:
        return "the value lies outside, without a reason"
    return None


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_intervals_hold_what_they_are_about(seed: int) -> None:
    faults: dict[str, Any] = {}
    for table in small_tables(seed, 60):
        judged = adjudge.evaluate(*labels_of(table), indices=EXTERNAL, confidence=0.95)
        for name in judged:
            score = judged.score(name)
            fault = fault_of(score)
            if fault is not None:
                faults.setdefault(f"{name}: {fault}", (table.tolist(), score.value, score.low, score.high))
    assert not faults


@pytest.mark.parametrize("name", ["bcubed_precision", "bcubed_recall", "bcubed_f"])
def test_even_tables_have_the_least_share(name: str) -> None:
    for k, count in ((2, 6), (3, 5), (4, 4)):
        score = adjudge.evaluate(*labels_of(np.full((k, k), count)), indices=name, confidence=0.95).score(
            name
        )
        assert score.value == pytest.approx(1 / k)
        # No population with these clusters has a smaller value: the interval reaches above it.
        assert score.low < score.value < score.high < 1


@pytest.mark.parametrize("table", [[[6, 5]], [[6], [2], [3], [4]]])
def test_one_cluster_gives_no_interval_of_a_quotient_of_entropies(table: list[list[int]]) -> None:
    judged = adjudge.evaluate(*labels_of(np.array(table)), indices=["nmi", "v_measure"], confidence=0.95)
    for name in judged:
        assert judged.score(name).low is None
        assert "a partition has one cluster" in str(judged.score(name).interval_reason)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("adjusted_rand", [[10], [20]]),
        ("adjusted_rand", [[10, 20]]),
        ("pair_recall", [[10], [20]]),
        ("pair_precision", [[10, 20]]),
        ("adjusted_fowlkes_mallows", [[10, 20]]),
    ],
)
def test_one_cluster_gives_no_interval_of_what_no_instance_changes(name: str, table: list[list[int]]) -> None:
    """These had intervals of no length, or of the whole range."""
    found = adjudge.inference.confidence_intervals([name], np.array(table))[name]
    assert math.isnan(found.low)
    assert "a partition has one cluster" in str(found.reason)
    assert not math.isnan(adjudge.inference.confidence_intervals(["rand"], np.array(table))["rand"].low)


def test_what_is_undefined_has_no_interval_and_a_reason() -> None:
    ratings = [["a", "a"], ["a", "a"], ["a", "a"]]
    judged = adjudge.evaluate(ratings, kind="raters", confidence=0.95)
    undefined = [name for name in judged if math.isnan(judged[name])]
    assert "fleiss_kappa" in undefined
    classes = adjudge.evaluate([0, 0, 0], [0, 0, 0], kind="classification", indices="all", confidence=0.95)
    undefined_too = [name for name in classes if math.isnan(classes[name])]
    assert "matthews_correlation" in undefined_too
    for result, names in ((judged, undefined), (classes, undefined_too)):
        for name in names:
            assert fault_of(result.score(name)) is None, name
