"""Influence of each instance on areas and average precisions, and on their means over classes.

An area under the ROC curve changes with an instance by its placement among the others (DeLong); a mean over the
classes, or over their pairs, by the sum of these. Average precision is the mean of a ratio at the scores of the class:
an instance counts there by the precision at its own score, and changes the precision at all scores up to its own.

How many instances of each class there are is chance as well. It changes whom a class is compared with, what share of
the instances it is, and what it weighs; that is part of the influence.

Average precision is too large in a sample: an instance of the class is among those that score at least as high as it
does, so that the precision at its score is (1 + right) / (1 + others), where right / others would have no bias.

References
----------
DeLong, DeLong & Clarke-Pearson (1988); Hampel (1974), The influence curve and its role in robust estimation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.forecasts.auc import placements
from adjudge.inference.forecasts.ordered_scores import OrderedScores
from adjudge.statistics.forecasts import Forecasts

__all__ = ["RANK_MEANS", "Moved", "RankMean", "Spread", "between_classes", "moved_means", "spread"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Moved(NamedTuple):
    """What instances do to a value.

    Attributes
    ----------
    influence : ndarray of float64 of shape (n,)
        By how much each moves it, times the number of instances; 0 on average.
    excess : float
        By how much it is larger in a sample than among all instances, on average.
    spare : float
        By how much less the excess may be.
    """

    influence: Floats
    excess: float = 0.0
    spare: float = 0.0


def _of_area(forecasts: Forecasts, code: int) -> tuple[float, Moved]:
    """Area of a class against the rest, and what moves it."""
    inside, placed = forecasts.codes == code, placements(forecasts, code)
    n, m, area = inside.size, placed.of_positives.size, placed.area
    influence = np.empty(n)
    influence[inside] = (placed.of_positives - area) * (n / m)
    influence[~inside] = (placed.of_negatives - area) * (n / (n - m))
    return area, Moved(influence)


def _of_precision(forecasts: Forecasts, code: int) -> tuple[float, Moved]:
    """Average precision of a class, and what moves it."""
    inside, column = forecasts.codes == code, OrderedScores.of(forecasts.column(code))
    n, m = inside.size, int(inside.sum())
    members = np.where(inside, 1.0, 0.0)
    # Of each instance: how many score at least as high, and how many of these are of the class.
    reached, right = n - column.up_to(np.ones(n))[0], m - column.up_to(members)[0]
    precision = right / reached
    value = float(precision[inside].mean())
    of_class = column.up_to(members / reached)[1]
    of_all = column.up_to(members * precision / reached)[1]
    influence = (members * (precision - value + of_class) - of_all) * (n / m)
    # The precision of the others says how much an instance adds to it; at the top there are none.
    at, found = reached[inside], right[inside]
    among_others = np.where(at > 1, (found - 1) / np.maximum(at - 1, 1), value)
    return value, Moved(influence, float(((1 - among_others) / at).mean()))


def _against_each(column: OrderedScores, code: int, codes: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Areas of a class against each other class, and the influence of each instance on their weighted sum.

    Parameters
    ----------
    column : OrderedScores
    code : int
    codes : ndarray of int64 of shape (n,)
        Each class occurs.
    weights : ndarray of float64 of shape (k,)
        Of each other class; 0 of the class itself.
    """
    inside = codes == code
    n, m = codes.size, int(inside.sum())
    sizes = np.bincount(codes)
    under_class = 1 - column.beaten(np.where(inside, 1 / m, 0.0))
    areas = np.bincount(codes, under_class) / sizes
    areas[code] = 0.0
    own = column.beaten((weights / sizes)[codes]) - weights @ areas
    others = (under_class - areas[codes]) * (weights * n / sizes)[codes]
    return areas, np.where(inside, own * (n / m), others)


