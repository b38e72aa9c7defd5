"""The influence of the rows of a table on the scores of classifiers: what intervals read of it, added up.

With the totals of all rows fixed, what a row adds to a score depends on that row alone: on its losses and class, and on
where its scores for each class are among those of all rows, as bins tell. Influence values are added up in narrow cells
of their size, of which each keeps its number, sum and sum of squares, and its largest one. Two values for each cell
then have the same sums, so that intervals and tests made of them are those of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Self

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.inference.forecasts.auc import Placements
from adjudge.inference.forecasts.loss_sums import LossSums, Unseen
from adjudge.inference.forecasts.rank_influence import OF_CLASS, OfClass, OrderedScores
from adjudge.inference.sampling_design import Drawn
from adjudge.kernels.score_cells import add_scores
from adjudge.statistics.binned_scores import BINS, ScoreBins, harmonic_between
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses, brier_of_each, log_loss_of_each

# Cells between a number and twice that, and the powers of two of the smallest and the largest size that are told apart.
_PARTS, _LEAST, _MOST = 16, -80, 47
_CELLS = _PARTS * (_MOST - _LEAST + 1)
_BYTES_OF_CELLS = 8 * 2 * _CELLS * 5
# Values of a cell that are closer, relative to their size, are equal.
_ALIKE = 1e-12

#: What each row adds to scores, by name.
Psi = Mapping[str, Floats]
#: Forecasts of some rows, one for each model; the group of each row, and its place among the lines of a sample.
Chunk = tuple[Sequence[Forecasts], Ints, Ints]


@dataclass(frozen=True, eq=False)
class InfluenceCells:
    """Influence values by their sign and size; sums over disjoint rows add up.

    Attributes
    ----------
    sums : ndarray of shape (2 * cells, 4)
        Of values from 0, then of those below: their number, the sum of their sizes, the least and the greatest.
    squares : ndarray of shape (2 * cells,)
    """

    sums: Floats = field(default_factory=lambda: np.zeros((2 * _CELLS, 4)))
    squares: Floats = field(default_factory=lambda: np.zeros(2 * _CELLS))

    def take(self, psi: Floats, _lines: Ints, _rows: Forecasts) -> None:
        """Add the values of some rows, in place."""
        sizes = np.abs(psi)
        parts, powers = np.frexp(sizes)
        cells = np.clip(powers.astype(np.int64) - _LEAST, 0, _MOST - _LEAST) * _PARTS
        cells += (2 * _PARTS * (parts - 0.5)).astype(np.int64) + _CELLS * (psi < 0)
        cells[sizes == 0] = 0
        add_scores(sizes, cells, np.zeros(0), self.sums)
        squares = self.squares
        squares += np.bincount(cells, sizes * sizes, squares.size)

    def __add__(self, other: InfluenceCells) -> InfluenceCells:
        one, two = self.sums, other.sums
        least = np.where(
            one[:, 0] == 0, two[:, 2], np.where(two[:, 0] == 0, one[:, 2], np.minimum(one, two)[:, 2])
        )
        sums = np.column_stack([one[:, :2] + two[:, :2], least, np.maximum(one[:, 3], two[:, 3])])
        return InfluenceCells(sums, self.squares + other.squares)

    def entries(self) -> Mapping[str, Any]:
        """Return what an :class:`Influence` is made from: values with the same sums."""
        psi, counts = self.values()
        return {"psi": psi, "counts": counts}

    def values(self) -> tuple[Floats, Floats]:
        """Return values with the same sums, and how many rows have each."""
        there = np.flatnonzero(self.sums[:, 0])
        n, total, least, greatest = self.sums[there].T
        mean = np.clip(total / n, least, greatest)
        far = greatest - mean
        apart = far > _ALIKE * greatest
        # Two values, of which one is the greatest, have the mean and the variance of the cell.
        variance = np.clip(self.squares[there] / n - mean**2, 0.0, far * (mean - least))
        share = np.divide(variance, variance + far**2, out=np.ones(n.size), where=apart)
        other = mean - np.divide(variance, far, out=np.zeros(n.size), where=apart)
        sign = np.where(there < _CELLS, 1.0, -1.0)
        psi, counts = (
            np.concatenate([greatest * sign, other * sign]),
            np.concatenate([share * n, (1 - share) * n]),
        )
        return psi[counts > 0], counts[counts > 0]


@dataclass(frozen=True, eq=False)
class Lines:
    """Combinations of labels with the unit that each is of: then a sum for each is all that is read.

    Attributes
    ----------
    n : int
        How many there are.
    kept : ndarray of int64
        Those of the groups that are judged.
    counts : ndarray of float64
        How many rows each of these stands for, or their weight.
    drawn : Drawn
        How these were drawn.
    """

    n: int
    kept: Ints
    counts: Floats
    drawn: Drawn


@dataclass(frozen=True, eq=False)
class InfluenceOfLines:
    """Influence values by line; sums over disjoint rows add up.

    Attributes
    ----------
    lines : Lines
    sums : ndarray of shape (n,)
    classes : ndarray of int64 of shape (n,)
        The true class of each line, as far as rows of it were seen.
    of_classes : ndarray of shape (3, C)
        Number of rows of each class, sum of their influence, and of its squares.
    """

    lines: Lines
    sums: Floats
    classes: Ints
    of_classes: Floats

    def take(self, psi: Floats, lines: Ints, rows: Forecasts) -> None:
        """Add the values of some rows, in place."""
        np.add.at(self.sums, lines, psi if rows.weights is None else psi * rows.weights)
        self.classes[lines] = rows.codes
        for sums, own in zip(self.of_classes, (None, psi, psi**2), strict=True):
            sums += np.bincount(rows.codes, own, sums.size)

    def __add__(self, other: InfluenceOfLines) -> InfluenceOfLines:
        classes = np.maximum(self.classes, other.classes)
        return InfluenceOfLines(
            self.lines, self.sums + other.sums, classes, self.of_classes + other.of_classes
        )

    def entries(self) -> Mapping[str, Any]:
        """Return what an :class:`Influence` is made from: that of each line, per row, and its rows or weight."""
        kept, counts = self.lines.kept, self.lines.counts
        psi, classes = self.sums[kept] / counts, self.classes[kept]
        return {
            "psi": psi,
            "counts": counts,
            "classes": classes,
            "rests_on_classes": True,
            "sums": self.of_classes,
        }


@dataclass(frozen=True, eq=False)
class BinnedClass:
    """The scores for a class in bins, as instances at a few scores: those of a bin whose order is open are equal.

    Attributes
    ----------
    inside : ndarray of bool of shape (m,)
        Whether instances at a score are of the class.
    counts : ndarray of float64 of shape (m,)
        How many there are, or their weight.
    ordered : OrderedScores
    bins : ndarray of int64 of shape (m,)
    apart : ndarray of bool of shape (m,)
        Where all are of the class, and may have different scores, whose order then changes nothing yet.
    squares : ndarray of float64 of shape (m,) or None
        Sums of squared weights, if instances are weighted.
    one : float
        What one more instance would count.
    """

    inside: Bools
    counts: Floats
    ordered: OrderedScores
    bins: Ints
    apart: Bools
    squares: Floats | None = None
    one: float = 1.0

    @classmethod
    def of(cls, scores: ScoreBins, one: float = 1.0) -> BinnedClass:
        """Take the scores of a class in bins."""
        ranked, places = scores.blocks("tied")
        sides = np.stack([ranked.negatives, ranked.positives]).astype(np.float64)
        side, block = np.nonzero(sides)
        bins = scores.bins[places[block]].astype(np.int64)
        apart = (scores.least[1] < scores.greatest[1])[places[block]] & (sides[0, block] == 0)
        squares = None if scores.squares is None else scores.squares[side, places[block]]
        return cls(side == 1, sides[side, block], OrderedScores.of(block), bins, apart, squares, one)

    def moved(self, kind: int) -> OfClass:
        """Return what instances at each score add to the area (0), or to the average precision (1)."""
        each = np.ones(self.counts.size) if self.squares is None else self.squares / self.counts
        own = OF_CLASS[kind](self.ordered, self.inside, self.counts, self.one, each)
        members = np.where(self.inside, self.counts, 0.0)
        if kind == 0 or 2 * members.sum() <= self.counts.sum():
            return own
        return own._replace(with_one=(self._precision_below_one(members), own.value))

    def _precision_below_one(self, members: Floats) -> float:
        """Return the average precision if another instance of the rest ranks first."""
        right, reached = (own.sum() - self.ordered.up_to(own)[0] for own in (members, self.counts))
        others, up_to = reached - right + self.one, reached + self.one
        lost = others * harmonic_between(up_to - members, up_to, is_weighted=self.squares is not None)
        found = np.where(self.apart, members - lost, members * right / up_to)
        return float(found[self.inside].sum() / members.sum())

    @property
    def effective(self) -> tuple[float, float]:
        """Number of instances of the class, and of the others; of weighted ones, as many as would vary as much."""
        squares = self.counts if self.squares is None else self.squares
        size, rest = (
            float(self.counts[side].sum() ** 2 / squares[side].sum()) for side in (self.inside, ~self.inside)
        )
        return size, rest

    def placements(self) -> Placements:
        """Return the placements of the instances at each score."""
        inside, counts = self.inside, self.counts
        own, rest = counts[inside].sum(), counts[~inside].sum()
        below = [self.ordered.beaten(np.where(side, counts, 0.0)) for side in (~inside, inside)]
        none = np.full(counts.size, np.nan)
        over_others = below[0] / rest if rest else none
        under_class = 1 - below[1] / own if own else none
        return Placements(over_others[inside], under_class[~inside], (counts[inside], counts[~inside]))

    def table(self, psi: Floats) -> Floats:
        """Return the influence of a row outside the class, and of one inside, by bin, given that at each score."""
        found = np.zeros((2, BINS + 1))
        found[self.inside.astype(np.int64), self.bins] = psi - self.counts @ psi / self.counts.sum()
        return found

    def of_placements(self) -> Floats:
        """Return the influence on the area, as in :attr:`Placements.influence`, at each score."""
        found = np.empty(self.counts.size)
        psi, m = self.placements().influence.psi, int(self.inside.sum())
        found[self.inside], found[~self.inside] = psi[:m], psi[m:]
        return found


@dataclass(frozen=True, eq=False)
class RowInfluence:
    """What each row adds to the scores of a model, given the totals of all rows.

    Attributes
    ----------
    groups : sequence of int
        The groups whose rows count.
    totals : ProbabilityLosses or None
    slopes : dict of str to ndarray of shape (C + 2,)
        Of scores of losses, in the numbers of :class:`LossSums`.
    own_class : dict of str to ndarray of shape (C,)
        Of scores of rankings: what a row of each class adds as such.
    times : dict of str to dict of (int, int) to float
        Of these: how many times what a row adds to which number of which class.
    tables : dict of (int, int) to ndarray of shape (2, BINS + 1)
        What that is, by whether a row is of the class, and the bin of its score for that.
    bins_of : callable
        Returns the bin of each score of a class.
    columns : sequence of int
        The class whose scores tell the bins of a class.
    lines : Lines or None
        Of rows that were drawn in units.
    """

    groups: Sequence[int]
    totals: ProbabilityLosses | None
    slopes: Mapping[str, Floats]
    own_class: Mapping[str, Floats]
    times: Mapping[str, Mapping[tuple[int, int], float]]
    tables: Mapping[tuple[int, int], Floats]
    bins_of: Callable[[Floats], Ints]
    columns: Sequence[int]
    lines: Lines | None = None

    def psi(self, forecasts: Forecasts) -> dict[str, Floats]:
        """Return the influence of some rows on each score; it is 0 on average over all rows."""
        found = {name: own[forecasts.codes] for name, own in self.own_class.items()}
        bins: dict[int, Ints] = {}
        for (number, code), table in self.tables.items():
            column = self.columns[code]
            if column not in bins:
                bins[column] = self.bins_of(np.ascontiguousarray(forecasts.column(column), np.float64))
            added = table[(forecasts.codes == code).astype(np.int64), bins[column]]
            for name, times in self.times.items():
                if (number, code) in times:
                    found[name] = found[name] + times[number, code] * added
        if self.totals is None:
            return found
        assert isinstance(forecasts, ProbabilityForecasts)
        losses = log_loss_of_each(forecasts), brier_of_each(forecasts)
        totals = self.totals.log_loss, self.totals.brier, *np.asarray(self.totals.sizes, np.float64)
        for name, slope in self.slopes.items():
            added = slope[2:][forecasts.codes]
            for times, loss in zip(slope[:2].tolist(), losses, strict=True):
                # What a score does not read may be infinite.
                added = added + times * loss if times else added
            found[name] = self.totals.total * added - slope @ np.where(slope != 0, totals, 0.0)
        return found

    def nothing(self) -> InfluenceCells | InfluenceOfLines:
        """Return the sums of no rows."""
        if self.lines is None:
            return InfluenceCells()
        n, n_classes = self.lines.n, len(self.columns)
        return InfluenceOfLines(self.lines, np.zeros(n), np.zeros(n, np.int64), np.zeros((3, n_classes)))

    @property
    def nbytes(self) -> int:
        """How much memory it takes, with the sums of rows."""
        tables = sum(own.nbytes for own in self.tables.values())
        of_sums = _BYTES_OF_CELLS if self.lines is None else 16 * self.lines.n
        return tables + of_sums * (len(self.slopes) + len(self.own_class))

    def unseen(self, name: str, forecasts: Forecasts, before: Unseen | None) -> Unseen:
        """Return what was not seen that would change a score of losses most; `before` is that of other rows."""
        assert isinstance(forecasts, ProbabilityForecasts)
        return LossSums(forecasts).unseen(self.slopes[name], before)


@dataclass(frozen=True, eq=False)
class InfluenceSums:
    """The influence of rows on scores of models in some parts of the rows; sums over disjoint rows add up.

    Attributes
    ----------
    cells : dict of (int, int, int, str) to InfluenceCells or InfluenceOfLines
        By part: of the score of one model less that of another, or of the score of a model, which then is both.
    unseen : dict of (int, int, str) to Unseen
        By part and model.
    largest : dict of (int, int, str) to float
        The largest influence of a row on the score of a model.
    n : int
        Number of rows, of all groups.
    """

    cells: dict[tuple[int, int, int, str], Any] = field(default_factory=dict)
    unseen: dict[tuple[int, int, str], Unseen] = field(default_factory=dict)
    largest: dict[tuple[int, int, str], float] = field(default_factory=dict)
    n: int = 0

    @classmethod
    def of(cls, chunks: Iterable[Chunk], *, parts: Sequence[Sequence[RowInfluence]]) -> Self:
        """Add up the rows of some chunks, given the models of each part."""
        found, n = cls(), 0
        for forecasts, groups, lines in chunks:
            for part, models in enumerate(parts):
                inside = np.isin(groups, models[0].groups)
                if inside.all():
                    found._take(part, models, forecasts, lines)
                elif inside.any():
                    found._take(part, models, [own.take(inside) for own in forecasts], lines[inside])
            n += groups.size
        return replace(found, n=n)

    def _take(
        self, part: int, models: Sequence[RowInfluence], forecasts: Sequence[Forecasts], lines: Ints
    ) -> None:
        """Add rows of a part, in place."""
        each = [own.psi(rows) for own, rows in zip(models, forecasts, strict=True)]
        for i, psi in enumerate(each):
            for name, own in psi.items():
                far = self.largest.get((part, i, name), 0.0)
                self.largest[part, i, name] = max(far, float(np.abs(own).max()))
                self._add((part, i, i, name), own, forecasts[i], lines, models[i])
            for name in models[i].slopes:
                before = self.unseen.get((part, i, name))
                self.unseen[part, i, name] = models[i].unseen(name, forecasts[i], before)
        for (i, one), (j, other) in combinations(enumerate(each), 2):
            for name in one.keys() & other.keys():
                self._add((part, i, j, name), one[name] - other[name], forecasts[i], lines, models[i])

    def _add(
        self,
        key: tuple[int, int, int, str],
        psi: Floats,
        rows: Forecasts,
        lines: Ints,
        model: RowInfluence,
    ) -> None:
        if key not in self.cells:
            self.cells[key] = model.nothing()
        self.cells[key].take(psi, lines, rows)

    def __add__(self, other: InfluenceSums) -> InfluenceSums:
        largest = {key: max(self.largest.get(key, 0.0), own) for key, own in other.largest.items()}
        both = _added(self.cells, other.cells), _added(self.unseen, other.unseen)
        return InfluenceSums(*both, {**self.largest, **largest}, self.n + other.n)


def _added(one: dict[Any, Any], other: dict[Any, Any]) -> dict[Any, Any]:
    return {**one, **{name: one[name] + own if name in one else own for name, own in other.items()}}
