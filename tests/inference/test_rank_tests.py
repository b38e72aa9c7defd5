"""Tests of models over data sets: printed and computed values of others, definitions, enumeration, and notes."""

from __future__ import annotations

import itertools
import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from adjudge.given.score_table import ScoreTable, settled
from adjudge.inference.common.adjustments import CORRECTIONS, adjust_p_values, adjust_pairs
from adjudge.inference.common.significance import TestResult
from adjudge.inference.data_sets.rank_comparison import pairwise_tests
from adjudge.inference.data_sets.rank_power import pair_power, rank_test_power
from adjudge.inference.data_sets.ranks import (
    RANK_SCORES,
    aligned_ranks,
    friedman,
    iman_davenport,
    kendall_w,
    nemenyi_difference,
    nemenyi_p_values,
    quade,
    studentized_range,
    studentized_range_quantile,
)
from adjudge.inference.data_sets.two_models import paired_effects, sign_test, signed_rank_test
from adjudge.inference.differences.clustering_differences import equal_goodness_test
from adjudge.statistics.rankings import Rankings
from conftest import case_name, read_reference, reference_cases

CASES = reference_cases("many_data_sets")
OF_PAIRS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "shaffer_static": "shaffer",
    "hochberg": "hochberg",
    "bergmann_hommel": "bergmann-hommel",
}
OF_CONTROL = {
    "bonferroni_dunn": "bonferroni",
    "holm": "holm",
    "hochberg": "hochberg",
    "hommel": "hommel",
    "finner": "finner",
    "li": "li",
    "holm_sidak": "holm-sidak",
}


def number(value):
    return float(value.replace("NaN", "nan").replace("Inf", "inf")) if isinstance(value, str) else value


def near(found, wanted):
    numbers = [number(w) for w in wanted] if isinstance(wanted, list) else number(wanted)
    return found == pytest.approx(numbers, rel=1e-9, abs=1e-12, nan_ok=True)


def table_of(case):
    rows = case["scores"]
    better = "higher" if case["higher_is_better"] else "lower"
    return ScoreTable.of(case["data_sets"] or range(len(rows)), case["algorithms"], rows, better)


@pytest.fixture(params=CASES, ids=case_name)
def case(request):
    return read_reference(request.param)


def check_rank_tests(rankings, exact):
    assert near(rankings.average, exact["average_ranks"])
    found = friedman(rankings)
    assert near(found.statistic, exact["friedman_chi2_tie_corrected"])
    assert near(found.p_value, exact["friedman_p_tie_corrected"])
    found = iman_davenport(rankings)
    assert near(found.statistic, exact["iman_davenport_F_tie_corrected"])
    if math.isinf(found.statistic):
        # The reference has the limit 0 of the F distribution.
        assert near(found.p_value, math.factorial(rankings.n_models) ** (1 - rankings.n_datasets))
    else:
        assert near(found.p_value, exact["iman_davenport_p_tie_corrected"])
    assert near(kendall_w(rankings), exact["kendall_w_tie_corrected"])


def check_pairs(rankings, models, exact):
    n, k = rankings.ranks.shape
    for level, wanted in exact["nemenyi_cd"].items():
        assert near(nemenyi_difference(n, k, float(level)), wanted)
    means, error = RANK_SCORES["ranks"](rankings)
    z = np.array([(means[i] - means[j]) / error for i, j in combinations(range(k), 2)])
    pairs = exact["all_pairs"]
    assert near(z, pairs["z"])
    assert near(nemenyi_p_values(z, k), pairs["nemenyi_tukey"])
    for key, correction in OF_PAIRS.items():
        if key in pairs:
            assert near(adjust_pairs(pairs["p"], k, correction), pairs[key]), key
    control = exact["versus_control"]
    for key, correction in OF_CONTROL.items():
        assert near(adjust_p_values(control["p"], correction), control[key]), key


def test_rank_tests_of_published_and_made_up_tables(case):
    table = table_of(case)
    rankings = Rankings.of(table)
    assert rankings.ranks.tolist() == case["exact"]["ranks"]
    check_rank_tests(rankings, case["exact"])
    check_pairs(rankings, table.models, case["exact"])
    exact = case["exact"]
    assert near([aligned_ranks(rankings).statistic, aligned_ranks(rankings).p_value],
                [exact["aligned_ranks"]["T"], exact["aligned_ranks"]["p"]])  # fmt: skip
    assert near(
        [quade(rankings).statistic, quade(rankings).p_value], [exact["quade"]["F"], exact["quade"]["p"]]
    )


