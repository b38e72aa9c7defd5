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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from adjudge.inference.arrays import Floats, Ints, Numbers
from adjudge.inference.influence import ROUNDING, Influence

__all__ = ["Drawn", "Error", "decided_by_few", "error_by_class", "error_of"]


# With few entries, each unit's are counted once: at most this many counts for each line.
_PLACES_A_LINE = 2


class Error(NamedTuple):
    """The sampling error of a value.

    Attributes
    ----------
    variance : float
    freedom : float
        Degrees of freedom of the variance.
    worth : float
        Number of instances, or effective number of units.
    """

    variance: float
    freedom: float
    worth: float


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
    """

    unit: Ints
    n_units: int
    entry: Ints | None = None
    counts: Numbers | None = None

    @cached_property
    def sizes(self) -> Floats:
        """Number of instances, or weight, of each unit."""
        return np.asarray(np.bincount(self.unit, self.counts, self.n_units), np.float64)

    def with_entries(self, entry: Ints, lines: Ints | None = None) -> Drawn:
        """Return the same units with other entries; of the lines, perhaps only those that have any influence."""
        unit = self.unit if lines is None else self.unit[lines]
        counts = self.counts if lines is None or self.counts is None else self.counts[lines]
        made = Drawn(unit, self.n_units, entry, counts)
        # These are of all lines, and are summed once.
        vars(made).update(sizes=self.sizes, n=self.n, effective=self.effective, of_one=self.of_one)
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
    def of_one(self) -> float:
        """Weight of an instance: 1, or with sampling weights the common weight that gives the same variance."""
        if self.counts is None or self.counts.dtype.kind != "f":
            return 1.0
        return float(self.counts @ self.counts) / float(self.counts.sum())

    def rows_of(self, codes: Ints, n_codes: int) -> Floats | None:
        """Return the effective number of rows by class of the entries (Kish); None without sampling weights.

        Parameters
        ----------
        codes : ndarray of int64
            The class of each entry: 0, ..., `n_codes` - 1.
        n_codes : int
        """
        if self.counts is None or self.counts.dtype.kind != "f":
            return None
        weights = self.counts / self.counts.max()  # so that squares stay finite
        of_lines = codes if self.entry is None else codes[self.entry]
        sums, squares = (np.bincount(of_lines, own, n_codes) for own in (weights, weights**2))
        return np.asarray(np.divide(sums**2, squares, where=squares > 0, out=np.zeros(n_codes)))

    def sums(self, psi: Floats) -> Floats:
        """Sum influence values over the instances of each unit; a sum that may be a rounding error is 0."""
        known = self._summed.get("psi")
        if known is None or known[0] is not psi:
            self._summed["psi"] = known = psi, self._sum(psi)
        return known[1]

    def _sum(self, psi: Floats) -> Floats:
        if self.entry is not None and self.n_units * psi.size <= _PLACES_A_LINE * self.unit.size:
            of_units = self._by_entry(psi.size)
            return _settled(of_units @ psi, of_units @ np.abs(psi))
        of_lines = psi if self.entry is None else psi[self.entry]
        if self.counts is not None:
            of_lines = of_lines * self.counts
        found, size = (np.bincount(self.unit, own, self.n_units) for own in (of_lines, np.abs(of_lines)))
        return _settled(found, size)

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


def _settled(found: Numbers, size: Numbers) -> Floats:
    """Make sums 0 that may be rounding errors of parts of this size."""
    return np.where(np.abs(found) <= ROUNDING * size, 0.0, found)


def error_of(influence: Influence, drawn: Drawn | None = None) -> Error:
    """Return the sampling error of a value.

    Parameters
    ----------
    influence : Influence
    drawn : Drawn, optional
        Default: the instances were sampled independently.
    """
    if drawn is None:
        n = influence.n
        if n < 2:
            return Error(math.nan, math.nan, n)
        variance = influence.moment(2) / (n * (n - 1))
        return Error(max(variance, influence.least), n - 1, n)
    if drawn.n_units < 2:
        return Error(math.nan, math.nan, float(drawn.n_units))
    sums, total, g = drawn.sums(influence.psi), float(drawn.sizes.sum()), drawn.n_units
    variance = g / (g - 1) * float(np.square(sums).sum()) / total**2
    return Error(variance, max(drawn.effective - 1, 1.0), drawn.effective)


def decided_by_few(error: Error, influence: Influence, drawn: Drawn | None = None) -> Error:
    """Limit the degrees of freedom of a variance to the instances or units that it depends on (Satterthwaite).

    If influence values have kurtosis k, their variance varies like that of 2 n / (k - 1) normal values. With units,
    their sums count as well: if rows are alike, a few units may hold all the rows that decide the value.
    """
    freedom = error.freedom
    for own, of_one in _deciding(influence, drawn):
        events, n = own.events / of_one, own.n / of_one
        if 0 < events < n:  # influence values of equal size give no reason to reduce the degrees of freedom
            freedom = max(1.0, min(freedom, 2 * events * n / (n - events)))
    return error._replace(freedom=freedom)


def _deciding(influence: Influence, drawn: Drawn | None) -> Iterator[tuple[Influence, float]]:
    """Yield the influence of rows and of units, on few of which a value may depend, each with the weight of one."""
    if drawn is None:
        yield influence, 1.0
        return
    yield influence, 1.0 if influence.counts is None else drawn.of_one
    yield Influence(influence.value, drawn.sums(influence.psi)), 1.0


def error_by_class(influence: Influence, codes: Ints) -> Error:
    """Return the sampling error from the variances within and between classes; rare ones leave few degrees of freedom.

    Parameters
    ----------
    influence : Influence
        Of independent instances, one per entry.
    codes : ndarray of int64 of shape (n,)
        The class of each instance; a class that occurs has at least two.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    n, sizes = codes.size, np.maximum(np.bincount(codes), 1)
    sums, fewer = np.bincount(codes, influence.psi), np.maximum(sizes - 1, 1)
    squares = np.maximum(np.bincount(codes, influence.psi**2) - sums**2 / sizes, 0.0)
    within, between = squares * sizes / fewer / n**2, float(sums**2 @ (1 / sizes)) / n**2
    variance = float(within.sum()) + between
    doubt = float((within**2 / fewer).sum()) + between**2 / (n - 1)
    return Error(variance, min(variance**2 / doubt, n - 1.0) if doubt > 0 else n - 1.0, n)
