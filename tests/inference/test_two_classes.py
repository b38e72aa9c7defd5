"""Intervals of scores of two classes, and of one class against the rest, from tables of four counts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from adjudge.inference.classes.two_classes import SCORES, interval_of_tables, tables_of_few

from adjudge import Agreement, find_index
from adjudge.indices.class_measures import value_by_class
from adjudge.inference.classes import class_intervals
from adjudge.inference.classes.class_intervals import intervals_by_class, intervals_of_labels
from adjudge.inference.classes.diversity_intervals import _OF_TABLES, diversity_intervals
from adjudge.inference.interval import Interval
from adjudge.statistics.classes import OneVersusRest
from adjudge.statistics.confusion import Confusion

NAMES = ("f1", "macro_f1", "cohen_kappa", "matthews_correlation")


def confusion(tp: int, fp: int, fn: int, tn: int) -> Confusion:
    return Confusion([0, 1], np.array([[tn, fp], [fn, tp]]))


def rows_of(*cells: float) -> OneVersusRest:
    return OneVersusRest(*(np.array([cell], float) for cell in cells))


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_tables_are_those_of_their_records(name: str) -> None:
    """For every table of up to four instances in a cell."""
    record = find_index(name, "classification")
    for tp, fp, fn, tn in itertools.product(range(5), repeat=4):
        if tp + fp + fn + tn == 0:
            continue
        whole = confusion(tp, fp, fn, tn)
        by_class = whole.by_class(positive=1)
        expected, _ = record.assess(*(whole if kind is Confusion else by_class for kind in record.requires))
        found = float(SCORES[name](rows_of(tp, fp, fn, tn))[0])
        assert found == pytest.approx(expected, nan_ok=True, abs=1e-12), (tp, fp, fn, tn)


@pytest.mark.parametrize("name", _OF_TABLES)
def test_scores_of_two_models_are_those_of_their_records(name: str) -> None:
    record = find_index(name, "diversity")
    for cells in itertools.product(range(4), repeat=4):
        if sum(cells):
            found = float(_OF_TABLES[name](rows_of(*cells))[0])
            expected, _ = record.assess(Agreement(*cells))
            assert found == pytest.approx(expected, nan_ok=True, abs=1e-12), cells


#: Share of the positive class, and of either class what is right; then the number of instances.
LAWS = {
    "rare, by chance, 100": ((0.1, 0.1, 0.9), 100),
    "rare, by chance, 200": ((0.1, 0.1, 0.9), 200),
    "rare, half found": ((0.05, 0.5, 0.98), 60),
    "rare, nearly all found": ((0.05, 0.9, 0.9), 60),
    "even, nearly all right": ((0.5, 0.97, 0.99), 120),
}


@pytest.mark.parametrize("law", LAWS)
def test_intervals_of_two_classes_hold_their_level(law: str) -> None:
    """Jackknife errors give 0.87 by chance."""
    (share, found, spared), n = LAWS[law]
    cells = np.array([share * found, (1 - share) * (1 - spared), share * (1 - found), (1 - share) * spared])
    records = [find_index(name, "classification") for name in NAMES]
    population = confusion(*np.rint(cells * 10**12).astype(np.int64).tolist()).by_class(positive=1)
    rng = np.random.default_rng(5)
    held: dict[str, list[bool]] = {name: [] for name in NAMES}
    for _ in range(150):
        drawn = confusion(*rng.multinomial(n, cells).tolist())
        for name, own in intervals_of_labels(records, drawn, drawn.by_class(positive=1), 0.95).items():
            if not math.isnan(own.low):
                held[name].append(own.low <= find_index(name, "classification").of(population) <= own.high)
    for name, outcomes in held.items():
        assert np.mean(outcomes) >= 0.9, (name, np.mean(outcomes))


def test_intervals_of_two_models_hold_with_few_errors_in_common() -> None:
    """Kappa of correctness was held by two thirds of them."""
    law = np.array([0.92, 0.04, 0.02, 0.02])
    wanted = {name: float(_OF_TABLES[name](rows_of(*law))[0]) for name in _OF_TABLES}
    rng = np.random.default_rng(2)
    held: dict[str, list[bool]] = {name: [] for name in _OF_TABLES}
    for _ in range(150):
        found = diversity_intervals(Agreement(*rng.multinomial(50, law).tolist()))
        for name, value in wanted.items():
            if not math.isnan(found[name].low):
                held[name].append(found[name].low <= value <= found[name].high)
    for name, outcomes in held.items():
        assert np.mean(outcomes) >= 0.9, (name, np.mean(outcomes))


def test_the_end_at_the_best_value_is_its_own() -> None:
    """All are right: the other end is the value that would have had so few mistakes in 5 % of the samples, by mid-P."""
    tables = tables_of_few([30, 0, 0, 30])
    assert tables is not None
    own = interval_of_tables(tables, SCORES["cohen_kappa"], (-1.0, 1.0), 0.9)
    assert (own.high, own.one_sided, own.method) == (1.0, True, "tables")
    assert own.reason == "one-sided: the estimate is the largest possible value"
    # Half of the probability of 60 right answers is 0.05 if 1 - kappa = 2 (1 - 0.1 ** (1 / 60)).
    assert own.low == pytest.approx(1 - 2 * (1 - 0.1 ** (1 / 60)), abs=0.004)
    worst = tables_of_few([0, 30, 30, 0])
    assert worst is not None
    right, wrong = (
        interval_of_tables(some, SCORES["matthews_correlation"], (-1.0, 1.0), 0.9) for some in (tables, worst)
    )
    assert (wrong.low, wrong.one_sided) == (-1.0, True)
    assert wrong.high == pytest.approx(-right.low, abs=1e-9)
    assert wrong.reason == "one-sided: the estimate is the smallest possible value"


def test_tables_without_a_value_have_no_interval() -> None:
    tables = tables_of_few([0, 0, 0, 5])
    assert tables is not None
    own = interval_of_tables(tables, SCORES["f1"], (0.0, 1.0), 0.9)
    assert math.isnan(own.low)
    assert (own.confidence, own.method, own.reason) == (0.9, "tables", "the score is undefined")


@pytest.mark.parametrize(
    ("cells", "few"),
    [([50, 50, 50, 50], False), ([10**9, 49, 50, 10**9], True), ([0, 0, 0, 2], True), ([1, 0, 0, 0], False)],
)
def test_tables_are_for_counts_that_are_small(cells: list[int], few: bool) -> None:
    assert (tables_of_few(cells) is not None) == few


def test_both_ways_meet_where_counts_are_no_longer_small() -> None:
    few, many = confusion(300, 60, 49, 250), confusion(300, 60, 50, 250)
    records = [find_index(name, "classification") for name in NAMES]
    one, other = (intervals_of_labels(records, c, c.by_class(positive=1), 0.95) for c in (few, many))
    for name in NAMES:
        assert (one[name].method, other[name].method) == ("tables", "score")
        assert list(one[name]) == pytest.approx(list(other[name]), abs=0.004), name


def test_names_of_the_classes_do_not_matter() -> None:
    """Of scores that treat both alike, and if the other class is the positive one."""
    given, turned = confusion(3, 4, 2, 40), confusion(40, 2, 4, 3)
    records = [find_index(name, "classification") for name in NAMES]
    one = intervals_of_labels(records, given, given.by_class(positive=1), 0.9)
    other = intervals_of_labels(records, turned, turned.by_class(positive=0), 0.9)
    for name in NAMES:
        assert list(one[name]) == pytest.approx(list(other[name]), abs=1e-9), name


def test_sums_of_two_shares_of_a_class_are_means_of_two_recalls() -> None:
    """Of the class and the rest, or of what is said to be of the class and what is not."""
    matrix = np.array([[5, 2, 1], [3, 9, 0], [0, 1, 4]])
    counts = Confusion([0, 1, 2], matrix).by_class()
    informed, marked = (intervals_by_class(counts, name, 0.9) for name in ("informedness", "markedness"))
    n, balanced = int(matrix.sum()), find_index("balanced_accuracy")
    for c in range(3):
        tp, true, said = int(matrix[c, c]), int(matrix[c].sum()), int(matrix[:, c].sum())
        of_class = confusion(tp, said - tp, true - tp, n - true - said + tp)
        turned = Confusion([0, 1], of_class.matrix.T)
        for own, table in ((informed[c], of_class), (marked[c], turned)):
            [mean] = intervals_of_labels([balanced], table, table.by_class(positive=1), 0.9).values()
            assert [(end + 1) / 2 for end in own] == pytest.approx(list(mean))
            assert (own.method, own.confidence) == ("wilson", 0.9)
    never = Confusion([0, 1], np.array([[5, 0], [3, 0]])).by_class(positive=1)
    [whole] = intervals_of_labels([find_index("markedness")], None, never, 0.9).values()
    assert math.isnan(whole.low)
    assert (whole.method, whole.reason) == ("wilson", "the score is undefined")


def test_informedness_and_adjusted_balanced_accuracy_are_one_number_of_two_classes() -> None:
    given = confusion(3, 4, 2, 40)
    records = [find_index(name) for name in ("informedness", "adjusted_balanced_accuracy")]
    one, other = intervals_of_labels(records, given, given.by_class(positive=1), 0.9).values()
    assert list(one) == pytest.approx(list(other))


def test_each_of_many_classes_has_a_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables take milliseconds each."""
    counts = Confusion([0, 1, 2], np.array([[5, 2, 1], [3, 9, 0], [0, 1, 4]])).by_class()
    assert [own.method for own in intervals_by_class(counts, "f1", 0.9)] == ["tables"] * 3
    monkeypatch.setattr(class_intervals, "MOST_CLASSES", 2)
    assert [own.method for own in intervals_by_class(counts, "f1", 0.9)] == ["score"] * 3


