"""Entropies of partitions in a population, and what one more instance adds to them.

Of independent rows they are Chao, Wang and Jost's estimates. With weights or units the same holds at effective counts:
a class of m effective instances is too uneven by log(m) - digamma(m), to first order Miller's 1 / 2m, and what was not
drawn lies in the classes that one row, or unit, holds.

References
----------
Chao, Wang & Jost (2013), Methods in Ecology and Evolution 4, 1091-1100.
Rao & Scott (1981), Journal of the American Statistical Association 76, 221-230 (generalised design effects).
Paninski (2003), Neural Computation 15, 1191-1253 (entropies need more instances than cells).
Good (1953), Biometrika 40, 237-264 (share of a population in what was drawn).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints, Limits, Numbers
from adjudge.inference.interval import Wanted, why_few_units
from adjudge.inference.linear import Steps, all_cells, looked_up, scored_by
from adjudge.inference.partitions.entropy_estimate import EntropyEstimate, unseen_part
from adjudge.inference.refusals import RefusedError, refuse, round_up
from adjudge.inference.sampling_design import Drawn
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.entropies import PartitionEntropies
from adjudge.statistics.joint import JointCounts

# Entropies are known if this many effective instances fall on each cell of the table, or if cells that were drawn have
# this share of the population.
_PER_CELL, _COVERED = 2.0, 0.98
# Most combinations of clusters of which the empty ones are looked at, too.
_MOST_CELLS = 4096
# Level of the chi-square test (Wilks 1938) that tells an index from its extreme value.
_LEVEL = 0.01
# Difference below which an index is the same.
_SAME = 1e-6
_BY: tuple[tuple[int, ...], ...] = ((0,), (1,), (0, 1))


@dataclass(frozen=True, eq=False)
class EntropySums:
    """Entropies of the truth, of the prediction and of both.

    Attributes
    ----------
    table : JointCounts
    drawn : Drawn or None
        How rows were sampled; its entries are the cells of the table. Each of its lines then has an influence of its
        own.
    """

    table: JointCounts
    drawn: Drawn | None = None

    @cached_property
    def cells(self) -> Ints:
        """The clusters of each cell, or of each line of `drawn`, of shape (2, m)."""
        rows, cols, _ = self.table.cells()
        of_cells = np.stack([rows, cols])
        return of_cells if self.drawn is None else of_cells[:, self._entries]

    @cached_property
    def counts(self) -> Floats:
        """Number of instances, or weight, of each."""
        if self.drawn is None:
            return np.asarray(self.table.cells()[2], np.float64)
        own = self.drawn.counts
        return np.ones(self._entries.size) if own is None else np.asarray(own, np.float64)

    @property
    def by_line(self) -> Drawn | None:
        """How rows were sampled, each line an entry."""
        return None if self.drawn is None else replace(self.drawn, entry=None)

    @property
    def _entries(self) -> Ints:
        assert self.drawn is not None
        assert self.drawn.entry is not None
        return self.drawn.entry

    @cached_property
    def one(self) -> float:
        """How many instances an event adds to an empty cell."""
        return 1.0 if self.drawn is None else self.drawn.share_of_one

    @cached_property
    def moves(self) -> Steps:
        """What they are a small step away."""
        return Steps(self, self.one)

    @cached_property
    def _n(self) -> float:
        return float(self.counts.sum())

    @cached_property
    def _estimates(self) -> list[_Estimate]:
        return [self._estimate(own) for own in self._classes.values()]

    def _estimate(self, own: _Classes) -> _Estimate:
        if self.drawn is None:
            found = EntropyEstimate.of(np.rint(own.sums).astype(np.int64))
            value, psi = found.value, found.psi[own.codes]
        else:
            value, psi = _at_effective_counts(own.codes, self.counts, self.drawn)
        return _Estimate(value, psi - float(self.counts @ psi) / self._n)

    @cached_property
    def _classes(self) -> dict[tuple[int, ...], _Classes]:
        """The classes of the truth, of the prediction, and of both together."""
        return {by: _Classes.of(self._keys(by, self.cells), self.counts) for by in _BY}

    def _keys(self, by: tuple[int, ...], cells: Ints) -> Ints:
        """Return the number of the class of each cell."""
        found: Ints = cells[by[0]] if len(by) == 1 else cells[0] * self.table.shape[1] + cells[1]
        return found

    def check(self, slope: Floats, formula: Callable[[Any], float]) -> None:
        """Raise if an index hangs on clusters that were not drawn, or is where its entropies are extreme.

        Raises
        ------
        RefusedError
        """
        (r, c), joint = self.table.shape, abs(float(slope[2])) > 0
        read = [by for by, own in zip(_BY, slope.tolist(), strict=True) if own != 0]
        for by in read:
            rows, once = self._effective(by)
            size = math.prod((r, c)[i] for i in by)
            if rows < _PER_CELL * size and once > 1 - _COVERED:
                refuse("cells not drawn", r=r, c=c, enough=round_up(self._n * _PER_CELL * size / rows))
        rows, _ = self._effective(_BY[2] if joint else read[0]) if read else (self._n, 0.0)
        if len(read) == 1:
            size = math.prod((r, c)[i] for i in read[0])
            if not _tells(rows, math.log(size) - self._classes[read[0]].entropy, size - 1):
                refuse("even clusters")
        if joint and self._flat_at_independence(formula):
            true, pred, both = (own.entropy for own in self._classes.values())
            if not _tells(rows, true + pred - both, (r - 1) * (c - 1)):
                refuse("independent")

    def _effective(self, by: tuple[int, ...]) -> tuple[float, float]:
        """Return the effective number of rows, and the share of those that are alone in their class."""
        codes, sums = self._classes[by].codes, self._classes[by].sums
        if self.drawn is None:
            return self._n, float(sums[sums == 1].sum()) / self._n
        pieces = np.unique(self.drawn.unit * sums.size + codes)
        alone = np.bincount(pieces % sums.size, minlength=sums.size) == 1
        return self.drawn.effective * pieces.size / self.drawn.n_units, float(sums[alone].sum()) / self._n

    def _flat_at_independence(self, formula: Callable[[Any], float]) -> bool:
        """Whether an index has the same value for all independent partitions, as the mutual information has."""
        true, pred, _ = self.numbers().tolist()

        def at(stretched: float) -> float:
            return formula(
                self.at(np.array([stretched * true, pred, stretched * true + pred]))[PartitionEntropies]
            )

        return abs(at(1.01) - at(1.0)) <= _SAME

    def numbers(self) -> Floats:
        """Return the three entropies."""
        return np.array([own.value for own in self._estimates])

    def alike(self) -> Ints:
        """Return the position of each number."""
        return np.arange(3)

    def steps(self) -> Floats:
        """Return how much one instance may add to an entropy: that of a class of its own."""
        return np.full(3, (math.log(self._n / self.one + 1) + 1) / self._n)

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return the entropies of a population; the value expected by chance vanishes as instances grow in number."""
        true, pred, joint = numbers.tolist()
        made = PartitionEntropies(
            n=self.table.n,
            mutual=true + pred - joint,
            entropy_true=true,
            entropy_pred=pred,
            true_given_pred=joint - pred,
            pred_given_true=joint - true,
            identical=False,
            row_sums=self.table.row_sums,
            col_sums=self.table.col_sums,
        )
        made.__dict__["expected_mutual"] = 0.0
        return {PartitionEntropies: made}

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return what an instance of each cell adds to the entropies, along a slope."""
        if cells is self.cells:
            return slope @ np.stack([own.psi for own in self._estimates]) / self._n
        return slope @ self._joining(cells) / self._n

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the entropies with some more instances of a cell."""
        return self.numbers() + amount * self._joining(cell[:, None])[:, 0] / self._n

    def extremes(self, slope: Floats) -> Ints:
        """Return all combinations of clusters; none of very many."""
        return self._combinations

    @cached_property
    def _combinations(self) -> Ints:
        if math.prod(self.table.shape) > _MOST_CELLS:
            return np.zeros((2, 0), np.int64)
        return all_cells(self.table.shape)

    @cached_property
    def _joining_any(self) -> Floats:
        return self._joined(self._combinations)

    def _joining(self, cells: Ints) -> Floats:
        """Return the influence of an instance that joins, or opens, the classes of some cells."""
        known = self._combinations.size > 0
        return self._joining_any[:, self._keys(_BY[2], cells)] if known else self._joined(cells)

    def _joined(self, cells: Ints) -> Floats:
        sizes = (looked_up(own.numbers, own.sums, self._keys(by, cells)) for by, own in self._classes.items())
        found = [-logarithms(np.maximum(size, self.one) / self._n) for size in sizes]
        return np.stack([own - one.entropy for own, one in zip(found, self._classes.values(), strict=True)])