def test_pairs_of_models(case):
    table, exact = table_of(case), case["exact"]
    pairs = [tuple(pair) for pair in exact["all_pairs"]["pairs"]]
    for key, correction in OF_PAIRS.items():
        if key in exact["all_pairs"]:
            found = pairwise_tests(table, correction=correction)
            assert near([found[pair] for pair in pairs], exact["all_pairs"][key])
            assert [found[pair] for pair in pairs] == [found[pair[::-1]] for pair in pairs]
    control = exact["versus_control"]
    for key, correction in OF_CONTROL.items():
        found = pairwise_tests(table, correction=correction, control=control["control"])
        assert near([found[control["control"], other] for other in control["others"]], control[key])


def test_conovers_test_is_that_of_scikit_posthocs(case):
    table, found = table_of(case), case["scikit-posthocs 0.17.1"]
    for key, correction in (("", "none"), ("_holm", "holm")):
        own = pairwise_tests(table, "conover", correction=correction)
        wanted = [number(p) for p in found["posthoc_conover_friedman" + key]]
        if np.isnan(wanted).all():  # all models tie
            assert set(own.values()) == {1.0}
        elif max(wanted) == 0:  # the limit of t, where ours is exact
            exact = math.factorial(len(table.models)) ** (1 - len(table.datasets))
            assert list(own.raw.values()) == pytest.approx([exact] * len(wanted))
            assert all("exact" in reason for reason in own.reasons.values())
        else:
            assert near([own[pair] for pair in combinations(table.models, 2)], wanted)


def test_conovers_test_is_a_t_test_of_ranks_without_the_means_of_models_and_data_sets(rng):
    """Of ranks with an effect of the model and none of the data set, as in a two-way layout."""
    for n, k in ((2, 3), (6, 4), (9, 2)):
        scores = rng.integers(0, 6, (n, k)).astype(float)
        table = ScoreTable.of(range(n), [f"m{i}" for i in range(k)], scores, "higher")
        ranks = [
            [sum(b > a for b in row) + (sum(b == a for b in row) + 1) / 2 for a in row] for row in scores
        ]
        means = [sum(row[j] for row in ranks) / n for j in range(k)]
        squares = sum((row[j] - means[j]) ** 2 for row in ranks for j in range(k))
        error = math.sqrt(squares / ((n - 1) * (k - 1)) * 2 / n)
        found = pairwise_tests(table, "conover", correction="none")
        for i, j in combinations(range(k), 2):
            t = (means[i] - means[j]) / error
            assert found.statistics[f"m{i}", f"m{j}"] == pytest.approx(t)
            assert found.raw[f"m{i}", f"m{j}"] == pytest.approx(2 * stats.t.sf(abs(t), (n - 1) * (k - 1)))


def test_conovers_test_says_what_it_does_not_keep():
    table = ScoreTable.of("xy", "abc", [[1, 2, 3], [2, 1, 3]], "higher")
    assert "only if all models are alike" in pairwise_tests(table, "conover").table().foot
    assert pairwise_tests(table, "conover", correction="li").table().foot.count("level") > 1
    one = pairwise_tests(ScoreTable.of("x", "abc", [[1, 2, 3]], "higher"), "conover")
    assert set(one.reasons.values()) == {"one data set does not tell the error"}


def test_two_models_at_a_time(case):
    table = table_of(case)
    for wanted in case["exact"]["pairwise_tests"]:
        differences = table.differences(*wanted["pair"])
        assert near(sign_test(differences).p_value, wanted["sign_test_p_ties_dropped"])
        assert near(sign_test(differences, zeros="split").p_value, wanted["sign_test_p_ties_split"])
        split = signed_rank_test(differences, zeros="split")
        demsar = wanted["wilcoxon_demsar_zeros_split"]
        assert near([split.statistic, split.p_value], [demsar["T"], demsar["p_normal_two_sided"]])
        for zeros, key in (("drop", "wilcoxon_zeros_dropped"), ("pratt", "wilcoxon_pratt")):
            block, found = wanted[key], signed_rank_test(differences, zeros=zeros)
            if (differences != 0).any():
                assert near(found.p_value, block["p_exact_two_sided"])
                assert found.statistic == min(block["R_plus"], block["R_minus"])
            else:  # nothing speaks against the hypothesis
                assert found.p_value == 1.0
                assert "score the same" in found.reason
        effects = paired_effects(differences)
        assert (effects.wins, effects.ties, effects.losses) == (
            wanted["wins"],
            wanted["ties"],
            wanted["losses"],
        )


