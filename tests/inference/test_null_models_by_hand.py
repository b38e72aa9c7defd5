"""Null models beside plain enumeration of what they do in between."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearson3

import adjudge
from adjudge.errors import InputError
from adjudge.inference.chance.correction import (
    NULLS,
    adjusted_for_chance,
    expected_by_chance,
    null_distribution,
)
from adjudge.inference.chance.null_moments import pair_sum_moments
from adjudge.inference.chance.null_pair_sums import pair_sum_gaps
from adjudge.inference.chance.random_partitions import AnyPartition, KClusters, joined_share, random_tables
from adjudge.statistics.contingency import Contingency

LABELS = [0, 0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 2, 0]
TABLES = [
    [[1, 0], [0, 1]],
    [[1, 0], [1, 1]],
    [[2, 1], [1, 2]],
    [[3, 1], [0, 2]],
    [[2, 0, 2], [0, 1, 1], [1, 1, 0]],
    [[5, 0], [0, 4]],
    [[1, 3, 0], [2, 0, 1]],
    [[2, 1], [1, 1]],
]
# Too many ways to be enumerated for "auto", few enough for "exact".
LARGE = (
    np.repeat(range(3), [30, 25, 15]),
    np.random.default_rng(0).permutation(np.repeat(range(3), [33, 20, 17])),
)
# Most pairs are joined in both, so that there is a least number of pairs joined in both.
AT_LEAST = (
    np.repeat(range(4), [80, 6, 5, 4]),
    np.random.default_rng(0).permutation(np.repeat(range(4), [79, 7, 5, 4])),
)
# Tables enough that "auto" draws them, few enough to be enumerated.
MANY = [[3, 1, 0, 2], [0, 4, 2, 1], [1, 0, 2, 3]]


def joined(table: np.ndarray) -> int:
    return int((table * (table - 1) // 2).sum())


@pytest.mark.parametrize("cells", TABLES)
def test_gaps_are_those_of_all_swaps(cells: list[list[int]]) -> None:
    table = np.array(cells)
    steps = set()
    r, c = table.shape
    for i, k, j, m in product(range(r), range(r), range(c), range(c)):
        if i != k and j != m and table[i, j] and table[k, m]:
            other = table.copy()
            for cell, change in (((i, j), -1), ((k, m), -1), ((i, m), 1), ((k, j), 1)):
                other[cell] += change
            steps.add(joined(other) - joined(table))
    lower, higher = [-s for s in steps if s < 0], [s for s in steps if s > 0]
    expected = (min(lower) if lower else 1), (min(higher) if higher else 1)
    assert pair_sum_gaps(Contingency.from_matrix(table)) == expected


def test_gaps_of_many_cells_are_not_looked_for() -> None:
    assert pair_sum_gaps(Contingency.from_matrix(np.eye(21, dtype=int) * 5)) == (1, 1)


def test_linear_functions_of_pairs_have_an_exact_mean() -> None:
    """Under all partitions, whatever is drawn."""
    n = 9
    total, share = n * (n - 1) // 2, joined_share(AnyPartition(n))
    expected = total * (share**2 + 2 * (1 - share) ** 2)

    def both_ways(pairs: Any) -> float:
        return float(pairs.yy + 2 * pairs.nn)

    for seed in (1, 2):
        found = expected_by_chance(both_ways, *LABELS, null="all", n_tables=3, random_state=seed)
        assert found == pytest.approx(expected, rel=1e-12)


def test_other_functions_of_pairs_have_not() -> None:
    """It is linear at the corners only."""

    def square(pairs: Any) -> float:
        return float((pairs.yy / pairs.total) ** 2)

    means = [expected_by_chance(square, *LABELS, null="all", n_tables=20, random_state=s) for s in (1, 2)]
    assert means[0] != means[1]
    found = null_distribution(square, *LABELS, null="all", n_tables=20, random_state=1)
    assert found.mean_method == "simulate"
    assert found.mean == means[0] == pytest.approx(float(found.probabilities @ found.values))


def test_what_is_simulated_has_the_spread_of_the_draws() -> None:
    found = null_distribution("jaccard", *LABELS, method="simulate", n_tables=30, random_state=0)
    mean = float(found.probabilities @ found.values)
    spread = float(found.probabilities @ (found.values - mean) ** 2)
    assert found.std == pytest.approx(math.sqrt(30 / 29 * spread))
    exact = null_distribution("jaccard", *LABELS, method="exact")
    assert exact.std == pytest.approx(
        math.sqrt(float(exact.probabilities @ (exact.values - exact.mean) ** 2)), rel=1e-9
    )
    assert found.std != pytest.approx(exact.std, rel=1e-6)


SIZES = [
    ([2, 1], [1, 2]),
    ([2, 1], [2, 1]),
    ([2, 2], [3, 1]),
    ([3, 1], [2, 1, 1]),
    ([3], [3]),
    ([2, 2, 1], [1, 2, 2]),
]


@pytest.mark.parametrize("index", ["nmi", "ami", "variation_of_information"])
def test_simulated_information_knows_identical_partitions(index: str) -> None:
    """A table that is drawn may join equal sizes to identical partitions, but never unequal ones."""
    record = adjudge.find_index(index)
    for first, second in SIZES:
        labels = np.repeat(range(len(first)), first), np.repeat(range(len(second)), second)
        drawn = null_distribution(index, *labels, method="simulate", n_tables=2000, random_state=0)
        exact = null_distribution(index, *labels, method="exact")
        assert np.unique(drawn.values.round(9)).tolist() == np.unique(exact.values.round(9)).tolist()
        assert (record.best in drawn.values) == (sorted(first) == sorted(second))


def test_pearsons_law_reaches_from_the_least_to_the_greatest_number_of_pairs() -> None:
    table = Contingency.from_matrix(np.array([[30, 20], [20, 30]]))
    found = null_distribution("rand", table.to_array().tolist(), method="pearson3")
    pairs = table.pairs
    least = max(0, pairs.joined_true + pairs.joined_pred - pairs.total)
    greatest = min(pairs.joined_true, pairs.joined_pred)
    rand = [
        (pairs.total - pairs.joined_true - pairs.joined_pred + 2 * both) / pairs.total
        for both in (least, greatest)
    ]
    assert rand[0] <= found.values.min()
    assert found.values.max() <= rand[1]
    assert found.probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "cells", [[[30, 20], [20, 30]], [[60, 2, 1], [3, 40, 9]], [[9, 1], [0, 2]], [[4, 1], [2, 9]]]
)
def test_the_tails_of_pearsons_law_end_half_way_to_the_next_numbers(cells: list[list[int]]) -> None:
    """Whole numbers take the law's weight up to half the gap, of all that lies between the least and the greatest."""
    table = Contingency.from_matrix(np.array(cells))
    pairs, moments = table.pairs, pair_sum_moments(table.row_sums, table.col_sums, table.n)
    law = pearson3(moments.skewness, float(moments.mean), math.sqrt(moments.variance))
    least = max(0, pairs.joined_true + pairs.joined_pred - pairs.total)
    bottom, top = least - 0.5, min(pairs.joined_true, pairs.joined_pred) + 0.5
    below, above = pair_sum_gaps(table)
    low, high = pairs.yy - (below - 1) // 2 - 0.5, pairs.yy + (above - 1) // 2 + 0.5
    whole = law.cdf(top) - law.cdf(bottom)
    found = null_distribution("rand", cells, method="pearson3")
    assert found.p_value("greater") == pytest.approx((law.cdf(top) - law.cdf(low)) / whole, rel=1e-6)
    assert found.p_value("less") == pytest.approx((law.cdf(high) - law.cdf(bottom)) / whole, rel=1e-6)
    assert found.probabilities.sum() == pytest.approx(1, rel=1e-12)


