"""A classifier's probabilities, or scores that rank, in a table: labels are counted, and scores summed chunk by chunk.

A GROUP BY of the labels tells the classes and groups; with these fixed, chunks are summed where the rows are. Rows of
probabilities that do not add up to 1 are read again, and divided by their sums if rounding explains it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.chunks import Chunk, map_chunks
from adjudge.engines.frames.counting import (
    FrameTable,
    LabelCells,
    count_cells,
    kept_rows,
    numbers_of,
    too_many_in_units,
)
from adjudge.errors import InputError, TooManyCombinationsError
from adjudge.given.alignment import align_labels
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.groups import crossed_groups
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels
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
from adjudge.given.units import Units
from adjudge.kernels.scores import seen_in_rows
from adjudge.statistics.classes import class_positions
from adjudge.statistics.forecasts import (
    DecisionForecasts,
    Forecasts,
    ProbabilityForecasts,
    classes_of_columns,
)
from adjudge.statistics.making import Made
from adjudge.statistics.score_sums import (
    ScoreSums,
    ScoreTally,
    bin_of_probability,
    bin_of_score,
    scored_columns,
)

__all__ = ["Reading", "SummedTable", "read_again", "sum_forecasts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SINGLE = float(np.finfo(np.float32).eps)
_CHANGED = "the table's rows changed between two readings: write them to a file first"


@dataclass(frozen=True, eq=False)
class SummedTable:
    """What an engine returns about a classifier in a table.

    Attributes
    ----------
    sums : ScoreSums
    groups : Labels or None
        The groups, by their codes in the sums.
    labels : dict of str to Labels
        "truth" and "pred", one for each combination of labels (and groups); no "pred" if scores only rank and no
        column was named.
    label_groups : ndarray of int64
        Group of each combination.
    counts : ndarray of int64
        Rows of each combination.
    are_likeliest : bool
        Whether the predicted labels are the likeliest classes.
    scored : ScoredClass or None
        The class of a single column, and how it was chosen; None if each class had a column.
    contradicted : float
        Share of the rows whose given label is not the likeliest class; nan if unknown.
    rounded : Rounded or None
        Why rows of probabilities were divided by their sums; None if they were not.
    reading : Reading or None
        How the rows are read again; None in a copy from a pickle.
    units : Units or None
        The unit of each combination, if units were asked for.
    known : dict
        The statistics of some groups that were made.
    """

    sums: ScoreSums
    groups: Labels | None
    labels: dict[str, Labels]
    label_groups: Ints
    counts: Ints
    are_likeliest: bool
    scored: ScoredClass | None = None
    contradicted: float = math.nan
    rounded: Rounded | None = None
    reading: Reading | None = None
    units: Units | None = None
    known: dict[tuple[int, ...], Mapping[type, Any]] = field(default_factory=dict)

    @property
    def every_group(self) -> tuple[int, ...]:
        """The codes of all groups."""
        return tuple(range(len(self.sums.sizes)))

    def statistics(self, groups: tuple[int, ...]) -> Mapping[type, Any]:
        """Return the statistics of the scores in some groups for which the sums suffice."""
        if groups not in self.known:
            self.known[groups] = Made(self.sums.where(list(groups)).statistics())
        return self.known[groups]

    def __getstate__(self) -> dict[str, Any]:
        """Leave the table out of a pickle: a connection to it cannot be in one."""
        return {**vars(self), "reading": None}


def sum_forecasts(
    table: FrameTable,
    truth: Any,
    forecasts: ForecastColumns,
    *,
    pred: Any = None,
    grouping: Sequence[Any] = (),
    positive: Any = None,
    missing: str = "raise",
    units: Any = None,
) -> SummedTable:
    """Add up a classifier's probabilities, or its ranking scores.

    Parameters
    ----------
    table : FrameTable
    truth : str
    forecasts : ForecastColumns
    pred : str, optional
        Column with the predicted labels; default: the likeliest classes.
    grouping : sequence of str
        Columns that define groups.
    positive : object, optional
        The positive class; default: the second of two.
    missing : {"raise", "drop"}
        Whether rows with a missing label are an error or left out.
    units : str, optional
        Column with the unit of each row, for intervals.
    """
    keys = [truth, *([] if pred is None else [pred]), *grouping, *([] if units is None else [units])]
    schema = table.frame.collect_schema()
    for name, own in zip(forecasts.columns, table.own(forecasts.columns), strict=True):
        forecasts.check_type(name, schema[own])
    if missing == "drop":  # a row that lacks a label, or a score, is left out of all queries
        table = kept_rows(table, [*keys, *forecasts.columns], LabelOptions(missing))
    try:
        cells = count_cells(table, keys, missing=missing)
    except TooManyCombinationsError as error:
        raise error if units is None else too_many_in_units(units) from error
    forecasts = forecasts.as_in(code_labels(cells.labels[truth], "labels_true"))
    coded = _Coded.of(cells, truth, pred, grouping, forecasts, positive, units)
    rows = _Rows(coded, keys, forecasts)

    def added(make: Callable[[Iterable[Chunk]], Any]) -> Any:
        return map_chunks(table, [*keys, *forecasts.columns], forecasts.columns, make)

    ends, rounded, divide = None, None, False
    if rows.ranks:
        seen = added(rows.ends)
        seen.check(forecasts.columns)
        ends = seen.least, seen.greatest
        found = added(partial(rows.summed_scores, ends=ends)).checked(coded.counts)
    else:
        found = added(rows.summed).checked(coded.counts)
        if abs(found.farthest_sum - 1) > TOLERANCE:
            divided = added(partial(rows.summed, divide=True))
            rounded = divided.rounding()
            divide = rounded is not None
            found = divided.checked(coded.counts) if divide else found
    reading = Reading(table, rows, np.cumsum(found.said.ravel() > 0) - 1, ends, divide)
    return replace(coded.summed(found, ranks=rows.ranks), rounded=rounded, reading=reading)


@dataclass(frozen=True, eq=False)
class Reading:
    """How rows whose sums are known are read again.

    Attributes
    ----------
    table : FrameTable
    rows : _Rows
    places : ndarray of int64
        The position in the result of each combination of labels; of probabilities, with each likeliest class.
    ends : (float, float) or None
        Least and greatest of scores that rank; None for probabilities.
    divide : bool
        Whether rows of probabilities are divided by their sums.
    """

    table: FrameTable
    rows: _Rows
    places: Ints
    ends: tuple[float, float] | None
    divide: bool = False

    def bins(self) -> Callable[[Floats], Ints]:
        """Return what finds the bins of scores."""
        return bin_of_probability if self.ends is None else partial(_bin_between, ends=self.ends)


def _bin_between(x: Floats, ends: tuple[float, float]) -> Ints:
    return bin_of_score(x, *ends)


def read_again(tables: Sequence[SummedTable], make: Callable[[Iterable[Any]], Any]) -> Any:
    """Add up what is made of chunks of the rows: of forecasts, one for each of some models, and more of each row.

    That is its group, and the position of its combination of labels in the first of the tables.

    Parameters
    ----------
    tables : sequence of SummedTable
        Of the same rows.
    make : callable
        See :func:`map_chunks`.
    """
    readings = [own.reading for own in tables if own.reading is not None]
    rows = [own.rows for own in readings]
    named = list(dict.fromkeys(name for own in rows for name in own.forecasts.columns))
    divide, places = [own.divide for own in readings], readings[0].places
    read = partial(_made_of, rows=rows, divide=divide, places=places, make=make)
    found = map_chunks(readings[0].table, [*rows[0].keys, *named], named, read)
    if found.n != int(rows[0].coded.counts.sum()):
        raise InputError(_CHANGED)
    return found


def _made_of(
    chunks: Iterable[Chunk], rows: Sequence[_Rows], divide: Sequence[bool], places: Ints, make: Any
) -> Any:
    def parts() -> Iterator[Any]:
        for chunk in chunks:
            read = [own.forecasts_of(chunk, divide=each) for own, each in zip(rows, divide, strict=True)]
            first, at = read[0]
            of_said = at if rows[0].ranks else at * first.k + first.best
            yield [own for own, _ in read], rows[0].coded.groups[at], places[of_said]

    return make(parts())


@dataclass(frozen=True, eq=False)
class _Coded:
    """The combinations of labels that occur, coded.

    Attributes
    ----------
    classes : sequence
    positive : int or None
    truth, groups : ndarray of int64
        Class and group of each combination.
    truth_labels : Labels
    prediction, group_labels : Labels or None
    units : Units or None
    scored : ScoredClass or None
        The class of a single column; None if each class has a column.
    counts : ndarray of int64
        Rows of each combination.
    codes : list of ndarray of int64
        Code of each combination in each column of labels.
    known : list of dict
        The codes in each of these columns, by label.
    """

    classes: Sequence[Any]
    positive: int | None
    truth: Ints
    groups: Ints
    truth_labels: Labels
    prediction: Labels | None
    group_labels: Labels | None
    units: Units | None
    scored: ScoredClass | None
    counts: Ints
    codes: list[Ints]
    known: list[dict[Any, int]]

    @classmethod
    def of(
        cls,
        cells: LabelCells,
        truth: Any,
        pred: Any,
        grouping: Sequence[Any],
        given: ForecastColumns,
        positive: Any,
        units: Any = None,
    ) -> _Coded:
        vectors = {"labels_true": cells.labels[truth]}
        if pred is not None:
            vectors["labels_pred"] = cells.labels[pred]
        beside = [*grouping, *([] if units is None else [units])]
        columns = {f"\0{i}": cells.labels[name] for i, name in enumerate(beside)}
        labels = align_labels({**vectors, **columns}).labels
        groups = crossed_groups(labels[len(vectors) :][: len(grouping)])
        dense = [own.dense() for own in labels]
        codes, occurring = dense[0]
        classes = classes_of_columns(occurring, given.classes, given.n_classes, given.option)
        sizes = np.bincount(codes, cells.counts, len(occurring)).astype(np.int64)
        return cls(
            classes,
            positive_position(classes, positive),
            class_positions(occurring, classes, sizes, "labels_true")[codes],
            np.zeros(codes.size, np.int64) if groups is None else groups.dense()[0],
            labels[0],
            None if pred is None else labels[1],
            groups,
            None if units is None else Units.of(labels[-1]),
            scored_class(classes, positive, given.column) if len(given.columns) == 1 else None,
            cells.counts,
            [own for own, _ in dense],
            [{label: i for i, label in enumerate(names)} for _, names in dense],
        )

    @cached_property
    def _steps(self) -> tuple[list[Ints], Ints]:
        """The combinations of the first columns that occur, for each number of columns; the place of each of all."""
        known, steps = np.zeros(self.counts.size, np.int64), []
        for codes, place in zip(self.codes, self.known, strict=True):
            distinct, known = np.unique(known * len(place) + codes, return_inverse=True)
            steps.append(distinct)
        of_code = np.empty(known.size, np.int64)
        of_code[known] = np.arange(known.size)
        return steps, of_code

    def combinations(self, columns: Sequence[Any]) -> Ints:
        """Return the combination of labels of each row of a chunk, given its columns of labels."""
        steps, of_code = self._steps
        found: Any = 0
        for step, place, column in zip(steps, self.known, columns, strict=True):
            own, names = align_labels({"labels_true": column.to_native()}).labels[0].dense()
            if not all(name in place for name in names):
                raise InputError(_CHANGED)
            keys = found * len(place) + np.array([place[name] for name in names], np.int64)[own]
            found = keys
            if step[-1] >= step.size:  # some combinations do not occur
                found = np.minimum(np.searchsorted(step, keys), step.size - 1)
                if not np.array_equal(step[found], keys):
                    raise InputError(_CHANGED)
        return np.asarray(of_code[found])

    def summed(self, found: _Summed, *, ranks: bool) -> SummedTable:
        """Return the result; the likeliest classes take the place of labels, unless scores only rank."""
        at, said = map(np.ascontiguousarray, np.nonzero(found.said))
        counts, contradicted, derives = found.said[at, said], math.nan, False
        labels = {"truth": self._classes_of(self.truth[at])}
        if self.prediction is not None:
            labels = {"truth": self.truth_labels.take(at), "pred": self.prediction.take(at)}
            codes, given = self.prediction.dense()
            places = {label: i for i, label in enumerate(self.classes)}
            differs = np.array([places.get(label, -1) for label in given], np.int64)[codes[at]] != said
            contradicted = math.nan if ranks else float(np.average(differs, weights=counts))
        elif not ranks:
            labels["pred"], derives = self._classes_of(said), True
        return SummedTable(
            found.sums,
            self.group_labels,
            labels,
            self.groups[at],
            counts,
            derives,
            self.scored,
            contradicted,
            units=None if self.units is None else self.units.take(at),
        )

    def _classes_of(self, codes: Ints) -> Labels:
        return Labels(codes, 0, len(self.classes), self.classes, order=self.truth_labels.order)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Sums the rows of chunks, given how labels are coded.

    Attributes
    ----------
    coded : _Coded
    keys : list of str
        Columns of labels and groups.
    forecasts : ForecastColumns
    """

    coded: _Coded
    keys: Sequence[Any]
    forecasts: ForecastColumns

    def summed(self, chunks: Iterable[Chunk], *, divide: bool = False) -> _Summed:
        """Sum probabilities; with `divide`, after the division of rows by their sums."""
        tally, k = self._tally(), len(self.coded.classes)
        said, seen = np.zeros(self.coded.counts.size * k, np.int64), _Seen.nothing(divide)
        for chunk in chunks:
            values, at = without_dust(self._values(chunk)), self._combinations(chunk)
            bad, *ends = seen_in_rows(values)
            if bad.any():
                kept = ((values >= 0) & (values <= 1)).all(axis=1)
                values, at = values[kept], at[kept]
            farthest = None
            if divide:
                farthest, values = _farthest(values), _divided(values)
            own = self._forecasts(ProbabilityForecasts, at, values)
            np.add.at(said, at * k + own.best, 1)
            tally.take(own, self.coded.groups[at])
            seen += _Seen(bad, (ends[0], ends[1]), farthest)
        return _Summed(tally.sums(), said.reshape(-1, k), self.forecasts.columns, seen)

    @property
    def ranks(self) -> bool:
        """Whether scores only rank."""
        return not self.forecasts.are_probabilities

    def forecasts_of(self, chunk: Chunk, *, divide: bool) -> tuple[Any, Ints]:
        """Return the forecasts of rows that were summed before, and the combination of labels of each."""
        values, at = self._values(chunk), self._combinations(chunk)
        if self.ranks:
            return self._forecasts(DecisionForecasts, at, values), at
        values = without_dust(values)
        return self._forecasts(ProbabilityForecasts, at, _divided(values) if divide else values), at

    def ends(self, chunks: Iterable[Chunk]) -> _Ends:
        """Return the ends of scores that rank."""
        return reduce(operator.add, map(self._ends_of, chunks), _Ends(math.inf, -math.inf))

    def _ends_of(self, chunk: Chunk) -> _Ends:
        values = self._values(chunk)
        finite = np.isfinite(values)
        if not finite.all():
            return _Ends(-math.inf, math.inf, int((~finite).sum()))
        own = self._forecasts(DecisionForecasts, np.zeros(len(values), np.int64), values)
        columns = [own.column(code) for code in scored_columns(own.k, own.positive)]
        return _Ends(min(float(x.min()) for x in columns), max(float(x.max()) for x in columns))

    def summed_scores(self, chunks: Iterable[Chunk], *, ends: tuple[float, float]) -> _Summed:
        """Sum scores that rank, between these ends."""
        tally = self._tally(ends)
        counts = np.zeros(self.coded.counts.size, np.int64)
        for chunk in chunks:
            at = self._combinations(chunk)
            tally.take(self._forecasts(DecisionForecasts, at, self._values(chunk)), self.coded.groups[at])
            np.add.at(counts, at, 1)
        return _Summed(tally.sums(), counts[:, None], self.forecasts.columns)

    def _tally(self, ends: tuple[float, float] | None = None) -> ScoreTally:
        n_groups = int(self.coded.groups.max()) + 1
        return ScoreTally(self.coded.classes, self.coded.positive, n_groups, ends)

    def _values(self, chunk: Chunk) -> Floats:
        return np.column_stack([numbers_of(chunk[name]) for name in self.forecasts.columns])

    def _combinations(self, chunk: Chunk) -> Ints:
        return self.coded.combinations([chunk[name] for name in self.keys])

    def _forecasts(self, kind: type[Forecasts], at: Ints, values: Floats) -> Any:
        coded = self.coded
        if coded.scored is not None:
            values = kind.of_second(values[:, 0], coded.scored)
        return kind(coded.classes, coded.truth[at], values, positive=coded.positive)


