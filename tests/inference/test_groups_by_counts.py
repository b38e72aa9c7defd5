"""Tests of two small groups, whose z is not normal, by all pairs of counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from adjudge.inference.differences.groups import compare_shares, pooled_z, summed_p_value


def every_z(n: int, m: int) -> np.ndarray:
    z = np.array([[pooled_z(x, n, y, m)[0] for y in range(m + 1)] for x in range(n + 1)])
    return np.abs(np.nan_to_num(z))


def chances(n: int, m: int, share: float) -> np.ndarray:
    return np.outer(binom.pmf(np.arange(n + 1), n, share), binom.pmf(np.arange(m + 1), m, share))


@pytest.mark.parametrize(("n", "m"), [(3, 40), (40, 3), (9, 9), (17, 25)])
def test_summed_p_values_are_those_of_all_pairs_of_counts(n: int, m: int) -> None:
    z = every_z(n, m)
    generator = np.random.default_rng(n)
    for x, y in zip(
        generator.integers(0, n + 1, 20).tolist(), generator.integers(0, m + 1, 20).tolist(), strict=True
    ):
        if 0 < x + y < n + m and z[x, y] > 0:
            expected = chances(n, m, (x + y) / (n + m))[z >= z[x, y] - 1e-9].sum()
            assert summed_p_value(x, n, y, m) == pytest.approx(expected, rel=1e-9)


def test_of_many_instances_both_p_values_are_the_same() -> None:
    counts = 51_000, 100_000, 250_900, 500_000
    assert summed_p_value(*counts) == pytest.approx(pooled_z(*counts)[1], rel=0.01)
    assert math.isnan(summed_p_value(5, 5, 7, 7))


@pytest.mark.full
@pytest.mark.parametrize(("n", "m"), [(3, 30), (5, 50), (8, 8), (10, 200)])
def test_what_is_noted_of_small_groups_holds_its_level(n: int, m: int) -> None:
    """The normal p-value rejects in up to 8 % of the samples of equally good groups."""
    sizes, of_normal = [], []
    for share in (0.5, 0.7, 0.9, 0.97):
        likely = chances(n, m, share)
        rejected = [(x, y) for x, y in np.ndindex(likely.shape) if pooled_z(x, n, y, m)[1] < 0.05]
        of_normal.append(sum(likely[pair] for pair in rejected))
        sizes.append(sum(likely[x, y] for x, y in rejected if summed_p_value(x, n, y, m) < 0.05))
    assert max(sizes) < 0.056
    assert max(of_normal) > 0.056 or n == 10


def test_a_small_group_has_a_note() -> None:
    found = compare_shares((3, 5), (47, 50), 0.95).test
    assert found is not None
    assert found.p_value == pooled_z(3, 5, 47, 50)[1] < 0.013
    assert "few instances: p = 0.029 if all counts are summed" in str(found.reason)
    plain = compare_shares((300, 500), (330, 500), 0.95).test
    assert plain is not None
    assert plain.reason is None
