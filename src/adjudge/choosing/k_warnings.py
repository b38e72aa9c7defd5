"""Evidence against a recommended number of clusters, and against the existence of clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from adjudge.choosing.stacking import stack_of
from adjudge.choosing.verdict import compared_numbers
from adjudge.errors import Call, Option
from adjudge.indices.rules import vote_of_gap
from adjudge.inference.clusters.halves import UNSEEN
from adjudge.presentation.numbers import Votes, listed, percent_text, show_number
from adjudge.results.choice import KChoice
from adjudge.results.notice import Notice

__all__ = ["doubts_about"]

# Below this, a partition is no more compact than one of a Gaussian or of evenly spread points may be by chance.
_STRUCTURE_SCORE = 2.0
_EVENLY_SPREAD = 0.05
_STRONG = 0.8
_MAJORITY = 0.5
# Other numbers are worth a look if their probability is at least this share of the largest.
_RIVAL = 0.3

# Where both vote for the same other number, it was right on 22 of 34 fair pairs of docs/studies/choose_k.md, and the
# verdict on the rest.
_OFTEN_RIGHT = ("cvnn", "log_det_ratio")

_TOO_FEW = "its differences need three of them"
_LOOK_AT_BOTH = "look at both partitions"
_OTHER_EVIDENCE = "look for other evidence before you use the clusters"


def doubts_about(choice: KChoice, distinct: int) -> tuple[Notice, ...]:
    """Return notices of the evidence in a result against its own recommendation; `distinct` counts the points."""
    against = [] if choice.k == 1 else _against_clusters(choice)
    about_points = [*_few_distinct(choice, distinct), *_unseen(choice)]
    found = [*_without_a_reading(choice), *_with_a_gap(choice.ks), *about_points, *against]
    if len(compared := compared_numbers(choice.values, choice.ks)) == 1:
        return (_one_candidate(compared[0]), *found)
    # Most criteria could not vote for one cluster.
    if choice.k is None or choice.k == 1:
        return tuple(found)
    return (*_at_the_edge(choice.k, choice, distinct), *_divided(choice.k, choice), *found)


def _one_candidate(k: int) -> Notice:
    return Notice(
        "one-candidate",
        f"K = {k} is the only number of clusters that was tried, so the votes say nothing",
        ("give several to ", Option("k")),
    )


def _without_a_reading(choice: KChoice) -> Iterator[Notice]:
    """Say which criteria of the verdict have nothing to say about these partitions."""
    for term in stack_of("numbers").terms if choice.probability is not None else ():
        name, values = term.criterion, choice.values[term.criterion].values()
        is_lacking = not any(map(math.isfinite, values))
        if is_lacking or (term.reading == "vote" and choice.votes[name] not in choice.ks):
            reasons = [why for k, why in choice.reasons.get(name, {}).items() if k > 1]
            reasons.append(_TOO_FEW if sum(k > 1 for k in choice.ks) < 3 else "")
            why = f" ({reasons[0]})" if reasons[0] else ""
            yield Notice(
                "reading-drops-out",
                f"the verdict is without {name}, which has no {'value' if is_lacking else 'vote'} for these numbers of "
                f"clusters{why}",
                severity="info",
            )


def _with_a_gap(ks: tuple[int, ...]) -> Iterator[Notice]:
    """Warn of two numbers that may have been meant as the ends of a range."""
    if len(ks) == 2 and ks[1] - ks[0] > 1:
        yield Notice(
            "two-candidates",
            f"only K = {ks[0]} and K = {ks[1]} were compared, and none between",
            ("give all that may be right to ", Option("k")),
        )


def _few_distinct(choice: KChoice, distinct: int) -> Iterator[Notice]:
    """Say that repeated points allow no more clusters."""
    if choice.ks[-1] >= distinct - 1 and distinct < choice.n:
        yield Notice(
            "few-distinct-points",
            f"only {distinct} of the points are distinct, so no more than {distinct - 1} clusters can be compared",
            "each distinct point may be a cluster of its own",
            "info",
        )


def _at_the_edge(k: int, choice: KChoice, distinct: int) -> Iterator[Notice]:
    """Warn of a K at an end of the range, except K = 2 and the K beyond which nothing can be compared."""
    if k == choice.ks[-1] and k < distinct - 1:
        yield Notice(
            "range-edge", f"K = {k} is the largest number of clusters that was tried", "try larger ones"
        )
    elif k == choice.ks[0] and k > 2:
        yield Notice(
            "range-edge", f"K = {k} is the smallest number of clusters that was tried", "try smaller ones"
        )


def _divided(k: int, choice: KChoice) -> Iterator[Notice]:
    own, all_voters = len(choice.supporters), len(choice.voters)
    if choice.probability is not None:
        yield from _improbable(k, choice.probability, choice.answers)
        yield from _against_two(k, choice.votes)
    elif own <= _MAJORITY * all_voters:
        votes = (choice.votes[name] for name in choice.voters)
        others = sorted({vote for vote in votes if vote is not None and vote != k})
        yield Notice(
            "weak-plurality",
            f"only {own} of the {all_voters} criteria vote for K = {k}",
            f"look at the partitions into {listed(list(map(str, others)), None)} clusters too",
        )
    leading = _first(choice.tally)
    if leading is not None and choice.tally[leading] > choice.tally.get(k, 0.0) and leading != k:
        yield Notice(
            "tally-disagrees",
            f"the criteria together prefer K = {leading}, with {show_number(Votes(choice.tally[leading]))} votes to "
            f"{show_number(Votes(choice.tally.get(k, 0.0)))} for K = {k}",
            _LOOK_AT_BOTH,
        )
    if choice.confidence:
        yield from _against_bootstrap(k, choice.confidence)


def _improbable(k: int, probability: Mapping[int, float], answers: Sequence[int]) -> Iterator[Notice]:
    some = math.fsum(probability.values())
    if some <= _MAJORITY:
        yield Notice(
            "none-may-be-right",
            f"the probability that none of these partitions shows the clusters is {percent_text(1 - some)}",
            "try other estimators, or look for other evidence",
        )
    if probability[k] <= _MAJORITY * some:
        others = sorted(j for j, p in probability.items() if j != k and p >= _RIVAL * probability[k])
        yield Notice(
            "close-call",
            f"even if one of the partitions is right, K = {k} has a probability of only "
            f"{percent_text(probability[k] / some)}",
            f"look at the partitions into {listed(list(map(str, others)), None)} clusters too"
            if others
            else "",
        )
    if len(answers) > 1:
        more = listed([f"K = {j}" for j in sorted(answers[1:])], None)
        yield Notice(
            "several-answers",
            f"{more} {'stands' if len(answers) == 2 else 'stand'} out from the neighbouring numbers, too: clusters may "
            "consist of clusters",
            "decide which level you need",
            "info",
        )


def _against_two(k: int, votes: Mapping[str, int | None]) -> Iterator[Notice]:
    other, *rest = {votes.get(name) for name in _OFTEN_RIGHT}
    if other not in (None, k) and not rest:
        yield Notice(
            "two-prefer-another",
            f"{listed(_OFTEN_RIGHT)} both vote for K = {other}: the two were right more often than the verdict on "
            "nested or unequal clusters and on measured things, less often on counts, curves and heavy tails",
            _LOOK_AT_BOTH,
        )


def _against_bootstrap(k: int, wins: Mapping[int, float]) -> Iterator[Notice]:
    leading = _first(wins)
    own = wins.get(k, 0.0)
    if leading is not None and wins[leading] > own:
        yield Notice(
            "bootstrap-disagrees",
            f"K = {leading} wins in {percent_text(wins[leading])} of the bootstrap samples, K = {k} in "
            f"{percent_text(own)}",
            _LOOK_AT_BOTH,
        )
    elif own <= _MAJORITY:
        yield Notice(
            "bootstrap-divided",
            f"K = {k} wins in only {percent_text(own)} of the bootstrap samples",
            "take it as one of several answers",
        )


def _first(votes: Mapping[int, float]) -> int | None:
    """Return the K with the most votes; the smallest on ties."""
    return max(votes, key=lambda k: (votes[k], -k), default=None)


def _unseen(choice: KChoice) -> Iterator[Notice]:
    if choice.there_are is False:
        yield Notice(
            "bent-clusters-unseen",
            UNSEEN,
            ("if there may be such, compare estimators that find them with ", Call("choose")),
            "info",
        )


def _against_clusters(choice: KChoice) -> Iterator[Notice]:
    # The published rule stops at 1 too early for several clusters in a row, where two clusters are no better than one.
    if (
        "gap" in choice.values
        and vote_of_gap(choice.values["gap"], choice.critical["gap"], "globalSEmax") == 1
    ):
        yield _no_clusters("gap-prefers-one", "the gap statistic prefers one")
    if choice.votes.get("bic") == 1:
        yield _no_clusters("bic-prefers-one", "bic prefers a mixture of one component")
    scores = {
        like: choice.structure[name]
        for name, like in (("beats_gaussian", "one Gaussian"), ("beats_uniform", "evenly spread points"))
        if name in choice.structure
    }
    like = min(scores, key=scores.__getitem__, default="")
    if like and scores[like] < _STRUCTURE_SCORE:
        yield _no_clusters(
            "hardly-clustered",
            f"k-means parts these points hardly better than {like} of the same spread "
            f"({scores[like]:.1f} standard deviations)",
        )
    # A tenth of the points and one draw cannot refute that the halves of all agree.
    if choice.structure["hopkins_p_value"] > _EVENLY_SPREAD and not choice.there_are:
        yield _no_clusters(
            "spread-evenly",
            f"the points are spread evenly (Hopkins statistic {choice.structure['hopkins']:.2f})",
        )
    strength = {} if choice.stability is None else dict(choice.stability.strength)
    # That of one cluster is 1.
    strength.pop(1, None)
    if strength and max(strength.values()) < _STRONG:
        best = max(strength, key=strength.__getitem__)
        yield _no_clusters(
            "low-prediction-strength",
            f"the prediction strength is under {_STRONG} for every K, {strength[best]:.2f} at best (K = {best})",
        )


def _no_clusters(code: str, why: str) -> Notice:
    return Notice(code, f"evidence against clusters: {why}", _OTHER_EVIDENCE)