@dataclass(frozen=True, eq=False)
class _Ends:
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

    def __add__(self, other: _Ends) -> _Ends:
        return _Ends(min(self.least, other.least), max(self.greatest, other.greatest), self.bad + other.bad)

    def check(self, columns: Sequence[Any]) -> None:
        """Raise if a score is missing or infinite."""
        if self.bad:
            named = ", ".join(map(repr, columns[:4]))
            raise InputError(
                f"scores in {named} are missing or infinite {self.bad:,} times: leave such rows out"
            )


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
class _Summed:
    """Sums of some rows; those of disjoint rows add up.

    Attributes
    ----------
    sums : ScoreSums
        Without the rows that have no probabilities.
    said : ndarray of int64 of shape (m, C), or (m, 1) for scores that rank
        Rows of each combination of labels, by likeliest class.
    columns : sequence of str
    seen : _Seen
    """

    sums: ScoreSums
    said: Ints
    columns: Sequence[Any]
    seen: _Seen = _Seen()

    def __add__(self, other: _Summed) -> _Summed:
        return _Summed(self.sums + other.sums, self.said + other.said, self.columns, self.seen + other.seen)

    def checked(self, counts: Ints) -> _Summed:
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
        if not np.array_equal(self.said.sum(axis=1), counts):
            raise InputError(_CHANGED)
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
