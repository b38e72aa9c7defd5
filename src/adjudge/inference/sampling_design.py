"""How rows were sampled: independently, several together as one unit, or with sampling weights.

Rows of one unit (visits of a patient, sentences of a document) are alike, so what varies from sample to sample is a
unit's sum of influence values. A row with a sampling weight is a unit of that size. Either way, the variance of a value
is that of the sum over units, and its degrees of freedom are the effective number of units minus one.

References
----------
Kish (1965), Survey Sampling, section 8.2 (effective number of units).
Carter, Schnepel & Steigerwald (2017), Review of Economics and Statistics 99, 698-709 (degrees of freedom of clusters of
unequal size).
Lumley (2010), Complex Surveys, appendix C (influence functions under a design).
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


@dataclass(frozen=True, eq=False)
class Drawn:
    """The sampled units, line by line: how many instances of which entry each unit has.

    Rows that were sampled independently have no such object, but None.

    Attributes
    ----------
    unit : ndarray of int64 of shape (lines,)
        0, ..., n_units - 1.
    n_units : int
    entry : ndarray of int64 of shape (lines,) or None
        Position among the entries of an :class:`Influence`; None if each line is an entry.
    counts : ndarray of shape (lines,) or None
        Number of instances of each line, or its weight; None for 1 each.
    strata : ndarray of int64 of shape (lines,) or None
        Parts of the population whose sizes are known, so that only what instances add within each of them varies.
    """

    unit: Ints
    n_units: int
    entry: Ints | None = None
    counts: Numbers | None = None
    strata: Ints | None = None

    @cached_property
    def sizes(self) -> Floats:
        """Number of instances, or weight, of each unit."""
        return np.asarray(np.bincount(self.unit, self.counts, self.n_units), np.float64)

    def with_entries(self, entry: Ints, lines: Ints | None = None) -> Drawn:
        """Return the same units with other entries; of the lines, perhaps only those that have any influence."""
        unit = self.unit if lines is None else self.unit[lines]
        counts = self.counts if lines is None or self.counts is None else self.counts[lines]
        strata = None if lines is None or self.strata is None else self.strata[lines]
        made = Drawn(unit, self.n_units, entry, counts, self.strata if lines is None else strata)
        # These are of all lines, and are summed once.
        vars(made).update(sizes=self.sizes, n=self.n, effective=self.effective)
        return made

    @cached_property
    def n(self) -> int:
        """Number of rows, or of the instances that they stand for."""
        return (
            self.unit.size if self.counts is None or self.counts.dtype.kind == "f" else int(self.counts.sum())
        )

    @cached_property
    def effective(self) -> float:
        """Effective number of units: that many equal units would vary as much (Kish)."""
        return float(self.sizes.sum()) ** 2 / float(self.sizes @ self.sizes)

    @cached_property
    def share_of_one(self) -> float:
        """What a unit has of an entry on average, of which it has any: so much one that was not seen may have."""
        mass = float(self.unit.size if self.counts is None else self.counts.sum())
        if self.entry is None:
            return mass / self.unit.size
        n_entries = int(self.entry.max(initial=0)) + 1
        return mass / _n_distinct(self.unit * n_entries + self.entry, self.n_units * n_entries)

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
        return np.asarray(np.bincount(pieces % n_codes, held**2, n_codes), np.float64)

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
        of_lines = psi if self.entry is None else psi[self.entry]
        if self.strata is not None:
            # The weighted mean of each stratum does not vary with its size.
            sizes, whole = (np.bincount(self.strata, own) for own in self._weighed(of_lines))
            of_lines = of_lines - (whole / sizes)[self.strata]
        if self.counts is not None:
            of_lines = of_lines * self.counts
        found, size = (np.bincount(self.unit, own, self.n_units) for own in (of_lines, np.abs(of_lines)))
        return _settled(found, size)

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


def _n_distinct(places: Ints, size: int) -> int:
    """Count how many of the places below `size` occur: NumPy's hashes of millions take many times longer."""
    if size <= _PLACES_A_LINE * places.size:
        there = np.zeros(size, np.bool_)
        there[places] = True
        return int(np.count_nonzero(there))
    ordered = np.sort(places)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


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
    if (g := drawn.n_units) < 2:
        return math.nan
    sums, total = drawn.sums(influence.psi), float(drawn.sizes.sum())
    return g / (g - 1) * float(np.square(sums).sum()) / total**2


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
        steps = drawn.sums(influence.psi) / float(drawn.sizes.sum())
    far = float(np.abs(steps).max(initial=0.0))
    rise, fall = (far if math.isnan(end) else max(end, far) for end in (influence.rise, influence.fall))
    return replace(influence, rise=rise, fall=fall)
