"""A classifier's probabilities, or scores that rank, in a table: labels are counted, and scores summed chunk by chunk.

A GROUP BY of the labels tells the classes and groups; with these fixed, chunks are summed where the rows are. Rows of
probabilities that do not add up to 1 are read again, and divided by their sums if rounding explains it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.chunks import Chunk, map_chunks
from adjudge.engines.frames.coded_cells import CHANGED, CodedCells
from adjudge.engines.frames.counting import (
    FrameTable,
    count_cells,
    kept_rows,
    numbers_of,
    too_many_in_units,
)
from adjudge.errors import InputError, TooManyCombinationsError
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.label_options import LabelOptions
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
    MOST_PLACES,
    ScoreSums,
    ScoreTally,
    bin_of_probability,
    bin_of_score,
    places_of_scores,
    scored_columns,
)

__all__ = ["Reading", "SummedTable", "read_again", "sum_forecasts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SINGLE = float(np.finfo(np.float32).eps)


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
    forecasts: Mapping[Any, ForecastColumns],
    *,
    pred: Any = None,
    grouping: Sequence[Any] = (),
    positive: Any = None,
    missing: str = "raise",
    units: Any = None,
) -> dict[Any, SummedTable]:
    """Add up the probabilities, or the ranking scores, of classifiers.

    Parameters
    ----------
    table : FrameTable
    truth : str
    forecasts : mapping of ForecastColumns
        Of each classifier, all probabilities or all scores.
    pred : str, optional
        Column with the predicted labels of all; default: the likeliest classes.
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
    schema, named = table.frame.collect_schema(), _columns_of(forecasts.values())
    for each in forecasts.values():
        for name, own in zip(each.columns, table.own(each.columns), strict=True):
            each.check_type(name, schema[own])
    table = table.some_columns([*keys, *named])
    if missing == "drop":  # a row that lacks a label, or a score, is left out of all queries
        table = kept_rows(table, [*keys, *named], LabelOptions(missing))
    try:
        counted = count_cells(table, keys, missing=missing)
    except TooManyCombinationsError as error:
        raise error if units is None else too_many_in_units(units) from error
    cells = CodedCells.of(counted, truth, pred, grouping, units)
    rows = {name: _Rows.of(cells, own.as_in(cells.truth), positive) for name, own in forecasts.items()}
    found = dict[Any, SummedTable]()
    for some in _turns(rows):
        found |= zip(some, _summed(table, cells, [rows[name] for name in some]), strict=True)
    return found


def _columns_of(forecasts: Iterable[ForecastColumns]) -> list[Any]:
    return list(dict.fromkeys(name for own in forecasts for name in own.columns))


def _turns(rows: Mapping[Any, _Rows]) -> list[list[Any]]:
    """Return which models are summed in the same reading: as many as memory has places for."""
    found: list[list[Any]] = [[]]
    places = 0
    for name, own in rows.items():
        places += own.n_places
        if found[-1] and places > MOST_PLACES:
            found.append([])
            places = own.n_places
        found[-1].append(name)
    return found


def _summed(table: FrameTable, cells: CodedCells, rows: Sequence[_Rows]) -> list[SummedTable]:
    """Sum the scores of some models, in one reading of the rows, or in two."""

    def added(models: Sequence[_Rows], make: Callable[[Iterable[Chunk]], _Each]) -> list[Any]:
        named = _columns_of(own.forecasts for own in models)
        return map_chunks(table, [*cells.keys, *named], named, make).found

    def summed(models: Sequence[_Rows], making: Sequence[Callable[[], Any]]) -> list[Any]:
        return added(models, partial(_taken, cells=cells, making=making))

    if rows[0].ranks:
        seen = added(rows, partial(_ends_of, rows=rows))
        ends = [one.checked(own.forecasts.columns) for own, one in zip(rows, seen, strict=True)]
        found = summed(rows, [partial(_TakenScores, *both) for both in zip(rows, ends, strict=True)])
        return [own.complete(table, one, ends=end) for own, one, end in zip(rows, found, ends, strict=True)]
    found = summed(rows, [partial(_TakenProbabilities, own) for own in rows])
    for one in found:
        one.checked(cells.counts)

    off = [i for i, one in enumerate(found) if abs(one.farthest_sum - 1) > TOLERANCE]
    rounded: dict[int, Rounded | None] = {}
    if off:
        some = [rows[i] for i in off]
        divided = summed(some, [partial(_TakenProbabilities, own, divide=True) for own in some])
        for i, one in zip(off, divided, strict=True):
            rounded[i] = one.rounding()
            found[i] = found[i] if rounded[i] is None else one
    return [
        own.complete(table, one, rounded=rounded.get(i))
        for i, (own, one) in enumerate(zip(rows, found, strict=True))
    ]


