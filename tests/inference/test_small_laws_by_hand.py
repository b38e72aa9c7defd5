"""Small laws and groups beside plain enumeration, and functions of one's own under null models."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from adjudge.errors import InputTypeError
from adjudge.indices.record import Noted
from adjudge.inference.chance.correction import null_distribution
from adjudge.inference.chance.random_partitions import _power
from adjudge.inference.data_sets.rank_power import datasets_needed, detectable, pair_power, smallest_p_value
from adjudge.statistics import Contingency, PairCounts
from adjudge.statistics.entropies import PartitionEntropies
from conftest import raises_line

TABLE = [[3, 1], [0, 2]]


# --- functions of one's own --------------------------------------------------------------------------------------


def annotated_pairs(p: PairCounts, *, times: float = 1.0) -> float:
    return times * p.yy


def annotated_information(i: PartitionEntropies) -> float:
    return i.mutual


def annotated_table(t: Contingency) -> float:
    return float(t.to_array().max())


def test_what_a_function_reads_is_what_it_is_annotated_with() -> None:
    table = Contingency.from_matrix(np.array(TABLE))
    assert null_distribution(annotated_pairs, TABLE).observed == table.pairs.yy
    assert null_distribution(annotated_pairs, TABLE, times=2.0).observed == 2 * table.pairs.yy
    assert null_distribution(annotated_information, TABLE).observed == table.information.mutual
    assert null_distribution(annotated_information, TABLE).mean_method == "exact"
    assert null_distribution(annotated_table, TABLE).observed == 3
    # Without an annotation it is tried on pairs, then on the table.
    assert null_distribution(lambda p: p.yy, TABLE).observed == table.pairs.yy
    assert null_distribution(lambda t: t.to_array().max(), TABLE).observed == 3
    assert null_distribution(lambda *all_: all_[0].yy, TABLE).observed == table.pairs.yy


def test_what_a_function_returns() -> None:
    noted = null_distribution(lambda p: Noted(math.nan, "why not") if p.yy < 4 else 1.0, TABLE)
    assert noted.reason is not None
    assert noted.reason.startswith("<lambda> is undefined for a share of ")
    divided = null_distribution(lambda p: 1 / (p.yy - p.yy), TABLE)
    assert math.isnan(divided.observed)
    with raises_line(InputTypeError, "the function returned 'much': a number is needed"):
        null_distribution(lambda p: "much", TABLE)
    with raises_line(
        InputTypeError, "index=3: a name, an index or a function of PairCounts or Contingency is needed"
    ):
        null_distribution(3, TABLE)  # type: ignore[arg-type]


# --- power -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 6, 9, 20])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 2.0**-5])
def test_the_power_of_the_sign_test_is_summed_over_its_outcomes(n: int, alpha: float) -> None:
    for probability, times in itertools.product((0.5, 0.7, 0.95), (1, 3)):
        wins = np.arange(n + 1)
        p_values = 2 * binom.cdf(np.minimum(wins, n - wins), n, 0.5)
        expected = binom.pmf(wins, n, probability)[p_values <= alpha / times + 1e-15].sum()
        found = pair_power(n, probability, test="sign", alpha=alpha, n_comparisons=times)
        assert found == pytest.approx(expected, abs=1e-12)


def test_the_power_of_signed_ranks_is_noethers() -> None:
    for n, probability, times in ((10, 0.7, 1), (30, 0.4, 2)):
        shift = math.sqrt(3 * n) * abs(probability - 0.5)
        z = norm.isf(0.05 / times / 2)
        assert pair_power(n, probability, n_comparisons=times) == pytest.approx(
            norm.cdf(shift - z) + norm.cdf(-shift - z)
        )
    # Five data sets show nothing at 5 %, six do; as many as show it exactly at the level count.
    assert pair_power(5, 0.9) == 0.0 < pair_power(6, 0.9)
    assert pair_power(6, 0.9, alpha=2.0**-5) > 0
    assert [smallest_p_value(n, 3) for n in (0, 1, 2, 3, 4)] == [1.0, 1.0, 1.0, 0.75, 0.375]


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.2}, {"n_comparisons": 3}])
def test_as_many_data_sets_as_are_needed(test: str, options: dict[str, Any]) -> None:
    for probability in (0.7, 0.9):
        n = datasets_needed(probability, power=0.8, test=test, **options)
        assert pair_power(n, probability, test=test, **options) >= 0.8
        assert pair_power(n - 1, probability, test=test, **options) < 0.8
        found = detectable(n, power=0.8, test=test, **options)
        assert 0.5 < found <= probability
        assert pair_power(n, found, test=test, **options) == pytest.approx(0.8, abs=1e-6)
    assert math.isnan(detectable(4, test=test))
    assert datasets_needed(0.5001, test=test) is None


# --- groups, ranks, laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("exponent", "n"), [(1, 5), (3, 5), (6, 9)])
def test_the_law_of_a_sum_is_enumerated(exponent: int, n: int) -> None:
    law = np.array([0.0, 0.5, 0.3, 0.2])
    expected = np.zeros(n + 1)
    for sizes in itertools.product(range(4), repeat=exponent):
        if sum(sizes) <= n:
            expected[sum(sizes)] += math.prod(law[size] for size in sizes)
    found = _power(np.r_[law, np.zeros(max(0, n - 3))][: n + 1], exponent, n)
    np.testing.assert_allclose(found[: n + 1], expected[: found.size], atol=1e-14)
    assert found.size == n + 1
