"""Weights of instances: finite numbers of at least 0, one for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, in_words
from adjudge.given.alignment import Rows
from adjudge.given.arrays import number_array, numbers_of_objects, to_numpy
from adjudge.given.counts import checked_counts
from adjudge.given.labels import Column
from adjudge.given.options import check_choice

MEANINGS = ("frequency", "importance")

# Squares of weights up to here, and sums of very many of them, stay well within floating point.
_LARGEST = 1e100
# If all are smaller than this, their squares may be lost.
_SMALLEST = 1e-100


def as_weights(sample_weight: Any, n: int, kept: Ints | None = None, *, counts: bool = False) -> Floats:
    """Check the weights of instances.

    Sampling weights have no scale: very large or small ones are multiplied by a power of two, which keeps their digits.

    Parameters
    ----------
    sample_weight : array-like of shape (n,)
    n : int
        Number of instances in the input.
    kept : ndarray of int64, optional
        Positions of the remaining instances; default: all.
    counts : bool
        Whether they are numbers of instances, which have a scale.

    Returns
    -------
    ndarray of float64 of shape (n,), or of the length of `kept`

    Raises
    ------
    InputError
        If there is not one weight for each instance, or if weights are negative, not finite, or all 0; counts may be
        1e100 at most.
    InputTypeError
        If it is not a sequence of numbers.
    """
    name = "sample_weight"
    given = number_array(sample_weight, name, " is nested: one number for each instance is needed")
    if given.dtype.kind not in "iubf":
        raise InputTypeError(Argument(name), f" has dtype {given.dtype}: weights are numbers")
    if given.shape != (n,):
        raise InputError(Argument(name), f" has shape {given.shape}, but there are {n} instances")
    weights = np.ascontiguousarray(given, np.float64)
    usable = (weights >= 0) & (weights <= (_LARGEST if counts else np.finfo(np.float64).max))
    if not usable.all():
        where = int(np.argmin(usable))
        raise _unusable(float(weights[where]), name, Position(where))
    if kept is not None:
        weights = weights[kept]
    if not weights.any():
        raise _all_zero(name)
    largest = float(weights.max())
    if counts or _SMALLEST <= largest <= _LARGEST:
        return weights
    return np.ldexp(weights, -math.frexp(largest)[1])


def _unusable(value: float, name: str, *where: Position) -> InputError:
    limit = " and up to 1e+100" if _LARGEST < value < math.inf else ""
    place = [" ", *where] if where else []
    what = "a finite number" if math.isinf(value) else "a number"
    return InputError(
        Argument(name), f" has {in_words(value)}", *place, f": {what} of at least 0{limit} is needed"
    )


def _all_zero(name: str) -> InputError:
    return InputError(Argument(name), " is 0 everywhere: at least one weight must be positive")


def whole_weights(weights: Floats) -> Ints:
    """Return frequency weights as counts: a row stands for a whole number of instances.

    Raises
    ------
    InputError
        If weights are not whole: pairs of fractions of an instance have no meaning.
    """
    broken = np.flatnonzero(weights != np.floor(weights))
    if broken.size:
        raise _not_whole(float(weights[broken[0]]))
    return weights.astype(np.int64)


def _not_whole(value: float) -> InputError:
    return InputError(
        Argument("sample_weight"),
        f" has {in_words(value)}, which is not a number of instances: give whole numbers, or pass ",
        Option("weights", "importance"),
    )


@dataclass(frozen=True, eq=False)
class WeightSums:
    """Weights of rows that are already grouped: each entry stands for several rows.

    Attributes
    ----------
    sums, squares : ndarray of float64 of shape (n,)
        Sums of the weights of an entry's rows, and of their squares.
    fraction : float or None
        A weight that is not a whole number, if there is one.
    """

    sums: Floats
    squares: Floats
    fraction: float | None = None

    @classmethod
    def checked(
        cls,
        sums: NDArray[Any],
        squares: NDArray[Any],
        *,
        extremes: tuple[float, float],
        fraction: float | None,
        name: str,
    ) -> WeightSums:
        """Accept the sums of an engine, if the weights can be used.

        Parameters
        ----------
        sums, squares : ndarray of shape (n,)
        extremes : tuple of float
            The smallest and the largest weight; nan if one is missing.
        fraction : float or None
        name : str
            What messages call the weights.
        """
        for value in extremes:
            if not 0 <= value <= _LARGEST:
                raise _unusable(value, name)
        if max(extremes) == 0:
            raise _all_zero(name)
        if max(extremes) < _SMALLEST:
            raise InputError(
                Argument(name), f" is {max(extremes)!r} at most: multiply the weights, whose squares are lost"
            )
        return cls(np.asarray(sums, np.float64), np.asarray(squares, np.float64), fraction)

    def take(self, kept: Ints) -> WeightSums:
        """Return the entries at some positions."""
        return WeightSums(self.sums[kept], self.squares[kept], self.fraction)


@dataclass(frozen=True, eq=False)
class PointWeights:
    """Weights of points, none of which is 0.

    Attributes
    ----------
    values : ndarray of float64 of shape (n,)
        Sampling weights have a mean of 1: only their ratios matter.
    repeats : bool
        Whether a weight counts equal points, which have pairs among themselves.
    """

    values: Floats
    repeats: bool

    @classmethod
    def of(cls, weights: NDArray[Any]) -> PointWeights:
        """Read integers as repetition, floats as sampling weights."""
        values = np.asarray(weights, np.float64)
        repeats = weights.dtype.kind != "f"
        return cls(values if repeats else values * (values.size / values.sum()), repeats)

    def of_clusters(self, codes: Ints) -> Floats:
        """Return the weight of each cluster."""
        return np.asarray(np.bincount(codes, self.values), np.float64)

    def pairs_within(self, codes: Ints) -> Floats:
        """Return the weight of the pairs in each cluster."""
        sums = self.of_clusters(codes)
        alone = sums if self.repeats else np.bincount(codes, self.values**2)
        return np.maximum(sums * sums - alone, 0.0) / 2

    def degrees(self, codes: Ints) -> tuple[Floats, float]:
        """Degrees of freedom of each cluster, and of all points: twice the weight of their pairs over their weight."""
        everyone = np.zeros_like(codes)
        within, in_all = (2 * self.pairs_within(c) / self.of_clusters(c) for c in (codes, everyone))
        return within, float(in_all[0])

    def others(self, codes: Ints) -> Floats:
        """Return, for each point, the weight of the others in its cluster."""
        others = self.of_clusters(codes)[codes] - (1.0 if self.repeats else self.values)
        if not self.repeats:
            others[np.bincount(codes)[codes] == 1] = 0.0
        return others


def _name_of(given: Any, option: str) -> str:
    """Return the name of a column, or the option if it has none."""
    named = given.heading if isinstance(given, Column) else getattr(given, "name", None)
    return option if named is None else str(named)


@dataclass(frozen=True, eq=False)
class Weighting:
    """How rows were sampled, as given: how much each counts, and the unit that it belongs to.

    Attributes
    ----------
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), or WeightSums, optional
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means.
    units : array-like of shape (n,), or Column, optional
        Rows with the same value were sampled together.
    runs : array-like of shape (n,), or Column, optional
        In which run the unit of each row was judged, if all units were judged in several.
    """

    counts: Any = None
    sample_weight: Any = None
    weights: str | None = None
    units: Any = None
    runs: Any = None

    def __post_init__(self) -> None:
        if self.weights is not None:
            check_choice("weights", self.weights, MEANINGS)
            if self.sample_weight is None:
                raise InputError(Option("weights"), " says what weights mean: give ", Option("sample_weight"))
        if self.counts is not None and self.sample_weight is not None:
            raise InputError(
                Option("counts"), " and ", Option("sample_weight"), " were given: give one of them"
            )
        if self.runs is not None and self.units is None:
            raise InputError(
                Option("runs"), " says in which run an item was judged: name the items with ", Option("units")
            )

    @property
    def n_given(self) -> int | None:
        """Number of instances given, if rows stand for several; None if it is the number of rows."""
        if self.counts is not None:
            return int(np.sum(self.counts))
        if self.weights == "frequency":
            return int(np.sum(self._values))
        return None

    @property
    def absent(self) -> Bools | None:
        """Rows of weight 0, which are left out as if they were not there; None without any, or if all are."""
        name, given = (
            ("counts", self.counts) if self.sample_weight is None else ("sample_weight", self._values)
        )
        if given is None:
            return None
        try:
            numbers = numbers_of_objects(to_numpy(given, name))
        except ValueError:  # nested: the check of the weights says so
            return None
        zero = numbers == 0 if numbers.ndim == 1 and numbers.dtype.kind in "iubf" else np.zeros(0, np.bool_)
        return zero if zero.any() and not zero.all() else None

    @property
    def is_given(self) -> bool:
        """Whether rows may count differently."""
        return self.counts is not None or self.sample_weight is not None

    @property
    def draws_rows(self) -> bool:
        """Whether each row was sampled with its own weight: then standard errors depend on the weights."""
        return self.weights == "importance" and not isinstance(self.sample_weight, WeightSums)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the verbs that this was made from."""
        return dict(vars(self))

    @property
    def rows(self) -> dict[str, Any]:
        """The options with one row per instance, except counts."""
        return {"sample_weight": self.sample_weight, "units": self.units, "runs": self.runs}

    @property
    def beside(self) -> dict[str, Any]:
        """The columns that must be aligned with the labels."""
        given = {"units": self.units, "runs": self.runs}
        return {name: own for name, own in given.items() if own is not None}

    def settings(self) -> dict[str, Any]:
        """Return what a result says about the weights, the units and the runs."""
        found = {} if self.sample_weight is None else {"weights": self.weights}
        return {**found, **{option: _name_of(own, option) for option, own in self.beside.items()}}

    @property
    def _values(self) -> Any:
        return self.sample_weight.sums if isinstance(self.sample_weight, WeightSums) else self.sample_weight

    def squares_of(self, rows: Rows) -> Floats | None:
        """Return the sums of squared weights of the remaining entries; None if each is one instance."""
        if not isinstance(self.sample_weight, WeightSums):
            return None
        squares = self.sample_weight.squares
        return squares if rows.kept is None else squares[rows.kept]

    def of(self, rows: Rows, kind: str = "clustering") -> Ints | Floats | None:
        """Return how much each remaining instance counts: integers for repetition, floats for sampling weights.

        Parameters
        ----------
        rows : Rows
            The instances that remain.
        kind : {"clustering", "classification"}
            Scores of classifiers are the same for both meanings of weights.
        """
        if self.sample_weight is None:
            return checked_counts(self.counts, rows)
        if self.weights is None and kind == "clustering":
            raise InputError(
                Option("sample_weight"),
                " can mean two things: pass ",
                Option("weights", "frequency"),
                " if each row stands for that number of instances, or ",
                Option("weights", "importance"),
                " for sampling weights",
            )
        are_counts = self.weights == "frequency" or isinstance(self.sample_weight, WeightSums)
        values = as_weights(self._values, rows.n_given, rows.kept, counts=are_counts)
        if self.weights != "frequency":
            return values
        if isinstance(self.sample_weight, WeightSums) and self.sample_weight.fraction is not None:
            raise _not_whole(self.sample_weight.fraction)
        return whole_weights(values)