@dataclass(frozen=True, eq=False)
class _Each:
    """What was made of some rows for each of several models; that of disjoint rows adds up."""

    found: list[Any]

    def __add__(self, other: _Each) -> _Each:
        return _Each([own + more for own, more in zip(self.found, other.found, strict=True)])


def _taken(chunks: Iterable[Chunk], cells: CodedCells, making: Sequence[Callable[[], Any]]) -> _Each:
    each = [make() for make in making]
    for chunk in chunks:
        at = cells.combinations(chunk)
        for own in each:
            own.take(chunk, at)
    return _Each([own.found() for own in each])


def _ends_of(chunks: Iterable[Chunk], rows: Sequence[_Rows]) -> _Each:
    found = _Each([_Ends(math.inf, -math.inf) for _ in rows])
    return sum((_Each([own.ends(chunk) for own in rows]) for chunk in chunks), found)


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
    cells, named = rows[0].cells, _columns_of(own.forecasts for own in rows)
    divide, places = [own.divide for own in readings], readings[0].places
    read = partial(_made_of, rows=rows, divide=divide, places=places, make=make)
    found = map_chunks(readings[0].table, [*cells.keys, *named], named, read)
    if found.n != int(cells.counts.sum()):
        raise InputError(CHANGED)
    return found


def _made_of(
    chunks: Iterable[Chunk], rows: Sequence[_Rows], divide: Sequence[bool], places: Ints, make: Any
) -> Any:
    cells = rows[0].cells

    def parts() -> Iterator[Any]:
        for chunk in chunks:
            at = cells.combinations(chunk)
            read = [own.again(chunk, at, divide=each) for own, each in zip(rows, divide, strict=True)]
            of_said = at if rows[0].ranks else at * read[0].k + read[0].best
            yield read, cells.group_codes[at], places[of_said]

    return make(parts())


