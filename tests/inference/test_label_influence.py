"""Intervals and differences of predicted classes: what an instance does, units by hand, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge import compare, evaluate
from adjudge.given.class_order import stated_orders
from adjudge.given.input_kinds import PredictedSets, TrueSets
from adjudge.given.label_sets import LabelSets
from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index, list_indices
from adjudge.indices.class_measures import MEASURES
from adjudge.inference.classes import label_influence
from adjudge.inference.classes.class_intervals import (
    intervals_by_class,
    intervals_of_labels,
    outcomes_of,
)
from adjudge.inference.classes.label_influence import LabelInfluences, influence_of_left_out
from adjudge.inference.classes.label_set_intervals import label_set_intervals
from adjudge.inference.classes.outcome_intervals import diversity_intervals
from adjudge.inference.classes.shares import interval_of_mean, interval_of_share
from adjudge.inference.common.proportions import clopper_pearson_of, normal_quantile, wilson
from adjudge.inference.differences.label_differences import (
    PairedLabels,
    compare_accuracies,
    differences_of_labels,
)
from adjudge.inference.interval import student_quantile
from adjudge.inference.refusals import WEIGHTED
from adjudge.inference.sampling_design import Drawn, error_of
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


def _confusion(matrix, classes="abc") -> Confusion:
    names = list(classes[: len(matrix)])
    return Confusion(names, np.asarray(matrix), orders=stated_orders([("classes", names)]))


def _intervals(confusion: Confusion, drawn: Drawn | None = None, records=RECORDS):
    return intervals_of_labels(records, confusion, confusion.by_class(), 0.95, drawn)


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
def test_slopes_are_what_leaving_out_an_instance_says(name: str) -> None:
    confusion = _confusion(MATRIX * 10_000)
    record = find_index(name, "classification")
    model = LabelInfluences(confusion, "b")
    found = model.of(record)

    def score(cells):
        left = Confusion.of_cells(confusion.labels, model.truth, model.said, cells, confusion.orders)
        return record.of(
            *(left if kind is Confusion else left.by_class(positive="b") for kind in record.requires)
        )

    left_out = influence_of_left_out(score(model.cells), model.cells, score, (0.0, 1.0))
    np.testing.assert_allclose(found.psi, left_out.psi, atol=1e-3 * np.abs(left_out.psi).max())
    assert found.value == left_out.value


def test_more_classes_than_are_spread_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    confusion = _confusion(MATRIX)
    accuracy = find_index("accuracy", "classification")
    spread = LabelInfluences(confusion, None).of(accuracy)
    monkeypatch.setattr(label_influence, "_MOST_SPREAD", 8)
    found = LabelInfluences(confusion, None).of(accuracy)
    right = np.diag(MATRIX).sum() / MATRIX.sum()
    rows, cols, _ = confusion.cells()
    np.testing.assert_allclose(found.psi, (rows == cols) - right, atol=1e-12)
    np.testing.assert_allclose(spread.psi, found.psi, atol=1e-5)


def test_an_instance_spread_by_the_margins_is_the_least_variance() -> None:
    matrix = np.array([[30, 0], [0, 70]])
    full = matrix + np.outer(matrix.sum(1), matrix.sum(0)) / 100**2
    right = np.trace(full) / full.sum()
    table = matrix.copy()
    table[0] = [29, 1]
    found = LabelInfluences(_confusion(table), None).of(find_index("accuracy", "classification"))
    full = table + np.outer(table.sum(1), table.sum(0)) / 100**2
    right = np.trace(full) / full.sum()
    assert found.least == pytest.approx(right * (1 - right) / full.sum(), rel=1e-4)
    heavier = LabelInfluences(_confusion(1000.0 * table), None, 1000.0)
    assert heavier.of(find_index("accuracy", "classification")).least == pytest.approx(found.least)
    best = LabelInfluences(_confusion(matrix), None).of(find_index("cohen_kappa", "classification"))
    assert not best.psi.any()
    assert best.event > 0
    interval = _intervals(_confusion(matrix))["cohen_kappa"]
    assert interval.one_sided
    assert interval.high == 1


def test_shares_and_their_means_by_hand() -> None:
    z = normal_quantile(0.95)
    assert tuple(interval_of_share(45, 50, 0.95)) == wilson(0.9, 50, z)
    assert tuple(interval_of_share(0, 0, 0.95)) == (0, 1)
    one, other = wilson(0.9, 50, z), wilson(0.5, 20, z)
    low, high = interval_of_mean(np.array([50.0, 20.0]), np.array([45.0, 10.0]), 0.95)
    assert low == pytest.approx(0.7 - math.hypot(0.9 - one[0], 0.5 - other[0]) / 2)
    assert high == pytest.approx(0.7 + math.hypot(one[1] - 0.9, other[1] - 0.5) / 2)
    found = _intervals(_confusion([[45, 5], [10, 10]]))
    assert tuple(found["balanced_accuracy"]) == pytest.approx((low, high))
    assert tuple(found["adjusted_balanced_accuracy"]) == pytest.approx((2 * low - 1, 2 * high - 1))
    assert tuple(found["informedness"]) == pytest.approx((2 * low - 1, 2 * high - 1))
    assert tuple(found["accuracy"]) == wilson(55 / 70, 70, z)


def test_geometric_means_of_recalls_by_hand() -> None:
    z = normal_quantile(0.95)
    one, other = wilson(0.9, 50, z), wilson(0.5, 20, z)
    low, high = _intervals(_confusion([[45, 5], [10, 10]]))["g_mean"]
    logs = [math.hypot(math.log(0.9 / one[0]), math.log(0.5 / other[0])) / 2]
    logs += [math.hypot(math.log(one[1] / 0.9), math.log(other[1] / 0.5)) / 2]
    assert (low, high) == pytest.approx((0.45**0.5 * math.exp(-logs[0]), 0.45**0.5 * math.exp(logs[1])))
    never = _intervals(_confusion([[45, 5], [20, 0]]))["g_mean"]
    assert never.one_sided
    assert never.high == pytest.approx((one[1] * wilson(0.0, 20, z)[1]) ** 0.5)


@pytest.mark.parametrize("positive", ["a", "b"])
@pytest.mark.parametrize("measure", BY_CLASS)
def test_measures_of_two_classes_are_those_of_their_records(measure: str, positive: str) -> None:
    confusion = _confusion([[45, 5], [10, 10]])
    name = "class_jaccard" if measure == "jaccard" else measure
    record = find_index(name, "classification")
    found = intervals_of_labels([record], confusion, confusion.by_class(positive=positive), 0.95)[name]
    of_class = intervals_by_class(confusion.by_class(), measure, 0.95)["ab".index(positive)]
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
    n, g = truth.size, drawn.n_units
    sizes = np.bincount(unit)
    worth = n**2 / (sizes**2).sum()
    cut = (normal_quantile(0.95) / student_quantile(0.95, worth - 1)) ** 2

    def ends(share, psi):
        variance = g / (g - 1) * (np.bincount(unit, psi) ** 2).sum() / n**2
        return clopper_pearson_of(share, share * (1 - share) / variance * cut, 0.95)

    right = (truth == said).astype(float)
    expected = ends(right.mean(), right - right.mean())
    assert tuple(_intervals(confusion, drawn)["accuracy"]) == pytest.approx(expected, rel=1e-5)
    own = truth == 1
    recall = right[own].mean()
    expected = ends(recall, own * (right - recall) / own.mean())
    outcomes = outcomes_of(drawn, *confusion.cells()[:2])
    found = intervals_by_class(confusion.by_class(), "recall", 0.95, outcomes)[1]
    assert tuple(found) == pytest.approx(expected)
    assert found.method == "korn-graubard"
    # The difference of two accuracies: Student's t of the sums over units.
    gain = right - (other == truth)
    labels, agreement = _paired(truth, said, other)
    cells = labels.cells()
    lines = np.searchsorted(cells[0] * 9 + cells[1] * 3 + cells[2], truth * 9 + said * 3 + other)
    drawn = Drawn(unit, g, lines)
    error = math.sqrt(g / (g - 1) * (np.bincount(unit, gain - gain.mean()) ** 2).sum()) / n
    half = student_quantile(0.95, worth - 1) * error
    accuracy = find_index("accuracy", "classification")
    found = differences_of_labels([accuracy], labels, agreement, 0.95, None, drawn)["accuracy"]
    assert tuple(found.interval) == pytest.approx((gain.mean() - half, gain.mean() + half), rel=1e-5)
    assert (found.test.p_value < 0.05) == (0 not in found.interval)
    of_cells = Drawn(unit, g, 2 * (said != truth) + (other != truth))
    assert tuple(compare_accuracies(agreement, 0.95, of_cells).interval) == pytest.approx(
        tuple(found.interval), rel=1e-5
    )


@pytest.mark.parametrize("name", ["accuracy", "cohen_kappa", "macro_f1", "quadratic_weighted_kappa"])
def test_units_of_two_rows_alike_are_one_row(name: str) -> None:
    truth, said, _ = _rows(2)
    confusion, entry = _counted(truth, said)
    doubled = LabelInfluences(_confusion(2 * confusion.matrix), None).of(find_index(name, "classification"))
    drawn = Drawn(np.repeat(np.arange(truth.size), 2), truth.size, np.repeat(entry, 2))
    once = LabelInfluences(confusion, None).of(find_index(name, "classification"))
    assert error_of(doubled, drawn).variance == pytest.approx(error_of(once).variance, rel=0.02)


@pytest.mark.parametrize("seed", [4, 5])
def test_order_and_names_change_nothing(seed: int) -> None:
    truth, said, other = _rows(seed, n=120)
    order = np.random.default_rng(seed).permutation(120)
    names = np.array([2, 0, 1])
    averaged = [record for record in RECORDS if "weighted_kappa" not in record.name]
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
        np.testing.assert_allclose(tuple(one), tuple(another), rtol=0, atol=1e-9 * width if width > 0 else 0)


def test_weights_are_linearised_and_have_no_unit() -> None:
    truth, said, other = _rows(6)
    weights = np.random.default_rng(6).uniform(0.5, 2.0, truth.size)
    _, entry = _counted(truth, said)
    ends = []
    for unit in (1.0, 1000.0):
        own = unit * weights
        confusion = _confusion(np.bincount(3 * truth + said, own, 9).reshape(3, 3))
        drawn = Drawn(np.arange(truth.size), truth.size, entry, own)
        found = _intervals(confusion, drawn)
        ends.append([found[name].low for name in NAMES])
        assert {i.reason for i in _intervals(confusion).values()} == {WEIGHTED}
        agreement = WeightedAgreement(*np.bincount(2 * (said != truth) + (other != truth), own, 4))
        of_cells = Drawn(np.arange(truth.size), truth.size, 2 * (said != truth) + (other != truth), own)
        assert {i.reason for i in diversity_intervals(agreement).values()} == {WEIGHTED}
        assert compare_accuracies(agreement, 0.95).interval.reason == WEIGHTED
        assert compare_accuracies(agreement, 0.95, of_cells).test is not None
    np.testing.assert_allclose(*ends, rtol=1e-6)
    assert np.isfinite(ends[0]).sum() > 30
    share = float(weights @ (truth == said)) / weights.sum()
    variance = float(weights**2 @ ((truth == said) - share) ** 2) / weights.sum() ** 2
    accuracy = LabelInfluences(confusion, None, 1000.0).of(find_index("accuracy", "classification"))
    assert error_of(accuracy, drawn).variance == pytest.approx(variance * 200 / 199, rel=1e-5)


def test_what_is_refused() -> None:
    rare = _intervals(_confusion([[30, 4, 1], [3, 40, 5], [0, 1, 3]]))
    for name in ("macro_f1", "balanced_accuracy", "g_mean", "macro_precision"):
        assert rare[name].reason.startswith("no interval: class 'c' has fewer than 5 instances")
    assert rare["cohen_kappa"].low < rare["cohen_kappa"].high
    absent = _intervals(_confusion([[30, 4, 1], [3, 40, 5], [0, 0, 0]]))
    assert absent["balanced_accuracy"].reason == (
        "no interval: class 'c' does not occur in the truth, so that its recall is not known"
    )
    one = _intervals(_confusion([[500, 0], [1, 99]]))
    assert "fewer than 4 instances decide the value" in one["cohen_kappa"].reason
    many = np.ones((32, 32), np.int64)
    many = Confusion(list(range(32)), many + 9 * np.eye(32, dtype=np.int64))
    assert _intervals(many)["cohen_kappa"].reason == label_influence.TOO_MANY_CELLS
    assert _intervals(many)["accuracy"].low > 0
    few = Drawn(np.arange(111) % 9, 9, np.repeat(np.arange(9), MATRIX.ravel()))
    found = _intervals(_confusion(MATRIX), few)
    assert all("of 9 units" in found[name].reason for name in ("accuracy", "macro_f1", "cohen_kappa"))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_sampling_weights_make_no_rows_of_a_class(scale: float) -> None:
    """A class of few rows is refused however much they weigh, and one of enough rows however little."""
    truth = np.repeat(["a", "b", "c"], [60, 40, 5])
    rng = np.random.default_rng(2)
    said, other = (np.where(rng.random(105) < 0.7, truth, rng.choice(["a", "b", "c"], 105)) for _ in "12")
    heavy = np.where(np.arange(105) == 104, 10.0, 1.0)
    for kept, weights, known in (
        (np.arange(105), np.ones(105), True),
        (np.arange(104), np.ones(105), False),
        (np.arange(104), np.where(truth == "c", 6.0, 1.0), False),
        (np.arange(105), heavy, False),  # five rows, but one decides
    ):
        options: dict[str, Any] = {
            "kind": "classification",
            "indices": ["macro_f1"],
            "confidence": 0.95,
            "sample_weight": scale * weights[kept],
            "weights": "importance",
        }
        one = evaluate(truth[kept], said[kept], **options).scores["macro_f1"]
        both = compare(truth[kept], {"p": said[kept], "q": other[kept]}, **options)["p", "q"]
        for low, reason in (
            (one.low, one.interval_reason),
            (both.differences["macro_f1"].low, both.differences["macro_f1"].reason),
        ):
            assert (low is not None) == known
            assert known or "class 'c' has fewer than 5 effective instances" in str(reason)


def test_differences_and_tests_are_made_of_the_same() -> None:
    truth, said, other = _rows(7)
    labels, agreement = _paired(truth, said, other)
    found = differences_of_labels(RECORDS, labels, agreement, 0.95)
    turned = differences_of_labels(RECORDS, *_paired(truth, other, said), 0.95)
    for name in NAMES:
        low, high = found[name].interval
        assert (-high, -low) == pytest.approx(tuple(turned[name].interval), abs=1e-12)
        p = found[name].test.p_value
        at_p = differences_of_labels([find_index(name)], labels, agreement, 1 - p)[name].interval
        if at_p.method == "t":
            assert min(abs(at_p.low), abs(at_p.high)) < 1e-9


def test_differences_that_are_refused() -> None:
    truth = np.repeat([0, 1, 2], [40, 40, 3])
    said = np.where(np.arange(83) % 5 == 0, 0, truth)
    found = differences_of_labels(RECORDS, *_paired(truth, said, truth), 0.95)
    assert "class 'c' has fewer than 5 instances" in found["macro_f1"].interval.reason
    same = differences_of_labels(RECORDS, *_paired(truth, said, said), 0.95)
    assert same["cohen_kappa"].interval.reason.startswith("the difference has no variance")
    truth, said, other = np.repeat([0, 1], 40), np.arange(80) % 2, np.where(np.arange(80) < 5, 2, 0)
    found = differences_of_labels(RECORDS, *_paired(truth, said, other), 0.95)
    assert found["macro_f1"].interval.reason == "the estimate is undefined"


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
    value = top.sum() / bottom.sum()
    psi = (top - value * bottom) / bottom.mean()
    variance = 15 / 14 * (np.bincount(unit, psi) ** 2).sum() / 90**2
    cut = (normal_quantile(0.95) / student_quantile(0.95, 14)) ** 2
    ends = clopper_pearson_of(value, value * (1 - value) / variance * cut, 0.95)
    assert tuple(found["micro_f1"]) == pytest.approx(ends)
    plain = label_set_intervals(records, made, 0.95)
    alike = (truth == said).all(axis=1).mean()
    assert tuple(plain["subset_accuracy"]) == wilson(alike, 90, normal_quantile(0.95))
    assert all(own.low < own.high for own in found.values())


def test_agreement_beyond_chance_hangs_on_the_smaller_of_two_classes() -> None:
    """Of 30 instances, 5 % of a class, intervals of kappa held in half of the samples."""
    for rare, known in ((4, False), (5, True)):
        matrix = np.array([[rare - 1, 1], [6, 60]])
        confusion = Confusion(["a", "b"], matrix)
        records = [find_index(name, "classification") for name in ("cohen_kappa", "scott_pi")]
        for own in intervals_of_labels(records, confusion, confusion.by_class(), 0.95).values():
            assert math.isnan(own.low) != known
            assert known or "class 'a' has fewer than 5 instances" in str(own.reason)
