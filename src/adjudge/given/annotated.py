"""Annotated matrices, as those of anndata and scanpy, which are recognised by their attributes."""

from __future__ import annotations

from typing import Any

from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.unknown_names import close_names

#: The entry of `obsm` that is meant if none is named: scanpy's principal components.
USUAL_POINTS = "X_pca"
#: The entry of `obsp` that is meant if none is named: scanpy's nearest neighbours.
USUAL_GRAPH = "connectivities"


def is_annotated(given: Any) -> bool:
    """Whether something has columns (`obs`), points (`obsm`) and graphs (`obsp`) of the same instances."""
    return all(hasattr(given, name) for name in ("obs", "obsm", "obsp"))


def points_named(given: Any, features: Any) -> str:
    """Return the entry of `obsm` that is named, alone or in a list of one; the usual one if none is."""
    if features is None:
        remedy: tuple[Any, ...] = (" as ", Option("features"))
        return _entry("obsm", USUAL_POINTS, _names(given.obsm), remedy)
    names = [features] if isinstance(features, str) else features
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise InputTypeError(Option("features"), f" is {a_type(features)}: name an entry of obsm")
    if len(names) != 1:
        raise InputError(Option("features"), f" names {len(names)} entries of obsm: name one")
    return _entry("obsm", names[0], _names(given.obsm))


def graph_named(given: Any, graph: Any) -> Any:
    """Return the entry of `obsp` that is named, or whose connectivities are, as by scanpy's `key_added`.

    What is no name is a graph already.
    """
    if not isinstance(graph, str):
        return graph
    names = _names(given.obsp)
    added = f"{graph}_{USUAL_GRAPH}"
    if graph not in names and added in names:
        return given.obsp[added]
    # A large distance is a weak edge: these are no weights.
    known = [name for name in names if name == graph or not name.endswith("distances")]
    return given.obsp[_entry("obsp", graph, known)]


def _names(entries: Any) -> list[str]:
    return [str(name) for name in entries]


def _entry(place: str, name: str, known: list[str], how: tuple[Any, ...] = ()) -> str:
    if name in known:
        return name
    near = close_names(name, known, 3) or known[:5]
    remedy = (f"name one of {', '.join(map(repr, near))}", *how) if near else ("compute one first",)
    raise InputError(f"{place} has no {name!r}: ", *remedy)
