"""Scores of a classifier by their definitions, in exact fractions, instance by instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Counts = tuple[int, int, int, int]
Value = Fraction | float


def _share(top: int | Fraction, bottom: int | Fraction) -> Value:
    return Fraction(top) / Fraction(bottom) if bottom else math.nan


def _ratio(top: int, bottom: int) -> Value:
    return math.inf if top > 0 == bottom else _share(top, bottom)


def _sum(*values: Value) -> Value:
    return math.nan if any(isinstance(v, float) for v in values) else sum(values, Fraction(0))


#: Formulas in true and false positives, false and true negatives.
BY_CLASS: dict[str, Callable[[int, int, int, int], Value]] = {
    "precision": lambda tp, fp, fn, tn: _share(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: _share(tp, tp + fn),
    "f1": lambda tp, fp, fn, tn: _share(2 * tp, 2 * tp + fp + fn),
    "specificity": lambda tp, fp, fn, tn: _share(tn, tn + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: _share(tn, tn + fn),
    "jaccard": lambda tp, fp, fn, tn: _share(tp, tp + fp + fn),
    "informedness": lambda tp, fp, fn, tn: _sum(_share(tp, tp + fn), _share(tn, tn + fp), Fraction(-1)),
    "markedness": lambda tp, fp, fn, tn: _sum(_share(tp, tp + fp), _share(tn, tn + fn), Fraction(-1)),
    "false_positive_rate": lambda tp, fp, fn, tn: _share(fp, tn + fp),
    "false_negative_rate": lambda tp, fp, fn, tn: _share(fn, tp + fn),
    "false_discovery_rate": lambda tp, fp, fn, tn: _share(fp, tp + fp),
    "false_omission_rate": lambda tp, fp, fn, tn: _share(fn, tn + fn),
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: _ratio(tp * (tn + fp), fp * (tp + fn)),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: _ratio(fn * (tn + fp), tn * (tp + fn)),
    "diagnostic_odds_ratio": lambda tp, fp, fn, tn: _ratio(tp * tn, fp * fn),
    "selection_rate": lambda tp, fp, fn, tn: _share(tp + fp, tp + fp + fn + tn),
    "prevalence": lambda tp, fp, fn, tn: _share(tp + fn, tp + fp + fn + tn),
    "detection_rate": lambda tp, fp, fn, tn: _share(tp, tp + fp + fn + tn),
}
AVERAGED = list(BY_CLASS)[:8]
BASES = {"jaccard": "class_jaccard"}


def counts_of(c: Any, g: Sequence[Any], p: Sequence[Any]) -> Counts:
    pairs = list(zip(g, p, strict=True))
    return (
        sum(x == c and y == c for x, y in pairs),
        sum(x != c and y == c for x, y in pairs),
        sum(x == c and y != c for x, y in pairs),
        sum(x != c and y != c for x, y in pairs),
    )


def _mean(values: Sequence[Value], weights: Sequence[int]) -> float:
    used = [(v, w) for v, w in zip(values, weights, strict=True) if w]
    if any(isinstance(v, float) for v, _ in used):
        return math.nan if any(math.isnan(v) for v, _ in used) else math.inf
    return float(sum(v * w for v, w in used) / sum(weights))


def classes_of(g: Sequence[Any], p: Sequence[Any]) -> list[Any]:
    """Return the classes: the true labels; of the usual pair 0 and 1 also the one that is only predicted."""
    both = sorted({*g, *p})
    return both if both == [0, 1] else sorted({*g})


def scores_by_class(g: Sequence[Any], p: Sequence[Any]) -> dict[str, float]:
    """Return each score by class: for the positive class or as a mean, and the three averages."""
    classes = classes_of(g, p)
    counts = [counts_of(c, g, p) for c in classes]
    outside = sum(y not in classes for y in p)
    found = {}
    for name, measure in BY_CLASS.items():
        values = [measure(*c) for c in counts]
        macro = _mean(values, [1] * len(classes))
        of_many = (
            math.nan if name in ("selection_rate", "prevalence") else macro
        )  # a mean that is the same for all predictions
        base = math.nan if len(classes) == 1 else float(values[1]) if len(classes) == 2 else of_many
        found[BASES.get(name, name)] = base
        if name in AVERAGED:
            found[f"macro_{name}"] = macro
            tp, fp, fn, tn = map(sum, zip(*counts, strict=True))
            found[f"micro_{name}"] = float(measure(tp, fp + outside, fn, tn))
            found[f"weighted_{name}"] = _mean(values, [tp + fn for tp, _, fn, _ in counts])
    return found


def scores_as_a_whole(g: Sequence[Any], p: Sequence[Any]) -> dict[str, float]:
    """Return the scores from all cells of the confusion matrix."""
    n, classes = len(g), classes_of(g, p)
    k = len(classes)
    outside = [Fraction(sum(y == c for y in p), 2 * n) for c in {*p} - {*classes}]
    place = {c: i for i, c in enumerate(sorted({*g, *p}))}
    right = Fraction(sum(x == y for x, y in zip(g, p, strict=True)), n)
    true = [Fraction(sum(x == c for x in g), n) for c in classes]
    said = [Fraction(sum(y == c for y in p), n) for c in classes]
    recalls = [
        _share(sum(x == y == c for x, y in zip(g, p, strict=True)), n * t)
        for c, t in zip(classes, true, strict=True)
    ]
    present = [r for r in recalls if isinstance(r, Fraction)]
    balanced = sum(present) / len(present)

    def kappa(expected: Value) -> float:
        return (
            math.nan
            if isinstance(expected, float) or expected == 1
            else float((right - expected) / (1 - expected))
        )

    def weighted(power: int) -> float:
        cost = sum(abs(place[x] - place[y]) ** power for x, y in zip(g, p, strict=True))
        chance = sum(abs(place[x] - place[y]) ** power for x in g for y in p)
        return float(1 - Fraction(n * cost, chance)) if chance else math.nan

    mean = [(t + s) / 2 for t, s in zip(true, said, strict=True)]
    off = [
        Fraction(sum(abs(place[c] - place[y]) for x, y in zip(g, p, strict=True) if x == c), g.count(c))
        for c in dict.fromkeys(g)
    ]
    return {
        "accuracy": float(right),
        "no_information_rate": float(max(true)),
        "accuracy_over_no_information": float(right - max(true)),
        "balanced_accuracy": float(balanced),
        "adjusted_balanced_accuracy": float(
            _share(balanced - Fraction(1, len(present)), 1 - Fraction(1, len(present)))
        ),
        "g_mean": math.nan if len(present) < k else float(math.prod(present)) ** (1 / k),
        "cohen_kappa": kappa(sum(t * s for t, s in zip(true, said, strict=True))),
        "scott_pi": kappa(sum(m * m for m in mean + outside)),
        "gwet_ac1": kappa(_share(sum(m * (1 - m) for m in mean), k - 1)),
        "brennan_prediger": kappa(Fraction(1, k)),
        "linear_weighted_kappa": weighted(1),
        "quadratic_weighted_kappa": weighted(2),
        "within_one": float(
            Fraction(sum(abs(place[x] - place[y]) <= 1 for x, y in zip(g, p, strict=True)), n)
        ),
        "macro_mae": float(sum(off) / len(off)),
        "expected_cost": float(1 - right),
        "answered_share": float(sum(said)),
        "accuracy_where_answered": float(_share(right, sum(said))),
    }
