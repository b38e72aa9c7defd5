"""From votes to a recommendation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudge.indices.record import Index

__all__ = ["COMMITTEE", "Verdict", "decide", "deciding", "family_of", "tally_votes"]

#: The criteria whose votes make the recommendation; docs/choose_k.md has the study that they were chosen by.
COMMITTEE: tuple[str, ...] = (
    "calinski_harabasz",
    "wemmert_gancarski",
    "gdi23",
    "ccc",
    "gdi13",
    "hartigan_drop",
    "log_det_ratio",
)
# With fewer of them all requested criteria decide.
_QUORUM = 4


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


def deciding(records: Iterable[Index]) -> list[Index]:
    """Return the committee if enough of it is among the records, else all of them."""
    chosen = list(records)
    members = [r for r in chosen if r.name in COMMITTEE]
    return members if len(members) >= _QUORUM else chosen


@dataclass(frozen=True)
class Verdict:
    """A recommended number of clusters, and how it came about."""

    k: int
    supporters: tuple[str, ...]
    voters: tuple[str, ...]


def decide(votes: Mapping[str, int | None], records: Iterable[Index], ks: Iterable[int]) -> Verdict | None:
    """Recommend a K, the smaller one on ties; None if no criterion votes for one of `ks`.

    The committee decides, each member with one vote; if fewer of it vote than make a quorum, all criteria decide,
    each family with one vote.
    """
    allowed = set(ks)
    voting = [r for r in records if votes.get(r.name) in allowed]
    chosen = deciding(voting)
    quorate = all(r.name in COMMITTEE for r in chosen) and len(chosen) >= _QUORUM
    tally = {k: round(v, 9) for k, v in tally_votes(votes, chosen, not quorate).items()}
    if not tally:
        return None
    best = max(tally, key=lambda k: (tally[k], -k))
    return Verdict(
        best, tuple(r.name for r in chosen if votes[r.name] == best), tuple(r.name for r in chosen)
    )
