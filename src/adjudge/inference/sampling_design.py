"""How rows were sampled: independently, several together as one unit, or with sampling weights.

Rows of one unit (visits of a patient, sentences of a document) are alike, so what varies from sample to sample is a
unit's sum of influence values. A row with a sampling weight is a unit of that size. Either way, the variance of a value
is that of the sum over units, and its degrees of freedom are the effective number of units minus one.

Units may cross runs (seeds, epochs, repeated answers), which are a sample, too. What rows of a run have in common
beyond their units then varies from run to run.

References
----------
Searle, Casella & McCulloch (1992), Variance components, sections 4.7 and 4.8 (units crossed with runs).
Kish (1965), Survey Sampling, section 8.2 (effective number of units).
Carter, Schnepel & Steigerwald (2017), Review of Economics and Statistics 99, 698-709 (degrees of freedom of clusters of
unequal size).
Lumley (2010), Complex Surveys, appendix C (influence functions under a design).
Bohm & Zech (2014), Statistics of weighted Poisson events and its applications, Nuclear Instruments and Methods in
Physics Research A 748, 1-6 (a sum of weighted events as a scaled count).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from adjudge.array_types import Floats, Ints, Numbers
from adjudge.inference.influence import ROUNDING, Influence

# With few entries, each unit's are counted once: at most this many counts for each line.
_PLACES_A_LINE = 2
# A unit moves a value if it does so by more than this share of what the one that moves it most does.
_NO_MOVE = 1e-6
# Units of a class that are fewer than this vary less than they seem to, if a value rests on that class.
_FEW_OF_CLASS = 6
# Fewer effective units than this are nearly one.
_NEARLY_ONE = 1.5


@dataclass(frozen=True, eq=False)
class Drawn:
    """The sampled units, line by line: how many instances of which entry each unit has.

    Rows that were sampled independently have no such object, but None.

    Attributes
    ----------
    unit : ndarray of int64 of shape (lines,)
        0, ..., n_units - 1.
    n_units : int
        How many units have lines; one may stand for several.
    entry : ndarray of int64 of shape (lines,) or None
        Position among the entries of an :class:`Influence`; None if each line is an entry.
    counts : ndarray of shape (lines,) or None
        Number of instances of each line, or its weight; None for 1 each.
    strata : ndarray of int64 of shape (lines,) or None
        Parts of the population whose sizes are known, so that only what instances add within each of them varies.
    run : ndarray of int64 of shape (lines,) or None
        The run of each line, if units cross runs.
    alike : ndarray of int64 of shape (n_units,) or None
        How many units there are with just these lines; None for one each.
    """

    unit: Ints
    n_units: int
    entry: Ints | None = None
    counts: Numbers | None = None
    strata: Ints | None = None
    run: Ints | None = None
    alike: Ints | None = None

    @property
    def n_drawn(self) -> int:
        """Number of units, also of those that are alike."""
        return self.n_units if self.alike is None else int(self.alike.sum())

    @property
    def times(self) -> Floats:
        """How many units each one stands for."""
        return np.ones(self.n_units) if self.alike is None else self.alike.astype(np.float64)

    @cached_property
    def apart(self) -> Drawn:
        """The same with lines of its own for each unit."""
        if self.alike is None:
            return self
        order = np.argsort(self.unit, kind="stable")
        lines = np.bincount(self.unit, minlength=self.n_units)
        of_each = np.repeat(np.arange(self.n_units), self.alike)
        first, sizes = np.cumsum(lines) - lines, lines[of_each]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        at = order[np.repeat(first[of_each], sizes) + within]
        lined = (self.entry, self.counts, self.strata, self.run)
        entry, counts, strata, run = (None if own is None else own[at] for own in lined)
        return Drawn(np.repeat(np.arange(of_each.size), sizes), of_each.size, entry, counts, strata, run)

    @cached_property
    def sizes(self) -> Floats:
        """Number of instances, or weight, of each unit."""
        return np.asarray(np.bincount(self.unit, self.counts, self.n_units), np.float64)

    def with_entries(self, entry: Ints, lines: Ints | None = None) -> Drawn:
        """Return the same units with other entries; of the lines, perhaps only those that have any influence."""
        own = (self.unit, self.counts, self.strata, self.run)
        unit, counts, strata, run = own if lines is None else (None if o is None else o[lines] for o in own)
        assert unit is not None
        made = Drawn(unit, self.n_units, entry, counts, strata, run, self.alike)
        # These are of all lines, and are summed once.
        vars(made).update(sizes=self.sizes, n=self.n, effective=self.effective)
        return made

    @property
    def is_weighted(self) -> bool:
        """Whether lines have weights, which count no instances."""
        return self.counts is not None and self.counts.dtype.kind == "f"

    @cached_property
    def weighs_rows(self) -> bool:
        """Whether each row is drawn by itself, with a weight that the shares of classes do not tell."""
        if not self.is_weighted or self.strata is not None:
            return False
        return int(np.bincount(self.unit).max(initial=0)) <= 1

    @cached_property
    def n(self) -> int:
        """Number of rows, or of the instances that they stand for."""
        of_lines = (
            np.ones(self.unit.size, np.int64) if self.counts is None or self.is_weighted else self.counts
        )
        return int(of_lines.sum() if self.alike is None else of_lines @ self.alike[self.unit])

    @cached_property
    def total(self) -> float:
        """Number of instances, or weight, of all units."""
        return float(self.times @ self.sizes)

    @cached_property
    def effective(self) -> float:
        """Effective number of units: that many equal units would vary as much (Kish)."""
        return self.total**2 / float(self.times @ self.sizes**2)

    def effective_for(self, influence: Influence) -> float:
        """Return the effective number of the units that move a value, such as those with a class, or of all."""
        moving = self._moving(influence.psi)
        if not influence.rests_on_classes or self.weighs_rows:
            return moving
        assert influence.classes is not None
        deciding = self._deciding(influence, influence.classes)
        return min(moving, deciding) if deciding < _FEW_OF_CLASS else moving

    def rests_on_one(self, influence: Influence) -> bool:
        """Whether a value rests on a class that nearly one unit alone has, which does not tell how units vary."""
        return influence.rests_on_classes and self.n_drawn > 1 and self.effective_for(influence) < _NEARLY_ONE

    def _deciding(self, influence: Influence, classes: Ints) -> float:
        """Return how many units decide a value: those that have rows of a class on which much of it rests.

        Each class has the variance of what its units may add, were their rows alike, and as many degrees of freedom as
        units, less one (Satterthwaite 1946). All units decide if they move the value by more than that: then much of it
        is how many rows of a class each has.
        """
        held, of_class = self._by_class(classes)
        there = of_class > 0
        units = held[there] ** 2 / of_class[there]
        if units.min() >= _FEW_OF_CLASS:
            return math.inf
        variances, moved = np.zeros(units.size), 0.0
        for own in influence.parts or (influence,):
            variances += of_class[there] * own.within_classes[there] ** 2
            moved += float(self.times @ self._sum(own.psi) ** 2)
        if not variances.sum() > moved:
            return math.inf
        vary = variances > 0
        with np.errstate(divide="ignore"):
            squares = variances[vary] ** 2 / np.maximum(units[vary] - 1, 0.0)
        return 1 + float(variances.sum() ** 2 / squares.sum())

    def _by_class(self, classes: Ints) -> tuple[Floats, Floats]:
        """Sum what units have of each class, and its squares."""
        known = self._of_classes.get("last")
        if known is not None and np.array_equal(known[0], classes):
            return known[1]
        of_lines, n_classes = classes if self.entry is None else classes[self.entry], int(classes.max()) + 1
        places, n_places = self.unit * n_classes + of_lines, self.n_units * n_classes
        if n_places <= _PLACES_A_LINE * places.size:
            sizes = np.bincount(places, self.counts, n_places).astype(np.float64)
            pairs = np.flatnonzero(sizes)
            sizes = sizes[pairs]
        else:
            pairs, place = np.unique(places, return_inverse=True)
            sizes = np.bincount(place.ravel(), self.counts).astype(np.float64)
        unit, code = np.divmod(pairs, n_classes)
        times = self.times[unit]
        found = (
            np.asarray(np.bincount(code, times * sizes, n_classes), np.float64),
            np.asarray(np.bincount(code, times * sizes**2, n_classes), np.float64),
        )
        self._of_classes["last"] = classes, found
        return found

    @cached_property
    def _of_classes(self) -> dict[str, tuple[Ints, tuple[Floats, Floats]]]:
        """The last sums by class: all scores of a model read the same ones."""
        return {}

    def _moving(self, psi: Floats) -> float:
        far = np.bincount(self.unit, np.abs(self._of_lines(psi)), self.n_units)
        moves = far > _NO_MOVE * far.max(initial=0.0)
        if moves.all() or not moves.any():
            return self.effective
        sizes, times = self.sizes[moves], self.times[moves]
        return float((times @ sizes) ** 2 / (times @ sizes**2))

    def usual_weight(self, classes: Ints) -> Floats:
        """Return what a row usually weighs in the class of each entry: sum w^3 / sum w^2.

        Events of one size make sums as skewed as those of events of different sizes x if it is sum x^3 / sum x^2.
        """
        assert self.counts is not None
        times = np.ones(self.counts.size) if self.alike is None else self.alike[self.unit]
        of_lines = classes if self.entry is None else classes[self.entry]
        held, skewed = (
            np.bincount(of_lines, times * self.counts**power, int(classes.max()) + 1) for power in (2, 3)
        )
        return np.asarray(np.divide(skewed, held, out=np.zeros(held.size), where=held > 0)[classes])

    def usual_of_classes(self, classes: Ints, n_classes: int) -> Floats:
        """Return the same by class, given that of each entry; of all rows for a class without any."""
        found = np.full(n_classes, self.share_of_one)
        found[classes] = self.usual_weight(classes)
        return found

    @cached_property
    def share_of_one(self) -> float:
        """What a unit has of an entry on average, of which it has any: so much one that was not seen may have."""
        if self.entry is None:
            return self.total / float(self.times[self.unit].sum())
        n_entries = int(self.entry.max(initial=0)) + 1
        places = _distinct(self.unit * n_entries + self.entry, self.n_units * n_entries)
        return self.total / (
            places.size if self.alike is None else int(self.alike[places // n_entries].sum())
        )

    def share_below(self, entry: int) -> float:
        """Return the same of the entries below a number; of all if no unit has any of those."""
        if self.entry is None or not (lines := np.flatnonzero(self.entry < entry)).size:
            return self.share_of_one
        counts = None if self.counts is None else self.counts[lines]
        return Drawn(self.unit[lines], self.n_units, self.entry[lines], counts, alike=self.alike).share_of_one

    def squares(self, codes: Ints, n_codes: int) -> Floats:
        """Sum the squares of what each unit has of each class: what a class shares with itself.

        Parameters
        ----------
        codes : ndarray of int64
            The class of each entry: 0, ..., `n_codes` - 1.
        n_codes : int
        """
        of_lines = codes if self.entry is None else codes[self.entry]
        pieces, place = np.unique(self.unit * n_codes + of_lines, return_inverse=True)
        held = np.bincount(place.ravel(), self.counts)
        return np.asarray(
            np.bincount(pieces % n_codes, held**2 * self.times[pieces // n_codes], n_codes), np.float64
        )

    def sums(self, psi: Floats) -> Floats:
        """Sum influence values over the instances of each unit; a sum that may be a rounding error is 0."""
        known = self._summed.get("psi")
        if known is None or known[0] is not psi:
            self._summed["psi"] = known = psi, self._sum(psi)
        return known[1]

    def _sum(self, psi: Floats) -> Floats:
        few = self.entry is not None and self.n_units * psi.size <= _PLACES_A_LINE * self.unit.size
        if few and self.strata is None:
            of_units = self._by_entry(psi.size)
            return _settled(of_units @ psi, of_units @ np.abs(psi))
        of_lines = self._of_lines(psi)
        found, size = (np.bincount(self.unit, own, self.n_units) for own in (of_lines, np.abs(of_lines)))
        return _settled(found, size)

    def _of_lines(self, psi: Floats) -> Floats:
        """Return the influence of each line, times its weight."""
        of_lines = psi if self.entry is None else psi[self.entry]
        if self.strata is not None:
            # The weighted mean of each stratum does not vary with its size.
            sizes, whole = (np.bincount(self.strata, own) for own in self._weighed(of_lines))
            of_lines = of_lines - (whole / sizes)[self.strata]
        return of_lines if self.counts is None else of_lines * self.counts

    def between_runs(self, psi: Floats) -> float:
        """Return the variance of a value that is due to what all units have in common in a run; 0 without runs."""
        found = self.components(psi)
        return 0.0 if found is None else found.of_runs

    @property
    def n_runs(self) -> int:
        """Number of runs; 1 if units do not cross any."""
        return 1 if self.run is None else int(self.run.max()) + 1

    @property
    def crosses_runs(self) -> bool:
        """Whether any unit has several runs, without which nothing tells units from runs."""
        return self.run is not None and self._cells[0].size > np.unique(self._cells[0]).size

    def components(self, psi: Floats) -> Components | None:
        """Return what a value varies with; None if there are fewer than two units, or none has two runs.

        A unit may lack some of the runs: each then counts by the rows that it has.
        """
        g, m = self.n_units, self.n_runs
        if g < 2 or not self.crosses_runs:
            return None
        unit, run, cell = self._cells
        in_cell = np.bincount(cell, self._of_lines(psi), unit.size)
        of_unit, rows = np.bincount(unit, in_cell, g), np.bincount(unit, minlength=g)
        usual = (of_unit / np.maximum(rows, 1))[unit]
        apart = _settled(in_cell - usual, np.abs(in_cell) + np.abs(usual))
        squares, runs = float(apart @ apart), float(np.square(np.bincount(run, apart, m)).sum())
        scale = g / (g - 1) / float(self.sizes.sum()) ** 2
        beyond, of_rest = (
            m / (m - 1) * scale * max(own, 0.0) for own in (runs - squares, squares - runs / g)
        )
        whole = scale * float(of_unit @ of_unit)
        return Components(max(whole - of_rest, 0.0), beyond, of_rest)

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """The unit and the run of each pair of both that occurs, and that of each line."""
        assert self.run is not None
        pairs, cell = np.unique(self.unit * self.n_runs + self.run, return_inverse=True)
        return pairs // self.n_runs, pairs % self.n_runs, cell.ravel()

    def _weighed(self, of_lines: Floats) -> tuple[Floats, Floats]:
        """Return the weight of each line, and its influence times that."""
        weights = np.ones(of_lines.size) if self.counts is None else self.counts.astype(np.float64)
        return weights, weights * of_lines

    @cached_property
    def _summed(self) -> dict[str, tuple[Floats, Floats]]:
        """The last sums: intervals, tests and their degrees of freedom need the same ones."""
        return {}

    def _by_entry(self, n_entries: int) -> Floats:
        """Return how many instances of each entry each unit has, of shape (n_units, n_entries)."""
        if "by_entry" not in vars(self):
            assert self.entry is not None
            places = self.unit * n_entries + self.entry
            table = np.bincount(places, self.counts, self.n_units * n_entries)
            vars(self)["by_entry"] = table.astype(np.float64).reshape(self.n_units, n_entries)
        found: Floats = vars(self)["by_entry"]
        return found


@dataclass(frozen=True)
class Components:
    """The variance of a value by what it varies with, of which the sum is the variance.

    Attributes
    ----------
    of_units, of_runs, of_rest : float
        What rows of a unit have in common, and rows of a run; and what is left.
    """

    of_units: float
    of_runs: float
    of_rest: float

    def with_more(self, units: float = 1.0, runs: float = 1.0) -> float:
        """Return the standard error with more units, or more runs, relative to that of now.

        Examples
        --------
        >>> Components(3.0, 1.0, 0.0).with_more(runs=4), Components(4.0, 0.0, 0.0).with_more(units=4)
        (0.9013878188659973, 0.5)
        """
        now = self.of_units + self.of_runs + self.of_rest
        more = self.of_units / units + self.of_runs / runs + self.of_rest / (units * runs)
        return math.sqrt(more / now) if now > 0 else math.nan


def _distinct(places: Ints, size: int) -> Ints:
    """Return those of the places below `size` that occur: NumPy's hashes of millions take many times longer."""
    if size <= _PLACES_A_LINE * places.size:
        there = np.zeros(size, np.bool_)
        there[places] = True
        return np.flatnonzero(there)
    ordered = np.sort(places)
    is_new = np.append(True, ordered[1:] != ordered[:-1])
    return np.asarray(ordered[is_new])


