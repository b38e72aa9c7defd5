"""Sorted scores with their ties: how often each occurs in a class and outside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Ints
from adjudge.given.positive import shown_class
from adjudge.kernels.scores import merge_sorted, precision_sum, rank_of_truth, split_by_class, twice_wins
from adjudge.parallel import WORTH_A_THREAD, in_threads, n_cores, spans
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts

Counts = NDArray[Any]

# Maximum bytes of columns that are sorted at the same time.
_AT_ONCE = 1 << 28
# This many columns fill the cache lines that are read for one of them.
_COLUMNS_AT_ONCE = 64
# The scores of the two sides of one class are sorted in two threads if there are more than this.
_LONG = 1 << 16


@dataclass(frozen=True, eq=False)
class RankedScores:
    """Distinct scores, ascending, and the instances at each. Scores of disjoint instances add up with ``+``.

    Attributes
    ----------
    scores : ndarray of float64 of shape (m,)
    positives, negatives : ndarray of int64 (of float64, if instances are weighted) of shape (m,)
        Instances of the class, and of all others, that have the score.
    """

    scores: Floats
    positives: Counts
    negatives: Counts

    @cached_property
    def n_positive(self) -> Any:
        """Instances of the class."""
        return self.positives.sum().item()

    @cached_property
    def n_negative(self) -> Any:
        """Instances of all other classes."""
        return self.negatives.sum().item()

    @property
    def n(self) -> Any:
        """Number of instances, or their weight."""
        return self.n_positive + self.n_negative

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.positives.dtype.kind == "f"

    @cached_property
    def counts(self) -> Counts:
        """Instances at each score."""
        return np.asarray(self.positives + self.negatives)

    @cached_property
    def falling(self) -> tuple[Floats, Floats, Floats]:
        """Distinct scores from the highest down; positives and negatives with at least that score."""
        return (
            self.scores[::-1],
            np.cumsum(self.positives[::-1]).astype(np.float64),
            np.cumsum(self.negatives[::-1]).astype(np.float64),
        )

    def __add__(self, other: RankedScores) -> RankedScores:
        if not isinstance(other, RankedScores):
            return NotImplemented
        scores, places = np.unique(np.concatenate([self.scores, other.scores]), return_inverse=True)

        def summed(one: Counts, another: Counts) -> Counts:
            totals = np.zeros(scores.size, np.result_type(one, another))
            np.add.at(totals, places, np.concatenate([one, another]))
            return totals

        return type(self)(
            scores, summed(self.positives, other.positives), summed(self.negatives, other.negatives)
        )


@dataclass(frozen=True, eq=False)
class PositiveScores(RankedScores):
    """The scores of the positive class.

    Attributes
    ----------
    of_class : object
        The class, if results should name it.
    """

    of_class: Any = field(default=None, kw_only=True)

    made_from: ClassVar[tuple[type, ...]] = (Forecasts,)

    @classmethod
    def make(cls, forecasts: Forecasts) -> PositiveScores:
        """Sort the scores of the positive class; empty if no class is positive."""
        code = forecasts.positive
        if code is None:
            return cls(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
        found = ranked(forecasts.column(code), forecasts.codes, code, forecasts.weights)
        shown = shown_class(forecasts.classes, code)
        return cls(found.scores, found.positives, found.negatives, of_class=shown)


class PositiveProbabilities(PositiveScores):
    """The probabilities of the positive class."""

    made_from: ClassVar[tuple[type, ...]] = (ProbabilityForecasts,)


@dataclass(frozen=True, eq=False)
class ScoredOutcomes:
    """A score for each instance, and whether the outcome that it predicts occurred; sorted only if needed.

    Attributes
    ----------
    values : ndarray of float64 of shape (n,)
    hits : ndarray of bool of shape (n,)
    weights : ndarray of float64 of shape (n,), or None
    """

    values: Floats
    hits: Bools
    weights: Floats | None = None

    @property
    def counts_instances(self) -> bool:
        """Whether the number of instances in a bin is known."""
        return self.weights is None

    @classmethod
    def of_one(cls, forecasts: Forecasts, code: int) -> Self:
        """Take the scores of one class."""
        values = forecasts.column(code).astype(np.float64, copy=False)
        return cls(values, forecasts.codes == code, forecasts.weights)

    @cached_property
    def ranked(self) -> RankedScores:
        """The scores, sorted."""
        return ranked(self.values, self.hits.astype(np.int64), 1, self.weights)


class TopLabels(ScoredOutcomes):
    """The probability of the likeliest class (the first among ties), and whether it was the true one."""

    made_from: ClassVar[tuple[type, ...]] = (ProbabilityForecasts,)

    @classmethod
    def make(cls, forecasts: ProbabilityForecasts) -> Self:
        """Find the likeliest class of each instance."""
        best = forecasts.best
        if forecasts.values.ndim == 2:
            confidence = forecasts.values[np.arange(forecasts.n), best].astype(np.float64)
        else:
            confidence = np.where(best == 1, forecasts.values, 1 - forecasts.values).astype(np.float64)
        return cls(confidence, best == forecasts.codes, forecasts.weights)


@dataclass(frozen=True, eq=False)
class CalibratedScores(ScoredOutcomes):
    """The probabilities of the positive class if there is one, else those of the likeliest class.

    Attributes
    ----------
    of_class : object
        The positive class, if results should name it.
    """

    of_class: Any = field(default=None, kw_only=True)

    made_from: ClassVar[tuple[type, ...]] = (ProbabilityForecasts,)

    @classmethod
    def make(cls, forecasts: ProbabilityForecasts) -> CalibratedScores:
        """Take the probabilities of the positive class, or of the likeliest one."""
        if forecasts.positive is not None:
            own = cls.of_one(forecasts, forecasts.positive)
            return replace(own, of_class=shown_class(forecasts.classes, forecasts.positive))
        found = TopLabels.make(forecasts)
        return cls(found.values, found.hits, found.weights)


def ranked(values: NDArray[Any], codes: Ints, code: int, weights: Floats | None = None) -> RankedScores:
    """Sort the scores, separately for one class and for all others, in O(n log n)."""
    if weights is None:
        return RankedScores(*merge_sorted(*_sorted_by_class(values, codes, code)))
    order = np.argsort(values)
    scores, inside = np.asarray(values[order], np.float64), codes[order] == code
    firsts = np.flatnonzero(np.r_[True, scores[1:] != scores[:-1]])
    positives = np.add.reduceat(np.where(inside, weights[order], 0.0), firsts)
    negatives = np.add.reduceat(np.where(inside, 0.0, weights[order]), firsts)
    return RankedScores(scores[firsts], positives, negatives)


def _sorted_by_class(values: NDArray[Any], codes: Ints, code: int) -> tuple[Floats, Floats]:
    inside, outside = split_by_class(np.ascontiguousarray(values), np.ascontiguousarray(codes), code)
    in_threads(lambda part: part.sort(), (inside, outside) if values.size > _LONG else (inside,))
    if values.size <= _LONG:
        outside.sort()
    return inside, outside


@dataclass(frozen=True, eq=False)
class RankAreas:
    """Each class, or label, against the rest: the area under its ROC curve, and its average precision.

    Attributes
    ----------
    classes : sequence of length C
    positive : int or None
        Index of the positive class.
    sizes : ndarray of shape (C,)
        Instances of each class, or their weight.
    areas, average_precisions : ndarray of float64 of shape (C,)
        nan for a class without instances; areas also for a class with all instances.
    """

    classes: Sequence[Any]
    positive: int | None
    sizes: Counts
    areas: Floats
    average_precisions: Floats


class ClassAreas(RankAreas):
    """Each class against the rest, for instances with one class each."""

    made_from: ClassVar[tuple[type, ...]] = (Forecasts,)

    @classmethod
    def make(cls, forecasts: Forecasts) -> ClassAreas:
        """Sort the scores of each class in turn; with two classes, those of the positive one serve for both."""
        found = _both_areas(forecasts) if forecasts.k == 2 else _areas_of_each(forecasts)
        return cls(forecasts.classes, forecasts.positive, forecasts.sizes, found[:, 0], found[:, 1])


def _both_areas(forecasts: Forecasts) -> Floats:
    """Return the areas and average precisions of two classes, from the positive class's scores and their reverse."""
    code = 1 if forecasts.positive is None else forecasts.positive
    if forecasts.weights is not None:
        own = ranked(forecasts.column(code), forecasts.codes, code, forecasts.weights)
        other = RankedScores(-own.scores[::-1], own.negatives[::-1], own.positives[::-1])
        found = [weighted_areas(other), weighted_areas(own)]
    else:
        inside, outside = _sorted_by_class(forecasts.column(code), forecasts.codes, code)
        found = [_exact_areas(-outside[::-1], -inside[::-1]), _exact_areas(inside, outside)]
    return np.array(found if code == 1 else found[::-1], dtype=np.float64)


