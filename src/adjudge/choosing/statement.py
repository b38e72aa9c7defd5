"""From the verdict to its statement: probabilities, a recommendation or none, all answers, and the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.choosing.stacking import stack_of, standing_out
from adjudge.choosing.sweep_scores import Judgement
from adjudge.choosing.verdict import Verdict
from adjudge.errors import IndexName, Worded
from adjudge.presentation.numbers import out_of, percent_text

__all__ = ["Stated", "reason_of", "stated"]


@dataclass(frozen=True)
class Stated:
    """The statement about K: the recommended number, all probabilities, and all answers."""

    k: int | None
    probability: dict[int, float] | None
    answers: tuple[int, ...]


def stated(decided: Verdict | None, structure: Mapping[str, float], n: int) -> Stated:
    """State probabilities that allow for no partition being right; recommend none if that is likely."""
    if decided is None:
        return Stated(None, None, ())
    if decided.shares is None:
        return Stated(decided.k, None, (decided.k,))
    stack = stack_of("numbers")
    some = _one_is_right(decided.shares[decided.k], structure, n)
    ks = list(decided.shares)
    probability = {k: some * share for k, share in decided.shares.items()}
    if some < stack.least:
        return Stated(None, probability, ())
    answers = tuple(ks[i] for i in standing_out(list(decided.shares.values()), stack.factor))
    return Stated(decided.k, probability, answers)


def _one_is_right(most_probable: float, structure: Mapping[str, float], n: int) -> float:
    advantages = [structure[name] for name in ("beats_gaussian", "beats_uniform") if name in structure]
    # There is no comparison if there are no more distinct points than clusters; then the points are the clusters.
    return stack_of("numbers").one_is_right(most_probable, min(advantages), n) if advantages else 1.0


def reason_of(decided: Verdict | None, said: Stated, judged: Judgement, ks: tuple[int, ...]) -> str:
    """Say why a number or none is recommended, in a sentence with the criteria as separate pieces."""
    if decided is None:
        return f"no criterion could choose among K = {', '.join(map(str, ks))}"
    if len(ks) == 1:
        return f"K = {decided.k}, which was not compared with any other number of clusters"
    if said.probability is not None:
        return _reason_of_probability(decided, said.k, said.probability)
    all_votes = [v for v in judged.votes.values() if v is not None]
    return Worded(
        f"K = {decided.k} has the votes of {_voting(decided)} (",
        *_listed(decided.supporters[:5]),
        f"{' ...' if len(decided.supporters) > 5 else ''}), and of "
        f"{out_of(all_votes.count(decided.k), len(all_votes), 'criterion that votes', 'criteria that vote')}",
    )


def _listed(criteria: Sequence[str]) -> list[Any]:
    """List criteria as pieces, which a report replaces by their titles."""
    return [piece for name in criteria for piece in (", ", IndexName(name))][1:]


def _voting(decided: Verdict) -> str:
    return out_of(len(decided.supporters), len(decided.voters), "criterion", "criteria")


def _reason_of_probability(decided: Verdict, k: int | None, probability: Mapping[int, float]) -> str:
    none = 1 - math.fsum(probability.values())
    if k is None:
        return (
            "no number of clusters has enough evidence, because with a probability of "
            f"{percent_text(none)} none of these partitions shows clusters; K = {decided.k} is the most probable"
        )
    names = [" (", *_listed(decided.supporters), ")"] if decided.supporters else []
    return Worded(
        f"K = {k} is right with a probability of {percent_text(probability[k])}, and with "
        f"{percent_text(none)} none is; it has the votes of {_voting(decided)} of the verdict",
        *names,
    )
