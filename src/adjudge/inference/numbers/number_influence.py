"""The influence of rows on scores of numbers: sums, and quantiles.

Sums are linear in their rows. A quantile moves by the share of the rows that passes it, times the distance of numbers
there: its slope is that of the quantiles between the ends of the share's interval (Woodruff). Its own interval lies
between such quantiles, whatever the numbers are (Korn & Graubard).

References
----------
Woodruff (1952), Confidence intervals for medians and other position measures, JASA 47, 635-646.
Korn & Graubard (1998), Confidence intervals for proportions with small expected number of positive counts estimated
from survey data, Survey Methodology 24, 193-201.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints, Limits
from adjudge.given.number_vectors import NumberVector
from adjudge.given.units import Units
from adjudge.indices.record import Index
from adjudge.inference.common.proportions import clopper_pearson_of, normal_quantile
from adjudge.inference.common.significance import Difference, differences_by_name
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_by_name, why_few_units
from adjudge.inference.linear import Steps, scored
from adjudge.inference.refusals import NO_ESTIMATE, WEIGHTED, RefusedError, refuse, round_up
from adjudge.inference.sampling_design import Drawn, either_way, freedom_of, variance_of
from adjudge.statistics.number_sums import AbsoluteErrors, ErrorSums, Moments, SortedNumbers
from adjudge.statistics.right_counts import RightCounts

_SAME = "the expected scores of both models are the same"
# Confidence of the share of rows between whose ends the slope of a quantile is taken.
_OF_SLOPE = 0.95
# Largest share of rows at a quantile, relative to the width of that interval; with more, it jumps.
_MOST_TIED = 0.25


@dataclass(frozen=True, eq=False)
class _RowSums:
    """Sums to which each row adds.

    Attributes
    ----------
    rows : ndarray of shape (n, k)
        What each row adds; the first column is 1.
    weights : ndarray of shape (n,)
    made : callable
        Returns the statistics, given the sums.
    """

    rows: Floats
    weights: Floats
    made: Callable[[Floats], Mapping[type, Any]]

    def numbers(self) -> Floats:
        """Return the sums."""
        return np.asarray(self.weights @ self.rows)

    def alike(self) -> Ints:
        """Return the position of each number."""
        return np.arange(self.rows.shape[1])

    def steps(self) -> Floats:
        """Return how much one row may add to each number."""
        return np.asarray(np.abs(self.rows).max(axis=0))

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return the statistics with these sums."""
        return self.made(numbers)

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return what one more of each row adds to the sums, along a slope."""
        return np.asarray(self.rows[cells[0]] @ slope)

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the sums with more of a row."""
        return np.asarray(self.numbers() + amount * self.rows[cell[0]])

    def extremes(self, slope: Floats) -> Ints:
        """Return no row: nothing says what numbers were not seen."""
        return np.empty((1, 0), np.int64)


