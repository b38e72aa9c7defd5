"""Intervals and tests of classifiers' scores beside exact values and plain versions of their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma, ttest_1samp

import adjudge
import interval_twin as twin
from adjudge import find_index
from adjudge.errors import InputError
from adjudge.inference.classes.accuracy_tests import cochran_q_test, mcnemar_test
from adjudge.inference.classes.class_intervals import intervals_of_labels
from adjudge.inference.common.significance import difference_of_influences
from adjudge.inference.data_sets import hierarchical
from adjudge.inference.data_sets.hierarchical import _prior_of_nu, hierarchical_posterior, split_r_hat
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts.auc import Placements, auc_interval, compare_areas, placements
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, interval_of_share
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts
from conftest import as_number, case_name, read_reference, reference_cases


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, np.vectorize(as_number)(wanted), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("path", reference_cases("classifiers/binary_scores"), ids=case_name)
def test_interval_of_an_area(path: Path) -> None:
    case = read_reference(path)
    exact = case["exact"].get("auc_intervals_95")
    if exact is None or case["sample_weight"]:
        return
    f = read_forecasts(
        case["labels_true"], scores=case["score"], classes=[case["neg_label"], case["pos_label"]]
    )
    placed = placements(f)
    assert placed.area == pytest.approx(as_number(case["exact"]["auc"]), nan_ok=True)
    close(placed.variance, exact.get("delong_variance"))
    if placed.variance > 0:
        default = auc_interval(placed)
        assert 0 <= default.low < placed.area < default.high <= 1
        assert default.method == "mid-p gamma"
    else:
        assert auc_interval(placed).reason


def test_areas_without_a_variance() -> None:
    perfect = Placements(np.ones(5), np.ones(8))
    interval = auc_interval(perfect)
    assert (interval.high, interval.method) == (1.0, "newcombe")
    assert 0.5 < interval.low < 0.8
    assert auc_interval(Placements(np.ones(1), np.ones(8))).reason == (
        "with one instance of a class the area has no standard error: take a sample with more of them"
    )
    with pytest.raises(InputError, match="the two areas come from different instances"):
        compare_areas(perfect, Placements(np.ones(4), np.ones(9)))
    with pytest.raises(InputError, match="DeLong's variance needs the number of instances"):
        placements(read_forecasts([0, 1], scores=[1.0, 2.0], sample_weight=[1.0, 2.0]))


@pytest.mark.parametrize("path", reference_cases("classifiers/paired_labels"), ids=case_name)
def test_paired_labels_as_mlxtend(path: Path) -> None:
    """McNemar's test in three ways, and Cochran's; the corrected chi-square differs if both counts are the same."""
    case = read_reference(path)
    right = {
        name: np.asarray(said) == np.asarray(case["labels_true"])
        for name, said in case["predictions"].items()
    }
    for own in case["mlxtend 0.25.0"]:
        if "cochrans_q" in own:
            found = cochran_q_test(np.column_stack(list(right.values())))
            close([found.statistic, found.p_value], own["cochrans_q"])
            continue
        one, other = (right[name] for name in own["pair"])
        tied = np.sum(one & ~other) == np.sum(other & ~one)
        for key, method in (("exact", "exact"), ("chi2", "asymptotic"), ("chi2_corrected", "corrected")):
            found = mcnemar_test(one, other, method=method)
            if tied and (key == "chi2_corrected" or as_number(own[key][1]) != 1.0):
                assert found.p_value == 1.0  # there it is 0, nan, or that of a correction beyond 0
                continue
            assert found.p_value == pytest.approx(own[key][1], rel=1e-10)
            assert own[key][0] is None or found.statistic == pytest.approx(own[key][0])


def test_folds_and_repeated_splits_as_mlxtend() -> None:
    """mlxtend 0.25.0: two classifiers of scikit-learn 1.9.1 on its breast cancer data, with the seed 1.

    There a fold counts as a sample of its own.
    """
    bayes, tree = [54, 54, 54, 55, 50, 53, 54, 54, 56, 52], [54, 49, 51, 53, 51, 51, 56, 55, 56, 49]
    folds = (np.array(bayes) - tree) / [*[57] * 9, 56]
    bayes = [104, 109, 109, 108, 107, 109, 113, 107, 106, 104, 113, 105]
    tree = [108, 110, 108, 106, 107, 105, 111, 105, 104, 103, 110, 104]
    splits = (np.array(bayes) - tree) / 114
    for gains, statistic, p_value in (
        (folds, 1.5613705224823964, 0.15287027608771503),
        (splits, 1.8171279038162678, 0.09651404525449252),
    ):
        plain = ttest_1samp(gains, 0.0)
        assert (plain.statistic, plain.pvalue) == pytest.approx((statistic, p_value))
        # The gate's statistic of a mean loss, each fold an instance, is that of mlxtend.
        moved = Influence.centred(float(gains.mean()), gains)
        own = difference_of_influences(Wanted(moved, (0, math.inf)), 0.95, "h")
        assert own.test is not None
        assert own.test.statistic == pytest.approx(statistic)


def test_intervals_are_of_the_positive_class_that_is_named() -> None:
    matrix = np.array([[8, 3], [1, 20]])
    records = [find_index(name, "classification") for name in ("f1", "class_jaccard", "informedness")]
    first = Confusion([0, 1], matrix)
    turned = Confusion([0, 1], matrix[::-1, ::-1].copy())
    one = intervals_of_labels(records, first, first.by_class(positive=0), 0.9)
    other = intervals_of_labels(records, turned, turned.by_class(positive=1), 0.9)
    for name, own in one.items():
        assert [*own] == pytest.approx([*other[name]]), name
    default = intervals_of_labels(records, first, first.by_class(positive=1), 0.9)
    assert [*default["f1"]] != pytest.approx([*one["f1"]])


# --- the hierarchical comparison ---------------------------------------------------------------------------------


@pytest.mark.full
def test_the_prior_of_nu_mixes_gamma_laws() -> None:
    grid, logs = _prior_of_nu()
    for i in (600, 1100, 1400):
        nu = math.exp(grid[i])

        def of_shape(shape: float, nu: float = nu) -> float:
            return float(quad(lambda rate: gamma.pdf(nu, shape, scale=1 / rate), 0.01, 0.1)[0] / 0.09)

        assert math.exp(logs[i]) == pytest.approx(nu * quad(of_shape, 1, 2)[0], rel=1e-5)
    assert np.trapezoid(np.exp(logs), grid) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 11])
def test_split_r_hat_by_definition(n: int) -> None:
    chains = np.random.default_rng(n).normal(size=(3, n)) + np.arange(3)[:, None]
    half = n // 2
    if half < 2:
        assert math.isnan(split_r_hat(chains))
        return
    parts = [part for chain in chains for part in (chain[:half], chain[n - half :])]
    within = np.mean([part.var(ddof=1) for part in parts])
    between = np.var([part.mean() for part in parts], ddof=1)
    assert split_r_hat(chains) == pytest.approx(math.sqrt((half - 1) / half + between / within))
    assert split_r_hat(np.ones((3, n))) == 1.0


def test_chains_that_have_not_met_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = [[0.1, 0.2, 0.15], [0.05, 0.1, 0.2]]
    for r_hat, warning in (
        (1.02, None),
        (1.0203, "the chains have not met (R-hat 1.020): take more draws"),
    ):
        monkeypatch.setattr(hierarchical, "split_r_hat", lambda chains, r_hat=r_hat: r_hat)
        found = hierarchical_posterior(folds, rope=0.01, n_draws=8, random_state=0)
        assert found.warning == warning


def test_differences_without_any_spread_in_a_data_set() -> None:
    """The unit is the region's width, or the largest difference; another unit changes nothing."""
    constant = [[0.0] * 4, [0.1] * 4, [0.2] * 4]
    for rope in (0.0, 0.05):
        found = hierarchical_posterior(constant, rope=rope, n_draws=400, random_state=0)
        assert found.first > found.second
        thousand = [[1000 * v for v in own] for own in constant]
        again = hierarchical_posterior(thousand, rope=1000 * rope, n_draws=400, random_state=0)
        assert again.first == pytest.approx(found.first, rel=1e-6)
        other = hierarchical_posterior(constant, rope=rope, n_draws=400, random_state=1)
        assert other.first != found.first


