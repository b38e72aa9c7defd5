"""Annotated matrices, as those of anndata and scanpy, which are recognised by their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from adjudge.errors import InputError
from adjudge.unknown_names import close_names


def is_annotated(given: Any) -> bool:
    """Whether something has columns (`obs`), points (`obsm`) and graphs (`obsp`) of the same instances."""
    return all(hasattr(given, name) for name in ("obs", "obsm", "obsp"))


def annotated_inputs(given: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of :func:`adjudge.evaluate` that names stand for.

    If `labels` is named without `features` and `graph`, these are scanpy's: "connectivities", or else "X_pca", which
    batches are judged by.
    """
    found = {name: own for name, own in named.items() if own is not None}
    if "labels" in found and not found.keys() & {"features", "graph"}:
        in_graph = "connectivities" in given.obsp and "batch" not in found
        found |= {"graph": "connectivities"} if in_graph else {"features": "X_pca"}
    if "pred" not in found and "labels" in found:
        found["pred"] = found.pop("labels")
    columns = ("truth", "pred", "labels", "units", "sample_weight", "counts", "batch")
    places = dict.fromkeys(columns, "obs")
    places |= {"features": "obsm", "graph": "obsp"}
    arguments = {"truth": "labels_true", "pred": "labels_pred", "features": "X"}
    for name, place in places.items():
        if name in found:
            own = found.pop(name)
            several = isinstance(own, (list, tuple))
            read = {one: _entry(given, place, one) for one in (own if several else [own])}
            found[arguments.get(name, name)] = read if several else read[own]
    return found


def annotated_candidates(given: Any, candidates: Any, graph: Any = None) -> tuple[Any, Any, Any]:
    """Return the principal components, the columns that names or patterns such as "leiden_*" stand for, and the graph.

    With a graph, which may be the name of an entry of `obsp`, there are no points.
    """
    points = _entry(given, "obsm", "X_pca") if graph is None else None
    if isinstance(graph, str):
        graph = _entry(given, "obsp", graph)
    names = [candidates] if isinstance(candidates, str) else candidates
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        return points, candidates, graph
    known = [str(own) for own in given.obs]
    found = {own: given.obs[own] for name in names for own in known if fnmatchcase(own, name)}
    for name in names:
        if not any(fnmatchcase(own, name) for own in known):
            _entry(given, "obs", name)
    return points, found, graph


def _entry(given: Any, place: str, name: str) -> Any:
    entries = getattr(given, place)
    if name in entries:
        return entries[name]
    known = [str(entry) for entry in entries]
    near = close_names(name, known, 3) or known[:5]
    remedy = f"name one of {', '.join(map(repr, near))}" if near else "compute one first"
    raise InputError(f"{place} has no {name!r}: {remedy}")
