"""Intervals and differences of predicted classes: what an instance does, units by hand, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
import interval_twin as twin
from adjudge import compare, evaluate, find_index
from adjudge.given.class_order import stated_orders
from adjudge.given.input_kinds import PredictedSets, TrueSets
from adjudge.given.label_sets import LabelSets
from adjudge.given.labels import Labels
from adjudge.indices.catalog import list_indices
from adjudge.indices.class_measures import MEASURES
from adjudge.inference.classes.class_intervals import (
    intervals_of_labels,
    intervals_of_measures,
    outcomes_of,
    why_not_compared,
)
from adjudge.inference.classes.label_set_intervals import label_set_intervals
from adjudge.inference.classes.label_sums import ScoredLabels
from adjudge.inference.classes.outcome_intervals import diversity_intervals
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.differences.label_differences import (
    PairedLabels,
    compare_accuracies,
    differences_of_labels,
)
from adjudge.inference.interval import METHOD
from adjudge.inference.refusals import WEIGHTED
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.agreement import Agreement, WeightedAgreement
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.making import Made

RECORDS = [
    record
    for record in list_indices("classification")
    if record.better and all(kind is Confusion or issubclass(ClassCounts, kind) for kind in record.requires)
]
NAMES = [record.name for record in RECORDS]
BY_CLASS = [name for name in MEASURES if "ratio" not in name]
MATRIX = np.array([[30, 4, 1], [3, 40, 5], [2, 6, 20]])
EMPTY = np.array([[30, 4, 0], [0, 40, 5], [2, 6, 20]])


def _confusion(matrix, classes="abc") -> Confusion:
    names = list(classes[: len(matrix)])
    return Confusion(names, np.asarray(matrix), orders=stated_orders([("classes", names)]))


def _intervals(confusion: Confusion, drawn: Drawn | None = None, records=RECORDS):
    return intervals_of_labels(records, confusion, confusion.by_class(), 0.95, drawn)


def _score(record, confusion: Confusion) -> float:
    made = [confusion if kind is Confusion else confusion.by_class(positive="b") for kind in record.requires]
    return record.of(*made)


def _rows(seed: int, n: int = 200, k: int = 3):
    """Truth and two predictions."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return truth, *(np.where(rng.random(n) < 0.75, truth, rng.integers(0, k, n)) for _ in range(2))


def _counted(truth, said, k: int = 3) -> tuple[Confusion, np.ndarray]:
    """Confusion matrix, and the place of each row among its cells."""
    confusion = _confusion(np.bincount(truth * k + said, minlength=k * k).reshape(k, k))
    rows, cols, _ = confusion.cells()
    return confusion, np.searchsorted(rows * k + cols, truth * k + said)


def _paired(truth, first, second, weights=None, classes="abc") -> tuple[PairedLabels, Agreement]:
    k = len(classes)
    labels = [Labels(codes, 0, k, list(classes)) for codes in (truth, first, second)]
    orders = stated_orders([("classes", list(classes))])
    paired = PairedLabels(*labels, weights, list(classes), orders=(orders, orders))
    return paired, Agreement.from_outcomes(first == truth, second == truth)


@pytest.mark.parametrize("name", NAMES)
def test_influence_is_what_leaving_out_an_instance_says(name: str) -> None:
    record, matrix = find_index(name, "classification"), MATRIX * 10_000
    model = ScoredLabels(_confusion(matrix), "b")
    found = model.of(record).influence(model.cells, model.counts)
    values = []
    for cell in np.argwhere(matrix):
        fewer = matrix.copy()
        fewer[tuple(cell)] -= 1
        values.append(_score(record, _confusion(fewer)))
    psi = -(matrix.sum() - 1) * np.array(values)
    psi -= np.average(psi, weights=matrix.ravel())
    np.testing.assert_allclose(found.psi, psi, atol=1e-3 * np.abs(psi).max())
    assert found.value == _score(record, _confusion(matrix))