def test_top_k_accuracy_is_a_share() -> None:
    truth = np.repeat([0, 1, 2], 20)
    p = np.random.default_rng(4).dirichlet(np.ones(3), 60)
    record = find_index("top_k_accuracy")
    right = round(60 * record(truth, p))
    found = intervals_of_forecasts([record], read_forecasts(truth, p), 0.9)["top_k_accuracy"]
    assert tuple(found) == pytest.approx(tuple(interval_of_share(right, 60, 0.9)))
    assert found.method == "wilson"


def test_the_gini_coefficient_has_the_limits_of_the_area() -> None:
    truth = np.repeat([0, 1], [25, 15])
    read = read_forecasts(truth, scores=truth + np.random.default_rng(4).normal(size=40))
    records = [find_index(name) for name in ("roc_auc", "gini")]
    area, gini = intervals_of_forecasts(records, read, 0.7).values()
    own = auc_interval(placements(read), confidence=0.7)
    assert (area.low, area.high, area.method, area.reason) == (own.low, own.high, own.method, own.reason)
    assert (gini.low, gini.high) == pytest.approx((2 * own.low - 1, 2 * own.high - 1))
    perfect = read_forecasts(truth, scores=truth.astype(float))
    reasons = [found.reason for found in intervals_of_forecasts(records, perfect, 0.7).values()]
    assert reasons == [auc_interval(placements(perfect), confidence=0.7).reason] * 2
    assert reasons[0] is not None


