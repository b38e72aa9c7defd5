"""What a reader in a hurry sees: a comparison in one line, and one picture of the differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from adjudge._report.wording import interval, listed, number
from adjudge.results import Comparison
from adjudge.results.differences import ScoreDifference
from adjudge.results.model_differences import WhatDiffers, ranking
from adjudge.results.score import Score
from adjudge.results.verdict import finds_of_each, trade_of

# Most models whose difference from the leader is drawn.
_MOST = 6
_NONE = "No model is better than all others."


def headline(comparison: Comparison) -> str | None:
    """Say in one line which model is better; None if there is one model, or no test."""
    leader, rival = comparison.verdict.leader, comparison.verdict.rival
    if rival is None or not _are_tested(comparison, leader, rival):
        return None
    found = WhatDiffers(comparison, *ranking(comparison))
    if found.primary is not None:
        return _by_primary(found)
    better, trades = [], []
    for other in (name for name in comparison.models if name != leader):
        wins, losses = found.seen(leader, other)
        if wins and not losses and not found.finds_more(other, leader):
            better.append(other)
        elif trade := trade_of(found, leader, other):
            trades.append((other, trade))
    if trades and len(comparison.models) == 2:
        return f"{leader} and {trades[0][0]} trade: {trades[0][1]}."
    if len(better) == len(comparison.models) - 1:
        return f"{leader} is better than {listed(better)}."
    if len(comparison.models) == 2:
        if finds := finds_of_each(found):
            return f"No score tells {leader} from {rival}, but {finds}."
        return f"No difference between {leader} and {rival} is seen."
    if trades:
        return f"{leader} and {listed([other for other, _ in trades])} trade: {', '.join(said for _, said in trades)}."
    rest = [name for name in comparison.models if name != leader and name not in better]
    return f"{leader} is better than {listed(better)}; {_no_difference_from(rest)}." if better else _NONE


def _by_primary(found: WhatDiffers) -> str | None:
    """Say which models the leader is better than by the primary score; None if it has no test."""
    leader, *others = found.standing
    own = found.of_primary(leader, found.rival)
    if own is None or own.adjusted_p_value is None:
        return None
    by = f"By {own.title}, the primary score,"
    better = [other for other in others if found.decided(leader, other)[0]]
    if not better:
        return f"{by} no difference between {listed([leader, *others])} is seen."
    rest = [other for other in others if other not in better and not found.lacks_primary(other)]
    return f"{by} {leader} is better than {listed(better)}{f'; {_no_difference_from(rest)}' if rest else ''}."


def _no_difference_from(others: Sequence[str]) -> str:
    return f"no difference from {listed(others)} is seen"


def _are_tested(comparison: Comparison, leader: str, rival: str) -> bool:
    found = comparison[leader, rival].differences.values()
    return any(own.adjusted_p_value is not None for own in found)


def picture(comparison: Comparison, order: Sequence[str]) -> dict[str, Any] | None:
    """Place the differences between the leader and the other models on one line; None without intervals."""
    verdict = comparison.verdict
    if verdict.rival is None:
        return None
    pair = comparison[verdict.leader, verdict.rival].differences
    names = (verdict.score, ranking(comparison)[0])
    score = next((name for name in names if name in pair and pair[name].interval is not None), None)
    if score is None:
        return None
    others = [model for model in order if model != verdict.leader][:_MOST]
    rows = [(other, comparison[verdict.leader, other].differences[score]) for other in others]
    ends = [abs(end) for _, own in rows for end in own.interval or ()]
    if not ends or not 0 < max(ends) < math.inf:
        return None
    return {
        "title": comparison.title_of(score),
        "leader": verdict.leader,
        "confidence": comparison.settings.get("confidence"),
        "end": max(ends),
        "rows": [{"model": other, **_row(own, 95 / max(ends))} for other, own in rows],
    }


def _row(difference: ScoreDifference, scale: float) -> dict[str, Any]:
    """Place a difference so that the right is where the leader is better, whichever way the score goes."""
    turn = -scale if difference.index.better == "lower" else scale
    low, high = sorted(
        round(turn * end, 1) for end in difference.interval or (difference.value, difference.value)
    )
    said = number(difference.value) + (f" ({interval(difference.interval)})" if difference.interval else "")
    return {"low": low, "at": round(turn * difference.value, 1), "high": high, "text": said}


def placed(scores: Sequence[tuple[str, Score]], what: str, confidence: float | None) -> dict[str, Any] | None:
    """Place scores between their worst and their best possible value; None if none has both."""
    rows = []
    for name, own in scores:
        low, high = own.range
        if own.index.better and all(map(math.isfinite, (low, high, own.value))):
            worst, best = (low, high) if own.index.better == "higher" else (high, low)
            ends = [own.value, *(own.interval or (own.value, own.value))]
            at, *reach = (round(190 * (end - worst) / (best - worst) - 95, 1) for end in ends)
            said = number(own.value) + (f" ({interval(own.interval)})" if own.interval else "")
            rows.append({"name": name, "low": min(reach), "at": at, "high": max(reach), "text": said})
    if not rows:
        return None
    given = any(own.interval for _, own in scores) and confidence
    level = f", with {100 * confidence:g} % intervals" if given and confidence else ""
    return {
        "caption": f"{what} from the worst possible value (left) to the best{level}.",
        "rows": rows[:_MOST],
    }