@pytest.mark.parametrize("name", NAMES)
def test_an_instance_of_an_empty_cell_is_tried(name: str) -> None:
    """Of the empty cells, the two that the slope says move the score most; here there are two."""
    record = find_index(name, "classification")
    model = ScoredLabels(_confusion(EMPTY), "b")
    found = model.of(record).influence(model.cells, model.counts)
    gains = [0.0]
    for cell in np.argwhere(EMPTY == 0):
        more = EMPTY.copy()
        more[tuple(cell)] += 1
        gains.append(_score(record, _confusion(more)) - _score(record, _confusion(EMPTY)))
    assert (found.rise, found.fall) == pytest.approx((max(gains), -min(gains)), abs=1e-9)
    limits = tuple(map(float, record.range))
    own = intervals_of_labels([record], model.confusion, model.confusion.by_class(positive="b"), 0.9)[name]
    if record.ratio_of:
        assert own.method == "mover"  # of two independent rates
    elif record.over_constants:
        assert own.reason == "wide, as 3 classes may be the most frequent one"
    elif own.method == METHOD:
        low, high = twin.ends(found.value, found.psi, model.counts, found.rise, found.fall, 0.9)
        assert tuple(own) == pytest.approx((max(low, limits[0]), min(high, limits[1])), rel=1e-6)
    else:
        assert (own.method, record.mean_of in ("", "instances", "one class", "all but one class")) == (
            "wilson",
            True,
        )


def test_a_cell_that_was_not_seen_is_in_the_interval() -> None:
    """Twelve positives of which none was found: the correlation had been -.016, between -.022 and -.010."""
    own = _intervals(_confusion([[968, 20], [12, 0]], "ab"))
    assert own["matthews_correlation"].low == pytest.approx(-0.02444, abs=1e-4)
    assert own["matthews_correlation"].high == pytest.approx(0.1635, abs=1e-3)
    low, high = wilson(0.0, 12, normal_quantile(0.95))
    of_class = intervals_of_measures(_confusion([[968, 20], [12, 0]], "ab").by_class(), ["recall"], 0.95)[
        "recall"
    ][1]
    assert tuple(of_class) == pytest.approx((low, high))
    assert of_class.one_sided


def test_shares_have_wilsons_interval() -> None:
    z, found = normal_quantile(0.95), _intervals(_confusion([[45, 5], [10, 10]], "ab"))
    assert tuple(found["accuracy"]) == wilson(55 / 70, 70, z)
    by_class = intervals_of_measures(_confusion([[45, 5], [10, 10]], "ab").by_class(), BY_CLASS, 0.95)
    for name, share, n in (("recall", 0.5, 20), ("specificity", 0.9, 50), ("precision", 10 / 15, 15),
                           ("jaccard", 10 / 25, 25), ("selection_rate", 15 / 70, 70)):  # fmt: skip
        assert tuple(by_class[name][1]) == pytest.approx(wilson(share, n, z), rel=1e-6), name
        assert by_class[name][1].method == "wilson"
    assert by_class["f1"][1].method == by_class["informedness"][1].method == METHOD


@pytest.mark.parametrize("positive", ["a", "b"])
@pytest.mark.parametrize("measure", BY_CLASS)
def test_measures_of_two_classes_are_those_of_their_records(measure: str, positive: str) -> None:
    name = "class_jaccard" if measure == "jaccard" else measure
    record = find_index(name, "classification")
    for matrix in ([[45, 5], [10, 10]], [[45, 0], [10, 10]], [[45, 5], [0, 10]]):
        confusion = _confusion(matrix, "ab")
        found = intervals_of_labels([record], confusion, confusion.by_class(positive=positive), 0.95)[name]
        of_class = intervals_of_measures(confusion.by_class(), [measure], 0.95)[measure]["ab".index(positive)]
        assert tuple(found) == pytest.approx(tuple(of_class), rel=1e-5)


