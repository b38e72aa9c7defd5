"""Naive twins of the indices of entity resolution and of whole tables: clusters as sets, links as pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath


def clusters_of(labels: Sequence[Any]) -> list[frozenset[int]]:
    return [frozenset(i for i, x in enumerate(labels) if x == own) for own in dict.fromkeys(labels)]


def _ratio(numerator: Any, denominator: Any) -> Any:
    return Fraction(numerator) / Fraction(denominator) if denominator else math.nan


def _harmonic(p: Any, r: Any) -> Any:
    if p != p or r != r:
        return math.nan
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def _muc_recall(key: list[frozenset[int]], response: list[frozenset[int]]) -> Any:
    """Links of a cluster's chain that survive when the other partition cuts it into parts."""
    kept = sum(len(c) - sum(1 for d in response if c & d) for c in key)
    return _ratio(kept, sum(len(c) - 1 for c in key))


def _lea_recall(key: list[frozenset[int]], response: list[frozenset[int]]) -> Fraction:
    def found(c: frozenset[int]) -> Fraction:
        if len(c) == 1:
            return Fraction(c in response)
        links = [{i, j} for i, j in itertools.combinations(sorted(c), 2)]
        return Fraction(sum(any(link <= d for d in response) for link in links), len(links))

    return sum((len(c) * found(c) for c in key), Fraction(0)) / sum(map(len, key))


def _best(weights: list[list[Fraction]]) -> Fraction:
    k = max(len(weights), len(weights[0]))
    padded = [[*row, *[Fraction(0)] * (k - len(row))] for row in weights]
    padded += [[Fraction(0)] * k for _ in range(k - len(weights))]
    return max(sum(padded[i][j] for i, j in enumerate(order)) for order in itertools.permutations(range(k)))


def _blanc(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any, Any]:
    pairs = list(itertools.combinations(range(len(a)), 2))
    if not pairs:
        return math.nan, math.nan, math.nan
    kinds = []
    for joined in (True, False):
        in_a = {p for p in pairs if (a[p[0]] == a[p[1]]) is joined}
        in_b = {p for p in pairs if (b[p[0]] == b[p[1]]) is joined}
        if in_a | in_b:
            p = Fraction(len(in_a & in_b), len(in_b)) if in_b else Fraction(0)
            r = Fraction(len(in_a & in_b), len(in_a)) if in_a else Fraction(0)
            kinds.append((_harmonic(p, r), p, r))
    f, p, r = (sum(part) / len(kinds) for part in zip(*kinds, strict=True))
    return f, p, r


def _of_counts(part: int) -> Callable[[int, int, int, int], float]:
    """Return BLANC as a function of counts of pairs: 0, 1 and 2 are F, precision and recall."""

    def value(yy: int, yn: int, ny: int, nn: int) -> float:
        kinds = [(yy, ny, yn), (nn, yn, ny)]
        shares = []
        for right, extra, missed in (kind for kind in kinds if any(kind)):
            below = (2 * right + extra + missed, right + extra, right + missed)[part]
            shares.append(Fraction(right * (2 if part == 0 else 1), below) if below else Fraction(0))
        return float(sum(shares) / len(shares)) if shares else math.nan

    return value


BLANC = {"blanc": _of_counts(0), "blanc_precision": _of_counts(1), "blanc_recall": _of_counts(2)}


def coreference_indices(a: Sequence[Any], b: Sequence[Any]) -> dict[str, float]:
    """Return the indices of entity resolution of two label vectors, rounded once."""
    key, response = clusters_of(a), clusters_of(b)
    muc = _muc_recall(response, key), _muc_recall(key, response)
    lea = _lea_recall(response, key), _lea_recall(key, response)
    similar = _best([[Fraction(2 * len(c & d), len(c) + len(d)) for d in response] for c in key])
    exact = len(set(key) & set(response))
    blanc = _blanc(a, b)
    found = {
        "muc_f": _harmonic(*muc),
        "muc_precision": muc[0],
        "muc_recall": muc[1],
        "ceaf_m": _best([[Fraction(len(c & d)) for d in response] for c in key]) / len(a),
        "ceaf_e": 2 * similar / (len(key) + len(response)),
        "ceaf_e_precision": similar / len(response),
        "ceaf_e_recall": similar / len(key),
        "blanc": blanc[0],
        "blanc_precision": blanc[1],
        "blanc_recall": blanc[2],
        "lea_f": _harmonic(*lea),
        "lea_precision": lea[0],
        "lea_recall": lea[1],
        "exact_cluster_f": Fraction(2 * exact, len(key) + len(response)),
        "exact_cluster_precision": Fraction(exact, len(response)),
        "exact_cluster_recall": Fraction(exact, len(key)),
        # Each cluster has one step less than parts, on both sides.
        "merge_distance": sum(
            sum(bool(c & d) for d in one) - 1
            for one, other in ((key, response), (response, key))
            for c in other
        ),
        "split_join": sum(
            len(a) - sum(max(len(c & d) for d in one) for c in other)
            for one, other in ((key, response), (response, key))
        ),
    }
    return {name: float(value) for name, value in found.items()}