class ScoredNumbers:
    """The numbers of one model, or its predictions, and the influence of rows on each score.

    Parameters
    ----------
    truth : NumberVector or None
        True numbers; None if the numbers themselves are judged.
    numbers : NumberVector
        Of the model, with its weights.
    drawn : Drawn, optional
        How the rows were sampled; default: independently.
    """

    def __init__(self, truth: NumberVector | None, numbers: NumberVector, drawn: Drawn | None) -> None:
        self._truth, self._numbers, self._drawn = truth, numbers, drawn
        self._weights: NDArray[Any] | None = numbers.weights

    @cached_property
    def _counts(self) -> Floats:
        n = self._numbers.n
        return np.ones(n) if self._weights is None else np.asarray(self._weights, np.float64)

    @cached_property
    def _steps(self) -> Steps:
        """The sums, about the mean, where squares lose no digits."""
        x = self._numbers.values
        if self._truth is None:
            centre = float(x.mean())
            read = _RowSums(_powers(x - centre), self._counts, lambda own: {Moments: _moments(own, centre)})
            return Steps(read)
        y = self._truth.values
        centre, errors = float(y.mean()), y - x
        rows = [_powers(y - centre), np.maximum(errors, 0.0), np.maximum(-errors, 0.0), errors**2]

        def made(own: Floats) -> Mapping[type, Any]:
            return {ErrorSums: ErrorSums(_moments(own, centre), *own[3:].tolist())}

        return Steps(_RowSums(np.column_stack(rows), self._counts, made))

    @cached_property
    def _sizes(self) -> Floats:
        """The numbers of which quantiles are taken: themselves, or the sizes of errors."""
        if self._truth is None:
            return self._numbers.values
        return np.abs(self._truth.values - self._numbers.values)

    @cached_property
    def _ordered(self) -> SortedNumbers:
        return SortedNumbers.of(self._sizes, self._weights)

    def _check(self) -> None:
        if self._weights is not None and self._weights.dtype.kind == "f" and self._drawn is None:
            raise RefusedError(WEIGHTED)

    def influence(self, record: Index) -> Influence:
        """Return the influence of rows on a score.

        Raises
        ------
        RefusedError
            If it is not known.
        """
        self._check()
        if _level(record) is not None:
            return self._of_quantile(record)
        if record.requires == (RightCounts,):
            return self._of_runs(record)
        rows = np.arange(self._numbers.n)[None, :]
        own = self._without_counts(scored(record, self._steps).influence(rows, self._counts))
        if record.requires != (Moments,) or not self.are_shares:
            return own
        return self.with_unseen(own)

    def with_unseen(self, own: Influence, other: ScoredNumbers | None = None) -> Influence:
        """Allow for right and wrong answers that did not occur, or, beside another model, for those of one alone.

        One that was not seen may have as much of all as a unit has on average of an answer that it has.
        """
        right = self._numbers.values == 1
        pairs = 3 * right if other is None else 2 * right + (other._numbers.values == 1)
        least = 0.0 if other is None else -1.0
        if self._drawn is None:
            share = 1 / float(self._counts.sum())
        else:
            share = 1 / np.unique(4 * self._drawn.unit + pairs).size
        there = self._counts > 0
        up, down = (2, 1) if other is not None else (3, 0)
        rise = math.nan if (pairs[there] == up).any() else (1 - own.value) * share
        fall = math.nan if (pairs[there] == down).any() else (own.value - least) * share
        return replace(own, rise=rise, fall=fall)

    def drawn(self, record: Index) -> Drawn | None:
        """Return how the rows were drawn that a score is of; None if independently.

        Of what k runs reach, each unit counts once, however many runs it has.
        """
        if self._drawn is None or not record.counts_units:
            return self._drawn
        unit = self._drawn.unit
        return replace(self._drawn, counts=1 / np.bincount(unit)[unit])

    @cached_property
    def are_shares(self) -> bool:
        """Whether each number is 0 or 1, so that the mean is a share."""
        return self._truth is None and self._numbers.are_answers

    def limits(self, record: Index) -> Limits:
        """Return the smallest and the largest value of a score."""
        if self.are_shares and record.requires == (Moments,):
            return 0.0, 1.0
        return float(record.range[0]), float(record.range[1])

    def _without_counts(self, own: Influence) -> Influence:
        # A weight says how a row was sampled; it does not change the number of rows.
        counts = None if self._drawn is not None or self._weights is None else own.counts
        classes = np.zeros(own.psi.size, np.int64)
        return Influence(own.value, own.psi, counts, own.rise, own.fall, own.rounding, classes)

    def _share(self, value: float) -> Influence:
        """Return the influence of rows on the share that a number is not exceeded by."""
        upto = (self._sizes <= value).astype(np.float64)
        return self._without_counts(Influence.centred(float(self._counts @ upto), upto, self._counts))

    def _of_quantile(self, record: Index) -> Influence:
        value, level = self._value(record), _level(record)
        assert level is not None
        self._check_beyond(value, level, _OF_SLOPE)
        share = self._share(value)
        error = math.sqrt(max(variance_of(share, self._drawn), 0.0)) * normal_quantile(_OF_SLOPE)
        if not error > 0:
            refuse("equal numbers")
        ends = max(level - error, 0.0), min(level + error, 1.0)
        low, high = map(self._ordered.quantile, ends)
        tied = float(self._counts[self._sizes == value].sum()) / float(self._counts.sum())
        if not high > low or tied > _MOST_TIED * (ends[1] - ends[0]):
            refuse("equal numbers")
        slope = (high - low) / (ends[1] - ends[0])
        return Influence(value, -slope * share.psi, share.counts)

    def _of_runs(self, record: Index) -> Influence:
        """Return the influence of rows on what k runs of a unit reach, by leaving out one run of it in turn.

        If all runs of a unit are chosen, none can be left out: it is then that of one run fewer.
        """
        x, n = self._numbers.values, self._numbers.n
        units = (
            Units(np.arange(n), n) if self._drawn is None else Units(self._drawn.unit, self._drawn.n_units)
        )
        counts = RightCounts.make(self._numbers, units)
        value, k = record.assess(counts)[0], int(record.parameters.get("k", 2))
        reached = RightCounts.any_right if record.name.startswith("pass_at") else RightCounts.all_right
        if not math.isfinite(value):
            raise RefusedError(NO_ESTIMATE)
        unit, runs = units.codes, counts.runs[units.codes]
        fewer = np.minimum(k, np.maximum(runs - 1, 1))
        without = np.empty(n)
        for own in np.unique(fewer).tolist():
            rows = fewer == own
            left = RightCounts((counts.right[unit] - x.astype(np.int64))[rows], np.maximum(runs - 1, 1)[rows])
            without[rows] = reached(left, own)
        usual = np.bincount(unit, without, units.n_units) / counts.runs
        apart = (runs - 1) * (usual[unit] - without)
        psi = reached(counts, k)[unit] + apart
        own = self.with_unseen(replace(Influence.centred(value, psi, 1 / runs), counts=None))
        if k == 1:
            return own
        # Answers of both kinds do not show that no unit fails, or is right, in all of its runs.
        if reached is RightCounts.any_right:
            return replace(own, fall=value / units.n_units)
        return replace(own, rise=(1 - value) / units.n_units)

    def _value(self, record: Index) -> float:
        made = {SortedNumbers: self._ordered, AbsoluteErrors: AbsoluteErrors(self._ordered)}
        return record.assess(*(made[kind] for kind in record.requires))[0]

    def interval_of_quantile(self, record: Index, confidence: float) -> Interval:
        """Return the interval of a quantile: between the quantiles that are the ends of its share.

        Raises
        ------
        RefusedError
        """
        self._check()
        if (reason := why_few_units(self._drawn)) is not None:
            raise RefusedError(reason)
        value, level = self._value(record), _level(record)
        assert level is not None
        n = self._check_beyond(value, level, confidence)
        low, high = map(self._ordered.quantile, clopper_pearson_of(level, n, confidence))
        return Interval(low, high, confidence, "woodruff")

    def _check_beyond(self, value: float, level: float, confidence: float) -> float:
        """Return how many independent rows would tell as much; raise if all of them may lie on one side."""
        n = float(self._share(value).n) if self._drawn is None else self._effective(value)
        beyond, tail = max(level, 1 - level), (1 - confidence) / 2
        if beyond**n > tail:
            enough = math.log(tail) / math.log(beyond) * max(1.0, self._numbers.n / n)
            refuse("few beyond", n=f"{self._numbers.n:,}", enough=round_up(enough))
        return n

    def _effective(self, value: float) -> float:
        """Return how many independent rows would tell a share as well, with few units' Student's t."""
        from scipy.special import stdtrit

        share = self._share(value)
        drawn = self._drawn
        assert drawn is not None
        p = float(self._counts @ (self._sizes <= value)) / float(self._counts.sum())
        variance = variance_of(share, drawn)
        if not variance > 0:
            refuse("equal numbers")
        stretch = 1.96 / -float(stdtrit(freedom_of(share, drawn) or 1.0, 0.025))
        return max(p * (1 - p), 1e-12) / variance * stretch**2


