"""Score differences of each pair of models, added to their matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from adjudge.presentation.numbers import error_at_most
from adjudge.results import Comparison
from adjudge.results.differences import ClassDifference, ScoreDifference, corrected, difference_of
from adjudge.results.score import Score

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference
    from adjudge.results.head_to_head import HeadToHead

__all__ = ["with_differences"]

Pair = tuple[str, str]

#: How the test of a primary score differs from the others.
ALONE = "the primary score, tested alone"
ALONE_FOR_PAIRS = "the primary score, corrected for the pairs of models alone"


def with_differences(
    comparison: Comparison,
    between: Mapping[Pair, Mapping[str, Difference]],
    recalls: Callable[..., list[ClassDifference]] | None = None,
) -> Comparison:
    """Add the difference of each score to every ordered pair of models.

    Parameters
    ----------
    comparison : Comparison
    between : mapping of (str, str) to mapping of str to Difference
        Inferred differences of each pair of models, by index; each pair in the order of `models`. May be empty.
    recalls : callable, optional
        Compares two models' recall of each class.
    """
    found: dict[Pair, dict[str, ScoreDifference]] = {}
    for p, q in combinations(comparison.models, 2):
        inferred = between.get((p, q), {})
        found[p, q] = {
            name: _difference(score, comparison.judged[q][name], inferred.get(name))
            for name, score in comparison.judged[p].items()
        }
    primary = comparison.settings.get("primary")
    shown = [own for by_index in found.values() for own in by_index.values()]
    tested = iter(corrected(shown, lambda own: own.index.name == primary))
    found = {pair: {name: next(tested) for name in by_index} for pair, by_index in found.items()}
    if primary is not None:
        said = ALONE if len(found) == 1 else ALONE_FOR_PAIRS
        found = {pair: _with_reason(by_index, primary, said) for pair, by_index in found.items()}
    pairs: dict[Pair, HeadToHead] = {}
    for pair in permutations(comparison.models, 2):
        own = found[pair] if pair in found else {n: _turned(d) for n, d in found[pair[1], pair[0]].items()}
        of_classes: Any = None if recalls is None else partial(recalls, *pair)
        if of_classes is not None and pair not in found:
            of_classes = partial(_turned_recalls, pairs[pair[1], pair[0]])
        pairs[pair] = replace(comparison.pairs[pair], differences=own, _recalls=of_classes)
    return replace(comparison, pairs=pairs)


def _with_reason(by_index: dict[str, ScoreDifference], primary: str, said: str) -> dict[str, ScoreDifference]:
    """Say of the primary score how its test is corrected, if it has one."""
    own = by_index[primary]
    if own.p_value is None:
        return by_index
    return {**by_index, primary: replace(own, reason="; ".join(filter(None, (said, own.reason))))}


def _turned_recalls(pair: HeadToHead) -> list[ClassDifference]:
    """Return the recalls of the alternative against the primary model, compared once for both."""
    return [
        replace(row, score=_turned(row.score), broken=row.fixed, fixed=row.broken) for row in pair.recalls
    ]


def _difference(first: Score, second: Score, inferred: Difference | None) -> ScoreDifference:
    bound = _bound_of(first, second)
    reason = "; ".join(filter(None, (first.reason or second.reason, bound))) or None
    about: dict[str, Any] = {"average": first.average, "of_class": first.of_class}
    own = ScoreDifference(first.index, first.value, second.value, reason=reason, **about)
    if inferred is None or math.isnan(own.value):
        return own
    found = difference_of(first.index, first.value, second.value, inferred)
    return replace(found, **about, reason="; ".join(filter(None, (bound, found.reason))) or None)


def _bound_of(first: Score, second: Score) -> str:
    """Say how far off a difference of scores may be that were computed from sums, if it has a value."""
    bound = (first.error_bound or 0.0) + (second.error_bound or 0.0)
    return "" if math.isnan(first.value + second.value) else error_at_most(bound)


def _turned(difference: ScoreDifference) -> ScoreDifference:
    """Return the difference with the models swapped: second minus first."""
    return replace(
        difference,
        first=difference.second,
        second=difference.first,
        low=None if difference.high is None else -difference.high,
        high=None if difference.low is None else -difference.low,
    )
