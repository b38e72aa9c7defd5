"""Chance where numbers run out: p-values below floating point, gaps between tables, means that do not exist."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.presentation.numbers import show_number


def test_a_p_value_below_floating_point_is_shown() -> None:
    pairs = np.repeat(np.arange(500_000), 2)
    found = adjudge.evaluate(pairs, pairs, indices=["rand"], adjust=True)
    assert "< 2.3e-308" in str(found)


def test_the_bound_of_a_vanishing_p_value() -> None:
    from adjudge.presentation.numbers import UpperBound, bounded

    assert isinstance(bounded(0.0, 0.0), UpperBound)
    assert show_number(bounded(0.0, 0.0)) == "< 2.3e-308"
    assert bounded(0.2, 0.0) == 0.2


@pytest.mark.full
@pytest.mark.parametrize(("n", "within"), [(50, 0.06), (100, 0.04), (400, 0.02)])
def test_the_tail_of_few_clusters_has_gaps(n: int, within: float) -> None:
    """Of two halves against two halves the number of joined pairs skips more numbers than it takes."""
    half = n // 2
    for more in range(2, half // 2):
        table = [[half // 2 + more, half - half // 2 - more], [half - half // 2 - more, half // 2 + more]]
        exact, law = (
            adjudge.inference.null_distribution("rand", table, method=method).p_value()
            for method in ("exact", "pearson3")
        )
        if 1e-3 < exact < 0.2:
            assert law == pytest.approx(exact, rel=within), table


@pytest.mark.full
def test_the_tail_of_few_clusters_is_no_smaller_than_it_is() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        r, c = rng.integers(2, 4, 2)
        truth = rng.integers(0, r, 100)
        labels = np.where(rng.random(100) < 0.25, truth % c, rng.integers(0, c, 100))
        exact, law = (
            adjudge.inference.null_distribution("rand", truth, labels, method=method).p_value()
            for method in ("exact", "pearson3")
        )
        if 1e-3 < exact < 0.2:
            assert 0.9 * exact < law < 2.5 * exact


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("null", ["all", "all1"])
def test_a_mean_that_does_not_exist_is_never_given(seed: int, null: str) -> None:
    labels: list[Any] = [[0, 1, 2, 3, 4, 5], [0, 1, 1, 2, 2, 3]]
    found = adjudge.inference.null_distribution("jaccard", *labels, null=null, random_state=seed, n_tables=50)
    assert math.isnan(found.mean)
    assert math.isnan(found.p_value())
    assert found.reason is not None
    assert "jaccard is undefined for" in found.reason
    assert math.isnan(
        adjudge.inference.expected_by_chance("jaccard", *labels, null=null, random_state=seed, n_tables=50)
    )


def test_the_reason_names_partitions_without_a_value() -> None:
    labels = np.arange(200) // 5, np.arange(200) % 7
    found = adjudge.inference.null_distribution("jaccard", *labels, null="all", random_state=0, n_tables=50)
    assert (
        found.reason
        == "jaccard is undefined for some partitions, such as single instances and single instances"
    )


def test_a_mean_that_exists_is_given() -> None:
    labels = np.arange(40) // 5, np.arange(40) % 7
    for index, null in (("rand", "all"), ("purity", "all"), ("jaccard", "num"), ("jaccard", "all1")):
        found = adjudge.inference.null_distribution(index, *labels, null=null, random_state=0, n_tables=50)
        assert math.isfinite(found.mean), (index, null)
        assert found.reason is None


@pytest.mark.full
def test_what_chance_cannot_change_is_chance_whatever_the_rounding() -> None:
    """If every table has the same value, no agreement is beyond chance, although values differ by rounding."""
    truth, prediction = np.arange(50), np.arange(50) % 49
    found = adjudge.evaluate(
        truth,
        prediction,
        indices=["ami", "nmi", "homogeneity", "adjusted_asymmetric_accuracy"],
        adjust=True,
        random_state=0,
    )
    for name, score in found.scores.items():
        assert score.p_value == 1.0, name
        if name != "ami":
            assert score.adjusted == 0.0, name