def mean_of(found: Any) -> float:
    return float(found.probabilities @ found.values)


@pytest.mark.full(keep=5)
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("labels", [LARGE, AT_LEAST], ids=["from zero on", "more than zero"])
def test_polynomials_of_the_joined_pairs_have_exact_moments(degree: int, unit: float, labels: Any) -> None:
    """However the distribution is found; those of a line have an exact spread, too."""

    def polynomial(pairs: Any) -> float:
        return float(unit * (math.pi + 0.0217 * pairs.yy - 1.23e-4 * (degree - 1) * pairs.yy**2))

    exact = null_distribution(polynomial, *labels, method="exact")
    drawn = null_distribution(polynomial, *labels, n_tables=20, random_state=0)
    assert (drawn.method, drawn.mean_method, drawn.error) == ("simulate", "exact", 0.0)
    assert drawn.mean == pytest.approx(mean_of(exact), rel=1e-12)
    spread = math.sqrt(float(exact.probabilities @ (exact.values - exact.mean) ** 2))
    assert exact.std == pytest.approx(spread, rel=1e-9)
    assert (drawn.std == pytest.approx(spread, rel=1e-9)) == (degree == 1)


@pytest.mark.parametrize("power", [0.5, 3])
def test_other_functions_of_the_joined_pairs_have_a_mean_from_the_distribution(power: float) -> None:
    drawn = null_distribution(lambda pairs: float(pairs.yy**power), *LARGE, n_tables=20, random_state=0)
    assert drawn.mean_method == "simulate"


