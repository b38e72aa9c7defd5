"""How many instances two predictions differ on, and the p-value that so few allow, beside trying everything."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from adjudge.given.labels import Labels
from adjudge.inference.common.few_disagreements import ENOUGH_DISAGREEMENTS, n_disagreements, raised_to_signs
from adjudge.inference.common.samples import Sample, three_way


def sample(*vectors: np.ndarray) -> Sample:
    return three_way(
        *(Labels(v.astype(np.int64), 0, int(v.max()) + 1, range(int(v.max()) + 1)) for v in vectors)
    )


@pytest.mark.parametrize("seed", range(20))
def test_disagreements_are_the_fewest_over_all_matchings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, p, q = rng.integers(0, 3, 14), rng.integers(0, 4, 14), rng.integers(0, 3 + seed % 2, 14)
    fewest = min(int((np.array(names)[q] != p).sum()) for names in permutations(range(4)))
    assert n_disagreements(sample(truth, p, q)) == n_disagreements(sample(truth, q, p)) == fewest


def test_a_bound_will_do_if_disagreements_are_many() -> None:
    rng = np.random.default_rng(1)
    truth, p, q = rng.integers(0, 4, (3, 200))
    fewest = min(int((np.array(names)[q] != p).sum()) for names in permutations(range(4)))
    assert ENOUGH_DISAGREEMENTS <= n_disagreements(sample(truth, p, q)) <= fewest


@pytest.mark.parametrize("n", [5, 6, 11, 19])
def test_standard_errors_have_the_tail_of_as_many_signs(n: int) -> None:
    for more in range(n // 2 + 1, n + 1):
        z = (2 * more - n) / np.sqrt(n)
        normal, exact = 2 * stats.norm.sf(z), stats.binomtest(more, n).pvalue
        assert raised_to_signs(normal, n) == pytest.approx(max(normal, exact), rel=1e-9)


def test_p_values_are_only_raised() -> None:
    for n in (0, 1, 4, 19):
        found = [raised_to_signs(p, n) for p in (0.0, 1e-9, 0.01, 0.05, 0.3, 0.9, 1.0)]
        assert found == sorted(found)
        assert all(
            raised >= p for raised, p in zip(found, (0.0, 1e-9, 0.01, 0.05, 0.3, 0.9, 1.0), strict=True)
        )
    assert raised_to_signs(0.0, 4) == pytest.approx(2 / 2**4)
