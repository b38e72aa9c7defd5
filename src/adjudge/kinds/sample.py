"""The rows that are judged: which of the given ones remain, what each stands for, and which were drawn together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import AlignedLabels, Rows
from adjudge.given.labels import Labels
from adjudge.given.units import Units, crossed_groups, labels_beside
from adjudge.given.weights import Weighting
from adjudge.inference.sampling_design import Drawn
from adjudge.results.drawn_units import DrawnUnits
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import is_sampled
from adjudge.statistics.classes import answer_positions
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.joint import JointCounts

if TYPE_CHECKING:
    from adjudge.inference.classes.label_sums import ScoredModels

__all__ = ["ALONE", "Ints", "Sample", "places_among", "whole"]


# Most instances that rows with probabilities may stand for, each of which takes memory.
MOST_REPEATED = 10**8
# Up to this many cells per row, counts are summed in a full array, which is faster than sorting.
_PLACES_A_ROW = 8
_NO_FORECASTS: Mapping[str, Any] = MappingProxyType({})
_MEANING_OPEN = Notice(
    "meaning-of-weights",
    "there are no intervals, because weights may be numbers of instances, or sampling weights",
    (Option("weights", "frequency"), " or ", Option("weights", "importance"), " says which"),
)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, and how they were drawn. What the verbs need of it are its methods, which hold for every sample.

    Attributes
    ----------
    rows : Rows
        The rows that remain of those given.
    weights : ndarray of shape (n,) or None
        What statistics read: how many instances each row stands for (integers), or its sampling weight (floats); None
        for 1 each.
    squares : ndarray of float64 of shape (n,) or None
        Sums of squared weights of rows that stand for several weighted ones.
    units : Units or None
        Which rows were drawn together, if units were given.
    runs : Units or None
        The run of each row, if units cross runs.
    draws_rows : bool
        Whether each row was drawn by itself, with its own weight.
    strata : ndarray of int64 of shape (n,) or None
        Parts of the population whose shares are known.
    groups : Labels or None
        The group of each row, if groups were given.
    n_noise : int
        How many labels of noise were left out or scattered.
    n_given : int
        How many instances were given; those of weight 0 are not there.
    settings : dict
        What a result says about weights and units.
    """

    rows: Rows
    weights: NDArray[Any] | None = None
    squares: NDArray[np.float64] | None = None
    units: Units | None = None
    runs: Units | None = None
    draws_rows: bool = False
    strata: Ints | None = None
    groups: Labels | None = None
    n_noise: int = 0
    n_given: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, aligned: AlignedLabels, weighting: Weighting, kind: str) -> Sample:
        """Take the rows that remain when label vectors are aligned; several columns of groups are crossed."""
        if not weighting.is_given and weighting.units is None:
            groups, n = crossed_groups(aligned.groups), aligned.rows.n_given
            return cls(aligned.rows, groups=groups, n_noise=aligned.n_noise, n_given=n)
        return cls(
            aligned.rows,
            weighting.of(aligned.rows, kind),
            weighting.squares_of(aligned.rows),
            *Units.beside(aligned, weighting.units),
            weighting.draws_rows,
            groups=crossed_groups(aligned.groups),
            n_noise=aligned.n_noise,
            n_given=_n_given(aligned.rows, weighting),
            settings=weighting.settings(),
        )

    @classmethod
    def of_sets(cls, n: int, weighting: Weighting, groups: Mapping[str, Any]) -> Sample:
        """Take rows with several labels each, of which none is missing; those of weight 0 are left out."""
        rows = Rows(n)
        columns = {**weighting.beside, **groups}
        read = {name: labels_beside(column, name, n, "labels_true") for name, column in columns.items()}
        whole = cls(
            rows,
            weighting.of(rows, "classification"),
            units=Units.of(read.pop("units")) if "units" in weighting.beside else None,
            runs=Units.of(read.pop("runs")) if "runs" in weighting.beside else None,
            draws_rows=weighting.draws_rows,
            n_given=_n_given(rows, weighting),
            settings=weighting.settings(),
        )
        kept = np.arange(n) if whole._positive is None else whole._positive
        found = whole if whole._positive is None else whole.take(kept)
        return replace(found, groups=crossed_groups([own.take(kept) for own in read.values()]))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a pickle what can be found again."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_given if self.rows.kept is None else self.rows.kept.size

    @property
    def n_judged(self) -> int:
        """How many of the instances given are judged."""
        return self.n_rows if self.weights is None or self.is_weighted else int(self.weights.sum())

    @property
    def total(self) -> int | float:
        """Number of instances, or their weight."""
        found: int | float = self.n_rows if self.weights is None else self.weights.sum().item()
        return found

    @property
    def is_weighted(self) -> bool:
        """Whether rows have sampling weights, rather than counts."""
        return is_sampled(self.weights)

    @property
    def effective(self) -> float | None:
        """Effective number of rows with sampling weights: that many equal ones vary as much (Kish); None for counts."""
        if self.weights is None or not self.is_weighted:
            return None
        squares = self.weights @ self.weights if self.squares is None else self.squares.sum()
        return float(self.weights.sum() ** 2 / squares)

    def take(self, positions: NDArray[Any]) -> Sample:
        """Return some of the rows, which are in no groups."""
        kept = positions if self.rows.kept is None else self.rows.kept[positions]
        return replace(
            self,
            rows=Rows(self.rows.n_given, kept),
            weights=None if self.weights is None else self.weights[positions],
            squares=None if self.squares is None else self.squares[positions],
            units=None if self.units is None else self.units.take(positions),
            runs=None if self.runs is None else self.runs.take(positions),
            strata=None if self.strata is None else self.strata[positions],
            groups=None,
        )

    def times(self) -> Ints:
        """Return the position of each row as often as the number of instances that it stands for."""
        assert self.weights is not None
        if (n := int(self.weights.sum())) > MOST_REPEATED:
            raise InputError(
                Argument("sample_weight"),
                f" stands for {n:,} instances, and probabilities are read for {MOST_REPEATED:,} at most: pass ",
                Option("weights", "importance"),
                ", or judge a random part of them",
            )
        return np.repeat(np.arange(self.n_rows), self.weights)

    def repeated(self, times: Ints) -> Sample:
        """Return a row for each instance."""
        groups = None if self.groups is None else self.groups.take(times)
        return replace(self.take(times), weights=None, groups=groups)

    @cached_property
    def scored_models(self) -> ScoredModels:
        """What intervals know of classifiers of these rows, so that their differences need not find it again."""
        from adjudge.inference.classes.label_sums import ScoredModels

        return ScoredModels()

    @cached_property
    def by_group(self) -> dict[Any, Ints]:
        """The positions of the rows of each group; empty if no groups were given."""
        if self.groups is None:
            return {}
        codes, labels = self.groups.dense()
        ends = np.cumsum(np.bincount(codes, minlength=len(labels)))
        return dict(zip(labels, np.split(np.argsort(codes, kind="stable"), ends[:-1]), strict=True))

    def outside(self, positions: Ints) -> Ints:
        """Return the positions of all other rows."""
        others = np.ones(self.n_rows, bool)
        others[positions] = False
        return np.flatnonzero(others)

    def table(self, labels: tuple[Labels, Labels]) -> JointCounts:
        """Count, or weigh, the combinations of two label vectors."""
        return joint_table(labels, self.weights, self.squares)

    def instances(
        self,
        kind: str,
        truth: Any,
        labels: Mapping[str, Any],
        forecasts: Mapping[str, Any] = _NO_FORECASTS,
    ) -> Instances:
        """Return what a result keeps of each row."""
        return Instances(
            kind=kind,
            truth=truth,
            labels=dict(labels),
            n_given=self.rows.n_given,
            kept=self.rows.kept,
            forecasts=dict(forecasts),
            weights=self.weights,
            units=self.units,
            runs=self.runs,
            drawn=self.drawn,
            groups=self.groups,
        )

    @property
    def is_known(self) -> bool:
        """Whether it is known which rows were drawn together, or with which weights."""
        return self.units is not None or (self.draws_rows and self.weights is not None)

    @property
    def lacks_weights(self) -> bool:
        """Whether rows were drawn with weights of which only sums are known."""
        return self.squares is not None and not self.is_known and self.settings.get("weights") == "importance"

    @property
    def drawn_units(self) -> DrawnUnits | None:
        """What a result says about the units; None if none were given."""
        if self.units is None:
            return None
        counts = self._drawing.weights
        n = self.each.unit.size if counts is None or is_sampled(counts) else int(counts.sum())
        n_runs = None if self.runs is None else self.runs.n_units
        return DrawnUnits(n, self.each.n_drawn, self.each.effective, n_runs)

    def notices(self, confidence: float | None) -> tuple[Notice, ...]:
        """Say what is known about intervals from few units, or what weights must tell, if any are shown."""
        if confidence is None:
            return ()
        units = self.drawn_units
        if units is not None:
            return units.notices
        is_open = self.is_weighted and not self.draws_rows and self.settings.get("weights", "") is None
        return (_MEANING_OPEN,) if is_open else ()

    @cached_property
    def each(self) -> Drawn:
        """Each row with a positive weight as an entry; each is its own unit, unless units were given."""
        own = self._drawing
        units = own._units
        counts = _counts(units.of_one(own.weights))
        return Drawn(units.codes, units.n_units, None, counts, own.strata, own._run, units.alike)

    @property
    def drawn(self) -> Drawn | None:
        """The same for inference, to which rows drawn independently have no design: None."""
        if not self.is_known:
            return None
        each = self.each
        return None if each.counts is None and each.n_units == each.unit.size else each

    def cells(
        self, labels: Sequence[Labels], classes: Sequence[Any] | None = None, outside: Iterable[Any] = ()
    ) -> Drawn | None:
        """Take as entries the combinations of several label vectors that occur, in the order of their codes.

        None if rows were drawn independently.

        Parameters
        ----------
        labels : sequence of Labels
            Label vectors of all rows.
        classes : sequence, optional
            Number the labels by their positions among these.
        outside : iterable
            Labels that are not among them, and come last.
        """
        if self.drawn is None:
            return None
        kept = self._positive
        own = [one if kept is None else one.take(kept) for one in labels]
        entries, size = np.zeros(self._drawing.n_rows, np.int64), 1
        for one in own:
            if classes is None:
                codes, n_codes = one.codes.astype(np.int64) - one.low, one.n_codes
            else:
                codes, n_codes = places_among(one, classes, outside)
            # At most as many numbers as rows, so that keys of many vectors do not overflow.
            entries, size = _numbered(entries * n_codes + codes, size * n_codes)
        return self._over(entries, size)

    def numbered(self, entries: Ints, n_entries: int) -> Drawn | None:
        """Take entries by their numbers, one for each row; None if rows were drawn independently."""
        if self.drawn is None:
            return None
        return self._over(entries if self._positive is None else entries[self._positive], n_entries)

    def _over(self, entries: Ints, n_entries: int) -> Drawn:
        """Sum the rows of each unit by entry, if that gives fewer lines."""
        own = self._drawing._units
        weights = own.of_one(self._drawing.weights)
        units, n_units = own.codes, own.n_units
        strata, run = self._drawing.strata, self._drawing._run
        needs_lines = strata is not None or run is not None
        if needs_lines or n_units * n_entries > _PLACES_A_ROW * entries.size:
            return Drawn(units, n_units, entries, _counts(weights), strata, run, own.alike)
        summed = np.bincount(units * n_entries + entries, weights, n_units * n_entries)
        filled = np.flatnonzero(summed)
        unit, entry = np.divmod(filled, n_entries)
        kind = np.float64 if self.is_weighted else np.int64
        return Drawn(unit, n_units, entry, _counts(summed[filled].astype(kind)), alike=own.alike)

    @property
    def _run(self) -> Ints | None:
        return None if self.runs is None else self.runs.codes

    @cached_property
    def _units(self) -> Units:
        if self.units is not None:
            return self.units
        numbers, kept = np.arange(self.n_rows), self.rows.kept
        if kept is not None and (np.diff(kept) < 0).any():
            # Numbered as in the input, whatever order the rows of two groups are in: sums keep their digits.
            numbers = np.unique(kept, return_inverse=True)[1]
        return Units(numbers, self.n_rows)

    @cached_property
    def _positive(self) -> Ints | None:
        """Positions of rows with positive weights; None if all have one."""
        return None if self.weights is None or self.weights.all() else np.flatnonzero(self.weights)

    @cached_property
    def _drawing(self) -> Sample:
        """The rows with positive weights."""
        return self if self._positive is None else self.take(self._positive)