@pytest.mark.parametrize("index", ["bcubed_precision", "bcubed_recall", "element_centric"])
def test_sums_of_squares_have_an_exact_mean(index: str) -> None:
    exact = null_distribution(index, MANY, method="exact")
    drawn = null_distribution(index, MANY, n_tables=20, random_state=0)
    assert (drawn.method, drawn.mean_method) == ("simulate", "exact")
    assert drawn.mean == exact.mean == pytest.approx(mean_of(exact), rel=1e-12)
    drawn = null_distribution(index, MANY, method="simulate", n_tables=20, random_state=0)
    assert drawn.mean_method == "simulate"
    assert drawn.mean == pytest.approx(mean_of(drawn), rel=1e-12)
    assert drawn.mean != pytest.approx(exact.mean, rel=1e-6)


@pytest.mark.parametrize("index", ["mutual_information", "variation_of_information"])
@pytest.mark.parametrize("cells", [MANY, [[90, 5], [2, 3]]])
def test_what_is_linear_in_the_mutual_information_has_an_exact_mean(
    index: str, cells: list[list[int]]
) -> None:
    """For small entropies, and for large ones."""
    exact = null_distribution(index, cells, method="exact")
    drawn = null_distribution(index, cells, n_tables=20, random_state=0, method="auto")
    assert drawn.mean_method == "exact"
    assert drawn.mean == pytest.approx(mean_of(exact), rel=1e-9)
    drawn = null_distribution(index, cells, n_tables=20, random_state=0, method="simulate")
    assert drawn.mean_method == "simulate"
    assert drawn.mean == pytest.approx(mean_of(drawn))


def test_few_tables_are_enumerated_whichever_side_has_more_clusters() -> None:
    """Of 1 + 1 + 1 and 39 instances on one side, and two clusters on the other, there are a few tables."""
    for rows, cols in (([1, 1, 1, 39], [20, 22]), ([20, 22], [1, 1, 1, 39])):
        labels = np.repeat(range(len(rows)), rows), np.repeat(range(len(cols)), cols)
        assert null_distribution("purity", *labels, n_tables=20).method == "exact"
    assert null_distribution("purity", MANY, n_tables=20).method == "simulate"
    assert null_distribution("purity", np.transpose(MANY).tolist(), n_tables=20).method == "simulate"