def test_what_demsar_printed():
    case = read_reference("many_data_sets/01_demsar_c45.json")
    printed, exact = case["printed_in_paper"], case["exact_from_printed_ranks"]
    # The ranks, because the scores were rounded more than the ranks were made from.
    rankings = Rankings.of_goodness(-np.array(case["ranks_printed"]))
    check_rank_tests(rankings, exact)
    check_pairs(rankings, case["algorithms"], exact)
    assert rankings.average == pytest.approx(printed["average_ranks"], abs=5e-4)
    plain = friedman(rankings).statistic * rankings.untied
    assert plain == pytest.approx(printed["friedman_chi2"], abs=5e-3)
    assert nemenyi_difference(14, 4) == pytest.approx(1.25, abs=5e-3)
    assert nemenyi_difference(14, 4, 0.1) == pytest.approx(1.12, abs=5e-3)
    for level in ("0.05", "0.10"):
        quantiles = printed["nemenyi_q_table"]
        for k, q in zip(quantiles["k"], quantiles[level], strict=True):
            assert studentized_range_quantile(float(level), k) / math.sqrt(2) == pytest.approx(q, abs=1.1e-3)
    table = table_of(case)
    split = signed_rank_test(table.differences("C4.5", "C4.5+m"), zeros="split")
    assert split.statistic == printed["wilcoxon_C45_vs_C45m"]["R_minus"]


def test_the_studentised_range_is_scipys():
    for k in (2, 3, 7, 20, 60):
        q = np.array([0.5, 2.0, 4.0, 6.0])
        assert studentized_range(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-9)
    assert studentized_range(12.0, 2)[0] == pytest.approx(2 * stats.norm.sf(12 / math.sqrt(2)), rel=1e-9)
    assert studentized_range(0.0, 5)[0] == pytest.approx(1.0)


def test_signed_ranks_by_enumeration(rng):
    for _ in range(30):
        values = rng.integers(-3, 4, size=rng.integers(2, 9)).astype(float)
        for zeros in ("pratt", "drop"):
            kept = values if zeros == "pratt" else values[values != 0]
            ranks = stats.rankdata(np.abs(kept))[kept != 0]
            signs = np.sign(kept[kept != 0])
            if not ranks.size:
                continue
            sums = [ranks[np.array(s) > 0].sum() for s in itertools.product((-1, 1), repeat=ranks.size)]
            reached = min(ranks[signs > 0].sum(), ranks[signs < 0].sum())
            wanted = min(1.0, 2 * np.mean(np.array(sums) <= reached + 1e-9))
            assert signed_rank_test(values, zeros=zeros).p_value == pytest.approx(wanted)


def test_many_data_sets_are_normal(rng):
    values = rng.normal(0.1, 1, 260)
    wanted = stats.wilcoxon(values, correction=False, method="approx").pvalue
    assert signed_rank_test(values).p_value == pytest.approx(wanted, rel=1e-9)


def closed(p, test):
    """Adjusted p-values by closing a test of intersections, over all sets of hypotheses."""
    m = len(p)
    adjusted = np.zeros(m)
    for size in range(1, m + 1):
        for chosen in combinations(range(m), size):
            value = test([p[i] for i in chosen])
            for i in chosen:
                adjusted[i] = max(adjusted[i], value)
    return np.minimum(1.0, adjusted)


def test_corrections_are_closed_tests(rng):
    for _ in range(20):
        p = rng.random(rng.integers(1, 7)).round(2)
        bonferroni = closed(p, lambda q: len(q) * min(q))
        simes = closed(p, lambda q: min(len(q) * v / (i + 1) for i, v in enumerate(sorted(q))))
        assert adjust_p_values(p, "holm") == pytest.approx(bonferroni)
        assert adjust_p_values(p, "hommel") == pytest.approx(simes)


