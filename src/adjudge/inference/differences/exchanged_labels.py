"""The test that exchanges the labels of two models where they differ, for scores of labels.

If both models are alike, either could have given either of two labels. Every way to exchange them is as probable as
that which was seen, however few instances there are, and however rare their class is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.confusion import Confusion

__all__ = ["LabelsOfTwo"]

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
OfCells = Callable[[Int64s, Int64s], Floats]

# Tables up to which all are counted; of more, as many are drawn.
_COUNTED = 500
# The same draws every time: a p-value of the same labels must not change.
_SEED = 20261123


@dataclass(frozen=True, eq=False)
class LabelsOfTwo:
    """Counted combinations of the true label and of the labels of two models.

    Attributes
    ----------
    classes : sequence
    truth, first, second : ndarray of int64 of shape (n_cells,)
        Places among the classes.
    counts : ndarray of int64 of shape (n_cells,)
    """

    classes: Sequence[Any]
    truth: Int64s
    first: Int64s
    second: Int64s
    counts: Int64s

    @property
    def n_different(self) -> int:
        """How many instances the models give different labels."""
        return int(self.counts[self.first != self.second].sum())

    def confusions(self, counts: Int64s) -> tuple[Confusion, Confusion]:
        """Make the confusion matrices of both models from counts of the combinations."""
        one, other = (
            Confusion.of_cells(self.classes, self.truth, said, counts) for said in (self.first, self.second)
        )
        return one, other

    def filled(self) -> LabelsOfTwo:
        """Return every combination of the classes, those that do not occur among them."""
        k = len(self.classes)
        places = (self.truth * k + self.first) * k + self.second
        counts = np.bincount(places, self.counts, k**3).astype(np.int64)
        truth, first, second = (found.ravel() for found in np.indices((k, k, k)))
        return LabelsOfTwo(self.classes, truth, first, second, counts)

    def of_each(self, first: OfCells, second: OfCells) -> tuple[Floats, Floats]:
        """Look up what is known of the cells of each model's confusion matrix, for each combination.

        Parameters
        ----------
        first, second : callable
            From the places of the true and of the predicted label to values.
        """
        return first(self.truth, self.first), second(self.truth, self.second)

    def p_value(self, score: Callable[[Confusion], float]) -> float:
        """Share of the exchanges of labels with as large a difference of the score.

        Parameters
        ----------
        score : callable
            Of a confusion table.

        Returns
        -------
        float
            Two-sided. Exact if there are few ways to exchange; else of 500 ways, drawn with a fixed seed.
        """
        exchanges = _Exchanges.of(self)
        observed = abs(exchanges.difference(exchanges.seen, score))
        # The same difference in another order of its terms; one that is undefined counts as large.
        extreme = [
            weight
            for counts, weight in exchanges.ways()
            if not abs(exchanges.difference(counts, score)) < observed - 1e-12
        ]
        if exchanges.all_counted:
            return min(1.0, math.fsum(extreme))
        return (len(extreme) + 1) / (_COUNTED + 1)


@dataclass(frozen=True, eq=False)
class _Exchanges:
    """Labels with the pairs of cells between which instances move if labels are exchanged.

    `seen` are instances in the first cell of each pair, of `totals` in both.
    """

    labels: LabelsOfTwo
    truth: Int64s
    lower: Int64s
    higher: Int64s
    seen: Int64s
    totals: Int64s

    @classmethod
    def of(cls, labels: LabelsOfTwo) -> _Exchanges:
        differ = labels.first != labels.second
        first, second = labels.first[differ], labels.second[differ]
        keys = np.stack([labels.truth[differ], np.minimum(first, second), np.maximum(first, second)])
        pairs, which = np.unique(keys, axis=1, return_inverse=True)
        counts, size = labels.counts[differ], pairs.shape[1]
        totals = np.bincount(which.ravel(), counts, size).astype(np.int64)
        seen = np.bincount(which.ravel(), counts * (first < second), size).astype(np.int64)
        truth, lower, higher = pairs
        return cls(labels, truth, lower, higher, seen, totals)

    @property
    def all_counted(self) -> bool:
        return math.prod(int(total) + 1 for total in self.totals) <= _COUNTED

    def ways(self) -> Iterator[tuple[Int64s, float]]:
        """Yield how many instances there are in the first cell of each pair, and the probability."""
        from scipy.stats import binom

        if not self.all_counted:
            drawn = np.random.default_rng(_SEED).binomial(self.totals, 0.5, (_COUNTED, self.totals.size))
            yield from ((counts, 1 / _COUNTED) for counts in drawn)
            return
        likely = [binom.pmf(np.arange(n + 1), n, 0.5).tolist() for n in self.totals.tolist()]
        for way in product(*(range(n + 1) for n in self.totals.tolist())):
            yield np.array(way, np.int64), math.prod(own[n] for own, n in zip(likely, way, strict=True))

    def difference(self, counts: Int64s, score: Callable[[Confusion], float]) -> float:
        """Score of the first model less that of the second."""
        labels = self.labels
        alike = labels.first == labels.second
        truth = np.concatenate([labels.truth[alike], self.truth, self.truth])
        cells = np.concatenate([labels.counts[alike], counts, self.totals - counts])
        said = [np.concatenate([labels.first[alike], *both])
                for both in ((self.lower, self.higher), (self.higher, self.lower))]  # fmt: skip
        one, other = (score(Confusion.of_cells(labels.classes, truth, own, cells)) for own in said)
        return one - other
