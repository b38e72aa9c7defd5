"""From votes to a recommendation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.choosing.stacking import Saying, oriented, stack_of
from adjudge.choosing.sweep_scores import Judgement
from adjudge.choosing.votes import tally_votes
from adjudge.indices.record import Index

__all__ = ["Verdict", "compared_numbers", "decide", "deciding"]


def deciding(records: Iterable[Index]) -> list[Index]:
    """Return the criteria that the stack reads if all are among the records, else all records."""
    chosen = list(records)
    wanted = stack_of("numbers").criteria
    members = [r for r in chosen if r.name in wanted]
    return members if len(members) == len(wanted) else chosen


def compared_numbers(values: Mapping[str, Mapping[int, float]], ks: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers that were compared: 1 only if a criterion has a value for it."""
    one = any(math.isfinite(own.get(1, math.nan)) for own in values.values())
    return tuple(k for k in ks if k > 1 or one)


@dataclass(frozen=True)
class Verdict:
    """A recommended number of clusters, and its basis.

    Attributes
    ----------
    k : int
    supporters, voters : tuple of str
        The criteria that vote for it, and all that vote.
    shares : dict of int to float, or None
        Probability of each K if one of the partitions is right; None for a plurality of votes.
    """

    k: int
    supporters: tuple[str, ...]
    voters: tuple[str, ...]
    shares: dict[int, float] | None = None


def decide(judged: Judgement, records: Iterable[Index], ks: Sequence[int]) -> Verdict | None:
    """Recommend the most probable K of 2 or more, or that of most families of criteria if the stack cannot be used.

    Return the smaller K on ties; None if no criterion votes for one of `ks`.
    """
    several = [k for k in ks if k > 1]
    stack = stack_of("numbers")
    is_stacked = len(several) > 1 and set(stack.criteria) <= set(judged.values)
    voting = [r for r in records if judged.votes.get(r.name) in (several if is_stacked else ks)]
    if len(several) == 1 and 1 in compared_numbers(judged.values, ks):
        # The others have no choice.
        voting = [r for r in voting if math.isfinite(judged.values[r.name][1])]
    if not voting:
        return None
    if is_stacked:
        said = {r.name: _said(r, judged, several) for r in deciding(records)}
        shares = dict(zip(several, stack.probabilities(said, len(several)).tolist(), strict=True))
        chosen = [r for r in voting if r.name in stack.criteria]
        best = max(shares, key=lambda k: (round(shares[k], 9), -k))
    else:
        shares, chosen = None, voting
        tally = {k: round(v, 9) for k, v in tally_votes(judged.votes, voting).items()}
        best = max(tally, key=lambda k: (tally[k], -k))
    supporters = tuple(r.name for r in chosen if judged.votes[r.name] == best)
    return Verdict(best, supporters, tuple(r.name for r in chosen), shares)


def _said(record: Index, judged: Judgement, ks: Sequence[int]) -> Saying | None:
    values = judged.values[record.name]
    straight = oriented([values.get(k, math.nan) for k in ks], record.better)
    own = judged.votes[record.name]
    return None if straight is None else Saying(straight, ks.index(own) if own in ks else None)