def test_tables_that_were_drawn_say_for_how_many_an_index_is_undefined() -> None:
    labels = [0, 0, 1], [0, 1, 1]
    found = null_distribution("pair_recall", *labels, null="all", n_tables=200, random_state=0)
    share = float(np.isnan(found.values[-1])) * float(found.probabilities[-1])
    assert 0 < share < 1
    assert found.reason == f"pair_recall is undefined for a share of {share:.3g} of the tables"
    assert all(map(math.isnan, (found.mean, found.std, found.error, found.p_value(), found.quantile(0.5))))


def test_a_mean_that_does_not_exist_is_taken_back_with_its_error() -> None:
    labels = np.repeat([0, 1, 2], 8), np.tile([0, 1, 2], 8)
    found = null_distribution("pair_recall", *labels, null="all", n_tables=3, random_state=0)
    assert (
        found.reason
        == "pair_recall is undefined for some partitions, such as single instances and one cluster"
    )
    assert all(map(math.isnan, (found.mean, found.std, found.error)))


def test_an_infinite_value_has_no_mean() -> None:
    def endless(pairs: Any) -> float:
        return math.inf if pairs.yy == 0 else 1.0

    found = null_distribution(endless, [[1, 1], [1, 1]])
    assert found.reason == "endless is infinite for some tables"
    assert math.isnan(found.mean)
    assert math.isnan(found.std)


def test_a_distribution_in_words() -> None:
    """A p-value that tables cannot reach is shown as a bound."""
    labels = np.repeat([0, 1, 2], 8)
    drawn = null_distribution("rand", labels, labels, method="simulate", n_tables=99, random_state=0)
    assert repr(drawn).endswith(f"std {drawn.std:.3g}, p < 0.01; fixed_margins, simulate)")
    assert drawn.p_floor == 0.01
    assert drawn.table().columns == (
        *("index", "observed", "by chance", "std", "z", "adjusted", "p", "null model", "tables"),
    )
    assert drawn.table().rows[0][-2:] == ("fixed_margins", "99, simulated")
    exact = null_distribution("rand", [[2, 1], [1, 2]], method="exact")
    assert repr(exact).endswith(f"p {exact.p_value():.3g}; fixed_margins, exact)")
    assert exact.table().rows[0][-1] == "all of them"
    law = null_distribution("rand", [[20, 10], [10, 20]], method="pearson3")
    assert law.table().rows[0][-1] == "none: Pearson III law"
    assert (exact.p_floor, law.p_floor) == (0.0, 0.0)
    infinite = null_distribution(lambda pairs: 1.0 if pairs.yy else math.inf, [[1, 1], [1, 1]])
    assert "is infinite for some tables" in infinite._repr_html_()
    assert "is infinite" not in exact._repr_html_()


@pytest.mark.parametrize(("of_rows", "of_cols"), [(2, 3), (7, 4), (4, 9), (1, 1), (9, 9)])
def test_tables_of_random_partitions_have_their_margins(of_rows: int, of_cols: int) -> None:
    """Drawn by cells or shuffled: the same partitions, one after the other, and each table is told."""
    told: list[tuple[int, int]] = []
    tables = list(
        random_tables(
            KClusters(9, of_rows), KClusters(9, of_cols), 20, 1, progress=lambda *done: told.append(done)
        )
    )
    assert told == [(done, 20) for done in range(1, 21)]
    for table in tables:
        counts = table.to_array()
        assert counts.shape == (of_rows, of_cols)
        assert (counts >= 0).all()
        assert counts.sum(axis=1).tolist() == table.row_sums.tolist()
        assert counts.sum(axis=0).tolist() == table.col_sums.tolist()
        assert (counts.sum(), table.n) == (9, 9)
        assert counts.sum(axis=1).all()
        assert counts.sum(axis=0).all()
        assert (list(table.row_labels), list(table.col_labels)) == (
            list(range(of_rows)),
            list(range(of_cols)),
        )
    again = random_tables(KClusters(9, of_rows), KClusters(9, of_cols), 20, 1)
    assert all((a.to_array() == b.to_array()).all() for a, b in zip(tables, again, strict=True))
    if 1 < of_rows < 9:
        assert len({table.to_array().tobytes() for table in tables}) > 10


