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
    InfluenceSums,
    Lines,
    RowInfluence,
)
from adjudge.inference.forecasts.loss_sums import LossSums, gains_of_unseen
from adjudge.inference.forecasts.rank_influence import SIZES, OfClass, RankSlopes
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval
from adjudge.inference.linear import Scored, Steps, scored
from adjudge.inference.refusals import NO_ESTIMATE, WEIGHTED, RefusedError, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.ranked_scores import RankAreas
from adjudge.statistics.reduced import error_bounds

#: Reads the rows of a table again, and adds up what is made of their chunks.
Read = Callable[[Callable[[Iterable[Chunk]], Any]], Any]
Records = Sequence[ForecastIndex]
# Up to this many bytes, what rows add is summed in one reading, whose parts are whole.
_MOST_BYTES = 1 << 27
# The number of a class to which rows add their placements, beside its area and its average precision.
_PLACED = 2


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
    """A score of rankings: what it reads of the numbers of classes, and what no row changes; see :class:`Moved`."""

    value: float
    own_class: Floats
    times: dict[tuple[int, int], float]
    excess: float
    rise: float
    fall: float


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
        Reads the rows again, for what they add to some scores.
    lines : Lines or None
        Of rows that were drawn in units.
    one : float
        What one more row would count: the mean weight.
    """

    statistics: Mapping[type, Any]
    columns: Sequence[int]
    bins_of: Callable[[Floats], Ints]
    groups: Sequence[int]
    read: Callable[[Records], None]
    lines: Lines | None = None
    one: float = 1.0

    @property
    def is_known(self) -> bool:
        """Whether it is known how rows were drawn, which weights alone do not say."""
        return self.lines is not None or self.areas.bins[0].squares is None

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
    def n(self) -> float:
        """Number of rows, or their weight."""
        return float(self.areas.sizes.sum())

    def of_class(self, code: int) -> BinnedClass:
        """Return the scores of a class in bins."""
        if code not in self._of_class:
            self._of_class[code] = BinnedClass.of(self.areas.bins[code], self.one)
        return self._of_class[code]

    @cached_property
    def _of_class(self) -> dict[int, BinnedClass]:
        return {}

    @cached_property
    def slopes(self) -> RankSlopes:
        """How scores read the areas of the classes."""
        return RankSlopes(self.areas, self.one)

    @cached_property
    def _losses(self) -> Steps:
        totals: ProbabilityLosses = self.statistics[ProbabilityLosses]
        nobody = ProbabilityForecasts(totals.classes, np.empty(0, np.int64), np.empty((0, self.n_classes)))
        return Steps(LossSums(nobody, totals), self.one)

    def bounds(self, records: Records) -> dict[str, float]:
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
        read, excess, gains = dict[tuple[int, int], float](), 0.0, [0.0]
        for number, code in zip(*(own.tolist() for own in np.nonzero(slope[:SIZES])), strict=True):
            read[number, code] = times = float(slope[number, code])
            own = self._moved(number, code)
            excess += times * own.excess
            gains += [times * (end - own.value) for end in own.with_one]
        return Ranked(self.value(record), own_class, read, excess, max(gains), -min(gains))

    def _moved(self, number: int, code: int) -> OfClass:
        """Return what rows add to the area, or to the average precision, of a class."""
        if (number, code) not in self._of_numbers:
            self._of_numbers[number, code] = self.of_class(code).moved(number)
        return self._of_numbers[number, code]

    @cached_property
    def _of_numbers(self) -> dict[tuple[int, int], OfClass]:
        return {}

    def _table(self, number: int, code: int) -> Floats:
        """Return what rows add to a number of a class, by bin."""
        binned = self.of_class(code)
        return binned.table(binned.of_placements() if number == _PLACED else self._moved(number, code).psi)

    def rows(self, read: Mapping[str, Scored | Ranked]) -> RowInfluence:
        """Return what each row adds to scores."""
        ranked = {name: own for name, own in read.items() if isinstance(own, Ranked)}
        times = {name: own.times for name, own in ranked.items()}
        tables = {key: self._table(*key) for own in times.values() for key in own}
        # With many parts, they would take much memory.
        self._of_numbers.clear()
        self._of_class.clear()
        slopes = {name: own.slope for name, own in read.items() if isinstance(own, Scored)}
        own_class = {name: own.own_class for name, own in ranked.items()}
        totals = self.statistics[ProbabilityLosses] if slopes else None
        return RowInfluence(
            self.groups, totals, slopes, own_class, times, tables, self.bins_of, self.columns, self.lines
        )

    def scored(self, records: Records) -> Mapping[str, ScoredForecast]:
        """Return scores and the influence of rows on them, of which one more reading of the rows tells."""
        self.read(records)
        return self.known

    @cached_property
    def known(self) -> dict[str, ScoredForecast]:
        """The scores for which rows were read, also the areas of classes."""
        return {}

    def asked(self, records: Records, *, in_pairs: bool, areas: bool) -> dict[str, Scored | Ranked]:
        """Return what rows add to scores; those that have no influence are known from now on.

        Parameters
        ----------
        records : sequence of ForecastIndex
        in_pairs : bool
            Whether models are compared.
        areas : bool
            Whether the areas of all classes are read. Those of independent rows follow from bins.
        """
        if not self.is_known:
            for record in records:
                value = self.value(record)
                self.known[record.name] = ScoredForecast(value, None, _why_not(value))
            return {}
        found, of_one = dict[str, Scored | Ranked](), self.slopes.one_areas(records)
        for record in records:
            if self.drawn is None and (area := of_one.get(record.name)) is not None:
                if in_pairs and min(self.of_class(area.code).placements().sizes) > 1:
                    value, own_class = self.value(record), np.zeros(self.n_classes)
                    read = {(_PLACED, area.code): 1.0}
                    found[record.name] = Ranked(value, own_class, read, 0.0, 0.0, 0.0)
                continue
            try:
                found[record.name] = self.read_as(record)
            except RefusedError as refusal:
                self.known[record.name] = ScoredForecast(self.value(record), None, str(refusal))
        if self.drawn is not None:
            sizes = np.asarray(self.areas.sizes)
            codes = range(self.n_classes) if areas else {area.code for area in of_one.values()}
            apart = {_name_of(code): code for code in codes if 0 < sizes[code] < self.n}
            found |= {name: self._of_area(code) for name, code in apart.items() if name not in self.known}
        return found

    def _of_area(self, code: int) -> Ranked:
        value = float(self.areas.areas[code])
        return Ranked(value, np.zeros(self.n_classes), {(0, code): 1.0}, 0.0, math.nan, math.nan)

    def take(
        self, asked: Mapping[str, Scored | Ranked], found: InfluenceSums, place: tuple[int, int]
    ) -> None:
        """Take what all rows add to scores; the place is that of these rows, and of this model."""
        part, i = place
        for name, own in asked.items():
            entries = found.cells.pop((part, i, i, name)).entries()
            value, more = own.value, dict[str, Any]()
            if isinstance(own, Ranked):
                value, more = value - own.excess, {"rise": own.rise, "fall": own.fall}
            else:
                unseen = found.unseen[part, i, name]
                rise, fall = gains_of_unseen(own, unseen, np.full(self.n_classes, self.one))
                # Means over rows do not rest on a class.
                more = {"rise": rise, "fall": fall, "rounding": self.n * own.noise, "rests_on_classes": False}
            self.known[name] = ScoredForecast(own.value, Influence.centred(value, **{**entries, **more}))

    def _area_interval(self, code: int, confidence: float) -> Interval:
        if not self.is_known:
            return Interval.undefined(confidence, METHOD, WEIGHTED)
        if self.drawn is None:
            return auc_interval(self.of_class(code).placements(), confidence=confidence)
        if _name_of(code) not in self.known:
            return Interval.undefined(confidence, METHOD, NO_ESTIMATE)
        influence = self.known[_name_of(code)].influence
        assert influence is not None
        return interval_of_area(influence, self.of_class(code).effective, confidence, self.drawn)

    def intervals(self, records: Records, confidence: float) -> dict[str, Interval]:
        """Return the intervals of scores."""
        areas = self.slopes.one_areas(records) if self.is_known else {}
        bounds = self.bounds(records)
        others, scored_ones = [record for record in records if record.name not in areas], self.scored(records)
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
        self.read([])
        found = []
        for code, (low, high) in enumerate(zip(*(own.areas for own in self.areas.extremes()), strict=True)):
            area = float(self.areas.areas[code])
            bound = float(max(abs(area - low), abs(area - high)))
            found.append(widened(self._area_interval(code, confidence), bound, (0.0, 1.0)))
        return found


def _why_not(value: float) -> str:
    """Return why a score of rows whose weights say nothing of how they were drawn has no interval."""
    try:
        check_value(value)
    except RefusedError as refusal:
        return str(refusal)
    return WEIGHTED


class SummedModels:
    """Models that are known by sums, of the same rows: what rows add to their scores is read at once.

    Parameters
    ----------
    names : sequence of str
    parts : sequence of tuple of int
        The groups of all rows, and of the parts of these that are judged, too.
    made : callable
        Returns a model of a part, given its name, the groups, and what reads the rows for some scores.
    read : callable
        Reads the rows.
    """

    def __init__(
        self,
        names: Sequence[str],
        parts: Sequence[tuple[int, ...]],
        made: Callable[..., SummedForecasts],
        read: Read,
    ) -> None:
        self.names, self._parts, self._made, self._read = names, parts, made, read
        self._models: dict[tuple[str, tuple[int, ...]], SummedForecasts] = {}
        self._known: set[str] = set()
        #: What rows add to the difference of two models in a score, and the largest that one adds to a model's score.
        self.apart: dict[tuple[tuple[int, ...], int, int, str], Mapping[str, Any]] = {}
        self.largest: dict[tuple[tuple[int, ...], int, str], float] = {}

    def model(self, name: str, groups: Sequence[int]) -> SummedForecasts:
        """Return a model in some groups."""
        key = name, tuple(groups)
        if key not in self._models:
            self._models[key] = self._made(*key, self.read)
        return self._models[key]

    def read(self, records: Records) -> None:
        """Read the rows for the scores that are not known yet, in all parts."""
        new = [record for record in records if record.name not in self._known]
        if not new and self._known:
            return
        self._known |= {"", *(record.name for record in new)}
        held: list[_Held] = []
        for groups in self._parts:
            models = [self.model(name, groups) for name in self.names]
            given = {"in_pairs": len(models) > 1, "areas": groups == self._parts[0]}
            asked = [own.asked(new, **given) for own in models]
            rows = [own.rows(each) for own, each in zip(models, asked, strict=True)]
            held.append(_Held(groups, models, asked, rows))
            if sum(own.nbytes for own in held) > _MOST_BYTES:
                self._take(held)
                held = []
        self._take(held)

    def _take(self, held: Sequence[_Held]) -> None:
        held = [own for own in held if any(own.asked)]
        if not held:
            return
        found = self._read(partial(InfluenceSums.of, parts=[own.rows for own in held]))
        for part, own in enumerate(held):
            for i, (model, asked) in enumerate(zip(own.models, own.asked, strict=True)):
                model.take(asked, found, (part, i))
        self.apart |= {
            (held[p].groups, i, j, name): own.entries()
            for (p, i, j, name), own in found.cells.items()
            if i < j
        }
        self.largest |= {(held[p].groups, i, name): far for (p, i, name), far in found.largest.items()}


class _Held(NamedTuple):
    """A part of the rows whose models are to be read."""

    groups: tuple[int, ...]
    models: Sequence[SummedForecasts]
    asked: Sequence[dict[str, Scored | Ranked]]
    rows: Sequence[RowInfluence]

    @property
    def nbytes(self) -> int:
        """How much memory they take."""
        return sum(own.nbytes for own in self.rows) * (len(self.rows) + 1) // 2
