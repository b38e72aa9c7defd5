"""The criteria that can judge a sweep, and the neighbouring numbers of clusters that they read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.indices.catalog import is_all, is_own, select_indices, split_keywords
from adjudge.indices.record import Index
from adjudge.indices.selection_record import SelectionIndex
from adjudge.statistics.sweep import GapReference, MixtureFits, Stability

__all__ = ["OF_FURTHER_FITS", "Hierarchy", "criteria_of", "neighbours_of"]

#: Statistics that cannot be computed from the partitions alone.
OF_FURTHER_FITS = (GapReference, MixtureFits, Stability)


class Hierarchy:
    """A marker of partitions that are levels of a hierarchy."""


def criteria_of(asked: Any, available: set[type]) -> list[Index]:
    """Return the requested records; "all" means those that the clusterer allows and that need no further fits.

    "default" means those whose records give a reason in `Index.default_k`, and the user's own.

    Parameters
    ----------
    asked : str, Index, or iterable of them
    available : set of type
        Those of `OF_FURTHER_FITS` that are available, and `Hierarchy` if each partition refines the one before.
    """
    keywords, named = split_keywords(asked)
    chosen: dict[str, Index] = {}
    if keywords:
        every = any(map(is_all, keywords))
        for record in select_indices("all", ("internal", "selection")):
            if _is_possible(record, available) and (every or record.default_k or is_own(record)):
                chosen[record.name] = record
    if named or not keywords:
        for record in select_indices(named, ("internal", "selection")):
            if record.kind not in ("internal", "selection"):
                raise InputError(
                    f"{record.name} is of kind {record.kind!r}: it does not choose a number of clusters"
                )
            if record.requires != (GapReference,) and not _is_possible(record, available):
                raise InputError(record.name, *_needed(record))
            chosen[record.name] = record
    return list(chosen.values())


def _is_possible(record: Index, available: set[type]) -> bool:
    if not isinstance(record, SelectionIndex):
        return record.best_k is not None
    if record.hierarchical and Hierarchy not in available:
        return False
    return record.requires[0] not in OF_FURTHER_FITS or record.requires[0] in available


def _needed(record: Index) -> list[Any]:
    if not isinstance(record, SelectionIndex):
        return [" has no rule for choosing a number of clusters"]
    if record.hierarchical:
        return [
            " needs a hierarchy: use ",
            Option("estimator", "ward"),
            ", 'average', 'complete' or 'single'",
        ]
    if record.requires == (MixtureFits,):
        return [" needs the likelihood of a mixture: use ", Option("estimator", "gaussian_mixture")]
    return [" needs resampling: use ", Option("stability")]


def neighbours_of(records: Iterable[Index], ks: tuple[int, ...], n: int) -> set[int]:
    """Return the neighbouring numbers of clusters that the criteria read."""
    steps = {s for r in records if isinstance(r, SelectionIndex) for s in r.neighbours}
    return {k + s for k in ks for s in steps if 1 <= k + s < n}