@pytest.mark.parametrize(
    ("n", "k"), [(6, 2), (6, 4), (7, 3), (7, 5), (8, 1), (8, 8), (5, 4), (6, None)], ids=str
)
def test_clusters_of_all_partitions(n: int, k: int | None) -> None:
    """Each partition once: how many clusters of each size there are, and how often sizes are drawn."""

    def partitions(m: int, codes: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
        if len(codes) == m:
            yield codes
        else:
            for code in range(max(codes, default=-1) + 2):
                yield from partitions(m, (*codes, code))

    model = AnyPartition(n) if k is None else KClusters(n, k)
    shapes = Counter(
        tuple(sorted(Counter(codes).values())) for codes in partitions(n) if k in (None, max(codes) + 1)
    )
    total = sum(shapes.values())
    expected = np.zeros(n + 1)
    for sizes, ways in shapes.items():
        for size in sizes:
            expected[size] += ways / total
    sizes, counts = model.expected_counts()
    found = np.zeros(n + 1)
    found[sizes.astype(int)] = counts
    assert found == pytest.approx(expected, abs=1e-9)
    generator = np.random.default_rng(0)
    drawn = Counter(tuple(sorted(model.draw(generator).tolist())) for _ in range(2000))
    assert drawn.keys() <= shapes.keys()
    for shape, ways in shapes.items():
        share = ways / total
        assert drawn[shape] / 2000 == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / 2000))


# --- what is corrected, and by what ------------------------------------------------------------------------------


@pytest.mark.parametrize("null", NULLS)
def test_the_best_mutual_information_depends_on_the_null_model(null: str) -> None:
    """Of K clusters it is log K, of any partition log n; else the mean of both entropies."""
    table = Contingency.from_matrix(np.array(MANY))
    if null == "fixed_margins":
        best = (table.information.entropy_true + table.information.entropy_pred) / 2
    else:
        best = (math.log(3) + math.log(4)) / 2 if null.startswith("num") else math.log(19)
    options: dict[str, Any] = {"null": null, "n_tables": 60, "random_state": 2}
    mean = expected_by_chance("mutual_information", MANY, **options)
    expected = (table.information.mutual - mean) / (best - mean)
    assert adjusted_for_chance("mutual_information", MANY, **options) == pytest.approx(expected, rel=1e-12)
    assert null_distribution("mutual_information", MANY, **options).best == pytest.approx(best)


@pytest.mark.parametrize("null", ["num", "all1"])
def test_the_seed_and_the_progress_are_handed_on(null: str) -> None:
    told: list[tuple[str, int, int]] = []
    options: dict[str, Any] = {"null": null, "n_tables": 40, "index": "purity"}
    found = [
        call(
            labels_true=MANY,
            random_state=seed,
            progress=lambda what, done, total: told.append((what, done, total)),
            **options,
        )
        for call in (expected_by_chance, adjusted_for_chance)
        for seed in (3, 3, 4)
    ]
    assert found[0] == found[1] != found[2]
    assert found[3] == found[4] != found[5]
    assert told[-1] == ("random tables", 40, 40)
    assert len(told) >= 6


def test_an_index_without_a_best_value_needs_one_to_be_adjusted() -> None:
    with pytest.raises(
        InputError, match="joint_entropy has no finite best value, which the adjustment needs"
    ):
        adjusted_for_chance("joint_entropy", MANY)
    mean = expected_by_chance("joint_entropy", MANY)
    joint = adjudge.find_index("joint_entropy")(MANY)
    assert adjusted_for_chance("joint_entropy", MANY, best=1.5) == pytest.approx(
        (joint - mean) / (1.5 - mean)
    )
    with pytest.raises(InputError, match="accuracy is of kind 'classification'"):
        null_distribution(adjudge.find_index("accuracy"), MANY)