def equal_pairs(groups):
    return frozenset((i, j) for i, j in combinations(range(len(groups)), 2) if groups[i] == groups[j])


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_corrections_of_all_pairs_look_at_what_can_be_true(k, rng):
    pairs = list(combinations(range(k), 2))
    possible = {equal_pairs(groups) for groups in itertools.product(range(k), repeat=k)} - {frozenset()}
    sizes = {len(s) for s in possible} | {0}
    for _ in range(10):
        p = dict(zip(pairs, rng.random(len(pairs)).round(2) ** 2, strict=True))
        wanted = [
            min(1.0, max(len(s) * min(p[q] for q in s) for s in possible if pair in s)) for pair in pairs
        ]
        assert adjust_pairs(list(p.values()), k, "bergmann-hommel") == pytest.approx(wanted)
        ordered = sorted(pairs, key=p.__getitem__)
        bounds = [p[q] * max(s for s in sizes if s <= len(pairs) - i) for i, q in enumerate(ordered)]
        shaffer = dict(zip(ordered, np.minimum(1.0, np.maximum.accumulate(bounds)), strict=True))
        assert adjust_pairs(list(p.values()), k, "shaffer") == pytest.approx([shaffer[q] for q in pairs])


@pytest.mark.parametrize("correction", [c for c in CORRECTIONS if c != "none"])
def test_undefined_p_values_count_as_tests(correction):
    found = adjust_p_values([0.01, math.nan, 0.03], correction)
    assert math.isnan(found[1])
    assert [found[0], found[2]] == pytest.approx(
        np.array(adjust_p_values([0.01, 1.0, 0.03], correction))[[0, 2]]
    )


def test_decimals_that_are_equal_tie():
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert settled(np.array([0.3 - 0.2, 0.2 - 0.1])).tolist() == [0.1, 0.1]
    table = ScoreTable.of("xyz", "ab", [[0.3, 0.2], [0.2, 0.1], [0.1, 0.2]], "higher")
    assert signed_rank_test(table.differences("a", "b")).statistic == 2.0


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("test", ["ranks", "aligned-ranks", "quade"])
@pytest.mark.parametrize("rows", [
    [[0.9, 0.8], [0.7, 0.4], [0.3, 0.35]],
    [[0.9, 0.8, 0.5], [0.7, 0.4, 0.6]],
    [[0.9, 0.8, 0.5, 0.1], [0.7, 0.45, 0.6, 0.2]],
])  # fmt: skip
def test_errors_of_differences_of_ranks_by_enumeration(test, rows):
    """If all models are alike, each data set may have had its scores in any order."""
    differences = []
    for orders in itertools.product(*(itertools.permutations(row) for row in rows)):
        means, _ = RANK_SCORES[test](Rankings.of_goodness(np.array(orders)))
        differences.append(means[0] - means[1])
    _, error = RANK_SCORES[test](Rankings.of_goodness(np.array(rows)))
    assert np.mean(differences) == pytest.approx(0, abs=1e-12)
    assert np.std(differences) == pytest.approx(error)


@pytest.mark.full
@pytest.mark.parametrize("test", ["ranks", "aligned-ranks", "quade", "conover"])
def test_pairs_by_ranks_have_the_size_that_they_promise(test, rng):
    for k, n in ((2, 30), (6, 20)):
        found = []
        for rows in rng.normal(0, 1, (800, n, k)):
            table = ScoreTable.of(range(n), [f"m{i}" for i in range(k)], rows, "higher")
            found.append(pairwise_tests(table, test=test, correction="none").raw["m0", "m1"])
        assert 0.03 < np.mean(np.array(found) < 0.05) < 0.075


@pytest.mark.parametrize("test", ["ranks", "aligned-ranks", "quade", "conover"])
def test_models_that_always_tie_do_not_differ(test):
    table = ScoreTable.of(range(3), "abc", [[0.5, 0.5, 0.5]] * 3, "higher")
    found = pairwise_tests(table, test=test)
    assert set(found.statistics.values()) == {0.0}
    assert set(found.raw.values()) == {1.0}


def test_gaps_are_left_out_where_they_have_to_be():
    nan = math.nan
    rows = [[0.9, 0.8, 0.7], [0.8, nan, 0.6], [0.9, 0.7, 0.5], [nan, 0.7, 0.6], [0.8, 0.7, 0.9]]
    table = ScoreTable.of(range(5), "abc", rows, "higher")
    assert Rankings.of(table).n_datasets == 3
    assert set(pairwise_tests(table).n_datasets.values()) == {3}
    assert pairwise_tests(table, test="wilcoxon").n_datasets == {("a", "b"): 3, ("a", "c"): 4, ("b", "c"): 4}


def test_the_location_is_what_the_test_does_not_reject(rng):
    values = rng.normal(0.3, 1, 15)
    effects = paired_effects(values)
    for shift, inside in (
        (effects.low - 1e-6, False),
        (effects.low + 1e-6, True),
        (effects.high + 1e-6, False),
    ):
        assert (signed_rank_test(values - shift).p_value > 0.05) is inside
    few = paired_effects(values[:5])
    assert (few.low, few.high) == (-math.inf, math.inf)


