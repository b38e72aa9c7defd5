"""Correction for chance: means, distributions and p-values against enumeration, definitions and other programs."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import scipy.sparse
from scipy.stats import kstest

import adjudge
import naive_chance as naive
from adjudge.errors import InputError
from adjudge.indices.catalog import find_index
from adjudge.inference.chance.correction import (
    adjusted_for_chance,
    expected_by_chance,
    null_distribution,
    null_distributions,
)
from adjudge.inference.chance.null_moments import pair_sum_distribution, pair_sum_moments
from adjudge.inference.chance.random_partitions import (
    AnyPartition,
    FixedSizes,
    KClusters,
    expected_mutual_information,
    random_tables,
)
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import expected_mutual_information as expected_mutual_information_of_sums
from adjudge.statistics.pair_counts import PairCounts
from conftest import as_number, case_name, read_reference, reference_cases

NAMES = {
    "mi": "mutual_information",
    "ecs": "element_centric",
    "bcubed_p": "bcubed_precision",
    "max_match_acc": "pivoted_accuracy",
}
ENUMERATED = read_reference("enumerated_null.json")["cases"]
NULL_MEANS = read_reference("amorim_cardoso_null_means.json")
AMORIM = {
    "R": "rand",
    "RR": "russell_rao",
    "GL": "gower_legendre",
    "J": "jaccard",
    "C": "czekanowski",
    "GK": "goodman_kruskal",
    "SoS": "sokal_sneath3",
    "SS2": "ss2",
    "FM": "fm",
}


def table_with(rows, cols, seed=0):
    shuffled = np.random.default_rng(seed).permutation(naive.labels_of(cols))
    return Contingency.from_labels(naive.labels_of(rows), shuffled)


def enumerated(case):
    return pytest.param(case, id=f"{case['rows']}x{case['cols']}")


# Expected mutual information.


def test_expected_mutual_information_keeps_its_digits_where_it_is_small():
    # 10^7 instances in 2 x 2 clusters of a half: n E[I] is near (R - 1)(C - 1) / 2 = 1/2, as of a chi-square law.
    half = np.array([5_000_000, 5_000_000])
    assert expected_mutual_information_of_sums(half, half, 10**7) * 1e7 == pytest.approx(0.5, rel=2e-7)


# Fixed margins.


@pytest.mark.parametrize("case", [enumerated(case) for case in ENUMERATED])
def test_moments_and_distribution_of_the_joined_pairs_are_exact(case):
    rows, cols = np.array(case["rows"]), np.array(case["cols"])
    moments = pair_sum_moments(rows, cols, case["n"])
    values, probabilities = pair_sum_distribution(rows, cols)
    wanted = {int(a): as_number(p) for a, p in case["dist_T"].items()}
    assert dict(zip(values.tolist(), probabilities.tolist(), strict=True)) == pytest.approx(wanted, rel=1e-14)
    assert float(moments.mean) == as_number(case["E"]["T"])
    assert float(moments.variance) == as_number(case["Var"]["T"])
    third = sum(p * (a - as_number(case["E"]["T"])) ** 3 for a, p in wanted.items())
    assert float(moments.third) == pytest.approx(third, rel=1e-12, abs=1e-12)


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("case", [enumerated(case) for case in ENUMERATED])
def test_means_and_variances_are_those_of_all_tables(case):
    table = table_with(case["rows"], case["cols"])
    keys = [key for key in case["E"] if key not in ("T", "chi2", *case["undefined"])]
    found = null_distributions([NAMES.get(key, key) for key in keys], table)
    for key, null in zip(keys, found.values(), strict=True):
        assert null.method == "exact"
        assert null.error == 0
        assert null.mean == pytest.approx(as_number(case["E"][key]), rel=1e-13, abs=1e-13), key
        assert null.std**2 == pytest.approx(as_number(case["Var"][key]), rel=1e-12, abs=1e-13), key
        assert null.probabilities.sum() == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("case", [enumerated(case) for case in ENUMERATED[:5]])
def test_formulas_for_the_mean_agree_with_all_tables(case):
    """Means by formula (linear, quadratic, cell by cell) replace those of the distribution, which is checked too."""
    table = table_with(case["rows"], case["cols"])
    for name in (
        "rand",
        "sokal_sneath3",
        "mutual_information",
        "nmi",
        "element_centric",
        "bcubed_recall",
        "kulczynski",
    ):
        null = null_distribution(name, table)
        assert float(null.probabilities @ null.values) == pytest.approx(null.mean, rel=1e-12, abs=1e-13), name


@pytest.mark.full
@pytest.mark.parametrize("margins", NULL_MEANS)
@pytest.mark.parametrize("method", ["auto", "simulate", "pearson3"])
def test_null_means_of_the_paper(margins, method):
    shares = [0.6, 0.3, 0.1] if margins.startswith("unbalanced") else [0.3, 0.3, 0.4]
    sizes = [round(800 * share) for share in shares]
    table = table_with(sizes, sizes)
    found = null_distributions(list(AMORIM.values()), table, method=method, random_state=1)
    for (key, wanted), null in zip(NULL_MEANS[margins].items(), found.values(), strict=True):
        assert find_index(AMORIM[key], "external").name == null.index
        # The references' own standard errors; the control variates leave far less.
        assert null.mean == pytest.approx(wanted["mean"], abs=4.5 * wanted["se"]), key
        assert null.std == pytest.approx(wanted["sd"], rel=0.05), key
        if method == "simulate":
            assert null.error < 5e-6


@pytest.mark.full
def test_simulated_mean_without_a_formula_is_within_its_error():
    case = ENUMERATED[8]
    table = table_with(case["rows"], case["cols"])
    for key in ("purity", "max_match_acc", "mi", "ecs", "jaccard"):
        null = null_distribution(NAMES.get(key, key), table, method="simulate", random_state=3)
        assert null.mean_method == "simulate"
        assert abs(null.mean - as_number(case["E"][key])) < 4 * null.error, key


def test_p_values_are_tail_shares_with_ties():
    x, y = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    null = null_distribution("jaccard", x, y)
    values = [adjudge.jaccard(a, b) for a, b in naive.all_shuffles([3, 3], [2, 2, 2])]
    above = np.mean([v >= null.observed - 1e-12 for v in values])
    below = np.mean([v <= null.observed + 1e-12 for v in values])
    assert null.p_value() == null.p_value("greater") == pytest.approx(above)
    assert null.p_value("less") == pytest.approx(below)
    assert null.p_value("two-sided") == pytest.approx(min(1, 2 * min(above, below)))
    assert null.quantile(0) == min(values)
    assert null.quantile(1) == max(values)
    assert null.quantile(0.5) == pytest.approx(np.sort(values)[len(values) // 2 - 1])
    assert null.z_score == pytest.approx((null.observed - np.mean(values)) / np.std(values))


@pytest.mark.full
@pytest.mark.parametrize("index", ["rand", "jaccard", "element_centric", "nmi"])
@pytest.mark.parametrize("method", ["simulate", "pearson3"])
def test_p_values_under_fixed_margins_are_uniform(index, method):
    if method == "pearson3" and index in ("element_centric", "nmi"):
        pytest.skip("Pearson III is for indices that count pairs")
    generator = np.random.default_rng(5)
    rows, cols = naive.labels_of([120, 90, 60, 30]), naive.labels_of([80, 80, 80, 60])
    p_values = [
        null_distribution(
            index, rows, generator.permutation(cols), method=method, n_tables=199, random_state=generator
        ).p_value()
        for _ in range(200)
    ]
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_results_do_not_depend_on_threads():
    table = table_with([40, 30, 60], [50, 50, 30])
    one, three = (
        null_distributions(["jaccard", "nmi_joint"], table, n_tables=3000, random_state=4, n_jobs=k)
        for k in (1, 3)
    )
    for name in one:
        assert one[name].mean == three[name].mean
        assert np.array_equal(one[name].values, three[name].values)


def test_pearson3_gives_tail_probabilities():
    rows, cols = [300, 300, 400], [250, 350, 400]
    table = table_with(rows, cols, seed=3)
    simulated = null_distribution("rand", table, method="simulate", n_tables=200_000, random_state=1)
    approximated = null_distribution("rand", table, method="pearson3")
    for q in (0.05, 0.5, 0.95, 0.999):
        assert approximated.quantile(q) == pytest.approx(simulated.quantile(q), abs=0.15 * simulated.std)
    assert approximated.p_value() == pytest.approx(simulated.p_value(), abs=0.01)
    assert math.isnan(approximated.error)
    far = null_distribution("rand", np.array([[900, 0], [0, 100]]), method="pearson3")
    assert 0 < far.p_value() < 1e-50


def test_auto_approximates_tables_too_large_to_simulate():
    sizes = np.full(2000, 600)
    table = Contingency.from_matrix(scipy.sparse.diags_array(sizes, dtype=np.int64).tocoo())
    null = null_distribution("jaccard", table)
    assert null.method == "pearson3"
    assert null.p_value() == 0.0
    assert null.adjusted == 1.0


def test_adjusted_rand_and_adjusted_mutual_information_are_special_cases():
    generator = np.random.default_rng(2)
    x, y = generator.integers(0, 4, 60), generator.integers(0, 5, 60)
    assert adjusted_for_chance("rand", x, y) == pytest.approx(adjudge.adjusted_rand(x, y), abs=1e-14)
    assert adjusted_for_chance("czekanowski", x, y) == pytest.approx(adjudge.adjusted_rand(x, y), abs=1e-14)
    for average in ("arithmetic", "geometric", "min", "max"):
        wanted = adjudge.ami(x, y, average=average)
        assert adjusted_for_chance("mutual_information", x, y, best=average) == pytest.approx(
            wanted, abs=1e-13
        )
    assert adjusted_for_chance("mutual_information", x, y) == pytest.approx(adjudge.ami(x, y), abs=1e-13)
    assert adjusted_for_chance("nmi", x, y) == pytest.approx(adjudge.ami(x, y), abs=1e-13)
    assert expected_by_chance("ami", x, y) == pytest.approx(0, abs=1e-13)


def test_functions_of_ones_own():
    x, y = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]

    def share(pairs: PairCounts) -> float:
        return pairs.yy / pairs.total

    def largest(table: Contingency) -> float:
        return int(table.to_array().max()) / table.n

    assert expected_by_chance(share, x, y) == pytest.approx(
        expected_by_chance("russell_rao", x, y), rel=1e-14
    )
    assert adjusted_for_chance(share, x, y, best=0.4) == pytest.approx((2 / 15 - 0.08) / (0.4 - 0.08))
    values = [largest(Contingency.from_labels(a, b)) for a, b in naive.all_shuffles([3, 3], [2, 2, 2])]
    assert null_distribution(largest, x, y).mean == pytest.approx(np.mean(values))


def test_parameters_of_an_index_are_passed_on():
    x, y = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    null = null_distribution("pair_f", x, y, beta=2.0)
    assert null.observed == adjudge.pair_f(x, y, beta=2.0)


def test_undefined_for_some_tables_is_undefined_with_a_reason():
    case = ENUMERATED[-1]
    table = table_with(case["rows"], case["cols"])
    null = null_distribution("goodman_kruskal", table)
    assert math.isnan(null.mean)
    assert math.isnan(null.p_value())
    assert "undefined for a share of" in null.reason


def test_margins_that_leave_one_table():
    null = null_distribution("rand", [0, 0, 0, 0], [0, 0, 1, 1])
    assert null.method == "exact"
    assert null.mean == null.observed
    assert null.p_value() == 1.0
    assert math.isnan(null.z_score)
    assert null.adjusted == 0.0
    assert math.isnan(adjusted_for_chance("rand", [0, 0, 0], [1, 1, 1]))


def test_exact_integers_beyond_64_bits():
    n = 3_000_000_000
    table = Contingency.from_matrix([[n, n], [n, n + 2]])
    null = null_distribution("rand", table, n_tables=2000, random_state=0)
    assert null.method == "simulate"
    simulated = float(null.probabilities @ null.values)
    assert simulated == pytest.approx(null.mean, abs=5 * null.std / math.sqrt(2000))
    assert null.std == pytest.approx(float(np.std(null.values)), rel=0.5)


def test_progress_is_reported():
    calls = []
    table = table_with([40, 30, 60], [50, 50, 30])
    null_distribution(
        "jaccard",
        table,
        n_tables=1000,
        method="simulate",
        progress=lambda what, done, total: calls.append((what, done, total)),
    )
    assert calls[-1] == ("random tables", 1000, 1000)


# Random partitions.

MODELS = [("num", 2, 3), ("num", 4, 2), ("all", None, None)]


@pytest.mark.full
@pytest.mark.parametrize(("null", "rows", "cols"), MODELS)
@pytest.mark.parametrize("one_sided", [False, True])
def test_means_over_random_partitions_are_those_of_all_of_them(null, rows, cols, one_sided):
    n = 6 if rows else 5
    truth = [0, 0, 1, 1, 1, 2][:n] if rows is None else (list(range(rows)) + [0] * n)[:n]
    prediction = [0] * n if cols is None else (list(range(cols)) + [0] * n)[:n]
    primaries = [tuple(truth)] if one_sided else naive.partitions(n, rows)
    pairs = [(x, y) for x in primaries for y in naive.partitions(n, cols)]
    null = null + "1" if one_sided else null
    rand = np.mean([adjudge.rand(x, y) for x, y in pairs])
    mutual = np.mean([naive.mutual_information(x, y) for x, y in pairs])
    assert expected_by_chance("rand", truth, prediction, null=null) == pytest.approx(rand, rel=1e-12)
    assert expected_by_chance("hamann", truth, prediction, null=null) == pytest.approx(
        2 * rand - 1, rel=1e-12
    )
    assert expected_by_chance("mutual_information", truth, prediction, null=null) == pytest.approx(
        mutual, rel=1e-12
    )
    simulated = null_distribution("purity", truth, prediction, null=null, n_tables=4000, random_state=8)
    purity = np.mean([adjudge.purity(x, y) for x, y in pairs])
    assert simulated.mean == pytest.approx(purity, abs=4 * simulated.error)


CLUSIM = [
    path
    for path in reference_cases("external")
    if "adjrand__num" in read_reference(path.relative_to(path.parents[1])).get("clusim_0.4", {})
]


@pytest.mark.parametrize("path", CLUSIM, ids=case_name)
def test_random_partitions_agree_with_clusim(path):
    """clusim keeps its second clustering in the one-sided models; its mutual information is adjusted alike."""
    case = read_reference(path.relative_to(path.parents[1]))
    truth, prediction, wanted = case["labels_true"], case["labels_pred"], case["clusim_0.4"]
    if len(truth) < 2:
        pytest.skip("one instance has no pairs")
    for null in ("num", "all", "num1", "all1"):
        x, y = (prediction, truth) if null.endswith("1") else (truth, prediction)
        for index, key in (("rand", "adjrand"), ("mutual_information", "adj_mi")):
            value = wanted.get(f"{key}__{null}")
            found = adjusted_for_chance(index, x, y, null=null)
            # clusim gives 0 or noise where every partition of the model is the same, which is 0/0.
            if not isinstance(value, float) or math.isnan(found) or len(set(map(str, x))) in (1, len(x)):
                continue
            assert found == pytest.approx(value, rel=1e-9, abs=1e-9), (index, null)


@pytest.mark.parametrize(("n", "k"), [(8, 3), (60, 40), (200, 4), (50, 50), (50, 1)])
def test_random_partitions_have_the_expected_sizes(n, k):
    generator = np.random.default_rng(3)
    model = KClusters(n, k)
    drawn = Counter(size for _ in range(3000) for size in model.draw(generator).tolist())
    for size, count in zip(*model.expected_counts(), strict=True):
        assert drawn[int(size)] == pytest.approx(3000 * count, abs=4.5 * math.sqrt(3000 * count * k) + 1)
    assert sum(size * count for size, count in drawn.items()) == 3000 * n


def test_random_tables_of_random_partitions():
    x, y = KClusters(300, 4), AnyPartition(300)
    found = [t.information.mutual for t in random_tables(x, y, 2000, random_state=1)]
    wanted = expected_mutual_information(x, y)
    assert np.mean(found) == pytest.approx(wanted, abs=4 * np.std(found) / math.sqrt(2000))
    fixed = FixedSizes(np.array([100, 150, 50]))
    table = next(random_tables(fixed, fixed, 1, random_state=1))
    assert table.to_array().sum(axis=1).tolist() == [100, 150, 50]


@pytest.mark.full
@pytest.mark.parametrize("null", ["num", "all", "num1", "all1"])
def test_p_values_under_random_partitions_are_uniform(null):
    generator = np.random.default_rng(11)
    n = 60
    free = AnyPartition(n) if null.startswith("all") else KClusters(n, 4)
    rows = FixedSizes(np.array([20, 20, 10, 10])) if null.endswith("1") else free
    p_values = [
        null_distribution("rand", table, null=null, n_tables=99, random_state=generator).p_value()
        for table in random_tables(rows, free, 150, generator)
    ]
    assert kstest(p_values, "uniform").pvalue > 0.01


def by_hand(**changed):
    from dataclasses import replace

    from adjudge.inference.chance.null_distribution import NullDistribution

    values, chances = np.array([0.1, 0.2, 0.4, 0.8]), np.array([0.25, 0.25, 0.375, 0.125])
    mean = float(values @ chances)
    found = NullDistribution(
        "rand", "fixed_margins", 0.4, mean, 0.2, 1.0, "higher", "exact", "exact", 0.0, None, None, values, chances
    )  # fmt: skip
    return replace(found, **changed)


def test_quantiles_by_hand():
    found = by_hand()
    expected = {0: 0.1, 0.25: 0.1, 0.26: 0.2, 0.5: 0.2, 0.51: 0.4, 0.875: 0.4, 0.9: 0.8, 1: 0.8}
    assert {q: found.quantile(q) for q in expected} == expected


def test_p_values_by_hand():
    found = by_hand()
    assert (found.p_value("greater"), found.p_value("less"), found.p_value("two-sided")) == (0.5, 0.875, 1.0)
    assert found.p_value() == 0.5
    assert by_hand(better="lower").p_value() == 0.875
    assert by_hand(better=None).p_value() == 0.5
    for undefined in ({"observed": math.nan}, {"mean": math.nan}):
        assert math.isnan(by_hand(**undefined).p_value())
    simulated = by_hand(method="simulate", n_tables=7)
    assert simulated.p_value("greater") == (round(0.5 * 7) + 1) / 8
    assert simulated.p_floor == 1 / 8
    assert by_hand().p_floor == 0.0


def test_tables_of_null_distributions():
    shown = by_hand().table()
    assert "adjusted" in shown.columns
    assert [len(row) for row in shown.rows] == [len(shown.columns)]
    plain = by_hand(best=None).table()
    assert "adjusted" not in plain.columns
    assert [len(row) for row in plain.rows] == [len(plain.columns)]


@pytest.mark.full
def test_random_states_and_null_models_are_passed_on():
    labels = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2, 2, 0]
    means = [
        expected_by_chance("larsen_aone", *labels, method="simulate", n_tables=50, random_state=seed)
        for seed in (1, 1, 2)
    ]
    assert means[0] == means[1] != means[2]
    found = adjudge.inference.null_distributions(["rand"], *labels, null="all")["rand"]
    assert found.null == "all"
    assert f"{found.null}" in found.table().rows[0]


@pytest.mark.parametrize("k", [0, 6])
def test_numbers_of_clusters_that_there_cannot_be_are_refused(k):
    from adjudge.inference.chance.random_partitions import KClusters

    with pytest.raises(InputError, match=rf"^k={k}: 5 instances form between 1 and 5 clusters$"):
        KClusters(5, k)


def test_null_distributions_are_equal_by_value():
    one, same, other = (null_distribution(index, [[2, 1], [0, 2]]) for index in ("rand", "rand", "jaccard"))
    assert one == same
    assert one != other
    assert len({one, same, other}) == 2