def wanted_of_entropies(
    sums: EntropySums,
    formula: Callable[[Any], float],
    limits: Limits,
    observed: float,
    identical: bool = False,
) -> Wanted:
    """Return what the interval of an index of entropies is made from.

    Parameters
    ----------
    sums : EntropySums
    formula : callable
        Returns the index, given the entropies.
    limits : (float, float)
    observed : float
        The index in the sample.
    identical : bool
        Whether both partitions are the same.

    Raises
    ------
    RefusedError
        If the entropies are not known, or are largest or smallest here, where they do not vary normally.
    """
    if (reason := why_few_units(sums.drawn)) is not None:
        raise RefusedError(reason)
    limits = max(limits[0], 0.0) if math.isinf(limits[0]) else limits[0], limits[1]
    own = scored_by(lambda made: formula(made[PartitionEntropies]), sums.moves, limits)
    if not own.known:
        refuse("one cluster" if min(sums.table.shape) == 1 else "no slope")
    influence = own.influence(sums.cells, sums.counts)
    if min(sums.table.shape) == 1 and not influence.psi.any():
        refuse("one cluster")
    sums.check(own.slope, formula)
    if identical and math.isfinite(limits[1]):
        influence = replace(influence, value=observed)
    return Wanted(influence, limits, sums.by_line, observed)


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of some entries, those that occur: their numbers, the class of each entry, and their sizes."""

    numbers: Ints
    codes: Ints
    sums: Floats

    @classmethod
    def of(cls, numbers: Ints, counts: Floats) -> _Classes:
        """Find the classes, given the number of the class of each entry and how many instances it stands for."""
        occurring, codes = np.unique(numbers, return_inverse=True)
        return cls(occurring, codes.ravel(), np.asarray(np.bincount(codes.ravel(), counts), np.float64))

    @cached_property
    def entropy(self) -> float:
        """The entropy of the sample."""
        shares = self.sums / self.sums.sum()
        return -float(shares @ logarithms(shares))


@dataclass(frozen=True, eq=False)
class _Estimate:
    """An entropy, and the influence of each entry."""

    value: float
    psi: Floats


def _tells(n: float, divergence: float, freedom: int) -> bool:
    """Whether 2 n times a divergence is significant as chi-square with these degrees of freedom."""
    from scipy.special import chdtrc

    return freedom == 0 or bool(chdtrc(freedom, 2 * n * max(divergence, 0.0)) <= _LEVEL)


def _at_effective_counts(codes: Ints, mass: Floats, drawn: Drawn) -> tuple[float, Floats]:
    """Estimate an entropy from classes of several units or weighted rows; leave out what a unit has of a class.

    Parameters
    ----------
    codes : ndarray of int64 of shape (m,)
        Class of each line.
    mass : ndarray of shape (m,)
        Its weight.
    drawn : Drawn
        Whose lines these are.
    """
    k = int(codes.max()) + 1
    pieces, place = np.unique(drawn.unit * k + codes, return_inverse=True)
    code, held = pieces % k, np.bincount(place.ravel(), mass)
    sums, squares = (np.asarray(np.bincount(code, own, k), np.float64) for own in (held, held**2))
    number = np.bincount(code, minlength=k)
    total, all_squares = float(held.sum()), float(drawn.sizes @ drawn.sizes)
    once, twice, units = int((number == 1).sum()), int((number == 2).sum()), drawn.n_units
    single = float(sums[number == 1].sum())

    def of_classes(s: Floats, q: Floats) -> Floats:
        there = (s > 0) & (q > 0)
        size = np.where(there, s, 1.0)
        return np.where(
            there, size * (_beyond_log(size**2 / np.where(there, q, 1.0)) - logarithms(size)), 0.0
        )

    def of_all(t: Numbers, q: Numbers) -> Floats:
        return np.asarray(logarithms(np.asarray(t, np.float64)) - _beyond_log(np.asarray(t**2 / q)))

    def per_single(more_once: int, more_twice: int, n: int) -> float:
        return unseen_part(once + more_once, twice + more_twice, n) * n / max(once + more_once, 1)

    terms = of_classes(sums, squares)
    value = float(of_all(np.array([total]), np.array([all_squares]))[0]) + float(terms.sum()) / total
    value += per_single(0, 0, units) * single / total
    left = total - held
    s, q = np.maximum(sums[code] - held, 0.0), np.maximum(squares[code] - held**2, 0.0)
    s[number[code] == 1] = 0.0
    rest = float(terms.sum()) - terms[code] + of_classes(s, q)
    without = of_all(left, np.maximum(all_squares - held**2, held**2)) + rest / left
    unseen = per_single(0, 0, units - 1) * single / left
    for times, change, moved in ((1, (-1, 0), -held), (2, (1, -1), s), (3, (0, 1), np.zeros(held.size))):
        own = per_single(*change, units - 1) * (single + moved) / left
        unseen = np.where(number[code] == times, own, unseen)
    psi = (value - without - unseen) * left / held
    return value, psi[place.ravel()]


def _beyond_log(effective: Floats) -> Floats:
    """Return log(m) - digamma(m) of an effective number of instances."""
    from scipy.special import digamma

    return np.asarray(logarithms(effective) - digamma(effective))