def _settled(found: Numbers, size: Numbers) -> Floats:
    """Make sums 0 that may be rounding errors of parts of this size."""
    return np.where(np.abs(found) <= ROUNDING * size, 0.0, found)


def variance_of(influence: Influence, drawn: Drawn | None = None) -> float:
    """Return the sampling variance of a value; nan for fewer than two instances or units.

    Parameters
    ----------
    influence : Influence
    drawn : Drawn, optional
        Default: the instances were sampled independently.
    """
    if drawn is None:
        n = influence.n
        return influence.moment(2) / (n * (n - 1)) if n >= 2 else math.nan
    if (g := drawn.n_drawn) < 2:
        return math.nan
    squares = float(drawn.times @ np.square(drawn.sums(influence.psi)))
    return g / (g - 1) * squares / drawn.total**2 + drawn.between_runs(influence.psi)


def freedom_of(influence: Influence, drawn: Drawn | None) -> float | None:
    """Return the degrees of freedom of a variance; None for that of the normal distribution.

    Those of units and of runs are put together in proportion to their squared variances (Satterthwaite 1946).
    """
    if drawn is None:
        return None
    freedom, runs = max(drawn.effective_for(influence) - 1, 1.0), drawn.between_runs(influence.psi)
    if not runs > 0:
        return freedom
    whole = variance_of(influence, drawn)
    return whole**2 / ((whole - runs) ** 2 / freedom + runs**2 / (drawn.n_runs - 1))


def either_way(influence: Influence, drawn: Drawn | None = None) -> Influence:
    """Allow for an event that was not seen to move a difference as far as any did, in either direction.

    Parameters
    ----------
    influence : Influence
        On a difference of two values, whose roles might be exchanged.
    drawn : Drawn, optional
        How the instances were sampled; default: independently.
    """
    if drawn is None:
        there = slice(None) if influence.counts is None else influence.counts > 0
        steps = influence.psi[there] / influence.n
    else:
        steps = drawn.sums(influence.psi) / drawn.total
    far = float(np.abs(steps).max(initial=0.0))
    rise, fall = (far if math.isnan(end) else max(end, far) for end in (influence.rise, influence.fall))
    return replace(influence, rise=rise, fall=fall)
