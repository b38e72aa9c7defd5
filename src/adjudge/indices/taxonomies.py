"""Indices of classifiers whose classes form a tree: a near miss costs less than a far one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.given.options import check_count
from adjudge.indices.record import Noted, quotient
from adjudge.indices.structure_record import InfluenceOf, StructureIndex, maker_of_structure
from adjudge.statistics.shared_ancestors import AncestorCounts, SharedAncestors

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


class TaxonomyIndex(StructureIndex):
    """An index of a classifier whose classes form a tree."""

    kind = "taxonomy"


taxonomy = maker_of_structure(TaxonomyIndex)


Parts = Callable[[AncestorCounts], NDArray[Any]]
_OF_SUMS: dict[str, Any] = {
    "better": "higher",
    "range": (0, 1),
    "reference": "kiritchenko2006",
    "note": "Sums over the instances, as in the paper and in hiclass with average='micro'. There, equal names on two "
    "branches are one class. With several classes per instance (`evaluate(..., kind='multilabel')`), the ancestors of "
    "all count, each once.",
}


def _of_ratio(numerator: Parts, denominator: Parts) -> InfluenceOf:
    """Return the influence of each instance on a ratio of sums."""

    def influence(shared: AncestorCounts) -> Floats:
        above, below = numerator(shared), denominator(shared)
        return np.asarray((above - above.sum() / below.sum() * below) / below.mean(), np.float64)

    return influence


@taxonomy(
    title="Hierarchical precision",
    **_OF_SUMS,
    formula=r"\frac{\sum_i |T_i \cap P_i|}{\sum_i |P_i|}",
    undefined="if every prediction is the root, or no instance has one.",
    influence=_of_ratio(lambda s: s.shared, lambda s: s.predicted),
    aliases=("hp",),
    peers={"hiclass": "precision(average='micro')"},
    default="How much of what is predicted, ancestors included, is true.",
)
def hierarchical_precision(shared: AncestorCounts) -> float | Noted:
    """Share of the predicted classes and their ancestors that are true classes or their ancestors.

    >>> from adjudge import Taxonomy, hierarchical_precision
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> hierarchical_precision(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    0.25
    """
    return quotient(
        int(shared.shared.sum()), int(shared.predicted.sum()), "no class below the root is predicted"
    )


@taxonomy(
    title="Hierarchical recall",
    **_OF_SUMS,
    formula=r"\frac{\sum_i |T_i \cap P_i|}{\sum_i |T_i|}",
    undefined="if every true class is the root, or no instance has one.",
    influence=_of_ratio(lambda s: s.shared, lambda s: s.true),
    aliases=("hr",),
    peers={"hiclass": "recall(average='micro')"},
    default="How much of what is true, ancestors included, is predicted.",
)
def hierarchical_recall(shared: AncestorCounts) -> float | Noted:
    """Share of the true classes and their ancestors that are predicted classes or their ancestors.

    >>> from adjudge import Taxonomy, hierarchical_recall
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(hierarchical_recall(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.333333
    """
    return quotient(int(shared.shared.sum()), int(shared.true.sum()), "no class below the root is true")


@taxonomy(
    title="Hierarchical F1",
    **_OF_SUMS,
    formula=r"\frac{2 \sum_i |T_i \cap P_i|}{\sum_i |T_i| + \sum_i |P_i|}",
    undefined="if every class is the root.",
    influence=_of_ratio(lambda s: 2 * s.shared, lambda s: s.true + s.predicted),
    aliases=("hf",),
    peers={"hiclass": "f1(average='micro')"},
    default="The usual score of a classifier whose classes form a tree.",
)
def hierarchical_f1(shared: AncestorCounts) -> float | Noted:
    """Harmonic mean of hierarchical precision and recall.

    >>> from adjudge import Taxonomy, hierarchical_f1
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(hierarchical_f1(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.285714
    """
    both = int(shared.true.sum()) + int(shared.predicted.sum())
    return quotient(2 * int(shared.shared.sum()), both, "every class is the root")


def _lca_precision(shared: SharedAncestors) -> Floats:
    return 1.0 / (1 + shared.predicted - shared.shared)


def _lca_recall(shared: SharedAncestors) -> Floats:
    return 1.0 / (1 + shared.true - shared.shared)


_OF_PATHS: dict[str, Any] = {
    "better": "higher",
    "range": (0, 1),
    "reference": "kosmopoulos2015",
    "note": "Only the classes from the lowest common ancestor down count, and it counts as well.",
}


@taxonomy(
    title="LCA precision",
    **_OF_PATHS,
    formula=r"\frac1n \sum_i \frac{1}{1 + p_i - s_i}",
    influence=_lca_precision,
)
def lca_precision(shared: SharedAncestors) -> float | Noted:
    """Mean share of the predicted path, from the lowest common ancestor down, that is on the true path.

    >>> from adjudge import Taxonomy, lca_precision
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(lca_precision(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.416667
    """
    return math.fsum(_lca_precision(shared).tolist()) / shared.n


@taxonomy(
    title="LCA recall", **_OF_PATHS, formula=r"\frac1n \sum_i \frac{1}{1 + t_i - s_i}", influence=_lca_recall
)
def lca_recall(shared: SharedAncestors) -> float | Noted:
    """Mean share of the true path, from the lowest common ancestor down, that is on the predicted path.

    >>> from adjudge import Taxonomy, lca_recall
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> lca_recall(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    0.5
    """
    return math.fsum(_lca_recall(shared).tolist()) / shared.n


def _lca_f1(shared: SharedAncestors) -> Floats:
    return 2 / (2.0 + shared.steps)


@taxonomy(
    title="LCA F1",
    **_OF_PATHS,
    formula=r"\frac1n \sum_i \frac{2}{2 + t_i + p_i - 2 s_i}",
    influence=_lca_f1,
    default="Like hierarchical F1, but a mistake deep in the tree costs as much as one higher up.",
)
def lca_f1(shared: SharedAncestors) -> float | Noted:
    """Mean over the instances of the F1 of the paths from the lowest common ancestor down.

    >>> from adjudge import Taxonomy, lca_f1
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> round(lca_f1(["cat", "plant"], ["dog", "cat"], taxonomy=kinds), 6)
    0.45
    """
    return math.fsum(_lca_f1(shared).tolist()) / shared.n


@taxonomy(
    title="Tree distance",
    better="lower",
    range=(0, math.inf),
    reference="dekel2004",
    formula=r"\frac1n \sum_i (t_i + p_i - 2 s_i)",
    influence=lambda shared: shared.steps.astype(np.float64),
    aliases=("tree_induced_error",),
    default="How far away predictions are, in steps of the tree.",
)
def tree_distance(shared: SharedAncestors) -> float | Noted:
    """Mean number of steps in the tree from the true to the predicted class.

    >>> from adjudge import Taxonomy, tree_distance
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> tree_distance(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    2.5
    """
    return int(shared.steps.sum()) / shared.n


def _right_at_depth(shared: SharedAncestors, *, depth: int = 1) -> Floats:
    return _of_ratio(lambda s: s.shared >= depth, lambda s: s.true >= depth)(shared)


@taxonomy(
    title="Accuracy at depth",
    better="higher",
    range=(0, 1),
    reference="silla2011",
    formula=r"\frac{\#\{i : s_i \ge d\}}{\#\{i : t_i \ge d\}}",
    symbols={"d": "the depth", r"\#": "number of"},
    undefined="if no true class is as deep.",
    note="A prediction that is less deep is wrong.",
    influence=_right_at_depth,
    default="How often the branch at the top of the tree is right; other depths are in `details`.",
)
def accuracy_at_depth(shared: SharedAncestors, *, depth: int = 1) -> float | Noted:
    """Share of the instances with a true class at this depth whose prediction is right down to it.

    >>> from adjudge import Taxonomy, accuracy_at_depth
    >>> kinds = Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> accuracy_at_depth(["cat", "plant"], ["dog", "cat"], taxonomy=kinds)
    0.5
    """
    check_count("depth", depth)
    right, reached = int((shared.shared >= depth).sum()), int((shared.true >= depth).sum())
    return quotient(right, reached, f"no true class is at depth {depth}")
