"""Annotated matrices, as those of anndata and scanpy: columns of labels, points and graphs of the same instances.

They are recognised by their attributes; no such library is imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.unknown_names import close_names

__all__ = ["annotated_inputs", "is_annotated"]

# The graph and the points that are judged if none are named, as scanpy calls them.
_GRAPH, _POINTS = "connectivities", "X_pca"
# Options that name columns beside the labels.
_COLUMNS = ("units", "sample_weight", "counts")


def is_annotated(given: Any) -> bool:
    """Whether something has columns (`obs`), points (`obsm`) and graphs (`obsp`)."""
    return all(hasattr(given, name) for name in ("obs", "obsm", "obsp"))


def annotated_inputs(
    given: Any,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: str | None = None,
    features: str | Sequence[str] | None = None,
    graph: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the arguments of :func:`adjudge.evaluate` that names stand for.

    Parameters
    ----------
    given : AnnData or alike
    truth, pred, labels : str or sequence of str, optional
        Columns of `obs`.
    features : str, optional
        Points in `obsm`. Default: "X_pca", if there are `labels` and no graph.
    graph : str, optional
        A graph in `obsp`. Default: "connectivities", if it is there and there are `labels` and no `features`.
    **options
        Further options; `units`, `sample_weight` and `counts` name columns.
    """
    found = {
        name: _column(given, own) if name in _COLUMNS and isinstance(own, str) else own
        for name, own in options.items()
    }
    if truth is not None:
        found["labels_true"] = _column(given, truth)
    if isinstance(pred, str):
        found["labels_pred"] = _column(given, pred)
    elif pred is not None:
        found["labels_pred"] = {name: _column(given, name) for name in pred}
    if labels is not None:
        found["labels_pred" if pred is None else "labels"] = _column(given, labels)
        if features is None and graph is None:
            graph, features = (_GRAPH, None) if _GRAPH in given.obsp else (None, _POINTS)
    if features is not None:
        named = features if isinstance(features, str) else ", ".join(features)
        found["X"] = _entry(given.obsm, named, "obsm", "features")
    if graph is not None:
        found["graph"] = _entry(given.obsp, graph, "obsp", "graph") if isinstance(graph, str) else graph
    return found


def _column(given: Any, name: str) -> Any:
    if name not in given.obs:
        raise InputError(f"obs has no column {name!r}: {_others(name, given.obs)}")
    return given.obs[name]


def _entry(entries: Mapping[str, Any], name: str, where: str, option: str) -> Any:
    if name not in entries:
        raise InputError(f"{where} has no {name!r}: {_others(name, entries)}, as ", Option(option))
    return entries[name]


def _others(name: str, known: Any) -> str:
    names = [str(own) for own in known]
    near = close_names(name, names, 3) or names[:5]
    return f"name one of {', '.join(map(repr, near))}" if near else "there is none; compute one first"
