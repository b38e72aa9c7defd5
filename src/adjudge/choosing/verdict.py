"""From votes to a recommendation, and what is said of it: probabilities, all answers, and the reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.choosing.stacking import Saying, oriented, stack_of, standing_out
from adjudge.choosing.sweep_scores import Judgement
from adjudge.choosing.votes import tally_votes
from adjudge.errors import IndexName, Worded, joined
from adjudge.indices.record import Index
from adjudge.inference.clusters.halves import ENOUGH, agreement_in_words
from adjudge.presentation.numbers import listed, out_of, percent_text

__all__ = ["Stated", "Verdict", "compared_numbers", "decide", "deciding", "reason_of", "stated"]


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


@dataclass(frozen=True)
class Stated:
    """The statement about K: the recommended number, all probabilities, and all answers."""

    k: int | None
    probability: dict[int, float] | None
    answers: tuple[int, ...]


def stated(decided: Verdict | None, structure: Mapping[str, float], n: int) -> Stated:
    """State probabilities that allow for no partition being right; recommend none if there seem to be no clusters."""
    if decided is None:
        return Stated(None, None, ())
    halves = structure.get("halves_agree")
    there_are_none = halves is not None and halves < ENOUGH
    if decided.shares is None:
        none = there_are_none and decided.k > 1
        return Stated(None, None, ()) if none else Stated(decided.k, None, (decided.k,))
    stack = stack_of("numbers")
    some = _one_is_right(decided.shares[decided.k], structure, n)
    ks = list(decided.shares)
    probability = {k: some * share for k, share in decided.shares.items()}
    if there_are_none or some < stack.least:
        return Stated(None, probability, ())
    answers = tuple(ks[i] for i in standing_out(list(decided.shares.values()), stack.factor))
    return Stated(decided.k, probability, answers)


def _one_is_right(most_probable: float, structure: Mapping[str, float], n: int) -> float:
    advantages = [structure[name] for name in ("beats_gaussian", "beats_uniform") if name in structure]
    # There is no comparison if there are no more distinct points than clusters; then the points are the clusters.
    if not advantages:
        return 1.0
    halves = structure.get("halves_agree")
    agree = 0.5 if halves is None else float(halves >= ENOUGH)
    return stack_of("numbers").one_is_right(most_probable, min(advantages), n, agree)


def reason_of(
    decided: Verdict | None,
    said: Stated,
    judged: Judgement,
    ks: tuple[int, ...],
    structure: Mapping[str, float],
) -> str:
    """Say whether there are clusters, how many, and what else stands out; criteria are separate pieces."""
    if decided is None:
        return f"no criterion could choose among K = {', '.join(map(str, ks))}"
    halves = structure.get("halves_agree")
    found = [] if halves is None else [agreement_in_words(halves)]
    if len(compared_numbers(judged.values, ks)) == 1:
        found.append(f"K = {decided.k} was not compared with any other number of clusters")
    elif said.probability is not None:
        found.append(_reason_of_probability(decided, said, said.probability))
        if sum(vote is not None for vote in judged.votes.values()) > len(decided.voters):
            found.append(_proposing(judged, decided.k))
    else:
        found.append(_reason_of_votes(decided, judged))
    others = [f"K = {k}" for k in sorted(said.answers[1:])]
    if others:
        found.append(f"{listed(others, None)} {'stands' if len(others) == 1 else 'stand'} out, too")
    return joined(found)


def _reason_of_votes(decided: Verdict, judged: Judgement) -> str:
    few = len(decided.supporters) <= 5
    names = _listed(decided.supporters[:5])
    return Worded(_proposing(judged, decided.k), " (", *names, ")" if few else " ...)")


def _proposing(judged: Judgement, k: int) -> str:
    """Say how many criteria propose a number, as NbClust does."""
    votes = [vote for vote in judged.votes.values() if vote is not None]
    own = votes.count(k)
    return (
        f"{out_of(own, len(votes), 'criterion', 'criteria')} {'propose' if own > 1 else 'proposes'} K = {k}"
    )


def _listed(criteria: Sequence[str]) -> list[Any]:
    """List criteria as pieces, which a report replaces by their titles."""
    return [piece for name in criteria for piece in (", ", IndexName(name))][1:]


def _reason_of_probability(decided: Verdict, said: Stated, probability: Mapping[int, float]) -> str:
    some = math.fsum(probability.values())
    share = percent_text(probability[decided.k] / some)
    if said.k is None:
        return (
            f"K = {decided.k} is the most probable number if one of these partitions shows clusters ({share})"
        )
    names = [" (", *_listed(decided.supporters), ")"] if decided.supporters else []
    votes = out_of(len(decided.supporters), len(decided.voters), "criterion", "criteria")
    return Worded(
        f"one of these partitions shows them with a probability of {percent_text(some)}, and then K = {decided.k} is "
        f"right with {share}; it has the votes of {votes} of the verdict",
        *names,
    )
