"""Losses of probabilities of classes in an order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import UndefinedStatisticError
from adjudge.given.class_order import places_in_order
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import brier_of_each

# Probabilities that are added up at a time.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class OrderedLosses:
    """The sum of a loss that grows with the distance between the forecast and the true class.

    Attributes
    ----------
    ranked : float
        Sum of the ranked probability scores.
    sizes : ndarray of shape (C,)
        Instances of each class, or their weight.
    reason : str or None
        Why there is no such sum.
    """

    made_from: ClassVar[tuple[type, ...]] = (ProbabilityForecasts,)

    ranked: float
    sizes: NDArray[Any]
    reason: str | None = None

    @classmethod
    def make(cls, forecasts: ProbabilityForecasts) -> OrderedLosses:
        """Sum the losses of all instances."""
        try:
            found = ranked_of_each(forecasts)
        except UndefinedStatisticError as error:
            return cls(math.nan, forecasts.sizes, str(error))
        if forecasts.weights is not None:
            found = found * forecasts.weights
        return cls(float(found.sum()), forecasts.sizes)

    @property
    def total(self) -> Any:
        """Number of instances, or their weight."""
        return self.sizes.sum().item()


def ranked_of_each(forecasts: ProbabilityForecasts) -> Floats:
    """Return the ranked probability score of each instance: the squared differences of cumulative probabilities.

    Raises
    ------
    UndefinedStatisticError
        If the order of three classes or more is not known.
    """
    if forecasts.k == 2:  # either order
        return brier_of_each(forecasts)
    order = np.argsort(places_in_order(forecasts.classes, forecasts.orders))
    places = np.empty(order.size, np.int64)
    places[order] = np.arange(order.size)
    found, step = np.empty(forecasts.n), max(1, _BLOCK // forecasts.k)
    for first in range(0, forecasts.n, step):
        some = slice(first, first + step)
        reached = np.cumsum(forecasts.shares_of(some)[:, order[:-1]], axis=1)
        reached -= places[forecasts.codes[some], None] <= np.arange(order.size - 1)
        found[some] = np.einsum("ij,ij->i", reached, reached)
    return found
