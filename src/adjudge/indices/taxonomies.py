"""Indices of classifiers whose classes form a tree: a near miss costs less than a far one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.record import Noted, quotient
from adjudge.indices.structure_record import InfluenceOf, StructureIndex, maker_of_structure
from adjudge.statistics.shared_ancestors import SharedAncestors

__all__ = [
    "TaxonomyIndex",
    "accuracy_at_depth",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "lca_f1",
    "lca_precision",
    "lca_recall",
    "tree_distance",
]

#: What each instance adds to the numerator and to the denominator.
Parts = Callable[[SharedAncestors], tuple[NDArray[np.int64], NDArray[np.int64]]]


class TaxonomyIndex(StructureIndex):
    """An index of a classifier whose classes form a tree."""

    kind = "taxonomy"


taxonomy = maker_of_structure(TaxonomyIndex)


def _ratio(shared: SharedAncestors, parts: Parts, reason: str) -> float | Noted:
    """Divide a sum over the instances by another one."""
    above, below = parts(shared)
    return quotient(int(above.sum()), int(below.sum()), reason)


def _of_ratio(parts: Parts) -> InfluenceOf:
    """Return the influence of each instance on a ratio of sums."""

    def influence(shared: SharedAncestors) -> NDArray[np.float64]:
        above, below = parts(shared)
        return (above - above.sum() / below.sum() * below) / below.mean()

    return influence


def _precision(shared: SharedAncestors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return shared.shared, shared.predicted


def _recall(shared: SharedAncestors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return shared.shared, shared.true


def _f1(shared: SharedAncestors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return 2 * shared.shared, shared.true + shared.predicted


def _right_at_depth(shared: SharedAncestors, depth: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return (shared.shared >= depth).astype(np.int64), (shared.true >= depth).astype(np.int64)


@taxonomy(
    title="Hierarchical precision",
    better="higher",
    range=(0, 1),
    reference="kiritchenko2006",
    formula=r"\frac{\sum_i |T_i \cap P_i|}{\sum_i |P_i|}",
    undefined="if every prediction is the root.",
    note="Sums over the instances, as in the paper and in hiclass (average='micro').",
    influence=_of_ratio(_precision),
    aliases=("hp",),
    peers={"hiclass": "precision(average='micro')"},
    default="How much of what is predicted, ancestors included, is true.",
)
def hierarchical_precision(shared: SharedAncestors) -> float | Noted:
    """Share of the predicted classes and their ancestors that are the true class or its ancestors.

    Examples
    --------
    >>> from adjudge import Taxonomy, hierarchical_precision
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> hierarchical_precision(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    0.25
    """
    return _ratio(shared, _precision, "every prediction is the root")


@taxonomy(
    title="Hierarchical recall",
    better="higher",
    range=(0, 1),
    reference="kiritchenko2006",
    formula=r"\frac{\sum_i |T_i \cap P_i|}{\sum_i |T_i|}",
    undefined="if every true class is the root.",
    note="Sums over the instances, as in the paper and in hiclass (average='micro').",
    influence=_of_ratio(_recall),
    aliases=("hr",),
    peers={"hiclass": "recall(average='micro')"},
    default="How much of what is true, ancestors included, is predicted.",
)
def hierarchical_recall(shared: SharedAncestors) -> float | Noted:
    """Share of the true classes and their ancestors that are the predicted class or its ancestors.

    Examples
    --------
    >>> from adjudge import Taxonomy, hierarchical_recall
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(hierarchical_recall(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.333333
    """
    return _ratio(shared, _recall, "every true class is the root")


@taxonomy(
    title="Hierarchical F1",
    better="higher",
    range=(0, 1),
    reference="kiritchenko2006",
    formula=r"\frac{2 \sum_i |T_i \cap P_i|}{\sum_i |T_i| + \sum_i |P_i|}",
    undefined="if every class is the root.",
    note="Sums over the instances, as in the paper and in hiclass (average='micro').",
    influence=_of_ratio(_f1),
    aliases=("hf",),
    peers={"hiclass": "f1(average='micro')"},
    default="The usual score of a classifier whose classes form a tree.",
)
def hierarchical_f1(shared: SharedAncestors) -> float | Noted:
    """Harmonic mean of hierarchical precision and recall.

    Examples
    --------
    >>> from adjudge import Taxonomy, hierarchical_f1
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(hierarchical_f1(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.285714
    """
    return _ratio(shared, _f1, "every class is the root")


def _lca_precision(shared: SharedAncestors) -> NDArray[np.float64]:
    return 1 / (1.0 + shared.predicted - shared.shared)


def _lca_recall(shared: SharedAncestors) -> NDArray[np.float64]:
    return 1 / (1.0 + shared.true - shared.shared)


def _lca_f1(shared: SharedAncestors) -> NDArray[np.float64]:
    return 2 / (2.0 + shared.steps)


def _steps(shared: SharedAncestors) -> NDArray[np.float64]:
    return shared.steps.astype(np.float64)


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / values.size


_LCA = "Only the classes from the lowest common ancestor down count; the mean is over the instances."


@taxonomy(
    title="LCA precision",
    better="higher",
    range=(0, 1),
    reference="kosmopoulos2015",
    formula=r"\frac1n \sum_i \frac{1}{1 + p_i - s_i}",
    note=_LCA,
    influence=_lca_precision,
)
def lca_precision(shared: SharedAncestors) -> float | Noted:
    """Mean precision of the path from the lowest common ancestor down to the predicted class.

    Examples
    --------
    >>> from adjudge import Taxonomy, lca_precision
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(lca_precision(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.416667
    """
    return _mean(_lca_precision(shared))


@taxonomy(
    title="LCA recall",
    better="higher",
    range=(0, 1),
    reference="kosmopoulos2015",
    formula=r"\frac1n \sum_i \frac{1}{1 + t_i - s_i}",
    note=_LCA,
    influence=_lca_recall,
)
def lca_recall(shared: SharedAncestors) -> float | Noted:
    """Mean recall of the path from the lowest common ancestor down to the true class.

    Examples
    --------
    >>> from adjudge import Taxonomy, lca_recall
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> lca_recall(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    0.5
    """
    return _mean(_lca_recall(shared))


@taxonomy(
    title="LCA F1",
    better="higher",
    range=(0, 1),
    reference="kosmopoulos2015",
    formula=r"\frac1n \sum_i \frac{2}{2 + t_i + p_i - 2 s_i}",
    note=_LCA,
    influence=_lca_f1,
    default="Like hierarchical F1, but a mistake deep in the tree costs as much as one higher up.",
)
def lca_f1(shared: SharedAncestors) -> float | Noted:
    """Mean over the instances of the F1 of the paths from the lowest common ancestor down.

    Examples
    --------
    >>> from adjudge import Taxonomy, lca_f1
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(lca_f1(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.45
    """
    return _mean(_lca_f1(shared))


@taxonomy(
    title="Tree distance",
    better="lower",
    range=(0, math.inf),
    reference="dekel2004",
    formula=r"\frac1n \sum_i (t_i + p_i - 2 s_i)",
    influence=_steps,
    aliases=("tree_induced_error",),
    default="How far away predictions are, in steps of the tree.",
)
def tree_distance(shared: SharedAncestors) -> float | Noted:
    """Mean number of steps in the tree from the true to the predicted class.

    Examples
    --------
    >>> from adjudge import Taxonomy, tree_distance
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> tree_distance(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    2.5
    """
    return int(shared.steps.sum()) / shared.n


@taxonomy(
    title="Accuracy at depth",
    better="higher",
    range=(0, 1),
    reference="silla2011",
    formula=r"\frac{\#\{i : s_i \ge d\}}{\#\{i : t_i \ge d\}}",
    symbols={"d": "the depth", r"\#": "number of"},
    undefined="if no true class is as deep.",
    note="A prediction that is less deep is wrong.",
    influence=_of_ratio(_right_at_depth),
    default="How often the branch at the top of the tree is right; other depths are in `details`.",
)
def accuracy_at_depth(shared: SharedAncestors, *, depth: int = 1) -> float | Noted:
    """Share of the instances with a true class at this depth whose prediction is right down to it.

    Examples
    --------
    >>> from adjudge import Taxonomy, accuracy_at_depth
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> accuracy_at_depth(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    0.5
    """
    above, below = _right_at_depth(shared, depth)
    return quotient(int(above.sum()), int(below.sum()), f"no true class is {depth} deep")