# --- whole tables -----------------------------------------------------------------------------------------------


def _mari(a: Sequence[Any], b: Sequence[Any]) -> float:
    pairs = list(itertools.combinations(range(len(a)), 2))
    if len(a) < 4:
        return math.nan
    in_a = [p for p in pairs if a[p[0]] == a[p[1]]]
    in_b = [p for p in pairs if b[p[0]] == b[p[1]]]
    both = len(set(in_a) & set(in_b))
    disjoint = sum(1 for p in in_a for q in in_b if not set(p) & set(q))
    expected = Fraction(disjoint, 6 * math.comb(len(a), 4)) * len(pairs)
    return float(_ratio(both - expected, Fraction(len(in_a) + len(in_b), 2) - expected))


def _message(groups: list[list[int]], k: int) -> float:
    """Return the fewest bits to draw each group's instances from an urn that starts with `a` balls of each class."""

    def length(log: float) -> float:
        a = math.exp(log)
        urn = (math.log(k * a + i) for group in groups for i in range(sum(group)))
        balls = (math.log(a + i) for group in groups for x in group for i in range(x))
        return math.fsum([*urn, *(-x for x in balls)])

    if k == 1:
        return 0.0
    low, high = min(-12.0, math.log(1e-4 / k)), max(12.0, math.log(16.0 * max(map(sum, groups)) ** 2))
    tried = [low + (high - low) * i / 300 for i in range(301)]
    best = min(range(301), key=lambda i: length(tried[i]))
    left, right = tried[max(best - 1, 0)], tried[min(best + 1, 300)]
    for _ in range(60):
        one, two = left + (right - left) * 0.382, left + (right - left) * 0.618
        left, right = (left, two) if length(one) < length(two) else (one, right)
    return min(length((left + right) / 2), length(tried[best])) / math.log(2)


def _reduced(a: Sequence[Any], b: Sequence[Any]) -> float:
    key, response = clusters_of(a), clusters_of(b)
    alone = _message([[len(c) for c in key]], len(key))
    return alone - _message([[len(c & d) for c in key] for d in response], len(key))


def moments_of_logs(rows: Sequence[int], cols: Sequence[int]) -> tuple[Any, Any]:
    """Return mean and variance of the sum of x log x over all tables, each counted as often as it arises."""

    def shares(left: tuple[int, ...], wanted: int) -> list[tuple[int, ...]]:
        if not left:
            return [()] if wanted == 0 else []
        first = range(min(left[0], wanted) + 1)
        return [(x, *rest) for x in first for rest in shares(left[1:], wanted - x)]

    @cache
    def sums(row: int, left: tuple[int, ...]) -> tuple[Any, Any, Any]:
        if row == len(rows):
            return mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0)
        total = [mpmath.mpf(0)] * 3
        for taken in shares(left, rows[row]):
            ways = math.prod(math.comb(c, x) for c, x in zip(left, taken, strict=True))
            own = mpmath.fsum(x * mpmath.log(x) for x in taken if x)
            w, s, q = sums(row + 1, tuple(sorted(c - x for c, x in zip(left, taken, strict=True))))
            for i, more in enumerate((w, own * w + s, own**2 * w + 2 * own * s + q)):
                total[i] += ways * more
        return tuple(total)  # type: ignore[return-value]

    w, s, q = sums(0, tuple(sorted(cols)))
    return s / w, q / w - (s / w) ** 2


def _standardized(a: Sequence[Any], b: Sequence[Any]) -> float:
    key, response = clusters_of(a), clusters_of(b)
    with mpmath.workdps(40):
        mean, variance = moments_of_logs([len(c) for c in key], [len(d) for d in response])
        if variance < mpmath.mpf(10) ** -30:
            return math.nan
        own = mpmath.fsum(len(c & d) * mpmath.log(len(c & d)) for c in key for d in response if c & d)
        return float((own - mean) / mpmath.sqrt(variance))


def table_measures(a: Sequence[Any], b: Sequence[Any]) -> dict[str, float]:
    """Return the indices of whole tables."""
    exact: dict[str, Callable[[], float]] = {
        "mari": lambda: _mari(a, b),
        "rmi": lambda: _reduced(a, b),
        "smi": lambda: _standardized(a, b),
    }
    return {name: value() for name, value in exact.items()}
