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
    rows_that_weigh,
    too_many_in_units,
)
from adjudge.engines.frames.scored_rows import (
    ScoredRows,
    ScoreEnds,
    SummedRows,
    TakenProbabilities,
    TakenScores,
    instances_of,
)
from adjudge.errors import InputError, TooManyCombinationsError
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.positive import ScoredClass
from adjudge.given.row_sums import (
    TOLERANCE,
    Rounded,
)
from adjudge.given.units import Units
from adjudge.given.weights import WeightSums
from adjudge.statistics.making import Made
from adjudge.statistics.score_sums import (
    MOST_PLACES,
    ScoreSums,
    bin_of_probability,
    bin_of_score,
)

__all__ = ["Reading", "SummedTable", "read_again", "sum_forecasts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    weights : WeightSums or None
        Their weights, if they have any.
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
    weights: WeightSums | None
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
    weight: Any = None,
    repeats: bool = False,
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
    weight : str, optional
        Column with the weight of each row; those of weight 0 are left out.
    repeats : bool
        Whether a weight is the number of instances that a row stands for.
    """
    keys = [truth, *([] if pred is None else [pred]), *grouping, *([] if units is None else [units])]
    schema, named = table.frame.collect_schema(), _columns_of(forecasts.values())
    for each in forecasts.values():
        for name, own in zip(each.columns, table.own(each.columns), strict=True):
            each.check_type(name, schema[own])
    table = table.some_columns([*keys, *named, *([] if weight is None else [weight])])
    if missing == "drop":  # a row that lacks a label, or a score, is left out of all queries
        table = kept_rows(table, [*keys, *named], LabelOptions(missing))
    try:
        counted = count_cells(table, keys, missing=missing, weight=weight)
    except TooManyCombinationsError as error:
        raise error if units is None else too_many_in_units(units) from error
    times = None
    if weight is not None:
        table = rows_that_weigh(table, weight)
    if repeats:
        counted, times, weight = counted.repeated(), weight, None
    cells = CodedCells.of(counted, truth, pred, grouping, units)
    rows = {
        name: ScoredRows.of(cells, own.as_in(cells.truth), positive, weight, times)
        for name, own in forecasts.items()
    }
    found = dict[Any, SummedTable]()
    for some in _turns(rows):
        found |= zip(some, _summed(table, cells, [rows[name] for name in some]), strict=True)
    return found


def _columns_of(forecasts: Iterable[ForecastColumns]) -> list[Any]:
    return list(dict.fromkeys(name for own in forecasts for name in own.columns))


def _numbers_of(rows: Sequence[ScoredRows]) -> list[Any]:
    """Return the columns of numbers that are read of some models: their scores, and the weights of rows."""
    weights = [name for own in rows for name in (own.weight, own.times) if name is not None]
    return list(dict.fromkeys([*_columns_of(own.forecasts for own in rows), *weights]))


def _turns(rows: Mapping[Any, ScoredRows]) -> list[list[Any]]:
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


def _summed(table: FrameTable, cells: CodedCells, rows: Sequence[ScoredRows]) -> list[SummedTable]:
    """Sum the scores of some models, in one reading of the rows, or in two."""

    def added(models: Sequence[ScoredRows], make: Callable[[Iterable[Chunk]], _Each]) -> list[Any]:
        named = _numbers_of(models)
        return map_chunks(table, [*cells.keys, *named], named, make).found

    def summed(models: Sequence[ScoredRows], making: Sequence[Callable[[], Any]]) -> list[Any]:
        return added(models, partial(_taken, cells=cells, making=making, times=models[0].times))

    if rows[0].ranks:
        seen = added(rows, partial(_ends_of, rows=rows))
        ends = [one.checked(own.forecasts.columns) for own, one in zip(rows, seen, strict=True)]
        found = summed(rows, [partial(TakenScores, *both) for both in zip(rows, ends, strict=True)])
        return [_complete(own, table, one, ends=end) for own, one, end in zip(rows, found, ends, strict=True)]
    found = summed(rows, [partial(TakenProbabilities, own) for own in rows])
    for one in found:
        one.checked(cells.counts)

    off = [i for i, one in enumerate(found) if abs(one.farthest_sum - 1) > TOLERANCE]
    rounded: dict[int, Rounded | None] = {}
    if off:
        some = [rows[i] for i in off]
        divided = summed(some, [partial(TakenProbabilities, own, divide=True) for own in some])
        for i, one in zip(off, divided, strict=True):
            rounded[i] = one.rounding()
            found[i] = found[i] if rounded[i] is None else one
    return [
        _complete(own, table, one, rounded=rounded.get(i))
        for i, (own, one) in enumerate(zip(rows, found, strict=True))
    ]


def _complete(
    rows: ScoredRows,
    table: FrameTable,
    found: SummedRows,
    ends: tuple[float, float] | None = None,
    rounded: Rounded | None = None,
) -> SummedTable:
    """Return the result; the likeliest classes take the place of labels, unless scores only rank."""
    cells = rows.cells
    found.checked(cells.counts)
    at, said = map(np.ascontiguousarray, np.nonzero(found.said.counts))
    counts, contradicted, derives = found.said.counts[at, said], math.nan, False
    weights = None
    if cells.weights is not None and found.said.weights is not None:
        sums, squares = found.said.weights[:, at, said]
        weights = WeightSums(sums, squares, cells.weights.fraction)
    labels = {"truth": rows.classes_of(rows.truth[at])}
    if cells.prediction is not None:
        labels = {"truth": cells.truth.take(at), "pred": cells.prediction.take(at)}
        codes, given = cells.prediction.dense()
        places = {label: i for i, label in enumerate(rows.classes)}
        of_each = counts if weights is None else weights.sums
        differs = np.array([places.get(label, -1) for label in given], np.int64)[codes[at]] != said
        contradicted = math.nan if rows.ranks else float(np.average(differs, weights=of_each))
    elif not rows.ranks:
        labels["pred"], derives = rows.classes_of(said), True
    return SummedTable(
        found.sums,
        cells.groups,
        labels,
        cells.group_codes[at],
        counts,
        weights,
        derives,
        rows.scored,
        contradicted,
        rounded,
        Reading(table, rows, np.cumsum(found.said.counts.ravel() > 0) - 1, ends, rounded is not None),
        None if cells.units is None else cells.units.take(at),
    )


@dataclass(frozen=True, eq=False)
class _Each:
    """What was made of some rows for each of several models; that of disjoint rows adds up."""

    found: list[Any]

    def __add__(self, other: _Each) -> _Each:
        return _Each([own + more for own, more in zip(self.found, other.found, strict=True)])


def _taken(
    chunks: Iterable[Chunk], cells: CodedCells, making: Sequence[Callable[[], Any]], times: Any
) -> _Each:
    each = [make() for make in making]
    for chunk in instances_of(chunks, times):
        at = cells.combinations(chunk)
        for own in each:
            own.take(chunk, at)
    return _Each([own.found() for own in each])


def _ends_of(chunks: Iterable[Chunk], rows: Sequence[ScoredRows]) -> _Each:
    found = _Each([ScoreEnds(math.inf, -math.inf) for _ in rows])
    return sum((_Each([own.ends(chunk) for own in rows]) for chunk in chunks), found)


@dataclass(frozen=True, eq=False)
class Reading:
    """How rows whose sums are known are read again.

    Attributes
    ----------
    table : FrameTable
    rows : ScoredRows
    places : ndarray of int64
        The position in the result of each combination of labels; of probabilities, with each likeliest class.
    ends : (float, float) or None
        Least and greatest of scores that rank; None for probabilities.
    divide : bool
        Whether rows of probabilities are divided by their sums.
    """

    table: FrameTable
    rows: ScoredRows
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
    cells, named = rows[0].cells, _numbers_of(rows)
    divide, places = [own.divide for own in readings], readings[0].places
    read = partial(_made_of, rows=rows, divide=divide, places=places, make=make)
    found = map_chunks(readings[0].table, [*cells.keys, *named], named, read)
    if found.n != int(cells.counts.sum()):
        raise InputError(CHANGED)
    return found


def _made_of(
    chunks: Iterable[Chunk], rows: Sequence[ScoredRows], divide: Sequence[bool], places: Ints, make: Any
) -> Any:
    cells = rows[0].cells

    def parts() -> Iterator[Any]:
        for chunk in instances_of(chunks, rows[0].times):
            at = cells.combinations(chunk)
            read = [own.again(chunk, at, divide=each) for own, each in zip(rows, divide, strict=True)]
            of_said = at if rows[0].ranks else at * read[0].k + read[0].best
            yield read, cells.group_codes[at], places[of_said]

    return make(parts())