def _of_units(seed: int):
    """Rows in 24 units of 1 to 15 rows, and how they were drawn over the cells of the confusion matrix."""
    truth, said, other = _rows(seed)
    rng = np.random.default_rng(seed + 100)
    unit = np.unique(rng.choice(24, truth.size, p=np.arange(1, 25) / 300), return_inverse=True)[1]
    confusion, entry = _counted(truth, said)
    return truth, said, other, unit, confusion, Drawn(unit, unit.max() + 1, entry)


def test_units_by_hand() -> None:
    truth, said, other, unit, confusion, drawn = _of_units(1)
    right, own = (truth == said).astype(float), truth == 1
    expected = twin.ends_of_units(right.mean(), right - right.mean(), unit)
    assert tuple(_intervals(confusion, drawn)["accuracy"]) == pytest.approx(expected, rel=1e-5)
    recall = right[own].mean()
    expected = twin.ends_of_units(recall, own * (right - recall) / own.mean(), unit)
    outcomes = outcomes_of(drawn, *confusion.cells()[:2])
    found = intervals_of_measures(confusion.by_class(), ["recall"], 0.95, outcomes)["recall"][1]
    assert tuple(found) == pytest.approx(expected, rel=1e-5)
    # The difference of two accuracies; no combination of answers that did not occur would move it more than others.
    gain = right - (other == truth)
    labels, agreement = _paired(truth, said, other)
    cells = labels.cells
    lines = np.searchsorted(cells[0] * 9 + cells[1] * 3 + cells[2], truth * 9 + said * 3 + other)
    drawn = Drawn(unit, drawn.n_units, lines)
    accuracy = find_index("accuracy", "classification")
    found = differences_of_labels([accuracy], labels, agreement, 0.95, None, drawn)["accuracy"]
    expected = twin.ends_of_units(gain.mean(), gain - gain.mean(), unit)
    assert tuple(found.interval) == pytest.approx(expected, rel=1e-5)
    assert (found.test.p_value < 0.05) == (0 not in found.interval)
    of_cells = Drawn(unit, drawn.n_units, 2 * (said != truth) + (other != truth))
    assert tuple(compare_accuracies(agreement, 0.95, of_cells).interval) == pytest.approx(
        tuple(found.interval), rel=1e-5
    )


def test_too_few_units_have_a_test_and_no_interval() -> None:
    truth, said, other = _rows(3)
    labels, agreement = _paired(truth, said, other)
    cells, unit = labels.cells, np.arange(200) % 7
    drawn = Drawn(
        unit, 7, np.searchsorted(cells[0] * 9 + cells[1] * 3 + cells[2], truth * 9 + said * 3 + other)
    )
    found = differences_of_labels(RECORDS, labels, agreement, 0.95, None, drawn)["macro_f1"]
    assert math.isnan(found.interval.low)
    assert "of 7 units" in found.interval.reason
    assert 0 < found.test.p_value < 1


@pytest.mark.parametrize("name", ["accuracy", "cohen_kappa", "macro_f1", "quadratic_weighted_kappa"])
def test_units_of_two_rows_alike_are_one_row(name: str) -> None:
    truth, said, _ = _rows(2)
    confusion, entry = _counted(truth, said)
    record, drawn = (
        find_index(name, "classification"),
        Drawn(np.repeat(np.arange(truth.size), 2), truth.size, np.repeat(entry, 2)),
    )
    once, doubled = (ScoredLabels(_confusion(times * confusion.matrix), None) for times in (1, 2))
    variances = [
        variance_of(model.of(record).influence(model.cells, model.counts), own)
        for model, own in ((once, None), (doubled, drawn))
    ]
    assert variances[1] == pytest.approx(variances[0], rel=0.02)


