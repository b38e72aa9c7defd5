"""Intervals of scores of a classifier that is known by sums: its rows are read once more.

Scores of rankings are known up to a bound, as bins leave the order of close scores open. Their intervals are wider by
that bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from adjudge.array_types import Floats, Ints, Limits
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts.auc import auc_interval, interval_of_area
from adjudge.inference.forecasts.forecast_influence import (
    ScoredForecast,
    check_calibration,
    check_value,
    limits_of,
)
from adjudge.inference.forecasts.forecast_intervals import intervals_of_scored
from adjudge.inference.forecasts.influence_sums import (
    BinnedClass,
    Chunk,
    Lines,
    OneModel,
    RowInfluence,
)
from adjudge.inference.forecasts.loss_sums import LossSums, gains_of_unseen
from adjudge.inference.forecasts.rank_influence import SIZES, RankSlopes
from adjudge.inference.interval import METHOD, Interval
from adjudge.inference.linear import Scored, Steps, scored
from adjudge.inference.refusals import NO_ESTIMATE, RefusedError, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.ranked_scores import RankAreas
from adjudge.statistics.reduced import error_bounds

#: Reads the rows of a table again, and adds up what is made of their chunks.
Read = Callable[[Callable[[Iterable[Chunk]], Any]], Any]


def _name_of(code: int) -> str:
    """Name the area of a class, which no score is called."""
    return f"area of class {code}"


def widened(interval: Interval, bound: float, limits: Limits) -> Interval:
    """Return an interval for a value that is known up to a bound."""
    if not bound > 0 or math.isnan(interval.low):
        return interval
    return replace(
        interval, low=max(interval.low - bound, limits[0]), high=min(interval.high + bound, limits[1])
    )


@dataclass(frozen=True, eq=False)
class Ranked:
    """A score of rankings: what rows add to it, by class, and what does not depend on rows; see :class:`Moved`."""

    own_class: Floats
    tables: dict[int, Floats]
    excess: float
    rise: float
    fall: float


class Asked(NamedTuple):
    """What rows add to scores, by name, or why they have no interval."""

    known: dict[str, Scored | Ranked]
    refused: dict[str, str]


@dataclass(frozen=True, eq=False)
class SummedForecasts:
    """A model's scores of some rows, known by sums.

    Attributes
    ----------
    statistics : mapping
        Those of the sums, by type.
    columns : sequence of int
        The class whose scores tell the bins of each class.
    bins_of : callable
        Returns the bins of scores.
    groups : sequence of int
        The groups of the rows.
    read : callable
        Reads these rows again.
    lines : Lines or None
        Of rows that were drawn in units.
    """

    statistics: Mapping[type, Any]
    columns: Sequence[int]
    bins_of: Callable[[Floats], Ints]
    groups: Sequence[int]
    read: Read
    lines: Lines | None = None

    @property
    def drawn(self) -> Drawn | None:
        """How the lines were drawn; None if rows were drawn independently."""
        return None if self.lines is None else self.lines.drawn

    @property
    def areas(self) -> BinnedAreas:
        """The areas of each class."""
        found: BinnedAreas = self.statistics[BinnedAreas]
        return found

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.areas.classes)

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return int(self.areas.sizes.sum())

    def of_class(self, code: int) -> BinnedClass:
        """Return the scores of a class in bins."""
        if code not in self._of_class:
            self._of_class[code] = BinnedClass.of(self.areas.bins[code])
        return self._of_class[code]

    @cached_property
    def _of_class(self) -> dict[int, BinnedClass]:
        return {}

    @cached_property
    def slopes(self) -> RankSlopes:
        """How scores read the areas of the classes."""
        return RankSlopes(self.areas)

    @cached_property
    def _losses(self) -> Steps:
        totals: ProbabilityLosses = self.statistics[ProbabilityLosses]
        nobody = ProbabilityForecasts(totals.classes, np.empty(0, np.int64), np.empty((0, self.n_classes)))
        return Steps(LossSums(nobody, totals))

    def bounds(self, records: Sequence[ForecastIndex]) -> dict[str, float]:
        """Return how far off scores may be."""
        return error_bounds([r for r in records if math.isfinite(self.value(r))], self.statistics)

    def value(self, record: ForecastIndex) -> float:
        """Compute a score."""
        return record.assess(*(self.statistics[kind] for kind in record.requires))[0]

    def read_as(self, record: ForecastIndex) -> Scored | Ranked:
        """Return what rows add to a score.

        Raises
        ------
        RefusedError
            If a second reading of the rows does not tell the error of the score.
        """
        check_value(self.value(record))
        check_calibration(record.variant_of or record.name)
        if record.requires == (ProbabilityLosses,):
            return scored(record, self._losses)
        if record.requires == (RankAreas,):
            return self._ranked(record)
        raise RefusedError(reason_of("summed"))

    def _ranked(self, record: ForecastIndex) -> Ranked:
        slope = self.slopes.slope(record)
        sizes = np.asarray(self.areas.sizes, np.float64)
        own_class = slope[SIZES] * sizes.sum() - slope[SIZES] @ sizes
        tables, excess, gains = dict[int, Floats](), 0.0, [0.0]
        for kind, code in zip(*(own.tolist() for own in np.nonzero(slope[:SIZES])), strict=True):
            times, binned = float(slope[kind, code]), self.of_class(code)
            own = binned.moved(kind)
            table = times * binned.table(own.psi)
            tables[code] = tables[code] + table if code in tables else table
            excess += times * own.excess
            gains += [times * (end - own.value) for end in own.with_one]
        return Ranked(own_class, tables, excess, max(gains), -min(gains))

    def rows(self, read: Mapping[str, Scored | Ranked]) -> RowInfluence:
        """Return what each row adds to scores."""
        ranked = {name: own for name, own in read.items() if isinstance(own, Ranked)}
        tables: dict[int, dict[str, Floats]] = {}
        for name, own in ranked.items():
            for code, table in own.tables.items():
                tables.setdefault(code, {})[name] = table
        slopes = {name: own.slope for name, own in read.items() if isinstance(own, Scored)}
        own_class = {name: own.own_class for name, own in ranked.items()}
        totals = self.statistics[ProbabilityLosses] if slopes else None
        return RowInfluence(
            self.groups, totals, slopes, own_class, tables, self.bins_of, self.columns, self.lines
        )

    def scored(self, records: Sequence[ForecastIndex]) -> dict[str, ScoredForecast]:
        """Return scores and the influence of rows on them, of which one more reading of the rows tells."""
        is_ranked = any(record.requires == (RankAreas,) for record in records)
        self._score(records, self._classes_apart if is_ranked else [])
        return self._scored

    def _score(self, records: Sequence[ForecastIndex], classes: Sequence[int]) -> None:
        """Read the rows again for what is not known yet: of scores, and of the areas of classes."""
        new = [record for record in records if record.name not in self._scored]
        known, refused = self._asked(new)
        codes = [code for code in classes if _name_of(code) not in self._scored]
        areas = {_name_of(code): self._of_area(code) for code in codes}
        values = {record.name: self.value(record) for record in new}
        values |= {_name_of(code): float(self.areas.areas[code]) for code in codes}
        found = OneModel()
        if known or areas:
            found = self.read(partial(OneModel.of, model=self.rows(known | areas)))
        for name, own in (known | areas).items():
            value, cells = values[name], found.cells[name]
            if isinstance(own, Ranked):
                influence = cells.influence(value - own.excess, rise=own.rise, fall=own.fall)
            else:
                rise, fall = gains_of_unseen(own, found.unseen[name], np.ones(self.n_classes))
                influence = cells.influence(value, rise=rise, fall=fall, rounding=self.n * own.noise)
            self._scored[name] = ScoredForecast(value, influence)
        self._scored.update({name: ScoredForecast(values[name], None, why) for name, why in refused.items()})

    @cached_property
    def _scored(self) -> dict[str, ScoredForecast]:
        """Those that are known, also the areas of classes."""
        return {}

    @property
    def _classes_apart(self) -> list[int]:
        """The classes whose areas have to be read again: those of independent rows follow from bins."""
        if self.drawn is None:
            return []
        sizes = np.asarray(self.areas.sizes)
        return [int(code) for code in np.flatnonzero((sizes > 0) & (sizes < self.n))]

    def _of_area(self, code: int) -> Ranked:
        binned = self.of_class(code)
        table = binned.table(binned.moved(0).psi)
        return Ranked(np.zeros(self.n_classes), {code: table}, 0.0, math.nan, math.nan)

    def _area_interval(self, code: int, confidence: float) -> Interval:
        placed = self.of_class(code).placements()
        if self.drawn is None:
            return auc_interval(placed, confidence=confidence)
        if _name_of(code) not in self._scored:
            return Interval.undefined(confidence, METHOD, NO_ESTIMATE)
        influence = self._scored[_name_of(code)].influence
        assert influence is not None
        return interval_of_area(influence, placed.sizes, confidence, self.drawn)

    def _asked(self, records: Sequence[ForecastIndex]) -> Asked:
        known, refused = dict[str, Scored | Ranked](), dict[str, str]()
        for record in records:
            try:
                known[record.name] = self.read_as(record)
            except RefusedError as refusal:
                refused[record.name] = str(refusal)
        return Asked(known, refused)

    def intervals(self, records: Sequence[ForecastIndex], confidence: float) -> dict[str, Interval]:
        """Return the intervals of scores."""
        areas, bounds = self.slopes.one_areas(records), self.bounds(records)
        others = [record for record in records if record.name not in areas]
        # With units, a difference from another group reads all.
        scored_ones = self.scored(others if self.drawn is None else records)
        found = {
            name: area.rescaled(self._area_interval(area.code, confidence)) for name, area in areas.items()
        }
        found |= intervals_of_scored(others, scored_ones, self.n_classes, confidence, self.drawn)
        return {
            r.name: widened(found[r.name], bounds.get(r.name, 0.0), limits_of(r, self.n_classes))
            for r in records
        }

    def intervals_of_areas(self, confidence: float) -> list[Interval]:
        """Return the interval of the area of each class."""
        self._score([], self._classes_apart)
        found = []
        for code, (low, high) in enumerate(zip(*(own.areas for own in self.areas.extremes()), strict=True)):
            area = float(self.areas.areas[code])
            bound = float(max(abs(area - low), abs(area - high)))
            found.append(widened(self._area_interval(code, confidence), bound, (0.0, 1.0)))
        return found

    def in_pairs(self, records: Sequence[ForecastIndex]) -> Asked:
        """Return what rows add to the scores in which two models are compared."""
        asked = self._asked(records)
        if self.drawn is not None:
            return asked
        for name, area in self.slopes.one_areas(records).items():
            binned = self.of_class(area.code)
            if min(binned.placements().sizes) > 1:
                table = binned.table(binned.of_placements())
                asked.known[name] = Ranked(np.zeros(self.n_classes), {area.code: table}, 0.0, 0.0, 0.0)
            else:
                asked.known.pop(name, None)
        return asked