@dataclass(frozen=True)
class RankMean:
    """A mean over classes, or over pairs of classes, of how well scores rank.

    Attributes
    ----------
    of : {"area", "precision", "pairs"}
        Areas or average precisions of each class against the rest, or areas of each class against each other.
    weighted : bool
        By numbers of instances.
    binary : bool
        Whether the positive class stands for all if there is one.
    unit : float
        What a unit is worth on the scale of the index.
    """

    of: Literal["area", "precision", "pairs"]
    weighted: bool = False
    binary: bool = False
    unit: float = 1.0

    def moved(self, forecasts: Forecasts) -> Moved:
        """Tell what instances do to the mean, in O(n log n) a class.

        Parameters
        ----------
        forecasts : Forecasts
            Without weights, and with all classes that the mean needs.
        """
        shares = np.bincount(forecasts.codes) / forecasts.n
        of = self._of_pairs if self.of == "pairs" else self._of_classes
        found = of(forecasts, shares)
        return Moved(self.unit * (found.influence - found.influence.mean()), self.unit * found.excess)

    def _of_classes(self, forecasts: Forecasts, shares: Floats) -> Moved:
        codes, only = forecasts.codes, forecasts.positive if self.binary else None
        moved_of = _of_area if self.of == "area" else _of_precision
        found, excess = np.zeros(forecasts.n), 0.0
        for code in np.flatnonzero(shares).tolist() if only is None else (only,):
            value, own = moved_of(forecasts, code)
            weight = 1.0 if only is not None else float(shares[code]) if self.weighted else 1 / forecasts.k
            found += weight * own.influence
            excess += weight * own.excess
            if self.weighted:
                found[codes == code] += value
        return Moved(found, excess)

    def _of_pairs(self, forecasts: Forecasts, shares: Floats) -> Moved:
        codes, k, found = forecasts.codes, forecasts.k, np.zeros(forecasts.n)
        for code in range(k):
            weights = (
                (shares[code] + shares) / (2 * (k - 1)) if self.weighted else np.full(k, 1 / (k * (k - 1)))
            )
            weights[code] = 0.0
            areas, own = _against_each(OrderedScores.of(forecasts.column(code)), code, codes, weights)
            found += own
            if self.weighted:  # a pair weighs what its classes do
                by_class = areas / (2 * (k - 1))
                by_class[code] = by_class.sum()
                found += by_class[codes]
        return Moved(found)


#: The means, by the names of the indices.
RANK_MEANS = {
    # Of two classes both have the same area.
    "roc_auc": RankMean("area"),
    "gini": RankMean("area", unit=2.0),
    "roc_auc_ovr": RankMean("area"),
    "roc_auc_ovr_weighted": RankMean("area", weighted=True),
    "roc_auc_ovo": RankMean("pairs"),
    "roc_auc_ovo_weighted": RankMean("pairs", weighted=True),
    "average_precision": RankMean("precision", binary=True),
    "macro_average_precision": RankMean("precision"),
    "weighted_average_precision": RankMean("precision", weighted=True),
}


def moved_means(names: Iterable[str], forecasts: Forecasts) -> dict[str, Moved]:
    """Tell what instances do to some means, those that are the same but for their unit once.

    Parameters
    ----------
    names : iterable of str
        Of `RANK_MEANS`.
    forecasts : Forecasts
        Without weights, and with all classes that the means need.
    """
    made: dict[RankMean, Moved] = {}
    found = {}
    for name in names:
        mean = RANK_MEANS[name]
        alike = replace(mean, unit=1.0, binary=mean.binary and forecasts.positive is not None)
        if alike not in made:
            made[alike] = alike.moved(forecasts)
        found[name] = Moved(mean.unit * made[alike].influence, mean.unit * made[alike].excess)
    return found


class Spread(NamedTuple):
    """Standard error of an estimate, and the degrees of freedom that Student's t has with it."""

    error: float
    freedom: float


def between_classes(influence: Floats, codes: Ints) -> float:
    """Variance of an estimate that comes from how many instances of each class are drawn."""
    sizes = np.maximum(np.bincount(codes), 1)
    return float(sizes @ (np.bincount(codes, influence) / sizes) ** 2) / codes.size**2


def spread(influence: Floats, codes: Ints) -> Spread:
    """Find the standard error by influence values, and the degrees of freedom that rare classes leave (Satterthwaite).

    Parameters
    ----------
    influence : ndarray of float64 of shape (n,)
        0 on average.
    codes : ndarray of int64 of shape (n,)
        Classes; those with an instance have two at least.
    """
    n, sizes = codes.size, np.maximum(np.bincount(codes), 1)
    squares = np.bincount(codes, influence**2) - np.bincount(codes, influence) ** 2 / sizes
    fewer = np.maximum(sizes - 1, 1)
    within = np.maximum(squares, 0.0) * sizes / fewer / n**2
    between = between_classes(influence, codes)
    variance = float(within.sum()) + between
    doubt = float((within**2 / fewer).sum()) + between**2 / (n - 1)
    return Spread(math.sqrt(variance), variance**2 / doubt if doubt > 0 else n - 1.0)
