"""From votes to a recommendation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudge.indices.record import Index

__all__ = ["COMMITTEE", "Verdict", "decide", "family_of", "tally_votes"]

#: The criteria whose votes make the recommendation; docs/choose_k.md has the study that they were chosen by.
COMMITTEE: tuple[str, ...] = ()


def family_of(record: Index) -> str:
    """Name of the family of near-duplicates that a criterion belongs to; its own name if it has none."""
    return record.family or record.name


def tally_votes(
    votes: Mapping[str, int | None], records: Iterable[Index], by_family: bool
) -> dict[int, float]:
    """Count the votes for each K.

    Parameters
    ----------
    votes : mapping of str to int or None
        K by the name of the criterion; None abstains.
    records : iterable of Index
        The criteria.
    by_family : bool
        Whether a family has one vote together, shared by those of its members that vote.
    """
    families: dict[str, list[int]] = {}
    for record in records:
        choice = votes.get(record.name)
        if choice is not None:
            families.setdefault(family_of(record) if by_family else record.name, []).append(choice)
    tally: dict[int, list[float]] = {}
    for choices in families.values():
        for k in choices:
            tally.setdefault(k, []).append(1 / len(choices))
    return {k: math.fsum(shares) for k, shares in sorted(tally.items())}


@dataclass(frozen=True)
class Verdict:
    """A recommended number of clusters, and how it came about."""

    k: int
    supporters: tuple[str, ...]
    voters: tuple[str, ...]


def decide(votes: Mapping[str, int | None], records: Iterable[Index], ks: Iterable[int]) -> Verdict | None:
    """Recommend a K; None where no criterion votes for one of `ks`."""
    allowed = set(ks)
    chosen = [r for r in records if votes.get(r.name) in allowed and (not COMMITTEE or r.name in COMMITTEE)]
    tally = tally_votes(votes, chosen, True)
    if not tally:
        return None
    best = max(tally, key=lambda k: (tally[k], -k))
    return Verdict(
        best, tuple(r.name for r in chosen if votes[r.name] == best), tuple(r.name for r in chosen)
    )
