"""The menu: which indices a keyword means and can be computed, and which are named."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from adjudge.engines.sources import PointSource
from adjudge.errors import Call, InputError, Option
from adjudge.given.input_kinds import Distances, Partition, needs
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.internal_record import with_neighbours
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.kinds.request import EvaluationRequest
from adjudge.statistics.making import lacking, lacking_of

__all__ = ["check_all_there", "chosen_indices", "compared_indices", "selected"]

_SAID_OF_KINDS: Mapping[str, tuple[Any, ...]] = {
    "comparative": ("compares two models: use ", Call("compare")),
    "diversity": ("compares two models: use ", Call("compare")),
    "multilabel": ("scores several labels per instance: pass ", Option("kind", "multilabel")),
    "raters": ("is about several raters: pass ", Option("kind", "raters")),
    "values": ("is about one number per row: pass ", Option("values")),
    "regression": ("scores predicted numbers: pass ", Option("kind", "regression")),
    "selection": ("reads partitions into several numbers of clusters: use ", Call("choose_k")),
    "classification": ("scores classifiers: pass ", Option("kind", "classification")),
    "external": ("compares partitions: pass ", Option("kind", "clustering")),
}


def chosen_indices(
    request: EvaluationRequest,
    kinds: tuple[Kind, ...],
    of_labels: Collection[type],
    points: PointSource | None,
) -> list[Index]:
    """Return the requested indices, all of which can be computed from the inputs.

    Parameters
    ----------
    request : EvaluationRequest
    kinds : tuple of str
        Kinds of indices that judge such labels, or the points beside them.
    of_labels : collection of type
        Kinds of input given with the truth, and statistics that exist already.
    points : PointSource or None
    """
    at_hand = [*of_labels, *(() if points is None else points.at_hand)]
    situation = points is None, bool(of_labels), *at_hand
    if situation in request.chosen:
        return list(request.chosen[situation])
    # Names are looked up first among the indices that can be computed.
    possible = tuple(k for k in kinds if (points is not None if k == "internal" else of_labels))
    by_keyword, by_name = selected(request.indices, possible, at_hand)
    for record in by_name:
        if record.kind in kinds:
            continue
        if record.kind in _SAID_OF_KINDS:
            raise InputError(f"{record.name} ", *_SAID_OF_KINDS[record.kind])
        raise InputError(f"{record.name} needs ", *needs(lacking_of(record.requires, at_hand)))
    check_all_there(by_name, at_hand, points)
    chosen = with_neighbours([*by_keyword, *by_name], request.points.n_neighbors)
    request.chosen[situation] = list(dict.fromkeys(chosen))
    return list(request.chosen[situation])


def selected(
    indices: Any, kinds: tuple[Kind, ...], at_hand: Sequence[type]
) -> tuple[list[Index], list[Index]]:
    """Return the computable indices that "default" or "all" stand for, and the named indices."""
    keywords, named = split_keywords(indices)
    meant = select_indices(keywords, kinds) if keywords else []
    lacks = cache(partial(lacking, at_hand=tuple(at_hand)))
    by_keyword = [record for record in meant if not any(map(lacks, record.requires))]
    return by_keyword, select_indices(named, kinds) if named or not keywords else []


def check_all_there(records: Iterable[Index], at_hand: Collection[type], points: PointSource | None) -> None:
    """Raise if an index needs an input that was not given."""
    # Labels judged against the truth can also be judged from points.
    labels = [Partition] if points is None and at_hand else []
    missing = {record.name: lacking_of(record.requires, [*at_hand, *labels]) for record in records}
    of_points = (Distances, Partition)
    for name, things in missing.items():
        if things and (points is None or not all(issubclass(thing, of_points) for thing in things)):
            raise InputError(f"{name} needs ", *needs(things))
    if points is not None and (refused := [name for name, things in missing.items() if things]):
        raise points.refusal(refused)


def compared_indices(request: EvaluationRequest, wanted: Kind, at_hand: Sequence[type]) -> list[Index]:
    """Return the requested scores of models with one label for each instance, which are compared.

    Parameters
    ----------
    request : EvaluationRequest
    wanted : str
        The kind of index.
    at_hand : sequence of type
        What was given, of the model of which most is known.
    """
    by_keyword, by_name = selected(request.indices, (wanted,), at_hand)
    for record in by_name:
        if record.kind != wanted:
            raise InputError(
                f"{record.name} is of kind {record.kind!r}: scores of a {request.kind} are {wanted} indices"
            )
    check_all_there(by_name, at_hand, None)
    return list(dict.fromkeys([*by_keyword, *by_name]))