def _level(record: Index) -> float | None:
    """Return the level of a quantile; None for other scores."""
    if record.requires not in ((SortedNumbers,), (AbsoluteErrors,)):
        return None
    return float(record.parameters.get("at", 0.5))


def _powers(x: Floats) -> Floats:
    return np.column_stack([np.ones(x.size), x, x**2])


def _moments(sums: Floats, centre: float) -> Moments:
    n, first, second = sums[:3].tolist()
    return Moments(n, centre + first / n, second - first**2 / n)


def intervals_of_numbers(
    records: Sequence[Index], model: ScoredNumbers, confidence: float
) -> dict[str, Interval]:
    """Return the interval of each score.

    Parameters
    ----------
    records : sequence of Index
        Of kind "values" or "regression".
    model : ScoredNumbers
    confidence : float
    """
    found: dict[str, Wanted | Interval] = {}
    for record in records:
        try:
            if _level(record) is not None:
                found[record.name] = model.interval_of_quantile(record, confidence)
                continue
            own = model.influence(record)
        except RefusedError as refusal:
            found[record.name] = Interval.undefined(confidence, METHOD, str(refusal))
            continue
        if not math.isfinite(own.value):
            found[record.name] = Interval.undefined(confidence, METHOD, NO_ESTIMATE)
            continue
        found[record.name] = Wanted(own, model.limits(record), model.drawn(record))
    return intervals_by_name(found, confidence)


def differences_of_numbers(
    records: Sequence[Index], first: ScoredNumbers, second: ScoredNumbers, confidence: float
) -> dict[str, Difference]:
    """Return the interval of the difference of each score of two models, and the test of whether it is 0.

    Parameters
    ----------
    records : sequence of Index
    first, second : ScoredNumbers
        Of the same rows.
    confidence : float
    """
    found: dict[str, Wanted | Difference] = {}
    for record in records:
        try:
            own = first.influence(record) - second.influence(record)
            if first.are_shares and second.are_shares and record.requires in ((Moments,), (RightCounts,)):
                own = first.with_unseen(own, second)
        except RefusedError as refusal:
            found[record.name] = Difference(Interval.undefined(confidence, METHOD, str(refusal)))
            continue
        drawn = first.drawn(record)
        # A row that was not seen may move it as far as any did, in favour of either model.
        low, high = zip(first.limits(record), second.limits(record), strict=True)
        found[record.name] = Wanted(either_way(own, drawn), (min(low), max(high)), drawn)
    return differences_by_name(found, confidence, _SAME)