#: Of counts without rows: nothing is known of how these were drawn.
ALONE = Sample(Rows(0))


def whole(total: float) -> int | float:
    """Return a whole number as an integer."""
    return int(total) if float(total).is_integer() else total


def _n_given(rows: Rows, weighting: Weighting) -> int:
    """Count the instances that were given; rows of weight 0 stand for none."""
    if weighting.n_given is not None:
        return weighting.n_given
    return rows.n_given - (0 if weighting.absent is None else int(np.count_nonzero(weighting.absent)))


def _counts(weights: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the count or weight of each line; None if each is one instance."""
    is_one = weights is None or (weights.dtype.kind != "f" and bool((weights == 1).all()))
    return None if is_one else weights


def places_among(labels: Labels, classes: Sequence[Any], outside: Iterable[Any] = ()) -> tuple[Ints, int]:
    """Return the position of each label among the classes and the others that are given, and their number."""
    codes, names = labels.dense()
    places, others = answer_positions(names, classes, outside)
    return places[codes], len(classes) + len(others)


def _numbered(keys: Ints, size: int) -> tuple[Ints, int]:
    """Enumerate the occurring keys in ascending order; also return how many there are."""
    if size > _PLACES_A_ROW * keys.size:
        distinct, numbers = np.unique(keys, return_inverse=True)
        return numbers, distinct.size
    occurring = np.zeros(size, bool)
    occurring[keys] = True
    return (np.cumsum(occurring) - 1)[keys], int(np.count_nonzero(occurring))
