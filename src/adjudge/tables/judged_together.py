"""Which options of a call that names columns do not go together: with trees of classes, linked pairs, and edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.tables.edges import edges_given
from adjudge.tables.judged_columns import JudgedColumns
from adjudge.tables.trees import TreeColumns

__all__ = ["check_together"]


def check_together(columns: JudgedColumns) -> None:
    """Raise if labels in a tree, clusters of linked pairs, or communities of edges cannot be judged as asked.

    Parameters
    ----------
    columns : JudgedColumns
        As named, before any is looked for.
    """
    tree, links = columns.tree, columns.links
    if links.pairs is None:
        links.check_edges()
    if tree is not None:
        _check_tree(columns, tree)
    is_clustering = columns.kind in (None, "clustering")
    in_tree = {"levels" if tree is None else tree.option: tree is not None}
    if links.pairs is not None:
        others = {"pred": _is_given(columns.pred), "labels": columns.labels is not None}
        others |= {columns.structure or "graph": columns.structure is not None}
        _refuse(columns, "pairs", {**others, **in_tree, "kind": not is_clustering})
        if columns.truth is None:
            said = " is judged against the truth: name its column with "
            raise InputError(Option("pairs"), said, Option("truth"))
    elif edges_given(links.graph):
        others = {**dict.fromkeys(columns.of_points, True), **in_tree, "kind": not is_clustering}
        others |= {name: own is not None for name, own in columns.structures.items() if name != "graph"}
        _refuse(columns, "graph", others)


def _check_tree(columns: JudgedColumns, tree: TreeColumns) -> None:
    by_level = bool(tree.levels)
    is_other = columns.kind == "overlapping" or (columns.kind == "multilabel" and by_level)
    _refuse(columns, tree.option, {"labels": columns.labels is not None, "kind": is_other})
    if by_level and not _is_given(columns.pred):
        said = " has the true classes: name the predicted ones with "
        raise InputError(Option(tree.option), said, Option("pred"))


def _is_given(names: Any) -> bool:
    return names is not None and not (isinstance(names, (list, tuple, dict)) and not names)


def _refuse(columns: JudgedColumns, option: str, others: Mapping[str, bool]) -> None:
    """Raise if something else is given that does not work with an option."""
    classifier = columns.classifier
    refused = {
        **others,
        "features": columns.features is not None,
        **{name: own is not None for name, own in columns.beside.items()},
        "groups": bool(classifier.grouping),
        "probabilities": classifier.forecasts is not None,
        "classes": classifier.classes is not None,
        "positive": classifier.positive is not None,
    }
    given = next((name for name, is_given in refused.items() if is_given), None)
    if given is not None:
        raise InputError(Option(given), " does not work with ", Option(option), ": leave it out")