def test_f1_and_jaccard_agree_on_which_end_is_a_limit() -> None:
    counts = Confusion([0, 1], np.array([[9, 0], [0, 4]])).by_class()
    one: list[Interval] = intervals_by_class(counts, "f1", 0.9)
    other = intervals_by_class(counts, "jaccard", 0.9)
    assert [own.one_sided for own in one] == [own.one_sided for own in other] == [True, True]
    assert value_by_class("jaccard", counts).tolist() == [own.high for own in other] == [1.0, 1.0]


@pytest.mark.parametrize(
    "name",
    [
        *("cohen_kappa", "linear_weighted_kappa", "quadratic_weighted_kappa", "scott_pi", "gwet_ac1"),
        *("matthews_correlation", "f1", "macro_f1", "weighted_f1", "class_jaccard", "macro_jaccard"),
        *("weighted_jaccard", "weighted_precision", "weighted_specificity"),
        "weighted_negative_predictive_value",
    ],
)
def test_scores_of_few_counts_have_intervals_from_tables(name: str) -> None:
    given, record = confusion(9, 4, 3, 40), find_index(name, "classification")
    [own] = intervals_of_labels([record], given, given.by_class(positive=1), 0.9).values()
    tables = tables_of_few([9, 4, 3, 40])
    assert tables is not None
    assert own == interval_of_tables(tables, SCORES[name], (record.range[0], record.range[1]), 0.9)
    by_class = given.by_class(positive=1)
    value = record.assess(*(given if kind is Confusion else by_class for kind in record.requires))[0]
    assert own.low < value < own.high
    assert own.method == "tables"
