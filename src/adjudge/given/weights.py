"""Weights of instances: finite numbers of at least 0, one for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, InputTypeError, Option, Position
from adjudge.given.alignment import AlignedLabels
from adjudge.given.arrays import numbers_of_objects, to_numpy
from adjudge.given.counts import checked_counts
from adjudge.given.options import check_choice

__all__ = ["MEANINGS", "Weighting", "as_weights", "whole_weights"]

MEANINGS = ("frequency", "importance")

# Squares of weights up to here, and sums of very many of them, are far from the ends of floating point.
_LARGEST = 1e100


def as_weights(
    sample_weight: Any, n: int, kept: NDArray[np.int64] | None = None, *, name: str = "sample_weight"
) -> NDArray[np.float64]:
    """Check the weights of instances.

    Parameters
    ----------
    sample_weight : array-like of shape (n,)
    n : int
        Number of instances in the input.
    kept : ndarray of int64, optional
        Positions of the instances that are left; default: all.
    name : str
        Name for errors.

    Returns
    -------
    ndarray of float64 of shape (n,), or of the length of `kept`

    Raises
    ------
    InputError
        For weights that are not one for each instance, negative, not finite, beyond 1e100, or all 0.
    InputTypeError
        If it is not a sequence of numbers.
    """
    try:
        given = numbers_of_objects(to_numpy(sample_weight, name))
    except ValueError:
        raise InputError(Argument(name), " is nested: one number for each instance is needed") from None
    if given.dtype.kind not in "iubf":
        raise InputTypeError(Argument(name), f" has dtype {given.dtype}: weights are numbers")
    if given.shape != (n,):
        raise InputError(Argument(name), f" has shape {given.shape}, there are {n} instances")
    weights = np.ascontiguousarray(given, np.float64)
    usable = (weights >= 0) & (weights <= _LARGEST)
    if not usable.all():
        where = int(np.argmin(usable))
        value = float(weights[where])
        limit = f" and up to {_LARGEST:g}" if value > 0 else ""
        raise InputError(
            Argument(name), f" has {value!r} ", Position(where), f": a number of at least 0{limit} is needed"
        )
    if kept is not None:
        weights = weights[kept]
    if not weights.any():
        raise InputError(Argument(name), " is 0 everywhere: at least one weight must be positive")
    return weights


def whole_weights(weights: NDArray[np.float64], *, name: str = "sample_weight") -> NDArray[np.int64]:
    """Return frequency weights as counts: a row stands for a whole number of instances.

    Raises
    ------
    InputError
        For weights that are not whole: pairs of fractions of an instance mean nothing.
    """
    broken = np.flatnonzero(weights != np.floor(weights))
    if broken.size:
        raise InputError(
            Argument(name),
            f" has {float(weights[broken[0]])!r}, which is not a number of instances: give whole "
            "numbers, or pass ",
            Option("weights", "importance"),
        )
    return weights.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Weighting:
    """How much each row counts, as it was given.

    Attributes
    ----------
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), optional
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means.
    """

    counts: Any = None
    sample_weight: Any = None
    weights: str | None = None

    def __post_init__(self) -> None:
        if self.weights is not None:
            check_choice("weights", self.weights, MEANINGS)
            if self.sample_weight is None:
                raise InputError(Option("weights"), " says what weights mean: give ", Option("sample_weight"))
        if self.counts is not None and self.sample_weight is not None:
            raise InputError(
                Option("counts"), " and ", Option("sample_weight"), " were given: give one of them"
            )

    def of(
        self, aligned: AlignedLabels, kind: str = "clustering"
    ) -> NDArray[np.int64] | NDArray[np.float64] | None:
        """Return how much each instance that is left counts: integers for repetition, floats for sampling weights.

        Parameters
        ----------
        aligned : AlignedLabels
        kind : {"clustering", "classification"}
            Scores of classifiers are the same for both meanings of weights.
        """
        if self.sample_weight is None:
            return checked_counts(self.counts, aligned)
        if self.weights is None and kind == "clustering":
            raise InputError(
                Option("sample_weight"),
                " can mean two things: pass ",
                Option("weights", "frequency"),
                " if each row stands for that number of instances, or ",
                Option("weights", "importance"),
                " for sampling weights",
            )
        values = as_weights(self.sample_weight, aligned.n_given, aligned.kept)
        return whole_weights(values) if self.weights == "frequency" else values