@pytest.mark.parametrize("seed", [4, 5])
def test_order_and_names_change_nothing(seed: int) -> None:
    truth, said, other = _rows(seed, n=120)
    order = np.random.default_rng(seed).permutation(120)
    names = np.array([2, 0, 1])
    averaged = [record for record in RECORDS if not record.reads_order]
    before = _intervals(_counted(truth, said)[0], None, averaged)
    after = _intervals(_counted(names[truth[order]], names[said[order]])[0], None, averaged)
    labels, agreement = _paired(truth, said, other)
    before_too = differences_of_labels(averaged, labels, agreement, 0.95)
    labels, agreement = _paired(*(names[codes[order]] for codes in (truth, said, other)))
    after_too = differences_of_labels(averaged, labels, agreement, 0.95)
    pairs = [(before[name], after[name]) for name in before]
    pairs += [(before_too[name].interval, after_too[name].interval) for name in before_too]
    for one, another in pairs:
        width = one.high - one.low
        np.testing.assert_allclose(tuple(one), tuple(another), rtol=0, atol=1e-7 * width if width > 0 else 0)


def test_weights_are_linearised_and_have_no_unit() -> None:
    truth, said, other = _rows(6)
    weights = np.random.default_rng(6).uniform(0.5, 2.0, truth.size)
    _, entry = _counted(truth, said)
    ends = []
    for unit in (1e-200, 1.0, 1000.0):
        own = unit * weights
        confusion = _confusion(np.bincount(3 * truth + said, own, 9).reshape(3, 3))
        drawn = Drawn(np.arange(truth.size), truth.size, entry, own)
        if unit > 1e-100:
            found = _intervals(confusion, drawn)
            ends.append([found[name].low for name in NAMES])
        assert {i.reason for i in _intervals(confusion).values()} == {WEIGHTED}
        agreement = WeightedAgreement(*np.bincount(2 * (said != truth) + (other != truth), own, 4))
        of_cells = Drawn(np.arange(truth.size), truth.size, 2 * (said != truth) + (other != truth), own)
        assert {i.reason for i in diversity_intervals(agreement).values()} == {WEIGHTED}
        assert compare_accuracies(agreement, 0.95).interval.reason == WEIGHTED
        if unit > 1e-100:
            assert compare_accuracies(agreement, 0.95, of_cells).test is not None
    np.testing.assert_allclose(*ends, rtol=1e-6)
    assert np.isfinite(ends[0]).all()
    share = float(weights @ (truth == said)) / weights.sum()
    variance = float(weights**2 @ ((truth == said) - share) ** 2) / weights.sum() ** 2
    model = ScoredLabels(confusion, None, drawn.share_of_one)
    accuracy = model.of(find_index("accuracy", "classification")).influence(model.cells, model.counts)
    assert variance_of(accuracy, drawn) == pytest.approx(variance * 200 / 199, rel=1e-5)


def test_what_is_refused() -> None:
    rare = _intervals(_confusion([[30, 4, 1], [3, 40, 5], [0, 1, 3]]))
    assert all(own.low < own.high for own in rare.values())
    absent = _intervals(_confusion([[30, 4, 1], [3, 40, 5], [0, 0, 0]]))
    for name in ("balanced_accuracy", "macro_f1", "macro_precision"):
        assert absent[name].reason == (
            "no interval: class 'c' does not occur in the truth, so that its score is not known"
        )
    assert absent["cohen_kappa"].low < absent["cohen_kappa"].high
    few = Drawn(np.arange(111) % 9, 9, np.repeat(np.arange(9), MATRIX.ravel()))
    found = _intervals(_confusion(MATRIX), few)
    assert all("of 9 units" in found[name].reason for name in ("accuracy", "macro_f1", "cohen_kappa"))


def test_many_classes_that_differ_take_too_long() -> None:
    own = np.diag(np.arange(1, 402))
    own[0, 1:] = np.arange(400, 0, -1)
    many = Confusion(list(range(401)), own)
    found = _intervals(
        many, None, [find_index(name, "classification") for name in ("cohen_kappa", "accuracy")]
    )
    assert found["cohen_kappa"].reason == "no interval: the classes have more than 1,000 different counts"
    assert found["accuracy"].low > 0
    # Classes with the same counts have one slope, so that a thousand of them do not.
    alike = Confusion(list(range(1000)), 9 * np.eye(1000, dtype=np.int64) + np.eye(1000, k=1, dtype=np.int64))
    own = _intervals(alike, None, [find_index("macro_f1", "classification")])["macro_f1"]
    assert own.low < own.high
    # A score that reads the matrix has a slope in each filled cell, of which there are 1,999.
    found = _intervals(alike, None, [find_index("linear_weighted_kappa", "classification")])
    assert (
        found["linear_weighted_kappa"].reason
        == "no interval: the classes have more than 1,000 different counts"
    )