@pytest.mark.full
def test_power_of_the_signed_rank_test_by_simulation(rng):
    n, shift = 30, 0.5
    draws = rng.normal(shift, 1, (1500, n))
    found = np.mean([signed_rank_test(row).p_value <= 0.05 for row in draws])
    probability = stats.norm.cdf(shift * math.sqrt(2))
    assert pair_power(n, probability) == pytest.approx(found, abs=0.05)


def test_power_of_friedmans_test_by_simulation(rng):
    n, k, shift = 15, 4, np.array([0.0, 0.3, 0.6, 0.9])
    ranks = [Rankings.of_goodness(rng.normal(shift, 1, (n, k))) for _ in range(400)]
    found = np.mean([friedman(r).p_value <= 0.05 for r in ranks])
    many = Rankings.of_goodness(rng.normal(shift, 1, (20_000, k)))
    concordance = kendall_w(many)
    assert rank_test_power(n, k, concordance) == pytest.approx(found, abs=0.07)
    assert rank_test_power(n, k, 0.0) == 0.05


@pytest.mark.parametrize("zeros", ["split", "drop", "pratt"])
def test_signed_ranks_of_models_that_always_tie(zeros):
    for n in (1, 2, 3):
        found = signed_rank_test(np.zeros(n), zeros=zeros)
        assert found.p_value == 1.0
        assert found.reason == "the models score the same on every data set"
    nothing = signed_rank_test(np.empty(0), zeros=zeros)
    assert nothing.p_value == 1.0
    assert nothing.reason == "no data set has a score of both models"
    assert signed_rank_test(np.array([0.1, 0.2, -0.3, 0.0]), zeros=zeros).reason is None


@pytest.mark.parametrize("zeros", ["split", "drop"])
def test_signs_of_models_that_always_tie(zeros):
    tied, nothing = sign_test(np.zeros(3), zeros=zeros), sign_test(np.empty(0), zeros=zeros)
    assert (tied.p_value, nothing.p_value) == (1.0, 1.0)
    assert tied.reason == "the models score the same on every data set"
    assert nothing.reason == "no data set has a score of both models"


def test_effects_of_models_that_always_tie():
    effects = paired_effects(np.zeros(4))
    assert (effects.ties, effects.rank_biserial, effects.wins_share, effects.median) == (4, 0.0, 0.5, 0.0)
    nothing = paired_effects(np.empty(0))
    assert nothing.ties == 0
    assert math.isnan(nothing.rank_biserial)
    assert math.isnan(nothing.wins_share)


def test_a_tail_that_is_reached_exactly_is_outside():
    from adjudge.inference.data_sets.two_models import _sums_outside

    assert [_sums_outside(5, tail) for tail in (1 / 33, 1 / 32, 2 / 32, 3 / 32, 5 / 32)] == [-1, 0, 1, 2, 3]


def of_counts(counts: tuple[int, int, int, int]) -> TestResult:
    """Two clusterings into two clusters: both right, the first alone, the second alone, neither."""
    truth = np.arange(sum(counts)) % 2
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], counts, axis=0)
    return equal_goodness_test(truth, *(np.where(own, truth, 1 - truth) for own in right.T))


def test_more_than_fifty_instances_have_no_note_by_sign_tests() -> None:
    assert of_counts((8, 34, 14, 1)).reason is None


@pytest.mark.parametrize(("correction", "warned"), [("finner", True), ("li", True), ("holm", False)])
def test_tables_say_which_corrections_do_not_limit_false_claims(correction: str, warned: bool) -> None:
    rows = np.random.default_rng(0).random((6, 3)).tolist()
    table = ScoreTable.of(list(range(6)), ["a", "b", "c"], rows, "higher")
    text = repr(pairwise_tests(table, correction=correction))
    assert ("does not limit the probability of any false claim" in text) is warned


@pytest.mark.parametrize(("m", "false", "told"), [(20, 2, 0.13), (60, 30, 0.55)])
def test_how_often_finners_correction_makes_a_false_claim(m: int, false: int, told: float) -> None:
    """The docstring's figures: a true hypothesis is rejected below the limit of the first step after the false ones."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        adjusted = adjust_p_values([0.0] * false + [middle] + [1.0] * (m - false - 1), "finner")
        low, high = (middle, high) if adjusted[false] <= 0.05 else (low, middle)
    assert 1 - (1 - low) ** (m - false) == pytest.approx(told, abs=0.005)