def counted(matrix: list[list[int]]) -> ClassCounts:
    rows, cols = (found.ravel() for found in np.indices(np.shape(matrix)))
    return Confusion.of_cells(range(len(matrix)), rows, cols, np.ravel(matrix)).by_class()


MATRIX = [[20, 3, 1, 0], [2, 30, 0, 0], [4, 1, 9, 0], [0, 0, 0, 5]]


@pytest.mark.parametrize(
    "name", ["accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall"]
)
def test_shares_of_right_instances_have_the_interval_of_a_share(name: str) -> None:
    counts = counted(MATRIX)
    [own] = intervals_of_labels([find_index(name)], None, counts, 0.9).values()
    assert own == interval_of_share(int(np.trace(MATRIX)), int(np.sum(MATRIX)), 0.9)


def test_scores_of_a_positive_class_among_several_are_of_that_class() -> None:
    table = Confusion([0, 1, 2], np.array([[90, 5, 5], [10, 50, 30], [10, 40, 20]]))
    record = find_index("f1", "classification")
    for positive in range(3):
        counts = table.by_class(positive=positive)
        [own] = intervals_of_labels([record], table, counts, 0.9).values()
        assert sum(own) / 2 == pytest.approx(record.of(counts), abs=0.02)
        assert own.high - own.low < 0.25


def test_answers_outside_of_the_classes_are_in_the_interval() -> None:
    """The width follows from what one instance of each cell adds, with the answers as a column of their own."""
    table = np.array([[116.0, 24, 44], [56, 264, 96], [0, 0, 0]])
    names = np.array(["churn", "stay", "unsure"])
    true, said = (
        np.repeat(names[place], table[np.nonzero(table)].astype(int)) for place in np.nonzero(table)
    )

    def correlation(cells: np.ndarray) -> float:
        n, rows, cols = cells.sum(), cells.sum(axis=1), cells.sum(axis=0)
        spreads = (n * n - (rows**2).sum()) * (n * n - (cols**2).sum())
        return float((n * np.trace(cells) - rows @ cols) / np.sqrt(spreads))

    value, n = correlation(table), table.sum()
    slopes = np.zeros_like(table)
    for i, j in zip(*np.nonzero(table), strict=True):
        more = table.copy()
        more[i, j] += 1e-4
        slopes[i, j] = (correlation(more) - value) / 1e-4 * n
    half = 1.96 * np.sqrt((table * slopes**2).sum()) / n
    found = adjudge.evaluate(true, said, kind="classification", indices="mcc", confidence=0.95)
    low, high = found.intervals["matthews_correlation"]
    assert found["matthews_correlation"] == pytest.approx(value)
    assert (low, high) == pytest.approx((value - half, value + half), abs=0.05 * half)


Loss = Callable[[list[float], int], float]
Cases = list[tuple[list[float], int]]


def log_loss(shares: list[float], k: int) -> float:
    return -math.log(shares[k])


def brier(shares: list[float], k: int) -> float:
    if len(shares) == 2:
        return (shares[1] - (k == 1)) ** 2
    return sum((share - (i == k)) ** 2 for i, share in enumerate(shares))


def score(name: str, cases: Cases, times: list[float] | None = None) -> float:
    """A mean loss, or by how much it is lower than that of forecasting the shares of the classes."""
    loss: Loss = log_loss if "log" in name else brier
    each = times or [1.0] * len(cases)
    total = sum(w * loss(shares, k) for w, (shares, k) in zip(each, cases, strict=True))
    if name in ("log_loss", "brier_score"):
        return total / sum(each)
    base = [
        sum(w for w, (_, k) in zip(each, cases, strict=True) if k == c) / sum(each)
        for c in range(len(cases[0][0]))
    ]
    return 1 - total / sum(w * loss(base, k) for w, (_, k) in zip(each, cases, strict=True))


