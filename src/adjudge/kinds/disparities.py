"""How far the rates at which groups are predicted as the positive class lie apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from adjudge.indices.catalog import find_index
from adjudge.kinds.group_parts import MOST_PAIRED, Part, contrasts_of
from adjudge.results.differences import GroupContrast, words_of_group
from adjudge.results.disparities import Disparity
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts

__all__ = ["disparities"]

_NO_RATIO = "no interval of a ratio of extremes: see that of the difference"
#: The rates that are compared between groups.
_DISPARITIES = {
    "demographic_parity": ("selection_rate",),
    "equalized_odds": ("recall", "false_positive_rate"),
}


def disparities(parts: Mapping[Any, Part], confidence: float | None) -> Iterator[Disparity]:
    """Compare the rates at which groups are predicted as the positive class; nothing if there is none."""
    labels = {label: part.of_labels for label, part in parts.items() if part.of_labels is not None}
    if len(labels) < max(2, len(parts)) or any(own[ClassCounts].positive is None for own in labels.values()):
        return
    for name, rates in _DISPARITIES.items():
        records = [find_index(rate, "classification") for rate in rates]
        pairs = list(combinations(parts, 2)) if len(parts) <= MOST_PAIRED else []
        level = None if confidence is None else 1 - (1 - confidence) / (len(records) * max(len(pairs), 1))
        scored = {
            label: replace(part, counts=None, scores=labels[label].scored(records, level))
            for label, part in parts.items()
        }
        found = _extremes(name, rates, {label: own.scores for label, own in scored.items()})
        if level is None or math.isnan(found[0].value):
            yield from found
            continue
        few = (
            f"{words_of_group(label)}: {reason}"
            for label, own in scored.items()
            for record in records
            if own.drawn and (reason := own.drawn.why_few_units(record))
        )
        if (said := next(few, None)) is not None:
            yield replace(found[0], interval_reason=said)
            yield replace(found[1], interval_reason=_NO_RATIO)
            continue
        contrasts = [
            row
            for one, other in pairs
            for row in contrasts_of(one, other, scored[one], scored[other], records, level)
            if row.score.index in records
        ]
        yield _with_limits(found[0], contrasts)
        yield replace(found[1], interval_reason=_NO_RATIO)


def _extremes(
    name: str, rates: Sequence[str], scores: Mapping[Any, Mapping[str, Score]]
) -> tuple[Disparity, Disparity]:
    """Return the largest difference of several rates between groups, and the smallest ratio.

    A rate that is 0 in all groups differs in none of them.
    """
    of_class = next(iter(scores.values()))[rates[0]].of_class

    def of(form: str, rate: str, value: float, reason: str | None = None) -> Disparity:
        values = {label: score[rate].value for label, score in scores.items()}
        differ = len(set(values.values())) > 1 and not math.isnan(value)
        high, low = (end(values, key=values.__getitem__) if differ else None for end in (max, min))
        return Disparity(f"{name}_{form}", rate, high, low, value, reason, of_class=of_class)

    for label, own in scores.items():
        for score in own.values():
            if math.isnan(score.value):
                reason = f"{words_of_group(label)}: {score.reason}"
                return of("difference", score.name, math.nan, reason), of(
                    "ratio", score.name, math.nan, reason
                )
    ends = {
        rate: (
            min(own[rate].value for own in scores.values()),
            max(own[rate].value for own in scores.values()),
        )
        for rate in rates
    }
    gaps = {rate: most - least for rate, (least, most) in ends.items()}
    widest = max(gaps, key=gaps.__getitem__)
    ratios = {rate: least / most for rate, (least, most) in ends.items() if most > 0}
    if not ratios:
        none = of("ratio", widest, math.nan, "0/0: no instance is predicted as the class")
        return of("difference", widest, gaps[widest]), none
    lowest = min(ratios, key=ratios.__getitem__)
    return of("difference", widest, gaps[widest]), of("ratio", lowest, ratios[lowest])


def _with_limits(disparity: Disparity, contrasts: Sequence[GroupContrast]) -> Disparity:
    """Add the interval that follows from those of all pairs of groups, which hold together."""
    from adjudge.inference.differences.groups import limits_of_largest

    if not contrasts:
        return replace(disparity, interval_reason=f"no interval: there are more than {MOST_PAIRED} groups")
    refused = next((row for row in contrasts if row.score.interval is None), None)
    if refused is not None:
        pair = f"{words_of_group(refused.group)} and {words_of_group(refused.against)}"
        return replace(disparity, interval_reason=f"{pair}: {refused.score.reason}")
    low, high = limits_of_largest(row.score.interval for row in contrasts if row.score.interval)
    return replace(disparity, low=low, high=min(1.0, high))
