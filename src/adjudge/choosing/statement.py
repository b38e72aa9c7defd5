"""From the verdict to its statement: probabilities, a recommendation or none, all answers, and the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.choosing.stacking import stack_of, standing_out
from adjudge.choosing.sweep_scores import Judgement
from adjudge.choosing.verdict import Verdict, compared_numbers
from adjudge.errors import IndexName, Worded, joined
from adjudge.inference.clusters.halves import ENOUGH, agreement_in_words
from adjudge.presentation.numbers import listed, out_of, percent_text

__all__ = ["Stated", "reason_of", "stated"]


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


def _voting(decided: Verdict) -> str:
    return out_of(len(decided.supporters), len(decided.voters), "criterion", "criteria")


def _reason_of_probability(decided: Verdict, said: Stated, probability: Mapping[int, float]) -> str:
    some = math.fsum(probability.values())
    share = percent_text(probability[decided.k] / some)
    if said.k is None:
        return (
            f"K = {decided.k} is the most probable number if one of these partitions shows clusters ({share})"
        )
    names = [" (", *_listed(decided.supporters), ")"] if decided.supporters else []
    return Worded(
        f"one of these partitions shows them with a probability of {percent_text(some)}, and then K = {decided.k} is "
        f"right with {share}; it has the votes of {_voting(decided)} of the verdict",
        *names,
    )
