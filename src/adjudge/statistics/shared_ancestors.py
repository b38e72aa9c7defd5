"""How far down a taxonomy true and predicted classes agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.given.input_kinds import PredictedSets, Prediction, TrueSets, Truth
from adjudge.given.labels import Labels
from adjudge.given.taxonomy import ClassSets, Taxonomy
from adjudge.statistics.label_sets import shared_keys


@dataclass(frozen=True, eq=False, slots=True)
class AncestorCounts:
    """How many classes are true, predicted, or both; ancestors count, and the root does not.

    Attributes
    ----------
    true, predicted, shared : ndarray of int64 of shape (n,)
        Number of classes of each instance.
    """

    true: Ints
    predicted: Ints
    shared: Ints

    @property
    def n(self) -> int:
        """Number of instances."""
        return self.true.size


@dataclass(frozen=True, eq=False, slots=True)
class SharedAncestors(AncestorCounts):
    """The same for one true and one predicted class of each instance: depths in the taxonomy.

    Attributes
    ----------
    true, predicted : ndarray of int64 of shape (n,)
        Depth of the true and of the predicted class of each instance: the number of its ancestors, itself counted and
        the root not.
    shared : ndarray of int64 of shape (n,)
        Depth of the lowest class that both belong to: the number of ancestors that they share.
    """

    made_from: ClassVar[tuple[type, ...]] = (Taxonomy, Truth, Prediction)

    @classmethod
    def make(cls, taxonomy: Taxonomy, truth: Labels, prediction: Labels) -> Self:
        """Find the classes in the taxonomy."""
        one, other = taxonomy.find(truth, "labels_true"), taxonomy.find(prediction, "labels_pred")
        return cls(*map(taxonomy.depths, (one, other, taxonomy.last_shared(one, other))))

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


@dataclass(frozen=True, eq=False, slots=True)
class SharedSets(AncestorCounts):
    """The same for several true and predicted classes of each instance: classes in the unions of their ancestors."""

    made_from: ClassVar[tuple[type, ...]] = (Taxonomy, TrueSets, PredictedSets)

    @classmethod
    def make(cls, taxonomy: Taxonomy, truth: ClassSets, prediction: ClassSets) -> Self:
        """Find the classes in the taxonomy, and add what is above them."""
        one, other = (
            taxonomy.with_ancestors(own.sets, name)
            for own, name in ((truth, "labels_true"), (prediction, "labels_pred"))
        )
        counted = (
            np.bincount(keys // len(taxonomy.names), minlength=truth.n)
            for keys in (one, other, shared_keys(one, other))
        )
        return cls(*counted)