def expected_once(gains: list[tuple[float, float, Any]]) -> list[tuple[float, Any]]:
    """The cases of the largest gains of which one is expected in all, and how often, given gains and probabilities."""
    left, found = 1.0, []
    for _, share, case in sorted(gains, key=lambda own: -own[0]):
        found.append((min(share, left), case))
        left -= found[-1][0]
        if left <= 0:
            break
    return found


def read(cases: Cases) -> ProbabilityForecasts:
    rows, codes = np.array([shares for shares, _ in cases]), np.array([k for _, k in cases])
    return ProbabilityForecasts(
        list(range(rows.shape[1])), codes, rows if rows.shape[1] > 2 else rows[:, 1], None, None
    )


def drawn(k: int, seed: int, n: int = 40) -> tuple[Cases, Cases]:
    rng = np.random.default_rng(seed)
    one, other = rng.dirichlet(np.full(k, 1.5), (2, n))
    # Nearly all are right, so that the sample has smaller losses than the probabilities expect.
    codes = [*range(k), *one[k:].argmax(axis=1).tolist()]
    return (
        list(zip(one.tolist(), codes, strict=True)),
        list(zip(other.tolist(), codes, strict=True)),
    )


NAMES = ["log_loss", "brier_score", "d2_log_loss", "brier_skill_score"]


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("difference", [False, True])
def test_definition(name: str, k: int, difference: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was not seen is the mean of the most extreme of which the probabilities expect one.

    It moves a difference as far as any that was seen.
    """
    monkeypatch.setattr("adjudge.inference.forecasts.loss_sums._BLOCK", 8)
    first, second = drawn(k, 3)
    n, codes = len(first), [code for _, code in first]

    def value(rows: list[tuple[int, int]], times: list[float] | None = None) -> float:
        """The score of instances, each given as one whose probabilities it has, and a class."""
        found = score(name, [(first[i][0], c) for i, c in rows], times)
        return found - score(name, [(second[i][0], c) for i, c in rows]) if difference else found

    seen = list(enumerate(codes))
    start = value(seen)

    def gain(cell: tuple[int, int], step: float = 1e-3) -> float:
        """The slope, by a step as small as a thousandth of an instance: a thousand copies of all, and one more."""
        few = [(value([*seen * times, cell]) - start) * (times * n + 1) for times in (40, 80)]
        return 2 * few[1] - few[0]

    psi = [gain(cell) for cell in seen]
    if difference:
        rise = fall = max(map(abs, psi)) / n
        found = differences_of_forecasts([find_index(name)], read(first), read(second), 0.9)[name].interval
    else:
        slopes = {(i, c): gain((i, c)) for i in range(n) for c in range(k)}
        moves = [0.0]
        for sign in (1, -1):
            end = expected_once([(sign * slope, first[i][0][c], (i, c)) for (i, c), slope in slopes.items()])
            more = [share for share, _ in end]
            moves.append(value([*seen, *(cell for _, cell in end)], [*[1.0] * n, *more]) - start)
            # What the slope says: each slope is that for an instance among n.
            moves.append(sum(share * slopes[cell] for share, cell in end) / n)
        rise, fall = max(moves), -min(moves)
        found = intervals_of_forecasts([find_index(name)], read(first), 0.9)[name]
    low, high = twin.ends(start, psi, rise=rise, fall=fall, confidence=0.9)
    least, most = find_index(name).range if not difference else (-math.inf, math.inf)
    assert tuple(found) == pytest.approx((max(low, least), min(high, most)), abs=2e-4 * (high - low))


def test_losses_that_are_all_alike() -> None:
    """The Brier score allows for the next one; log losses have no limit."""
    certain = read([([1.0, 0.0], 0), ([0.0, 1.0], 1)] * 10)
    found = intervals_of_forecasts([find_index(name) for name in NAMES], certain, 0.95)
    assert found["brier_score"].low == 0 < found["brier_score"].high < 0.2
    assert "the next one would" in str(found["brier_score"].reason)
    assert "no finite range" in str(found["log_loss"].reason)


def test_intervals_end_where_the_values_do() -> None:
    two = replace(read(drawn(2, 1, 6)[0]), values=np.array([0.02, 0.99, 0.1, 0.9, 0.5, 0.97]))
    wrong = replace(two, codes=(two.values < 0.5).astype(np.int64))
    assert intervals_of_forecasts([find_index("brier_score")], wrong, 0.95)["brier_score"].high == 1.0
    good = read([([0.98, 0.02], 0), ([0.1, 0.9], 1)] * 8)
    found = intervals_of_forecasts([find_index(name) for name in NAMES], good, 0.9999)
    assert (found["log_loss"].low, found["brier_score"].low) == (0, 0)
    assert (found["d2_log_loss"].high, found["brier_skill_score"].high) == (1, 1)
