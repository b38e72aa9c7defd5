"""What each rule for K chooses, beside its definition in words, on short sequences with ties and gaps."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from adjudge.indices.rules import RULES, vote_of_gap

nan, inf = math.nan, math.inf
Values = Sequence[float]


def extreme(sign: int, order: int) -> Callable[[list[int], Values, Values], int | None]:
    def chosen(ks: list[int], v: Values, c: Values) -> int | None:
        if order == 2:
            scores = {ks[i]: (v[i + 1] - v[i]) - (v[i] - v[i - 1]) for i in range(1, len(v) - 1)}
        elif order == 1:
            scores = {ks[i]: v[i] - v[i - 1] for i in range(1, len(v))}
        else:
            scores = dict(zip(ks, v, strict=True))
        if any(math.isnan(score) for score in scores.values()):
            return None
        scores = {k: score for k, score in scores.items() if math.isfinite(score)}
        if not scores:
            return None
        best = max(sign * score for score in scores.values())
        return min(k for k, score in scores.items() if sign * score == best)

    return chosen


def below_first(ks: list[int], v: Values, c: Values) -> int | None:
    """Of the values before the first that is not at least its critical one, the last."""
    kept = list(itertools.takewhile(lambda k: v[ks.index(k)] >= c[ks.index(k)], ks))
    last = kept[-1] if kept and len(kept) < len(ks) else None
    return None if last is None or math.isinf(v[ks.index(last)]) else last


def within_an_error(ks: list[int], v: Values, c: Values) -> int | None:
    known = {k: (own, limit) for k, own, limit in zip(ks, v, c, strict=True) if not math.isinf(own)}
    if not known or any(math.isnan(own) for own, _ in known.values()):
        return None
    top = max(own for own, _ in known.values())
    limit = next(limit for own, limit in known.values() if own == top)
    return min(k for k, (own, _) in known.items() if own >= top - limit)


def finite(keep: Callable[[float, float], bool], pick: Any, default: int | None) -> Any:
    return lambda ks, v, c: pick(
        (k for k, own, limit in zip(ks, v, c, strict=True) if keep(own, limit) and not math.isinf(own)),
        default=default,
    )


DEFINED: dict[str, Callable[[list[int], Values, Values], int | None]] = {
    "max": extreme(1, 0),
    "min": extreme(-1, 0),
    "max_diff": extreme(1, 2),
    "min_diff": extreme(-1, 2),
    "max_rise": extreme(1, 1),
    "max_drop": extreme(-1, 1),
    "first_at_least": finite(operator.ge, min, None),
    "first_at_most": finite(operator.le, min, None),
    "last_at_least": finite(operator.ge, max, 1),
    "last_above": below_first,
    "one_standard_error": within_an_error,
}
SEQUENCES = [
    *(list(values) for n in range(5) for values in itertools.product((0.0, 1.0, 3.0), repeat=n)),
    *([nan, 1.0, 0.0], [1.0, nan, 3.0, 0.0], [inf, 1.0, 2.0], [-inf, 1.0, 2.0, inf], [inf, inf, 1.0]),
    [1e308, -1e308, 1.0],
]


def test_every_rule_is_defined() -> None:
    assert list(DEFINED) == list(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_rules_choose_as_they_say(rule: str) -> None:
    for values in SEQUENCES:
        ks = list(range(2, 2 + len(values)))
        for critical in ([1.0] * len(values), [0.5 * k for k in ks]):
            found = RULES[rule].choose(ks, values, critical)
            assert found == DEFINED[rule](ks, values, critical), (values, critical)


GAPS = {1: 0.2, 2: 0.5, 3: 0.45, 4: 0.9, 5: 0.9}
ERRORS = {1: 0.05, 2: 0.3, 3: 0.1, 4: 0.5, 5: 0.01}


@pytest.mark.parametrize(
    ("rule", "factor", "expected"),
    [
        ("Tibs2001SEmax", 1.0, 1),  # 0.2 >= 0.5 - 0.3
        ("Tibs2001SEmax", 0.9, 2),
        ("firstmax", 1.0, 2),
        ("globalmax", 1.0, 4),
        ("firstSEmax", 1.0, 1),
        ("firstSEmax", 0.5, 2),
        ("globalSEmax", 1.0, 2),
        ("globalSEmax", 0.1, 4),
    ],
)
def test_rules_of_the_gap_by_hand(rule: str, factor: float, expected: int) -> None:
    assert vote_of_gap(GAPS, ERRORS, rule, factor) == expected
    assert vote_of_gap({}, {}, rule) is None
    assert vote_of_gap(GAPS | {3: nan}, ERRORS, rule) is None
    rising = {1: 0.0, 2: 0.5, 3: 1.0}
    assert vote_of_gap(rising, dict.fromkeys(rising, 0.1), rule) == 3