def test_differences_and_tests_are_made_of_the_same() -> None:
    truth, said, other = _rows(7)
    labels, agreement = _paired(truth, said, other)
    found = differences_of_labels(RECORDS, labels, agreement, 0.95)
    turned = differences_of_labels(RECORDS, *_paired(truth, other, said), 0.95)
    for name in NAMES:
        if find_index(name).ratio_of:
            assert "a ratio may be any number" in found[name].interval.reason
            assert found[name].test is None
            continue
        if name == "answered_share":
            assert found[name].interval.reason == "the difference has no variance: no instance changes it"
            continue
        low, high = found[name].interval
        assert (-high, -low) == pytest.approx(tuple(turned[name].interval), abs=1e-9)
        p = found[name].test.p_value
        at_p = differences_of_labels([find_index(name)], labels, agreement, 1 - p)[name].interval
        # McNemar's test, of shares among the same instances, is not made of the interval.
        if found[name].test.method == at_p.method == METHOD and p < 1:
            assert min(abs(at_p.low), abs(at_p.high)) < 1e-7


@pytest.mark.parametrize(
    "name", ["matthews_correlation", "cohen_kappa", "macro_f1", "balanced_accuracy", "g_mean"]
)
def test_a_difference_is_that_of_the_influences_and_of_one_more_instance(name: str) -> None:
    """Of the combinations of labels that did not occur, those that move the difference most are tried."""
    truth, said, other = _rows(11, n=60)
    labels, agreement = _paired(truth, said, other)
    record = find_index(name, "classification")

    def difference(*rows) -> float:
        return float(np.subtract(*(_score(record, _counted(rows[0], own)[0]) for own in rows[1:])))

    value, psi, gains = difference(truth, said, other), [], [0.0]
    for i in range(60):
        fewer = [np.delete(own, i) for own in (truth, said, other)]
        psi.append(-59 * difference(*fewer))
    found = set(zip(truth.tolist(), said.tolist(), other.tolist(), strict=True))
    for cell in np.ndindex(3, 3, 3):
        if cell not in found:
            more = [np.append(own, code) for own, code in zip((truth, said, other), cell, strict=True)]
            gains.append(difference(*more) - value)
    psi = np.array(psi) - np.mean(psi)
    low, high = differences_of_labels([record], labels, agreement, 0.95)[name].interval
    expected = twin.ends(value, psi, None, max(gains), -min(gains))
    assert (low, high) == pytest.approx(expected, abs=0.05 * (high - low))


def test_differences_that_are_refused() -> None:
    truth = np.repeat([0, 1, 2], [40, 40, 3])
    said = np.where(np.arange(83) % 5 == 0, 0, truth)
    same = differences_of_labels(RECORDS, *_paired(truth, said, said), 0.95)
    assert same["cohen_kappa"].interval.reason.startswith("the difference has no variance")
    truth, said, other = np.repeat([0, 1], 40), np.arange(80) % 2, np.where(np.arange(80) < 5, 2, 0)
    found = differences_of_labels(RECORDS, *_paired(truth, said, other), 0.95)
    assert "class 'c' does not occur in the truth" in found["macro_f1"].interval.reason