@dataclass(frozen=True, eq=False)
class _Rows:
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
    """

    cells: CodedCells
    forecasts: ForecastColumns
    classes: Sequence[Any]
    positive: int | None
    truth: Ints
    scored: ScoredClass | None

    @classmethod
    def of(cls, cells: CodedCells, given: ForecastColumns, positive: Any) -> _Rows:
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
        return ScoreTally(self.classes, self.positive, self.n_groups, ends)

    def values(self, chunk: Chunk) -> Floats:
        """Return the scores of rows, as given."""
        return np.column_stack([numbers_of(chunk[name]) for name in self.forecasts.columns])

    def forecasts_of(self, at: Ints, values: Floats) -> Any:
        """Return the forecasts of rows, given the combination of each."""
        kind: type[Forecasts] = DecisionForecasts if self.ranks else ProbabilityForecasts
        if self.scored is not None:
            values = kind.of_second(values[:, 0], self.scored)
        return kind(self.classes, self.truth[at], values, positive=self.positive)

    def again(self, chunk: Chunk, at: Ints, *, divide: bool) -> Any:
        """Return the forecasts of rows that were summed before."""
        values = self.values(chunk)
        if not self.ranks:
            values = without_dust(values)
            values = _divided(values) if divide else values
        return self.forecasts_of(at, values)

    def ends(self, chunk: Chunk) -> _Ends:
        """Return the ends of scores that rank."""
        values = self.values(chunk)
        finite = np.isfinite(values)
        if not finite.all():
            return _Ends(-math.inf, math.inf, int((~finite).sum()))
        own = self.forecasts_of(np.zeros(len(values), np.int64), values)
        columns = [own.column(code) for code in scored_columns(own.k, own.positive)]
        return _Ends(min(float(x.min()) for x in columns), max(float(x.max()) for x in columns))

    def complete(
        self,
        table: FrameTable,
        found: _Summed,
        ends: tuple[float, float] | None = None,
        rounded: Rounded | None = None,
    ) -> SummedTable:
        """Return the result; the likeliest classes take the place of labels, unless scores only rank."""
        cells = self.cells
        found.checked(cells.counts)
        at, said = map(np.ascontiguousarray, np.nonzero(found.said))
        counts, contradicted, derives = found.said[at, said], math.nan, False
        labels = {"truth": self._classes_of(self.truth[at])}
        if cells.prediction is not None:
            labels = {"truth": cells.truth.take(at), "pred": cells.prediction.take(at)}
            codes, given = cells.prediction.dense()
            places = {label: i for i, label in enumerate(self.classes)}
            differs = np.array([places.get(label, -1) for label in given], np.int64)[codes[at]] != said
            contradicted = math.nan if self.ranks else float(np.average(differs, weights=counts))
        elif not self.ranks:
            labels["pred"], derives = self._classes_of(said), True
        return SummedTable(
            found.sums,
            cells.groups,
            labels,
            cells.group_codes[at],
            counts,
            derives,
            self.scored,
            contradicted,
            rounded,
            Reading(table, self, np.cumsum(found.said.ravel() > 0) - 1, ends, rounded is not None),
            None if cells.units is None else cells.units.take(at),
        )

    def _classes_of(self, codes: Ints) -> Labels:
        return Labels(codes, 0, len(self.classes), self.classes, order=self.cells.truth.order)


class _TakenProbabilities:
    """Sums of probabilities, chunk after chunk; with `divide`, after the division of rows by their sums."""

    def __init__(self, rows: _Rows, divide: bool = False) -> None:
        self._rows, self._divide, self._tally = rows, divide, rows.tally()
        self._said = np.zeros(rows.cells.counts.size * len(rows.classes), np.int64)
        self._seen = _Seen.nothing(divide)

    def take(self, chunk: Chunk, at: Ints) -> None:
        """Add rows, given the combination of labels of each."""
        values = without_dust(self._rows.values(chunk))
        bad, *ends = seen_in_rows(values)
        if bad.any():
            kept = ((values >= 0) & (values <= 1)).all(axis=1)
            values, at = values[kept], at[kept]
        farthest = None
        if self._divide:
            farthest, values = _farthest(values), _divided(values)
        own = self._rows.forecasts_of(at, values)
        np.add.at(self._said, at * own.k + own.best, 1)
        self._tally.take(own, self._rows.cells.group_codes[at])
        self._seen += _Seen(bad, (ends[0], ends[1]), farthest)

    def found(self) -> _Summed:
        """Return the sums."""
        said = self._said.reshape(-1, len(self._rows.classes))
        return _Summed(self._tally.sums(), said, self._rows.forecasts.columns, self._seen)


class _TakenScores:
    """Sums of scores that rank, between their ends, chunk after chunk."""

    def __init__(self, rows: _Rows, ends: tuple[float, float]) -> None:
        self._rows, self._tally = rows, rows.tally(ends)
        self._said = np.zeros(rows.cells.counts.size, np.int64)

    def take(self, chunk: Chunk, at: Ints) -> None:
        """Add rows, given the combination of labels of each."""
        own = self._rows.forecasts_of(at, self._rows.values(chunk))
        self._tally.take(own, self._rows.cells.group_codes[at])
        np.add.at(self._said, at, 1)

    def found(self) -> _Summed:
        """Return the sums."""
        return _Summed(self._tally.sums(), self._said[:, None], self._rows.forecasts.columns)


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
