"""Rounding decides nothing: what no instance changes has one interval, whichever way its last digit falls."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import adjudge
from adjudge.indices.label_record import classification, external
from adjudge.inference import confidence_interval
from adjudge.inference.classes.class_intervals import intervals_of_labels
from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.influence import Influence, within
from adjudge.inference.interval import interval_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics import Confusion, Contingency, PairCounts
from adjudge.statistics.classes import ClassCounts

# Multiples of the spacing of floats, which a sum in another order may be off by.
ULPS = 2.0**-52 * np.array([0, 0.5, -0.5, 1, -1, 2, -2])


def labels(n: int, k: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    return truth, np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n))


def moved(seed: int) -> Iterator[float]:
    """Factors that are 1 up to rounding; with seed 0, exactly 1."""
    rng = np.random.default_rng(seed)
    while True:
        yield 1.0 + (rng.choice(ULPS) if seed else 0.0)


def constant(make: Callable[..., Any], annotation: type, factors: Iterator[float], value: float) -> Any:
    """Create the record of an index that is always the same, up to rounding."""

    def always(read: Any) -> float:
        """Return the value, which in a confusion matrix may be a difference of values up to 1."""
        return value + (1.0 if annotation is Confusion else value) * (next(factors) - 1)

    always.__annotations__["read"] = annotation
    return make(title="Constant", better="higher", range=(0, 1), reference="none")(always)


@pytest.mark.parametrize("value", [0.3, 1.0, 0.0])
@pytest.mark.parametrize("kind", ["confusion", "confusion of 25 classes", "pairs", "table", "function"])
@pytest.mark.parametrize("in_units", [False, True])
def test_an_index_that_no_instance_changes_has_one_interval(value: float, kind: str, in_units: bool) -> None:
    n, k = (500, 25) if "25" in kind else (101, 3)
    truth, found = labels(n, k, 1)
    confusion = Confusion.of_cells(list(range(k)), truth, found, np.ones(n, np.int64))
    cells = confusion.cells()[2]
    drawn = Drawn(np.arange(n) % 40, 40, np.repeat(np.arange(cells.size), cells)) if in_units else None

    def interval(seed: int) -> Any:
        factors = moved(seed)
        if kind.startswith("confusion"):
            record = constant(classification, Confusion, factors, value)
            return intervals_of_labels([record], confusion, confusion.by_class(), 0.95, drawn)["always"]
        if kind == "function":
            return confidence_interval(lambda read: value * next(factors), confusion.matrix)
        record = constant(external, PairCounts if kind == "pairs" else Contingency, factors, value)
        return confidence_interval(record, confusion.matrix, drawn=drawn)

    exact = interval(0)
    assert "changes" in exact.reason
    for seed in range(1, 12):
        rounded = interval(seed)
        assert list(rounded) == pytest.approx(list(exact), abs=1e-9, nan_ok=True)
        assert (rounded.reason, rounded.one_sided) == (exact.reason, exact.one_sided)


@pytest.mark.parametrize("method", ["jackknife", "percentile", "bca"])
def test_other_methods_see_that_an_index_is_constant(method: str) -> None:
    table = [[30, 5], [4, 61]]
    expected = confidence_interval(lambda read: 0.3, table)
    for seed in range(1, 6):
        factors = moved(seed)
        found = confidence_interval(
            lambda read, own=factors: 0.3 * next(own), table, method=method, n_resamples=50, random_state=0
        )
        assert list(found) == pytest.approx(list(expected), abs=1e-9, nan_ok=True)


def test_an_index_that_varies_a_little_is_no_constant() -> None:
    """A thousandth of a millionth of the accuracy is above what rounding does."""

    @classification(title="Nearly constant", better="higher", range=(0, 1), reference="none")
    def nearly(confusion: Confusion) -> float:
        """Return 0.3 and a little."""
        return float(0.3 + 1e-6 * np.trace(confusion.matrix) / confusion.matrix.sum())

    truth, found = labels(200, 3, 2)
    confusion = Confusion.of_cells([0, 1, 2], truth, found, np.ones(200, np.int64))
    own = intervals_of_labels([nearly], confusion, confusion.by_class(), 0.95)["nearly"]
    right = float((truth == found).mean())
    deviation = 1e-6 * math.sqrt(right * (1 - right) / 200)
    assert own.high - own.low == pytest.approx(2 * normal_quantile(0.95) * deviation, rel=0.05)
    assert own.reason is None


def test_kappa_of_one_predicted_class_has_one_rule() -> None:
    """Whatever the truth is, kappa is 0: no instance changes it, though its derivatives round to 1e-10."""
    for n in range(30, 120, 3):
        truth = np.arange(n) % 3
        found = adjudge.evaluate(
            truth, np.zeros(n, int), kind="classification", confidence=0.95,
            indices=["cohen_kappa", "linear_weighted_kappa", "quadratic_weighted_kappa", "scott_pi"],
        )  # fmt: skip
        # One more instance, right or wrong, is what it allows for: the rule of three.
        for name in ("cohen_kappa", "linear_weighted_kappa", "quadratic_weighted_kappa"):
            gains = []
            for own, said in itertools.product(range(3), (1, 2)):
                more = np.append(truth, own), np.append(np.zeros(n, int), said)
                gains.append(
                    adjudge.evaluate(*more, kind="classification", indices=[name], classes=[0, 1, 2])[name]
                )
            three = math.log(20) * t.ppf(0.975, n - 1) / normal_quantile(0.95)
            expected = three * min(gains), three * max(gains)
            assert found.scores[name].interval == pytest.approx(expected, abs=1e-6), (name, n)


def test_homogeneous_clusters_are_homogeneous_to_the_last_digit() -> None:
    """A homogeneity of 1 - 1e-16 is one of 1: its interval had been that of a single instance."""
    rng = np.random.default_rng(3)
    for a, b, c in rng.integers(10, 80, (30, 3)):
        own = confidence_interval("homogeneity", [[a, b, 0], [0, 0, c]])
        assert own.one_sided
        assert own.low > 0.45


def test_units_of_equal_sums_have_no_variance() -> None:
    """One right and two wrong rows in each unit: the sums of influence values round to 0 or 1e-16."""
    for right in (1, 3, 7):
        for wrong in (1, 2, 5, 6):
            rows, units = right + wrong, 30
            influence = Influence.centred(
                right / rows, np.array([1.0, 0.0]), np.array([right, wrong]) * units
            )
            entry = np.tile(np.r_[np.zeros(right, int), np.ones(wrong, int)], units)
            own = interval_of(influence, (0, 1), 0.95, Drawn(np.arange(rows * units) // rows, units, entry))
            assert own.reason is not None, (right, wrong)
            assert own.high - own.low > 0.2


def test_models_alike_in_what_an_index_reads_have_no_difference() -> None:
    """Two models agree on one class and not on the others: its selection rate and recall are the same."""
    for seed in range(8):
        truth, one = labels(90, 3, seed)
        other = np.where(one == 0, 0, 3 - one)
        found = adjudge.compare(
            truth, {"a": one, "b": other}, kind="classification", confidence=0.95, positive=0,
            indices=["recall", "selection_rate", "precision"],
        )  # fmt: skip
        differences = dict(found.pairs["a", "b"].differences)
        # As an accuracy, a recall that no instance changes has Newcombe's interval around 0.
        recall = differences.pop("recall")
        assert (recall.value, -recall.low) == (0, pytest.approx(recall.high))
        for own in differences.values():
            assert own.interval is None
            assert own.value == 0


def test_values_at_a_limit() -> None:
    assert within(1 - 2.0**-52, (0, 1)) == 1
    assert within(2.0**-60, (0, 1)) == 0
    assert within(1 - 1e-12, (0, 1)) == 1 - 1e-12
    assert within(-0.5, (0, math.inf)) == 0
    assert math.isnan(within(math.nan, (-math.inf, math.inf)))


def test_the_rate_of_predictions_over_all_classes_is_constant() -> None:
    @classification(title="Mean share of a class", better="higher", range=(0, 1), reference="none")
    def mean_share(classes: ClassCounts) -> float:
        """Return 1 divided by the number of classes."""
        return float(np.mean(classes.predicted / classes.n))

    for n in range(40, 130, 5):
        for k in (2, 3, 5, 7):
            truth, found = labels(n, k, n + k)
            confusion = Confusion.of_cells(list(range(k)), truth, found, np.ones(n, np.int64))
            own = intervals_of_labels([mean_share], confusion, confusion.by_class(), 0.95)["mean_share"]
            reach = math.log(20) * t.ppf(0.975, n - 1) / normal_quantile(0.95) / (n + 1)
            assert tuple(own) == pytest.approx((max(0.0, 1 / k - reach), 1 / k + reach), abs=1e-9)
