"""The partition that a criterion prefers, and how votes are counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from adjudge.errors import InputError, InputTypeError
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.indices.rules import RULES, RULES_OF_CLUSTERCRIT
from adjudge.indices.selection_record import SelectionIndex

__all__ = ["best_partition", "family_of", "tally_votes", "vote", "vote_among"]

Candidate = TypeVar("Candidate", int, str)


def vote(record: Index, values: Mapping[int, float], critical: Mapping[int, float]) -> int | None:
    """Return the K that a criterion votes for; None if it abstains.

    Parameters
    ----------
    record : Index
    values : mapping of int to float
        By K.
    critical : mapping of int to float
        Critical values, for the rules of tests.
    """
    ks = sorted(values)
    rule = record.rule if isinstance(record, SelectionIndex) else _rule_for_partitions(record)
    return RULES[rule].choose(ks, [values[k] for k in ks], [critical.get(k, math.nan) for k in ks])


def vote_among(record: Index, values: Mapping[str, float], coverage: Mapping[str, float]) -> str | None:
    """Return the candidate with the best value, on ties the largest coverage; None if nothing can be compared.

    An infinite value is of a degenerate partition, and does not win.
    """
    known = {name: v for name, v in values.items() if math.isfinite(v)}
    if len(known) < 2 or len(set(known.values())) == 1:
        return None
    sign: Callable[[float], float] = (lambda v: v) if record.better == "higher" else (lambda v: -v)
    return max(known, key=lambda name: (sign(known[name]), coverage[name]))


def family_of(record: Index) -> str:
    """Return the name of the family of near-duplicates that a criterion belongs to; its own name if it has none."""
    return record.family or record.name


def tally_votes(
    votes: Mapping[str, Candidate | None], records: Iterable[Index], by_family: bool = True
) -> dict[Candidate, float]:
    """Count the votes for each candidate.

    Parameters
    ----------
    votes : mapping of str to int, str or None
        K, or the name of a candidate, by name of the criterion; None for an abstention.
    records : iterable of Index
        The criteria.
    by_family : bool
        Whether a family has one vote, shared by its voting members.
    """
    families: dict[str, list[Candidate]] = {}
    for record in records:
        choice = votes.get(record.name)
        if choice is not None:
            families.setdefault(family_of(record) if by_family else record.name, []).append(choice)
    tally: dict[Candidate, list[float]] = {}
    for choices in families.values():
        for own in choices:
            tally.setdefault(own, []).append(1 / len(choices))
    return {own: math.fsum(tally[own]) for own in sorted(tally)}


def best_partition(values: Iterable[float | None], index: str | Index) -> int | None:
    """Choose the best of several partitions by the rule of an index.

    The rules max and min take the first extreme value. The rules max diff and min diff take the middle point of the
    first extreme second difference, an elbow, so neither end can win. An infinite value wins, as in clusterCrit; in
    choose_k it has no vote.

    Parameters
    ----------
    values : iterable of float
        Value of the index for each partition, in the order of the numbers of clusters; None counts as nan.
    index : str or Index
        Name of an internal index, or its record.

    Returns
    -------
    int or None
        Position in `values`, from 0; None if there are no values or an undefined one, and for the diff rules also if
        there are fewer than three values or a second difference is undefined.

    Raises
    ------
    InputError
        If the index has no such rule.

    Examples
    --------
    >>> from adjudge import best_partition
    >>> best_partition([0.41, 0.55, 0.52], "silhouette")
    1
    >>> best_partition([100.0, 60.0, 25.0, 22.0, 20.0], "trace_w")
    2
    """
    record = index if isinstance(index, Index) else find_index(index, "internal")
    rule = _rule_for_partitions(record)
    try:
        numbers = [math.nan if v is None else float(v) for v in values]
    except (TypeError, ValueError):
        raise InputTypeError(
            "values contain something other than numbers: give the index's value for each partition"
        ) from None
    return RULES_OF_CLUSTERCRIT[rule](range(len(numbers)), numbers, [math.nan] * len(numbers))


def _rule_for_partitions(record: Index) -> str:
    if record.best_k is None:
        raise InputError(f"{record.name} has no rule for choosing among partitions: use an internal index")
    return record.best_k
