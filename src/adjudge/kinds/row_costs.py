"""What mistakes cost, row by row: the mean cost of a classifier, its interval, and the difference of two."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from adjudge.indices.catalog import find_index
from adjudge.indices.decisions import expected_cost
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, Wanted, intervals_of
from adjudge.inference.sampling_design import either_way
from adjudge.kinds.sample import Sample
from adjudge.statistics.row_costs import RowCosts

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference

__all__ = ["COST_BY_ROW", "difference_of_costs", "influence_of_costs", "interval_of_costs"]


def _mean_of_rows(costs: RowCosts) -> float:
    return costs.mean


#: The expected cost, if what a mistake costs is given row by row and not by class.
COST_BY_ROW = replace(expected_cost, function=_mean_of_rows, requires=(RowCosts,), range=(0, math.inf))

_LIMITS = 0.0, math.inf
_SAME = "the expected costs of both models are the same"


def influence_of_costs(costs: RowCosts, sample: Sample) -> Influence:
    """Return the influence of each row on the mean cost."""
    from adjudge.inference.numbers.number_influence import ScoredNumbers

    return ScoredNumbers(None, costs.numbers, sample.drawn).influence(find_index("mean", "values"))


def interval_of_costs(costs: RowCosts, sample: Sample, confidence: float) -> Interval:
    """Return the interval of the mean cost."""
    return intervals_of([Wanted(influence_of_costs(costs, sample), _LIMITS, sample.drawn)], confidence)[0]


def difference_of_costs(one: RowCosts, other: RowCosts, sample: Sample, confidence: float) -> Difference:
    """Compare two models by what their mistakes on the same rows cost."""
    from adjudge.inference.common.significance import difference_of_influences

    moved = influence_of_costs(one, sample) - influence_of_costs(other, sample)
    wanted = Wanted(either_way(moved, sample.drawn), _LIMITS, sample.drawn)
    return difference_of_influences(wanted, confidence, _SAME)
