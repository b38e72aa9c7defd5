"""Where an index of entropies turns back, beside what theory says of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import entropy

from adjudge.inference.partitions.entropy_turns import (
    even_cells,
    information_at,
    slopes_and_turns,
    turn_at_independence,
    value_and_slope,
)
from adjudge.statistics.contingency import Contingency


def table(*rows: list[int]) -> Contingency:
    return Contingency.from_matrix(np.array(rows))


@pytest.mark.parametrize("times", [1.0, -2.0, 0.25])
def test_information_times_twice_the_instances_is_chi_square(times: float) -> None:
    """Of an index that is 0.5 at independence, and grows or falls with the information."""
    counts = np.array([[20, 40, 60], [12, 18, 30]])
    found = turn_at_independence(table(*counts.tolist()), lambda at: 0.5 + times * at.mutual)
    assert found is not None
    mutual = entropy(counts.sum(axis=0)) + entropy(counts.sum(axis=1)) - entropy(counts.ravel())
    assert found.value == pytest.approx(0.5)
    assert found.scale == pytest.approx(times / 360)
    assert found.variance == pytest.approx(2 * 2 * (times / 360) ** 2)
    assert found.observed == pytest.approx(360 * mutual)


def test_without_one_value_at_independence_there_is_no_turn() -> None:
    given = table([20, 40, 60], [12, 18, 30])
    assert turn_at_independence(given, lambda at: at.mutual + 1e-3 * at.entropy_true) is None
    assert turn_at_independence(given, lambda at: 0.5) is None  # nor does it change with the information
    assert turn_at_independence(table([20, 40, 60]), lambda at: at.mutual) is None
    assert turn_at_independence(table([20], [40]), lambda at: at.mutual) is None


@pytest.mark.parametrize(("last", "known"), [(8, True), (7, False)])
def test_chi_square_describes_it_from_five_instances_a_cell(last: int, known: bool) -> None:
    found = turn_at_independence(table([5, 5, 4], [4, 4, last]), lambda at: at.mutual)
    assert (found is not None) == known


def test_even_cells_lack_a_chi_square() -> None:
    found = even_cells(6, 90, math.log(6) - 0.02)
    assert math.log(6) < found.value < math.log(6) + 1e-11  # an interval that ends there holds log 6
    assert found.scale == -1 / 180
    assert found.variance == pytest.approx(2 * 5 / 180**2)
    # As much as the estimate lacks, and the mean of 5 that the estimate has made up for.
    assert found.observed == pytest.approx(0.02 * 180 + 5)


def test_slopes_are_those_of_the_formula() -> None:
    given = table([9, 1], [2, 8])

    def formula(at: Any) -> float:
        return float(at.entropy_true**2 + 3 * at.entropy_pred - at.entropy_true * at.mutual)

    at = np.array([0.6, 0.5, 0.9])
    value, slope = value_and_slope(given, formula, at)
    assert value == pytest.approx(0.36 + 1.5 - 0.6 * 0.2)
    # The information is 0.6 + 0.5 - 0.9.
    assert slope == pytest.approx([1.2 - 0.2 - 0.6, 3 - 0.6, 0.6], abs=1e-6)
    made = information_at(given, at)
    assert (made.true_given_pred, made.pred_given_true) == pytest.approx((0.4, 0.3))
    assert made.expected_mutual == 0.0


def test_of_even_cells_every_direction_is_one() -> None:
    """Slopes and turns do not depend on the names of the clusters, and the joint entropy is largest there."""
    found = [
        slopes_and_turns(table(*np.full(shape, 3).tolist()), lambda at: at.joint)
        for shape in ((2, 3), (3, 2))
    ]
    (slopes, (low, high)), (others, turned) = found
    assert slopes == pytest.approx(others)
    assert low is None is turned[0]
    assert high is not None
    assert high.value == pytest.approx(math.log(6))
    assert high.variance == pytest.approx(5 / (2 * 18**2))
    assert slopes == pytest.approx((0.0, 0.0), abs=1e-9)
