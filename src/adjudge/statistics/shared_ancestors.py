"""How far down a taxonomy true and predicted classes agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.labels import Labels
from adjudge.given.taxonomy import Taxonomy

__all__ = ["SharedAncestors"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class SharedAncestors:
    """Depths in a taxonomy, where the root has depth 0.

    Attributes
    ----------
    true, predicted : ndarray of int64 of shape (n,)
        Depth of the true and of the predicted class of each instance: the number of its ancestors, itself counted and
        the root not.
    shared : ndarray of int64 of shape (n,)
        Depth of the lowest class that both belong to: the number of ancestors that they share.
    """

    made_from: ClassVar[tuple[type, ...]] = (Taxonomy, Truth, Prediction)

    true: Ints
    predicted: Ints
    shared: Ints

    @classmethod
    def make(cls, taxonomy: Taxonomy, truth: Labels, prediction: Labels) -> Self:
        """Find the classes in the taxonomy."""
        one, other = taxonomy.find(truth, "labels_true"), taxonomy.find(prediction, "labels_pred")
        return cls(*map(taxonomy.depths, (one, other, taxonomy.last_shared(one, other))))

    @property
    def n(self) -> int:
        """Number of instances."""
        return self.true.size

    @property
    def steps(self) -> Ints:
        """Steps from the true to the predicted class of each instance, through the lowest class that has both."""
        return self.true + self.predicted - 2 * self.shared

    @property
    def details(self) -> dict[str, Any]:
        """Accuracy (which is recall), precision and F1 at each depth that a true class has, from the first."""
        depths = range(1, int(self.true.max(initial=0)) + 1)
        reached, named, right = (
            np.array([int((own >= depth).sum()) for depth in depths], np.float64)
            for own in (self.true, self.predicted, self.shared)
        )
        precision = np.divide(right, named, where=named > 0, out=np.full(named.size, np.nan))
        return {
            "accuracy_by_depth": right / reached,
            "precision_by_depth": precision,
            "f1_by_depth": 2 * right / (reached + named),
        }