def _areas_of_each(forecasts: Forecasts) -> Floats:
    """Return the areas and average precisions of all classes: a few columns at a time, each class in a thread."""
    found = np.empty((forecasts.k, 2))
    # A single column would read a whole cache line for each entry.
    width = max(1, min(_COLUMNS_AT_ONCE, _AT_ONCE // (8 * max(forecasts.n, 1))))
    for first in range(0, forecasts.k, width):
        codes = range(first, min(first + width, forecasts.k))
        columns = np.ascontiguousarray(forecasts.values[:, first : codes.stop].T)

        def fill(part: slice, codes: range = codes, columns: NDArray[Any] = columns) -> None:
            for code in codes[part]:
                column = columns[code - codes.start]
                found[code] = areas_of_column(column, forecasts.codes, code, forecasts.weights)

        # Long columns are sorted in separate threads.
        alone = forecasts.n > _LONG or forecasts.n * len(codes) < WORTH_A_THREAD
        in_threads(fill, spans(len(codes), 1 if alone else min(n_cores(), len(codes))))
    return found


def areas_of_column(
    column: NDArray[Any], codes: Ints, code: int, weights: Floats | None
) -> tuple[float, float]:
    """Return the area under the ROC curve and the average precision of one class's scores against all others."""
    if weights is not None:
        return weighted_areas(ranked(column, codes, code, weights))
    return _exact_areas(*_sorted_by_class(column, codes, code))


def _exact_areas(inside: Floats, outside: Floats) -> tuple[float, float]:
    inside, outside = np.ascontiguousarray(inside), np.ascontiguousarray(outside)
    if not inside.size:
        return math.nan, math.nan
    area = twice_wins(inside, outside) / (2 * inside.size * outside.size) if outside.size else math.nan
    return area, precision_sum(inside, outside) / inside.size


def weighted_areas(scores: RankedScores) -> tuple[float, float]:
    """Return the area under the ROC curve and the average precision of sorted scores."""
    p, q = scores.n_positive, scores.n_negative
    if not p > 0:
        return math.nan, math.nan
    _, true, false = scores.falling
    steps = np.diff(true, prepend=0.0)
    precision = float((steps * (true / (true + false))).sum()) / p
    if not q > 0:
        return math.nan, precision
    # A positive wins against the negatives with lower scores, and against half of those with the same score.
    own = np.diff(false, prepend=0.0)
    return float((steps * (q - false + own / 2)).sum()) / (p * q), precision


@dataclass(frozen=True, eq=False)
class PairAreas:
    """Each class against each other class: how often its score ranks an instance of its own higher.

    Attributes
    ----------
    classes : sequence of length C
    sizes : ndarray of shape (C,)
    areas : ndarray of float64 of shape (C, C)
        Entry (i, j) is the area of the scores for class i over the instances of classes i and j; nan on the diagonal,
        and if a class has no instance.
    """

    made_from: ClassVar[tuple[type, ...]] = (Forecasts,)

    classes: Sequence[Any]
    sizes: Counts
    areas: Floats

    @classmethod
    def make(cls, forecasts: Forecasts) -> PairAreas:
        """Sort the scores for each class within each class."""
        k = forecasts.k
        order = np.argsort(forecasts.codes, kind="stable")
        ends = np.cumsum(np.bincount(forecasts.codes, minlength=k))
        groups = np.split(order, ends[:-1])
        areas = np.full((k, k), math.nan)
        for i in range(k):
            areas[i] = _areas_against_each(forecasts, i, groups)
        return cls(forecasts.classes, forecasts.sizes, areas)


def _areas_against_each(forecasts: Forecasts, i: int, groups: list[Ints]) -> Floats:
    column = forecasts.column(i).astype(np.float64, copy=False)
    found = np.full(len(groups), math.nan)
    if groups[i].size == 0:
        return found
    if forecasts.weights is not None:
        for j, group in enumerate(groups):
            if j != i and group.size:
                both = np.concatenate([groups[i], group])
                parts = ranked(column[both], forecasts.codes[both], i, forecasts.weights[both])
                found[j] = weighted_areas(parts)[0]
        return found
    own = np.sort(column[groups[i]])
    for j, group in enumerate(groups):
        if j != i and group.size:
            found[j] = twice_wins(own, np.sort(column[group])) / (2 * own.size * group.size)
    return found


@dataclass(frozen=True, eq=False)
class TruthRanks:
    """The rank of the true class among an instance's scores. Ranks of disjoint instances add up with ``+``.

    Attributes
    ----------
    higher, tied : ndarray of int64 of shape (m,)
        Classes that score higher than the true one; classes that score the same, including itself.
    counts : ndarray of shape (m,)
        Instances, or their weight.
    k : int
        Number of classes.
    """

    made_from: ClassVar[tuple[type, ...]] = (Forecasts,)

    higher: Ints
    tied: Ints
    counts: Counts
    k: int

    @classmethod
    def make(cls, forecasts: Forecasts) -> TruthRanks:
        """Compare the score of the true class with those of the others, row by row."""
        k = forecasts.k
        higher, tied = rank_of_truth(forecasts.matrix, forecasts.codes)
        return cls._of_keys(higher.astype(np.int64) * (k + 1) + tied, forecasts.weights, k)

    @classmethod
    def _of_keys(cls, keys: Ints, counts: Counts | None, k: int) -> TruthRanks:
        distinct, places = np.unique(keys, return_inverse=True)
        return cls(distinct // (k + 1), distinct % (k + 1), np.bincount(places, counts), k)

    def __add__(self, other: TruthRanks) -> TruthRanks:
        if not isinstance(other, TruthRanks) or self.k != other.k:
            return NotImplemented
        keys = [part.higher * (self.k + 1) + part.tied for part in (self, other)]
        return self._of_keys(np.concatenate(keys), np.concatenate([self.counts, other.counts]), self.k)
