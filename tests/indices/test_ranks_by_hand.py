"""Indices of the order of distances from counts, exact and estimated, as published and as clusterCrit computes them."""

from __future__ import annotations

import math

import pytest

from adjudge import find_index
from adjudge.indices.compat import as_clustercrit
from adjudge.statistics.pair_distances import DistanceTies, PairRanks

# 3 distances within and 5 between clusters: 15 comparisons, of which 4 are left open.
OPEN = PairRanks(n_within=3, n_between=5, s_plus=7, s_minus=2, ties=2, unknown=4)
EXACT = PairRanks(n_within=3, n_between=5, s_plus=9, s_minus=4, ties=2)


@pytest.mark.parametrize(
    ("ranks", "plus", "minus"), [(EXACT, 9, 4), (OPEN, 7 + 4 / 2, 2 + 4 / 2)], ids=["exact", "estimated"]
)
def test_values(ranks: PairRanks, plus: float, minus: float) -> None:
    gamma, g_plus, tau, tau_b = map(find_index, ("gamma", "g_plus", "tau", "tau_b"))
    assert gamma.of(ranks) == pytest.approx((plus - minus) / (plus + minus), rel=1e-15)
    assert g_plus.of(ranks) == pytest.approx(minus / (8 * 7 / 2), rel=1e-15)
    assert tau.of(ranks) == pytest.approx((plus - minus) / math.sqrt(3 * 5 * 28), rel=1e-15)
    assert tau_b.of(ranks, DistanceTies(6)) == pytest.approx(
        (plus - minus) / math.sqrt(3 * 5 * 22), rel=1e-15
    )


@pytest.mark.parametrize(
    ("ranks", "plus", "minus"), [(EXACT, 11, 4), (OPEN, 7 + 2 + 2, 2 + 2)], ids=["exact", "estimated"]
)
def test_clustercrit_takes_ties_for_concordant(ranks: PairRanks, plus: float, minus: float) -> None:
    gamma, tau = (as_clustercrit(find_index(name)) for name in ("gamma", "tau"))
    assert gamma.of(ranks) == pytest.approx((plus - minus) / (plus + minus), rel=1e-15)
    assert tau.of(ranks) == pytest.approx((plus - minus) / math.sqrt(3 * 5 * 4 * 7), rel=1e-15)


def test_clustercrit_halves_an_odd_number_of_distances_and_drops_the_rest() -> None:
    odd = PairRanks(n_within=2, n_between=3, s_plus=5, s_minus=1, ties=0)
    assert as_clustercrit(find_index("tau")).of(odd) == pytest.approx(4 / math.sqrt(2 * 3 * 2 * 4), rel=1e-15)
    assert find_index("tau").of(odd) == pytest.approx(4 / math.sqrt(2 * 3 * 5 * 4 / 2), rel=1e-15)


def test_reasons() -> None:
    nothing = "0/0: there is no pair of distances to compare: one cluster, or none with two points"
    tied = PairRanks(n_within=1, n_between=2, s_plus=0, s_minus=0, ties=2)
    for name in ("gamma", "tau"):
        assert as_clustercrit(find_index(name)).assess(PairRanks(3, 0, 0, 0, 0))[1] == nothing
        assert find_index(name).assess(PairRanks(3, 0, 0, 0, 0))[1] == nothing
    assert find_index("gamma").assess(tied)[1] == (
        "0/0: every distance within clusters equals every distance between clusters"
    )
    assert find_index("tau_b").assess(tied, DistanceTies(3))[1] == "0/0: all distances are equal"
    assert find_index("tau_b").assess(PairRanks(3, 0, 0, 0, 0), DistanceTies(0))[1] == nothing
    assert (
        find_index("g_plus").assess(PairRanks(1, 0, 0, 0, 0))[1] == "0/0: there are fewer than two distances"
    )
    assert find_index("g_plus").assess(PairRanks(1, 1, 1, 0, 0)) == (0.0, None)