def test_label_sets_by_units() -> None:
    rng = np.random.default_rng(9)
    truth = rng.random((90, 4)) < 0.4
    said = truth ^ (rng.random((90, 4)) < 0.2)
    unit = np.arange(90) % 15

    def sets(rows):
        keys = np.flatnonzero(rows.ravel())
        return LabelSets(keys, 90, ["a", "b", "c", "d"])

    made = Made({TrueSets: sets(truth), PredictedSets: sets(said)})
    records = [find_index(name) for name in ("micro_f1", "subset_accuracy", "samples_f1", "hamming_loss")]
    found = label_set_intervals(records, made, 0.95, Drawn(unit, 15))
    top, bottom = 2 * (truth & said).sum(axis=1), (truth.sum(axis=1) + said.sum(axis=1))
    value, most = top.sum() / bottom.sum(), bottom.max()
    psi = (top - value * bottom) / bottom.mean()
    rise, fall = (most * (1 - value) / (bottom.sum() + most), most * value / (bottom.sum() + most))
    expected = twin.ends_of_units(value, psi, unit, rise, fall)
    assert tuple(found["micro_f1"]) == pytest.approx(expected)
    plain = label_set_intervals(records, made, 0.95)
    alike = (truth == said).all(axis=1).mean()
    assert tuple(plain["subset_accuracy"]) == pytest.approx(wilson(alike, 90, normal_quantile(0.95)))
    assert all(own.low < own.high for own in found.values())


def test_groups_in_which_other_classes_occur_are_not_compared() -> None:
    """The mean of both classes' recalls was compared with the recall of one."""
    truth = ["a"] * 20 + ["b"] * 10 + ["a"] * 20
    said = ["a"] * 20 + ["a"] * 9 + ["b"] + ["a"] * 20
    judged = adjudge.evaluate(
        truth,
        said,
        kind="classification",
        groups=["x"] * 30 + ["y"] * 20,
        indices=["balanced_accuracy", "adjusted_balanced_accuracy", "weighted_f1"],
        confidence=0.95,
    )
    of_index = {row.score.index.name: row.score for row in judged.differences if row.group == "x"}
    balanced = of_index["balanced_accuracy"]
    assert balanced.value == pytest.approx(0.55 - 1.0)
    assert (balanced.interval, balanced.p_value, balanced.adjusted_p_value) == (None, None, None)
    reason = "class 'b' does not occur in both groups: the scores are means over different classes"
    assert balanced.reason == reason
    assert of_index["weighted_f1"].p_value is not None
    assert of_index["accuracy"].p_value is not None
    pair = next(row.score for row in judged.pair_differences if row.score.index.name == "balanced_accuracy")
    assert (pair.p_value, pair.reason) == (None, reason)


@pytest.mark.parametrize(
    "name", ["balanced_accuracy", "adjusted_balanced_accuracy", "macro_recall", "g_mean"]
)
def test_means_are_compared_over_the_same_classes(name: str) -> None:
    """A class that occurs in neither group, or once in both, is no reason against it."""
    record, balanced = find_index(name, "classification"), "balanced" in name
    both, one, none = (
        Confusion([0, 1, 2], np.diag([5, 4, own])).by_class() for own in (7, 1, 0)
    )  # fmt: skip
    for pair in ((both, both), (both, one), (one, both), (none, none)):
        assert why_not_compared(record, *pair) is None
    for pair in ((one, none), (none, both)):
        reason = "class 2 does not occur in both groups: the scores are means over different classes"
        assert why_not_compared(record, *pair) == (reason if balanced else None)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_the_scale_of_sampling_weights_changes_nothing(scale: float) -> None:
    truth = np.repeat(["a", "b", "c"], [60, 40, 5])
    rng = np.random.default_rng(2)
    said, other = (np.where(rng.random(105) < 0.7, truth, rng.choice(["a", "b", "c"], 105)) for _ in "12")
    weights = rng.uniform(0.5, 2, 105)
    ends = []
    for own in (weights, scale * weights):
        options: dict[str, Any] = {"kind": "classification", "indices": ["macro_f1"], "confidence": 0.95,
                                   "sample_weight": own, "weights": "importance"}  # fmt: skip
        one = evaluate(truth, said, **options).scores["macro_f1"]
        both = compare(truth, {"p": said, "q": other}, **options)["p", "q"].differences["macro_f1"]
        ends.append([one.low, one.high, both.low, both.high, both.p_value])
    assert ends[0] == pytest.approx(ends[1], rel=1e-6)
