"""Measures of information where entropies are tiny, and where nothing but one cluster is left to explain."""

from __future__ import annotations

import math

import pytest

import adjudge
from adjudge import find_index


def test_entropies_of_a_few_instances_among_many() -> None:
    """One instance in 10^10 on its own: the entropies are 2.4e-9, and all is relative to them."""
    n = 10**10
    table = [[n, 1], [1, 1]]
    assert find_index("entropy_true")(table) < 1e-8
    for average in ("arithmetic", "geometric", "min", "max"):
        value = adjudge.ami(table, average=average)
        # Both single out two instances, of which they have one in common.
        assert value == pytest.approx(adjudge.nmi(table, average=average), rel=1e-6)
        assert 0.4 < value < 0.6
    assert adjudge.adjusted_rand(table) == pytest.approx(0.5, rel=1e-6)


def test_a_weight_of_zero() -> None:
    value, reason = find_index("v_measure").assess(
        adjudge.statistics.Contingency.from_labels([0, 0, 0], [0, 0, 1]).information, beta=0.0
    )
    assert math.isnan(value)
    assert reason == "0/0: a partition is one cluster, so its entropy is 0"
    assert adjudge.v_measure([0, 0, 1], [0, 0, 0]) == 0.0
