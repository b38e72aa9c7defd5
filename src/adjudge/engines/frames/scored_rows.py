"""Rows of a classifier's probabilities, or of scores that rank: read from chunks, summed, and checked.

Probabilities of a row may not add up to 1: then they are divided by their sum, if rounding explains it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.chunks import Chunk
from adjudge.engines.frames.coded_cells import CHANGED, CodedCells
from adjudge.engines.frames.counting import (
    numbers_of,
)
from adjudge.errors import InputError
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.labels import Labels
from adjudge.given.positive import ScoredClass, positive_position, scored_class
from adjudge.given.probabilities import without_dust
from adjudge.given.row_sums import (
    DUST,
    MOST_DECIMALS,
    PERCENTAGES,
    SUMS_REMEDY,
    TOLERANCE,
    Rounded,
    allowed_by_decimals,
    allowed_by_epsilon,
    are_percentages,
)
from adjudge.kernels.scores import seen_in_rows
from adjudge.statistics.classes import class_positions
from adjudge.statistics.forecasts import (
    DecisionForecasts,
    Forecasts,
    ProbabilityForecasts,
    classes_of_columns,
)
from adjudge.statistics.score_sums import (
    ScoreSums,
    ScoreTally,
    places_of_scores,
    scored_columns,
)

__all__ = ["ScoreEnds", "ScoredRows", "SummedRows", "TakenProbabilities", "TakenScores"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SINGLE = float(np.finfo(np.float32).eps)
# Rows that stand for several are repeated in parts of this many.
_INSTANCES = 1 << 16


def instances_of(chunks: Iterable[Chunk], times: Any) -> Iterator[Chunk]:
    """Return chunks with a row for each instance; `times` is the column that says how many a row stands for, if any."""
    if times is None:
        yield from chunks
        return
    for chunk in chunks:
        n = numbers_of(chunk[times]).astype(np.int64)
        at = np.repeat(np.arange(n.size), n)
        for first in range(0, at.size, _INSTANCES):
            part = at[first : first + _INSTANCES]
            yield {name: own[part] for name, own in chunk.items()}


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """What is read of the rows of a model, whose combinations of labels are coded.

    Attributes
    ----------
    cells : CodedCells
    forecasts : ForecastColumns
    classes : sequence
    positive : int or None
    truth : ndarray of int64
        The class of each combination.
    scored : ScoredClass or None
        The class of a single column; None if each class has a column.
    weight : str or None
        The column with the weight of each row.
    times : str or None
        The column with the number of instances that each row stands for.
    """

    cells: CodedCells
    forecasts: ForecastColumns
    classes: Sequence[Any]
    positive: int | None
    truth: Ints
    scored: ScoredClass | None
    weight: Any = None
    times: Any = None

    @classmethod
    def of(
        cls,
        cells: CodedCells,
        given: ForecastColumns,
        positive: Any,
        weight: Any = None,
        times: Any = None,
    ) -> ScoredRows:
        """Find the classes of the columns, and of each combination."""
        codes, occurring = cells.truth.dense()
        classes = classes_of_columns(occurring, given.classes, given.n_classes, given.option)
        sizes = np.bincount(codes, cells.counts, len(occurring)).astype(np.int64)
        return cls(
            cells,
            given,
            classes,
            positive_position(classes, positive),
            class_positions(occurring, classes, sizes, "labels_true")[codes],
            scored_class(classes, positive, given.column) if len(given.columns) == 1 else None,
            weight,
            times,
        )

    @property
    def ranks(self) -> bool:
        """Whether scores only rank."""
        return not self.forecasts.are_probabilities

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.cells.group_codes.max()) + 1

    @property
    def n_places(self) -> int:
        """How many sums are kept."""
        return places_of_scores(len(self.classes), self.positive, self.n_groups, ranks=self.ranks)

    def tally(self, ends: tuple[float, float] | None = None) -> ScoreTally:
        """Return what adds up scores."""
        is_weighted = self.weight is not None
        return ScoreTally(self.classes, self.positive, self.n_groups, ends, is_weighted=is_weighted)

    def values(self, chunk: Chunk) -> Floats:
        """Return the scores of rows, as given."""
        return np.column_stack([numbers_of(chunk[name]) for name in self.forecasts.columns])

    def weights(self, chunk: Chunk) -> Floats | None:
        """Return the weights of rows, if they have any."""
        if self.weight is None:
            return None
        return np.ascontiguousarray(numbers_of(chunk[self.weight]), np.float64)

    def forecasts_of(self, at: Ints, values: Floats, weights: Floats | None = None) -> Any:
        """Return the forecasts of rows, given the combination of each."""
        kind: type[Forecasts] = DecisionForecasts if self.ranks else ProbabilityForecasts
        if self.scored is not None:
            values = kind.of_second(values[:, 0], self.scored)
        return kind(self.classes, self.truth[at], values, weights, positive=self.positive)

    def again(self, chunk: Chunk, at: Ints, *, divide: bool) -> Any:
        """Return the forecasts of rows that were summed before."""
        values = self.values(chunk)
        if not self.ranks:
            values = without_dust(values)
            values = _divided(values) if divide else values
        return self.forecasts_of(at, values, self.weights(chunk))

    def ends(self, chunk: Chunk) -> ScoreEnds:
        """Return the ends of scores that rank."""
        values = self.values(chunk)
        finite = np.isfinite(values)
        if not finite.all():
            return ScoreEnds(-math.inf, math.inf, int((~finite).sum()))
        own = self.forecasts_of(np.zeros(len(values), np.int64), values)
        columns = [own.column(code) for code in scored_columns(own.k, own.positive)]
        return ScoreEnds(min(float(x.min()) for x in columns), max(float(x.max()) for x in columns))

    def classes_of(self, codes: Ints) -> Labels:
        """Return labels that are classes."""
        return Labels(codes, 0, len(self.classes), self.classes, order=self.cells.truth.order)


class TakenProbabilities:
    """Sums of probabilities, chunk after chunk; with `divide`, after the division of rows by their sums."""

    def __init__(self, rows: ScoredRows, divide: bool = False) -> None:
        self._rows, self._divide, self._tally = rows, divide, rows.tally()
        self._said = _Said.nothing(rows)
        self._seen = _Seen.nothing(divide)

    def take(self, chunk: Chunk, at: Ints) -> None:
        """Add rows, given the combination of labels of each."""
        values, weights = without_dust(self._rows.values(chunk)), self._rows.weights(chunk)
        bad, *ends = seen_in_rows(values)
        if bad.any():
            kept = ((values >= 0) & (values <= 1)).all(axis=1)
            values, at = values[kept], at[kept]
            weights = None if weights is None else weights[kept]
        farthest = None
        if self._divide:
            farthest, values = _farthest(values), _divided(values)
        own = self._rows.forecasts_of(at, values, weights)
        self._said.take(at * own.k + own.best, weights)
        self._tally.take(own, self._rows.cells.group_codes[at])
        self._seen += _Seen(bad, (ends[0], ends[1]), farthest)

    def found(self) -> SummedRows:
        """Return the sums."""
        return SummedRows(self._tally.sums(), self._said, self._rows.forecasts.columns, self._seen)


class TakenScores:
    """Sums of scores that rank, between their ends, chunk after chunk."""

    def __init__(self, rows: ScoredRows, ends: tuple[float, float]) -> None:
        self._rows, self._tally = rows, rows.tally(ends)
        self._said = _Said.nothing(rows)

    def take(self, chunk: Chunk, at: Ints) -> None:
        """Add rows, given the combination of labels of each."""
        weights = self._rows.weights(chunk)
        own = self._rows.forecasts_of(at, self._rows.values(chunk), weights)
        self._tally.take(own, self._rows.cells.group_codes[at])
        self._said.take(at, weights)

    def found(self) -> SummedRows:
        """Return the sums."""
        return SummedRows(self._tally.sums(), self._said, self._rows.forecasts.columns)


@dataclass(frozen=True, eq=False)
class ScoreEnds:
    """The least and greatest score; sums of disjoint rows add up.

    Attributes
    ----------
    least, greatest : float
    bad : int
        How many are missing or infinite.
    """

    least: float
    greatest: float
    bad: int = 0

    def __add__(self, other: ScoreEnds) -> ScoreEnds:
        return ScoreEnds(
            min(self.least, other.least), max(self.greatest, other.greatest), self.bad + other.bad
        )

    def checked(self, columns: Sequence[Any]) -> tuple[float, float]:
        """Return the ends; raise if a score is missing or infinite."""
        if self.bad:
            named = ", ".join(map(repr, columns[:4]))
            raise InputError(
                f"scores in {named} are missing or infinite {self.bad:,} times: leave such rows out"
            )
        return self.least, self.greatest


@dataclass(frozen=True, eq=False)
class _Seen:
    """What was seen of the probabilities of some rows; that of disjoint rows adds up.

    Attributes
    ----------
    bad : ndarray of int64 of shape (n_columns,), or 0
        How many entries are no probabilities.
    ends : (float, float)
        Least and greatest sum of a row, as given.
    farthest : ndarray of float64 of shape (7,), or None
        How far a number is from one of single precision, and from one with one to six decimals.
    """

    bad: Any = 0
    ends: tuple[float, float] = (1.0, 1.0)
    farthest: Floats | None = None

    @classmethod
    def nothing(cls, looks_at_decimals: bool) -> _Seen:
        """Return what is seen of no rows."""
        return cls(0, (math.inf, -math.inf), np.zeros(1 + MOST_DECIMALS) if looks_at_decimals else None)

    def __add__(self, other: _Seen) -> _Seen:
        farthest = None
        if self.farthest is not None and other.farthest is not None:
            farthest = np.maximum(self.farthest, other.farthest)
        ends = min(self.ends[0], other.ends[0]), max(self.ends[1], other.ends[1])
        return _Seen(self.bad + other.bad, ends, farthest)


@dataclass(frozen=True, eq=False)
class _Said:
    """Rows of each combination of labels, by likeliest class unless scores only rank; of disjoint rows, they add up.

    Attributes
    ----------
    counts : ndarray of int64 of shape (m, C), or (m, 1)
    weights : ndarray of float64 of shape (2, m, C), or (2, m, 1), or None
        Sums of the weights, and of their squares, if there are any.
    """

    counts: Ints
    weights: Floats | None

    @classmethod
    def nothing(cls, rows: ScoredRows) -> _Said:
        """Return what is said of no rows."""
        shape = rows.cells.counts.size, 1 if rows.ranks else len(rows.classes)
        weights = None if rows.weight is None else np.zeros((2, *shape))
        return cls(np.zeros(shape, np.int64), weights)

    def take(self, at: Ints, weights: Floats | None) -> None:
        """Add rows, given the place of each, in place."""
        np.add.at(self.counts.reshape(-1), at, 1)
        if weights is not None and self.weights is not None:
            for sums, own in zip(self.weights, (weights, weights * weights), strict=True):
                np.add.at(sums.reshape(-1), at, own)

    def __add__(self, other: _Said) -> _Said:
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = self.weights + other.weights
        return _Said(self.counts + other.counts, weights)


@dataclass(frozen=True, eq=False)
class SummedRows:
    """Sums of some rows; those of disjoint rows add up.

    Attributes
    ----------
    sums : ScoreSums
        Without the rows that have no probabilities.
    said : _Said
    columns : sequence of str
    seen : _Seen
    """

    sums: ScoreSums
    said: _Said
    columns: Sequence[Any]
    seen: _Seen = _Seen()

    def __add__(self, other: SummedRows) -> SummedRows:
        return SummedRows(
            self.sums + other.sums, self.said + other.said, self.columns, self.seen + other.seen
        )

    def checked(self, counts: Ints) -> SummedRows:
        """Return itself; raise if entries are no probabilities, or if rows were not counted before."""
        ends, bad = self.seen.ends, np.atleast_1d(self.seen.bad).tolist()
        if len(self.columns) > 1 and are_percentages(*ends):
            raise InputError(f"probabilities add up to {ends[0]:.9g} in a row{PERCENTAGES}")
        for name, n in zip(self.columns, bad, strict=False):
            if n:
                raise InputError(
                    f"column {name!r} has {n:,} entries that are missing or not between 0 and 1: probabilities are "
                    "needed"
                )
        if not np.array_equal(self.said.counts.sum(axis=1), counts):
            raise InputError(CHANGED)
        return self

    @property
    def farthest_sum(self) -> float:
        """The sum of a row that is farthest from 1; 1 if there is only one column."""
        if len(self.columns) < 2:
            return 1.0
        return max(self.seen.ends, key=lambda total: abs(total - 1))

    def rounding(self) -> Rounded | None:
        """Return the rounding that keeps rows from adding up to 1; None if float32 explains it.

        Raises
        ------
        InputError
            If the precision of the numbers cannot explain what the rows add up to.
        """
        assert self.seen.farthest is not None
        (single, *rounded), k = self.seen.farthest.tolist(), len(self.columns)
        off = abs(self.farthest_sum - 1)
        if off <= allowed_by_epsilon(k, _SINGLE if single == 0 else 0.0):
            return None
        dust = max(DUST, _SINGLE * (single == 0))
        decimals = next((d for d, far in enumerate(rounded, 1) if far <= dust), None)
        if decimals is None or off > allowed_by_decimals(k, decimals) or self.seen.ends[0] <= 0:
            raise InputError(f"probabilities add up to {self.farthest_sum:.9g} in a row{SUMS_REMEDY}")
        return Rounded(None, decimals)


def _divided(values: Floats) -> Floats:
    """Divide rows of probabilities by their sums, unless these are 1 but for rounding."""
    total = values.sum(axis=1)
    off = np.abs(total - 1) > TOLERANCE
    return np.asarray(values / np.where(off & (total > 0), total, 1.0)[:, None])


def _farthest(values: Floats) -> Floats:
    """Return how far numbers are from those of single precision, and from those with one to six decimals."""
    near: list[Any] = [values.astype(np.float32), *(np.round(values, d) for d in range(1, MOST_DECIMALS + 1))]
    return np.array([np.abs(own - values).max(initial=0.0) for own in near])
