"""Information indices: exact sums, scikit-learn, identities, parameters, and tiny entropies."""

from __future__ import annotations

import math

import numpy as np
import pytest

import adjudge
import naive
from adjudge import find_index
from adjudge.kernels import information
from adjudge.kernels.hypergeometric import deviance
from adjudge.statistics import Contingency
from adjudge.statistics.entropies import expected_mutual_information


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


def random_margins(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    cuts = np.sort(rng.choice(np.arange(1, n), k - 1, replace=False))
    return np.diff([0, *cuts, n])


@pytest.mark.parametrize(
    ("n", "r", "c"), [(2, 1, 2), (2, 2, 2), (7, 3, 4), (50, 5, 5), (60, 50, 3), (300, 4, 9), (400, 2, 2)]
)
def test_expected_mutual_information_is_the_exact_sum(
    n: int, r: int, c: int, rng: np.random.Generator
) -> None:
    for _ in range(3):
        rows, cols = random_margins(rng, n, r), random_margins(rng, n, c)
        exact = float(naive.expected_mutual_information(rows.tolist(), cols.tolist()))
        assert expected_mutual_information(rows, cols, n) == pytest.approx(exact, rel=2e-15)


def test_expected_mutual_information_of_extreme_margins() -> None:
    one = np.array([1000])
    assert expected_mutual_information(one, np.array([400, 600]), 1000) == pytest.approx(0, abs=1e-18)
    singletons = np.ones(1000, np.int64)
    assert expected_mutual_information(singletons, singletons, 1000) == pytest.approx(
        math.log(1000), rel=1e-14
    )
    assert expected_mutual_information(np.array([1]), np.array([1]), 1) == 0
    skewed = np.array([999_999, 1])
    exact = naive.expected_mutual_information([999_999, 1], [999_999, 1])
    assert expected_mutual_information(skewed, skewed, 10**6) == pytest.approx(float(exact), rel=1e-14)


def test_expected_mutual_information_is_scikit_learns(rng: np.random.Generator) -> None:
    from sklearn.metrics import adjusted_mutual_info_score
    from sklearn.metrics.cluster import contingency_matrix
    from sklearn.metrics.cluster import expected_mutual_information as theirs

    a, b = rng.integers(0, 40, 5000), rng.integers(0, 25, 5000)
    b[:2000] = a[:2000] % 25
    table = Contingency.from_labels(a, b)
    matrix = contingency_matrix(a, b, sparse=True)
    assert table.information.expected_mutual == pytest.approx(theirs(matrix, 5000), rel=1e-9)
    for average in ("arithmetic", "geometric", "min", "max"):
        expected = adjusted_mutual_info_score(a, b, average_method=average)
        assert adjudge.ami(a, b, average=average) == pytest.approx(expected, rel=1e-9)


def test_small_information_keeps_its_digits() -> None:
    """Nearly independent: the terms of the usual formula cancel to a billionth."""
    import mpmath

    matrix = [[250_001, 249_999], [250_000, 250_000]]
    n = 1_000_000
    with mpmath.workdps(60):
        columns = [sum(c) for c in zip(*matrix, strict=True)]
        exact = mpmath.fsum(
            mpmath.mpf(c) / n * mpmath.log(mpmath.mpf(c) * n / (sum(row) * column))
            for row in matrix
            for c, column in zip(row, columns, strict=True)
        )
    assert adjudge.mutual_information(matrix) == pytest.approx(float(exact), rel=1e-14)
    assert adjudge.mutual_information(np.full((50, 20), 3)) == 0


@pytest.mark.parametrize("mean", [1e-3, 1.0, 7.5e4, 3e18])
def test_deviance_joins_its_two_formulas(mean: float) -> None:
    """Count log(count / mean) - (count - mean) by series and by logarithm."""
    import mpmath

    for share in (-1.0, -0.999, -0.183, -0.181, -0.051, -1e-9, 0.0, 1e-12, 0.05, 0.2221, 0.2223, 3.0, 1e9):
        difference = share * mean
        with mpmath.workdps(60):
            exact_mean, exact_difference = mpmath.mpf(mean), mpmath.mpf(difference)
            count = exact_mean + exact_difference
            exact = exact_mean if count == 0 else count * mpmath.log(count / exact_mean) - exact_difference
        # The logarithm loses a few bits where it takes over from the series.
        assert deviance(float(count), mean, difference) == pytest.approx(float(exact), rel=4e-15, abs=0)


def test_identities(rng: np.random.Generator) -> None:
    a, b = rng.integers(0, 6, (2, 300))
    b[:150] = a[:150]
    info = Contingency.from_labels(a, b).information
    assert info.joint == pytest.approx(info.entropy_true + info.entropy_pred - info.mutual, rel=1e-13)
    assert info.variation == pytest.approx(info.entropy_true + info.entropy_pred - 2 * info.mutual, rel=1e-12)
    assert adjudge.v_measure(a, b) == pytest.approx(adjudge.nmi(a, b), rel=1e-14)
    assert adjudge.normalized_variation_of_information(a, b) == pytest.approx(
        1 - adjudge.nmi_joint(a, b), rel=1e-13
    )
    assert adjudge.normalized_information_distance(a, b) == pytest.approx(
        1 - adjudge.nmi_max(a, b), rel=1e-13
    )
    h, c = adjudge.homogeneity(a, b), adjudge.completeness(a, b)
    for beta in (0.0, 0.5, 1, 3):
        assert adjudge.v_measure(a, b, beta=beta) == pytest.approx(
            (1 + beta) * h * c / (beta * h + c), rel=1e-13
        )
    assert adjudge.homogeneity(a, b) == adjudge.completeness(b, a)


@pytest.mark.parametrize("average", ["geometric", "min", "max", "joint"])
def test_named_averages_are_variants(average: str, rng: np.random.Generator) -> None:
    a, b = rng.integers(0, 4, (2, 50))
    for family in ("nmi", "ami"):
        named = adjudge.find_index(f"{family}_{average}")
        assert named(a, b) == adjudge.find_index(family)(a, b, average=average)
        assert named.variant_of == family
        assert named.parameters == {"average": average}


def test_a_million_terms_lose_no_digits() -> None:
    """Added one after the other without compensation, they would be off by 1e-12."""
    sizes = np.ones(1_000_000, np.int64)
    assert information.entropy(sizes, sizes.size) == pytest.approx(math.log(sizes.size), rel=5e-16, abs=0.0)
