"""How rows were drawn: each for itself, several together as one unit, or with sampling weights.

Rows of one unit (visits of a patient, sentences of a document) are alike, so that what varies from sample to sample is
a unit's sum of influence values. A row with a sampling weight is a unit of that size. Either way the variance of a
value is that of the sum over units, and its degrees of freedom are those of as many units of one size as would vary as
much, less one.

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
from adjudge.inference.influence import Influence

__all__ = ["Drawn", "Error", "decided_by_few", "error_by_class", "error_of"]


class Error(NamedTuple):
    """How much a value varies.

    Attributes
    ----------
    variance : float
    freedom : float
        Degrees of freedom of the variance.
    worth : float
        Instances, or units, that vary.
    """

    variance: float
    freedom: float
    worth: float


@dataclass(frozen=True, eq=False)
class Drawn:
    """Units that were drawn, line by line: which unit has how many instances of which entry.

    Rows that were each drawn for itself have none of it: None stands for them.

    Attributes
    ----------
    unit : ndarray of int64 of shape (lines,)
        0, ..., n_units - 1.
    n_units : int
    entry : ndarray of int64 of shape (lines,) or None
        Place among the entries of an :class:`Influence`; None if each line is an entry.
    counts : ndarray of shape (lines,) or None
        Instances of each line, or its weight; None for one.
    """

    unit: Ints
    n_units: int
    entry: Ints | None = None
    counts: Numbers | None = None

    @cached_property
    def sizes(self) -> Floats:
        """Instances, or weight, of each unit."""
        return np.asarray(np.bincount(self.unit, self.counts, self.n_units), np.float64)

    @property
    def n(self) -> int:
        """Number of rows, or of instances that they stand for."""
        return (
            self.unit.size if self.counts is None or self.counts.dtype.kind == "f" else int(self.counts.sum())
        )

    @cached_property
    def effective(self) -> float:
        """As many units of one size would vary as much (Kish)."""
        return float(self.sizes.sum()) ** 2 / float(self.sizes @ self.sizes)

    @cached_property
    def of_one(self) -> float:
        """Weight of an instance: 1, or of sampling weights that with which as many would vary as much."""
        if self.counts is None or self.counts.dtype.kind != "f":
            return 1.0
        return float(self.counts @ self.counts) / float(self.counts.sum())

    def rows_of(self, codes: Ints, n_codes: int) -> Floats | None:
        """Rows of one weight that would vary as much, by class of the entries (Kish); None without sampling weights.

        Parameters
        ----------
        codes : ndarray of int64
            The class of each entry: 0, ..., `n_codes` - 1.
        n_codes : int
        """
        if self.counts is None or self.counts.dtype.kind != "f":
            return None
        weights = self.counts / self.counts.max()  # whose squares are numbers
        of_lines = codes if self.entry is None else codes[self.entry]
        sums, squares = (np.bincount(of_lines, own, n_codes) for own in (weights, weights**2))
        return np.asarray(np.divide(sums**2, squares, where=squares > 0, out=np.zeros(n_codes)))

    def sums(self, psi: Floats) -> Floats:
        """Sum influence values over the instances of each unit."""
        of_lines = psi if self.entry is None else psi[self.entry]
        if self.counts is not None:
            of_lines = of_lines * self.counts
        return np.asarray(np.bincount(self.unit, of_lines, self.n_units), np.float64)


def error_of(influence: Influence, drawn: Drawn | None = None) -> Error:
    """Return how much a value varies from sample to sample.

    Parameters
    ----------
    influence : Influence
    drawn : Drawn, optional
        Default: every instance was drawn for itself.
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
    variance = g / (g - 1) * float(sums @ sums) / total**2
    return Error(variance, max(drawn.effective - 1, 1.0), drawn.effective)


def decided_by_few(error: Error, influence: Influence, drawn: Drawn | None = None) -> Error:
    """Leave a variance the degrees of freedom of the instances, or units, that it hangs on (Satterthwaite).

    If influence values have the kurtosis k, their variance varies as that of 2 n / (k - 1) normal ones does. Of units,
    their sums count as well: if rows are alike, few units may hold all the rows that decide.
    """
    freedom = error.freedom
    for own, of_one in _deciding(influence, drawn):
        events, n = own.events / of_one, own.n / of_one
        if 0 < events < n:  # influence values all of one size say nothing against the freedom there is
            freedom = max(1.0, min(freedom, 2 * events * n / (n - events)))
    return error._replace(freedom=freedom)


def _deciding(influence: Influence, drawn: Drawn | None) -> Iterator[tuple[Influence, float]]:
    """Yield what may hang on few: rows, and sums of units, each with the weight of one."""
    if drawn is None:
        yield influence, 1.0
        return
    yield influence, 1.0 if influence.counts is None else drawn.of_one
    yield Influence(influence.value, drawn.sums(influence.psi)), 1.0


def error_by_class(influence: Influence, codes: Ints) -> Error:
    """Return how much a value varies that hangs on each class apart: rare classes leave few degrees of freedom.

    Parameters
    ----------
    influence : Influence
        Of instances, each drawn for itself.
    codes : ndarray of int64 of shape (n,)
        The class of each; those with an instance have two at least.

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
