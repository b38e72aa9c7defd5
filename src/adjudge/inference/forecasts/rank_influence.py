"""The influence of each instance on areas under ROC curves, average precisions, and their means over classes.

An instance changes an area by its placement among the others (DeLong), and a mean over classes, or over their pairs, by
the sum of these. Average precision is the mean of a ratio at the scores of the class: an instance contributes the
precision at its own score, and changes the precision at all scores up to its own. The numbers of instances of each
class are random as well: they change what a class is compared with, and its weight.

Average precision is too large in a sample: an instance of the class is itself among those that score at least as high,
so the precision at its score is (1 + right) / (1 + others), where right / others would be unbiased.

References
----------
DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from adjudge.inference.arrays import Bools, Floats, Ints, Numbers
from adjudge.statistics.forecasts import Forecasts

__all__ = ["RANK_MEANS", "Moved", "OrderedScores", "RankMean", "weights_of"]


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """The ordered scores for a class, for sums over the instances that score less.

    Attributes
    ----------
    order : ndarray of int64 of shape (n,)
        Instances by ascending score.
    starts, ends : ndarray of int64 of shape (n,)
        Start and end of the scores that tie with each.
    """

    order: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, values: Numbers) -> OrderedScores:
        """Sort the scores, in O(n log n)."""
        order = np.argsort(values)
        ordered = values[order]
        firsts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        tied = np.diff(firsts, append=values.size)
        starts = np.repeat(firsts, tied)
        return cls(order, starts, starts + np.repeat(tied, tied))

    def up_to(self, amounts: Numbers) -> tuple[Floats, Floats]:
        """Sum, for each instance, the amounts of those that score less, and of those that score no more."""
        sums = np.concatenate([[0.0], np.cumsum(amounts[self.order])])
        below, no_higher = np.empty(amounts.size), np.empty(amounts.size)
        below[self.order], no_higher[self.order] = sums[self.starts], sums[self.ends]
        return below, no_higher

    def beaten(self, amounts: Numbers) -> Floats:
        """Sum, for each instance, the amounts of those that score less, with ties counting half."""
        below, no_higher = self.up_to(amounts)
        return (below + no_higher) / 2


class Moved(NamedTuple):
    """A value, and the influence of instances on it.

    Attributes
    ----------
    value : float
    psi : ndarray of shape (n,)
        Change of the value by each instance, times the number of instances.
    excess : float
        Bias: how much larger the value is on average in a sample than in the population.
    """

    value: float
    psi: Floats
    excess: float = 0.0


def weights_of(forecasts: Forecasts) -> Floats:
    """Return the weight of each instance; 1 if there are no weights."""
    return np.ones(forecasts.n) if forecasts.weights is None else forecasts.weights


def _of_area(column: OrderedScores, inside: Bools, weights: Floats) -> Moved:
    """Return the area of a class against the rest, which each instance changes by its placement among the others."""
    total, own = weights.sum(), weights[inside].sum()
    over_others = column.beaten(np.where(inside, 0.0, weights)) / (total - own)
    under_class = 1 - column.beaten(np.where(inside, weights, 0.0)) / own
    area = float(weights[inside] @ over_others[inside] / own)
    psi = np.where(inside, (over_others - area) / own, (under_class - area) / (total - own))
    return Moved(area, total * psi)


def _of_precision(column: OrderedScores, inside: Bools, weights: Floats) -> Moved:
    """Return the average precision of a class."""
    total, members = weights.sum(), np.where(inside, weights, 0.0)
    own = members.sum()
    # For each instance: how many score at least as high, and how many of these are of the class.
    reached, right = total - column.up_to(weights)[0], own - column.up_to(members)[0]
    precision = right / reached
    value = float(members @ precision / own)
    of_class = column.up_to(members / reached)[1]
    of_all = column.up_to(members * precision / reached)[1]
    psi = (inside * (precision - value + of_class) - of_all) * (total / own)
    # The precision among the others shows how much an instance adds to it; at the top there are no others.
    others = reached - weights
    among_others = np.divide(right - members, others, out=np.full(others.size, value), where=others > 0)
    excess = members @ ((1 - among_others) * weights / reached) / own
    return Moved(value, psi, float(excess))


_OF_ONE_CLASS = {"area": _of_area, "precision": _of_precision}


@dataclass(frozen=True)
class RankMean:
    """A mean over classes, or over pairs of classes, of areas or average precisions.

    Attributes
    ----------
    of : {"area", "precision", "pairs"}
        Areas or average precisions of each class against the rest, or areas of each class against each other.
    weighted : bool
        Whether classes are weighted by their numbers of instances.
    binary : bool
        Whether the positive class, if there is one, stands for all.
    """

    of: Literal["area", "precision", "pairs"]
    weighted: bool = False
    binary: bool = False

    def moved(self, forecasts: Forecasts) -> Moved:
        """Return the influence of instances on the mean, in O(n log n) per class.

        Parameters
        ----------
        forecasts : Forecasts
            Forecasts with all classes that the mean needs.
        """
        weights = weights_of(forecasts)
        sizes = np.asarray(np.bincount(forecasts.codes, weights, forecasts.k), np.float64)
        if self.of == "pairs":
            return self._of_pairs(forecasts, weights, sizes)
        only = forecasts.positive if self.binary else None
        value, psi, excess = 0.0, np.zeros(forecasts.n), 0.0
        for code in np.flatnonzero(sizes).tolist() if only is None else (only,):
            inside = forecasts.codes == code
            own = _OF_ONE_CLASS[self.of](OrderedScores.of(forecasts.column(code)), inside, weights)
            share = sizes[code] / sizes.sum() if self.weighted else 1 / forecasts.k
            part = 1.0 if only is not None else float(share)
            value, excess = value + part * own.value, excess + part * own.excess
            psi += part * own.psi
            if self.weighted and only is None:  # another instance of a class increases its weight
                psi += (inside - share) * own.value
        return Moved(value, psi, excess)

    def _of_pairs(self, forecasts: Forecasts, weights: Floats, sizes: Floats) -> Moved:
        codes, k, shares = forecasts.codes, forecasts.k, sizes / sizes.sum()
        value, psi = 0.0, np.zeros(forecasts.n)
        for code in range(k):
            inside = codes == code
            parts = (
                (shares[code] + shares) / (2 * (k - 1)) if self.weighted else np.full(k, 1 / (k * (k - 1)))
            )
            parts[code] = 0.0
            column = OrderedScores.of(forecasts.column(code))
            under_class = 1 - column.beaten(np.where(inside, weights / sizes[code], 0.0))
            areas = np.bincount(codes, weights * under_class, k) / sizes
            over_others = column.beaten((parts / sizes)[codes] * weights) - parts @ np.where(
                parts, areas, 0.0
            )
            psi += np.where(
                inside, over_others / shares[code], (under_class - areas[codes]) * (parts / shares)[codes]
            )
            areas[code] = 0.0
            value += float(parts @ areas)
            if self.weighted:  # a pair has the weight of its classes
                by_class = areas / (2 * (k - 1))
                by_class[code] = by_class.sum()
                psi += by_class[codes] - float(shares @ by_class)
        return Moved(value, psi)


#: The means, by name of the index. With two classes, both have the same area.
RANK_MEANS: dict[str, RankMean] = {
    "roc_auc": RankMean("area", binary=True),
    "gini": RankMean("area", binary=True),
    "roc_auc_ovr": RankMean("area"),
    "roc_auc_ovr_weighted": RankMean("area", weighted=True),
    "roc_auc_ovo": RankMean("pairs"),
    "roc_auc_ovo_weighted": RankMean("pairs", weighted=True),
    "average_precision": RankMean("precision", binary=True),
    "macro_average_precision": RankMean("precision"),
    "weighted_average_precision": RankMean("precision", weighted=True),
}
