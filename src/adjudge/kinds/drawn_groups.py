"""Groups of instances drawn in units, or with sampling weights: a unit may have rows in several groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.inference.classes.label_sums import ScoredLabels
from adjudge.inference.common.significance import Difference
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, Wanted, why_few_units
from adjudge.inference.linear import keys_of
from adjudge.inference.refusals import RefusedError
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.row_costs import COST_BY_ROW, influence_of_costs
from adjudge.kinds.sample import Sample, places_among
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.reduced import error_bounds
from adjudge.statistics.row_costs import RowCosts

__all__ = ["DrawnPart", "difference_of_parts"]

_SAME = "the expected scores of both groups are the same"


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """A subset of the instances, and the influence of each on the subset's scores.

    Attributes
    ----------
    case : ClassifierCase
        These instances, all with positive weights.
    rows : ndarray of int64
        Their positions among all instances.
    sample : Sample
        All instances.
    """

    case: ClassifierCase
    rows: NDArray[np.int64]
    sample: Sample

    @classmethod
    def of(cls, case: ClassifierCase, rows: NDArray[np.int64]) -> DrawnPart | None:
        """Take some instances; None if all of these have zero weight."""
        sample = case.sample
        if sample.weights is not None:
            rows = rows[sample.weights[rows] > 0]
        return cls(case.take(rows, sample.take(rows)), rows, sample) if rows.size else None

    def influence(self, record: Index) -> Influence:
        """Return the influence of each instance on a score.

        Raises
        ------
        RefusedError
            If the influence is not known.
        """
        if isinstance(record, ForecastIndex):
            return self.case.influence_of_forecast(record)
        if record is COST_BY_ROW:
            return influence_of_costs(self.case[RowCosts], self.case.sample)
        model, places = self._labels
        if (reason := model.why_not(record)) is not None:
            raise RefusedError(reason)
        influence = model.influence(model.of(record))
        return influence.at(np.searchsorted(*keys_of(model.cells, places)))

    def why_few_units(self, record: Index) -> str | None:
        """Say that a rate of the positive class rests on rows of few units; None if it does not."""
        truth, positive = self._labels[1][0], self.case[ClassCounts].positive
        rows = {"recall": truth == positive, "false_positive_rate": truth != positive}.get(record.name)
        sample = self.case.sample
        return why_few_units((sample if rows is None else sample.take(rows)).drawn)

    @cached_property
    def why_not(self) -> str | None:
        """Why the units, each of which may have one row here, do not tell how they vary; None if they do."""
        return why_few_units(self.case.sample.each)

    @cached_property
    def _labels(self) -> tuple[ScoredLabels, NDArray[np.int64]]:
        """Scores of labels, and the positions of the instances' labels among the classes."""
        counts: ClassCounts = self.case[ClassCounts]
        positive = None if counts.positive is None else counts.classes[counts.positive]
        places = [places_among(own, counts.classes, counts.outside)[0] for own in self.case.labels]
        one = 1.0 if self.case.cells is None else self.case.cells.share_of_one
        return ScoredLabels(self.case[Confusion], positive, one), np.stack(places)


def difference_of_parts(one: DrawnPart, other: DrawnPart, record: Index, confidence: float) -> Difference:
    """Compare a score between two groups, by the influence of each unit on the difference.

    Parameters
    ----------
    one, other : DrawnPart
        Groups without an instance in common.
    record : Index
    confidence : float
    """
    from adjudge.inference.common.significance import difference_up_to

    if (reason := one.why_not or other.why_not) is not None:
        return Difference(Interval.undefined(confidence, "t", reason))
    try:
        here, there = one.influence(record), other.influence(record)
    except RefusedError as refusal:
        return Difference(Interval.undefined(confidence, "t", str(refusal)))
    sample = one.sample.take(np.concatenate([one.rows, other.rows]))
    sizes = float(one.case.n), float(other.case.n)
    of_all = sum(sizes)
    psi = np.concatenate([here.psi * (of_all / sizes[0]), there.psi * (-of_all / sizes[1])])
    weights = None if sample.weights is None else sample.weights.astype(np.float64)
    limits = float(record.range[0]), float(record.range[1])
    influence = Influence(
        here.value - there.value, psi, weights, here.rise + there.fall, here.fall + there.rise
    )
    wanted = Wanted(influence, limits, sample.drawn, is_ratio=bool(record.ratio_of))
    bound = sum(error_bounds([record], part.case).get(record.name, 0.0) for part in (one, other))
    return difference_up_to(wanted, bound, confidence, _SAME)
